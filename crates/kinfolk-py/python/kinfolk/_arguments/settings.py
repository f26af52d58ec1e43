"""The keyword arguments that several functions share: their groups, their checks, and their form for the compiled module."""

from __future__ import annotations

import json
import numbers
from collections.abc import Iterable, Mapping
from typing import Any, Optional

import numpy as np

from .._interop import columns, tables
from . import checks
from .checks import Check, boolean, each, integer, mapping, number, optional, pairs, text
from .structures import modelstring_of

#: How data are read.
READING = (
    "weights",
    "id",
    "id_seed",
    "names",
    "columns",
    "ignore",
    "common_columns",
    "levels",
    "discretize",
    "na",
    "missing",
    "max_states",
    "delimiter",
)

#: The prior of the hierarchical model, BHD.
PRIOR = ("s", "s_total", "alpha0", "s0", "prior")

#: The model behind kin.
KIN = ("kin_grid", "pooled_half", "kin_cells")

#: The prior of a single table, BDeu.
SAMPLE = ("iss",)

#: The priors of all methods that estimate tables.
TABLES = (*PRIOR, *KIN, *SAMPLE)

#: A score with its priors.
SCORE = ("score", *TABLES, "structure_prior")

#: A search.
SEARCH = (
    "search",
    "max_parents",
    "whitelist",
    "blacklist",
    "tiers",
    "start",
    "max_steps",
    "time_limit",
    "tabu",
    "escapes",
    "restarts",
    "perturb",
    "seed",
    "keep_scores",
)

#: A search that is not made: constraints are all that is given.
NO_SEARCH: dict[str, Any] = {
    **dict.fromkeys(("start", "max_steps", "tabu", "escapes", "restarts", "perturb", "keep_scores")),
    "search": "auto",
}

#: Resources.
MACHINE = ("memory", "threads")


def _rules(name: str, given: Any) -> list[str]:
    """Discretisation rules: one, a list, or a mapping from column to rule."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [f"{column}={_rule(name, rule)}" for column, rule in given.items()]
    return list(each(text, "a rule such as 'age=quantile:4', a list of rules, or a mapping from column to rule")(name, given))


def _rule(name: str, given: Any) -> str:
    """The rule of one column: a text, a number of bins, which is that of quantiles, or cut points."""
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (str, numbers.Real, Iterable)):
        checks.refuse(name, given, "a rule such as 'quantile:4', a number of bins, or a list of cut points for a column")
    if isinstance(given, str):
        return text(name, given)
    if isinstance(given, numbers.Real):
        return f"quantile:{integer(2)(name, given)}"
    return "cuts:" + ",".join(str(columns.spell(number(name, cut))) for cut in given)


def _names(name: str, given: Any) -> list[str]:
    """Names for the columns of an array, or a single one."""
    return checks.columns(name, given) if isinstance(given, str) else list(each(checks.column, "a list of names of columns")(name, given))


def _missing_codes(name: str, given: Any) -> list[str]:
    """Values that mean missing, or a single one, or a mapping from column to such values."""
    if isinstance(given, Mapping):
        return [f"{checks.column(name, column)}={value}" for column, values in given.items() for value in _missing_codes(name, values)]
    values = [given] if isinstance(given, (str, int, float)) else each(checks.unchecked, "a list of texts or numbers")(name, given)
    return [checks.characters(name, spelt) for spelt in map(columns.spell, values) if spelt is not None]


def _levels(name: str, given: Any) -> list[tuple[str, list[str]]]:
    """Declared states by column."""
    states = each(checks.unchecked, "a mapping from columns to lists of states")
    found = []
    for column, one in mapping(name, given).items():
        spelt = columns.spell_mixed(states(name, one))
        found.append((str(column), [checks.characters(name, state or "") for state in spelt]))
    return found


#: The check of every shared keyword argument.
CHECKS: dict[str, Check] = {
    "weights": checks.unchecked,
    "id": checks.unchecked,
    "id_seed": integer(),
    "names": optional(_names),
    "columns": optional(checks.columns),
    "ignore": checks.columns,
    "common_columns": boolean,
    "levels": optional(_levels),
    "discretize": _rules,
    "na": optional(_missing_codes),
    "missing": text,
    "max_states": integer(1),
    "delimiter": optional(text),
    "s": optional(number),
    "s_total": optional(number),
    "alpha0": optional(number),
    "s0": optional(number),
    "prior": optional(text),
    "kin_grid": optional(each(number, "a list of numbers")),
    "pooled_half": optional(boolean),
    "kin_cells": optional(text),
    "iss": optional(number),
    "score": optional(text),
    "structure_prior": optional(text),
    "search": text,
    "max_parents": optional(integer()),
    "whitelist": pairs,
    "blacklist": pairs,
    "tiers": each(checks.columns, "a list of lists of columns"),
    "start": optional(lambda name, given: modelstring_of(given, name)),
    "max_steps": optional(integer()),
    "time_limit": optional(number),
    "tabu": optional(integer()),
    "escapes": optional(integer()),
    "restarts": optional(integer()),
    "perturb": optional(integer()),
    "seed": integer(),
    "keep_scores": optional(integer()),
    "memory": integer(),
    "threads": integer(0, 65535),
    "progress": checks.progress,
}


def check(given: Mapping[str, Any]) -> dict[str, Any]:
    """Checks the shared keyword arguments among a function's arguments (its ``locals()``); leaves the others out."""
    return {name: CHECKS[name](name, value) for name, value in given.items() if name in CHECKS}


def check_one(name: str, given: Any) -> Any:
    """Checks one shared keyword argument."""
    return CHECKS[name](name, given)


def pick(chosen: Mapping[str, Any], *groups: tuple[str, ...]) -> dict[str, Any]:
    """The settings of some groups."""
    return {name: chosen[name] for group in groups for name in group}


def reading(data: Any, groups: Any, chosen: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Sources and read settings for the compiled module."""
    given = tables.gather(data, groups, chosen["weights"], chosen["names"], chosen["na"], subjects=chosen["id"])
    rest = {name: value for name, value in pick(chosen, READING).items() if name not in ("weights", "names")}
    roles = {"group": given.group, "weight": given.weight, "id": given.id, "tables": json.dumps(given.record)}
    return given.sources, {**rest, "levels": chosen["levels"] or [], **roles}


def score(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Score settings for the compiled module."""
    return {**priors(chosen), **pick(chosen, ("score", "structure_prior")), "recorded": chosen.get("recorded")}


def priors(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The priors of scores and tables for the compiled module."""
    return {"prior": pick(chosen, PRIOR), "kin": pick(chosen, KIN), **pick(chosen, SAMPLE)}


def recorded(structure: Any) -> Optional[str]:
    """The settings of the network or result whose structure is given, as JSON; None if it has none."""
    record = getattr(structure, "settings", None)
    return json.dumps(record) if isinstance(record, Mapping) and record else None


def search(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Search settings for the compiled module."""
    return pick(chosen, SEARCH)


def machine(chosen: Mapping[str, Any], progress: Optional[Any] = None) -> dict[str, Any]:
    """Resource limits for the compiled module, and the function that it reports progress to."""
    return {**pick(chosen, MACHINE), "progress": progress}
