"""Columns from Python as codes: the texts of a column, and for each row the number of one."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from typing import Any, Optional

import numpy as np

from ._kinfolk import DataError

#: Texts, codes, and whether the texts are all that the column can have.
Coded = tuple[list[str], np.ndarray, bool]


#: Kinds of objects, as pandas calls them, whose values differ if they are spelt differently.
_ALIKE = {"string", "bytes", "boolean", "integer", "floating", "datetime64", "datetime", "date", "empty"}


def package(thing: Any) -> str:
    """The package that a thing's type comes from."""
    return type(thing).__module__.partition(".")[0]


def code(values: Any, na: Optional[Collection[str]] = None) -> Coded:
    """A column as the compiled module takes it. Categories are states, also those that no row has, except those that ``na`` names."""
    codes, uniques, categorical = _code(values)
    spelt = spell_all(uniques)
    if categorical and na is not None:
        spelt = [None if text is not None and text.strip() in na else text for text in spelt]
    texts = [text for text in spelt if text is not None]
    if len(texts) < len(spelt):
        kept = [index for index, text in enumerate(spelt) if text is not None]
        new = np.full(len(spelt) + 1, -1)
        new[kept] = np.arange(len(kept))
        codes = new[codes]
    return texts, pack(np.asarray(codes), len(texts)), categorical


def _code(values: Any) -> tuple[Any, Any, bool]:
    """Codes, what they stand for, and whether that is all there can be; -1 is missing."""
    owner = package(values)
    if owner == "pandas":
        import pandas

        if isinstance(values.dtype, pandas.CategoricalDtype):
            values = values.array if hasattr(values, "array") else values
            return values.codes, values.categories, True
        return (*pandas.factorize(_told_apart(values)), False)
    if owner == "polars":
        return _code_polars(values)
    if owner == "pyarrow":
        return _code_arrow(values)
    return (*_code_array(_array(values)), False)


def _array(values: Any) -> np.ndarray:
    """An array of the values as they are: numpy would make texts of a list of texts and a missing number, and forget a mask."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(object), None)
    array = np.asarray(values)
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)
    return array


def _code_array(values: np.ndarray) -> tuple[np.ndarray, Any]:
    if values.ndim != 1:
        raise DataError(f"a column has one dimension, not {values.ndim}")
    pandas = sys.modules.get("pandas")
    # Hashing is faster than sorting.
    if pandas is not None and values.dtype.kind in "OU":
        codes, uniques = pandas.factorize(_told_apart(values.astype(object)))
        return codes, uniques
    if pandas is not None and values.dtype.kind in "iuM" and values.dtype.isnative:
        codes, uniques = pandas.factorize(values)
        return codes, uniques
    if values.dtype.kind != "O":
        distinct, codes = np.unique(values, return_inverse=True)
        return codes.reshape(-1), distinct
    numbers: dict[str, int] = {}
    spelt = map(spell, values)
    codes = np.fromiter((-1 if text is None else numbers.setdefault(text, len(numbers)) for text in spelt), np.int64, len(values))
    return codes, list(numbers)


def _told_apart(values: Any) -> Any:
    """Values that are equal in Python though a file would spell them differently, such as True and 1, as texts."""
    import pandas

    if values.dtype != object or pandas.api.types.infer_dtype(values, skipna=True) in _ALIKE:
        return values
    return np.array([spell(value) for value in values], dtype=object)


def _code_polars(series: Any) -> tuple[np.ndarray, Any, bool]:
    import polars

    levels = _polars_levels(series)
    if levels is not None:
        codes = series.to_physical()
        return (codes.cast(polars.Int64).fill_null(-1) if codes.null_count() else codes).to_numpy(), levels, True
    if isinstance(series.dtype, polars.Categorical):
        series = series.cast(polars.String)
    elif series.dtype.is_float():
        series = series.fill_nan(None)
    uniques = series.drop_nulls().unique()
    numbers = polars.Series(np.arange(len(uniques), dtype=np.int64))
    codes = series.replace_strict(uniques, numbers, default=None, return_dtype=polars.Int64)
    plain = series.dtype.is_float() or (series.dtype.is_temporal() and not getattr(series.dtype, "time_zone", None))
    known = uniques.to_numpy() if plain and series.dtype not in (polars.Time, polars.Duration) else uniques.to_list()
    return codes.fill_null(-1).to_numpy(), known, False


def _polars_levels(series: Any) -> Optional[list[str]]:
    """The states that a column declares; nothing if it has none of its own, like one of polars' categories for everybody."""
    import polars

    if isinstance(series.dtype, polars.Enum):
        return list(series.dtype.categories)
    if not isinstance(series.dtype, polars.Categorical):
        return None
    categories: Any = getattr(series.dtype, "categories", None)
    # Before polars 1.32 a column had its own list, unless a global cache was asked for.
    own = not categories.is_global() if hasattr(categories, "is_global") else series.cat.is_local()
    if not own:
        return None
    return list(categories.to_series() if hasattr(categories, "to_series") else series.cat.get_categories())


