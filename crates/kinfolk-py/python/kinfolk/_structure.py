"""Queries of the graph of a network or a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _kinfolk
from ._arguments.checks import column
from ._arguments.structures import modelstring
from ._interop.frames import frame
from .exceptions import NetworkError

if TYPE_CHECKING:
    from pandas import DataFrame


class Structured:
    """A structure over named variables; subclasses give the parents of every node."""

    def _parents(self) -> dict[str, list[str]]:
        """The parents of every node, both in column order."""
        raise NotImplementedError

    def parents(self, node: str) -> list[str]:
        """Return the parents of a node, in column order.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> kinfolk.score(made.frames, "[V1][V2][V3|V1:V2]").parents("V3")
        ['V1', 'V2']
        """
        return self._known(node)[0][column("node", node)]

    def children(self, node: str) -> list[str]:
        """Return the children of a node, in column order.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> kinfolk.score(made.frames, "[V1][V2][V3|V1:V2]").children("V1")
        ['V3']
        """
        parents, name = self._known(node)
        return [child for child, of in parents.items() if name in of]

    def markov_blanket(self, node: str) -> list[str]:
        """Return parents, children and the children's other parents of a node, in column order.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> kinfolk.score(made.frames, "[V1][V2][V3|V1:V2]").markov_blanket("V1")
        ['V2', 'V3']
        """
        parents, name = self._known(node)
        blanket = set(parents[name])
        for child, of in parents.items():
            if name in of:
                blanket.update((child, *of))
        return [other for other in parents if other in blanket and other != name]

    def cpdag(self) -> DataFrame:
        """Return the CPDAG, which represents all structures that imply the same independences.

        Returns
        -------
        pandas.DataFrame
            Columns ``from``, ``to`` and ``directed``: whether all equivalent structures have this direction.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> kinfolk.score(made.frames, "[V1][V2][V3|V1:V2]").cpdag()["directed"].tolist()
        [True, True]
        >>> kinfolk.score(made.frames, "[V1][V2|V1][V3|V2]").cpdag()["directed"].tolist()
        [False, False]
        """
        directed, undirected = _kinfolk.cpdag(modelstring(self._parents()))
        links = [*directed, *undirected]
        flags = [True] * len(directed) + [False] * len(undirected)
        return frame({"from": [a for a, _ in links], "to": [b for _, b in links], "directed": flags})

    def _known(self, node: str) -> tuple[dict[str, list[str]], str]:
        """The parents of every node, and the name of a node among them."""
        parents, name = self._parents(), column("node", node)
        if name not in parents:
            known = ", ".join(f"`{variable}`" for variable in parents)
            raise NetworkError(f"the network has no variable `{name}`; its variables are {known}")
        return parents, name
