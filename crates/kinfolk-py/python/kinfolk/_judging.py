"""Ways to judge a network: explain it, learn it again from resampled rows, predict rows that were held out, show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from . import _kinfolk, _replicates, _settings
from ._checks import column, optional, truth, warn, whole
from ._checks import text as a_text
from ._judged import Bootstrapped, Explanation, Validation
from ._learned import Learned
from ._learning import learn, search
from ._network import Network
from ._reading import take

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import ColumnOrValues, Depth, Learning, Path, Structure, Tables

_JUDGE = _settings.LEARNING


def _or_none(structure: Optional[Structure]) -> Optional[str]:
    return None if structure is None else _settings.structure(structure)


@_JUDGE
def explain(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
    structure: Optional[Structure] = None,
    left_out: int = 10,
    rivals: bool = True,
    **settings: Unpack[Learning],
) -> Explanation:
    """Says why a network is what it is: arcs by data set, whether to pool, which data sets are odd.

    Parameters
    ----------
    data, groups, …
        The data, with the settings of :func:`read`.
    structure : str, Learned, Network or networkx.DiGraph, optional
        The structure; if not given, one is learned first.
    left_out : int
        How many of the arcs that the network has not are shown, the strongest first.
    rivals : bool
        Whether to search for the networks that pooled, separate and hierarchical scores would prefer.
    score, …, progress
        As in :func:`learn`.

    Returns
    -------
    Explanation
        With ``verdict``, ``evidence``, ``left_out``, ``pooling``, ``data_sets``, ``graphs``.

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
    chosen = _JUDGE.complete("explain", settings)
    own = {"structure": _or_none(structure), "left_out": whole()("left_out", left_out), "rivals": truth("rivals", rivals)}
    return Explanation(search(_kinfolk.explain, [take(data, groups, settings), own], chosen))


@_JUDGE
def bootstrap(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
    replicates: int = 200,
    by: Literal["rows", "data-sets"] = "rows",
    leave_one_out: Optional[bool] = None,
    resume: Optional[Path] = None,
    **settings: Unpack[Learning],
) -> Bootstrapped:
    """Learns again from resampled data, and says how sure every arc is.

    Parameters
    ----------
    data, groups, …
        The data, with the settings of :func:`read`.
    replicates : int
        How many times to learn.
    by : {"rows", "data-sets"}
        What is drawn again: rows within every data set, or whole data sets.
    leave_one_out : bool, optional
        Whether to learn also without each data set, and to say which arcs stay; if not given, where there are several.
    resume : path, optional
        A file, made if it is not there, that keeps every finished search: the same call continues after an interruption, a time
        limit or for more ``replicates``. A file of other data or settings is refused.
    score, …, progress
        As in :func:`learn`; ``seed`` also decides what is drawn. The score is bhd unless another is named: resamples have repeated
        rows, which look like certainty to kin.

    Returns
    -------
    Bootstrapped
        With ``arcs``, ``structure`` (the averaged network), ``threshold``, ``leave_one_out``.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[1000, 1000, 1000], seed=2)
    >>> sure = kinfolk.bootstrap(made.frames, replicates=20)
    >>> sure.leave_one_out.index.tolist()
    ['data_001', 'data_002', 'data_003']

    A file keeps what is finished; more replicates begin where it ends.

    >>> import os, tempfile
    >>> kept = os.path.join(tempfile.mkdtemp(), "kept.jsonl")
    >>> some = kinfolk.bootstrap(made.frames, replicates=5, resume=kept)
    >>> more = kinfolk.bootstrap(made.frames, replicates=20, resume=kept)
    >>> more.arcs.equals(sure.arcs)
    True
    """
    chosen = _JUDGE.complete("bootstrap", settings)
    own: dict[str, Any] = {
        "replicates": whole()("replicates", replicates),
        "by": a_text("by", by),
        "leave_one_out": optional(truth)("leave_one_out", leave_one_out),
        "done": [],
        "keep": None,
    }
    read_data = take(data, groups, settings)
    if chosen["score"] == "kin" and by == "rows":
        warn("repeated rows look like certainty to kin, and resamples have many: strengths may be far too high; bhd is the default here")
    if resume is not None:
        origin = _replicates.origin(_settings.pick(chosen, _settings.SCORE, _settings.SEARCH), by, read_data)
        own["done"], own["keep"] = _replicates.open_file(resume, origin), resume
    return Bootstrapped(search(_kinfolk.bootstrap, [read_data, own], chosen))


