"""Learn one Bayesian network from several related data sets.

Each data set keeps its own probabilities, drawn around a common centre, and all of them share one structure.

>>> import kinfolk
>>> made = kinfolk.simulate(nodes=4, arcs=3, rows=[500, 400, 300], seed=3)
>>> learned = kinfolk.learn(made.frames)
>>> network = learned.fit()
>>> network.table("V1", "data_001").sum(axis=-1).round(12).min()
np.float64(1.0)

Settings have the names of the command line's options, with ``_`` for ``-``: where a message speaks of
``--missing drop-rows``, write ``missing="drop-rows"``. Messages count the rows of tables in memory from 0.
"""

from __future__ import annotations

import json

from . import _frames, _kinfolk
from ._kinfolk import Data, DataError, KinfolkError, NetworkError, SettingsError, StructureError, __version__
from ._learned import Learned, Scored, Simulated, Validation
from ._network import Network
from ._progress import watch

__all__ = [
    "Data",
    "DataError",
    "KinfolkError",
    "Learned",
    "Network",
    "NetworkError",
    "Scored",
    "SettingsError",
    "Simulated",
    "StructureError",
    "Validation",
    "__version__",
    "compare",
    "describe",
    "fit",
    "learn",
    "load",
    "read",
    "score",
    "simulate",
    "validate",
]

load = Network.load


def read(
    data,
    groups=None,
    *,
    weights=None,
    names=None,
    columns=None,
    ignore=(),
    common_columns=False,
    levels=None,
    discretize=(),
    na=None,
    missing="refuse",
    max_states=50,
    delimiter=None,
):
    """Reads and codes related data sets, once for any number of uses.

    Every function that takes data takes what this one takes, or what it returns.

    Parameters
    ----------
    data : frame, table, array, mapping, list, path or Data
        One table with ``groups``; or a mapping from data set to table; or a list of tables; or paths of CSV files, one data
        set each. A table is a pandas or polars frame, a pyarrow table or anything else with ``__arrow_c_stream__``, a 2-D or
        structured array, or a mapping from column to values. Categories (pandas ``Categorical``, polars ``Enum``, Arrow
        dictionaries) are kept as states in their order, also those that no row has; other columns take the union of what the
        data sets hold.
    groups : str or array, optional
        Which data set a row belongs to: a column, or one value per row.
    weights : str or array, optional
        How many rows a row stands for.
    names : list of str, optional
        The names of the columns of 2-D arrays; X1, X2, … if not given.
    columns, ignore : list of str
        The columns to use, or to leave out.
    common_columns : bool
        Keep only the columns that all tables have, instead of refusing tables that differ.
    levels : dict, optional
        Declared states of some columns, in their order.
    discretize : dict, str or list of str
        Bins for numbers, the same in every data set: ``{"age": "quantile:4"}``, ``"all=width:5"``, ``"age=cuts:20,40"``.
    na : list of str, optional
        Texts that mean missing, besides the empty one; NA, NaN and ? if not given.
    missing : {"refuse", "drop-rows", "level"}
        Say where values are missing and stop; leave rows out; or make missing a state.
    max_states : int
        The most distinct values of a column that is neither discretised nor declared.
    delimiter : str, optional
        What separates cells in files; found out if not given.

    Returns
    -------
    Data
        With ``variables``, ``data_sets``, ``notes``, ``description``, ``fingerprint``.

    Raises
    ------
    DataError
        With table, row, column, value and the way out.

    Examples
    --------
    >>> import kinfolk
    >>> data = kinfolk.read({"smoker": ["yes", "no", "no"], "site": [1, 1, 2]}, groups="site")
    >>> data.data_sets
    {'1': 2, '2': 1}
    >>> data.variables
    {'smoker': ['no', 'yes']}
    """
    if isinstance(data, Data):
        return data
    return _kinfolk.read(
        *_reading(
            data, groups, weights, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        )
    )


def describe(
    data,
    groups=None,
    *,
    weights=None,
    names=None,
    columns=None,
    ignore=(),
    common_columns=False,
    levels=None,
    discretize=(),
    na=None,
    missing="refuse",
    max_states=50,
    delimiter=None,
):
    """Says what is understood of data, without refusing missing values: it counts them.

    Takes what :func:`read` takes; returns dictionaries and lists, as ``kinfolk describe --json`` prints them.
    """
    if isinstance(data, Data):
        return data.description
    return _kinfolk.describe(
        *_reading(
            data, groups, weights, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter
        )
    )


