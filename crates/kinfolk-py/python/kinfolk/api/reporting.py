"""The self-contained HTML report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from .._arguments import settings
from .._arguments.signatures import changed, suggest
from ..network import Network
from ..results import Learned
from .learning import learn

if TYPE_CHECKING:
    from .._typing import (
        Arcs,
        Column,
        ColumnOrValues,
        Columns,
        Depth,
        KinCells,
        Missing,
        Path,
        PriorName,
        Progress,
        Rules,
        ScoreName,
        SearchName,
        Structure,
        StructurePrior,
        Tables,
    )
    from ..results import Bootstrapped


@suggest
def report(
    data: Union[Tables, Learned, Network],
    path: Path,
    groups: ColumnOrValues = None,
    *,
    title: Optional[str] = None,
    figures: Optional[Path] = None,
    explain: Optional[Depth] = None,
    bootstrap: Optional[Bootstrapped] = None,
    score: Optional[ScoreName] = None,
    s: Optional[float] = None,
    s_total: Optional[float] = None,
    alpha0: Optional[float] = None,
    s0: Optional[float] = None,
    prior: Optional[PriorName] = None,
    kin_grid: Optional[Sequence[float]] = None,
    pooled_half: Optional[bool] = None,
    kin_cells: Optional[KinCells] = None,
    iss: Optional[float] = None,
    structure_prior: Optional[StructurePrior] = None,
    search: SearchName = "auto",
    max_parents: Optional[int] = None,
    whitelist: Arcs = (),
    blacklist: Arcs = (),
    tiers: Sequence[Sequence[Column]] = (),
    start: Optional[Structure] = None,
    max_steps: Optional[int] = None,
    time_limit: Optional[float] = None,
    tabu: Optional[int] = None,
    escapes: Optional[int] = None,
    restarts: Optional[int] = None,
    perturb: Optional[int] = None,
    seed: int = 0,
    keep_scores: Optional[int] = None,
    memory: int = 4096,
    threads: int = 0,
    progress: Progress = None,
    weights: ColumnOrValues = None,
    id: ColumnOrValues = None,
    id_seed: int = 1,
    names: Optional[Sequence[str]] = None,
    columns: Optional[Columns] = None,
    ignore: Columns = (),
    common_columns: bool = False,
    levels: Optional[Mapping[Any, Sequence[Any]]] = None,
    discretize: Rules = (),
    na: Optional[Sequence[Any]] = None,
    missing: Missing = "refuse",
    max_states: int = 50,
    delimiter: Optional[str] = None,
) -> None:
    """Write a self-contained HTML page about a network.

    Parameters
    ----------
    data : Learned, Network, or data as in :func:`read`
        The network, or data to learn it from.
    path : path
        The page.
    groups
        As in :func:`read`.
    title : str, optional
        The title; the names of the data sets by default.
    figures : path, optional
        A folder for ``network.svg`` and, if the evidence by data set is known, ``evidence.svg``.
    explain : {"brief", "full", "none"}, optional
        The extent of the explanation: pooling, deviating data sets, absent arcs; ``full`` also finds the best networks of other scores. By
        default ``brief`` if there are data.
    bootstrap : Bootstrapped, optional
        Arc strengths from the same data; the width of an arc then shows its strength.
    score, s, s_total, alpha0, s0, prior, kin_grid, pooled_half, kin_cells, iss, structure_prior
        As in :func:`learn`.
    seed : int
        The seed of the search.
    search, max_parents, whitelist, blacklist, tiers, start, max_steps, time_limit, tabu, escapes, restarts, perturb, keep_scores
        The search, as in :func:`learn`.
    memory, threads, progress
        As in :func:`learn`.
    weights, id, id_seed, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        As in :func:`read`.

    Examples
    --------
    >>> import kinfolk, os, tempfile
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[200, 200], seed=1)
    >>> page = os.path.join(tempfile.mkdtemp(), "network.html")
    >>> kinfolk.report(made.frames, page, title="Two data sets")
    >>> "<title>Two data sets</title>" in open(page, encoding="utf-8").read()
    True
    """
    given = dict(locals())
    settings.check(given)
    if isinstance(data, (Learned, Network)):
        late = [*([] if groups is None else ["groups"]), *changed(learn, given)]
        if late:
            raise TypeError(f"this network has been learned, so {late[0]} has no effect; give it to kinfolk.learn")
    if isinstance(data, Network):
        if explain is not None or bootstrap is not None:
            raise TypeError("explain and bootstrap need the data, which a Network does not have; give what kinfolk.learn returned")
        data.report(path, title, figures)
        return
    if isinstance(data, Learned):
        learned = data
    else:
        learned = learn(data, groups, **{name: given[name] for name in changed(learn, given)})
    learned.report(path, title, figures, "brief" if explain is None else explain, bootstrap)
