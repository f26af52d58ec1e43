"""Types of the settings, for those who check types; nothing here is needed to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Callable, Literal, Optional, Protocol, TypedDict, Union

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import Series

    from ._kinfolk import Data

Path = Union[str, "PathLike[str]"]

#: The name of a column.
Column = Union[str, int]


class ArrowStream(Protocol):
    """What gives its columns in the Arrow C stream interface: pandas and polars frames, pyarrow tables and others."""

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """The stream."""


class ArrowArray(Protocol):
    """What gives its columns, or its values, in the Arrow C data interface: record batches, arrays of structs, arrays."""

    def __arrow_c_array__(self, requested_schema: Optional[object] = None) -> tuple[object, object]:
        """Schema and array."""


class Lazy(Protocol):
    """A polars LazyFrame."""

    def collect(self) -> ArrowStream:
        """The frame."""


class HasStructure(Protocol):
    """A result or a network."""

    @property
    def structure(self) -> str:
        """The structure as a modelstring."""


class Graph(Protocol):
    """A networkx graph."""

    @property
    def nodes(self) -> Any:
        """Its nodes."""

    def predecessors(self, n: Any) -> Iterable[Any]:
        """The parents of a node."""


class Frame(Protocol):
    """A frame with named columns."""

    @property
    def columns(self) -> Any:
        """Their names."""

    def __getitem__(self, key: Any) -> Any:
        """One of them."""


#: One table.
Table = Union[ArrowStream, ArrowArray, Lazy, Frame, "NDArray[Any]", Mapping[Any, Any]]

#: One table or several: see :func:`kinfolk.read`.
Tables = Union["Data", Path, Table, Mapping[Any, Union[Table, Path]], Sequence[Union[Table, Path]]]

#: A modelstring, a result, a network, or a networkx graph.
Structure = Union[str, HasStructure, Graph]

#: The name of a column, or one value per row.
ColumnOrValues = Union[Column, Sequence[Any], ArrowStream, ArrowArray, "NDArray[Any]", "Series[Any]", None]

#: Pairs of columns, or a frame with the columns `from` and `to`.
Arcs = Union[Frame, Iterable[tuple[Column, Column]]]
ScoreName = Literal["bhd", "kin", "bdeu", "bdeu-separate", "bic", "aic", "k2", "bds", "bdj", "loglik"]
Missing = Literal["refuse", "drop-rows", "level"]
Method = Literal["hierarchical", "kin", "bayes", "mle"]
Depth = Literal["brief", "full", "none"]
Progress = Union[bool, Callable[[int, Optional[float], int, int], object], None]


class Reading(TypedDict, total=False):
    """How data are read."""

    weights: ColumnOrValues
    names: Optional[Sequence[str]]
    columns: Union[Column, Iterable[Column], None]
    ignore: Union[Column, Iterable[Column]]
    common_columns: bool
    levels: Optional[Mapping[Any, Sequence[Any]]]
    discretize: Union[str, Sequence[str], Mapping[Any, str]]
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
    tiers: Sequence[Sequence[Column]]
    start: Optional[Structure]
    max_steps: Optional[int]
    time_limit: Optional[float]
    tabu: int
    escapes: int
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
