"""Missing values filled in from a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .. import _kinfolk
from .._arguments import settings
from .._arguments.checks import boolean, integer, number, optional, warn
from .._arguments.checks import data_set as data_set_name
from .._arguments.signatures import suggest
from .._interop import completed, tables
from ..exceptions import DataWarning, SettingsError
from .inference import MOST_CELLS, Inference

if TYPE_CHECKING:
    from .._typing import ColumnOrValues, Tables, Unseen
    from ..results import Imputed

#: The state of a cell that is missing.
_MISSING = np.iinfo(np.uint32).max


class Imputation(Inference):
    """Completed rows."""

    @suggest
    def impute(
        self,
        data: Tables,
        groups: ColumnOrValues = None,
        *,
        versions: int = 1,
        most_probable: bool = False,
        states: bool = False,
        seed: int = 0,
        data_set: Optional[str] = None,
        unseen: Unseen = "refuse",
        na: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
        most_cells: float = MOST_CELLS,
    ) -> Imputed:
        """Fill in the missing values of rows; see :func:`impute`.

        Parameters
        ----------
        data, groups, versions, most_probable, states, seed, data_set, unseen, na, names, most_cells
            As in :func:`impute`.

        Returns
        -------
        Imputed

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "no", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.impute({"rain": ["yes", "no"], "wet": [None, "no"]}, data_set="north", seed=1)
        Imputed(1 values in 1 of 2 rows, 1 versions)
        """
        from ..results import Imputed

        versions, most_probable = integer(1, 1000)("versions", versions), boolean("most_probable", most_probable)
        if most_probable and versions > 1:
            raise SettingsError("versions: the most probable values are the same in every version; leave out versions or most_probable")
        how = {
            "versions": versions,
            "most_probable": most_probable,
            "seed": integer()("seed", seed),
            "data_set": optional(data_set_name)("data_set", data_set),
            "most_cells": number("most_cells", most_cells),
            "states": boolean("states", states),
        }
        given, groups = tables.ungroup(data, groups)
        given = given if isinstance(given, _kinfolk.Data) else completed.kept(given)
        sources, read, nameless = self._new_rows(given, groups, None, data_set, unseen, na, names)
        filled = Filled(*_kinfolk.impute(self._inner, sources, read, how))
        document = {"values": "most-probable" if most_probable else "drawn", "seed": how["seed"], **filled.document}
        self._warn_of_filled(document, nameless)
        originals, keys, one = self._originals(given)
        files = (text and completed.text_frame(text) for text in filled.texts)
        originals = [table if file is None else file for table, file in zip(originals, files)]
        given_tables = completed.GivenTables(originals, keys, one, settings.check_one("names", names))
        return Imputed(document, self._listed(filled), Versions(given_tables, filled, {name: self._states(name) for name in self.variables}))

    def _originals(self, given: Any) -> tuple[list[Any], Optional[list[Any]], bool]:
        """The tables, their names if they have any, and whether the data are a single table."""
        if isinstance(given, _kinfolk.Data):
            frames = completed.read_frames(given, self.variables, self.settings.get("types", {}))
            return list(frames.values()), self._names(list(frames)), False
        return completed.parts(given)

    def _listed(self, filled: Filled) -> dict[str, Any]:
        """The columns of the list of values, version by version."""
        versions = filled.codes.shape[1]
        variables = list(self.variables)
        typed = [self._states(variable) for variable in variables]
        numbers = filled.places[:, 2].tolist()
        data_sets = dict(zip(self.data_sets, self._names(self.data_sets)))
        return {
            "version": [version + 1 for version in range(versions) for _ in numbers],
            "file": [file for file, _ in filled.rows] * versions,
            "row": [row for _, row in filled.rows] * versions,
            "data_set": [data_sets.get(name, name) for name, _ in filled.names] * versions,
            "tables": [data_sets.get(name, name) for _, name in filled.names] * versions,
            "column": [variables[number] for number in numbers] * versions,
            "value": [typed[number][code] for codes in filled.codes.T.tolist() for number, code in zip(numbers, codes)],
            "probability": filled.probabilities.T.ravel(),
        }

    def _warn_of_filled(self, document: Mapping[str, Any], nameless: bool) -> None:
        """Warns of what the command notes."""
        for table, columns in document["absent_columns"]:
            warn(f"{table} has no column {', '.join(columns)}: added, every value filled in", DataWarning)
        self._warn({**document, "nameless": nameless}, "filled in")
        impossible = document["rows_impossible"]
        if impossible:
            rows = "row" if impossible == 1 else "rows"
            warn(f"{impossible} {rows} with observed values that have probability 0 together: left incomplete", DataWarning)


class Filled:
    """What the compiled module filled in."""

    def __init__(
        self,
        places: bytes,
        codes: bytes,
        probabilities: bytes,
        names: list[tuple[str, str]],
        rows: list[tuple[str, int]],
        texts: list[Optional[list[tuple[str, list[str]]]]],
        sizes: list[int],
        states: Optional[list[bytes]],
        document: dict[str, Any],
    ):
        versions = document["versions"]
        #: One line per value: its table, the row in it, the number of the variable.
        self.places = np.frombuffer(places, np.uint32).reshape(-1, 3)
        #: One line per value, one column per version: the state filled in, and its probability.
        self.codes = np.frombuffer(codes, np.uint32).reshape(-1, versions)
        self.probabilities = np.frombuffer(probabilities).reshape(-1, versions)
        #: Data set and tables, and file and row, of every value.
        self.names, self.rows = names, rows
        #: The text of the tables that are files.
        self.texts = texts
        #: The rows of every table.
        self.sizes = sizes
        #: The states of all rows by variable, if they are wanted.
        self.states = None if states is None else [np.frombuffer(one, np.uint32) for one in states]
        self.document = document


class Versions:
    """The completed tables by version."""

    def __init__(self, given: completed.GivenTables, filled: Filled, states: Mapping[str, list[Any]]):
        self._given, self._filled, self._states = given, filled, states

    def __call__(self, version: int) -> Any:
        """One version, in the form in which the data were given."""
        return self._given.completed(self._fills(version))

    def _fills(self, version: int) -> list[dict[str, completed.Fill]]:
        """The values of one version for every table: those filled in, or the states of all cells."""
        filled = self._filled
        places, codes = filled.places, filled.codes[:, version]
        fills: list[dict[str, completed.Fill]] = []
        for table, (end, size) in enumerate(zip(np.cumsum(filled.sizes), filled.sizes)):
            of_table: dict[str, completed.Fill] = {}
            for number, (variable, states) in enumerate(self._states.items()):
                chosen = (places[:, 0] == table) & (places[:, 2] == number)
                rows, own = places[chosen, 1].astype(np.int64), codes[chosen]
                if filled.states is not None:
                    whole = filled.states[number][end - size : end].copy()
                    whole[rows] = own
                    rows = np.flatnonzero(whole != _MISSING)
                    own = whole[rows]
                if len(rows):
                    of_table[variable] = completed.Fill(rows, size, [states[code] for code in own.tolist()])
            fills.append(of_table)
        return fills
