"""Missing values filled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from .._arguments.signatures import suggest
from ..network import Network
from ..network.inference import MOST_CELLS
from ..results import Imputed, Learned

if TYPE_CHECKING:
    from .._typing import ColumnOrValues, Path, Tables, Unseen


@suggest
def impute(
    data: Tables,
    network: Union[Network, Learned, Path],
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
    """Fill in the missing values of rows from a network.

    All missing values of a row are drawn together from their exact posterior given its observed values. Rows of a known data set use its
    tables, other rows those of a new data set. Several versions differ as much as the missing values are uncertain given the network:
    analyse each, then combine the results (multiple imputation).

    Parameters
    ----------
    data : frame, table, array, mapping, path or Data
        The rows; see :func:`read`. A column that a table lacks is added.
    network : Network, Learned or path
        The network; of a learned one the tables of :meth:`Learned.fit`. A path is that of a network file.
    groups : str or array, optional
        The data set of every row; by default the group column that the network was learned with, if the rows have it.
    versions : int
        The number of completed versions.
    most_probable : bool
        Fill in each missing value's own most probable state instead of drawing.
    states : bool
        Write the network's state in every cell of its variables: intervals instead of numbers in discretised columns.
    seed : int
        The random seed.
    data_set : str, optional
        Use these tables for all rows: those of a data set, ``"pooled"`` or ``"new"``.
    unseen : {"refuse", "missing"}
        Raise an error at values that are not states, or treat them as missing.
    na : list, optional
        Values that mean missing; by default those of the network.
    names : list of str, optional
        Column names for 2-D arrays.
    most_cells : int
        The largest number of cells of an intermediate table.

    Returns
    -------
    Imputed
        ``completed()`` has the rows, ``values`` every value filled in with its probability.

    Warns
    -----
    DataWarning
        If columns are added, rows use the tables of a new data set without ``data_set="new"``, values are treated as missing, or rows stay
        incomplete because their observed values have probability 0 together.

    Examples
    --------
    >>> import kinfolk
    >>> rows = {"north": {"rain": ["yes", "no", "no", None], "wet": ["yes", "no", None, "no"]},
    ...         "south": {"rain": ["no", "no", "yes", "no"], "wet": ["no", "no", "yes", "no"]}}
    >>> network = kinfolk.fit(rows, "[rain][wet|rain]", missing="impute")
    >>> kinfolk.impute(rows, network, most_probable=True).completed()["north"]
    {'rain': ['yes', 'no', 'no', 'no'], 'wet': ['yes', 'no', 'no', 'no']}
    """
    given = dict(locals())
    network = network.fit() if isinstance(network, Learned) else network
    network = network if isinstance(network, Network) else Network.load(network)
    return network.impute(**{name: value for name, value in given.items() if name != "network"})
