"""Reading of data: related data sets from frames, tables, arrays and files."""

from __future__ import annotations

import copyreg
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

from . import _kinfolk
from ._arguments import settings
from ._arguments.checks import warn
from ._arguments.signatures import changed, suggest
from ._interop import tables
from ._kinfolk import Data
from .exceptions import DataWarning

if TYPE_CHECKING:
    from ._typing import ColumnOrValues, Columns, Missing, Rules, Tables

__all__ = ["Data", "describe", "read"]


@suggest
def read(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
    weights: ColumnOrValues = None,
    id: ColumnOrValues = None,
    id_seed: int = 1,
    names: Optional[Sequence[str]] = None,
    columns: Optional[Columns] = None,
    ignore: Columns = (),
    common_columns: bool = False,
    levels: Optional[Mapping[Any, Sequence[Any]]] = None,
    discretize: Rules = (),
    na: Optional[Sequence[Any]] = None,
    missing: Missing = "refuse",
    max_states: int = 50,
    delimiter: Optional[str] = None,
) -> Data:
    """Read and encode related data sets.

    Every function that takes data accepts the same arguments, or the returned :class:`Data`.

    Parameters
    ----------
    data : frame, table, array, mapping, list, path or Data
        One table with ``groups``; or a mapping from data set to table; or a list of tables. A table is a pandas or polars
        frame, a pyarrow table or another object with ``__arrow_c_stream__`` or ``__arrow_c_array__``, a 2-D or structured
        array, a mapping from column to values, or the path of a CSV file. Categories (pandas ``Categorical``, polars
        ``Enum`` and ``Categorical`` with its own categories, Arrow dictionaries) are states in their order, observed or
        not; values that only other tables have follow them. The states of other columns are the union over all data sets.
        ``frame.groupby("site")`` and ``frame.group_by("site")`` are the frame with ``groups="site"``.
    groups : str, list of str or array, optional
        The data set of every row: a column, several columns, whose values are joined by ``/``, or one value per row.
    weights : str or array, optional
        The multiplicity of every row: a column, or one value per row.
    id : str or array, optional
        The subject of every row: a column, or one value per row. Of the rows of one subject in a data set, one is drawn at
        random, so that a subject counts once.
    id_seed : int
        The seed of that draw.
    names : list of str, optional
        Column names for 2-D arrays; X1, X2, … by default.
    columns, ignore : str or list of str
        Columns to use, or to leave out.
    common_columns : bool
        Use the columns that all tables share, instead of raising an error if they differ.
    levels : dict, optional
        Declared states by column, in order.
    discretize : dict, str or list of str
        Bins for numbers, the same in every data set: ``{"age": "quantile:4"}``, ``"all=width:5"``, ``"age=cuts:20,40"``. In a
        mapping a number means that many quantile bins, and a list means cut points: ``{"age": 4, "weight": [50, 75]}``.
    na : list or dict, optional
        Values that mean missing, besides empty text. By default NA, NaN and ?, which then are not names of categories.
        ``{"age": [-9]}`` applies to one column only and is added to the default.
    missing : {"refuse", "impute", "available", "drop-rows", "level"}
        Raise an error at missing values, fill them in while learning, score every family on the rows complete for it, drop
        their rows, or make missing a state. With "impute" and "available" a table may lack columns.
    max_states : int
        The largest number of distinct values of a column that is neither discretised nor declared.
    delimiter : str, optional
        The delimiter of files; detected by default.

    Returns
    -------
    Data
        With ``variables``, ``data_sets``, ``notes``, ``description``, ``fingerprint``.

    Raises
    ------
    DataError
        With table, row, column, value and remedy.

    Warns
    -----
    DataWarning
        If rows are dropped. Other remarks are in ``notes``.

    Examples
    --------
    >>> import kinfolk
    >>> data = kinfolk.read({"smoker": ["yes", "no", "no"], "site": [1, 1, 2]}, groups="site")
    >>> data.data_sets
    {'1': 2, '2': 1}
    >>> data.variables
    {'smoker': ['no', 'yes']}
    """
    given = dict(locals())
    chosen = settings.check(given)
    if isinstance(data, Data):
        _refuse_options(given)
        return data
    found = _kinfolk.read(*settings.reading(data, groups, chosen))
    if chosen["missing"] == "drop-rows":
        _warn_of_dropped_rows(found)
    return found


