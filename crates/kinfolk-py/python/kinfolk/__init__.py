"""Learn one Bayesian network from several related data sets.

Each data set keeps its own probabilities, drawn around a common centre, and all of them share one structure.

>>> import kinfolk
>>> made = kinfolk.simulate(nodes=4, arcs=3, rows=[500, 400, 300], seed=3)
>>> learned = kinfolk.learn(made.frames)
>>> network = learned.fit()
>>> network.table("V1", "data_001").sum(axis=-1).round(12).tolist()
[1.0, 1.0]

Settings have the names of the command line's options, with ``_`` for ``-``. Messages count the rows of tables in memory from 0.
"""

from ._checks import DataWarning, WrongTypeError
from ._judged import Bootstrapped, Explanation, Validation
from ._judging import bootstrap, explain, report, validate
from ._kinfolk import Data, DataError, KinfolkError, NetworkError, SettingsError, StructureError, __version__
from ._learned import Learned, Scored
from ._learning import compare, fit, learn, score
from ._network import Network
from ._reading import describe, read
from ._simulation import Example, Simulated, example, simulate

load = Network.load

__all__ = [
    "Bootstrapped",
    "Data",
    "DataError",
    "DataWarning",
    "Example",
    "Explanation",
    "KinfolkError",
    "Learned",
    "Network",
    "NetworkError",
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
    "learn",
    "load",
    "read",
    "report",
    "score",
    "simulate",
    "validate",
]
