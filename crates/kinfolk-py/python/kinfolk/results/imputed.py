"""Rows with their missing values filled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable

from .._arguments.checks import integer
from .._interop.frames import frame
from .._render import html

if TYPE_CHECKING:
    from pandas import DataFrame


class Imputed:
    """Rows with their missing values filled in, returned by :func:`impute`.

    Examples
    --------
    >>> import kinfolk
    >>> rows = {"north": {"rain": ["yes", "no", "no", "no"], "wet": ["yes", "no", "no", "no"]},
    ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
    >>> network = kinfolk.fit(rows, "[rain][wet|rain]")
    >>> imputed = network.impute({"rain": ["no", None], "wet": ["no", "yes"]}, data_set="north", most_probable=True)
    >>> imputed.completed()
    {'rain': ['no', 'yes'], 'wet': ['no', 'yes']}
    >>> imputed.values["value"].tolist(), imputed.document["values_filled"]
    (['yes'], 1)
    """

    def __init__(self, document: dict[str, Any], listed: dict[str, Sequence[Any]], complete: Callable[[int], Any]):
        #: The result as the command line prints it with ``--json``, without the names of files written.
        self.document = document
        self._listed = listed
        self._complete = complete

    @property
    def versions(self) -> int:
        """The number of versions."""
        return int(self.document["versions"])

    def completed(self, version: int = 1) -> Any:
        """Return the completed rows of one version.

        Parameters
        ----------
        version : int
            The version, from 1.

        Returns
        -------
        frame, mapping or list
            One table or several, as they were given. pandas and polars frames and mappings of columns stay what they are; files give
            frames of texts, and other tables frames. ``Data`` give one frame per data set, with the states of the variables.

        Examples
        --------
        >>> import kinfolk
        >>> made = kinfolk.simulate(nodes=2, arcs=1, rows=[3, 2], seed=1)
        >>> rows = made.frames["data_001"].astype(object)
        >>> rows.loc[1, "V1"] = None
        >>> imputed = made.network.impute({"data_001": rows}, versions=5, seed=3)
        >>> [imputed.completed(version)["data_001"].isna().sum().sum().item() for version in (1, 5)]
        [0, 0]
        """
        return self._complete(integer(1, self.versions)("version", version) - 1)

    @property
    def values(self) -> DataFrame:
        """The values filled in: one row per value and version, with its probability.

        Columns ``version``, ``file`` (the table), ``row`` (in a file from 2, in a table in memory from 0), ``data_set``, ``tables`` (whose
        tables were used), ``column``, ``value``, ``probability``.
        """
        return frame(self._listed)

    @property
    def columns(self) -> DataFrame:
        """By data set and column: values filled in, and their mean largest probability."""
        keys = ("data_set", "column", "filled", "mean_largest_probability")
        return frame({key: [column[key] for column in self.document["columns"]] for key in keys})

    def __repr__(self) -> str:
        filled, rows, read = (self.document[key] for key in ("values_filled", "rows_filled", "rows_read"))
        return f"Imputed({filled} values in {rows} of {read} rows, {self.versions} versions)"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{html.frame(self.columns, 'imputed.columns')}"
