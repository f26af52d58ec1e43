"""The file of a bootstrap that is continued: one line per finished search, so that nothing is lost or done twice."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._files import write
from ._kinfolk import DataError, __version__

if TYPE_CHECKING:
    from ._kinfolk import Data
    from ._types import Path as AnyPath

#: What no structure depends on.
_OF_THE_CALL = ("time_limit", "keep_scores")


def origin(chosen: Mapping[str, Any], by: str, data: Data) -> dict[str, Any]:
    """What finished searches belong to: the data and every setting that a structure depends on."""
    settings = {name: value for name, value in chosen.items() if name not in _OF_THE_CALL}
    whole = {"version": __version__, **settings, "by": by, "data": data.fingerprint}
    return dict(json.loads(json.dumps(whole)))


def open_file(path: AnyPath, origin: dict[str, Any]) -> list[str]:
    """The finished searches of a file, which is begun if it is not there.

    A file of something else is left alone. A last line that was cut off is taken out, to be done again.
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
    """Refuses a file whose searches belong to other data or settings, and says to which."""
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
