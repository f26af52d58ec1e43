"""The settings that several functions take: names, defaults and kinds stand once, here, and so does their way to the compiled module."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Mapping
from typing import Any, Callable, Optional, TypeVar

from . import _checks, _coding, _frames
from ._checks import columns, each, mapping, number, optional, pairs, refuse, text, truth, whole

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
    "tabu": 0,
    "escapes": 0,
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

#: All of them.
OF_TABLES: dict[str, Any] = {**PRIOR, **KIN, **SAMPLE}


def _rules(name: str, given: Any) -> list[str]:
    """Rules of discretisation: a text, a list of texts, or a mapping from column to rule."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [f"{column}={text(name, rule)}" for column, rule in given.items()]
    return list(each(text, "a rule such as 'age=quantile:4', a list of rules, or a mapping from column to rule")(name, given))


def _names(name: str, given: Any) -> list[str]:
    """Names for the columns of an array; one may stand alone."""
    return columns(name, given) if isinstance(given, str) else list(each(_checks.column, "a list of names of columns")(name, given))


def _missing_texts(name: str, given: Any) -> list[str]:
    """What means missing; one may stand alone."""
    values = [given] if isinstance(given, (str, int, float)) else each(_checks.as_it_is, "a list of texts or numbers")(name, given)
    return [_checks.characters(name, spelt) for spelt in map(_coding.spell, values) if spelt is not None]


def _levels(name: str, given: Any) -> list[tuple[str, list[str]]]:
    """Declared states by column."""
    states = each(_checks.as_it_is, "a mapping from columns to lists of states")
    found = []
    for column, one in mapping(name, given).items():
        spelt = _coding.spell_mixed(states(name, one))
        found.append((str(column), [_checks.characters(name, state or "") for state in spelt]))
    return found


#: What each setting must be.
KINDS: dict[str, _checks.Kind] = {
    "weights": _checks.as_it_is,
    "names": optional(_names),
    "columns": optional(columns),
    "ignore": columns,
    "common_columns": truth,
    "levels": optional(_levels),
    "discretize": _rules,
    "na": optional(_missing_texts),
    "missing": text,
    "max_states": whole(1),
    "delimiter": optional(text),
    "s": optional(number),
    "s_total": optional(number),
    "alpha0": optional(number),
    "s0": optional(number),
    "prior": optional(text),
    "kin_grid": optional(each(number, "a list of numbers")),
    "pooled_half": optional(truth),
    "kin_cells": optional(text),
    "iss": optional(number),
    "score": optional(text),
    "structure_prior": optional(text),
    "max_parents": optional(whole()),
    "whitelist": pairs,
    "blacklist": pairs,
    "tiers": each(columns, "a list of lists of columns"),
    "start": optional(lambda name, given: structure(given, name)),
    "max_steps": optional(whole()),
    "time_limit": optional(number),
    "tabu": whole(),
    "escapes": whole(),
    "restarts": whole(),
    "perturb": whole(),
    "seed": whole(),
    "keep_scores": optional(whole()),
    "memory": whole(),
    "threads": whole(0, 65535),
    "progress": _checks.progress,
}

#: Names from elsewhere, and what they are called here.
_ALIASES = {"group": "groups", "weight": "weights", "n_jobs": "threads", "random_state": "seed", "replicate": "replicates"}

Function = TypeVar("Function", bound=Callable[..., Any])


class Settings:
    """The settings that a function takes besides its own arguments: shown in its signature, completed by their defaults."""

    def __init__(self, *groups: Mapping[str, Any]):
        self.defaults = {name: default for group in groups for name, default in group.items()}
        self.names: dict[str, list[str]] = {}

    def __call__(self, function: Function) -> Function:
        """Shows the settings, which the function takes as one mapping, by their names."""
        own = [one for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in self.defaults.items()]
        function.__signature__ = inspect.Signature([*own, *more])  # type: ignore[attr-defined]
        self.names[function.__name__] = [parameter.name for parameter in [*own, *more]]
        return function

    def complete(self, function: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """What was given, checked, and the defaults of what was not; names that nobody knows are refused as Python refuses them."""
        for name in given:
            if name not in self.defaults:
                known = self.names.get(function, list(self.defaults))
                alias = _ALIASES.get(name)
                near = [alias] if alias in known else difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else f"; its settings are {', '.join(known)}"
                raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
        return {name: KINDS[name](name, given.get(name, default)) for name, default in self.defaults.items()}


#: What everything takes that learns structures.
LEARNING = Settings(SCORE, SEARCH, MACHINE, PROGRESS, READING)


def pick(chosen: Mapping[str, Any], *groups: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of some groups."""
    return {name: chosen[name] for group in groups for name in group}


def reading(data: Any, groups: Any, chosen: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Sources and settings of reading, as the compiled module takes them."""
    sources, group, weight, _ = _frames.gather(data, groups, chosen["weights"], chosen["names"], chosen["na"])
    rest = {name: value for name, value in chosen.items() if name in READING and name not in ("weights", "names")}
    return sources, {**rest, "levels": chosen["levels"] or [], "group": group, "weight": weight}


def prior(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """A prior, as the compiled module takes it."""
    return pick(chosen, PRIOR)


def kin(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of kin, as the compiled module takes them."""
    return pick(chosen, KIN)


def score(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """A score, as the compiled module takes it."""
    rest = pick(chosen, {"score": None, "iss": None, "structure_prior": None})
    return {"prior": prior(chosen), "kin": kin(chosen), **rest}


def search(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """A search, as the compiled module takes it."""
    return pick(chosen, SEARCH)


def machine(chosen: Mapping[str, Any], progress: Optional[Any] = None) -> dict[str, Any]:
    """What computing may take, as the compiled module takes it."""
    return {**pick(chosen, MACHINE), "progress": progress}


def structure(given: Any, name: str = "structure") -> str:
    """A modelstring from whatever has a structure: text, a result, a network, a networkx graph."""
    if isinstance(given, str):
        return given
    if hasattr(given, "structure"):
        if given.structure is None:
            refuse(name, given, "a result with a structure; a bootstrap has one as soon as a replicate is finished")
        return str(given.structure)
    if hasattr(given, "predecessors"):
        return modelstring({str(node): [str(parent) for parent in given.predecessors(node)] for node in given.nodes})
    refuse(name, given, "a modelstring such as '[A][B|A]', a result, a network or a networkx graph")


def modelstring(parents: Mapping[str, list[str]]) -> str:
    """A structure as text, from the parents of every node."""
    nodes = ((_escape(node), ":".join(map(_escape, of))) for node, of in parents.items())
    return "".join(f"[{node}|{of}]" if of else f"[{node}]" for node, of in nodes)


def _escape(name: str) -> str:
    return re.sub(r"[\[\]|:\\]", r"\\\g<0>", name)
