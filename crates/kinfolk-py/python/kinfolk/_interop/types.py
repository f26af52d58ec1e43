"""The types of values: what they are recorded as, and texts converted back to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

from .._kinfolk import ArrowColumn

#: The recorded types and the conversions from text; values of other types come back as texts.
_CONVERSIONS: dict[str, Callable[[str], Any]] = {
    "boolean": {"True": True, "False": False}.__getitem__,
    "integer": int,
    "float": float,
}

_KINDS = {"b": "boolean", "i": "integer", "u": "integer", "f": "float"}


def type_of(values: Any) -> Optional[str]:
    """The type of a column's values: boolean, integer or float; None for all others."""
    if isinstance(values, ArrowColumn):
        return values.kind
    dtype = getattr(values, "dtype", None)
    dtype = getattr(getattr(dtype, "categories", None), "dtype", dtype)
    kind = getattr(dtype, "kind", None)
    if kind is not None and kind != "O":
        return _KINDS.get(kind)
    return _type_of_objects(values.categories if hasattr(values, "categories") else values)


def _type_of_objects(values: Iterable[Any]) -> Optional[str]:
    """The common type of Python objects, without regard to missing ones."""
    found: set[Optional[str]] = set()
    for value in values:
        if value is None:
            continue
        is_truth = isinstance(value, (bool, np.bool_))
        is_whole, is_real = isinstance(value, (int, np.integer)), isinstance(value, (float, np.floating))
        found.add("boolean" if is_truth else "integer" if is_whole else "float" if is_real else None)
        if None in found:
            return None
    return common(found)


def common(types: Iterable[Optional[str]]) -> Optional[str]:
    """The one type of several columns; integers among floats are floats."""
    found = set(types)
    if found == {"integer", "float"}:
        return "float"
    return found.pop() if len(found) == 1 else None


def restore(texts: Sequence[str], recorded: Optional[str]) -> list[Any]:
    """Texts in the recorded type; unchanged if there is none, or if one of them (a bin, for example) is not of it."""
    conversion = _CONVERSIONS.get(recorded or "")
    if conversion is None:
        return list(texts)
    try:
        return [conversion(text) for text in texts]
    except (KeyError, ValueError):
        return list(texts)


def data_set_names(names: Sequence[str], settings: Mapping[str, Any]) -> list[Any]:
    """Names of data sets in the type of the group column, or of the keys of the mapping, that the settings record."""
    return restore(names, settings.get("type_of_data_sets"))
