"""Learning, scoring, fitting and comparing structures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional

from .. import _kinfolk
from .._arguments import settings
from .._arguments.checks import optional, text
from .._arguments.signatures import suggest
from .._arguments.structures import modelstring_of, modelstring_or_none
from .._render.progress import watch
from ..data import read_arguments
from ..network import Network
from ..results import Learned, Scored

if TYPE_CHECKING:
    from .._typing import (
        Arcs,
        Column,
        ColumnOrValues,
        Columns,
        KinCells,
        Method,
        Missing,
        PriorName,
        Progress,
        Rules,
        ScoreName,
        SearchName,
        Structure,
        StructurePrior,
        Tables,
    )


def run_search(call: Callable[..., dict[str, Any]], what: list[Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Calls a function of the compiled module that searches for structures, and shows its progress."""
    with watch(chosen["progress"], call.__name__) as report:
        return call(*what, settings.score(chosen), settings.search(chosen), settings.machine(chosen, report))


@suggest
def learn(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
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
) -> Learned:
    """Search for the structure that the data sets share.

    The result is the same for any number of threads, and bit for bit the same as that of ``kinfolk learn``. Ctrl-C
    interrupts the search within a second.

    Parameters
    ----------
    data, groups
        The data, as in :func:`read`.
    score : {"kin", "bhd", "bdeu", "bdeu-separate", "bic", "aic", "k2", "bds", "bdj", "loglik"}, optional
        ``kin`` and ``bhd`` model the data sets as related; ``kin`` also learns how closely. ``bdeu-separate`` models them
        as unrelated, the other scores pool them. The default is ``kin``, or ``bhd`` if an option of its prior is given.
    s, s_total : float, optional
        bhd: the concentration of the data sets around their common centre (default 1), for each data set or in total.
    alpha0, s0 : float, optional
        bhd: the prior of the centre (default 1), for each cell or in total.
    prior : {"default", "paper"}, optional
        bhd: a named prior instead.
    kin_grid : list of float, optional
        kin: the values of s to integrate over, evenly spaced in ln s.
    pooled_half : bool, optional
        kin: give half of the prior probability to identical data sets (default True).
    kin_cells : {"row", "joint"}, optional
        kin: what the Dirichlet distributions are over: one configuration of the parents, or the joint table.
    iss : float, optional
        bdeu, bds, bdeu-separate: the imaginary sample size (default 1).
    structure_prior : {"uniform", "size"}, optional
        The prior over numbers of parents; by default ``size`` for kin, otherwise ``uniform``.
    search : {"auto", "climb", "tabu", "order", "exact", "pc"}
        ``auto`` climbs with 20 escapes from optima, adds pairs of parents that gain only together and restarts, with up to
        12 variables in an order search; with up to 8 it computes the exact optimum. ``climb`` is the plain hill-climb to the first optimum, with the steps of
        bnlearn. ``tabu`` is tabu search with a list of 10 networks. ``order`` searches among orders of the variables after
        climbing, until ``time_limit`` if there is one; its result has ``search["curve"]``, the best score against time.
        ``exact`` is the network with the highest score of all. ``pc`` is PC-stable, with tests of conditional independence
        that compare the scores of families.
        The options below refine each of them.
    max_parents : int, optional
        The largest number of parents of a node.
    whitelist, blacklist : list of (from, to), or frame with these columns
        Arcs that the network must have, or must not have.
    tiers : list of lists of str
        Columns in temporal order; no arc points to an earlier tier.
    start : str, Learned, Network, networkx.DiGraph or arcs, optional
        The structure to start from; the empty one by default.
    max_steps : int, optional
        The largest number of moves.
    time_limit : float, optional
        Seconds after which the search returns the best network so far.
    tabu : int, optional
        Tabu search: make up to this many moves without a gain, and never return to one of the last ``tabu`` networks.
    escapes : int, optional
        Reverse arcs with re-selection of both endpoints' parents, after every move and, at an optimum, in random
        equivalent networks, until this many in a row led to no higher score; 0 makes single moves only.
    restarts, perturb, seed : int
        Restart this often from the best network, after this many random moves, with this seed. By default ``auto`` makes up
        to 10 restarts after 4 or 10 moves, and ``order`` 10 after moving 4 variables in the order.
    keep_scores : int, optional
        The largest number of family scores to cache.
    memory : int
        The largest memory for the counts of one family, in MB.
    threads : int
        The number of threads; 0 uses all cores.
    progress : bool or callable, optional
        True shows a progress bar (with tqdm if installed). By default notebooks show one after a second. A callable
        receives moves, score, families scored, and families of the step.
    weights, id, id_seed, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        As in :func:`read`.

    Returns
    -------
    Learned
        With ``structure``, ``score``, ``arcs``, ``evidence``, ``steps``, and ``fit()`` for the tables.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=4, arcs=3, rows=[500, 400, 300], seed=3)
    >>> learned = kinfolk.learn(made.frames, max_parents=2)
    >>> learned.stop
    'optimum'
    >>> learned.arcs.columns.tolist()
    ['from', 'to', 'gain', 'mark']
    >>> learned.evidence.columns.tolist()
    ['data_001', 'data_002', 'data_003']
    """
    given = dict(locals())
    chosen = settings.check(given)
    read_data = read_arguments(given)
    chosen["start"] = modelstring_or_none(start, "start", read_data.variables)
    document = run_search(_kinfolk.learn, [read_data], chosen)
    return Learned(document, read_data, settings.pick(chosen, settings.SCORE, settings.SEARCH))


