"""Types of arguments, for type checkers; nothing here is needed at run time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Callable, Literal, Optional, Protocol, Union

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import Series

    from ._kinfolk import Data

Path = Union[str, "PathLike[str]"]

#: The name of a column.
Column = Union[str, int]


class ArrowStream(Protocol):
    """An object with the Arrow C stream interface: a pandas or polars frame, a pyarrow table and others."""

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """The stream."""


class ArrowArray(Protocol):
    """An object with the Arrow C data interface: a record batch, an array of structs, an array."""

    def __arrow_c_array__(self, requested_schema: Optional[object] = None) -> tuple[object, object]:
        """Schema and array."""


class Lazy(Protocol):
    """A polars LazyFrame."""

    def collect(self) -> ArrowStream:
        """The frame."""


class Grouped(Protocol):
    """A groupby object of pandas or polars."""

    def __iter__(self) -> Iterator[Any]:
        """Keys and tables."""


class HasStructure(Protocol):
    """A result or a network."""

    @property
    def structure(self) -> str:
        """The structure as a modelstring."""


class Graph(Protocol):
    """A networkx graph."""

    @property
    def nodes(self) -> Any:
        """The nodes."""

    def predecessors(self, n: Any) -> Iterable[Any]:
        """The parents of a node."""


class Frame(Protocol):
    """A frame with named columns."""

    @property
    def columns(self) -> Any:
        """The column names."""

    def __getitem__(self, key: Any) -> Any:
        """One column."""


#: One table.
Table = Union[ArrowStream, ArrowArray, Lazy, Frame, "NDArray[Any]", Mapping[Any, Any]]

#: One table or several: see :func:`kinfolk.read`.
Tables = Union["Data", Path, Table, Grouped, Mapping[Any, Union[Table, Path]], Sequence[Union[Table, Path]]]


#: The name of a column, or one value per row; for groups also several names of columns.
ColumnOrValues = Union[Column, Sequence[Any], ArrowStream, ArrowArray, "NDArray[Any]", "Series[Any]", None]

#: One column name or several.
Columns = Union[Column, Iterable[Column]]

#: Pairs of columns, or a frame with the columns `from` and `to`.
Arcs = Union[Frame, Iterable[tuple[Column, Column]]]

#: A modelstring, a result, a network, a networkx graph, or arcs.
Structure = Union[str, HasStructure, Graph, Frame, Sequence[tuple[Column, Column]]]

#: Discretisation rules: one, several, or by column.
Rules = Union[str, Sequence[str], Mapping[Any, Union[str, int, Sequence[float]]]]

ScoreName = Literal["bhd", "kin", "bdeu", "bdeu-separate", "bic", "aic", "k2", "bds", "bdj", "loglik"]
PriorName = Literal["default", "paper"]
SearchName = Literal["auto", "climb", "tabu", "order", "exact", "pc"]
KinCells = Literal["row", "joint"]
StructurePrior = Literal["uniform", "size"]
Missing = Literal["refuse", "impute", "available", "drop-rows", "level"]
Unseen = Literal["refuse", "missing"]
Method = Literal["hierarchical", "kin", "bayes", "mle"]
Depth = Literal["brief", "full", "none"]
Resampled = Literal["rows", "half-rows", "data-sets"]
Progress = Union[bool, Callable[[int, Optional[float], int, int], object], None]
