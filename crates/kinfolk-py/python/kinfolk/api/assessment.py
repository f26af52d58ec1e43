"""Assessment of networks: explanation, posterior probabilities, bootstrap, validation."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from .. import _kinfolk
from .._arguments import settings
from .._arguments.checks import boolean, column, integer, number, optional, text
from .._arguments.signatures import suggest
from .._arguments.structures import modelstring_or_none
from .._kinfolk import ABSENT_ARCS
from ..data import read_arguments
from ..results import Bootstrapped, Explanation, Posterior, Validation
from .learning import run_search

if TYPE_CHECKING:
    from .._typing import (
        Arcs,
        Column,
        ColumnOrValues,
        Columns,
        KinCells,
        Missing,
        Path,
        PriorName,
        Progress,
        Resampled,
        Rules,
        ScoreName,
        SearchName,
        Structure,
        StructurePrior,
        Tables,
    )


@suggest
def explain(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
    structure: Optional[Structure] = None,
    left_out: int = ABSENT_ARCS,
    rivals: bool = True,
    posterior: bool = True,
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
) -> Explanation:
    """Explain a network: the evidence for every arc by data set, whether to pool, which data sets deviate.

    Parameters
    ----------
    data, groups
        The data, as in :func:`read`.
    structure : str, Learned, Network, networkx.DiGraph or arcs, optional
        The structure; by default one is learned. The settings of a Learned or a Network (score, reading of the data) are the
        defaults of settings that are not given.
    left_out : int
        The number of absent arcs to show, those with the most evidence first.
    rivals : bool
        Search for the networks that pooled, separate and hierarchical scores prefer.
    posterior : bool
        Compute the posterior probability of every edge and direction, for up to 12 variables.
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

    Returns
    -------
    Explanation
        With ``verdict``, ``evidence``, ``left_out``, ``pooling``, ``data_sets``, ``graphs``, ``posterior``.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=4, arcs=4, rows=[2000] * 4, s=100, altered=1, removed=2, seed=5)
    >>> explanation = kinfolk.explain(made.frames, structure=made.network, rivals=False)
    >>> explanation.evidence.shape
    (4, 4)
    >>> explanation.data_sets["rows"].tolist()
    [2000, 2000, 2000, 2000]
    """
    given = dict(locals())
    chosen = settings.check(given)
    chosen["recorded"] = settings.recorded(structure)
    read_data = read_arguments(given, chosen["recorded"])
    chosen["start"] = modelstring_or_none(start, "start", read_data.variables)
    own = {
        "structure": modelstring_or_none(structure, variables=read_data.variables),
        "left_out": integer()("left_out", left_out),
        "rivals": boolean("rivals", rivals),
        "posterior": boolean("posterior", posterior),
    }
    return Explanation(run_search(_kinfolk.explain, [read_data, own], chosen))


@suggest
def posterior(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
    method: Literal["auto", "exact", "mcmc"] = "auto",
    chains: int = 4,
    threshold: float = 0.5,
    query: Union[str, Sequence[str]] = (),
    structure: Optional[Structure] = None,
    left_out: int = ABSENT_ARCS,
    resume: Optional[Path] = None,
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
    max_parents: Optional[int] = None,
    whitelist: Arcs = (),
    blacklist: Arcs = (),
    tiers: Sequence[Sequence[Column]] = (),
    time_limit: Optional[float] = None,
    seed: int = 0,
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
) -> Posterior:
    """Compute the posterior probability of every arc and edge, given the data and the model of the score.

    Parameters
    ----------
    data, groups
        The data, as in :func:`read`.
    method : {"auto", "exact", "mcmc"}
        Exact sums over all networks (up to 16 variables), or Markov chains over variable orders (up to 128); by default exact for
        up to 12. The prior of the sums is uniform over networks, that of the chains uniform over orders.
    chains : int
        The number of Markov chains, at least 2.
    threshold : float
        The minimum probability of an edge in the averaged network.
    query : str or list of str
        Features to compute the probability of: ``A -> B`` an arc, ``A -- B`` an edge, ``A ~> B`` a directed path,
        ``A in mb(B)`` membership in the Markov blanket of B, ``mb(B)`` all variables in it.
    structure : str, Learned, Network, networkx.DiGraph or arcs, optional
        A network whose arcs are listed, with the most probable edges that it lacks. The settings of a Learned or a Network (score,
        reading of the data) are the defaults of settings that are not given.
    left_out : int
        The number of those edges.
    resume : path, optional
        A file that keeps the samples of the chains, created if needed. The same call continues from it.
    score, s, s_total, alpha0, s0, prior, kin_grid, pooled_half, kin_cells, iss, structure_prior
        As in :func:`learn`. A pooled score is overconfident if the data sets differ; ``caution`` reports it.
    max_parents, whitelist, blacklist, tiers
        Constraints, as in :func:`learn`; probabilities are conditional on them.
    time_limit : float, optional
        Stop after this many seconds; chains return their samples so far.
    seed : int
        The seed of the chains.
    memory, threads, progress
        As in :func:`learn`.
    weights, id, id_seed, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        As in :func:`read`.

    Returns
    -------
    Posterior
        With ``arcs``, ``edges``, ``structure`` (the averaged network), ``queries``, ``network``, ``method``, ``converged``, ``caution``.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=4, arcs=3, rows=[500, 400, 300], seed=3)
    >>> posterior = kinfolk.posterior(made.frames, query="V1 ~> V2")
    >>> posterior.edges.columns.tolist()
    ['a', 'b', 'probability']
    >>> posterior.queries["query"].tolist()
    ['V1 ~> V2']
    """
    given = dict(locals())
    chosen = {**settings.NO_SEARCH, **settings.check(given)}
    chosen["recorded"] = settings.recorded(structure)
    read_data = read_arguments(given, chosen["recorded"])
    own: dict[str, Any] = {
        "method": text("method", method),
        "chains": integer()("chains", chains),
        "threshold": number("threshold", threshold),
        "queries": [text("query", one) for one in ([query] if isinstance(query, str) else query)],
        "structure": modelstring_or_none(structure, variables=read_data.variables),
        "left_out": integer()("left_out", left_out),
        "resume": None if resume is None else os.fspath(resume),
    }
    return Posterior(run_search(_kinfolk.posterior, [read_data, own], chosen))


@suggest
def bootstrap(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
    replicates: int = 200,
    by: Resampled = "half-rows",
    leave_one_out: Optional[bool] = None,
    resume: Optional[Path] = None,
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
) -> Bootstrapped:
    """Learn from resampled data, and estimate how strongly the data support every arc.

    Parameters
    ----------
    data, groups
        The data, as in :func:`read`.
    replicates : int
        The number of resamples.
    by : {"half-rows", "rows", "data-sets"}
        Draw half of the rows of every data set without replacement, or as many rows as it has with replacement, or whole
        data sets with replacement. Repeated rows bias kin.
    leave_one_out : bool, optional
        Also learn without each data set, and compare the arcs; by default if there are several data sets.
    resume : path, optional
        A file that keeps every finished search, created if needed. The same call continues after an interruption, a time
        limit, or with more ``replicates``. A file of other data or settings, or one that another run uses, is refused.
    score, s, s_total, alpha0, s0, prior, kin_grid, pooled_half, kin_cells, iss, structure_prior
        As in :func:`learn`.
    seed : int
        The seed of the resampling and of the search.
    search, max_parents, whitelist, blacklist, tiers, start, max_steps, time_limit, tabu, escapes, restarts, perturb, keep_scores
        The search, as in :func:`learn`.
    memory, threads, progress
        As in :func:`learn`.
    weights, id, id_seed, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        As in :func:`read`.

    Returns
    -------
    Bootstrapped
        With ``arcs``, ``structure`` (the averaged network), ``threshold``, ``leave_one_out``.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[1000, 1000, 1000], seed=2)
    >>> strengths = kinfolk.bootstrap(made.frames, replicates=20)
    >>> strengths.leave_one_out.index.tolist()
    ['data_001', 'data_002', 'data_003']

    A file keeps finished searches; more replicates continue from it.

    >>> import os, tempfile
    >>> kept = os.path.join(tempfile.mkdtemp(), "kept.jsonl")
    >>> some = kinfolk.bootstrap(made.frames, replicates=5, resume=kept)
    >>> more = kinfolk.bootstrap(made.frames, replicates=20, resume=kept)
    >>> more.arcs.equals(strengths.arcs)
    True
    """
    given = dict(locals())
    chosen = settings.check(given)
    own: dict[str, Any] = {
        "replicates": integer()("replicates", replicates),
        "by": text("by", by),
        "leave_one_out": optional(boolean)("leave_one_out", leave_one_out),
        "resume": None if resume is None else os.fspath(resume),
    }
    read_data = read_arguments(given)
    chosen["start"] = modelstring_or_none(start, "start", read_data.variables)
    return Bootstrapped(run_search(_kinfolk.bootstrap, [read_data, own], chosen))


@suggest
def validate(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
    scheme: Literal["folds", "data-sets"] = "folds",
    folds: int = 10,
    tune: bool = False,
    iss_rivals: bool = False,
    target: Optional[str] = None,
    structure: Optional[Structure] = None,
    structures: Literal["shared", "own"] = "shared",
    method: Optional[Literal["kin", "hierarchical"]] = None,
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
) -> Validation:
    """Cross-validate three ways to estimate tables on the same rows: hierarchical, pooled and separate.

    Parameters
    ----------
    data, groups
        The data, as in :func:`read`.
    scheme : {"folds", "data-sets"}
        Hold out one of ``folds`` random parts of every data set at a time, or one whole data set.
    folds : int
        The number of parts.
    tune : bool
        Choose s and iss of the tables from the rows that are not held out. The grid, 0.25 to 100, is extended while the best weight is
        at its end.
    iss_rivals : bool
        Also compare pooled and separate tables with the usual prior, ``iss`` imaginary rows per table. Implied by ``iss``, and by
        ``tune`` with kin. Without them all methods have the same prior.
    target : str, optional
        A variable to predict from all others.
    structure : str, Learned, Network, networkx.DiGraph or arcs, optional
        The structure for all folds; by default one is learned in every fold. Its settings are defaults, as in :func:`explain`.
    structures : {"shared", "own"}
        Use one structure for all methods, or the best structure of each method.
    method : {"kin", "hierarchical"}, optional
        The tables of related data sets: ``kin``, or ``hierarchical`` if an option of its prior is given.
    score, s, s_total, alpha0, s0, prior, kin_grid, pooled_half, kin_cells, iss, structure_prior
        As in :func:`learn`.
    seed : int
        The seed of the folds and of the search.
    search, max_parents, whitelist, blacklist, tiers, start, max_steps, time_limit, tabu, escapes, restarts, perturb, keep_scores
        The search, as in :func:`learn`.
    memory, threads, progress
        As in :func:`learn`.
    weights, id, id_seed, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        As in :func:`read`.

    Returns
    -------
    Validation
        With ``methods``, ``differences`` and ``agreement``.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[200, 200], parameters="iid", seed=1)
    >>> validation = kinfolk.validate(made.frames, folds=2)
    >>> validation.differences.loc["pooled", "verdict"]
    'better'
    """
    given = dict(locals())
    chosen = settings.check(given)
    chosen["recorded"] = settings.recorded(structure)
    read_data = read_arguments(given, chosen["recorded"])
    chosen["start"] = modelstring_or_none(start, "start", read_data.variables)
    own = {
        "scheme": text("scheme", scheme),
        "folds": integer()("folds", folds),
        "tune": boolean("tune", tune),
        "iss_rivals": boolean("iss_rivals", iss_rivals),
        "target": optional(column)("target", target),
        "structure": modelstring_or_none(structure, variables=read_data.variables),
        "structures": text("structures", structures),
        "method": optional(text)("method", method),
    }
    return Validation(run_search(_kinfolk.validate, [read_data, own], chosen))
