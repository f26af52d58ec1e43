"""Networks: structure and tables, questions, prediction, sampling, and the ways to other programs."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _frames, _html, _kinfolk
from ._drawing import draw
from ._files import write, write_figures

if TYPE_CHECKING:
    from pandas import DataFrame
    from typing_extensions import Unpack

    from . import _types
    from ._types import ColumnOrValues, NewRows, Tables

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

    def __init__(self, inner: _kinfolk.Network):
        self._inner = inner

    # What it is made of.

    @property
    def structure(self) -> str:
        """The structure as a modelstring."""
        return self._inner.structure

    @property
    def variables(self) -> dict[str, list[str]]:
        """The variables, each with its states, in column order."""
        return self._inner.variables

    @property
    def data_sets(self) -> list[str]:
        """The names of the data sets."""
        return self._inner.data_sets

    @property
    def relatives(self) -> list[str]:
        """Everyone who has tables: the data sets, then ``pooled`` and ``new``."""
        return list(dict.fromkeys([*self.data_sets, "pooled", "new"]))

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """The arcs as pairs of names, by the column order of child and parent."""
        return [(parent, node) for node in self.variables for parent in self.parents(node)]

    @property
    def settings(self) -> dict[str, Any]:
        """How it was estimated."""
        return self._inner.settings

    @property
    def provenance(self) -> Optional[dict[str, Any]]:
        """Where it came from, with a hash of the data; None if it was not made from data."""
        return self._inner.provenance

    def parents(self, node: str) -> list[str]:
        """The parents of a node, in column order."""
        return self._inner.parents(node)

    def table(self, node: str, data_set: str = "pooled") -> np.ndarray:
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

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.table("wet", "south").shape
        (2, 2)
        >>> network.table("wet", "south").sum(axis=1).round(12).tolist()
        [1.0, 1.0]
        """
        return self._array(self._inner.table(node, data_set), node)

    def tables(self, node: str, data_set: Optional[str] = None) -> DataFrame:
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

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.tables("rain").index.tolist()
        ['north', 'south', 'pooled', 'new']
        >>> network.tables("wet", "new").columns.tolist()
        ['no', 'yes']
        """
        states = self.variables[node]
        parents = self.parents(node)
        configurations = list(itertools.product(*(self.variables[parent] for parent in parents)))
        relatives = self.relatives if data_set is None else [data_set]
        values = np.concatenate([self.table(node, name).reshape(-1, len(states)) for name in relatives])
        index: dict[str, Any] = {"data set": np.repeat(relatives, len(configurations))}
        for position, parent in enumerate(parents):
            index[parent] = [configuration[position] for configuration in configurations] * len(relatives)
        return _frames.frame({state: values[:, column] for column, state in enumerate(states)}, index)

    def pooling(self, node: str) -> Optional[dict[str, Any]]:
        """What the fit says about pooling: ``tau``, ``kappa``, ``shrinkage`` by data set, ``kin``, ``converged``.

        None for methods without a common centre.
        """
        pooling = self._inner.pooling(node)
        if pooling is not None:
            pooling["kappa"] = self._array(pooling["kappa"], node)
        return pooling

    def _array(self, values: bytes, node: str) -> np.ndarray:
        shape = [len(self.variables[name]) for name in [*self.parents(node), node]]
        return np.frombuffer(values).reshape(shape)

    # Questions.

    def query(
        self,
        targets: Union[str, Sequence[str]] = (),
        evidence: Optional[Mapping[str, Any]] = None,
        do: Optional[Mapping[str, Any]] = None,
        *,
        data_set: Union[str, Sequence[str], None] = None,
        joint: bool = False,
        mpe: bool = False,
        most_cells: float = MOST_CELLS,
    ) -> DataFrame:
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
        twice = next((name for name in targets if targets.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the target {twice!r} is given twice")
        if joint and not targets:
            raise ValueError("joint=True needs targets: name the variables whose joint distribution is asked for")
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

    def predict(self, data: Tables, target: str, groups: ColumnOrValues = None, **options: Unpack[NewRows]) -> np.ndarray:
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

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.predict({"wet": ["yes", "no"], "place": ["south", "west"]}, "rain", groups="place").tolist()
        ['yes', 'no']
        """
        probabilities = self.predict_proba(data, target, groups, **options)
        states = np.array(self.variables[target], dtype=object)
        known = ~np.isnan(probabilities[:, 0])
        predicted = np.full(len(probabilities), None, dtype=object)
        predicted[known] = states[probabilities[known].argmax(axis=1)]
        return predicted

    def predict_proba(self, data: Tables, target: str, groups: ColumnOrValues = None, **options: Unpack[NewRows]) -> np.ndarray:
        """The probabilities of a variable's states in every row: an array with a column for each state.

        Takes what :meth:`predict` takes.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.predict_proba({"wet": ["yes", None]}, "rain", data_set="north").shape
        (2, 2)
        """
        return self._predict(data, target, groups, **options)[0]

    def evaluate(
        self, data: Tables, target: str, groups: ColumnOrValues = None, weights: ColumnOrValues = None, **options: Unpack[NewRows]
    ) -> Optional[dict[str, Any]]:
        """How good the predictions are in rows whose outcome is known: log-loss, accuracy, Brier score, calibration.

        Takes what :meth:`predict` takes, and ``weights``: how many rows a row stands for. Returns a dictionary, overall and by
        data set; None if no row has an outcome.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> sorted(network.evaluate(rows, "rain")["data_sets"])
        ['north', 'south']
        """
        metrics: Optional[dict[str, Any]] = self._predict(data, target, groups, weights=weights, **options)[2]["metrics"]
        return metrics

    def _predict(
        self,
        data: Tables,
        target: str,
        groups: ColumnOrValues = None,
        *,
        weights: ColumnOrValues = None,
        data_set: Optional[str] = None,
        unseen: str = "refuse",
        na: Optional[Sequence[str]] = None,
        names: Optional[Sequence[str]] = None,
        most_cells: float = MOST_CELLS,
    ) -> tuple[np.ndarray, list[str], dict[str, Any]]:
        sources, settings = _new_rows(data, groups, weights, unseen, na, names)
        values, tables, rest = self._inner.predict(sources, settings, target, data_set, most_cells)
        return np.frombuffer(values).reshape(-1, len(self.variables[target])), tables, rest

    def log_likelihood(
        self,
        data: Tables,
        groups: ColumnOrValues = None,
        *,
        data_set: Optional[str] = None,
        unseen: str = "refuse",
        na: Optional[Sequence[str]] = None,
        names: Optional[Sequence[str]] = None,
    ) -> np.ndarray:
        """ln P(row) of every row, with the tables of its data set or, if the network does not know it, of a new one.

        Missing values are summed out. Returns one number per row.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> certain = network.log_likelihood({"rain": [None], "wet": [None]})
        >>> bool(abs(certain[0]) < 1e-12)
        True
        """
        sources, settings = _new_rows(data, groups, None, unseen, na, names)
        return np.frombuffer(self._inner.log_likelihood(sources, settings, data_set))

    def sample(
        self, rows: Union[int, Mapping[str, int]], data_set: Optional[str] = None, *, seed: int = 0, stream: int = 0
    ) -> Union[DataFrame, dict[str, DataFrame]]:
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

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.sample(3, "new", seed=1).shape
        (3, 2)
        >>> {name: len(frame) for name, frame in network.sample({"north": 2, "south": 1}).items()}
        {'north': 2, 'south': 1}
        """
        if isinstance(rows, Mapping):
            draws = [(str(name), int(number)) for name, number in rows.items()]
        else:
            names = self.data_sets if data_set is None else [data_set]
            draws = [(name, int(rows)) for name in names]
        frames = _frames.decode(*self._inner.sample(draws, seed, stream))
        return frames if data_set is None else frames[data_set]

    # Files and other programs.

    def save(self, path: _types.Path, data_set: str = "pooled") -> None:
        """Writes the network to a file, whole or not at all.

        A name that ends in ``.json`` gives kinfolk's own format, which loads back to the bit. Others (``.bif``, ``.xmlbif``,
        ``.xdsl``, ``.net``, ``.dsc``, ``.uai``, ``.dot``, ``.graphml``) give the tables of one relative.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "network.json")
        >>> network.save(path)
        >>> kinfolk.load(path) == network
        True
        """
        path = Path(path)
        format_name = _format_of(path)
        write(path, self._inner.text() if format_name == "json" else self.to_format(format_name, data_set))

    def report(self, path: _types.Path, title: Optional[str] = None, figures: Optional[_types.Path] = None) -> None:
        """Writes a self-contained HTML page that shows the network: structure, evidence, tables.

        Parameters
        ----------
        path : path
            The page.
        title : str, optional
            Its title; the names of the data sets if not given.
        figures : path, optional
            A folder for ``network.svg`` and, if the score has terms by data set, ``evidence.svg``.
        """
        self._write_report(path, title, figures, None)

    def _write_report(
        self, path: _types.Path, title: Optional[str], figures: Optional[_types.Path], data: Optional[_kinfolk.Data]
    ) -> None:
        write(Path(path), _kinfolk.report(self._inner, title, data))
        if figures is not None:
            write_figures(Path(figures), *_kinfolk.drawings(self._inner.text(), title))

    def to_svg(self, title: Optional[str] = None) -> str:
        """The structure as an SVG drawing, laid out as on the page of :meth:`report`."""
        return _kinfolk.drawings(self._inner.text(), title)[0]

    @staticmethod
    def load(path: _types.Path, data_set: Optional[str] = None) -> Network:
        """Reads a network file of kinfolk's, or of another program by its ending.

        Parameters
        ----------
        path : path
            The file.
        data_set : str, optional
            The tables of another program become those of one data set of this name; of the file's, if not given.

        Returns
        -------
        Network

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "weather.bif")
        >>> network.save(path, "north")
        >>> kinfolk.load(path).data_sets
        ['weather']
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

    def to_format(self, format: str, data_set: str = "pooled") -> str:
        """One relative's tables as text: ``bif``, ``xmlbif``, ``xdsl``, ``net``, ``dsc``, ``uai``, ``dot``, ``graphml``, ``modelstring``."""
        return self._inner.write(format, data_set)[0]

    def to_bif(self, data_set: str = "pooled") -> str:
        """One relative's tables in BIF, the interchange format of the Bayesian network repository.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.to_bif("south").splitlines()[0][:7]
        'network'
        """
        return self.to_format("bif", data_set)

    def to_networkx(self, data_set: str = "pooled") -> Any:
        """A :class:`networkx.DiGraph`, with ``states`` and ``table`` (an array, see :meth:`table`) at every node."""
        import networkx

        graph = networkx.DiGraph()
        for node, states in self.variables.items():
            graph.add_node(node, states=list(states), parents=self.parents(node), table=self.table(node, data_set))
        graph.add_edges_from(self.arcs)
        return graph

    def to_pgmpy(self, data_set: str = "pooled") -> Any:
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

    def to_pyagrum(self, data_set: str = "pooled") -> Any:
        """A pyAgrum ``BayesNet`` with one relative's tables."""
        try:
            pyagrum: Any = importlib.import_module("pyagrum")
        except ImportError:
            pyagrum = importlib.import_module("pyAgrum")
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

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws the structure with matplotlib and networkx; options go to :func:`networkx.draw_networkx`."""
        return draw(self.to_networkx(), ax, **options)

    def __repr__(self) -> str:
        return f"Network({self.structure!r}, data_sets={self.data_sets!r})"

    def _repr_html_(self) -> str:
        sets = _html.escape(", ".join(self.data_sets))
        return (
            f"<p>network <code>{_html.escape(self.structure)}</code>, data sets {sets}</p>"
            f"{self.to_svg()}{''.join(map(self._table_html, self.variables))}"
        )

    def _table_html(self, node: str) -> str:
        parents = self.parents(node)
        title = f"P({node} | {', '.join(parents)})" if parents else f"P({node})"
        # The texts of states may be those of other columns, so there is a head and rows instead of a frame.
        relatives, states = self.relatives, self.variables[node]
        configurations = itertools.product(*(self.variables[parent] for parent in parents))
        tables = [self.table(node, name).reshape(-1, len(states)) for name in relatives]
        rows = (
            [*configuration, name, *tables[relative][number].tolist()]
            for number, configuration in enumerate(configurations)
            for relative, name in enumerate(relatives)
        )
        shown = _html.table([*parents, "data set", *states], rows, f"network.tables({node!r})", sum(map(len, tables)))
        return _html.folded(title, shown)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _unpickle, (self._inner.text(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self._inner.text() == other._inner.text()

    __hash__ = None  # type: ignore[assignment]


def _unpickle(text: str) -> Network:
    return Network(_kinfolk.load(text))


def _pairs(given: Optional[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [] if given is None else [(str(name), str(_frames.spell(state))) for name, state in given.items()]


def _new_rows(
    data: Tables,
    groups: ColumnOrValues,
    weights: ColumnOrValues,
    unseen: str,
    na: Optional[Sequence[str]],
    names: Optional[Sequence[str]],
) -> tuple[Any, dict[str, Any]]:
    sources, group, weight = _frames.gather(data, groups, weights, names)
    return sources, {"group": group, "weight": weight, "na": na, "unseen": unseen}


def _format_of(path: Path) -> str:
    ending = path.suffix.lstrip(".").lower()
    return _ENDINGS.get(ending, ending or "json")
