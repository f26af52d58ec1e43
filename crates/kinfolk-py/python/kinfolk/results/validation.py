"""Validations: held-out log-likelihoods of hierarchical, pooled and separate tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from .._interop.frames import frame
from .._render import html

if TYPE_CHECKING:
    from pandas import DataFrame


class Validation:
    """Held-out log-likelihoods by method, returned by :func:`validate`.

    Examples
    --------
    >>> import kinfolk
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[100, 100], seed=2)
    >>> validation = kinfolk.validate(made.frames, folds=3)
    >>> validation.methods.index.tolist()
    ['hierarchical', 'pooled', 'separate']
    >>> kinfolk.validate(made.frames, folds=3, target="V1").prediction.columns.tolist()
    ['accuracy', 'log_loss', 'brier']
    """

    def __init__(self, document: dict[str, Any]):
        #: The result as ``kinfolk validate --json`` prints it.
        self.document = document

    @property
    def methods(self) -> DataFrame:
        """The log-likelihood of held-out rows by method: total and per row, and per row in each data set."""
        methods = self.document["methods"]
        columns = {
            "log_likelihood": [method["log_likelihood"] for method in methods],
            "per_row": [method["per_row"] for method in methods],
        }
        for name in methods[0]["by_data_set"]:
            columns[f"in {name}"] = [method["by_data_set"][name]["per_row"] for method in methods]
        return frame(columns, {"method": [method["method"] for method in methods]})

    @property
    def differences(self) -> DataFrame:
        """Hierarchical minus each other method, per row, with standard errors and verdict."""
        found = self.document["differences"]
        keys = ("per_row", "se", "se_by_data_set", "verdict")
        return frame({key: [one[key] for one in found] for key in keys}, {"minus": [one["minus"] for one in found]})

    @property
    def prediction(self) -> Optional[DataFrame]:
        """Prediction of the target in held-out rows by method: accuracy, log-loss and Brier score; None without ``target``.

        The Brier score is the sum over the states of the squared difference between the probability and the outcome (0 or 1),
        averaged over the rows: between 0 and 2, smaller is better.
        """
        methods = [method for method in self.document["methods"] if method["target"] is not None]
        if not methods:
            return None
        columns = {key: [method["target"][key] for method in methods] for key in methods[0]["target"]}
        return frame(columns, {"method": [method["method"] for method in methods]})

    @property
    def agreement(self) -> Optional[str]:
        """Whether the evidence of all rows leads to the same conclusion, in words; ``None`` with one data set."""
        found = self.document["agreement"]
        return None if found is None else str(found["verdict"])

    def __repr__(self) -> str:
        if self.document["folds_done"] == 0:
            return f"Validation(no fold finished, stop={self.document['stop']!r})"
        differences = [(one["verdict"], one["minus"]) for one in self.document["differences"]]
        verdicts = (f"{verdict} {'against' if verdict == 'undecided' else 'than'} {other}" for verdict, other in differences)
        target = self.document["target"]
        metrics = "" if target is None else f"; {target}: {_metrics(self.document['methods'][0]['target'])}"
        return f"Validation(hierarchical: {', '.join(verdicts)}{metrics})"

    def _repr_html_(self) -> str:
        target = self.document["target"]
        predicted = "" if target is None else f"<p>Prediction of {html.escape(target)}</p>{html.frame(self.prediction, 'validation.prediction')}"
        return html.frame(self.methods, "validation.methods") + html.frame(self.differences, "validation.differences") + predicted


def _metrics(target: dict[str, float]) -> str:
    return ", ".join(f"{name.replace('_', '-')} {value:.3f}" for name, value in target.items())
