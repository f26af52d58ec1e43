"""What was found: structures with their scores, and what each arc is worth in each data set."""

from __future__ import annotations

import html

from . import _frames
from ._network import draw


class Result:
    """A structure with its score; :attr:`document` has everything as plain dictionaries and lists."""

    def __init__(self, document):
        #: Everything, as the command line's ``--json`` has it.
        self.document = document

    @property
    def structure(self) -> str:
        """The structure as a modelstring."""
        return self.document["structure"]

    @property
    def score_name(self) -> str:
        """The name of the score."""
        return self.document["score_name"]

    @property
    def score_by_data_set(self):
        """The score by data set; None for scores on the pooled rows."""
        return self.document["by_data_set"]

    @property
    def settings(self):
        """How it was set up."""
        return self.document["settings"]

    @property
    def nodes(self):
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
    """The score of a given structure, made by :func:`score`."""

    @property
    def score(self) -> float:
        """The score of the whole structure, a natural logarithm; larger is better."""
        return self.document["total"]

    def __repr__(self):
        return f"Scored({self.structure!r}, {self.score_name}={self.score:.3f})"


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

    def __init__(self, document, data, own):
        super().__init__(document)
        #: The data it was learned from.
        self.data = data
        # The score's settings by the method of estimation that takes them too.
        self._own = own

    @property
    def score(self) -> float:
        """The score of the network, a natural logarithm; larger is better."""
        return self.document["score"]

    @property
    def arcs(self):
        """The arcs with what the score would lose without each, as a frame."""
        arcs = self.document["arcs"]
        return _frames.frame({key: [arc[key] for arc in arcs] for key in ("from", "to", "gain")})

    @property
    def evidence(self):
        """What each arc is worth in each data set: a row for each arc, a column for each data set.

        None for scores on the pooled rows, which do not keep the data sets apart.
        """
        arcs = self.document["arcs"]
        if any(arc["by_data_set"] is None for arc in arcs):
            return None
        columns = {name: [arc["by_data_set"][name] for arc in arcs] for name in self.document["data_sets"]}
        return _frames.frame(columns, {key: [arc[key] for arc in arcs] for key in ("from", "to")})

    @property
    def steps(self):
        """The moves of the climb that found the structure, as a frame."""
        steps = self.document["steps"]
        return _frames.frame({key: [step[key] for step in steps] for key in ("move", "from", "to", "gain")})

    @property
    def stop(self) -> str:
        """Why the search ended: ``optimum``, ``max-steps``, ``time-limit``."""
        return self.document["stop"]

    def fit(self, method=None, *, memory=4096, threads=0):
        """Estimates the probability tables, with the prior of the score.

        Parameters
        ----------
        method : {"hierarchical", "kin", "bayes", "mle"}, optional
            How: drawn towards the common centre; the same, as closely as the data of each family say; each data set alone with
            an imaginary sample; observed shares. If not given, ``kin`` for that score and ``hierarchical`` otherwise.

        Returns
        -------
        Network
        """
        from . import fit

        if method is None:
            method = "kin" if self.score_name == "kin" else "hierarchical"
        return fit(self.data, self, method=method, memory=memory, threads=threads, **self._own.get(method, {}))

    def report(self, path, title=None):
        """Writes a self-contained HTML page that shows the network, with tables as :meth:`fit` gives them."""
        self.fit().report(path, title)

    def to_networkx(self):
        """A :class:`networkx.DiGraph` whose arcs carry ``gain`` and ``by_data_set``."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(variable["name"] for variable in self.document["variables"])
        for arc in self.document["arcs"]:
            graph.add_edge(arc["from"], arc["to"], gain=arc["gain"], by_data_set=arc["by_data_set"])
        return graph

    def plot(self, ax=None, **options):
        """Draws the structure with matplotlib and networkx; options go to :func:`networkx.draw_networkx`."""
        return draw(self.to_networkx(), ax, **options)

    def __repr__(self):
        return f"Learned({self.structure!r}, {self.score_name}={self.score:.3f}, stop={self.stop!r})"

    def _repr_html_(self):
        names = self.document["data_sets"]
        arcs = self.document["arcs"]
        each = len(names) > 1 and all(arc["by_data_set"] is not None for arc in arcs)
        head = ["from", "to", "gain", *(f"in {name}" for name in names if each)]
        rows = []
        for arc in arcs:
            numbers = [arc["gain"], *((arc["by_data_set"] or {}).values() if each else ())]
            cells = [html.escape(arc["from"]), html.escape(arc["to"])]
            cells += ["not computed" if number is None else f"{number:.3f}" for number in numbers]
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        titles = "".join(f"<th>{html.escape(title)}</th>" for title in head)
        return (
            f"<p>network <code>{html.escape(self.structure)}</code><br>{html.escape(self.score_name)} "
            f"{self.score:.3f}, {len(self.document['steps'])} moves, stop: {html.escape(self.stop)}</p>"
            f"<table><tr>{titles}</tr>{''.join(rows)}</table>"
        )


class Simulated:
    """A made-up truth and rows drawn from it, made by :func:`simulate`."""

    def __init__(self, network, structures, frames):
        #: The true network, with every data set's tables.
        self.network = network
        #: The structure of each data set, by name.
        self.structures = structures
        #: The rows, a frame for each data set by name.
        self.frames = frames

    def __repr__(self):
        return f"Simulated({self.network.structure!r}, {len(self.frames)} data sets)"


class Validation:
    """How well held-out rows are predicted, made by :func:`validate`."""

    def __init__(self, document):
        #: Everything, as the command line's ``--json`` has it.
        self.document = document

    @property
    def methods(self):
        """The log-likelihood of held-out rows by method: total and per row, and per row in each data set."""
        methods = self.document["methods"]
        columns = {
            "log_likelihood": [method["log_likelihood"] for method in methods],
            "per_row": [method["per_row"] for method in methods],
        }
        for name in methods[0]["by_data_set"]:
            columns[f"in {name}"] = [method["by_data_set"][name]["per_row"] for method in methods]
        return _frames.frame(columns, {"method": [method["method"] for method in methods]})

    @property
    def differences(self):
        """Hierarchical minus the others, per row, with standard errors and verdict."""
        found = self.document["differences"]
        keys = ("per_row", "se", "se_by_data_set", "verdict")
        return _frames.frame({key: [one[key] for one in found] for key in keys}, {"minus": [one["minus"] for one in found]})

    def __repr__(self):
        verdicts = ", ".join(f"{one['verdict']} than {one['minus']}" for one in self.document["differences"])
        return f"Validation(hierarchical: {verdicts})"

    def _repr_html_(self):
        parts = [self.methods, self.differences]
        return "".join(part.to_html() for part in parts if hasattr(part, "to_html"))