def _reading(data, groups, weights, names, columns, ignore, common_columns, levels, discretize, na, missing, max_states, delimiter):
    sources, group, weight = _frames.gather(data, groups, weights, names)
    if isinstance(discretize, str):
        discretize = [discretize]
    elif isinstance(discretize, dict):
        discretize = [f"{column}={rule}" for column, rule in discretize.items()]
    return sources, {
        "group": group,
        "weight": weight,
        "columns": None if columns is None else list(columns),
        "ignore": [ignore] if isinstance(ignore, str) else list(ignore),
        "common_columns": common_columns,
        "levels": [(name, [_frames.spell(state) or "" for state in states]) for name, states in (levels or {}).items()],
        "discretize": list(discretize),
        "na": None if na is None else [_frames.spell(text) for text in na],
        "missing": missing,
        "max_states": max_states,
        "delimiter": delimiter,
    }


def learn(
    data,
    groups=None,
    *,
    score="bhd",
    s=None,
    s_total=None,
    alpha0=None,
    s0=None,
    prior=None,
    kin_grid=None,
    pooled_half=None,
    kin_cells=None,
    iss=None,
    structure_prior=None,
    max_parents=None,
    whitelist=(),
    blacklist=(),
    tiers=(),
    start=None,
    max_steps=None,
    time_limit=None,
    restarts=0,
    perturb=1,
    seed=0,
    keep_scores=None,
    memory=4096,
    threads=0,
    progress=None,
    **reading,
):
    """Searches for the structure that the data sets share.

    Ctrl-C stops it within a second. The same data and settings give the same answer, whatever the number of threads, and
    the same as the command line gives, to the bit.

    Parameters
    ----------
    data, groups, **reading
        The data; see :func:`read`.
    score : {"bhd", "kin", "bdeu", "bdeu-separate", "bic", "aic", "k2", "bds", "bdj", "loglik"}
        ``bhd`` treats the data sets as relatives, ``kin`` also learns how related they are, ``bdeu-separate`` treats them as
        strangers, the others pool them.
    s, s_total : float, optional
        bhd: how closely each data set holds to the centre (default 1), or the same as a total over the data sets.
    alpha0, s0 : float, optional
        bhd: the centre's own prior in every cell (default 1), or as a total over the cells.
    prior : {"default", "paper"}, optional
        bhd: a named prior instead.
    kin_grid : list of float, optional
        kin: the values of s over which it integrates, evenly in ln s.
    pooled_half : bool, optional
        kin: whether the data sets may be identical, with probability one half (default True).
    kin_cells : {"row", "joint"}, optional
        kin: what the data sets' tables are drawn around.
    iss : float, optional
        bdeu, bds, bdeu-separate: the imaginary sample size (default 1).
    structure_prior : {"uniform", "size"}, optional
        What is believed of the number of parents before any data are seen; ``size`` for kin, otherwise ``uniform``.
    max_parents : int, optional
        The most parents a node may have.
    whitelist, blacklist : list of (from, to), or frame with such columns
        Arcs that must, and that must not, be there.
    tiers : list of lists of str
        Earliest first; no arc leads to an earlier tier.
    start : str or Learned or Network, optional
        Where to start; without arcs if not given.
    max_steps : int, optional
        The most moves.
    time_limit : float, optional
        Seconds after which it returns what was found so far.
    restarts, perturb, seed : int
        How often to perturb the best network and climb again, by how many random moves, from which seed.
    keep_scores : int, optional
        How many family scores to remember.
    memory : int
        The most memory that counting one family may take, in MB.
    threads : int
        How many threads to use; 0 takes all cores.
    progress : bool or callable, optional
        True shows a bar (tqdm, if installed); a callable gets moves, score, families scored and families of the step.

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
    """
    read_data = read(data, groups, **reading)
    prior_settings = _prior(s, s_total, alpha0, s0, prior)
    kin_settings = _kin(kin_grid, pooled_half, kin_cells)
    with watch(progress, "learn") as note:
        document = _kinfolk.learn(
            read_data,
            _score(score, prior_settings, kin_settings, iss, structure_prior),
            _search(max_parents, whitelist, blacklist, tiers, start, max_steps, time_limit, restarts, perturb, seed, keep_scores),
            memory,
            threads,
            note,
        )
    return Learned(document, read_data, {"hierarchical": prior_settings, "kin": kin_settings, "bayes": {"iss": iss}})


