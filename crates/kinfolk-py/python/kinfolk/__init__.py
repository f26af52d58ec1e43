"""Learn one Bayesian network from several related data sets.

The data sets share one structure; each has its own probabilities, which vary around a common centre.

>>> import kinfolk
>>> made = kinfolk.simulate(nodes=4, arcs=3, rows=[500, 400, 300], seed=3)
>>> learned = kinfolk.learn(made.frames)
>>> network = learned.fit()
>>> network.table("V1", "data_001").sum(axis=-1).round(12).tolist()
[1.0, 1.0]

Keyword arguments have the names of the command line's options, with ``_`` for ``-``. Messages count the rows of tables in
memory from 0.

Modules
-------
api
    The functions.
data
    Reading of data.
results
    The results of the functions.
network
    Networks with their tables: inference, prediction, export.
exceptions
    Exceptions and warnings.
sklearn
    Estimators for scikit-learn.
"""

from ._kinfolk import __version__
from .api import bootstrap, compare, example, explain, fit, impute, learn, posterior, report, score, simulate, validate
from .data import Data, describe, read
from .exceptions import DataError, DataWarning, KinfolkError, NetworkError, SettingsError, StructureError, WrongTypeError
from .network import Network
from .results import Bootstrapped, Example, Explanation, Imputed, Learned, NetworkPosterior, Posterior, Scored, Simulated, Validation

load = Network.load

__all__ = [
    "Bootstrapped",
    "Data",
    "DataError",
    "DataWarning",
    "Example",
    "Explanation",
    "Imputed",
    "KinfolkError",
    "Learned",
    "Network",
    "NetworkError",
    "NetworkPosterior",
    "Posterior",
    "Scored",
    "SettingsError",
    "Simulated",
    "StructureError",
    "Validation",
    "WrongTypeError",
    "__version__",
    "bootstrap",
    "compare",
    "describe",
    "example",
    "explain",
    "fit",
    "impute",
    "learn",
    "load",
    "posterior",
    "read",
    "report",
    "score",
    "simulate",
    "validate",
]
