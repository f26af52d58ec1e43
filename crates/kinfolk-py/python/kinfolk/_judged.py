"""What was said of a network: explanations, bootstraps, validations, each with its frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional

from . import _frames, _html

if TYPE_CHECKING:
    from pandas import DataFrame


class Explanation:
    """Why a network is what it is, made by :func:`explain`.

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
        #: Everything, as ``kinfolk explain --json`` has it.
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
        """Whose numbers :attr:`evidence` has: the score's own terms, or what each data set adds given the others."""
        terms: Literal["score", "given-others"] = self.document["terms"]
        return terms

    @property
    def arcs(self) -> DataFrame:
        """The arcs with what the score would lose without each, then the strongest ones left out with what each would add."""
        arcs = self.document["arcs"]
        return _frames.frame({key: [arc[key] for arc in arcs] for key in ("from", "to", "total", "present")})

    @property
    def evidence(self) -> DataFrame:
        """What each arc of the network is worth in each data set: a row for each arc, a column for each data set."""
        return self._by_data_set(present=True)

    @property
    def left_out(self) -> DataFrame:
        """The same for the strongest arcs that the network has not."""
        return self._by_data_set(present=False)

    def _by_data_set(self, present: bool) -> DataFrame:
        arcs = [arc for arc in self.document["arcs"] if arc["present"] is present]
        names = list(arcs[0]["by_data_set"]) if arcs else []
        index = {key: [arc[key] for arc in arcs] for key in ("from", "to")}
        return _frames.frame({name: [arc["by_data_set"][name] for arc in arcs] for name in names}, index)

    @property
    def verdict(self) -> str:
        """Whether to pool, in words."""
        return str(self.document["pooling"]["verdict"])

    @property
    def choice(self) -> Literal["pool", "relate", "separate"]:
        """Whether to pool, in one word: what has the largest evidence."""
        choice: Literal["pool", "relate", "separate"] = self.document["pooling"]["choice"]
        return choice

    @property
    def graphs(self) -> DataFrame:
        """The network and each score's own best one, under every way to see the data sets."""
        graphs = self.document["pooling"]["graphs"]
        columns = {key: [graph[key] for graph in graphs] for key in ("structure", "arcs", "shd")}
        columns.update({key: [graph["evidence"][key] for graph in graphs] for key in ("identical", "related", "unrelated")})
        columns.update({key: [graph[key] for graph in graphs] for key in ("pooled", "separate", "hierarchical")})
        return _frames.frame(columns, {"best of": [graph["best_of"] for graph in graphs]})

    @property
    def pooling(self) -> DataFrame:
        """Node by node: the evidences, the probability that the data sets are identical, how far they lie from their centre."""
        nodes = self.document["pooling"]["nodes"]
        columns: dict[str, Any] = {"parents": [tuple(node["parents"]) for node in nodes]}
        for key in ("identical", "related", "unrelated"):
            columns[key] = [node["evidence"][key] for node in nodes]
        columns["P(identical)"] = [node["identical"] for node in nodes]
        for key in ("s_mean", "tau", "divergence", "total_variation", "converged"):
            columns[key] = [node[key] for node in nodes]
        return _frames.frame(columns, {"node": [node["node"] for node in nodes]})

    @property
    def data_sets(self) -> DataFrame:
        """The data sets, the farthest from what all have in common first, with the arcs that are absent in each."""
        members = self.document["data_sets"]
        columns: dict[str, Any] = {
            key: [member[key] for member in members] for key in ("rows", "distance", "total_variation", "gain_from_others")
        }
        columns["absent arcs"] = [tuple((arc["from"], arc["to"]) for arc in member["altered_arcs"]) for member in members]
        return _frames.frame(columns, {"data set": [member["name"] for member in members]})

    @property
    def halted(self) -> Optional[str]:
        """Who asked to stop before everything was found; None if the explanation is whole."""
        halted: Optional[str] = self.document["halted"]
        return halted

    def __repr__(self) -> str:
        return f"Explanation({self.structure!r}, choice={self.choice!r})"

    def _repr_html_(self) -> str:
        parts = [
            ("Should I pool?", f"<p>{_html.escape(self.verdict)}</p>{_html.frame(self.graphs, 'explanation.graphs')}"),
            ("Evidence for each arc by data set", _html.frame(self.evidence, "explanation.evidence")),
            ("Node by node", _html.frame(self.pooling, "explanation.pooling")),
            ("Data sets, the oddest first", _html.frame(self.data_sets, "explanation.data_sets")),
        ]
        return "".join(f"<p><b>{title}</b></p>{content}" for title, content in parts)


