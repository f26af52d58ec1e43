"""The parts of a network: structure, variables, data sets, and tables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .. import _kinfolk
from .._arguments.checks import column, number, optional
from .._arguments.checks import data_set as data_set_name
from .._interop.frames import frame, free_name, with_ends
from .._interop.types import data_set_names, restore
from .._structure import Structured

if TYPE_CHECKING:
    from pandas import DataFrame


class NetworkTables(Structured):
    """The structure and the tables of a network."""

    def __init__(self, inner: _kinfolk.Network):
        self._inner = inner

    @property
    def structure(self) -> str:
        """The structure as a modelstring."""
        return self._inner.structure

    @property
    def variables(self) -> dict[str, list[str]]:
        """The variables, each with its states, in column order."""
        return self._inner.variables

    @property
    def data_sets(self) -> list[str]:
        """The names of the data sets."""
        return self._inner.data_sets

    @property
    def relatives(self) -> list[str]:
        """The names under which there are tables: the data sets, ``pooled`` and ``new``."""
        return list(dict.fromkeys([*self.data_sets, "pooled", "new"]))

    def _states(self, variable: str) -> list[Any]:
        """The states of a variable in the type of the column that they came from."""
        return restore(self.variables[variable], self.settings.get("types", {}).get(variable))

    def _names(self, names: Sequence[str]) -> list[Any]:
        """Names of relatives: those of data sets in the type that they came in."""
        typed = dict(zip(self.data_sets, data_set_names(self.data_sets, self.settings)))
        return [typed.get(name, name) for name in names]

    @property
    def arcs(self) -> DataFrame:
        """The arcs: columns ``from`` and ``to``, by the column order of child and parent."""
        arcs = [(parent, node) for node, parents in self._parents().items() for parent in parents]
        return frame({"from": [parent for parent, _ in arcs], "to": [node for _, node in arcs]})

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the estimate."""
        return self._inner.settings

    @property
    def provenance(self) -> Optional[dict[str, Any]]:
        """Command and hash of the data; None if the network was not estimated from data."""
        return self._inner.provenance

    def _parents(self) -> dict[str, list[str]]:
        return {node: self._inner.parents(node) for node in self.variables}

    def table(self, node: str, data_set: Optional[str] = None) -> np.ndarray:
        """Return P(node | parents) of one relative as an array.

        Parameters
        ----------
        node : str
            The node.
        data_set : str, optional
            A data set, ``"pooled"`` or ``"new"``; by default the pooled tables, even if a data set is named ``pooled``.

        Returns
        -------
        numpy.ndarray
            One axis per parent in column order, and a last axis for the states of the node.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.table("wet", "south").shape
        (2, 2)
        >>> network.table("wet", "south").sum(axis=1).round(12).tolist()
        [1.0, 1.0]
        """
        return self._array(self._inner.table(column("node", node), optional(data_set_name)("data_set", data_set)), node)

    def tables(
        self, node: str, data_set: Optional[str] = None, *, intervals: Optional[float] = None
    ) -> DataFrame:
        """Return the tables of a node as a frame.

        Parameters
        ----------
        node : str
            The node.
        data_set : str, optional
            One relative; by default all.
        intervals : float, optional
            Also give for every probability the interval that contains it with this posterior probability, such as 0.9. For
            ``new`` it includes the spread between data sets; NaN where the method does not say how data sets differ.

        Returns
        -------
        pandas.DataFrame
            One row per relative (level ``data set``, with ``_`` appended if a parent has that name) and configuration of the
            parents, one column per state. Without pandas, a mapping of columns. With ``intervals``, columns are pairs of a state
            and ``probability``, ``low`` or ``high``.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.tables("rain").index.tolist()
        ['north', 'south', 'pooled', 'new']
        >>> network.tables("wet", "new").columns.tolist()
        ['no', 'yes']
        >>> network.tables("rain", "south", intervals=0.9)["yes"].round(2).values.tolist()
        [[0.29, 0.08, 0.55]]
        """
        parents = self.parents(node)
        states = self._states(str(node))
        configurations = list(itertools.product(*map(self._states, parents)))
        relatives = self.relatives if data_set is None else [data_set_name("data_set", data_set)]
        values = np.concatenate([self.table(node, name).reshape(-1, len(states)) for name in relatives])
        owners = [name for name in self._names(relatives) for _ in configurations]
        index: dict[str, Any] = {free_name("data set", parents): owners}
        for position, parent in enumerate(parents):
            index[parent] = [configuration[position] for configuration in configurations] * len(relatives)
        mass = optional(number)("intervals", intervals)
        if mass is None:
            return frame({state: values[:, place] for place, state in enumerate(states)}, index)
        known = [self._inner.intervals(column("node", node), name, mass) for name in relatives]
        empty = np.full((len(configurations), len(states), 2), np.nan)
        ends = [empty if one is None else np.frombuffer(one).reshape(empty.shape) for one in known]
        return frame(with_ends(states, values, np.concatenate(ends)), index)

    def pooling(self, node: str) -> Optional[dict[str, Any]]:
        """Return the pooling of a node: ``tau``, ``kappa``, ``shrinkage`` by data set, ``kin``, ``converged``.

        None for methods without a common centre.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> sorted(network.pooling("rain"))
        ['converged', 'iterations', 'kappa', 'kin', 'shrinkage', 'tau']
        >>> {name: round(share, 3) for name, share in network.pooling("rain")["shrinkage"].items()}
        {'north': 0.946, 'south': 0.946}
        """
        pooling = self._inner.pooling(column("node", node))
        if pooling is not None:
            pooling["kappa"] = self._array(pooling["kappa"], node)
        return pooling

    def _array(self, values: bytes, node: str) -> np.ndarray:
        shape = [len(self.variables[name]) for name in [*self.parents(node), str(node)]]
        return np.frombuffer(values).reshape(shape)
