"""Simulated related data sets with their true network, and the numerical example of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Optional, Union

import numpy as np

from .. import _kinfolk
from .._arguments.checks import each, integer, number, optional, text
from .._interop import frames as _frames
from ..network import Network
from ..results import Example, Simulated


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
    """Draw a random network, and related data sets from it.

    Parameters
    ----------
    nodes, arcs : int
        The number of variables, and the exact number of arcs.
    rows : list of int
        The number of rows of each data set.
    states : int or list of int
        The number of states; from a list each variable draws one.
    max_parents : int, optional
        The largest number of parents of a node.
    parameters : {"hier", "iid", "id"}
        Tables around a common centre, independent tables for each data set, or the same tables for all.
    level : {"joint", "configuration"}
        Dirichlet distributions over the joint table of a family, or over each configuration of the parents.
    s, alpha0 : float
        The concentration of the tables around the centre, and the prior of the centre.
    altered : int
        The number of data sets that lose arcs.
    removed : int or float
        The number of arcs that each of them loses or, as a float, the probability to lose each arc.
    seed, replicate : int
        The same values give the same result on every machine.

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
    numbers = each(integer(), "a list of whole numbers")
    network, structures, coded = _kinfolk.simulate(
        {
            "nodes": integer()("nodes", nodes),
            "arcs": integer()("arcs", arcs),
            "max_parents": optional(integer())("max_parents", max_parents),
            "states": numbers("states", [states] if isinstance(states, (int, np.integer)) else states),
            "rows": numbers("rows", rows),
            "parameters": text("parameters", parameters),
            "level": text("level", level),
            "s": number("s", s),
            "alpha0": number("alpha0", alpha0),
            "altered": integer()("altered", altered),
            "removed": (integer() if isinstance(removed, (int, np.integer)) else number)("removed", removed),
            "seed": integer()("seed", seed),
            "replicate": integer()("replicate", replicate),
        }
    )
    frames = _frames.decode(*coded)
    return Simulated(Network(network), dict(zip(frames, structures)), frames)


def example() -> Example:
    """Return the numerical example of Azzimonti, Corani and Scutari (2022), section 5, with data reconstructed from the printed scores.

    Returns
    -------
    Example
        With ``frames``, ``structure``, ``steps`` and ``printed``; the scores are those of ``prior="paper"``.

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
