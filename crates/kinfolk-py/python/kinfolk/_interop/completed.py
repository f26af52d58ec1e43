"""Tables with their missing values filled in, in the form in which they were given."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from .._kinfolk import ArrowColumn, Data
from . import tables
from .columns import package, spell, take
from .frames import frame
from .types import restore, type_of


class Fill(NamedTuple):
    """Values for some rows of a column, in ascending order, of a table with so many rows."""

    rows: np.ndarray
    size: int
    values: list[Any]


class GivenTables(NamedTuple):
    """Tables as they were given."""

    tables: list[Any]
    #: The names of a mapping of tables.
    keys: Optional[list[Any]]
    #: Whether the data are a single table.
    one: bool
    #: The names of the columns of arrays.
    names: Optional[list[str]]

    def completed(self, fills: Sequence[Mapping[str, Fill]]) -> Any:
        """Copies with values filled in."""
        done = [fill(table, of_table, self.names) for table, of_table in zip(self.tables, fills)]
        return done[0] if self.one else done if self.keys is None else dict(zip(self.keys, done))


def kept(data: Any) -> Any:
    """The data in a form that can be read twice: streams are imported, polars LazyFrames collected."""
    if isinstance(data, Mapping) and not tables.is_table(data):
        return {name: kept(table) for name, table in data.items()}
    if isinstance(data, Mapping):
        return {name: _kept_column(values) for name, values in data.items()}
    if isinstance(data, (list, tuple)):
        return [kept(table) for table in data]
    if package(data) == "polars":
        return data.collect() if type(data).__name__ == "LazyFrame" else data
    return data if package(data) == "pandas" else take(data)


def _kept_column(values: Any) -> Any:
    return values if package(values) in ("pandas", "polars") else take(values)


def parts(data: Any) -> tuple[list[Any], Optional[list[Any]], bool]:
    """The tables, the names of a mapping of tables, and whether the data are a single table."""
    if isinstance(data, Mapping) and not tables.is_table(data):
        return list(data.values()), list(data), False
    if isinstance(data, (list, tuple)) and all(_is_path(one) or tables.is_table(take(one)) for one in data):
        return list(data), None, False
    return [data], None, True


def read_frames(data: Data, variables: Mapping[str, list[str]], types: Mapping[str, str]) -> dict[str, Any]:
    """The rows of data that have been read, one frame per data set; None where a value is missing."""
    sources, weight = tables.gather_read(data, variables)
    found = {}
    for name, columns in sources:
        table = {}
        for column, states, codes, _ in columns:
            typed = [*(map(int, states) if column == weight else restore(states, types.get(column))), None]
            table[column] = _decoded(typed, codes)
        found[name] = frame(table)
    return found


def fill(table: Any, fills: Mapping[str, Fill], names: Optional[Sequence[str]] = None) -> Any:
    """A copy of a table with values filled in; columns that it lacks are appended.

    pandas and polars frames and mappings of columns stay what they are; others give frames of pandas, if it is installed.
    """
    owner = package(table)
    if owner == "pandas":
        filled = table.copy()
        labels = {str(label).strip(): label for label in table.columns}
        for column, one in fills.items():
            filled[labels.get(column, column)] = _in_pandas(table[labels[column]] if column in labels else None, one, table.index)
        return filled
    if owner == "polars":
        labels = {label.strip(): label for label in table.columns}
        return table.with_columns(
            _in_polars(labels.get(column, column), table[labels[column]] if column in labels else None, one) for column, one in fills.items()
        )
    columns = dict(table) if isinstance(table, Mapping) else dict(tables.columns(table, names))
    labels = {str(label).strip(): label for label in columns}
    for column, one in fills.items():
        label = labels.get(column, column)
        columns[label] = _in_list(columns.get(label), one)
    if isinstance(table, Mapping):
        return columns
    return frame({name: _values(values) for name, values in columns.items()})


def _in_pandas(series: Any, one: Fill, index: Any) -> Any:
    import pandas

    if series is None or len(one.rows) == one.size:
        return pandas.Series(_whole(one), index=index)
    with warnings.catch_warnings():
        # Before version 3, pandas warns of a value that a column cannot hold instead of refusing it.
        warnings.simplefilter("error")
        try:
            filled = series.copy()
            filled.iloc[one.rows] = one.values
            return filled.infer_objects()
        except (TypeError, ValueError, Warning):
            filled = series.astype(object)
            filled.iloc[one.rows] = one.values
            return filled.infer_objects()


def _in_polars(name: str, series: Any, one: Fill) -> Any:
    import polars

    if series is None or len(one.rows) == one.size:
        return polars.Series(name, _whole(one))
    values = series.to_list()
    _set(values, one)
    try:
        return polars.Series(name, values, dtype=series.dtype)
    except Exception:
        # Intervals among numbers, for example, which only a column of texts can hold.
        return polars.Series(name, [spell(value) for value in values])


def _in_list(column: Any, one: Fill) -> Any:
    """A column of a mapping: series stay series, arrays stay arrays if their type can hold the values."""
    owner = package(column)
    if owner == "pandas" and hasattr(column, "index"):
        return _in_pandas(column, one, column.index)
    if owner == "polars":
        return _in_polars(column.name, column, one)
    if column is None or len(one.rows) == one.size:
        return _whole(one)
    values = _values(column)
    _set(values, one)
    if not isinstance(column, np.ndarray):
        return values
    typed = np.array(values)
    return typed.astype(column.dtype) if np.can_cast(typed.dtype, column.dtype, "same_kind") else np.array(values, dtype=object)


def _values(column: Any) -> list[Any]:
    """The values of a column as a list."""
    if isinstance(column, ArrowColumn):
        texts, codes, _ = column.code()
        return _decoded([*restore(texts, type_of(column)), None], codes)
    return column.tolist() if hasattr(column, "tolist") else list(column)


def _decoded(states: list[Any], codes: np.ndarray) -> list[Any]:
    """Values of codes; every code beyond the states has the last one."""
    last = len(states) - 1
    return [states[min(code, last)] for code in codes.tolist()]


def _whole(one: Fill) -> list[Any]:
    """A column of these values alone."""
    values: list[Any] = [None] * one.size
    _set(values, one)
    return values


def _set(values: list[Any], one: Fill) -> None:
    for row, value in zip(one.rows.tolist(), one.values):
        values[row] = value


def text_frame(columns: Iterable[tuple[str, list[str]]]) -> Any:
    """The text of a file as a frame."""
    return frame(dict(columns))


def _is_path(thing: Any) -> bool:
    return isinstance(thing, (str, os.PathLike))
