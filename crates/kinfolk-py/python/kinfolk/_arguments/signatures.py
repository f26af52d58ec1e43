"""Errors for keyword arguments that a function does not have, or that come too late."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Mapping
from typing import Any, Callable, TypeVar, cast

#: Names that other packages use, and the names here.
_ALIASES = {
    "group": "groups",
    "weight": "weights",
    "sample_weight": "weights",
    "n_jobs": "threads",
    "random_state": "seed",
    "replicate": "replicates",
}

#: Hints for keyword arguments of other packages that functions here may lack.
_HINTS = {"sample_weight": "; rows cannot be weighted here: repeat rows, or give kinfolk.learn and kinfolk.fit the number of copies as weights"}

Function = TypeVar("Function", bound=Callable[..., Any])


def suggest(function: Function) -> Function:
    """Makes the TypeError about an unknown keyword argument name the nearest known one."""
    known = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in known:
                alias = _ALIASES.get(name)
                near = [alias] if alias in known else difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else _HINTS.get(name, f"; its settings are {', '.join(known)}")
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}")
        return function(*args, **kwargs)

    return cast(Function, call)


def changed(function: Callable[..., Any], given: Mapping[str, Any]) -> list[str]:
    """The keyword-only arguments of a function that differ from its defaults, in the order of its signature."""
    parameters = inspect.signature(function).parameters.values()
    keywords = [one for one in parameters if one.kind is one.KEYWORD_ONLY and one.name in given]
    return [one.name for one in keywords if _differs(given[one.name], one.default)]


def _differs(value: Any, default: Any) -> bool:
    # Arrays and frames do not compare to one truth value.
    if default is None:
        return value is not None
    if default == ():
        return not isinstance(value, (list, tuple, dict)) or len(value) > 0
    return bool(value != default)
