"""Types of the settings, for those who check types; nothing here is needed to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Callable, Literal, Optional, TypedDict, Union

#: One table or several: see :func:`kinfolk.read`.
Tables = Any

#: A modelstring, a result, a network, or a networkx graph.
Structure = Any

#: The name of a column, or one value per row.
ColumnOrValues = Any

Path = Union[str, "PathLike[str]"]
Arcs = Any
ScoreName = Literal["bhd", "kin", "bdeu", "bdeu-separate", "bic", "aic", "k2", "bds", "bdj", "loglik"]
Missing = Literal["refuse", "drop-rows", "level"]
Method = Literal["hierarchical", "kin", "bayes", "mle"]
Progress = Union[bool, Callable[[int, Optional[float], int, int], object], None]


class Reading(TypedDict, total=False):
    """How data are read."""

    weights: ColumnOrValues
    names: Optional[Sequence[str]]
    columns: Optional[Sequence[str]]
    ignore: Union[str, Iterable[str]]
    common_columns: bool
    levels: Optional[Mapping[str, Sequence[Any]]]
    discretize: Union[str, Sequence[str], Mapping[str, str]]
    na: Optional[Sequence[Any]]
    missing: Missing
    max_states: int
    delimiter: Optional[str]


class Prior(TypedDict, total=False):
    """The prior of the hierarchical model, the settings of kin, and the imaginary sample size."""

    s: Optional[float]
    s_total: Optional[float]
    alpha0: Optional[float]
    s0: Optional[float]
    prior: Optional[Literal["default", "paper"]]
    kin_grid: Optional[Sequence[float]]
    pooled_half: Optional[bool]
    kin_cells: Optional[Literal["row", "joint"]]
    iss: Optional[float]


class Score(Prior, total=False):
    """A score with its prior."""

    score: Optional[ScoreName]
    structure_prior: Optional[Literal["uniform", "size"]]


class Machine(TypedDict, total=False):
    """What computing may take."""

    memory: int
    threads: int


class Search(TypedDict, total=False):
    """A search, and whether its progress is shown."""

    max_parents: Optional[int]
    whitelist: Arcs
    blacklist: Arcs
    tiers: Sequence[Sequence[str]]
    start: Structure
    max_steps: Optional[int]
    time_limit: Optional[float]
    restarts: int
    perturb: int
    seed: int
    keep_scores: Optional[int]
    progress: Progress


class Fitting(Reading, Prior, Machine, total=False):
    """Everything about estimating tables."""


class Scoring(Reading, Score, Machine, total=False):
    """Everything about scoring a structure."""


class Learning(Scoring, Search, total=False):
    """Everything about learning a structure."""


class NewRows(TypedDict, total=False):
    """How rows are read into the states of a network, and with whose tables they are judged."""

    data_set: Optional[str]
    unseen: Literal["refuse", "missing"]
    na: Optional[Sequence[str]]
    names: Optional[Sequence[str]]
    most_cells: float