class Bootstrapped:
    """How sure the arcs are, made by :func:`bootstrap`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[1000, 1000], seed=2)
    >>> sure = kinfolk.bootstrap(made.frames, replicates=10)
    >>> sure.arcs.columns.tolist()
    ['from', 'to', 'strength', 'direction', 'averaged']
    >>> kinfolk.fit(made.frames, sure).structure == sure.structure
    True
    """

    def __init__(self, document: dict[str, Any]):
        #: Everything, as ``kinfolk bootstrap --json`` has it.
        self.document = document

    @property
    def structure(self) -> Optional[str]:
        """The averaged network as a modelstring; None if no replicate was finished."""
        averaged: Optional[str] = self.document["averaged"]
        return averaged

    @property
    def arcs(self) -> DataFrame:
        """Every edge that some replicate has, the strongest first.

        ``strength`` is the share of replicates that have it, ``direction`` the share of those in which it goes this way.
        """
        arcs = self.document["arcs"]
        return _frames.frame({key: [arc[key] for arc in arcs] for key in ("from", "to", "strength", "direction", "averaged")})

    @property
    def threshold(self) -> Optional[float]:
        """The strength above which edges are in the averaged network; None if no replicate was finished."""
        threshold: Optional[float] = self.document["threshold"]
        return threshold

    @property
    def learned(self) -> Optional[str]:
        """The structure learned from all rows; None if it was not finished."""
        learned: Optional[str] = self.document["learned"]
        return learned

    @property
    def leave_one_out(self) -> Optional[DataFrame]:
        """What is learned without each data set: its structure, SHD, and arcs kept, reversed, lost and gained.

        Arcs are counted by edge, in either direction: those reversed are among those kept. None if not asked for.
        """
        found = self.document["leave_one_out"]
        if found is None:
            return None
        columns: dict[str, Any] = {key: [one[key] for one in found] for key in ("structure", "shd")}
        for key in ("kept", "reversed", "lost", "gained"):
            columns[key] = [tuple((arc["from"], arc["to"]) for arc in one[key]) for one in found]
        return _frames.frame(columns, {"data set": [one["data_set"] for one in found]})

    @property
    def stop(self) -> str:
        """Why it ended: ``complete``, ``time-limit``."""
        return str(self.document["stop"])

    def __repr__(self) -> str:
        done, asked = self.document["replicates"], self.document["replicates_asked"]
        return f"Bootstrapped({self.structure!r}, {done} of {asked} replicates)"

    def _repr_html_(self) -> str:
        done, asked = self.document["replicates"], self.document["replicates_asked"]
        if self.structure is None or self.threshold is None:
            return f"<p>no averaged network: 0 of {asked} replicates</p>"
        return (
            f"<p>averaged network <code>{_html.escape(self.structure)}</code><br>{done} of {asked} replicates, "
            f"threshold {self.threshold:.3f}</p>{_html.frame(self.arcs, 'bootstrapped.arcs')}"
        )


class Validation:
    """How well held-out rows are predicted, made by :func:`validate`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[100, 100], seed=2)
    >>> validation = kinfolk.validate(made.frames, folds=3)
    >>> validation.methods.index.tolist()
    ['hierarchical', 'pooled', 'separate']
    """

    def __init__(self, document: dict[str, Any]):
        #: Everything, as the command line's ``--json`` has it.
        self.document = document

    @property
    def methods(self) -> DataFrame:
        """The log-likelihood of held-out rows by method: total and per row, and per row in each data set."""
        methods = self.document["methods"]
        columns = {
            "log_likelihood": [method["log_likelihood"] for method in methods],
            "per_row": [method["per_row"] for method in methods],
        }
        for name in methods[0]["by_data_set"]:
            columns[f"in {name}"] = [method["by_data_set"][name]["per_row"] for method in methods]
        return _frames.frame(columns, {"method": [method["method"] for method in methods]})

    @property
    def differences(self) -> DataFrame:
        """Hierarchical minus the others, per row, with standard errors and verdict."""
        found = self.document["differences"]
        keys = ("per_row", "se", "se_by_data_set", "verdict")
        return _frames.frame({key: [one[key] for one in found] for key in keys}, {"minus": [one["minus"] for one in found]})

    def __repr__(self) -> str:
        differences = [(one["verdict"], one["minus"]) for one in self.document["differences"]]
        verdicts = (f"{verdict} {'against' if verdict == 'undecided' else 'than'} {other}" for verdict, other in differences)
        return f"Validation(hierarchical: {', '.join(verdicts)})"

    def _repr_html_(self) -> str:
        return _html.frame(self.methods, "validation.methods") + _html.frame(self.differences, "validation.differences")
