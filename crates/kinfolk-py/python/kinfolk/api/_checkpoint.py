"""The identity of a bootstrap, which its resume file begins with. The file itself is read and written in Rust."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._kinfolk import __version__

if TYPE_CHECKING:
    from .._kinfolk import Data

#: Settings that do not change which structure is found.
_OF_THE_CALL = ("time_limit", "keep_scores")


def origin(chosen: Mapping[str, Any], by: str, data: Data) -> str:
    """The data and every setting that the structures depend on, as JSON."""
    settings = {name: value for name, value in chosen.items() if name not in _OF_THE_CALL}
    return json.dumps({"version": __version__, **settings, "by": by, "data": data.fingerprint}, ensure_ascii=False)
