"""Learned networks: structure, score, evidence, and further analyses."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from .. import _kinfolk
from .._arguments import settings
from .._arguments.signatures import suggest
from .._interop.frames import frame
from .._interop.types import data_set_names
from .._kinfolk import ABSENT_ARCS
from .._render import html
from .._render.plot import draw, heat_map
from ..network import Network
from ..network.inference import MOST_CELLS
from .scored import Result, marks

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._kinfolk import Data
    from .._typing import (
        Arcs,
        Column,
        ColumnOrValues,
        Depth,
        KinCells,
        Method,
        Path,
        PriorName,
        Progress,
        Resampled,
        ScoreName,
        SearchName,
        Structure,
        StructurePrior,
        Tables,
        Unseen,
    )
    from .bootstrapped import Bootstrapped
    from .explanation import Explanation
    from .imputed import Imputed
    from .posterior import Posterior
    from .validation import Validation


class Learned(Result):
    """The result of a search, returned by :func:`learn`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
    >>> learned = kinfolk.learn(made.frames)
    >>> sorted(learned.document["data_sets"])
    ['data_001', 'data_002']
    >>> list(learned.arcs.columns)
    ['from', 'to', 'gain', 'mark']
    """

    def __init__(self, document: dict[str, Any], data: Data, chosen: dict[str, Any]):
        super().__init__(document)
        #: The data that the network was learned from.
        self.data = data
        # The settings of score and search.
        self._chosen = {**chosen, "score": document["score_name"]}

    @property
    def score(self) -> float:
        """The score of the network, a natural logarithm; larger is better."""
        return float(self.document["score"])

    @property
    def notes(self) -> list[str]:
        """Remarks on the data and warnings about the network (``document["warnings"]``), one sentence each."""
        return self.data.notes + [warning["text"] for warning in self.document.get("warnings", [])]

    @property
    def arcs(self) -> DataFrame:
        """The arcs by decreasing gain, the loss of score without the arc.

        ``mark`` is empty, ``weak`` (a gain below ln 3 = 1.099, odds of less than 3 to 1), ``reversible`` (within the
        equivalence class; :meth:`explain` compares the scores) or ``weak, reversible``.
        """
        arcs, marks = self._by_gain, self._marks
        columns = {key: [arc[key] for arc in arcs] for key in ("from", "to", "gain")}
        return frame({**columns, "mark": [marks[arc["from"], arc["to"]] for arc in arcs]})

    @property
    def _by_gain(self) -> list[dict[str, Any]]:
        """The arcs by decreasing gain, first those without; ties keep the column order."""
        return sorted(self.document["arcs"], key=lambda arc: -math.inf if arc["gain"] is None else -arc["gain"])

    @property
    def _marks(self) -> dict[tuple[str, str], str]:
        """The marks of each arc, as the command prints them."""
        links = _kinfolk.cpdag(self.structure)[1]
        reversible = {*links, *((to, from_) for from_, to in links)}
        gains = (((arc["from"], arc["to"]), arc["gain"]) for arc in self.document["arcs"])
        return {ends: marks(gain, "reversible" if ends in reversible else None) for ends, gain in gains}

    @property
    def terms(self) -> Literal["score", "given-others"]:
        """The meaning of :attr:`evidence`.

        ``score``: the score is a sum over the data sets, and the numbers are its terms. ``given-others``: the score is not
        such a sum (kin, and the scores of pooled rows), and the numbers are what each data set adds to the evidence for the
        arc, given all others.
        """
        arcs = self.document["arcs"]
        return "given-others" if any(arc["by_data_set"] is None for arc in arcs) else "score"

    @cached_property
    def evidence(self) -> DataFrame:
        """The evidence for each arc in each data set: one row per arc, as in :attr:`arcs`, one column per data set.

        If the score is not a sum over the data sets, this is the evidence of :meth:`explain`, computed on first access;
        see :attr:`terms`.
        """
        if self.terms == "given-others":
            return self.explain(left_out=0, rivals=False, posterior=False).evidence
        arcs = self._by_gain
        names = list(self.document["data_sets"])
        columns = {name: [arc["by_data_set"][text] for arc in arcs] for text, name in zip(names, data_set_names(names, self.settings))}
        return frame(columns, {key: [arc[key] for arc in arcs] for key in ("from", "to")})

    @property
    def steps(self) -> DataFrame:
        """The moves of the climb that found the structure."""
        steps = self.document["steps"]
        return frame({key: [step[key] for step in steps] for key in ("move", "from", "to", "gain")})

    @property
    def stop(self) -> str:
        """Why the search ended: ``optimum``, ``max-steps`` or ``time-limit``."""
        return str(self.document["stop"])

    @suggest
    def fit(self, method: Optional[Method] = None, *, memory: int = 4096, threads: int = 0) -> Network:
        """Estimate the probability tables with the prior of the score.

        Parameters
        ----------
        method : {"hierarchical", "kin", "bayes", "mle"}, optional
            As in :func:`fit`; by default ``kin`` for that score, ``hierarchical`` for others.
        memory, threads : int
            As in :func:`learn`.

        Returns
        -------
        Network

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> network = kinfolk.learn(made.frames).fit()
        >>> network.relatives
        ['data_001', 'data_002', 'pooled', 'new']
        """
        from ..api import fit

        return fit(self.data, self, method=method, memory=memory, threads=threads)

    @suggest
    def impute(
        self,
        data: Optional[Tables] = None,
        groups: ColumnOrValues = None,
        *,
        versions: int = 1,
        most_probable: bool = False,
        states: bool = False,
        seed: int = 0,
        data_set: Optional[str] = None,
        unseen: Unseen = "refuse",
        na: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
        most_cells: float = MOST_CELLS,
    ) -> Imputed:
        """Fill in missing values with the tables of :meth:`fit`: of the data learned from, or of other rows; see :func:`impute`.

        Parameters
        ----------
        data : frame, table, array, mapping, path or Data, optional
            The rows; by default those that the network was learned from.
        groups, versions, most_probable, states, seed, data_set, unseen, na, names, most_cells
            As in :func:`impute`.

        Returns
        -------
        Imputed

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", None] * 9, "wet": ["yes", "no", None, "no"] * 9},
        ...         "south": {"rain": ["no", "no", "yes", "no"] * 9, "wet": ["no", "no", "yes", "no"] * 9}}
        >>> learned = kinfolk.learn(rows, missing="impute")
        >>> learned.impute(seed=1).document["values_filled"]
        18
        """
        given = {name: value for name, value in locals().items() if name != "self"}
        return self.fit().impute(**{**given, "data": self.data if data is None else data})

    @suggest
    def explain(
        self,
        *,
        left_out: int = ABSENT_ARCS,
        rivals: bool = True,
        posterior: bool = True,
        memory: int = 4096,
        threads: int = 0,
        progress: Progress = None,
    ) -> Explanation:
        """Explain the network by its own score; see :func:`explain`.

        Parameters
        ----------
        left_out, rivals, posterior, memory, threads, progress
            As in :func:`explain`.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> learned = kinfolk.learn(made.frames, score="bhd")
        >>> learned.explain(rivals=False).evidence.columns.tolist()
        ['data_001', 'data_002']
        """
        from ..api import explain

        own: dict[str, Any] = {**self._chosen, "memory": memory, "threads": threads, "progress": progress}
        return explain(self.data, structure=self, left_out=left_out, rivals=rivals, posterior=posterior, **own)

    @suggest
    def posterior(
        self,
        *,
        method: Literal["auto", "exact", "mcmc"] = "auto",
        chains: int = 4,
        threshold: float = 0.5,
        query: Union[str, Sequence[str]] = (),
        left_out: int = ABSENT_ARCS,
        resume: Optional[Path] = None,
        time_limit: Optional[float] = None,
        seed: Optional[int] = None,
        memory: int = 4096,
        threads: int = 0,
        progress: Progress = None,
    ) -> Posterior:
        """Compute posterior probabilities under the score and the constraints of this result; see :func:`posterior`.

        Parameters
        ----------
        method, chains, threshold, query, left_out, resume, time_limit, memory, threads, progress
            As in :func:`posterior`.
        seed : int, optional
            The seed of the chains; by default that of the search.

        Returns
        -------
        Posterior

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> learned = kinfolk.learn(made.frames)
        >>> learned.posterior().network.structure == learned.structure
        True
        """
        given = dict(locals())
        from ..api import posterior

        kept = (*settings.SCORE, "max_parents", "whitelist", "blacklist", "tiers", "seed")
        own = {name: value for name, value in self._chosen.items() if name in kept}
        changed = {name: value for name, value in given.items() if name not in ("self", "seed")}
        if seed is not None:
            own["seed"] = seed
        return posterior(self.data, structure=self, **changed, **own)

    @suggest
    def bootstrap(
        self,
        replicates: int = 200,
        *,
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
        search: Optional[SearchName] = None,
        max_parents: Optional[int] = None,
        whitelist: Optional[Arcs] = None,
        blacklist: Optional[Arcs] = None,
        tiers: Optional[Sequence[Sequence[Column]]] = None,
        start: Optional[Structure] = None,
        max_steps: Optional[int] = None,
        time_limit: Optional[float] = None,
        tabu: Optional[int] = None,
        escapes: Optional[int] = None,
        restarts: Optional[int] = None,
        perturb: Optional[int] = None,
        seed: Optional[int] = None,
        keep_scores: Optional[int] = None,
        memory: int = 4096,
        threads: int = 0,
        progress: Progress = None,
    ) -> Bootstrapped:
        """Learn from resampled data with the settings of this result; see :func:`bootstrap`.

        Parameters
        ----------
        replicates, by, leave_one_out, resume
            As in :func:`bootstrap`.
        score, s, s_total, alpha0, s0, prior, kin_grid, pooled_half, kin_cells, iss, structure_prior
            As in :func:`learn`; None keeps the setting of this result. Another score has its own default priors.
        search, max_parents, whitelist, blacklist, tiers, start, max_steps, time_limit, tabu, escapes, restarts, perturb, seed, keep_scores
            As in :func:`learn`; None keeps the setting of this result.
        memory, threads, progress
            As in :func:`learn`.

        Returns
        -------
        Bootstrapped

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> learned = kinfolk.learn(made.frames, score="bhd")
        >>> learned.bootstrap(10).learned == learned.structure
        True
        >>> learned.bootstrap(10, score="bdeu", iss=5, seed=3).document["settings"]["score_name"]
        'bdeu'
        """
        given = dict(locals())
        from ..api import bootstrap

        changes = {name: given[name] for name in (*settings.SCORE, *settings.SEARCH) if given[name] is not None}
        own = {**self._with(changes), "memory": memory, "threads": threads, "progress": progress}
        return bootstrap(self.data, replicates=replicates, by=by, leave_one_out=leave_one_out, resume=resume, **own)

    def _with(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of score and search with changes; another score drops the priors of this one."""
        asks_for_bhd = any(name in changes for name in settings.PRIOR)
        score = changes.get("score", "bhd" if asks_for_bhd else self.score_name)
        dropped = () if score == self.score_name else settings.TABLES
        own = {name: value for name, value in self._chosen.items() if name not in dropped}
        return {**own, **changes, "score": score}

    @suggest
    def validate(
        self,
        *,
        scheme: Literal["folds", "data-sets"] = "folds",
        folds: int = 10,
        tune: bool = False,
        iss_rivals: bool = False,
        target: Optional[str] = None,
        structure: Optional[Structure] = None,
        structures: Literal["shared", "own"] = "shared",
        method: Optional[Literal["kin", "hierarchical"]] = None,
        memory: int = 4096,
        threads: int = 0,
        progress: Progress = None,
    ) -> Validation:
        """Cross-validate the settings of this result: score and search; see :func:`validate`.

        The structure is learned again in every fold, unless ``structure`` is given.

        Parameters
        ----------
        scheme, folds, tune, iss_rivals, target, structure, structures, method, memory, threads, progress
            As in :func:`validate`.

        Returns
        -------
        Validation

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[200, 200], seed=2)
        >>> kinfolk.learn(made.frames).validate(folds=2).methods.index.tolist()
        ['hierarchical', 'pooled', 'separate']
        """
        given = dict(locals())
        from ..api import validate

        own = {name: value for name, value in given.items() if name != "self"}
        return validate(self.data, **own, **self._chosen)

    def report(
        self,
        path: Path,
        title: Optional[str] = None,
        figures: Optional[Path] = None,
        explain: Depth = "brief",
        bootstrap: Optional[Bootstrapped] = None,
    ) -> None:
        """Write a self-contained HTML page: the network, pooling, the data, and the tables of :meth:`fit`.

        Parameters
        ----------
        path, title, figures, explain, bootstrap
            As in :func:`report`.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> learned = kinfolk.learn(made.frames, score="bhd")
        >>> import os, tempfile
        >>> page = os.path.join(tempfile.mkdtemp(), "network.html")
        >>> learned.report(page, title="Two data sets")
        >>> "<title>Two data sets</title>" in open(page, encoding="utf-8").read()
        True
        """
        if explain not in ("brief", "full", "none"):
            raise _kinfolk.SettingsError(f'explain must be "brief", "full" or "none", not {explain!r}')
        explanation = None if explain == "none" else json.dumps(self.explain(rivals=explain == "full").document)
        strengths = None if bootstrap is None else json.dumps(bootstrap.document)
        self.fit()._write_report(path, title, figures, self.data, explanation, strengths)

    def to_svg(self, title: Optional[str] = None) -> str:
        """Return the structure as an SVG drawing with the layout of :meth:`report`; the width of an arc shows its gain.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> learned = kinfolk.learn(made.frames, score="bhd")
        >>> learned.to_svg()[:4]
        '<svg'
        """
        return _kinfolk.drawings(json.dumps(self.document), title)[0]

    def to_networkx(self) -> Any:
        """Return a :class:`networkx.DiGraph` whose arcs have ``gain`` and ``by_data_set``.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> learned = kinfolk.learn(made.frames, score="bhd")
        >>> graph = learned.to_networkx()
        >>> sorted(gain for _, _, gain in graph.edges(data="gain")) == sorted(learned.arcs["gain"])
        True
        """
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(variable["name"] for variable in self.document["variables"])
        for arc in self.document["arcs"]:
            graph.add_edge(arc["from"], arc["to"], gain=arc["gain"], by_data_set=arc["by_data_set"])
        return graph

    @suggest
    def plot(
        self,
        ax: Any = None,
        *,
        node_color: Optional[str] = None,
        arc_color: Optional[str] = None,
        font_size: Optional[float] = None,
    ) -> Any:
        """Draw the structure with matplotlib, with the positions and routes of :meth:`to_svg`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes; by default those of a new figure.
        node_color, arc_color : str, optional
            Colours instead of those of the drawing.
        font_size : float, optional
            The size of the names in points; by default that of the drawing.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> learned = kinfolk.learn(made.frames, score="bhd")
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> sorted(text.get_text() for text in learned.plot().texts)
        ['V1', 'V2', 'V3']
        """
        return draw(self.to_svg(), ax, node_color=node_color, arc_color=arc_color, font_size=font_size)

    def plot_evidence(self, ax: Any = None) -> Any:
        """Draw :attr:`evidence` as a heat map with matplotlib: one row per arc, one column per data set.

        Colours are on a symmetric logarithmic scale: blue for the arc, orange against it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> ax = kinfolk.learn(made.frames).plot_evidence()
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['data_001', 'data_002']
        """
        return heat_map(self.evidence, ax)

    def __repr__(self) -> str:
        return f"Learned({self.structure!r}, {self.score_name}={self.score:.3f}, stop={self.stop!r})"

    def _repr_html_(self) -> str:
        names = self.document["data_sets"]
        each = len(names) > 1 and self.terms == "score"
        evidence = f"<p>Gain by data set</p>{html.evidence(self.evidence, 'learned.evidence')}" if each else ""
        return (
            f"<p>network <code>{html.escape(self.structure)}</code><br>{html.escape(self.score_name)} "
            f"{self.score:.3f}, {len(self.document['steps'])} moves, stop: {html.escape(self.stop)}</p>"
            f"{html.drawing(self.to_svg())}{html.frame(self.arcs, 'learned.arcs')}{evidence}"
        )
