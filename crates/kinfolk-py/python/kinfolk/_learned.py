"""What was found: structures with their scores, and what each arc is worth in each data set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Optional

from . import _frames, _html, _kinfolk, _settings
from ._drawing import draw
from ._network import Network

if TYPE_CHECKING:
    from pandas import DataFrame
    from typing_extensions import Unpack

    from ._judged import Bootstrapped, Explanation
    from ._kinfolk import Data
    from ._types import Depth, Learning, Machine, Method, Path, Progress


class Result:
    """A structure with its score; :attr:`document` has everything as plain dictionaries and lists."""

    def __init__(self, document: dict[str, Any]):
        #: Everything, as the command line's ``--json`` has it.
        self.document = document

    @property
    def structure(self) -> str:
        """The structure as a modelstring."""
        return str(self.document["structure"])

    @property
    def score_name(self) -> str:
        """The name of the score."""
        return str(self.document["score_name"])

    @property
    def score_by_data_set(self) -> Optional[dict[str, float]]:
        """The score by data set; None for scores on the pooled rows."""
        by_data_set: Optional[dict[str, float]] = self.document["by_data_set"]
        return by_data_set

    @property
    def settings(self) -> dict[str, Any]:
        """How it was set up."""
        return dict(self.document["settings"])

    @property
    def nodes(self) -> DataFrame:
        """The scores of the nodes, with their terms by data set, as a frame."""
        nodes = self.document["nodes"]
        columns = {
            "parents": [tuple(node["parents"]) for node in nodes],
            "score": [node["total"] for node in nodes],
            "tau": [node["tau"] for node in nodes],
            "converged": [node["converged"] for node in nodes],
        }
        if nodes and nodes[0]["by_data_set"] is not None:
            for name in nodes[0]["by_data_set"]:
                columns[f"in {name}"] = [node["by_data_set"][name] for node in nodes]
        return _frames.frame(columns, {"node": [node["node"] for node in nodes]})


class Scored(Result):
    """The score of a given structure, made by :func:`score`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=2, arcs=1, rows=[100, 100], seed=1)
    >>> scored = kinfolk.score(made.frames, "[V1][V2|V1]", score="bhd")
    >>> scored.nodes.index.tolist()
    ['V1', 'V2']
    >>> bool(abs(sum(scored.score_by_data_set.values()) - scored.score) < 1e-9)
    True
    """

    @property
    def score(self) -> float:
        """The score of the whole structure, a natural logarithm; larger is better."""
        return float(self.document["total"])

    def __repr__(self) -> str:
        return f"Scored({self.structure!r}, {self.score_name}={self.score:.3f})"

    def _repr_html_(self) -> str:
        head = f"<p>network <code>{_html.escape(self.structure)}</code><br>{_html.escape(self.score_name)} {self.score:.3f}</p>"
        return head + _html.frame(self.nodes, "scored.nodes")


class Learned(Result):
    """What a search found, made by :func:`learn`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
    >>> learned = kinfolk.learn(made.frames)
    >>> sorted(learned.document["data_sets"])
    ['data_001', 'data_002']
    >>> list(learned.arcs.columns)
    ['from', 'to', 'gain']
    """

    def __init__(self, document: dict[str, Any], data: Data, chosen: dict[str, Any]):
        super().__init__(document)
        #: The data it was learned from.
        self.data = data
        # The settings of score and search.
        self._chosen = {**chosen, "score": document["score_name"]}

    @property
    def score(self) -> float:
        """The score of the network, a natural logarithm; larger is better."""
        return float(self.document["score"])

    @property
    def notes(self) -> list[str]:
        """What was changed in reading the data or may surprise, one sentence each."""
        return self.data.notes

    @property
    def arcs(self) -> DataFrame:
        """The arcs with what the score would lose without each, as a frame."""
        arcs = self.document["arcs"]
        return _frames.frame({key: [arc[key] for arc in arcs] for key in ("from", "to", "gain")})

    @property
    def terms(self) -> Literal["score", "given-others"]:
        """Whose numbers :attr:`evidence` has.

        ``score``: the score is a sum over the data sets, and these are its terms. ``given-others``: it is none, as with kin and the
        scores on pooled rows, and the numbers are what each data set adds to the evidence for the arc, given all others.
        """
        arcs = self.document["arcs"]
        return "given-others" if any(arc["by_data_set"] is None for arc in arcs) else "score"

    @cached_property
    def evidence(self) -> DataFrame:
        """What each arc is worth in each data set: a row for each arc, a column for each data set.

        A score that is no sum over the data sets has no such terms; then the numbers are those of :meth:`explain`, computed
        when they are first asked for. :attr:`terms` says which they are.
        """
        if self.terms == "given-others":
            return self.explain(left_out=0, rivals=False).evidence
        arcs = self.document["arcs"]
        columns = {name: [arc["by_data_set"][name] for arc in arcs] for name in self.document["data_sets"]}
        return _frames.frame(columns, {key: [arc[key] for arc in arcs] for key in ("from", "to")})

    @property
    def steps(self) -> DataFrame:
        """The moves of the climb that found the structure, as a frame."""
        steps = self.document["steps"]
        return _frames.frame({key: [step[key] for step in steps] for key in ("move", "from", "to", "gain")})

    @property
    def stop(self) -> str:
        """Why the search ended: ``optimum``, ``max-steps``, ``time-limit``."""
        return str(self.document["stop"])

    def fit(self, method: Optional[Method] = None, **machine: Unpack[Machine]) -> Network:
        """Estimates the probability tables, with the prior of the score.

        Parameters
        ----------
        method : {"hierarchical", "kin", "bayes", "mle"}, optional
            How: drawn towards the common centre; the same, as closely as the data of each family say; each data set alone with
            an imaginary sample; observed shares. If not given, ``kin`` for that score and ``hierarchical`` otherwise.
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
        from ._learning import fit

        method, own = self._tables(method)
        settings: Any = own
        return fit(self.data, self, method=method, **settings, **machine)

    def _tables(self, method: Optional[Method] = None) -> tuple[Method, dict[str, Any]]:
        """A method of estimating tables, the score's own if none is named, and the score's settings for it."""
        if method is None:
            method = "kin" if self.score_name == "kin" else "hierarchical"
        return method, _settings.pick(self._chosen, _settings.OF_METHOD.get(method, {}))

    def explain(
        self, *, left_out: int = 10, rivals: bool = True, progress: Progress = None, **machine: Unpack[Machine]
    ) -> Explanation:
        """Says why the network is what it is: arcs by data set, whether to pool, which data sets are odd; see :func:`explain`.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> learned = kinfolk.learn(made.frames, score="bhd")
        >>> learned.explain(rivals=False).evidence.columns.tolist()
        ['data_001', 'data_002']
        """
        from ._judging import explain

        chosen: Any = self._chosen
        return explain(self.data, structure=self, left_out=left_out, rivals=rivals, progress=progress, **chosen, **machine)

    def bootstrap(
        self,
        replicates: int = 200,
        *,
        by: Literal["rows", "data-sets"] = "rows",
        leave_one_out: Optional[bool] = None,
        resume: Optional[Path] = None,
        **settings: Unpack[Learning],
    ) -> Bootstrapped:
        """Learns again from resampled data with the same settings, and says how sure every arc is; see :func:`bootstrap`.

        Parameters
        ----------
        replicates, by, leave_one_out, resume
            As in :func:`bootstrap`.
        **settings
            Settings of :func:`learn` that are to differ, such as ``score`` or ``seed``. Another score comes with its own defaults;
            the structure prior stays if it was given. Repeated rows look like certainty to kin: ``score="bhd"`` is better.

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
        from ._judging import bootstrap

        changed: Any = self._changed(settings)
        return bootstrap(self.data, replicates=replicates, by=by, leave_one_out=leave_one_out, resume=resume, **changed)

    def _changed(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of score and search with changes; the options of one score are not those of another."""
        own = dict(self._chosen)
        asks_for_bhd = any(settings.get(name) is not None for name in _settings.PRIOR)
        score = settings.get("score", "bhd" if asks_for_bhd else self.score_name)
        if score != self.score_name:
            own = {name: value for name, value in own.items() if name not in _settings.OF_TABLES}
        return {**own, **settings, "score": score}

    def report(
        self,
        path: Path,
        title: Optional[str] = None,
        figures: Optional[Path] = None,
        explain: Depth = "brief",
        bootstrap: Optional[Bootstrapped] = None,
    ) -> None:
        """Writes a self-contained HTML page: the network, whether to pool, the data, and tables as :meth:`fit` gives them.

        Parameters
        ----------
        path : path
            The page.
        title : str, optional
            Its title; the names of the data sets if not given.
        figures : path, optional
            A folder for ``network.svg`` and, if the evidence by data set is known, ``evidence.svg``.
        explain : {"brief", "full", "none"}, optional
            How much the page says about pooling, odd data sets and arcs left out; full looks for rival networks too.
        bootstrap : Bootstrapped, optional
            How sure the arcs are, from the same data; they are then drawn as wide as they are sure.

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
        """The structure as an SVG drawing, laid out as on the page of :meth:`report`: arcs as wide as they are strong.

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
        """A :class:`networkx.DiGraph` whose arcs carry ``gain`` and ``by_data_set``.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
        >>> learned = kinfolk.learn(made.frames, score="bhd")
        >>> graph = learned.to_networkx()
        >>> sum(gain for _, _, gain in graph.edges(data="gain")) == sum(learned.arcs["gain"])
        True
        """
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(variable["name"] for variable in self.document["variables"])
        for arc in self.document["arcs"]:
            graph.add_edge(arc["from"], arc["to"], gain=arc["gain"], by_data_set=arc["by_data_set"])
        return graph

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws the structure with matplotlib and networkx; options go to :func:`networkx.draw_networkx`.

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
        return draw(self.to_networkx(), ax, **options)

    def __repr__(self) -> str:
        return f"Learned({self.structure!r}, {self.score_name}={self.score:.3f}, stop={self.stop!r})"

    def _repr_html_(self) -> str:
        names = self.document["data_sets"]
        arcs = self.document["arcs"]
        each = len(names) > 1 and self.terms == "score"
        head = ["from", "to", "gain", *(f"in {name}" for name in names if each)]
        rows = [[arc["from"], arc["to"], arc["gain"], *(arc["by_data_set"].values() if each else ())] for arc in arcs]
        return (
            f"<p>network <code>{_html.escape(self.structure)}</code><br>{_html.escape(self.score_name)} "
            f"{self.score:.3f}, {len(self.document['steps'])} moves, stop: {_html.escape(self.stop)}</p>"
            f"{self.to_svg()}{_html.table(head, rows, 'learned.evidence', len(rows))}"
        )
