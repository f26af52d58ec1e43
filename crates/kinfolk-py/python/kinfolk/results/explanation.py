"""Explanations: evidence by data set, pooling, deviating data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional

from .._interop.frames import frame
from .._interop.types import data_set_names
from .._render import html
from .._render.plot import heat_map
from .posterior import NetworkPosterior
from .scored import marks

if TYPE_CHECKING:
    from pandas import DataFrame


class Explanation:
    """The explanation of a network, returned by :func:`explain`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=4, arcs=3, rows=[400, 400, 400], parameters="id", seed=3)
    >>> explanation = kinfolk.explain(made.frames)
    >>> explanation.choice
    'pool'
    >>> explanation.pooling.index.tolist()
    ['V1', 'V2', 'V3', 'V4']
    """

    def __init__(self, document: dict[str, Any]):
        #: The result as ``kinfolk explain --json`` prints it.
        self.document = document

    @property
    def structure(self) -> str:
        """The structure as a modelstring."""
        return str(self.document["structure"])

    @property
    def score(self) -> float:
        """The score of the network, a natural logarithm."""
        return float(self.document["score"])

    @property
    def terms(self) -> Literal["score", "given-others"]:
        """The meaning of :attr:`evidence`: ``score`` for terms of the score, ``given-others`` for what each data set adds."""
        terms: Literal["score", "given-others"] = self.document["terms"]
        return terms

    @property
    def arcs(self) -> DataFrame:
        """The arcs with the loss of score without each, then the absent arcs with the most evidence and the gain of each.

        ``mark`` is empty, ``weak`` (a loss below ln 3 = 1.099, odds of less than 3 to 1), ``no direction`` (the data do not
        direct it; the reverse arc fits about as well) or ``weak, no direction``. Absent arcs have none.
        """
        arcs = [*self._listed(present=True), *self._listed(present=False)]
        columns = {key: [arc[key] for arc in arcs] for key in ("from", "to", "total", "present")}
        directions = ["no direction" if arc["directed"] is False else None for arc in arcs]
        return frame({**columns, "mark": [marks(arc["total"], one) if arc["present"] else "" for arc, one in zip(arcs, directions)]})

    def _listed(self, present: bool) -> list[dict[str, Any]]:
        """The arcs of the network by decreasing loss, or the absent ones in the order of the document."""
        arcs = [arc for arc in self.document["arcs"] if arc["present"] is present]
        return sorted(arcs, key=lambda arc: -arc["total"]) if present else arcs

    @property
    def evidence(self) -> DataFrame:
        """The evidence for each arc in each data set: one row per arc, one column per data set."""
        return self._by_data_set(present=True)

    @property
    def posterior(self) -> Optional[NetworkPosterior]:
        """The posterior probabilities of the edges and directions; None if not computed (``document["posterior_missing"]`` has the reason)."""
        found = self.document["posterior"]
        return None if found is None else NetworkPosterior(found)

    @property
    def left_out(self) -> DataFrame:
        """The same for the absent arcs with the most evidence."""
        return self._by_data_set(present=False)

    def _by_data_set(self, present: bool) -> DataFrame:
        arcs = self._listed(present)
        names = list(arcs[0]["by_data_set"]) if arcs else []
        index = {key: [arc[key] for arc in arcs] for key in ("from", "to")}
        columns = ([arc["by_data_set"][name] for arc in arcs] for name in names)
        return frame(dict(zip(self._names(names), columns)), index)

    def _names(self, names: list[str]) -> list[Any]:
        """Names of data sets in the type that they came in."""
        return data_set_names(names, self.document["settings"])

    @property
    def verdict(self) -> str:
        """Whether to pool, as a sentence."""
        return str(self.document["pooling"]["verdict"])

    @property
    def choice(self) -> Literal["pool", "relate", "separate"]:
        """Whether to pool: the option with the largest evidence."""
        choice: Literal["pool", "relate", "separate"] = self.document["pooling"]["choice"]
        return choice

    @property
    def graphs(self) -> DataFrame:
        """The network, and the best one of each score, with their evidence if the data sets are identical, related or unrelated."""
        graphs = self.document["pooling"]["graphs"]
        columns = {key: [graph[key] for graph in graphs] for key in ("structure", "arcs", "shd")}
        columns.update({key: [graph["evidence"][key] for graph in graphs] for key in ("identical", "related", "unrelated")})
        columns.update({key: [graph[key] for graph in graphs] for key in ("pooled", "separate", "hierarchical")})
        return frame(columns, {"best of": [graph["best_of"] for graph in graphs]})

    @property
    def pooling(self) -> DataFrame:
        """By node: the evidences, the probability that the data sets are identical, and their distance from the centre."""
        nodes = self.document["pooling"]["nodes"]
        columns: dict[str, Any] = {"parents": [tuple(node["parents"]) for node in nodes]}
        for key in ("identical", "related", "unrelated"):
            columns[key] = [node["evidence"][key] for node in nodes]
        columns["P(identical)"] = [node["p_identical"] for node in nodes]
        for key in ("s_mean", "tau", "divergence", "total_variation", "converged"):
            columns[key] = [node[key] for node in nodes]
        return frame(columns, {"node": [node["node"] for node in nodes]})

    @property
    def data_sets(self) -> DataFrame:
        """The data sets by decreasing distance from the centre.

        ``absent arcs`` are arcs of the network that the data set lacks, ``own arcs`` arcs that it alone supports. See
        :attr:`distances` for the variables that make a data set odd.
        """
        members = self.document["data_sets"]
        columns: dict[str, Any] = {
            key: [member[key] for member in members] for key in ("rows", "distance", "total_variation", "gain_from_others")
        }
        for name, key in (("absent arcs", "altered_arcs"), ("own arcs", "own_arcs")):
            columns[name] = [tuple((arc["from"], arc["to"]) for arc in member[key]) for member in members]
        return frame(columns, {"data set": self._names([member["name"] for member in members])})

    @property
    def distances(self) -> DataFrame:
        """The distance of each data set from the centre by node, in nats per row: which variables make a data set odd."""
        members, nodes = self.document["data_sets"], [node["node"] for node in self.document["pooling"]["nodes"]]
        names = self._names([member["name"] for member in members])
        return frame({node: [member["by_node"][node] for member in members] for node in nodes}, {"data set": names})

    @property
    def differing_edges(self) -> DataFrame:
        """The edges that some of the networks in :attr:`graphs` have and others have not."""
        edges = self.document["differing_edges"]
        index = {"from": [edge["between"][0] for edge in edges], "to": [edge["between"][1] for edge in edges]}
        return frame({key: [tuple(edge[key]) for edge in edges] for key in ("present_in", "absent_from")}, index)

    @property
    def halted(self) -> Optional[str]:
        """Why the explanation is incomplete; None if it is complete."""
        halted: Optional[str] = self.document["halted"]
        return halted

    def plot_evidence(self, ax: Any = None) -> Any:
        """Draw :attr:`evidence` as a heat map with matplotlib: one row per arc, one column per data set.

        Colours are on a symmetric logarithmic scale: blue for the arc, orange against it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> ax = kinfolk.explain(made.frames).plot_evidence()
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['data_001', 'data_002']
        """
        return heat_map(self.evidence, ax)

    def __repr__(self) -> str:
        return f"Explanation({self.structure!r}, choice={self.choice!r})"

    def _repr_html_(self) -> str:
        parts = [
            ("Should I pool?", f"<p>{html.escape(self.verdict)}</p>{html.frame(self.graphs, 'explanation.graphs')}"),
            ("Evidence for each arc by data set", html.evidence(self.evidence, "explanation.evidence")),
            ("Node by node", html.frame(self.pooling, "explanation.pooling")),
            ("Data sets, by distance from the centre", html.frame(self.data_sets, "explanation.data_sets")),
        ]
        return "".join(f"<p><b>{title}</b></p>{content}" for title, content in parts)