def _code_arrow(array: Any) -> tuple[np.ndarray, Any, bool]:
    import pyarrow

    categorical = pyarrow.types.is_dictionary(array.type)
    if isinstance(array, pyarrow.ChunkedArray):
        array = array.unify_dictionaries() if categorical else array
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    if not categorical:
        array = array.dictionary_encode()
    codes = array.indices.cast(pyarrow.int64()).fill_null(-1) if array.null_count else array.indices
    codes = codes.to_numpy(zero_copy_only=False)
    known, kind = array.dictionary, array.dictionary.type
    is_time = pyarrow.types.is_date(kind) or (pyarrow.types.is_timestamp(kind) and kind.tz is None)
    plain = pyarrow.types.is_floating(kind) or is_time
    return codes, known.to_numpy(zero_copy_only=False) if plain else known.to_pylist(), categorical


def pack(codes: np.ndarray, texts: int) -> np.ndarray:
    """Codes in as few bytes as hold them, copied only if they have more; a missing value has the code after the last."""
    kind = np.dtype(np.uint8 if texts < 1 << 8 else np.uint16 if texts < 1 << 16 else np.uint32)
    if codes.dtype.kind == "i" and len(codes) and codes.min() < 0:
        narrow = codes.astype(kind)
        narrow[codes < 0] = texts
        return narrow
    if codes.dtype.itemsize == kind.itemsize and codes.dtype.isnative:
        # They are not negative, so that they are the same bytes signed and unsigned.
        return codes.view(kind)
    return codes.astype(kind)


def spell_all(values: Any) -> list[Optional[str]]:
    """Distinct values of a column as texts, numbers and times as pandas writes them to a file."""
    dtype = getattr(values, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if kind == "f":
        # Elements of an index would be wide numbers.
        values = np.asarray(values, dtype=getattr(dtype, "numpy_dtype", dtype))
    elif kind == "M":
        times = np.asarray(values)
        if times.dtype.kind == "M":
            return _spell_times(times)
    return [spell(value) for value in values]


def _spell_times(times: np.ndarray) -> list[Optional[str]]:
    """As coarsely as all of them allow: dates without a time of day if none has one."""
    known = times[~np.isnat(times)]
    units = ("D", "s", "ms", "us", "ns")
    unit = next((unit for unit in units if (known.astype(f"M8[{unit}]") == known).all()), "ns")
    exact: Any = times.astype(f"M8[{unit}]")
    texts = np.datetime_as_string(exact).tolist()
    return [None if text == "NaT" else text.replace("T", " ") for text in texts]


def spell(value: Any) -> Optional[str]:
    """A value as the text of its state, the shortest way for numbers; nothing for a missing one."""
    if isinstance(value, str):
        return value
    if value is None or value is getattr(sys.modules.get("pandas"), "NA", None):
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if math.isnan(number):
            return None
        if number.is_integer() and abs(number) < 1e15:
            return str(int(number))
        # Narrower numbers have shorter spellings of their own.
        return repr(number) if isinstance(value, float) else str(value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.datetime64):
        return _spell_times(np.array([value]))[0]
    text = str(value)
    return None if text == "NaT" else text
