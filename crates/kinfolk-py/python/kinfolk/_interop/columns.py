"""Columns as codes: the distinct values of a column as texts, and for every row the index of its value."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from typing import Any, Optional, Union

import numpy as np

from .._arguments.checks import is_utf8, warn
from .._kinfolk import ArrowColumn, ArrowTable, take_arrow
from ..exceptions import DataError, DataWarning

#: Texts, codes, and whether the column is categorical: its texts are all its states.
Coded = tuple[list[str], np.ndarray, bool]

#: Results of pandas' `infer_dtype` for which equal values are spelt equally.
_ALIKE = {"string", "bytes", "boolean", "integer", "floating", "datetime64", "datetime", "date", "empty"}


def package(thing: Any) -> str:
    """The top-level package of an object's type; pandas or polars for a subclass of one of their types."""
    packages = [base.__module__.partition(".")[0] for base in type(thing).__mro__]
    return next((name for name in packages if name in ("pandas", "polars")), packages[0])


def take(thing: Any) -> Any:
    """Imports Arrow data into the compiled module without a copy, as a table or a column; returns other objects unchanged."""
    owner = package(thing)
    objects: list[str] = []
    if owner == "polars":
        thing = _with_levels(thing.collect() if hasattr(thing, "collect") else thing)
        objects = [one.name for one in _series(thing) if type(getattr(one, "dtype", None)).__name__ == "Object"]
    elif owner == "pandas":
        # A pandas frame is read array by array; only arrays of ArrowDtype hold Arrow data.
        if type(getattr(thing, "dtype", None)).__name__ != "ArrowDtype":
            return thing
        thing = getattr(thing, "array", thing).__arrow_array__()
    methods = (getattr(thing, method, None) for method in ("__arrow_c_stream__", "__arrow_c_array__"))
    if isinstance(thing, type) or not any(map(callable, methods)):
        return thing
    taken = take_arrow(thing, objects)
    if _is_empty(taken) and not hasattr(thing, "__len__") and not hasattr(thing, "num_rows"):
        warn(f"the Arrow stream of {type(thing).__name__} has no rows; if it has been read before, create a new one", DataWarning)
    return taken


def _is_empty(taken: Union[ArrowTable, ArrowColumn]) -> bool:
    if isinstance(taken, ArrowTable):
        return all(len(column) == 0 for _, column in taken.columns())
    return len(taken) == 0


def _series(thing: Any) -> list[Any]:
    """The columns of a polars frame, or the one series itself."""
    return list(thing.get_columns()) if hasattr(thing, "get_columns") else [thing]


def _with_levels(thing: Any) -> Any:
    """Casts polars Categoricals with their own categories to Enums: exported to Arrow they would lose unobserved categories."""
    series = _series(thing)
    levels = {one.name: own for one in series if (own := _own_categories(one)) is not None}
    if not levels:
        return thing
    import polars

    if thing is series[0]:
        return thing.cast(polars.Enum(levels[thing.name]))
    return thing.with_columns(thing[name].cast(polars.Enum(own)) for name, own in levels.items())


def _own_categories(series: Any) -> Any:
    """The categories of a polars Categorical; None for other types and for the global string cache."""
    if type(getattr(series, "dtype", None)).__name__ != "Categorical":
        return None
    categories: Any = getattr(series.dtype, "categories", None)
    if hasattr(categories, "is_global"):
        return None if categories.is_global() else categories.to_series()
    # Before polars 1.32 a column had its own list unless the global string cache was enabled.
    return series.cat.get_categories() if series.cat.is_local() else None


def code(values: Any, na: Optional[Collection[str]] = None) -> Coded:
    """A column as texts and codes. All categories are states, observed or not, except those in ``na``."""
    values = take(values)
    if isinstance(values, ArrowColumn):
        return values.code()
    codes, uniques, categorical = _code(values)
    spelt = spell_all(uniques)
    if categorical and na is not None:
        spelt = [None if text is not None and text.strip() in na else text for text in spelt]
    texts = [text for text in spelt if text is not None]
    broken = next((text for text in texts if not is_utf8(text)), None)
    if broken is not None:
        raise DataError(f"{broken!r} has a lone surrogate, which decoding of invalid UTF-8 produces; correct the text")
    if len(texts) < len(spelt):
        kept = [index for index, text in enumerate(spelt) if text is not None]
        new = np.full(len(spelt) + 1, -1)
        new[kept] = np.arange(len(kept))
        codes = new[codes]
    return texts, pack(np.asarray(codes), len(texts)), categorical


