"""Structures: learned, scored, compared, and given their tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable, Optional

from . import _kinfolk, _settings
from ._checks import optional, text
from ._learned import Learned, Scored
from ._network import Network
from ._progress import watch
from ._reading import take

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import ColumnOrValues, Fitting, Learning, Method, Scoring, Structure, Tables

_LEARN = _settings.LEARNING
_SCORE = _settings.Settings(_settings.SCORE, _settings.MACHINE, _settings.READING)
_FIT = _settings.Settings(_settings.PRIOR, _settings.KIN, _settings.SAMPLE, _settings.MACHINE, _settings.READING)


def search(call: Callable[..., dict[str, Any]], what: list[Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Calls a function of the compiled module that learns structures, and shows its progress."""
    with watch(chosen["progress"], call.__name__) as note:
        return call(*what, _settings.score(chosen), _settings.search(chosen), _settings.machine(chosen, note))


@_LEARN
def learn(data: Tables, groups: ColumnOrValues = None, **settings: Unpack[Learning]) -> Learned:
    """Searches for the structure that the data sets share.

    Ctrl-C stops it within a second. The same data and settings give the same answer, whatever the number of threads, and
    the same as the command line gives, to the bit.

    Parameters
    ----------
    data, groups, …
        The data, with the settings of :func:`read`.
    score : {"kin", "bhd", "bdeu", "bdeu-separate", "bic", "aic", "k2", "bds", "bdj", "loglik"}, optional
        The default is ``kin``, or ``bhd`` if one of the settings of its prior is given. ``bhd`` treats the data sets as relatives, ``kin`` also learns how related they are, ``bdeu-separate`` treats them as
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
    tabu : int
        Go past optima: up to so many moves that gain nothing before a better network is found, never back to one of as many before.
    escapes : int
        Turn arcs round together with what their ends then need, after every move and, at an optimum, in equivalent networks drawn at
        random, until so many of these in a row led no higher; 0 makes single moves only and stops at the first optimum.
    restarts, perturb, seed : int
        How often to perturb the best network and climb again, by how many random moves, from which seed.
    keep_scores : int, optional
        How many family scores to remember.
    memory : int
        The most memory that counting one family may take, in MB.
    threads : int
        How many threads to use; 0 takes all cores.
    progress : bool or callable, optional
        True shows a bar (tqdm, if installed), and so does a notebook once it takes longer than a second, unless it is False; a
        callable gets moves, score, families scored and families of the step.

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
    ['from', 'to', 'gain']
    >>> learned.evidence.columns.tolist()
    ['data_001', 'data_002', 'data_003']
    """
    chosen = _LEARN.complete("learn", settings)
    read_data = take(data, groups, settings)
    document = search(_kinfolk.learn, [read_data], chosen)
    return Learned(document, read_data, _settings.pick(chosen, _settings.SCORE, _settings.SEARCH))


@_SCORE
def score(data: Tables, structure: Structure, groups: ColumnOrValues = None, **settings: Unpack[Scoring]) -> Scored:
    """Scores a given structure, node by node and data set by data set.

    Parameters
    ----------
    data, groups, …
        The data, with the settings of :func:`read`.
    structure : str, Learned, Network or networkx.DiGraph
        The structure, for instance ``"[A][B|A]"``.
    score, s, s_total, alpha0, s0, prior, kin_grid, pooled_half, kin_cells, iss, structure_prior, memory, threads
        As in :func:`learn`.

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
    chosen = _SCORE.complete("score", settings)
    read_data = take(data, groups, settings)
    modelstring = _settings.structure(structure)
    return Scored(_kinfolk.score(read_data, modelstring, _settings.score(chosen), _settings.machine(chosen)))


@_FIT
def fit(
    data: Tables,
    structure: Structure,
    groups: ColumnOrValues = None,
    *,
    method: Optional[Method] = None,
    **settings: Unpack[Fitting],
) -> Network:
    """Estimates the probability tables of a given structure, for every data set.

    Parameters
    ----------
    data, groups, …
        The data, with the settings of :func:`read`.
    structure : str, Learned, Network or networkx.DiGraph
        The structure, for instance ``"[A][B|A]"``.
    method : {"hierarchical", "kin", "bayes", "mle"}, optional
        Each data set drawn towards the common centre; the same, as closely as the data of each family say; each alone with an
        imaginary sample; observed shares. If not given, the tables that belong to the score: those of the search if ``structure`` is
        a Learned, otherwise ``kin``, or ``hierarchical`` if one of the settings of its prior is given.
    s, s_total, alpha0, s0, prior
        hierarchical: the prior, as in :func:`learn`.
    kin_grid, pooled_half, kin_cells
        kin: its settings, as in :func:`learn`.
    iss : float, optional
        bayes: the imaginary sample size (default 1).
    memory, threads : int
        As in :func:`learn`.

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
    chosen = _FIT.complete("fit", settings)
    if method is None and isinstance(structure, Learned) and all(chosen[name] is None for name in _settings.OF_TABLES):
        method, own = structure._tables()
        chosen.update(own)
    read_data = take(data, groups, settings)
    how: dict[str, Any] = {
        "method": optional(text)("method", method),
        "prior": _settings.prior(chosen),
        "kin": _settings.kin(chosen),
        "iss": chosen["iss"],
    }
    found = json.dumps(structure.document) if isinstance(structure, Learned) and data is structure.data else None
    return Network(_kinfolk.fit(read_data, _settings.structure(structure), how, found, _settings.machine(chosen)))


def compare(learned: Structure, truth: Structure) -> dict[str, Any]:
    """How far a learned structure is from a true one: SHD, and TP, FP, FN on CPDAGs, DAGs and skeletons.

    Parameters
    ----------
    learned, truth : str, Learned, Network or networkx.DiGraph
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
    return _kinfolk.compare(_settings.structure(learned, "learned"), _settings.structure(truth, "truth"))
