"""Inference with a network: queries, predictions, likelihoods, samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from .. import _kinfolk
from .._arguments import settings
from .._arguments.checks import boolean, characters, column, integer, mapping, number, optional, text, warn
from .._arguments.checks import columns as names_of
from .._arguments.checks import data_set as data_set_name
from .._arguments.signatures import suggest
from .._interop import columns as interop_columns
from .._interop import frames, tables
from .._interop.frames import frame
from ..exceptions import DataWarning, NetworkError
from .tables import NetworkTables

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._typing import ColumnOrValues, Tables, Unseen

#: The largest number of cells, of 8 bytes, in the tables of one query.
MOST_CELLS = 134_217_728


class Inference(NetworkTables):
    """Queries and predictions."""

    @suggest
    def query(
        self,
        targets: Union[str, Sequence[str]] = (),
        evidence: Optional[Mapping[str, Any]] = None,
        do: Optional[Mapping[str, Any]] = None,
        *,
        data_set: Union[str, Sequence[str], None] = None,
        joint: bool = False,
        mpe: bool = False,
        intervals: Optional[float] = None,
        most_cells: float = MOST_CELLS,
    ) -> DataFrame:
        """Compute exact probabilities of variables given evidence, for every data set.

        Parameters
        ----------
        targets : str or list of str
            The variables.
        evidence, do : dict, optional
            Observed states, and states set by intervention, by variable.
        data_set : str or list of str, optional
            The relatives; by default all.
        joint : bool
            Return the joint distribution of the targets instead of the marginal ones.
        mpe : bool
            Return the most probable explanation instead.
        intervals : float, optional
            Also give for every probability of a target the interval that contains it with this posterior probability, such as 0.9,
            from 1,000 draws of the tables. For ``new`` it includes the spread between data sets.
        most_cells : int
            The largest number of cells of an intermediate table.

        Returns
        -------
        pandas.DataFrame
            One row per state (or joint configuration, or variable), one column per relative. With ``intervals``, columns are pairs
            of a relative and ``probability``, ``low`` or ``high``.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[200, 200], seed=1)
        >>> answer = made.network.query("V1", {"V2": "1"}, data_set="data_001")
        >>> answer.index.names
        FrozenList(['variable', 'state'])
        >>> float(answer["data_001"].sum().round(12))
        1.0
        >>> network = kinfolk.fit(made.frames, "[V1][V2|V1][V3]")
        >>> network.query("V1", data_set="new", intervals=0.9).columns.tolist()
        [('new', 'probability'), ('new', 'low'), ('new', 'high')]
        """
        targets = names_of("targets", targets)
        joint, mpe = boolean("joint", joint), boolean("mpe", mpe)
        twice = next((name for name in targets if targets.count(name) > 1), None)
        if twice is not None:
            raise NetworkError(f"the target {twice!r} is given twice")
        if joint and not targets:
            raise NetworkError("joint=True needs targets: name the variables of the joint distribution")
        if mpe + joint + bool(targets) == 0 and not evidence:
            raise NetworkError("nothing to compute: name a target, or set mpe=True for the most probable explanation")
        relatives = optional(names_of)("data_set", data_set)
        given = _states("evidence", evidence), _states("do", do)
        mass = optional(number)("intervals", intervals)
        if mass is not None and (joint or mpe or not targets):
            raise NetworkError("intervals are those of the targets' marginal probabilities: name targets, without joint and mpe")
        answer = self._inner.query(targets, *given, relatives, joint, mpe, number("most_cells", most_cells), mass)
        if mpe:
            found = answer["explanation"]
            variables = list(next(iter(found.values()))["assignment"])
            typed = {variable: dict(zip(self.variables[variable], self._states(variable))) for variable in variables}
            columns = {name: [typed[v][one["assignment"][v]] for v in variables] for name, one in found.items()}
            return self._by_relative(columns, {"variable": variables})
        if joint:
            typed = {target: dict(zip(self.variables[target], self._states(target))) for target in targets}
            index = {target: [typed[target][row["states"][target]] for row in answer["joint"]] for target in targets}
            names = answer["joint"][0]["data_sets"]
            return self._by_relative({name: [row["data_sets"][name] for row in answer["joint"]] for name in names}, index)
        if not targets:
            logs = answer["log_probability_of_evidence"]
            return self._by_relative({name: [log] for name, log in logs.items()}, {"": ["ln P(evidence)"]})
        index, columns = {"variable": [], "state": []}, {}
        for target in answer["targets"]:
            for name, states in target["data_sets"].items():
                columns.setdefault(name, []).extend(states.values())
            index["variable"].extend([target["target"]] * len(states))
            index["state"].extend(self._states(target["target"]))
        if mass is None:
            return self._by_relative(columns, index)
        ends: dict[str, list[Any]] = {name: [] for name in columns}
        for target in answer["targets"]:
            for name, intervals_of in target["intervals"].items():
                unknown = [[np.nan, np.nan]] * len(target["data_sets"][name])
                ends[name].extend(unknown if intervals_of is None else intervals_of.values())
        values = np.array(list(columns.values()), dtype=float).T
        return frame(frames.with_ends(self._names(list(columns)), values, np.array(list(ends.values())).swapaxes(0, 1)), index)

    def _by_relative(self, columns: Mapping[str, Any], index: Mapping[str, Any]) -> DataFrame:
        """A frame with one column per relative."""
        return frame(dict(zip(self._names(list(columns)), columns.values())), index)

    @suggest
    def predict(
        self,
        data: Tables,
        target: str,
        groups: ColumnOrValues = None,
        *,
        data_set: Optional[str] = None,
        unseen: Unseen = "refuse",
        na: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
        most_cells: float = MOST_CELLS,
    ) -> Any:
        """Predict the most probable state of a variable in every row.

        Rows of a known data set use its tables, other rows those of a new data set. Missing values, and variables without
        a column, are summed out.

        Parameters
        ----------
        data : frame, table, array, mapping, path or Data
            The rows; see :func:`read`. The rows of :class:`Data` come by data set, one per stored row.
        target : str
            The variable to predict.
        groups : str or array, optional
            The data set of every row; by default the group column that the network was learned with, if the rows have it.
        data_set : str, optional
            The relative whose tables to use for all rows.
        unseen : {"refuse", "missing"}
            Raise an error at values that are not states, or treat them as missing.
        na : list, optional
            Values that mean missing; by default those of the network.
        names : list of str, optional
            Column names for 2-D arrays.
        most_cells : int
            The largest number of cells of an intermediate table.

        Returns
        -------
        pandas.Series, polars.Series or numpy.ndarray
            One state per row, in the type of the column that the network was learned from; None for rows that have probability 0
            in the tables. pandas rows give a series with their index, polars rows a polars series, other rows an array.

        Warns
        -----
        DataWarning
            If rows use the tables of a new data set without ``data_set="new"``, or values are treated as missing.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.predict({"wet": ["yes", "no"], "place": ["south", "north"]}, "rain", groups="place").tolist()
        ['yes', 'no']
        """
        probabilities, rest = self._predict(
            data, target, groups, data_set=data_set, unseen=unseen, na=na, names=names, most_cells=most_cells
        )
        self._warn(rest)
        states = np.array([*self._states(str(target)), None], dtype=object)
        impossible = np.isnan(probabilities[:, 0])
        predicted = states[np.where(impossible, -1, np.where(impossible[:, None], 0, probabilities).argmax(axis=1))]
        return frames.series(predicted, str(target), data)

    @suggest
    def predict_proba(
        self,
        data: Tables,
        target: str,
        groups: ColumnOrValues = None,
        *,
        data_set: Optional[str] = None,
        unseen: Unseen = "refuse",
        na: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
        intervals: Optional[float] = None,
        most_cells: float = MOST_CELLS,
    ) -> DataFrame:
        """Predict the probabilities of a variable's states in every row.

        Parameters
        ----------
        data, target, groups, data_set, unseen, na, names, most_cells
            As in :meth:`predict`.
        intervals : float, optional
            Also give for every probability the interval that contains it with this posterior probability, such as 0.9, from 1,000
            draws of the tables. For ``new`` it includes the spread between data sets.

        Returns
        -------
        pandas.DataFrame
            One row per row, one column per state; NaN for rows that have probability 0 in the tables. A pandas frame keeps its
            index, and polars frames give polars frames. Without pandas, a mapping of columns. With ``intervals``, columns are pairs
            of a state and ``probability``, ``low`` or ``high``, in polars as ``state low``.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.predict_proba({"wet": ["yes", None]}, "rain", data_set="north").columns.tolist()
        ['no', 'yes']
        """
        probabilities, rest = self._predict(
            data, target, groups, data_set=data_set, unseen=unseen, na=na, names=names, intervals=intervals, most_cells=most_cells
        )
        self._warn(rest)
        states = self._states(str(target))
        if intervals is None:
            return frames.labelled({state: probabilities[:, place] for place, state in enumerate(states)}, data)
        return frames.labelled(frames.with_ends(states, probabilities, rest["intervals"]), data)

    @suggest
    def evaluate(
        self,
        data: Tables,
        target: str,
        groups: ColumnOrValues = None,
        weights: ColumnOrValues = None,
        *,
        data_set: Optional[str] = None,
        unseen: Unseen = "refuse",
        na: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
        most_cells: float = MOST_CELLS,
    ) -> Optional[dict[str, Any]]:
        """Evaluate predictions in rows with known outcome: log-loss, accuracy, Brier score, AUC, calibration.

        ``brier`` is the sum over the states of (probability - outcome)², averaged over the rows: 0 to 2, smaller is better.
        ``auc`` is the area under the ROC curve, averaged over the states, each against the others; None if all outcomes are equal.

        Parameters
        ----------
        data, target, groups, data_set, unseen, na, names, most_cells
            As in :meth:`predict`.
        weights : str or array, optional
            The multiplicity of every row.

        Returns
        -------
        dict or None
            The metrics, overall and by data set; None if no row has a known outcome.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> sorted(network.evaluate(rows, "rain")["data_sets"])
        ['north', 'south']
        """
        _, rest = self._predict(
            data, target, groups, weights, data_set=data_set, unseen=unseen, na=na, names=names, most_cells=most_cells
        )
        self._warn(rest)
        metrics: Optional[dict[str, Any]] = rest["metrics"]
        return metrics

    def _predict(
        self,
        data: Tables,
        target: str,
        groups: ColumnOrValues = None,
        weights: ColumnOrValues = None,
        *,
        data_set: Optional[str] = None,
        unseen: Unseen = "refuse",
        na: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
        intervals: Optional[float] = None,
        most_cells: float = MOST_CELLS,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Probabilities; metrics, baseline, unknown data sets, unseen values, ``intervals`` and ``nameless`` by name."""
        sources, how, nameless = self._new_rows(data, groups, weights, data_set, unseen, na, names)
        relative = optional(data_set_name)("data_set", data_set)
        target, most = column("target", target), number("most_cells", most_cells)
        mass = optional(number)("intervals", intervals)
        values, ends, _, rest = self._inner.predict(sources, how, target, relative, most, mass)
        states = len(self.variables[target])
        rest["intervals"] = np.frombuffer(ends).reshape(-1, states, 2)
        return np.frombuffer(values).reshape(-1, states), {**rest, "nameless": nameless}

    @suggest
    def log_likelihood(
        self,
        data: Tables,
        groups: ColumnOrValues = None,
        *,
        data_set: Optional[str] = None,
        unseen: Unseen = "refuse",
        na: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
    ) -> np.ndarray:
        """Compute ln P(row) of every row with the tables of its data set; missing values are summed out.

        Parameters
        ----------
        data, groups, data_set, unseen, na, names
            As in :meth:`predict`.

        Returns
        -------
        numpy.ndarray
            One number per row; minus infinity for rows that have probability 0 in the tables.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> certain = network.log_likelihood({"rain": [None], "wet": [None]}, data_set="north")
        >>> bool(abs(certain[0]) < 1e-12)
        True
        """
        logs, unknown, nameless = self._log_likelihood(data, groups, data_set, unseen, na, names)
        self._warn_of_unknown(unknown, nameless)
        return logs

    def _log_likelihood(
        self,
        data: Tables,
        groups: ColumnOrValues = None,
        data_set: Optional[str] = None,
        unseen: Unseen = "refuse",
        na: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
    ) -> tuple[np.ndarray, list[str], bool]:
        """ln P(row), the unknown data sets, and whether the rows are nameless."""
        sources, how, nameless = self._new_rows(data, groups, None, data_set, unseen, na, names)
        logs, unknown = self._inner.log_likelihood(sources, how, optional(data_set_name)("data_set", data_set))
        return np.frombuffer(logs), unknown, nameless

    def _new_rows(
        self,
        data: Tables,
        groups: ColumnOrValues,
        weights: ColumnOrValues,
        data_set: Optional[str],
        unseen: Unseen,
        na: Optional[Sequence[Any]],
        names: Optional[Sequence[str]],
    ) -> tuple[Any, dict[str, Any], bool]:
        """Sources of rows, read settings, and whether the rows are nameless: one table without a group column."""
        missing = settings.check_one("na", na)
        if isinstance(data, _kinfolk.Data):
            more = {"groups": groups, "weights": weights, "names": names}
            late = next((name for name, value in more.items() if value is not None), None)
            if late is not None:
                raise TypeError(f"these data have been read, so {late} has no effect; give it to kinfolk.read")
            sources, weight = tables.gather_read(data, self.variables)
            group, nameless = None, False
        else:
            remembered = self._remembered() if data_set is None else None
            names = settings.check_one("names", names)
            sources, group, weight, _, one, _ = tables.gather(data, groups, weights, names, missing, remembered)
            nameless = one and group is None
        return sources, {"group": group, "weight": weight, "na": missing, "unseen": text("unseen", unseen)}, nameless

    def _remembered(self) -> Union[str, list[str], None]:
        """The group column that the network was learned with, or the several ones."""
        record = self.settings
        remembered: Union[str, list[str], None] = record.get("group_columns", record.get("group"))
        return remembered

    def _warn(self, rest: Mapping[str, Any], done: str = "predicted") -> None:
        """Warns of unknown data sets and unseen values."""
        self._warn_of_unknown(rest["unknown_data_sets"], rest["nameless"], done)
        unseen = len(rest["unseen"])
        if unseen:
            warn(f"{unseen} {'value' if unseen == 1 else 'values'} that the network does not have as a state, treated as missing", DataWarning)

    def _warn_of_unknown(self, unknown: Sequence[str], nameless: bool, done: str = "predicted") -> None:
        """Warns if rows use the tables of a new data set although ``data_set`` does not ask for them."""
        if not unknown:
            return
        if not nameless:
            names = ", ".join(map(repr, unknown[:5])) + (", …" if len(unknown) > 5 else "")
            warn(f"not in the network: {names}; {done} from the tables for an unseen data set", DataWarning)
            return
        remembered = self._remembered()
        learned = "" if remembered is None else f"; the network was learned with groups={remembered!r}"
        warn(
            f"groups is not given{learned}: every row is {done} from the tables for an unseen data set; "
            'give groups, or data_set ("new" for these tables)',
            DataWarning,
        )

    @suggest
    def sample(
        self, rows: Union[int, Mapping[str, int]], data_set: Optional[str] = None, *, seed: int = 0, stream: int = 0
    ) -> Union[DataFrame, dict[str, DataFrame]]:
        """Draw rows.

        Parameters
        ----------
        rows : int or dict
            The number of rows, of each data set or of ``data_set``; or a mapping from relative to number.
        data_set : str, optional
            One relative: a data set, ``"pooled"`` or ``"new"``.
        seed, stream : int
            The same values give the same rows on every machine.

        Returns
        -------
        pandas.DataFrame or dict of them
            One frame if ``data_set`` is given, otherwise one per data set. Values keep their types.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.sample(3, "new", seed=1).shape
        (3, 2)
        >>> {name: len(frame) for name, frame in network.sample({"north": 2, "south": 1}).items()}
        {'north': 2, 'south': 1}
        """
        if isinstance(rows, Mapping):
            draws = [(str(name), integer()("rows", count)) for name, count in rows.items()]
        else:
            names = self.data_sets if data_set is None else [data_set_name("data_set", data_set)]
            draws = [(name, integer()("rows", rows)) for name in names]
        coded, drawn_names, starts = self._inner.sample(draws, integer()("seed", seed), integer()("stream", stream))
        columns = [(name, self._states(name), codes, width) for name, _, codes, width in coded]
        drawn = frames.decode(columns, self._names(drawn_names), starts)
        return drawn if data_set is None else next(iter(drawn.values()))


def _states(name: str, given: Optional[Mapping[Any, Any]]) -> list[tuple[str, str]]:
    """Pairs of variable and state."""
    known = {} if given is None else mapping(name, given)
    return [(str(variable), characters(name, str(interop_columns.spell(state)))) for variable, state in known.items()]
