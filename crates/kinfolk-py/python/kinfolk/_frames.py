"""Tables from Python as coded columns: the texts of a column, and for each row the number of one. And the way back."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np


def gather(
    data: Any, groups: Any = None, weights: Any = None, names: Optional[Sequence[str]] = None
) -> tuple[list[Any], Optional[str], Optional[str]]:
    """The sources that the compiled module takes, and the names of the columns that group and weigh the rows."""
    named, one = _named_tables(data, names)
    roles = []
    for role, argument in ((groups, "groups"), (weights, "weights")):
        if role is None or isinstance(role, str):
            roles.append(role)
            continue
        if not one or _is_path(named[0][1]):
            raise TypeError(f"an array of {argument} needs one table in memory; otherwise name a column")
        name, columns = named[0]
        taken = {column for column, _ in columns}
        label = argument
        while label in taken:
            label += "_"
        named = [(name, [*columns, (label, role)])]
        roles.append(label)
    return [_source(name, table) for name, table in named], roles[0], roles[1]


def _source(name: Optional[str], table: Any) -> Any:
    if _is_path(table):
        return os.fspath(table)
    return name, [(column, *code(values)) for column, values in table]


def _named_tables(data: Any, names: Optional[Sequence[str]]) -> tuple[list[tuple[Optional[str], Any]], bool]:
    """Pairs of a name and a path or a list of columns; and whether they are one table."""
    if _is_path(data):
        return [(None, data)], True
    if isinstance(data, Mapping) and not _is_table(data):
        return [(str(name), _columns_or_path(table, names)) for name, table in data.items()], False
    if isinstance(data, (list, tuple)) and data and all(_is_path(item) or _is_table(item) for item in data):
        return [(str(number), _columns_or_path(table, names)) for number, table in enumerate(data, 1)], False
    return [("data", columns(data, names))], True


def _columns_or_path(table: Any, names: Optional[Sequence[str]]) -> Any:
    return table if _is_path(table) else columns(table, names)


def _is_path(thing: Any) -> bool:
    return isinstance(thing, (str, os.PathLike))


def _is_table(thing: Any) -> bool:
    if isinstance(thing, Mapping):
        return bool(thing) and all(not isinstance(v, Mapping) and not _is_path(v) and not _is_table(v) for v in thing.values())
    if isinstance(thing, np.ndarray):
        return thing.ndim == 2 or thing.dtype.names is not None
    if _package(thing) in ("pandas", "polars", "pyarrow"):
        return not hasattr(thing, "dtype") and not (_package(thing) == "pyarrow" and not hasattr(thing, "column_names"))
    return hasattr(thing, "__arrow_c_stream__")


def _package(thing: Any) -> str:
    return type(thing).__module__.partition(".")[0]


def columns(table: Any, names: Optional[Sequence[str]] = None) -> list[tuple[str, Any]]:
    """The columns of one table as pairs of name and values."""
    package = _package(table)
    if isinstance(table, Mapping):
        return [(str(name), values) for name, values in table.items()]
    if isinstance(table, np.ndarray):
        if table.dtype.names is not None:
            return [(name, table[name]) for name in table.dtype.names]
        if table.ndim == 2:
            if names is None:
                names = [f"X{number}" for number in range(1, table.shape[1] + 1)]
            if len(names) != table.shape[1]:
                raise ValueError(f"there are {len(names)} names for {table.shape[1]} columns")
            return [(str(name), table[:, index]) for index, name in enumerate(names)]
    elif package == "pandas" and hasattr(table, "columns"):
        return [(str(name), series) for name, series in table.items()]
    elif package == "polars" and (hasattr(table, "collect") or hasattr(table, "get_columns")):
        table = table.collect() if hasattr(table, "collect") else table
        return [(series.name, series) for series in table.get_columns()]
    elif package == "pyarrow" and hasattr(table, "column_names"):
        return [(name, table.column(index)) for index, name in enumerate(table.column_names)]
    elif hasattr(table, "__arrow_c_stream__"):
        import pyarrow

        return columns(pyarrow.table(table), names)
    raise TypeError(
        f"cannot take data from {type(table).__name__}: give a pandas or polars frame, a pyarrow table, a 2-D array, "
        "a mapping of columns, a mapping or list of such tables, or paths of files"
    )


def code(values: Any) -> tuple[list[str], bytes, int, bool]:
    """Texts, codes as bytes, bytes per code, and whether the texts are all that the column can have."""
    package = _package(values)
    categorical = False
    if package == "pandas":
        import pandas

        if isinstance(values.dtype, pandas.CategoricalDtype):
            values = values.array if hasattr(values, "array") else values
            uniques, codes, categorical = list(values.categories), values.codes, True
        else:
            codes, uniques = pandas.factorize(values)
    elif package == "polars":
        codes, uniques, categorical = _code_polars(values)
    elif package == "pyarrow":
        codes, uniques, categorical = _code_arrow(values)
    else:
        codes, uniques = _code_array(_array(values))
    spelt = [spell(value) for value in uniques]
    texts = [text for text in spelt if text is not None]
    if len(texts) < len(spelt):
        kept = [index for index, text in enumerate(spelt) if text is not None]
        new = np.full(len(spelt) + 1, -1)
        new[kept] = np.arange(len(kept))
        codes = new[codes]
    return (texts, *_pack(np.asarray(codes), len(texts)), categorical)


def _array(values: Any) -> np.ndarray:
    """An array of the values as they are: numpy would make texts of a list of texts and a missing number, and forget a mask."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.astype(object).filled(None)
    array = np.asarray(values)
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)
    return array


