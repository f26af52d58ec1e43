"""Results as pandas frames, or as mappings of columns where pandas is not installed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Optional

import numpy as np

from .columns import package


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with as many ``_`` appended as make it unused."""
    known = {one.strip() for one in taken}
    while name in known:
        name += "_"
    return name


def decode(columns: Sequence[tuple[str, list[Any], bytes, int]], names: Sequence[Any], starts: Sequence[int]) -> dict[Any, Any]:
    """Coded rows as one frame per data set; categorical columns with pandas, arrays of states without."""
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


def series(values: np.ndarray, name: str, rows: Any) -> Any:
    """One value per row in the package of the table ``rows``: a polars or pandas series, otherwise an array."""
    owner, listed = package(rows), values.tolist()
    if owner == "polars":
        import polars

        return polars.Series(name, listed)
    typed = values if any(value is None or isinstance(value, str) for value in listed) else np.array(listed)
    if owner == "pandas":
        import pandas

        return pandas.Series(typed, name=name, index=getattr(rows, "index", None))
    return typed


def labelled(columns: Mapping[Any, np.ndarray], rows: Any) -> Any:
    """Columns as a frame in the package of the table ``rows``: polars, otherwise pandas, with the index of ``rows``."""
    owner = package(rows)
    if owner == "polars":
        import polars

        def spelt(name: Any) -> str:
            return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)

        return polars.DataFrame({spelt(name): values for name, values in columns.items()})
    pandas = pandas_or_none()
    if pandas is None:
        return dict(columns)
    index = getattr(rows, "index", None) if owner == "pandas" else None
    return pandas.DataFrame(columns, index=index, copy=True)


def with_ends(labels: Sequence[Any], values: np.ndarray, ends: np.ndarray) -> dict[tuple[Any, str], np.ndarray]:
    """Columns with credible intervals: pairs of a label and ``probability``, ``low`` or ``high``."""
    columns = {}
    for place, label in enumerate(labels):
        columns[label, "probability"] = values[:, place]
        columns[label, "low"] = ends[:, place, 0]
        columns[label, "high"] = ends[:, place, 1]
    return columns


def pandas_or_none() -> Any:
    """pandas, if it is installed."""
    try:
        import pandas
    except ImportError:
        return None
    return pandas


def frame(columns: Mapping[Any, Any], index: Optional[Mapping[str, Any]] = None) -> Any:
    """A pandas frame; without pandas a mapping of columns, in which a column named like an index level gets a ``_``."""
    pandas = pandas_or_none()
    if pandas is None:
        index = {} if index is None else index
        return {**index, **{free_name(str(name), index): values for name, values in columns.items()}}
    if index is None:
        return pandas.DataFrame(columns)
    names = list(index)
    if len(names) > 1:
        rows = pandas.MultiIndex.from_arrays(list(index.values()), names=names)
    else:
        rows = pandas.Index(index[names[0]], name=names[0])
    return pandas.DataFrame(columns, index=rows)
