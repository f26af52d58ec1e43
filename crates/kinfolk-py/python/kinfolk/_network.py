"""Networks: structure and tables, questions, prediction, sampling, and the ways to other programs."""

from __future__ import annotations

import html
import itertools
import os
import tempfile
from pathlib import Path

import numpy as np

from . import _frames, _kinfolk

#: The most cells that the tables of one question may have, 8 bytes each.
MOST_CELLS = 134_217_728

#: File name endings of formats other than their own names.
_ENDINGS = {"bifxml": "xmlbif", "xml": "xmlbif", "gv": "dot", "txt": "modelstring"}


class Network:
    """One structure with its probability tables: for every data set, pooled, and for a data set never seen.

    Made by :meth:`Learned.fit`, :func:`fit`, :func:`load` or :meth:`Network.load`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[200, 200], seed=1)
    >>> network = kinfolk.fit(made.frames, "[V1][V2|V1][V3|V1]")
    >>> network.data_sets
    ['data_001', 'data_002']
    >>> network.tables("V2").shape
    (8, 2)
    """

    def __init__(self, inner):
        self._inner = inner

    # What it is made of.

    @property
    def structure(self) -> str:
        """The structure as a modelstring."""
        return self._inner.structure

    @property
    def variables(self):
        """The variables, each with its states, in column order."""
        return self._inner.variables

    @property
    def data_sets(self):
        """The names of the data sets."""
        return self._inner.data_sets

    @property
    def relatives(self):
        """Everyone who has tables: the data sets, then ``pooled`` and ``new``."""
        return list(dict.fromkeys([*self.data_sets, "pooled", "new"]))

    @property
    def arcs(self):
        """The arcs as pairs of names, by the column order of child and parent."""
        return [(parent, node) for node in self.variables for parent in self.parents(node)]

    @property
    def settings(self):
        """How it was estimated."""
        return self._inner.settings

    @property
    def provenance(self):
        """Where it came from, with a hash of the data; None if it was not made from data."""
        return self._inner.provenance

    def parents(self, node):
        """The parents of a node, in column order."""
        return self._inner.parents(node)

    def table(self, node, data_set="pooled"):
        """P(node | parents) for one relative, as an array.

        Parameters
        ----------
        node : str
            The node.
        data_set : str
            A data set, ``"pooled"`` or ``"new"``.

        Returns
        -------
        numpy.ndarray
            One axis for each parent in column order, the last for the node's own states.
        """
        return self._array(self._inner.table(node, data_set), node)

    def tables(self, node, data_set=None):
        """The tables of a node side by side, as a frame.

        Parameters
        ----------
        node : str
            The node.
        data_set : str, optional
            One relative; all of them if not given.

        Returns
        -------
        pandas.DataFrame
            A row for each relative and configuration of the parents, a column for each state. Without pandas, a mapping of
            columns.
        """
        states = self.variables[node]
        parents = self.parents(node)
        configurations = list(itertools.product(*(self.variables[parent] for parent in parents)))
        relatives = self.relatives if data_set is None else [data_set]
        values = np.concatenate([self.table(node, name).reshape(-1, len(states)) for name in relatives])
        index = {"data set": np.repeat(relatives, len(configurations))}
        for position, parent in enumerate(parents):
            index[parent] = [configuration[position] for configuration in configurations] * len(relatives)
        return _frames.frame({state: values[:, column] for column, state in enumerate(states)}, index)

    def pooling(self, node):
        """What the fit says about pooling: ``tau``, ``kappa``, ``shrinkage`` by data set, ``kin``, ``converged``.

        None for methods without a common centre.
        """
        pooling = self._inner.pooling(node)
        if pooling is not None:
            pooling["kappa"] = self._array(pooling["kappa"], node)
        return pooling

    def _array(self, values, node):
        shape = [len(self.variables[name]) for name in [*self.parents(node), node]]
        return np.frombuffer(values).reshape(shape)

    # Questions.

    def query(self, targets=(), evidence=None, do=None, *, data_set=None, joint=False, mpe=False, most_cells=MOST_CELLS):
        """Probabilities of variables given evidence, for every data set side by side.

        Parameters
        ----------
        targets : str or list of str
            What to tell the probabilities of.
        evidence, do : dict, optional
            What is observed, and what is set from outside: variable to state.
        data_set : str or list of str, optional
            Who is asked; everyone if not given.
        joint : bool
            Whether to tell the targets' joint distribution instead of each by itself.
        mpe : bool
            Whether to tell the most probable explanation instead.
        most_cells : int
            How large the tables of an exact answer may become.

        Returns
        -------
        pandas.DataFrame
            A row for each state (or joint configuration, or variable), a column for each relative.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[200, 200], seed=1)
        >>> answer = made.network.query("V1", {"V2": "1"}, data_set="data_001")
        >>> answer.index.names
        FrozenList(['variable', 'state'])
        >>> float(answer["data_001"].sum().round(12))
        1.0
        """
        targets = [targets] if isinstance(targets, str) else list(targets)
        if mpe + joint + bool(targets) == 0 and not evidence:
            raise ValueError("nothing is asked: name a target, or ask for the most probable explanation with mpe=True")
        relatives = [data_set] if isinstance(data_set, str) else None if data_set is None else list(data_set)
        answer = self._inner.query(targets, _pairs(evidence), _pairs(do), relatives, joint, mpe, most_cells)
        if mpe:
            found = answer["explanation"]
            variables = list(next(iter(found.values()))["assignment"])
            columns = {name: [one["assignment"][v] for v in variables] for name, one in found.items()}
            return _frames.frame(columns, {"variable": variables})
        if joint:
            index = {target: [row["states"][target] for row in answer["joint"]] for target in targets}
            names = answer["joint"][0]["data_sets"]
            return _frames.frame({name: [row["data_sets"][name] for row in answer["joint"]] for name in names}, index)
        if not targets:
            logs = answer["log_probability_of_evidence"]
            return _frames.frame({name: [log] for name, log in logs.items()}, {"": ["ln P(evidence)"]})
        index, columns = {"variable": [], "state": []}, {}
        for target in answer["targets"]:
            for name, states in target["data_sets"].items():
                columns.setdefault(name, []).extend(states.values())
            index["variable"].extend([target["target"]] * len(states))
            index["state"].extend(states)
        return _frames.frame(columns, index)

    def predict(self, data, target, groups=None, **options):
        """The most probable state of a variable in every row.

        The rows of a data set that the network knows are predicted with its tables, all others with those for a data set never
        seen. Missing values are summed out, and so are variables without a column.

        Parameters
        ----------
        data : frame, table, array, mapping or path
            The rows; see :func:`read`.
        target : str
            The variable to predict.
        groups : str or array, optional
            Which data set each row belongs to.
        **options
            ``data_set`` (these tables for all rows), ``unseen`` (``"refuse"`` or ``"missing"``: values that no state means),
            ``na``, ``names``, ``most_cells``.

        Returns
        -------
        numpy.ndarray
            One state per row; None where the tables hold the row to be impossible.
        """
        probabilities = self.predict_proba(data, target, groups, **options)
        states = np.array(self.variables[target], dtype=object)
        known = ~np.isnan(probabilities[:, 0])
        predicted = np.full(len(probabilities), None, dtype=object)
        predicted[known] = states[probabilities[known].argmax(axis=1)]
        return predicted

    def predict_proba(self, data, target, groups=None, **options):
        """The probabilities of a variable's states in every row: an array with a column for each state.

        Takes what :meth:`predict` takes.
        """
        return self._predict(data, target, groups, **options)[0]

    def evaluate(self, data, target, groups=None, weights=None, **options):
        """How good the predictions are in rows whose outcome is known: log-loss, accuracy, Brier score, calibration.

        Takes what :meth:`predict` takes, and ``weights``: how many rows a row stands for. Returns a dictionary, overall and by
        data set; None if no row has an outcome.
        """
        return self._predict(data, target, groups, weights=weights, **options)[2]["metrics"]

    def _predict(self, data, target, groups=None, *, weights=None, data_set=None, unseen="refuse", na=None, names=None, most_cells=MOST_CELLS):
        sources, settings = _new_rows(data, groups, weights, unseen, na, names)
        values, tables, rest = self._inner.predict(sources, settings, target, data_set, most_cells)
        return np.frombuffer(values).reshape(-1, len(self.variables[target])), tables, rest

    def log_likelihood(self, data, groups=None, *, data_set=None, unseen="refuse", na=None, names=None):
        """ln P(row) of every row, with the tables of its data set or, if the network does not know it, of a new one.

        Missing values are summed out. Returns one number per row.
        """
        sources, settings = _new_rows(data, groups, None, unseen, na, names)
        return np.frombuffer(self._inner.log_likelihood(sources, settings, data_set))

    def sample(self, rows, data_set=None, *, seed=0, stream=0):
        """Draws rows.

        Parameters
        ----------
        rows : int or dict
            How many rows: of each data set, of ``data_set`` only, or by name.
        data_set : str, optional
            Whose tables: a data set, ``"pooled"`` or ``"new"``.
        seed, stream : int
            The same numbers give the same rows on every machine.

        Returns
        -------
        pandas.DataFrame or dict of them
            One frame if ``data_set`` is given, otherwise one for each data set by name.
        """
        if isinstance(rows, dict):
            draws = [(str(name), int(number)) for name, number in rows.items()]
        else:
            names = self.data_sets if data_set is None else [data_set]
            draws = [(name, int(rows)) for name in names]
        frames = _frames.decode(*self._inner.sample(draws, seed, stream))
        return frames if data_set is None else frames[data_set]

    # Files and other programs.

    def save(self, path, data_set="pooled"):
        """Writes the network to a file, whole or not at all.

        A name that ends in ``.json`` gives kinfolk's own format, which loads back to the bit. Others (``.bif``, ``.xmlbif``,
        ``.xdsl``, ``.net``, ``.dsc``, ``.uai``, ``.dot``, ``.graphml``) give the tables of one relative.
        """
        path = Path(path)
        format_name = _format_of(path)
        _write(path, self._inner.text() if format_name == "json" else self.to_format(format_name, data_set))

    def report(self, path, title=None):
        """Writes a self-contained HTML page that shows the network: structure, evidence, tables."""
        _write(Path(path), _kinfolk.report(self._inner, title or self._title()))

    def to_svg(self, title=None):
        """The structure as an SVG drawing."""
        return _kinfolk.drawings(self._inner, title or self._title())[0]

    def _title(self):
        return "One network from " + ", ".join(self.data_sets)

    @staticmethod
    def load(path, data_set=None):
        """Reads a network file of kinfolk's, or of another program by its ending.

        The tables of another program become those of one data set, named ``data_set`` or as the file.
        """
        path = Path(path)
        text = path.read_text(encoding="utf-8-sig")
        format_name = _format_of(path)
        try:
            if format_name == "json":
                return Network(_kinfolk.load(text))
            return Network(_kinfolk.load_foreign(text, format_name, data_set or path.stem))
        except _kinfolk.NetworkError as error:
            raise _kinfolk.NetworkError(f"{path}: {error}") from None

    def to_format(self, format, data_set="pooled"):
        """One relative's tables as text: ``bif``, ``xmlbif``, ``xdsl``, ``net``, ``dsc``, ``uai``, ``dot``, ``graphml``, ``modelstring``."""
        return self._inner.write(format, data_set)[0]

    def to_bif(self, data_set="pooled"):
        """One relative's tables in BIF, the interchange format of the Bayesian network repository."""
        return self.to_format("bif", data_set)

    def to_networkx(self, data_set="pooled"):
        """A :class:`networkx.DiGraph`, with ``states`` and ``table`` (an array, see :meth:`table`) at every node."""
        import networkx

        graph = networkx.DiGraph()
        for node, states in self.variables.items():
            graph.add_node(node, states=list(states), parents=self.parents(node), table=self.table(node, data_set))
        graph.add_edges_from(self.arcs)
        return graph

    def to_pgmpy(self, data_set="pooled"):
        """A pgmpy ``DiscreteBayesianNetwork`` with one relative's tables."""
        from pgmpy.factors.discrete import TabularCPD

        try:
            from pgmpy.models import DiscreteBayesianNetwork as Model
        except ImportError:
            from pgmpy.models import BayesianNetwork as Model

        model = Model()
        model.add_nodes_from(self.variables)
        model.add_edges_from(self.arcs)
        for node, states in self.variables.items():
            parents = self.parents(node)
            family = {name: list(self.variables[name]) for name in [node, *parents]}
            cards = [len(self.variables[parent]) for parent in parents]
            values = self.table(node, data_set).reshape(-1, len(states)).T
            model.add_cpds(TabularCPD(node, len(states), values, parents or None, cards or None, state_names=family))
        return model

    def to_pyagrum(self, data_set="pooled"):
        """A pyAgrum ``BayesNet`` with one relative's tables."""
        try:
            import pyagrum
        except ImportError:
            import pyAgrum as pyagrum

        net = pyagrum.BayesNet()
        for node, states in self.variables.items():
            # A variable of one state would be refused as having no uncertainty; pyAgrum takes it in this form.
            net.add(pyagrum.LabelizedVariable(node, node, list(states)))
        for parent, node in self.arcs:
            net.addArc(parent, node)
        for node in self.variables:
            table = self.table(node, data_set)
            parents = self.parents(node)
            cpt = net.cpt(node)
            for configuration in itertools.product(*(range(len(self.variables[parent])) for parent in parents)):
                cpt[dict(zip(parents, configuration))] = table[configuration].tolist()
        return net

    def plot(self, ax=None, **options):
        """Draws the structure with matplotlib and networkx; options go to :func:`networkx.draw_networkx`."""
        return draw(self.to_networkx(), ax, **options)

    def __repr__(self):
        return f"Network({self.structure!r}, data_sets={self.data_sets!r})"

    def _repr_html_(self):
        rows = [
            f"<tr><td>{html.escape(node)}</td><td>{html.escape(', '.join(self.parents(node)))}</td>"
            f"<td>{html.escape(' | '.join(states))}</td></tr>"
            for node, states in self.variables.items()
        ]
        head = "<tr><th>variable</th><th>parents</th><th>states</th></tr>"
        sets = html.escape(", ".join(self.data_sets))
        return f"<p>network <code>{html.escape(self.structure)}</code>, data sets {sets}</p>{self.to_svg()}<table>{head}{''.join(rows)}</table>"

    def __reduce__(self):
        return _unpickle, (self._inner.text(),)

    def __eq__(self, other):
        return isinstance(other, Network) and self._inner.text() == other._inner.text()

    __hash__ = None