def _code_array(values: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    if values.ndim != 1:
        raise ValueError(f"a column has one dimension, not {values.ndim}")
    pandas = sys.modules.get("pandas")
    if pandas is not None and values.dtype.kind in "OU":
        # Hashing is faster than sorting texts.
        codes, uniques = pandas.factorize(values.astype(object))
        return codes, list(uniques)
    if values.dtype.kind != "O":
        distinct, codes = np.unique(values, return_inverse=True)
        return codes.reshape(-1), distinct.tolist()
    numbers: dict[Any, int] = {}
    codes = np.fromiter((-1 if spell(v) is None else numbers.setdefault(v, len(numbers)) for v in values), np.int64, len(values))
    return codes, list(numbers)


def _code_polars(series: Any) -> tuple[np.ndarray, list[Any], bool]:
    import polars

    if isinstance(series.dtype, polars.Enum):
        categories = series.dtype.categories.to_list()
        return series.to_physical().cast(polars.Int64).fill_null(-1).to_numpy(), categories, True
    if series.dtype == polars.Categorical:
        series = series.cast(polars.String)
    elif series.dtype.is_float():
        series = series.fill_nan(None)
    uniques = series.drop_nulls().unique()
    numbers = polars.Series(np.arange(len(uniques), dtype=np.int64))
    codes = series.replace_strict(uniques, numbers, default=None, return_dtype=polars.Int64)
    return codes.fill_null(-1).to_numpy(), uniques.to_list(), False


def _code_arrow(array: Any) -> tuple[np.ndarray, list[Any], bool]:
    import pyarrow

    categorical = pyarrow.types.is_dictionary(array.type)
    if isinstance(array, pyarrow.ChunkedArray):
        array = array.unify_dictionaries() if categorical else array
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    if not categorical:
        array = array.dictionary_encode()
    codes = array.indices.cast(pyarrow.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, array.dictionary.to_pylist(), categorical


def _pack(codes: np.ndarray, texts: int) -> tuple[bytes, int]:
    """Codes in as few bytes as hold them; a missing value has the code after the last."""
    width = 1 if texts < 1 << 8 else 2 if texts < 1 << 16 else 4
    if codes.dtype.kind == "i" and len(codes) and codes.min() < 0:
        narrow = codes.astype(f"<u{width}")
        narrow[codes < 0] = texts
    elif codes.dtype.itemsize == width and sys.byteorder == "little":
        # They are not negative, so that they are the same bytes signed and unsigned.
        narrow = codes
    else:
        narrow = codes.astype(f"<u{width}")
    return narrow.tobytes(), width


def spell(value: Any) -> Optional[str]:
    """A value as the text of its state, the shortest way for numbers; nothing for a missing one."""
    if isinstance(value, str):
        return value
    if value is None or value is getattr(sys.modules.get("pandas"), "NA", None):
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)):
        if math.isnan(value):
            return None
        value = float(value)
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bytes):
        return value.decode()
    text = str(value)
    return None if text == "NaT" else text


def decode(columns: Sequence[tuple[str, list[str], bytes, int]], names: Sequence[str], starts: Sequence[int]) -> dict[str, Any]:
    """Coded rows as a mapping from data set to frame; categorical where there is pandas, arrays of texts otherwise."""
    pandas = pandas_or_none()
    frames = {}
    for index, name in enumerate(names):
        rows = slice(starts[index], starts[index + 1])
        frame = {}
        for column, states, coded, width in columns:
            codes = np.frombuffer(coded, f"<u{width}")[rows]
            if pandas is None:
                frame[column] = np.asarray(states)[codes]
            else:
                frame[column] = pandas.Categorical.from_codes(codes.astype(np.int32), states)
        frames[name] = frame if pandas is None else pandas.DataFrame(frame)
    return frames


def pandas_or_none() -> Any:
    """pandas, if it is installed."""
    try:
        import pandas
    except ImportError:
        return None
    return pandas


def frame(columns: Mapping[str, Any], index: Optional[Mapping[str, Any]] = None) -> Any:
    """A pandas frame, or the mapping of columns itself where there is no pandas."""
    pandas = pandas_or_none()
    if pandas is None:
        return {**({} if index is None else index), **columns}
    if index is None:
        return pandas.DataFrame(columns)
    names = list(index)
    rows = pandas.MultiIndex.from_arrays(list(index.values()), names=names) if len(names) > 1 else pandas.Index(index[names[0]], name=names[0])
    return pandas.DataFrame(columns, index=rows)
