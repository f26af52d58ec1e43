"""Networks: a structure with the tables of every data set, inference, prediction and export."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from .. import _kinfolk
from .._render import html
from .export import Export, format_of
from .imputation import Imputation

if TYPE_CHECKING:
    from .._typing import Path as AnyPath

__all__ = ["Network"]


class Network(Imputation, Export):
    """One structure with its probability tables: for every data set, pooled, and for a new data set.

    Returned by :meth:`Learned.fit`, :func:`fit`, :func:`load` and :meth:`Network.load`.

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

    @staticmethod
    def load(path: AnyPath, data_set: Optional[str] = None, format: Optional[str] = None) -> Network:
        """Read a network file of kinfolk, or of another program.

        Parameters
        ----------
        path : path
            The file.
        data_set : str, optional
            The name of the data set that gets the tables of another program; by default the name of the file.
        format : str, optional
            The format; by default the ending of the file name.

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
        format_name = format_of(path) if format is None else format
        try:
            if format_name == "json":
                return Network(_kinfolk.load(text))
            return Network(_kinfolk.load_foreign(text, format_name, data_set or path.stem))
        except _kinfolk.NetworkError as error:
            raise _kinfolk.NetworkError(f"{path}: {error}") from None

    def __repr__(self) -> str:
        return f"Network({self.structure!r}, data_sets={self.data_sets!r})"

    def _repr_html_(self) -> str:
        sets = html.escape(", ".join(self.data_sets))
        return (
            f"<p>network <code>{html.escape(self.structure)}</code>, data sets {sets}</p>"
            f"{html.drawing(self.to_svg())}{''.join(map(self._table_html, self.variables))}"
        )

    def _table_html(self, node: str) -> str:
        parents = self.parents(node)
        title = f"P({node} | {', '.join(parents)})" if parents else f"P({node})"
        # A state may be named like a parent, so these are rows and not a frame.
        relatives, states = self.relatives, self.variables[node]
        configurations = itertools.product(*(self.variables[parent] for parent in parents))
        tables = [self.table(node, name).reshape(-1, len(states)) for name in relatives]
        rows = (
            [*configuration, name, *tables[relative][number].tolist()]
            for number, configuration in enumerate(configurations)
            for relative, name in enumerate(relatives)
        )
        shown = html.table([*parents, "data set", *states], rows, f"network.tables({node!r})", sum(map(len, tables)))
        return html.folded(title, shown)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _unpickle, (self._inner.text(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self._inner.text() == other._inner.text()

    __hash__ = None  # type: ignore[assignment]


def _unpickle(text: str) -> Network:
    return Network(_kinfolk.load(text))
