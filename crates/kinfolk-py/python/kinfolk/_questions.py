"""Questions to a network: probabilities, predictions, likelihoods, samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _coding, _frames, _kinfolk, _settings
from ._checks import DataWarning, characters, column, mapping, number, optional, text, truth, warn, whole
from ._checks import columns as names_of
from ._checks import data_set as data_set_name
from ._kinfolk import NetworkError
from ._parts import Parts

if TYPE_CHECKING:
    from pandas import DataFrame
    from typing_extensions import Unpack

    from ._types import ColumnOrValues, NewRows, Tables

#: The most cells that the tables of one question may have, 8 bytes each.
MOST_CELLS = 134_217_728


class Questions(Parts):
    """What a network can be asked."""

    def query(
        self,
        targets: Union[str, Sequence[str]] = (),
        evidence: Optional[Mapping[str, Any]] = None,
        do: Optional[Mapping[str, Any]] = None,
        *,
        data_set: Union[str, Sequence[str], None] = None,
        joint: bool = False,
        mpe: bool = False,
        most_cells: float = MOST_CELLS,
    ) -> DataFrame:
        """Probabilities of variables given evidence, for every data set side by side.

        Parameters
        ----------
        targets : str or list of str
            What to tell the probabilities of.
        evidence, do : dict, optional
            What is observed, and what is set from outside: variable to state.
        data_set : str or list of str, optional
            Who is asked; everyone if not given.
        joint : bool
            Whether to tell the targets' joint distribution instead of each by itself.
        mpe : bool
            Whether to tell the most probable explanation instead.
        most_cells : int
            How large the tables of an exact answer may become.

        Returns
        -------
        pandas.DataFrame
            A row for each state (or joint configuration, or variable), a column for each relative.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[200, 200], seed=1)
        >>> answer = made.network.query("V1", {"V2": "1"}, data_set="data_001")
        >>> answer.index.names
        FrozenList(['variable', 'state'])
        >>> float(answer["data_001"].sum().round(12))
        1.0
        """
        targets = names_of("targets", targets)
        joint, mpe = truth("joint", joint), truth("mpe", mpe)
        twice = next((name for name in targets if targets.count(name) > 1), None)
        if twice is not None:
            raise NetworkError(f"the target {twice!r} is given twice")
        if joint and not targets:
            raise NetworkError("joint=True needs targets: name the variables whose joint distribution is asked for")
        if mpe + joint + bool(targets) == 0 and not evidence:
            raise NetworkError("nothing is asked: name a target, or ask for the most probable explanation with mpe=True")
        relatives = optional(names_of)("data_set", data_set)
        given = _pairs("evidence", evidence), _pairs("do", do)
        answer = self._inner.query(targets, *given, relatives, joint, mpe, number("most_cells", most_cells))
        if mpe:
            found = answer["explanation"]
            variables = list(next(iter(found.values()))["assignment"])
            columns = {name: [one["assignment"][v] for v in variables] for name, one in found.items()}
            return _frames.frame(columns, {"variable": variables})
        if joint:
            index = {target: [row["states"][target] for row in answer["joint"]] for target in targets}
            names = answer["joint"][0]["data_sets"]
            return _frames.frame({name: [row["data_sets"][name] for row in answer["joint"]] for name in names}, index)
        if not targets:
            logs = answer["log_probability_of_evidence"]
            return _frames.frame({name: [log] for name, log in logs.items()}, {"": ["ln P(evidence)"]})
        index, columns = {"variable": [], "state": []}, {}
        for target in answer["targets"]:
            for name, states in target["data_sets"].items():
                columns.setdefault(name, []).extend(states.values())
            index["variable"].extend([target["target"]] * len(states))
            index["state"].extend(states)
        return _frames.frame(columns, index)

    def predict(self, data: Tables, target: str, groups: Optional[ColumnOrValues] = None, **options: Unpack[NewRows]) -> np.ndarray:
        """The most probable state of a variable in every row.

        The rows of a data set that the network knows are predicted with its tables, all others with those for a data set never
        seen. Missing values are summed out, and so are variables without a column.

        Parameters
        ----------
        data : frame, table, array, mapping, path or Data
            The rows; see :func:`read`. Those of :class:`Data` come data set by data set, one for each that was stored.
        target : str
            The variable to predict.
        groups : str or array, optional
            Which data set each row belongs to. If not given, the column that the network was learned with, if the rows have it.
        **options
            ``data_set`` (these tables for all rows), ``unseen`` (``"refuse"`` or ``"missing"``: values that no state means),
            ``na``, ``names``, ``most_cells``.

        Returns
        -------
        numpy.ndarray
            One state per row, as the text that it is in :attr:`variables`, also if the states are numbers; None where the tables
            hold the row to be impossible, for which the command line predicts nothing either.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.predict({"wet": ["yes", "no"], "place": ["south", "north"]}, "rain", groups="place").tolist()
        ['yes', 'no']
        """
        probabilities = self.predict_proba(data, target, groups, **options)
        states = np.array(self.variables[str(target)], dtype=object)
        known = ~np.isnan(probabilities[:, 0])
        predicted = np.full(len(probabilities), None, dtype=object)
        predicted[known] = states[probabilities[known].argmax(axis=1)]
        return predicted

    def predict_proba(self, data: Tables, target: str, groups: Optional[ColumnOrValues] = None, **options: Unpack[NewRows]) -> np.ndarray:
        """The probabilities of a variable's states in every row.

        Takes what :meth:`predict` takes.

        Returns
        -------
        numpy.ndarray
            A row for each row, a column for each state, in the order of :attr:`variables`; NaN in rows that the tables hold to be
            impossible, for which the command line predicts nothing either.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.predict_proba({"wet": ["yes", None]}, "rain", data_set="north").shape
        (2, 2)
        """
        probabilities, rest = self._predict(data, target, groups, **options)
        self._warn(rest)
        return probabilities

    def evaluate(
        self, data: Tables, target: str, groups: Optional[ColumnOrValues] = None, weights: Optional[ColumnOrValues] = None, **options: Unpack[NewRows]
    ) -> Optional[dict[str, Any]]:
        """How good the predictions are in rows whose outcome is known: log-loss, accuracy, Brier score, calibration.

        Takes what :meth:`predict` takes, and ``weights``: how many rows a row stands for. Returns a dictionary, overall and by
        data set; None if no row has an outcome.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> sorted(network.evaluate(rows, "rain")["data_sets"])
        ['north', 'south']
        """
        rest = self._predict(data, target, groups, weights=weights, **options)[1]
        self._warn(rest)
        metrics: Optional[dict[str, Any]] = rest["metrics"]
        return metrics

    def _predict(
        self,
        data: Tables,
        target: str,
        groups: Optional[ColumnOrValues] = None,
        *,
        weights: Optional[ColumnOrValues] = None,
        data_set: Optional[str] = None,
        unseen: str = "refuse",
        na: Optional[Sequence[str]] = None,
        names: Optional[Sequence[str]] = None,
        most_cells: float = MOST_CELLS,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Probabilities, and metrics, baseline, unknown data sets and values, and whether groups were forgotten."""
        sources, settings, nameless = self._new_rows(data, groups, weights, data_set, unseen, na, names)
        relative = optional(data_set_name)("data_set", data_set)
        target, most = column("target", target), number("most_cells", most_cells)
        values, _, rest = self._inner.predict(sources, settings, target, relative, most)
        return np.frombuffer(values).reshape(-1, len(self.variables[target])), {**rest, "nameless": nameless}

    def _warn(self, rest: Mapping[str, Any]) -> None:
        """Warns of data sets and values that the network does not know."""
        self._warn_of_unknown(rest["unknown_data_sets"], rest["nameless"])
        unseen = len(rest["unseen"])
        if unseen:
            warn(f"{unseen} {'value' if unseen == 1 else 'values'} that the network does not know, taken for missing", DataWarning)

    def _warn_of_unknown(self, unknown: Sequence[str], nameless: bool) -> None:
        """Warns if rows are judged with the tables of a data set never seen although ``data_set`` does not ask for them."""
        if not unknown:
            return
        names = ", ".join(map(repr, unknown[:5])) + (", …" if len(unknown) > 5 else "")
        if not nameless:
            warn(f"the network does not know {names}: predicted with the tables of a data set never seen", DataWarning)
            return
        remembered = self.settings.get("group")
        learned = "" if remembered is None else f"; the network was learned with groups={remembered!r}"
        warn(
            f"groups is not given{learned}: every row is predicted with the tables of a data set never seen; "
            'give groups, or data_set ("new" for these tables)',
            DataWarning,
        )

    def _new_rows(
        self,
        data: Tables,
        groups: Optional[ColumnOrValues],
        weights: Optional[ColumnOrValues],
        data_set: Optional[str],
        unseen: str,
        na: Optional[Sequence[str]],
        names: Optional[Sequence[str]],
    ) -> tuple[Any, dict[str, Any], bool]:
        """Sources of rows, how to read them, and whether nothing names their data set."""
        missing = _settings.KINDS["na"]("na", na)
        if isinstance(data, _kinfolk.Data):
            more = {"groups": groups, "weights": weights, "names": names}
            late = next((name for name, value in more.items() if value is not None), None)
            if late is not None:
                raise TypeError(f"these data have been read, so {late} comes too late; give it to kinfolk.read")
            sources, weight = _frames.gather_read(data, self.variables)
            group, nameless = None, False
        else:
            remembered = self.settings.get("group") if data_set is None else None
            names_of_columns = _settings.KINDS["names"]("names", names)
            sources, group, weight, one = _frames.gather(data, groups, weights, names_of_columns, missing, remembered)
            nameless = one and group is None
        return sources, {"group": group, "weight": weight, "na": missing, "unseen": text("unseen", unseen)}, nameless

    def log_likelihood(
        self,
        data: Tables,
        groups: Optional[ColumnOrValues] = None,
        *,
        data_set: Optional[str] = None,
        unseen: str = "refuse",
        na: Optional[Sequence[str]] = None,
        names: Optional[Sequence[str]] = None,
    ) -> np.ndarray:
        """ln P(row) of every row, with the tables of its data set or, if the network does not know it, of a new one.

        Missing values are summed out. Takes what :meth:`predict` takes.

        Returns
        -------
        numpy.ndarray
            One number per row; minus infinity where the tables hold the row to be impossible.

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
        groups: Optional[ColumnOrValues] = None,
        data_set: Optional[str] = None,
        unseen: str = "refuse",
        na: Optional[Sequence[str]] = None,
        names: Optional[Sequence[str]] = None,
    ) -> tuple[np.ndarray, list[str], bool]:
        """ln P(row), the data sets that the network does not know, and whether nothing names the data set."""
        sources, settings, nameless = self._new_rows(data, groups, None, data_set, unseen, na, names)
        logs, unknown = self._inner.log_likelihood(sources, settings, optional(data_set_name)("data_set", data_set))
        return np.frombuffer(logs), unknown, nameless

    def sample(
        self, rows: Union[int, Mapping[str, int]], data_set: Optional[str] = None, *, seed: int = 0, stream: int = 0
    ) -> Union[DataFrame, dict[str, DataFrame]]:
        """Draws rows.

        Parameters
        ----------
        rows : int or dict
            How many rows: of each data set, of ``data_set`` only, or by name.
        data_set : str, optional
            Whose tables: a data set, ``"pooled"`` or ``"new"``.
        seed, stream : int
            The same numbers give the same rows on every machine.

        Returns
        -------
        pandas.DataFrame or dict of them
            One frame if ``data_set`` is given, otherwise one for each data set by name.

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
            draws = [(str(name), whole()("rows", count)) for name, count in rows.items()]
        else:
            names = self.data_sets if data_set is None else [data_set_name("data_set", data_set)]
            draws = [(name, whole()("rows", rows)) for name in names]
        frames = _frames.decode(*self._inner.sample(draws, whole()("seed", seed), whole()("stream", stream)))
        return frames if data_set is None else frames[str(data_set)]


def _pairs(name: str, given: Optional[Mapping[Any, Any]]) -> list[tuple[str, str]]:
    known = {} if given is None else mapping(name, given)
    return [(str(variable), characters(name, str(_coding.spell(state)))) for variable, state in known.items()]
