"""Results of the package's functions. Each keeps the JSON of the command line in ``document`` and shows it as frames."""

from .bootstrapped import Bootstrapped
from .explanation import Explanation
from .imputed import Imputed
from .learned import Learned
from .posterior import NetworkPosterior, Posterior
from .scored import Scored
from .simulated import Example, Simulated
from .validation import Validation

__all__ = ["Bootstrapped", "Example", "Explanation", "Imputed", "Learned", "NetworkPosterior", "Posterior", "Scored", "Simulated", "Validation"]