def _prior(s, s_total, alpha0, s0, prior):
    return {"s": s, "s_total": s_total, "alpha0": alpha0, "s0": s0, "prior": prior}


def _kin(kin_grid, pooled_half, kin_cells):
    return {"kin_grid": None if kin_grid is None else list(kin_grid), "pooled_half": pooled_half, "kin_cells": kin_cells}


def _score(score, prior, kin, iss, structure_prior):
    return {"score": score, "prior": prior, "kin": kin, "iss": iss, "structure_prior": structure_prior}


def _search(max_parents, whitelist, blacklist, tiers, start, max_steps, time_limit, restarts, perturb, seed, keep_scores):
    return {
        "max_parents": max_parents,
        "whitelist": _arcs(whitelist),
        "blacklist": _arcs(blacklist),
        "tiers": [list(tier) for tier in tiers],
        "start": None if start is None else _structure(start),
        "max_steps": max_steps,
        "time_limit": time_limit,
        "restarts": restarts,
        "perturb": perturb,
        "keep_scores": keep_scores,
        "seed": seed,
    }


def _arcs(arcs):
    if hasattr(arcs, "columns"):
        return list(zip(arcs["from"], arcs["to"]))
    return [(start, end) for start, end in arcs]


def _structure(given):
    """A modelstring from whatever has a structure: text, Learned, Network, a networkx graph."""
    if isinstance(given, str):
        return given
    if hasattr(given, "structure"):
        return given.structure
    if hasattr(given, "predecessors"):
        nodes = ((str(node), ":".join(map(str, given.predecessors(node)))) for node in given.nodes)
        return "".join(f"[{node}|{parents}]" if parents else f"[{node}]" for node, parents in nodes)
    raise TypeError(f"cannot take a structure from {type(given).__name__}: give a modelstring such as '[A][B|A]'")


def score(
    data,
    structure,
    groups=None,
    *,
    score="bhd",
    s=None,
    s_total=None,
    alpha0=None,
    s0=None,
    prior=None,
    kin_grid=None,
    pooled_half=None,
    kin_cells=None,
    iss=None,
    structure_prior=None,
    memory=4096,
    threads=0,
    **reading,
):
    """Scores a given structure, node by node and data set by data set.

    Parameters
    ----------
    data, groups, **reading
        The data; see :func:`read`.
    structure : str, Learned, Network or networkx.DiGraph
        The structure, for instance ``"[A][B|A]"``.
    score, s, s_total, alpha0, s0, prior, kin_grid, pooled_half, kin_cells, iss, structure_prior, memory, threads
        As in :func:`learn`.

    Returns
    -------
    Scored
    """
    prior_settings, kin_settings = _prior(s, s_total, alpha0, s0, prior), _kin(kin_grid, pooled_half, kin_cells)
    settings = _score(score, prior_settings, kin_settings, iss, structure_prior)
    return Scored(_kinfolk.score(read(data, groups, **reading), _structure(structure), settings, memory, threads))


def fit(
    data,
    structure,
    groups=None,
    *,
    method="hierarchical",
    s=None,
    s_total=None,
    alpha0=None,
    s0=None,
    prior=None,
    kin_grid=None,
    pooled_half=None,
    kin_cells=None,
    iss=None,
    memory=4096,
    threads=0,
    **reading,
):
    """Estimates the probability tables of a given structure, for every data set.

    Parameters
    ----------
    data, groups, **reading
        The data; see :func:`read`.
    structure : str, Learned, Network or networkx.DiGraph
        The structure, for instance ``"[A][B|A]"``.
    method : {"hierarchical", "kin", "bayes", "mle"}
        Each data set drawn towards the common centre; the same, as closely as the data of each family say; each alone with an imaginary sample; observed shares.
    s, s_total, alpha0, s0, prior
        hierarchical: the prior, as in :func:`learn`.
    kin_grid, pooled_half, kin_cells
        kin: its settings, as in :func:`learn`.
    iss : float, optional
        bayes: the imaginary sample size (default 1).

    Returns
    -------
    Network
    """
    settings = {
        "method": method,
        "prior": _prior(s, s_total, alpha0, s0, prior),
        "kin": _kin(kin_grid, pooled_half, kin_cells),
        "iss": iss,
    }
    found = json.dumps(structure.document) if isinstance(structure, Learned) and data is structure.data else None
    return Network(_kinfolk.fit(read(data, groups, **reading), _structure(structure), settings, found, memory, threads))


