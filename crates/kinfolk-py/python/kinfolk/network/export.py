"""Export of networks: files, reports, drawings, and objects of other packages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from .. import _kinfolk
from .._arguments.checks import data_set as data_set_name
from .._arguments.checks import optional
from .._arguments.signatures import suggest
from .._interop import programs
from .._interop.files import write, write_figures
from .._render.plot import draw
from .tables import NetworkTables

if TYPE_CHECKING:
    from .._typing import Path as AnyPath

#: File name endings that differ from the name of the format.
_ENDINGS = {"bifxml": "xmlbif", "xml": "xmlbif", "gv": "dot", "txt": "modelstring"}


class Export(NetworkTables):
    """Conversions of a network."""

    def save(self, path: AnyPath, data_set: Optional[str] = None, format: Optional[str] = None) -> None:
        """Write the network to a file, atomically.

        Parameters
        ----------
        path : path
            The file. The ending ``.json`` is kinfolk's own format, which keeps everything bit for bit. Other formats
            (``.bif``, ``.xmlbif``, ``.xdsl``, ``.net``, ``.dsc``, ``.uai``, ``.dot``, ``.graphml``) keep the tables of one
            relative.
        data_set : str, optional
            The relative whose tables other formats keep; by default the pooled ones.
        format : str, optional
            The format; by default the ending of the file name.

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

    def report(self, path: AnyPath, title: Optional[str] = None, figures: Optional[AnyPath] = None) -> None:
        """Write a self-contained HTML page with structure, evidence and tables.

        Parameters
        ----------
        path : path
            The page.
        title : str, optional
            The title; the names of the data sets by default.
        figures : path, optional
            A folder for ``network.svg`` and, if the evidence by data set is known, ``evidence.svg``.

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
        path: AnyPath,
        title: Optional[str],
        figures: Optional[AnyPath],
        data: Optional[_kinfolk.Data] = None,
        explanation: Optional[str] = None,
        strengths: Optional[str] = None,
    ) -> None:
        page, drawn, evidence = _kinfolk.report(self._inner, title, data, explanation, strengths)
        write(Path(path), page)
        if figures is not None:
            write_figures(Path(figures), drawn, evidence)

    def to_svg(self, title: Optional[str] = None) -> str:
        """Return the structure as an SVG drawing with the layout of :meth:`report`.

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
        """Return the tables of one relative as text in the format of another program.

        Parameters
        ----------
        format : {"bif", "xmlbif", "xdsl", "net", "dsc", "uai", "dot", "graphml", "modelstring"}
            The format.
        data_set : str, optional
            The relative; by default the pooled tables, even if a data set is named ``pooled``. All exports use this default.

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
        """Return the tables of one relative in BIF, the format of the Bayesian network repository.

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
        """Return a :class:`networkx.DiGraph` whose nodes have ``states``, ``parents`` and ``table``, see :meth:`table`.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> list(network.to_networkx("south").edges)
        [('rain', 'wet')]
        """
        return programs.to_networkx(self, data_set)

    def to_pgmpy(self, data_set: Optional[str] = None) -> Any:
        """Return a pgmpy ``DiscreteBayesianNetwork`` with the tables of one relative.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> network.to_pgmpy("south").check_model()
        True
        """
        return programs.to_pgmpy(self, data_set)

    def to_pyagrum(self, data_set: Optional[str] = None) -> Any:
        """Return a pyAgrum ``BayesNet`` with the tables of one relative.

        Examples
        --------
        >>> import kinfolk
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> sorted(network.to_pyagrum("south").names())
        ['rain', 'wet']
        """
        return programs.to_pyagrum(self, data_set)

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
        >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "yes", "no"]},
        ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
        >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> sorted(text.get_text() for text in network.plot().texts)
        ['rain', 'wet']
        """
        return draw(self.to_svg(), ax, node_color=node_color, arc_color=arc_color, font_size=font_size)


def format_of(path: Path) -> str:
    """The format that the ending of a file name means."""
    ending = path.suffix.lstrip(".").lower()
    return _ENDINGS.get(ending, ending or "json")
