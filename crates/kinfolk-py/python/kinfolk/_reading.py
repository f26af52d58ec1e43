"""Data in: read once for many uses, or described."""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _kinfolk, _settings
from ._checks import DataWarning, warn
from ._kinfolk import Data

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import ColumnOrValues, Reading, Tables

_READ = _settings.Settings(_settings.READING)


@_READ
def read(data: Tables, groups: ColumnOrValues = None, **settings: Unpack[Reading]) -> Data:
    """Reads and codes related data sets, once for any number of uses.

    Every function that takes data takes what this one takes, or what it returns.

    Parameters
    ----------
    data : frame, table, array, mapping, list, path or Data
        One table with ``groups``; or a mapping from data set to table; or a list of tables. A table is a pandas or polars frame,
        a pyarrow table or anything else with ``__arrow_c_stream__`` or ``__arrow_c_array__``, a 2-D or structured array, a mapping
        from column to values, or the path of a CSV file. Categories (pandas ``Categorical``, polars ``Enum`` and ``Categorical`` with categories of
        its own, Arrow dictionaries) are states in their order, also those that no row has and whatever they say; then come
        the values that other tables have besides. Other columns take the union of what the data sets hold.
    groups : str or array, optional
        Which data set a row belongs to: a column, or one value per row.
    weights : str or array, optional
        How many rows a row stands for.
    names : list of str, optional
        The names of the columns of 2-D arrays; X1, X2, … if not given.
    columns, ignore : list of str
        The columns to use, or to leave out.
    common_columns : bool
        Keep only the columns that all tables have, instead of refusing tables that differ.
    levels : dict, optional
        Declared states of some columns, in their order.
    discretize : dict, str or list of str
        Bins for numbers, the same in every data set: ``{"age": "quantile:4"}``, ``"all=width:5"``, ``"age=cuts:20,40"``.
    na : list of str, optional
        Texts that mean missing, besides the empty one; NA, NaN and ? if not given, which then are no category's names.
    missing : {"refuse", "drop-rows", "level"}
        Say where values are missing and stop; leave rows out; or make missing a state.
    max_states : int
        The most distinct values of a column that is neither discretised nor declared.
    delimiter : str, optional
        What separates cells in files; found out if not given.

    Returns
    -------
    Data
        With ``variables``, ``data_sets``, ``notes``, ``description``, ``fingerprint``.

    Raises
    ------
    DataError
        With table, row, column, value and the way out.

    Warns
    -----
    DataWarning
        If rows are left out. What else may surprise is in ``notes``.

    Examples
    --------
    >>> import kinfolk
    >>> data = kinfolk.read({"smoker": ["yes", "no", "no"], "site": [1, 1, 2]}, groups="site")
    >>> data.data_sets
    {'1': 2, '2': 1}
    >>> data.variables
    {'smoker': ['no', 'yes']}
    """
    chosen = _READ.complete("read", settings)
    if isinstance(data, Data):
        _refuse_more(groups, settings)
        return data
    found = _kinfolk.read(*_settings.reading(data, groups, chosen))
    if chosen["missing"] == "drop-rows":
        _warn_of_lost_rows(found)
    return found


@_READ
def describe(data: Tables, groups: ColumnOrValues = None, **settings: Unpack[Reading]) -> dict[str, Any]:
    """Says what is understood of data, without refusing missing values: it counts them.

    Parameters
    ----------
    data, groups, …
        The data, as :func:`read` takes them.

    Returns
    -------
    dict
        Dictionaries and lists, as ``kinfolk describe --json`` prints them.

    Examples
    --------
    >>> import kinfolk
    >>> understood = kinfolk.describe({"smoker": ["yes", None, "no"], "age": [41, 52, 67]})
    >>> [(variable["name"], variable["missing"]) for variable in understood["variables"]]
    [('smoker', [1]), ('age', [0])]
    """
    chosen = _READ.complete("describe", settings)
    if isinstance(data, Data):
        _refuse_more(groups, settings)
        return data.description
    return _kinfolk.describe(*_settings.reading(data, groups, chosen))


def take(data: Tables, groups: ColumnOrValues, settings: Mapping[str, Any]) -> Data:
    """Reads with those of a function's settings that are about reading."""
    chosen: Any = {name: value for name, value in settings.items() if name in _settings.READING}
    return read(data, groups, **chosen)


def _refuse_more(groups: ColumnOrValues, settings: Mapping[str, Any]) -> None:
    given = [*([] if groups is None else ["groups"]), *settings]
    if given:
        raise TypeError(f"these data have been read, so {given[0]} comes too late; give it to kinfolk.read")


def _warn_of_lost_rows(data: Data) -> None:
    lost = {one["name"]: one["dropped_rows"] for one in data.description["data_sets"] if one["dropped_rows"] > 0}
    if lost:
        rows = sum(lost.values())
        where = ", ".join(f"{count} of {name}" for name, count in lost.items())
        warn(f"{rows} {'row' if rows == 1 else 'rows'} with missing values left out: {where}", DataWarning)


def _reduce(data: Data) -> tuple[Any, tuple[Any, ...]]:
    return _kinfolk_restore, (data._columns(), data._weights(), data._record())


def _kinfolk_restore(*parts: Any) -> Data:
    return _kinfolk.restore(*parts)


copyreg.pickle(Data, _reduce)