@suggest
def score(
    data: Tables,
    structure: Structure,
    groups: ColumnOrValues = None,
    *,
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
    memory: int = 4096,
    threads: int = 0,
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
) -> Scored:
    """Score a structure, node by node and data set by data set.

    Parameters
    ----------
    data, groups
        The data, as in :func:`read`.
    structure : str, Learned, Network, networkx.DiGraph or arcs
        The structure, for example ``"[A][B|A]"``.
    score, s, s_total, alpha0, s0, prior, kin_grid, pooled_half, kin_cells, iss, structure_prior
        As in :func:`learn`.
    memory, threads
        As in :func:`learn`.
    weights, id, id_seed, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        As in :func:`read`.

    Returns
    -------
    Scored

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=2, arcs=1, rows=[500, 500], seed=1)
    >>> with_arc, without = (kinfolk.score(made.frames, text) for text in ("[V1][V2|V1]", "[V1][V2]"))
    >>> with_arc.score > without.score
    True
    """
    given = dict(locals())
    chosen = settings.check(given)
    chosen["recorded"] = settings.recorded(structure)
    read_data = read_arguments(given, chosen["recorded"])
    modelstring = modelstring_of(structure, variables=read_data.variables)
    return Scored(_kinfolk.score(read_data, modelstring, settings.score(chosen), settings.machine(chosen)))


@suggest
def fit(
    data: Tables,
    structure: Structure,
    groups: ColumnOrValues = None,
    *,
    method: Optional[Method] = None,
    s: Optional[float] = None,
    s_total: Optional[float] = None,
    alpha0: Optional[float] = None,
    s0: Optional[float] = None,
    prior: Optional[PriorName] = None,
    kin_grid: Optional[Sequence[float]] = None,
    pooled_half: Optional[bool] = None,
    kin_cells: Optional[KinCells] = None,
    iss: Optional[float] = None,
    memory: int = 4096,
    threads: int = 0,
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
) -> Network:
    """Estimate the probability tables of a structure for every data set.

    Parameters
    ----------
    data, groups
        The data, as in :func:`read`.
    structure : str, Learned, Network, networkx.DiGraph or arcs
        The structure, for example ``"[A][B|A]"``.
    method : {"hierarchical", "kin", "bayes", "mle"}, optional
        ``hierarchical`` shrinks each data set towards the common centre with a given strength, ``kin`` learns the strength
        for each family, ``bayes`` estimates each data set alone with an imaginary sample, ``mle`` uses observed shares. By
        default the method and its options are those that ``structure`` records, if it is a Learned or a Network; otherwise
        ``kin``, or ``hierarchical`` if an option of its prior is given.
    s, s_total, alpha0, s0, prior
        hierarchical: the prior, as in :func:`learn`.
    kin_grid, pooled_half, kin_cells
        kin: the model, as in :func:`learn`.
    iss : float, optional
        bayes: the imaginary sample size (default 1).
    memory, threads
        As in :func:`learn`.
    weights, id, id_seed, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        As in :func:`read`.

    Returns
    -------
    Network

    Examples
    --------
    >>> import kinfolk
    >>> rows = {"north": {"rain": ["yes", "no", "no", "no"]}, "south": {"rain": ["no", "no", "no", "no"]}}
    >>> kinfolk.fit(rows, "[rain]", method="mle").table("rain", "north").tolist()
    [0.75, 0.25]
    >>> kinfolk.fit(rows, "[rain]").table("rain", "south").round(3).tolist()
    [0.834, 0.166]
    """
    given = dict(locals())
    chosen = settings.check(given)
    recorded = settings.recorded(structure)
    read_data = read_arguments(given, recorded)
    how = {"method": optional(text)("method", method), **settings.priors(chosen), "recorded": recorded}
    found = json.dumps(structure.document) if isinstance(structure, Learned) and data is structure.data else None
    modelstring = modelstring_of(structure, variables=read_data.variables)
    return Network(_kinfolk.fit(read_data, modelstring, how, found, settings.machine(chosen)))


def compare(learned: Structure, truth: Structure) -> dict[str, Any]:
    """Compare a learned structure with a true one: SHD, and TP, FP and FN of CPDAGs, DAGs and skeletons.

    Parameters
    ----------
    learned, truth : str, Learned, Network, networkx.DiGraph or arcs
        Structures over the same variables.

    Returns
    -------
    dict
        As ``kinfolk compare --json`` prints it.

    Examples
    --------
    >>> import kinfolk
    >>> kinfolk.compare("[A][B|A]", "[B][A|B]")["shd"]
    {'cpdag': 0, 'dag': 1, 'skeleton': 0}
    """
    return _kinfolk.compare(modelstring_of(learned, "learned"), modelstring_of(truth, "truth"))
