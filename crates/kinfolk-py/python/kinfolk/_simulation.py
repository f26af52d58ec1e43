"""Made-up data: related data sets with their truth, and the numerical example of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

import numpy as np

from . import _frames, _html, _kinfolk
from ._checks import each, number, optional, text, whole
from ._learning import fit
from ._network import Network

if TYPE_CHECKING:
    from pandas import DataFrame


class Simulated:
    """A made-up truth and rows drawn from it, made by :func:`simulate`.

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
        #: The structure of each data set, by name.
        self.structures = structures
        #: The rows, a frame for each data set by name.
        self.frames = frames

    def __repr__(self) -> str:
        return f"Simulated({self.network.structure!r}, {len(self.frames)} data sets)"

    def _repr_html_(self) -> str:
        return self.network._repr_html_()


def simulate(
    nodes: int,
    arcs: int,
    rows: Sequence[int],
    *,
    states: Union[int, Sequence[int]] = 2,
    max_parents: Optional[int] = None,
    parameters: Literal["hier", "iid", "id"] = "hier",
    level: Literal["joint", "configuration"] = "joint",
    s: float = 10.0,
    alpha0: float = 1.0,
    altered: int = 0,
    removed: Union[int, float] = 0.5,
    seed: int = 0,
    replicate: int = 0,
) -> Simulated:
    """Makes up a network and related data sets drawn from it.

    Parameters
    ----------
    nodes, arcs : int
        How many variables, and exactly how many arcs.
    rows : list of int
        The rows of each data set.
    states : int or list of int
        Numbers of states from which each variable draws its own.
    max_parents : int, optional
        The most parents of a node.
    parameters : {"hier", "iid", "id"}
        Tables around a common centre; each data set's by themselves; the same for all.
    level : {"joint", "configuration"}
        What the Dirichlet distributions are over.
    s, alpha0 : float
        How concentrated the tables are around the centre, and the centre's own prior.
    altered : int
        How many data sets lose arcs of their own.
    removed : int or float
        How many arcs each of them loses, or, as a float, the probability of losing each.
    seed, replicate : int
        The same numbers give the same result on every machine.

    Returns
    -------
    Simulated
        With ``network``, ``structures`` and ``frames``.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[5, 4], seed=1)
    >>> {name: len(frame) for name, frame in made.frames.items()}
    {'data_001': 5, 'data_002': 4}
    """
    numbers = each(whole(), "a list of whole numbers")
    network, structures, coded = _kinfolk.simulate(
        {
            "nodes": whole()("nodes", nodes),
            "arcs": whole()("arcs", arcs),
            "max_parents": optional(whole())("max_parents", max_parents),
            "states": numbers("states", [states] if isinstance(states, (int, np.integer)) else states),
            "rows": numbers("rows", rows),
            "parameters": text("parameters", parameters),
            "level": text("level", level),
            "s": number("s", s),
            "alpha0": number("alpha0", alpha0),
            "altered": whole()("altered", altered),
            "removed": (whole() if isinstance(removed, (int, np.integer)) else number)("removed", removed),
            "seed": whole()("seed", seed),
            "replicate": whole()("replicate", replicate),
        }
    )
    frames = _frames.decode(*coded)
    return Simulated(Network(network), dict(zip(frames, structures)), frames)


class Example:
    """The numerical example of the paper, made by :func:`example`.

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
        #: The network that both data sets were drawn from, as a modelstring.
        self.structure = structure
        #: The arcs in the order in which the paper's search adds them.
        self.steps = steps
        #: The paper's table: the score of each node in data set 2, by step from the empty graph on.
        self.printed = printed
        #: The rows, a frame for each of the two data sets by name.
        self.frames = frames

    def __repr__(self) -> str:
        return f"Example({self.structure!r}, {len(self.frames)} data sets)"

    def _repr_html_(self) -> str:
        drawn, _ = _kinfolk.drawings(fit(self.frames, self.structure)._inner.text(), None)
        return f"<p>network <code>{_html.escape(self.structure)}</code></p>{drawn}{_html.frame(self.printed, 'example.printed')}"


def example() -> Example:
    """The numerical example of Azzimonti, Corani and Scutari (2022), section 5, with its data reconstructed from the printed figures.

    Returns
    -------
    Example
        With ``frames``, ``structure``, ``steps`` and ``printed``; ``prior="paper"`` is the prior of its scores.

    Examples
    --------
    >>> import kinfolk
    >>> paper = kinfolk.example()
    >>> learned = kinfolk.learn(paper.frames, prior="paper")
    >>> learned.structure == paper.structure
    True
    >>> bool(abs(learned.nodes["in 2"] - paper.printed.iloc[-1]).max() < 0.001)
    True
    """
    structure, steps, printed, weights, (columns, names, starts) = _kinfolk.example()
    spread = np.repeat(np.arange(len(weights)), weights)
    rows = [(name, states, np.frombuffer(codes, f"<u{width}")[spread].tobytes(), width) for name, states, codes, width in columns]
    ends = np.concatenate([[0], np.cumsum(weights)])
    frames = _frames.decode(rows, names, [int(ends[start]) for start in starts])
    nodes = [name for name, *_ in columns]
    table = _frames.frame({name: [row[index] for row in printed] for index, name in enumerate(nodes)}, {"step": list(range(len(printed)))})
    return Example(structure, steps, table, frames)
