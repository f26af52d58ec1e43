"""Scores of structures, by node and data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from .._interop.frames import frame
from .._kinfolk import WEAK_BELOW
from .._render import html
from .._structure import Structured

if TYPE_CHECKING:
    from pandas import DataFrame


def marks(gain: Optional[float], direction: Optional[str]) -> str:
    """The marks of an arc: ``weak`` for a gain with odds of less than 3 to 1, and one on its direction."""
    weak = "weak" if gain is not None and gain < WEAK_BELOW else None
    return ", ".join(mark for mark in (weak, direction) if mark)


class Result(Structured):
    """A structure with its score."""

    def __init__(self, document: dict[str, Any]):
        #: The result as the command line prints it with ``--json``.
        self.document = document

    @property
    def structure(self) -> str:
        """The structure as a modelstring."""
        return str(self.document["structure"])

    def _parents(self) -> dict[str, list[str]]:
        return {node["node"]: list(node["parents"]) for node in self.document["nodes"]}

    @property
    def score_name(self) -> str:
        """The name of the score."""
        return str(self.document["score_name"])

    @property
    def score_by_data_set(self) -> Optional[dict[str, float]]:
        """The score by data set; None if the score is not a sum over the data sets."""
        by_data_set: Optional[dict[str, float]] = self.document["by_data_set"]
        return by_data_set

    @property
    def settings(self) -> dict[str, Any]:
        """The settings."""
        return dict(self.document["settings"])

    @property
    def nodes(self) -> DataFrame:
        """The score of every node, with its terms by data set."""
        nodes = self.document["nodes"]
        columns = {
            "parents": [tuple(node["parents"]) for node in nodes],
            "score": [node["total"] for node in nodes],
            "tau": [node["tau"] for node in nodes],
            "converged": [node["converged"] for node in nodes],
        }
        if nodes and nodes[0]["by_data_set"] is not None:
            for name in nodes[0]["by_data_set"]:
                columns[f"in {name}"] = [node["by_data_set"][name] for node in nodes]
        return frame(columns, {"node": [node["node"] for node in nodes]})


class Scored(Result):
    """The score of a structure, returned by :func:`score`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=2, arcs=1, rows=[100, 100], seed=1)
    >>> scored = kinfolk.score(made.frames, "[V1][V2|V1]", score="bhd")
    >>> scored.nodes.index.tolist()
    ['V1', 'V2']
    >>> bool(abs(sum(scored.score_by_data_set.values()) - scored.score) < 1e-9)
    True
    """

    @property
    def score(self) -> float:
        """The score of the structure, a natural logarithm; larger is better."""
        return float(self.document["total"])

    def __repr__(self) -> str:
        return f"Scored({self.structure!r}, {self.score_name}={self.score:.3f})"

    def _repr_html_(self) -> str:
        head = f"<p>network <code>{html.escape(self.structure)}</code><br>{html.escape(self.score_name)} {self.score:.3f}</p>"
        return head + html.frame(self.nodes, "scored.nodes")
