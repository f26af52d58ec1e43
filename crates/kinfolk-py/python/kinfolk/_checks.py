"""What settings must be. A wrong one is refused with its name, what is expected and what was given."""

from __future__ import annotations

import numbers
import operator
import reprlib
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Callable, NoReturn, Optional

import numpy as np

from ._kinfolk import KinfolkError, SettingsError


class WrongTypeError(KinfolkError, TypeError):
    """Something is of a type that it cannot be; a :class:`TypeError` too."""


class DataWarning(UserWarning):
    """Data were changed in reading, or are not what they may seem: rows were left out, values taken for missing."""


#: Takes the name of a setting and what was given; gives it in the form that the compiled module takes.
Kind = Callable[[str, Any], Any]


def refuse(name: str, given: Any, expected: str) -> NoReturn:
    """Refuses what was given."""
    raise WrongTypeError(_refusal(name, given, expected))


def _refusal(name: str, given: Any, expected: str) -> str:
    return f"{name} takes {expected}, not {reprlib.repr(given)}"


def characters(name: str, given: str) -> str:
    """A text of whole characters: what Python makes of bytes that it cannot read may have halves of some."""
    if not is_whole(given):
        raise SettingsError(_refusal(name, given, "texts of whole characters"))
    return given


def is_whole(text: str) -> bool:
    """Whether a text has no halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def whole(least: int = 0, most: int = 2**64 - 1) -> Kind:
    """A whole number."""

    def check(name: str, given: Any) -> int:
        expected = f"a whole number from {least} on"
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
    """A number."""
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (numbers.Real, np.number)):
        refuse(name, given, "a number")
    return float(given)


def truth(name: str, given: Any) -> bool:
    """True or False."""
    if not isinstance(given, (bool, np.bool_)):
        refuse(name, given, "True or False")
    return bool(given)


def text(name: str, given: Any) -> str:
    """A text."""
    if not isinstance(given, str):
        refuse(name, given, "a text")
    return characters(name, given)


def _named(name: str, given: Any, of: str) -> str:
    """A name, which need not be a text."""
    if given is None or isinstance(given, (Mapping, set, frozenset)) or np.ndim(given) != 0:
        refuse(name, given, f"the name of a {of}")
    return characters(name, str(given))


def column(name: str, given: Any) -> str:
    """The name of a column."""
    return _named(name, given, "column")


def data_set(name: str, given: Any) -> str:
    """The name of a data set."""
    return _named(name, given, "data set")


def columns(name: str, given: Any) -> list[str]:
    """Names of columns; one may stand alone."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [column(name, given)]
    return [column(name, one) for one in given]


def each(kind: Kind, expected: str) -> Kind:
    """A list of such values."""

    def check(name: str, given: Any) -> list[Any]:
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            refuse(name, given, expected)
        return [kind(name, one) for one in given]

    return check


def mapping(name: str, given: Any) -> Mapping[Any, Any]:
    """A mapping from columns."""
    if not isinstance(given, Mapping):
        refuse(name, given, "a mapping from columns")
    return given


def pairs(name: str, given: Any) -> list[tuple[str, str]]:
    """Arcs: pairs of names, or a frame with the columns `from` and `to`."""
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


def optional(kind: Kind) -> Kind:
    """That, or None."""

    def check(name: str, given: Any) -> Any:
        if given is None:
            return None
        try:
            return kind(name, given)
        except (WrongTypeError, SettingsError) as error:
            raise type(error)(str(error).replace(", not ", " or None, not ", 1)) from None

    return check


def progress(name: str, given: Any) -> Any:
    """Whether a bar is shown, or who hears instead."""
    if given is None or callable(given):
        return given
    if not isinstance(given, (bool, np.bool_)):
        refuse(name, given, "True, False, None or something to call")
    return bool(given)


def as_it_is(name: str, given: Any) -> Any:
    """What has its own checks elsewhere."""
    return given


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns, and says that it is the caller's line, not one of this package's."""
    level, frame = 1, sys._getframe(0)
    caller: Optional[Any] = frame
    while caller is not None and caller.f_globals.get("__name__", "").partition(".")[0] == "kinfolk":
        level, caller = level + 1, caller.f_back
    warnings.warn(message, category, stacklevel=level)
