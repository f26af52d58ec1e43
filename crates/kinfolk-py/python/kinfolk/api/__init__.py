"""The functions of the package: learn, fit, score, compare, assess, report and simulate networks."""

from .assessment import bootstrap, explain, posterior, validate
from .imputation import impute
from .learning import compare, fit, learn, score
from .reporting import report
from .simulation import example, simulate

__all__ = ["bootstrap", "compare", "example", "explain", "fit", "impute", "learn", "posterior", "report", "score", "simulate", "validate"]
