"""Exceptions and warnings that the package raises.

All exceptions are :class:`ValueError`\\ s; :class:`WrongTypeError` is a :class:`TypeError` too.
"""

from __future__ import annotations

from ._kinfolk import DataError, KinfolkError, NetworkError, SettingsError, StructureError

__all__ = ["DataError", "DataWarning", "KinfolkError", "NetworkError", "SettingsError", "StructureError", "WrongTypeError"]


class WrongTypeError(KinfolkError, TypeError):
    """An argument has a type that the function does not accept."""


class DataWarning(UserWarning):
    """The data were changed on reading, or a prediction uses other tables or values than the caller may expect."""
