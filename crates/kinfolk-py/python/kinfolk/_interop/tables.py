"""Tables as sources for the compiled module: one table or several, with their group and weight columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from .._arguments.checks import is_utf8
from .._kinfolk import ArrowColumn, ArrowTable, Data
from ..exceptions import DataError, KinfolkError, SettingsError, WrongTypeError
from .columns import Coded, code, package, take
from .frames import free_name
from .types import common, type_of

#: The state of missing values with missing="level".
MISSING = "(missing)"


#: Between the values of several group columns in the name of a data set, and between the names of these columns.
JOINT = "/"


class Gathered(NamedTuple):
    """Tables in the form of the compiled module."""

    sources: list[Any]
    #: The names of the group, weight and id columns.
    group: Optional[str]
    weight: Optional[str]
    id: Optional[str]
    #: Whether the data are a single table.
    one: bool
    #: What results record of the tables: the types of values and data set names, and the names of several group columns.
    record: dict[str, Any]


def gather(
    data: Any,
    groups: Any = None,
    weights: Any = None,
    names: Optional[Sequence[str]] = None,
    na: Optional[Collection[str]] = None,
    remembered: Union[str, Sequence[str], None] = None,
    subjects: Any = None,
) -> Gathered:
    """The sources of the compiled module.

    Without ``groups``, a single table in memory with the columns ``remembered`` is grouped by them.
    """
    data, groups = ungroup(data, groups)
    if names is not None and not _has_array(data):
        raise SettingsError("names names the columns of 2-D arrays, but all tables have column names; rename their columns instead")
    named, one = _named_tables(data, names)
    in_memory = one and not _is_path(named[0][1])
    if groups is None and in_memory and remembered is not None:
        wanted = [remembered] if isinstance(remembered, str) else list(remembered)
        if set(wanted) <= {column.strip() for column, _ in named[0][1]}:
            groups = remembered
    record: dict[str, Any] = {}
    if in_memory and (several := _several_columns(groups, named[0][1])):
        record["group_columns"] = several
        named = [(named[0][0], _joined(named[0][1], several))]
        groups = JOINT.join(several)
    roles = []
    for role, argument in ((groups, "groups"), (weights, "weights"), (subjects, "id")):
        if role is None or isinstance(role, str):
            roles.append(role)
            continue
        kind = "a mapping" if isinstance(role, Mapping) else type(role).__name__
        # Reorder by the index first: Arrow data have none.
        role = take(_in_order(role, data))
        if not isinstance(role, ArrowColumn) and _is_neither_name_nor_values(role):
            raise WrongTypeError(f"{argument} takes the name of a column or one value per row, not {kind}")
        if not isinstance(role, ArrowColumn) and np.ndim(role) == 0:
            roles.append(str(role))
            continue
        if not in_memory:
            raise WrongTypeError(f"an array of {argument} needs one table in memory; otherwise name a column")
        name, columns = named[0]
        label = free_name(argument, [column for column, _ in columns])
        named = [(name, [*columns, (label, role)])]
        roles.append(label)
    record.update(_types(named, roles[0], data if not one and isinstance(data, Mapping) else ()))
    return Gathered([_source(name, table, na) for name, table in named], roles[0], roles[1], roles[2], one, record)


def ungroup(data: Any, groups: Any) -> tuple[Any, Any]:
    """The table of a pandas or polars groupby object with the columns that it groups by, or its tables by key."""
    if package(data) not in ("pandas", "polars") or type(data).__name__ not in ("DataFrameGroupBy", "GroupBy"):
        return data, groups
    if groups is not None:
        raise WrongTypeError("the data are already grouped, so groups does not apply; leave it out, or give the table itself")
    table, keys = (data.obj, data.keys) if package(data) == "pandas" else (data.df, list(data.by))
    keys = keys if isinstance(keys, list) else [keys]
    if all(isinstance(key, (str, int)) and key in table.columns for key in keys):
        return table, keys if len(keys) > 1 else str(keys[0])
    parts = list(data)
    named = [JOINT.join(map(str, key)) if isinstance(key, tuple) else key for key, _ in parts]
    return dict(zip(named, (part for _, part in parts))), None


def _several_columns(groups: Any, table: Any) -> Optional[list[str]]:
    """The group columns if ``groups`` is a list of names of columns, not one value per row."""
    if not isinstance(groups, (list, tuple)) or not groups:
        return None
    rows = len(table[0][1]) if table else 0
    known = {column.strip() for column, _ in table}
    wanted = [str(name) for name in groups]
    return wanted if len(groups) != rows and set(wanted) <= known and len(set(wanted)) == len(wanted) else None


def _joined(table: list[tuple[str, Any]], several: list[str]) -> list[tuple[str, Any]]:
    """A table in which one column has the joint values of several; a missing value in one makes the joint value missing."""
    label = JOINT.join(several)
    by_name = {column.strip(): values for column, values in table}
    if label in by_name:
        raise DataError(f"the column `{label}` already exists, and groups={several!r} would create it; rename it")
    texts = []
    for column in several:
        spelt, codes, _ = code(by_name[column])
        texts.append(np.array([*spelt, None], dtype=object)[codes])
    joint = np.array([None if None in row else JOINT.join(row) for row in zip(*texts)], dtype=object)
    return [*((column, values) for column, values in table if column.strip() not in several), (label, joint)]


def _types(named: Sequence[tuple[Optional[str], Any]], group: Optional[str], keys: Collection[Any]) -> dict[str, Any]:
    """The types of columns that are not texts, and that of the names of the data sets."""
    tables = [dict(table) for _, table in named if not _is_path(table)]
    if len(tables) < len(named):
        return {}
    columns = {column for table in tables for column in table}
    types = {column.strip(): common(type_of(table[column]) for table in tables if column in table) for column in sorted(columns)}
    names = types.pop(group, None) if group is not None else common(map(type_of, ([key] for key in keys)))
    found = {column: kind for column, kind in types.items() if kind is not None}
    return {**({"types": found} if found else {}), **({} if names is None else {"type_of_data_sets": names})}


def _has_array(data: Any) -> bool:
    """Whether one of the tables is an array without column names."""
    tables = data.values() if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else [data]
    return any(isinstance(table, np.ndarray) and table.ndim == 2 for table in tables)


def _is_neither_name_nor_values(role: Any) -> bool:
    """Whether this is a table, an unordered collection, an iterator, or a polars expression."""
    others = (Mapping, set, frozenset, bytes, bytearray, Iterator, ArrowTable, type)
    return isinstance(role, others) or hasattr(role, "columns") or package(role) == "polars"


def _in_order(role: Any, data: Any) -> Any:
    """Reorders a pandas series whose index is a permutation of that of the frame."""
    ours, theirs = getattr(role, "index", None), getattr(data, "index", None)
    if package(role) != "pandas" or package(data) != "pandas" or ours is None or theirs is None or ours.equals(theirs):
        return role
    permuted = len(ours) == len(theirs) and ours.is_unique and theirs.is_unique and ours.isin(theirs).all()
    return role.reindex(theirs) if permuted and hasattr(role, "reindex") else role


def gather_read(data: Data, variables: Mapping[str, list[str]]) -> tuple[list[Any], Optional[str]]:
    """The rows of :class:`Data` as sources for a network with these variables, and the name of the weight column."""
    coded, names, starts = data._columns()
    weights = data._weights()
    label = None if weights is None else free_name("weights", [column for column, *_ in coded])
    sources = []
    for index, name in enumerate(names):
        start, end = starts[index], starts[index + 1]
        columns = []
        for column, states, codes, width in coded:
            if column in variables and MISSING not in variables[column] and states[-1] == MISSING:
                # A code without a text means missing.
                states = states[:-1]
            columns.append((column, states, np.frombuffer(codes, f"u{width}")[start:end], True))
        if label is not None and weights is not None:
            columns.append((label, *code(np.array(weights[start:end], dtype=np.uint64))))
        sources.append((name, columns))
    return sources, label


def _source(name: Optional[str], table: Any, na: Optional[Collection[str]]) -> Any:
    if _is_path(table):
        path = os.fspath(table)
        _refuse_other_formats(path)
        return path if name is None else (name, path)
    return name, [(column, *_coded(column, values, na)) for column, values in table]


#: First bytes of binary formats, their names, and functions that read them.
_OTHER_FORMATS = {
    b"PAR1": ("a Parquet file", "pandas.read_parquet, polars.read_parquet or pyarrow.parquet.read_table"),
    b"ARROW1": ("an Arrow file", "pandas.read_feather, polars.read_ipc or pyarrow.feather.read_table"),
    b"ORC": ("an ORC file", "pandas.read_orc or pyarrow.orc.read_table"),
    b"PK\x03\x04": ("a workbook or an archive", "pandas.read_excel or polars.read_excel"),
}


def _refuse_other_formats(path: Any) -> None:
    try:
        with open(path, "rb") as file:
            begins = file.read(6)
    except OSError:
        # The reader reports the error.
        return
    for beginning, (kind, readers) in _OTHER_FORMATS.items():
        if begins.startswith(beginning):
            raise DataError(f"{path} is {kind}, and paths are those of CSV files; read it first, with {readers}, and give the table")


def _coded(column: str, values: Any, na: Optional[Collection[str]]) -> Union[Coded, tuple[ArrowColumn]]:
    """A column as codes, or as Arrow data, which the compiled module encodes."""
    try:
        values = take(values)
        return (values,) if isinstance(values, ArrowColumn) else code(values, _of_column(column, na))
    except WrongTypeError:
        raise
    except KinfolkError as error:
        said = str(error)
        raise type(error)(said if said.startswith("column `") else f"column `{column}`: {said}") from None
    except Exception as error:
        # Errors of pandas or numpy, for example on values that do not compare, with the name of the column.
        raise DataError(f"column `{column}`: its values cannot be read as states ({error}); give texts or numbers") from error


def _of_column(column: str, na: Optional[Collection[str]]) -> Optional[list[str]]:
    """The values that mean missing in one column: those of all columns, and its own, written ``column=value``."""
    if na is None:
        return None
    own = f"{column.strip()}="
    return [*na, *(entry[len(own) :].strip() for entry in na if entry.startswith(own))]


def _named_tables(data: Any, names: Optional[Sequence[str]]) -> tuple[list[tuple[Optional[str], Any]], bool]:
    """Pairs of a name and a path or a list of columns, and whether the data are a single table."""
    if _is_path(data):
        return [(None, data)], True
    given = data
    if isinstance(data, Mapping):
        data = dict(zip(data, _take_each(data.values())))
        if not is_table(data):
            return [(str(name), _columns_or_path(table, names)) for name, table in data.items()], False
    if isinstance(data, (list, tuple)):
        data = _take_each(data)
        if all(_is_path(item) or is_table(item) for item in data):
            numbered = enumerate(data, 1)
            return [(None if _is_path(table) else str(number), _columns_or_path(table, names)) for number, table in numbered], False
    data = take(data)
    if isinstance(data, ArrowColumn):
        raise WrongTypeError(f"{type(given).__name__} is one column without a name; give a table, or a mapping from its name to it")
    return [("data", columns(data, names))], True


def _take_each(things: Iterable[Any]) -> list[Any]:
    """Imports every object once, even if it is given twice: a stream can be read only once."""
    things = list(things)
    taken = {id(one): take(one) for one in {id(one): one for one in things}.values()}
    return [taken[id(one)] for one in things]


def _columns_or_path(table: Any, names: Optional[Sequence[str]]) -> Any:
    return table if _is_path(table) else columns(table, names)


def _is_path(thing: Any) -> bool:
    return isinstance(thing, (str, os.PathLike))


def is_table(thing: Any) -> bool:
    """Whether this is one table in memory, not several."""
    if isinstance(thing, Mapping):
        return bool(thing) and all(not isinstance(v, Mapping) and not _is_path(v) and not is_table(v) for v in thing.values())
    if isinstance(thing, np.ndarray):
        return thing.ndim == 2 or thing.dtype.names is not None
    return isinstance(thing, ArrowTable) or (package(thing) == "pandas" and not hasattr(thing, "dtype"))


def columns(table: Any, names: Optional[Sequence[str]] = None) -> list[tuple[str, Any]]:
    """The columns of a table as pairs of name and values; names are unique."""
    found = _columns(table, names)
    seen: set[str] = set()
    for name, _ in found:
        if not is_utf8(name):
            raise DataError(f"the name of the column {name!r} has a lone surrogate, which decoding of invalid UTF-8 produces; rename it")
        if name in seen:
            raise DataError(f"two columns are named `{name}`; rename one")
        seen.add(name)
    return found


def _columns(table: Any, names: Optional[Sequence[str]]) -> list[tuple[str, Any]]:
    if isinstance(table, Mapping):
        return [(str(name), values) for name, values in table.items()]
    if isinstance(table, np.ndarray):
        if table.dtype.names is not None:
            return [(name, table[name]) for name in table.dtype.names]
        if table.ndim == 2:
            if names is None:
                names = [f"X{number}" for number in range(1, table.shape[1] + 1)]
            if len(names) != table.shape[1]:
                raise DataError(f"there are {len(names)} names for {table.shape[1]} columns")
            return [(str(name), table[:, index]) for index, name in enumerate(names)]
    elif package(table) == "pandas" and hasattr(table, "columns"):
        # The arrays themselves if pandas offers them: making a series of each would dominate the time.
        arrays = getattr(table, "_iter_column_arrays", None)
        if arrays is None:
            return [(str(name), series) for name, series in table.items()]
        return list(zip(map(str, table.columns), arrays()))
    elif isinstance(table, ArrowTable):
        return table.columns()
    raise WrongTypeError(
        f"cannot take data from {type(table).__name__}: give a pandas or polars frame, a pyarrow table, a 2-D array, "
        "a mapping of columns, a mapping or list of such tables, or paths of files"
    )