def compare(learned, truth):
    """How far a learned structure is from a true one: SHD, and TP, FP, FN on CPDAGs, DAGs and skeletons.

    Examples
    --------
    >>> import kinfolk
    >>> kinfolk.compare("[A][B|A]", "[B][A|B]")["shd"]
    {'cpdag': 0, 'dag': 1, 'skeleton': 0}
    """
    return _kinfolk.compare(_structure(learned), _structure(truth))


def validate(
    data,
    groups=None,
    *,
    scheme="folds",
    folds=10,
    tune=False,
    target=None,
    structure=None,
    structures="shared",
    method=None,
    score="bhd",
    s=None,
    s_total=None,
    alpha0=None,
    s0=None,
    prior=None,
    kin_grid=None,
    pooled_half=None,
    kin_cells=None,
    iss=None,
    structure_prior=None,
    max_parents=None,
    whitelist=(),
    blacklist=(),
    tiers=(),
    start=None,
    max_steps=None,
    time_limit=None,
    restarts=0,
    perturb=1,
    seed=0,
    keep_scores=None,
    memory=4096,
    threads=0,
    progress=None,
    **reading,
):
    """Holds rows out, learns from the others, and sees how well the held-out rows are predicted.

    Three ways to estimate tables are compared on the same rows: hierarchical, pooled and separate.

    Parameters
    ----------
    data, groups, **reading
        The data; see :func:`read`.
    scheme : {"folds", "data-sets"}
        What is held out at a time: one of ``folds`` random parts of every data set, or one whole data set.
    tune : bool
        Choose s and iss of the tables from the rows that are not held out.
    target : str, optional
        A variable to predict from all others.
    structure : optional
        A structure for all folds, instead of learning it in every fold.
    structures : {"shared", "own"}
        Whether the methods share a structure, or each has its own.
    method : {"kin", "hierarchical"}, optional
        How the tables of related data sets are estimated; kin, unless a prior such as ``s`` is given.
    score, …, progress
        As in :func:`learn`; ``seed`` also deals the rows to folds.

    Returns
    -------
    Validation
    """
    with watch(progress, "validate") as note:
        document = _kinfolk.validate(
            read(data, groups, **reading),
            {
                "scheme": scheme,
                "folds": folds,
                "tune": tune,
                "target": target,
                "structure": None if structure is None else _structure(structure),
                "structures": structures,
                "method": method,
            },
            _score(score, _prior(s, s_total, alpha0, s0, prior), _kin(kin_grid, pooled_half, kin_cells), iss, structure_prior),
            _search(max_parents, whitelist, blacklist, tiers, start, max_steps, time_limit, restarts, perturb, seed, keep_scores),
            memory,
            threads,
            note,
        )
    return Validation(document)


def simulate(
    nodes,
    arcs,
    rows,
    *,
    states=2,
    max_parents=None,
    parameters="hier",
    level="joint",
    s=10.0,
    alpha0=1.0,
    altered=0,
    removed=0.5,
    seed=0,
    replicate=0,
):
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
    network, structures, coded = _kinfolk.simulate(
        {
            "nodes": nodes,
            "arcs": arcs,
            "max_parents": max_parents,
            "states": [states] if isinstance(states, int) else list(states),
            "rows": list(rows),
            "parameters": parameters,
            "level": level,
            "s": s,
            "alpha0": alpha0,
            "altered": altered,
            "removed": removed,
            "seed": seed,
            "replicate": replicate,
        }
    )
    frames = _frames.decode(*coded)
    return Simulated(Network(network), dict(zip(frames, structures)), frames)