def _write(path, text):
    """Writes a file, whole or not at all."""
    handle, temporary = tempfile.mkstemp(prefix=".kinfolk-", dir=path.parent, text=False)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _unpickle(text):
    return Network(_kinfolk.load(text))


def _pairs(given):
    return [] if given is None else [(str(name), str(_frames.spell(state))) for name, state in given.items()]


def _new_rows(data, groups, weights, unseen, na, names):
    sources, group, weight = _frames.gather(data, groups, weights, names)
    return sources, {"group": group, "weight": weight, "na": na, "unseen": unseen}


def _format_of(path):
    ending = path.suffix.lstrip(".").lower()
    return _ENDINGS.get(ending, ending or "json")


def draw(graph, ax=None, **options):
    """Draws a graph in layers: parents above their children."""
    import matplotlib.pyplot as plt
    import networkx

    if ax is None:
        _, ax = plt.subplots()
    for layer, nodes in enumerate(networkx.topological_generations(graph)):
        for node in nodes:
            graph.nodes[node]["layer"] = -layer
    positions = networkx.multipartite_layout(graph, subset_key="layer", align="horizontal")
    networkx.draw_networkx(graph, positions, ax=ax, **{"node_color": "#dde6f0", "node_size": 900, **options})
    ax.set_axis_off()
    return ax