@suggest
def describe(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
    weights: ColumnOrValues = None,
    id: ColumnOrValues = None,
    id_seed: int = 1,
    names: Optional[Sequence[str]] = None,
    columns: Optional[Columns] = None,
    ignore: Columns = (),
    common_columns: bool = False,
    levels: Optional[Mapping[Any, Sequence[Any]]] = None,
    discretize: Rules = (),
    na: Optional[Sequence[Any]] = None,
    missing: Missing = "refuse",
    max_states: int = 50,
    delimiter: Optional[str] = None,
) -> dict[str, Any]:
    """Describe data despite errors: columns by data set, problems, suspicions, and a call to learn with.

    Parameters
    ----------
    data, groups, weights, id, id_seed, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        As in :func:`read`.

    Returns
    -------
    dict
        Dictionaries and lists, as ``kinfolk describe --json`` prints them, with ``call`` for its ``command``.

    Examples
    --------
    >>> import kinfolk
    >>> described = kinfolk.describe({"smoker": ["yes", None, "no"], "age": [41, 52, 67]})
    >>> [(variable["name"], variable["missing"]) for variable in described["variables"]]
    [('smoker', [1]), ('age', [0])]
    >>> described["call"]
    'kinfolk.learn(data, missing="drop-rows")'
    """
    given = dict(locals())
    chosen = settings.check(given)
    if isinstance(data, Data):
        _refuse_options(given)
        return {**data.description, "columns": [], "problems": [], "suspicions": [], "needs_correction": False, "call": "kinfolk.learn(data)"}
    return _kinfolk.describe(*settings.reading(data, groups, chosen))


def read_arguments(given: Mapping[str, Any], recorded: Optional[str] = None) -> Data:
    """Reads the data of a function with its read options, from its ``locals()``.

    Options that are not given are as the settings of a network record them.
    """
    data, groups = tables.ungroup(given["data"], given["groups"])
    options = settings.pick(given, settings.READING)
    if recorded is None or isinstance(data, Data):
        return read(data, groups, **options)
    roles = {"groups": "group", "weights": "weight", "id": "id"}
    set_options = [roles.get(name, name) for name in changed(read, given)] + ([] if groups is None else ["group"])
    taken = _kinfolk.recorded_reading(recorded, set_options)
    several = json.loads(recorded).get("group_columns")
    for name, role in roles.items():
        column = taken.pop(role, None)
        if column is None:
            continue
        column = several if name == "groups" and several is not None else column
        if all(_has_column(data, one) for one in (column if isinstance(column, list) else [column])):
            taken[name] = column
    if taken:
        said = ", ".join(f"{name}={value!r}" for name, value in taken.items())
        warn(f"as the network records: {said}; read the data with kinfolk.read to choose otherwise", DataWarning)
    groups = taken.pop("groups", groups)
    return read(data, groups, **{**options, **taken})


def _has_column(data: Any, column: str) -> bool:
    """Whether a single table has a column, as far as can be seen without reading files."""
    if isinstance(data, (str, os.PathLike)):
        return True
    names = list(data) if isinstance(data, Mapping) else getattr(data, "columns", getattr(data, "column_names", ()))
    return column in [str(name).strip() for name in names]


def _refuse_options(given: Mapping[str, Any]) -> None:
    """Raises an error if read options are given for data that have been read."""
    late = [*([] if given["groups"] is None else ["groups"]), *changed(read, given)]
    if late:
        raise TypeError(f"these data have been read, so {late[0]} has no effect; give it to kinfolk.read")


def _warn_of_dropped_rows(data: Data) -> None:
    for note in data.description["notes"]:
        if note["note"] == "rows-without-group":
            rows = note["rows"]
            warn(f"{rows} {'row' if rows == 1 else 'rows'} without a value in the group column `{note['column']}` left out", DataWarning)
    dropped = {one["name"]: one["dropped_rows"] for one in data.description["data_sets"] if one["dropped_rows"] > 0}
    if dropped:
        rows = sum(dropped.values())
        where = ", ".join(f"{count} of {name}" for name, count in dropped.items())
        warn(f"{rows} {'row' if rows == 1 else 'rows'} with missing values left out: {where}", DataWarning)


def _reduce(data: Data) -> tuple[Any, tuple[Any, ...]]:
    return _restore, (data._columns(), data._weights(), data._record())


def _restore(*parts: Any) -> Data:
    return _kinfolk.restore(*parts)


copyreg.pickle(Data, _reduce)
