"""The resume file of a bootstrap: a header with the origin, then one line of JSON per finished search."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._interop.files import write
from .._kinfolk import __version__
from ..exceptions import DataError

if TYPE_CHECKING:
    from .._kinfolk import Data
    from .._typing import Path as AnyPath

#: Settings that do not change which structure is found.
_OF_THE_CALL = ("time_limit", "keep_scores")


def origin(chosen: Mapping[str, Any], by: str, data: Data) -> dict[str, Any]:
    """The identity of a bootstrap: the data and every setting that its structures depend on."""
    settings = {name: value for name, value in chosen.items() if name not in _OF_THE_CALL}
    whole = {"version": __version__, **settings, "by": by, "data": data.fingerprint}
    return dict(json.loads(json.dumps(whole)))


def open_file(path: AnyPath, origin: dict[str, Any]) -> list[str]:
    """The finished searches in a file, which is created if needed.

    Other files are refused and left unchanged. An incomplete last line is removed.
    """
    name, file = os.fspath(path), Path(path)
    head = json.dumps({"kinfolk_bootstrap": 1, "origin": origin}, ensure_ascii=False)
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError):
        raise _foreign(name) from None
    lines = text.split("\n")
    cut = lines.pop()
    if not lines and not head.startswith(cut):
        raise _foreign(name)
    if lines:
        _check(name, lines[0], origin)
    kept = [head, *lines[1:]]
    write(file, "\n".join(kept) + "\n")
    return kept[1:]


def _foreign(name: str) -> DataError:
    return DataError(f"resume: {name} is not a file of kinfolk.bootstrap; name another one, which will be made")


def _check(name: str, first: str, asked: dict[str, Any]) -> None:
    """Raises an error if the searches in the file belong to other data or settings."""
    try:
        kept = json.loads(first)["origin"]
    except (ValueError, KeyError, TypeError):
        raise _foreign(name) from None
    for key in {**asked, **kept}:
        if kept.get(key) != asked.get(key):
            raise DataError(
                f"resume: {name} belongs to another bootstrap: its {key} is {json.dumps(kept.get(key))}, not "
                f"{json.dumps(asked.get(key))}; give the same settings, or name another file"
            )
