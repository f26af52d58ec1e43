"""Posterior probabilities of arcs, edges and other features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional

from .._interop.frames import frame
from .._render import html

if TYPE_CHECKING:
    from pandas import DataFrame


def _edges(edges: list[dict[str, Any]]) -> DataFrame:
    """A frame of edges."""
    ends = {key: [edge["between"][end] for edge in edges] for end, key in enumerate(("a", "b"))}
    return frame({**ends, "probability": [edge["probability"] for edge in edges]})


class NetworkPosterior:
    """The posterior probabilities of one network's arcs, from :func:`posterior` with a structure or :func:`explain`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=4, arcs=3, rows=[500, 400, 300], seed=3)
    >>> sure = kinfolk.learn(made.frames).posterior().network
    >>> sure.arcs.columns.tolist()
    ['from', 'to', 'edge', 'arc', 'reversed']
    """

    def __init__(self, document: dict[str, Any]):
        #: The part of the document that it shows.
        self.document = document

    @property
    def structure(self) -> str:
        """The network as a modelstring."""
        return str(self.document["structure"])

    @property
    def arcs(self) -> DataFrame:
        """The arcs, with the probability of the edge, of the arc in this direction and of the reversed one."""
        arcs = self.document["arcs"]
        return frame({key: [arc[key] for arc in arcs] for key in ("from", "to", "edge", "arc", "reversed")})

    @property
    def left_out(self) -> DataFrame:
        """The most probable edges that the network lacks."""
        return _edges(self.document["left_out"])

    @property
    def caution(self) -> Optional[str]:
        """Why the probabilities may be poorly calibrated, if so; show it with them."""
        caution: Optional[str] = self.document["caution"]
        return caution

    def __repr__(self) -> str:
        return f"NetworkPosterior({self.structure!r}, {self.document['method']})"


class Posterior:
    """Posterior probabilities, returned by :func:`posterior`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=4, arcs=3, rows=[500, 400, 300], seed=3)
    >>> posterior = kinfolk.posterior(made.frames)
    >>> posterior.method, posterior.caution is None
    ('exact', True)
    >>> len(posterior.arcs), len(posterior.edges)
    (12, 6)
    """

    def __init__(self, document: dict[str, Any]):
        #: The result as ``kinfolk posterior --json`` prints it.
        self.document = document

    @property
    def structure(self) -> str:
        """The averaged network as a modelstring: all edges with at least the probability ``threshold``."""
        return str(self.document["structure"])

    @property
    def arcs(self) -> DataFrame:
        """All allowed arcs with their probability, the most probable first."""
        arcs = self.document["arcs"]
        return frame({key: [arc[key] for arc in arcs] for key in ("from", "to", "probability")})

    @property
    def edges(self) -> DataFrame:
        """All edges with the probability of an arc in either direction, the most probable first."""
        return _edges(self.document["edges"])

    @property
    def queries(self) -> DataFrame:
        """The queried features, with probability and Monte Carlo standard error (None: exact)."""
        answers = self.document["queries"]
        return frame({key: [one[key] for one in answers] for key in ("query", "probability", "standard_error")})

    @property
    def network(self) -> Optional[NetworkPosterior]:
        """The posterior of the given structure; None if none was given."""
        network = self.document["network"]
        return None if network is None else NetworkPosterior(network)

    @property
    def method(self) -> Literal["exact", "mcmc"]:
        """How the probabilities were computed."""
        method: Literal["exact", "mcmc"] = self.document["method"]
        return method

    @property
    def converged(self) -> bool:
        """Whether the chains agree; True if exact."""
        return bool(self.document["converged"])

    @property
    def caution(self) -> Optional[str]:
        """Why the probabilities may be poorly calibrated, if so; show it with them."""
        caution: Optional[str] = self.document["caution"]
        return caution

    def __repr__(self) -> str:
        caution = "" if self.caution is None else f", caution: {self.caution}"
        return f"Posterior({self.structure!r}, {self.method}{caution})"

    def _repr_html_(self) -> str:
        caution = "" if self.caution is None else f"<br>caution: {html.escape(self.caution)}"
        return (
            f"<p>averaged network <code>{html.escape(self.structure)}</code><br>{html.escape(self.method)}{caution}</p>"
            f"{html.frame(self.edges, 'posterior.edges')}"
        )
