"""Checks of single arguments.

Every check takes the argument's name and its value, and returns the value in the form that the compiled module takes.
A wrong type raises :class:`WrongTypeError`, an impossible value :class:`SettingsError`; the message has the name, what
is expected and the value.
"""

from __future__ import annotations

import numbers
import operator
import reprlib
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Callable, NoReturn, Optional

import numpy as np

from ..exceptions import SettingsError, WrongTypeError

Check = Callable[[str, Any], Any]


def refuse(name: str, given: Any, expected: str) -> NoReturn:
    """Raises the error for a value of a wrong type."""
    raise WrongTypeError(_refusal(name, given, expected))


def _refusal(name: str, given: Any, expected: str) -> str:
    return f"{name} takes {expected}, not {reprlib.repr(given)}"


def characters(name: str, given: str) -> str:
    """Text without lone surrogates, which Python makes of bytes that are not UTF-8."""
    if not is_utf8(given):
        raise SettingsError(_refusal(name, given, "valid Unicode texts"))
    return given


def is_utf8(text: str) -> bool:
    """Whether a text can be encoded in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def integer(least: int = 0, most: int = 2**64 - 1) -> Check:
    """A check for an integer in a range."""

    def check(name: str, given: Any) -> int:
        expected = f"a whole number of at least {least}"
        if isinstance(given, (bool, np.bool_)):
            refuse(name, given, expected)
        try:
            value = operator.index(given)
        except TypeError:
            refuse(name, given, expected)
        if not least <= value <= most:
            raise SettingsError(_refusal(name, given, expected if value < least else f"a whole number up to {most}"))
        return value

    return check


def number(name: str, given: Any) -> float:
    """A real number."""
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (numbers.Real, np.number)):
        refuse(name, given, "a number")
    return float(given)


def boolean(name: str, given: Any) -> bool:
    """A Boolean."""
    if not isinstance(given, (bool, np.bool_)):
        refuse(name, given, "True or False")
    return bool(given)


def text(name: str, given: Any) -> str:
    """A string."""
    if not isinstance(given, str):
        refuse(name, given, "a text")
    return characters(name, given)


def _named(name: str, given: Any, of: str) -> str:
    """A name, which need not be a text."""
    if given is None or isinstance(given, (Mapping, set, frozenset)) or np.ndim(given) != 0:
        refuse(name, given, f"the name of a {of}")
    return characters(name, str(given))


def column(name: str, given: Any) -> str:
    """A column name; numbers are names too."""
    return _named(name, given, "column")


def data_set(name: str, given: Any) -> str:
    """A data set name; numbers are names too."""
    return _named(name, given, "data set")


def columns(name: str, given: Any) -> list[str]:
    """Column names, or a single one."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [column(name, given)]
    return [column(name, one) for one in given]


def each(check_one: Check, expected: str) -> Check:
    """A check for a list whose elements pass another check."""

    def check(name: str, given: Any) -> list[Any]:
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            refuse(name, given, expected)
        return [check_one(name, one) for one in given]

    return check


def mapping(name: str, given: Any) -> Mapping[Any, Any]:
    """A mapping with columns as keys."""
    if not isinstance(given, Mapping):
        refuse(name, given, "a mapping from columns")
    return given


def pairs(name: str, given: Any) -> list[tuple[str, str]]:
    """Arcs: pairs of column names, or a frame with the columns `from` and `to`."""
    expected = "pairs of columns such as [('A', 'B')], or a frame with the columns 'from' and 'to'"
    if hasattr(given, "columns"):
        if not {"from", "to"} <= set(given.columns):
            refuse(name, list(given.columns), expected)
        given = zip(given["from"], given["to"])
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        refuse(name, given, expected)
    arcs = []
    for arc in given:
        if isinstance(arc, (str, bytes)) or not isinstance(arc, Iterable) or len(ends := list(arc)) != 2:
            refuse(name, arc, expected)
        arcs.append((column(name, ends[0]), column(name, ends[1])))
    return arcs


def optional(check_one: Check) -> Check:
    """A check that accepts None too."""

    def check(name: str, given: Any) -> Any:
        if given is None:
            return None
        try:
            return check_one(name, given)
        except (WrongTypeError, SettingsError) as error:
            raise type(error)(str(error).replace(", not ", " or None, not ", 1)) from None

    return check


def progress(name: str, given: Any) -> Any:
    """A Boolean, None or a callable."""
    if given is None or callable(given):
        return given
    if not isinstance(given, (bool, np.bool_)):
        refuse(name, given, "True, False, None or a callable")
    return bool(given)


def unchecked(name: str, given: Any) -> Any:
    """No check here: the value is checked where it is used."""
    return given


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns with the location of the first caller outside this package."""
    level, frame = 1, sys._getframe(0)
    caller: Optional[Any] = frame
    while caller is not None and caller.f_globals.get("__name__", "").partition(".")[0] == "kinfolk":
        level, caller = level + 1, caller.f_back
    warnings.warn(message, category, stacklevel=level)
