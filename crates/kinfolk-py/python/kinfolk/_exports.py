"""Networks for other programs and for readers: files, pages, drawings, graphs."""

from __future__ import annotations

import importlib
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from . import _kinfolk
from ._checks import data_set as data_set_name
from ._checks import optional
from ._drawing import draw
from ._files import write, write_figures
from ._parts import Parts

if TYPE_CHECKING:
    from . import _types

#: File name endings of formats other than their own names.
_ENDINGS = {"bifxml": "xmlbif", "xml": "xmlbif", "gv": "dot", "txt": "modelstring"}


class Exports(Parts):
    """The ways of a network to others."""

    def save(self, path: _types.Path, data_set: Optional[str] = None, format: Optional[str] = None) -> None:
        """Writes the network to a file, whole or not at all.

        A name that ends in ``.json`` gives kinfolk's own format, which loads back to the bit. Others (``.bif``, ``.xmlbif``,
        ``.xdsl``, ``.net``, ``.dsc``, ``.uai``, ``.dot``, ``.graphml``) give the tables of one relative, and so does ``format``:
        the pooled ones, or those of ``data_set``.

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
        format_name = format_of(path) if format is None else format
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

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> import os, tempfile
        >>> page = os.path.join(tempfile.mkdtemp(), "network.html")
        >>> network.report(page, title="Rain")
        >>> "<title>Rain</title>" in open(page, encoding="utf-8").read()
        True
        """
        self._write_report(path, title, figures)

    def _write_report(
        self,
        path: _types.Path,
        title: Optional[str],
        figures: Optional[_types.Path],
        data: Optional[_kinfolk.Data] = None,
        explanation: Optional[str] = None,
        strengths: Optional[str] = None,
    ) -> None:
        page, drawn, evidence = _kinfolk.report(self._inner, title, data, explanation, strengths)
        write(Path(path), page)
        if figures is not None:
            write_figures(Path(figures), drawn, evidence)

    def to_svg(self, title: Optional[str] = None) -> str:
        """The structure as an SVG drawing, laid out as on the page of :meth:`report`.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.to_svg()[:4]
        '<svg'
        """
        return _kinfolk.drawings(self._inner.text(), title)[0]

    def to_format(self, format: str, data_set: Optional[str] = None) -> str:
        """One relative's tables as text: ``bif``, ``xmlbif``, ``xdsl``, ``net``, ``dsc``, ``uai``, ``dot``, ``graphml``, ``modelstring``.

        The tables are the pooled ones, also if a data set is called that, or those of ``data_set``; so they are wherever a network
        goes to others.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.to_format("modelstring").strip()
        '[rain][wet|rain]'
        """
        return self._inner.write(format, optional(data_set_name)("data_set", data_set))[0]

    def to_bif(self, data_set: Optional[str] = None) -> str:
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

    def to_networkx(self, data_set: Optional[str] = None) -> Any:
        """A :class:`networkx.DiGraph`, with ``states`` and ``table`` (an array, see :meth:`table`) at every node.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> list(network.to_networkx("south").edges)
        [('rain', 'wet')]
        """
        import networkx

        graph = networkx.DiGraph()
        for node, states in self.variables.items():
            graph.add_node(node, states=list(states), parents=self.parents(node), table=self.table(node, data_set))
        graph.add_edges_from(self.arcs)
        return graph

    def to_pgmpy(self, data_set: Optional[str] = None) -> Any:
        """A pgmpy ``DiscreteBayesianNetwork`` with one relative's tables.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.to_pgmpy("south").check_model()
        True
        """
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

    def to_pyagrum(self, data_set: Optional[str] = None) -> Any:
        """A pyAgrum ``BayesNet`` with one relative's tables.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> sorted(network.to_pyagrum("south").names())
        ['rain', 'wet']
        """
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
        """Draws the structure with matplotlib and networkx; options go to :func:`networkx.draw_networkx`.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> sorted(text.get_text() for text in network.plot().texts)
        ['rain', 'wet']
        """
        return draw(self.to_networkx(), ax, **options)


def format_of(path: Path) -> str:
    ending = path.suffix.lstrip(".").lower()
    return _ENDINGS.get(ending, ending or "json")
