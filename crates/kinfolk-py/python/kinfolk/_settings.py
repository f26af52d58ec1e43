"""The settings that several functions take: names and defaults stand once, here, and so does their way to the compiled module."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Callable, TypeVar

from . import _frames

#: How data are read.
READING: dict[str, Any] = {
    "weights": None,
    "names": None,
    "columns": None,
    "ignore": (),
    "common_columns": False,
    "levels": None,
    "discretize": (),
    "na": None,
    "missing": "refuse",
    "max_states": 50,
    "delimiter": None,
}

#: The prior of the hierarchical model.
PRIOR: dict[str, Any] = {"s": None, "s_total": None, "alpha0": None, "s0": None, "prior": None}

#: The model behind kin.
KIN: dict[str, Any] = {"kin_grid": None, "pooled_half": None, "kin_cells": None}

#: The imaginary sample size of one table by itself.
SAMPLE: dict[str, Any] = {"iss": None}

#: Scores, with their priors.
SCORE: dict[str, Any] = {"score": None, **PRIOR, **KIN, **SAMPLE, "structure_prior": None}

#: Searches.
SEARCH: dict[str, Any] = {
    "max_parents": None,
    "whitelist": (),
    "blacklist": (),
    "tiers": (),
    "start": None,
    "max_steps": None,
    "time_limit": None,
    "restarts": 0,
    "perturb": 1,
    "seed": 0,
    "keep_scores": None,
}

#: What computing may take.
MACHINE: dict[str, Any] = {"memory": 4096, "threads": 0}

#: Whether progress is shown.
PROGRESS: dict[str, Any] = {"progress": None}

#: The score's settings that an estimate of tables takes too, by its method.
OF_METHOD: dict[str, dict[str, Any]] = {"hierarchical": PRIOR, "kin": KIN, "bayes": SAMPLE, "mle": {}}

Function = TypeVar("Function", bound=Callable[..., Any])


class Settings:
    """The settings that a function takes besides its own arguments: shown in its signature, completed by their defaults."""

    def __init__(self, *groups: Mapping[str, Any]):
        self.defaults = {name: default for group in groups for name, default in group.items()}

    def __call__(self, function: Function) -> Function:
        """Shows the settings, which the function takes as one mapping, by their names."""
        own = [one for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in self.defaults.items()]
        function.__signature__ = inspect.Signature([*own, *more])  # type: ignore[attr-defined]
        return function

    def complete(self, function: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """What was given, and the defaults of what was not; names that nobody knows are refused as Python refuses them."""
        for name in given:
            if name not in self.defaults:
                raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
        return {**self.defaults, **given}


def pick(chosen: Mapping[str, Any], *groups: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of some groups."""
    return {name: chosen[name] for group in groups for name in group}


def reading(data: Any, groups: Any, chosen: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Sources and settings of reading, as the compiled module takes them."""
    sources, group, weight = _frames.gather(data, groups, chosen["weights"], chosen["names"])
    columns, ignore, levels = chosen["columns"], chosen["ignore"], chosen["levels"]
    discretize, na = chosen["discretize"], chosen["na"]
    if isinstance(discretize, str):
        discretize = [discretize]
    elif isinstance(discretize, Mapping):
        discretize = [f"{column}={rule}" for column, rule in discretize.items()]
    return sources, {
        "group": group,
        "weight": weight,
        "columns": None if columns is None else list(columns),
        "ignore": [ignore] if isinstance(ignore, str) else list(ignore),
        "common_columns": chosen["common_columns"],
        "levels": [(name, [_frames.spell(state) or "" for state in states]) for name, states in (levels or {}).items()],
        "discretize": list(discretize),
        "na": None if na is None else [_frames.spell(text) for text in na],
        "missing": chosen["missing"],
        "max_states": chosen["max_states"],
        "delimiter": chosen["delimiter"],
    }


def prior(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """A prior, as the compiled module takes it."""
    return pick(chosen, PRIOR)


def kin(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of kin, as the compiled module takes them."""
    grid = chosen["kin_grid"]
    return {**pick(chosen, KIN), "kin_grid": None if grid is None else list(grid)}


def score(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """A score, as the compiled module takes it."""
    rest = pick(chosen, {"score": None, "iss": None, "structure_prior": None})
    return {"prior": prior(chosen), "kin": kin(chosen), **rest}


def search(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """A search, as the compiled module takes it."""
    start = chosen["start"]
    return {
        **pick(chosen, SEARCH),
        "whitelist": _arcs(chosen["whitelist"]),
        "blacklist": _arcs(chosen["blacklist"]),
        "tiers": [list(tier) for tier in chosen["tiers"]],
        "start": None if start is None else structure(start),
    }


def _arcs(arcs: Any) -> list[tuple[str, str]]:
    if hasattr(arcs, "columns"):
        return list(zip(arcs["from"], arcs["to"]))
    return [(start, end) for start, end in arcs]


def structure(given: Any) -> str:
    """A modelstring from whatever has a structure: text, a result, a network, a networkx graph."""
    if isinstance(given, str):
        return given
    if hasattr(given, "structure"):
        return str(given.structure)
    if hasattr(given, "predecessors"):
        nodes = ((str(node), ":".join(map(str, given.predecessors(node)))) for node in given.nodes)
        return "".join(f"[{node}|{parents}]" if parents else f"[{node}]" for node, parents in nodes)
    raise TypeError(f"cannot take a structure from {type(given).__name__}: give a modelstring such as '[A][B|A]'")
