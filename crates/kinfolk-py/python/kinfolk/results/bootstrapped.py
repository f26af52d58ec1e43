"""Bootstraps: strengths of arcs and the averaged network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from .._interop.frames import frame
from .._render import html

if TYPE_CHECKING:
    from pandas import DataFrame


class Bootstrapped:
    """Strengths of arcs, returned by :func:`bootstrap`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[1000, 1000], seed=2)
    >>> strengths = kinfolk.bootstrap(made.frames, replicates=10)
    >>> strengths.arcs.columns.tolist()
    ['from', 'to', 'strength', 'direction', 'averaged']
    >>> kinfolk.fit(made.frames, strengths).structure == strengths.structure
    True
    """

    def __init__(self, document: dict[str, Any]):
        #: The result as ``kinfolk bootstrap --json`` prints it.
        self.document = document

    @property
    def structure(self) -> Optional[str]:
        """The averaged network as a modelstring; None if no replicate is finished."""
        averaged: Optional[str] = self.document["averaged"]
        return averaged

    @property
    def arcs(self) -> DataFrame:
        """All edges that occur in a replicate, by decreasing strength.

        ``strength`` is the share of replicates with the edge, ``direction`` the share of these with this direction.
        """
        arcs = self.document["arcs"]
        return frame({key: [arc[key] for arc in arcs] for key in ("from", "to", "strength", "direction", "averaged")})

    @property
    def threshold(self) -> Optional[float]:
        """The strength above which edges are in the averaged network; None if no replicate is finished."""
        threshold: Optional[float] = self.document["threshold"]
        return threshold

    @property
    def learned(self) -> Optional[str]:
        """The structure learned from all rows; None if that search is not finished."""
        learned: Optional[str] = self.document["learned"]
        return learned

    @property
    def leave_one_out(self) -> Optional[DataFrame]:
        """The structure learned without each data set, its SHD, and the edges kept, reversed, lost and gained.

        Edges count in either direction: reversed ones are also kept. None if not requested.
        """
        found = self.document["leave_one_out"]
        if found is None:
            return None
        columns: dict[str, Any] = {key: [one[key] for one in found] for key in ("structure", "shd")}
        for key in ("kept", "reversed", "lost", "gained"):
            columns[key] = [tuple((arc["from"], arc["to"]) for arc in one[key]) for one in found]
        return frame(columns, {"data set": [one["data_set"] for one in found]})

    @property
    def stop(self) -> str:
        """Why the bootstrap ended: ``complete`` or ``time-limit``."""
        return str(self.document["stop"])

    def __repr__(self) -> str:
        done, asked = self.document["replicates"], self.document["replicates_asked"]
        return f"Bootstrapped({self.structure!r}, {done} of {asked} replicates)"

    def _repr_html_(self) -> str:
        done, asked = self.document["replicates"], self.document["replicates_asked"]
        if self.structure is None or self.threshold is None:
            return f"<p>no averaged network: 0 of {asked} replicates</p>"
        return (
            f"<p>averaged network <code>{html.escape(self.structure)}</code><br>{done} of {asked} replicates, "
            f"threshold {self.threshold:.3f}</p>{html.frame(self.arcs, 'bootstrapped.arcs')}"
        )
