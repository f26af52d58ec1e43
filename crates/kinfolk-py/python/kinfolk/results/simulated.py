"""Simulated data with their true network, and the example of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._render import html

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..network import Network


class Simulated:
    """A random network and rows drawn from it, returned by :func:`simulate`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=2, arcs=1, rows=[3, 2], seed=1)
    >>> made.network.structure
    '[V1][V2|V1]'
    >>> made.structures["data_002"]
    '[V1][V2|V1]'
    """

    def __init__(self, network: Network, structures: dict[str, str], frames: dict[str, DataFrame]):
        #: The true network, with every data set's tables.
        self.network = network
        #: The structure of each data set.
        self.structures = structures
        #: The rows: one frame per data set.
        self.frames = frames

    def __repr__(self) -> str:
        return f"Simulated({self.network.structure!r}, {len(self.frames)} data sets)"

    def _repr_html_(self) -> str:
        return self.network._repr_html_()


class Example:
    """The numerical example of the paper, returned by :func:`example`.

    Examples
    --------
    >>> import kinfolk
    >>> paper = kinfolk.example()
    >>> paper.structure
    '[X1][X2|X1][X3|X1][X4|X3][X5|X1:X4]'
    >>> {name: len(frame) for name, frame in paper.frames.items()}
    {'1': 1000, '2': 1000}
    """

    def __init__(self, structure: str, steps: list[tuple[str, str]], printed: Any, frames: dict[str, DataFrame]):
        #: The true network of both data sets as a modelstring.
        self.structure = structure
        #: The arcs in the order in which the paper's search adds them.
        self.steps = steps
        #: The paper's table: the score of each node in data set 2, by step from the empty graph on.
        self.printed = printed
        #: The rows: one frame per data set.
        self.frames = frames

    def __repr__(self) -> str:
        return f"Example({self.structure!r}, {len(self.frames)} data sets)"

    def _repr_html_(self) -> str:
        from ..api import fit

        drawn = html.drawing(fit(self.frames, self.structure).to_svg())
        return f"<p>network <code>{html.escape(self.structure)}</code></p>{drawn}{html.frame(self.printed, 'example.printed')}"