def _code(values: Any) -> tuple[Any, Any, bool]:
    """Codes, their values, and whether the column is categorical; the code -1 is missing."""
    owner = package(values)
    if owner == "pandas":
        import pandas

        if isinstance(values.dtype, pandas.CategoricalDtype):
            values = values.array if hasattr(values, "array") else values
            return values.codes, values.categories, True
        return (*pandas.factorize(_distinct_texts(values)), False)
    return (*_code_array(_array(values)), False)


def _array(values: Any) -> np.ndarray:
    """An array that keeps missing values: numpy alone would turn None among texts into text, and drop a mask."""
    if isinstance(values, np.ma.MaskedArray):
        # The data under the mask are not values.
        objects = np.array(values.data, dtype=object)
        objects[np.ma.getmaskarray(values)] = None
        values = objects
    array = np.asarray(values)
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)
    return array


def _code_array(values: np.ndarray) -> tuple[np.ndarray, Any]:
    if values.ndim != 1:
        raise DataError(f"a column has one dimension, not {values.ndim}")
    pandas = sys.modules.get("pandas")
    # pandas hashes, which is faster than the sort of numpy.
    if pandas is not None and values.dtype.kind in "OU":
        codes, uniques = pandas.factorize(_distinct_texts(values.astype(object)))
        return codes, uniques
    if pandas is not None and values.dtype.kind in "iuM" and values.dtype.isnative:
        codes, uniques = pandas.factorize(values)
        return codes, uniques
    if values.dtype.kind != "O":
        distinct, codes = np.unique(values, return_inverse=True)
        return codes.reshape(-1), distinct
    numbers: dict[str, int] = {}
    spelt = spell_mixed(values)
    codes = np.fromiter((-1 if text is None else numbers.setdefault(text, len(numbers)) for text in spelt), np.int64, len(values))
    return codes, list(numbers)


def _distinct_texts(values: Any) -> Any:
    """Converts mixed values to texts, so that values equal in Python but spelt differently (True and 1) stay distinct."""
    import pandas

    if values.dtype != object or pandas.api.types.infer_dtype(values, skipna=True) in _ALIKE:
        return values
    return np.array(spell_mixed(values), dtype=object)


def pack(codes: np.ndarray, texts: int) -> np.ndarray:
    """Codes in the narrowest unsigned type, without a copy if possible; a missing value has the code after the last."""
    kind = np.dtype(np.uint8 if texts < 1 << 8 else np.uint16 if texts < 1 << 16 else np.uint32)
    if codes.dtype.kind == "i" and len(codes) and codes.min() < 0:
        narrow = codes.astype(kind)
        narrow[codes < 0] = texts
        return narrow
    if codes.dtype.itemsize == kind.itemsize and codes.dtype.isnative:
        # None is negative, so signed and unsigned have the same bytes.
        return codes.view(kind)
    return codes.astype(kind)


def spell_all(values: Any) -> list[Optional[str]]:
    """Distinct values of a column as texts; numbers and times as pandas writes them to CSV."""
    dtype = getattr(values, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if kind == "f":
        # Iterating an Index would widen the floats.
        values = np.asarray(values, dtype=getattr(dtype, "numpy_dtype", dtype))
    elif kind == "M":
        times = np.asarray(values)
        if times.dtype.kind == "M":
            return _spell_times(times)
    return [spell(value) for value in values]


def spell_mixed(values: Any) -> list[Optional[str]]:
    """Values of mixed types as texts; beside strings, 2.0 stays '2.0', as in CSV."""
    values = list(values)
    words = any(isinstance(value, (str, bool, np.bool_)) for value in values)
    spelt = [spell(value) for value in values]
    if not words:
        return spelt
    floats = (float, np.floating)
    return [str(value) if isinstance(value, floats) and text is not None else text for value, text in zip(values, spelt)]


def _spell_times(times: np.ndarray) -> list[Optional[str]]:
    """Times in the coarsest unit that is exact for all: dates if none has a time of day."""
    known = times[~np.isnat(times)]
    units = ("D", "s", "ms", "us", "ns")
    unit = next((unit for unit in units if (known.astype(f"M8[{unit}]") == known).all()), "ns")
    exact: Any = times.astype(f"M8[{unit}]")
    texts = np.datetime_as_string(exact).tolist()
    return [None if text == "NaT" else text.replace("T", " ") for text in texts]


def spell(value: Any) -> Optional[str]:
    """The text of a state, the shortest one for numbers; None for a missing value."""
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
        # A float32 has a shorter decimal form than the float64 of equal value.
        return repr(number) if isinstance(value, float) else str(value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.datetime64):
        return _spell_times(np.array([value]))[0]
    text = str(value)
    return None if text == "NaT" else text