@_JUDGE
def validate(
    data: Tables,
    groups: ColumnOrValues = None,
    *,
    scheme: Literal["folds", "data-sets"] = "folds",
    folds: int = 10,
    tune: bool = False,
    target: Optional[str] = None,
    structure: Optional[Structure] = None,
    structures: Literal["shared", "own"] = "shared",
    method: Optional[Literal["kin", "hierarchical"]] = None,
    **settings: Unpack[Learning],
) -> Validation:
    """Holds rows out, learns from the others, and sees how well the held-out rows are predicted.

    Three ways to estimate tables are compared on the same rows: hierarchical, pooled and separate.

    Parameters
    ----------
    data, groups, …
        The data, with the settings of :func:`read`.
    scheme : {"folds", "data-sets"}
        What is held out at a time: one of ``folds`` random parts of every data set, or one whole data set.
    folds : int
        How many parts.
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
        With ``methods`` and ``differences``.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[200, 200], parameters="iid", seed=1)
    >>> validation = kinfolk.validate(made.frames, folds=2)
    >>> validation.differences.loc["pooled", "verdict"]
    'better'
    """
    chosen = _JUDGE.complete("validate", settings)
    own = {
        "scheme": a_text("scheme", scheme),
        "folds": whole()("folds", folds),
        "tune": truth("tune", tune),
        "target": optional(column)("target", target),
        "structure": _or_none(structure),
        "structures": a_text("structures", structures),
        "method": optional(a_text)("method", method),
    }
    return Validation(search(_kinfolk.validate, [take(data, groups, settings), own], chosen))


@_JUDGE
def report(
    data: Union[Tables, Learned, Network],
    path: Path,
    groups: ColumnOrValues = None,
    *,
    title: Optional[str] = None,
    figures: Optional[Path] = None,
    explain: Optional[Depth] = None,
    bootstrap: Optional[Bootstrapped] = None,
    **settings: Unpack[Learning],
) -> None:
    """Writes a self-contained HTML page that shows a network, learned now or before.

    Parameters
    ----------
    data, groups, …
        A Learned or a Network; or data to learn from, with the settings of :func:`read`.
    path : path
        The page.
    title : str, optional
        Its title; the names of the data sets if not given.
    figures : path, optional
        A folder for ``network.svg`` and, if the evidence by data set is known, ``evidence.svg``.
    explain : {"brief", "full", "none"}, optional
        How much the page says about pooling, odd data sets and arcs left out: brief where there are data, if not given.
    bootstrap : Bootstrapped, optional
        How sure the arcs are, from the same data; they are then drawn as wide as they are sure.
    score, …, progress
        As in :func:`learn`.

    Examples
    --------
    >>> import kinfolk, os, tempfile
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[200, 200], seed=1)
    >>> page = os.path.join(tempfile.mkdtemp(), "network.html")
    >>> kinfolk.report(made.frames, page, title="Two data sets")
    >>> "<title>Two data sets</title>" in open(page, encoding="utf-8").read()
    True
    """
    _JUDGE.complete("report", settings)
    if isinstance(data, (Learned, Network)):
        given = [*([] if groups is None else ["groups"]), *settings]
        if given:
            raise TypeError(f"this network has been learned, so {given[0]} comes too late; give it to kinfolk.learn")
    if isinstance(data, Network):
        if explain is not None or bootstrap is not None:
            raise TypeError("explain and bootstrap need the data, which a Network does not have; give what kinfolk.learn returned")
        data.report(path, title, figures)
        return
    learned = data if isinstance(data, Learned) else learn(data, groups, **settings)
    learned.report(path, title, figures, "brief" if explain is None else explain, bootstrap)
