"""Estimators for scikit-learn: a classifier and a structure learner for rows from related data sets.

>>> import kinfolk
>>> from kinfolk.sklearn import RelatedBayesClassifier
>>> made = kinfolk.simulate(nodes=4, arcs=4, rows=[300, 300], seed=4)
>>> frame = made.frames["data_001"]
>>> classifier = RelatedBayesClassifier().fit(frame.drop(columns="V1"), frame["V1"])
>>> classifier.predict_proba(frame.drop(columns="V1")).shape
(300, 2)
"""

from __future__ import annotations

from typing import Any, Literal, Optional, get_args

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d

import kinfolk

from . import _kinfolk
from ._arguments import settings
from ._arguments.checks import warn
from ._arguments.signatures import suggest
from ._arguments.structures import modelstring
from ._interop import columns as interop_columns
from ._interop import tables
from ._interop.frames import free_name
from ._kinfolk import ArrowColumn, ArrowTable
from ._typing import Method, Missing, ScoreName
from .exceptions import DataWarning

__all__ = ["RelatedBayesClassifier", "RelatedStructureLearner"]


class _Related(BaseEstimator):  # type: ignore[misc]
    """The base of both estimators: columns of X, structure and tables."""

    def __init__(
        self,
        *,
        network_score: Optional[ScoreName] = None,
        s: Optional[float] = None,
        alpha0: Optional[float] = None,
        iss: Optional[float] = None,
        max_parents: Optional[int] = None,
        restarts: Optional[int] = None,
        seed: int = 0,
        method: Optional[Method] = None,
        discretize: Any = "all=quantile:4",
        missing: Missing = "refuse",
        max_states: int = 50,
        group_column: Optional[str] = None,
    ):
        self.network_score = network_score
        self.s = s
        self.alpha0 = alpha0
        self.iss = iss
        self.max_parents = max_parents
        self.restarts = restarts
        self.seed = seed
        self.method = method
        self.discretize = discretize
        self.missing = missing
        self.max_states = max_states
        self.group_column = group_column

    def _columns(self, X: Any, reset: bool) -> tuple[dict[str, Any], Any]:
        """Checks X as scikit-learn does; returns its columns by name, and the group column."""
        table = X if hasattr(X, "iloc") or hasattr(X, "get_columns") else interop_columns.take(X)
        if table is X and hasattr(X, "get_columns"):
            columns = {series.name: series for series in X.get_columns()}
        elif hasattr(X, "iloc") or isinstance(table, ArrowTable):
            columns = dict(tables.columns(table))
        else:
            columns = None
        if columns is not None:
            if reset:
                if not columns:
                    raise ValueError("0 feature(s) (shape=(n, 0)) while a minimum of 1 is required.")
                self.feature_names_in_ = np.array(list(columns), dtype=object)
                self.n_features_in_ = len(columns)
        else:
            frozen = self.missing == "refuse"
            X = check_array(X, dtype=None, ensure_all_finite=frozen, estimator=self, ensure_min_samples=1)
            if X.dtype.kind == "c":
                raise ValueError("Complex data not supported")
            if reset:
                self.n_features_in_ = X.shape[1]
                if hasattr(self, "feature_names_in_"):
                    del self.feature_names_in_
            elif X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"
                )
            names = getattr(self, "feature_names_in_", [f"X{number}" for number in range(1, X.shape[1] + 1)])
            columns = dict(zip(names, X.T))
        if not reset and hasattr(self, "feature_names_in_"):
            absent = [name for name in self.feature_names_in_ if name not in columns and name != str(self.group_column)]
            if absent:
                raise ValueError(
                    "The feature names should match those that were passed during fit.\n"
                    f"Feature names seen at fit time, yet now missing:\n- {absent[0]}\n"
                )
        by = None if self.group_column is None else str(self.group_column)
        if reset and by is not None and by not in columns:
            raise kinfolk.DataError(f"group_column: there is no column {by!r} in X, whose columns are {', '.join(map(repr, columns))}")
        groups = columns.pop(by) if by in columns else None
        if isinstance(groups, ArrowColumn):
            texts, codes, _ = groups.code()
            groups = np.array([*texts, None], dtype=object)[codes]
        if reset and not columns:
            raise kinfolk.DataError(f"X has no column but {by!r}, which says which data set a row belongs to")
        return columns, groups

    def _check_parameters(self) -> None:
        """Checks all parameters, including those that the choice of others leaves unused."""
        for name in ("s", "alpha0", "iss", "max_parents", "restarts", "seed", "missing", "max_states"):
            settings.check_one(name, getattr(self, name))
        for name, words in (("network_score", get_args(ScoreName)), ("method", get_args(Method)), ("missing", get_args(Missing))):
            chosen = getattr(self, name)
            if chosen not in words and not (chosen is None and name != "missing"):
                raise kinfolk.SettingsError(f"{name} cannot be {chosen!r}; it is one of {', '.join(words)}")
        for name in ("s", "alpha0", "iss"):
            number = getattr(self, name)
            if number is not None and not number > 0:
                raise kinfolk.SettingsError(f"{name} must be a positive number, not {number!r}")

    def _learn(
        self, columns: dict[str, Any], groups: Any, structure: Optional[str] = None, levels: Optional[dict[str, list[str]]] = None
    ) -> None:
        self._check_parameters()
        rows = len(next(iter(columns.values())))
        if groups is not None:
            groups = column_or_1d(np.asarray(groups))
            check_consistent_length(next(iter(columns.values())), groups)
        data = kinfolk.read(
            columns,
            np.full(rows, "all") if groups is None else groups,
            discretize=[] if self.discretize is None else self.discretize,
            missing=self.missing,
            max_states=self.max_states,
            levels=levels,
        )
        prior: dict[str, Any] = {"s": self.s, "alpha0": self.alpha0}
        if structure is None:
            scored: dict[str, Any] = prior if self.network_score in (None, "bhd") else {}
            learned = kinfolk.learn(
                data,
                score=self.network_score,
                iss=self.iss if self.network_score in ("bdeu", "bds", "bdeu-separate") else None,
                max_parents=self.max_parents,
                restarts=self.restarts,
                seed=self.seed,
                **scored,
            )
            structure = learned.structure
        method = self.method or _kinfolk.table_method(self.network_score, self.s, self.alpha0)
        tables: dict[str, Any] = prior if method == "hierarchical" else {"iss": self.iss} if method == "bayes" else {}
        self.network_ = kinfolk.fit(data, structure, method=method, **tables)
        self.structure_ = self.network_.structure
        self.has_groups_ = groups is not None

    def _whose(self, groups: Any, rows: int) -> dict[str, Any]:
        """The arguments that choose the tables: the only data set, the given groups, or a new data set."""
        if not self.has_groups_:
            return {"data_set": self.network_.data_sets[0]}
        if groups is not None:
            return {"groups": np.asarray(groups)}
        warn(
            "the estimator was fitted with groups, and none are given: every row is scored with the tables for an unseen data set; "
            "pass groups, or set group_column",
            DataWarning,
        )
        # A name that no data set has, even if one is called new.
        return {"groups": np.full(rows, free_name("new", self.network_.data_sets))}

    def _refuse_missing(self, columns: dict[str, Any]) -> int:
        """Raises an error at missing values if ``missing="refuse"``; returns the number of rows."""
        if self.missing == "refuse":
            for name, values in columns.items():
                texts, codes, _ = interop_columns.code(values)
                if (codes == len(texts)).any():
                    row = int((codes == len(texts)).argmax()) + 1
                    raise kinfolk.DataError(
                        f"X, row {row}, column `{name}`: Input contains NaN, a missing value; "
                        'leave the row out, or choose another missing= than "refuse"'
                    )
        return len(next(iter(columns.values())))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags


class RelatedBayesClassifier(ClassifierMixin, _Related):  # type: ignore[misc]
    """A Bayesian network classifier for rows from related data sets.

    All data sets share one structure over features and class, and each has its own tables. A row is classified with the
    tables of its data set, or with those of a new data set.

    Parameters
    ----------
    network_score : str, optional
        The score of the search, ``score`` of :func:`kinfolk.learn`.
    s, alpha0, iss, max_parents, restarts, seed
        As in :func:`kinfolk.learn`.
    method : {"hierarchical", "kin", "bayes", "mle"}, optional
        As in :func:`kinfolk.fit`. By default ``kin`` if the score is kin, ``hierarchical`` for other scores or if ``s`` or
        ``alpha0`` is given.
    structure : {"learned", "naive"}
        Learn the structure, or use that of naive Bayes.
    discretize : str, list or dict, optional
        Bins for numeric features, including texts that are all numbers, but not categories; see :func:`kinfolk.read`. None
        makes every distinct number a state.
    missing : {"refuse", "drop-rows", "level"}
        Missing values in training, as in :func:`kinfolk.read`. Unless refused, they are summed out in prediction.
    max_states : int
        The largest number of distinct values of a feature that is not discretised.
    group_column : str, optional
        The column of X with the data set of every row, used if no ``groups`` are passed. Cross-validation passes ``groups``
        to the splitter only: for the estimator use this parameter, or metadata routing.

    Attributes
    ----------
    classes_ : numpy.ndarray
        The classes.
    network_ : kinfolk.Network
        The network; the class is its variable ``target_``.

    Examples
    --------
    >>> import kinfolk
    >>> from kinfolk.sklearn import RelatedBayesClassifier
    >>> made = kinfolk.simulate(nodes=4, arcs=4, rows=[300, 300], seed=4)
    >>> import pandas
    >>> frame = pandas.concat(made.frames.values())
    >>> site = [name for name, rows in made.frames.items() for _ in range(len(rows))]
    >>> classifier = RelatedBayesClassifier().fit(frame.drop(columns="V1"), frame["V1"], site)
    >>> classifier.network_.data_sets
    ['data_001', 'data_002']
    """

    def __init__(
        self,
        *,
        network_score: Optional[ScoreName] = None,
        s: Optional[float] = None,
        alpha0: Optional[float] = None,
        iss: Optional[float] = None,
        max_parents: Optional[int] = None,
        restarts: Optional[int] = None,
        seed: int = 0,
        method: Optional[Method] = None,
        structure: Literal["learned", "naive"] = "learned",
        discretize: Any = "all=quantile:4",
        missing: Missing = "refuse",
        max_states: int = 50,
        group_column: Optional[str] = None,
    ):
        super().__init__(
            network_score=network_score,
            s=s,
            alpha0=alpha0,
            iss=iss,
            max_parents=max_parents,
            restarts=restarts,
            seed=seed,
            method=method,
            discretize=discretize,
            missing=missing,
            max_states=max_states,
            group_column=group_column,
        )
        self.structure = structure

    @suggest
    def fit(self, X: Any, y: Any, groups: Any = None) -> RelatedBayesClassifier:
        """Learn structure and tables.

        Parameters
        ----------
        X : frame or array
            The features, categorical or numeric.
        y : array
            The classes.
        groups : array, optional
            The data set of every row; by default ``group_column``, or a single data set.

        Returns
        -------
        RelatedBayesClassifier
            Itself.

        Examples
        --------
        >>> import kinfolk, pandas
        >>> from kinfolk.sklearn import RelatedBayesClassifier
        >>> made = kinfolk.simulate(nodes=4, arcs=4, rows=[300, 300], seed=4)
        >>> frame = pandas.concat(made.frames.values(), keys=made.frames, names=["site", None]).reset_index("site")
        >>> X, y = frame.drop(columns="V1"), frame["V1"].astype(int)
        >>> classifier = RelatedBayesClassifier(group_column="site").fit(X, y)
        >>> classifier.network_.data_sets
        ['data_001', 'data_002']
        """
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        columns, own_groups = self._columns(X, reset=True)
        groups = own_groups if groups is None else groups
        y = column_or_1d(y, warn=True)
        if y.dtype == object and any(interop_columns.spell(value) is None for value in y):
            raise ValueError("Input y contains NaN.")
        check_classification_targets(y)
        check_consistent_length(next(iter(columns.values())), y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.target_ = free_name("class", columns)
        states = [str(code) for code in range(len(self.classes_))]
        columns[self.target_] = codes
        structure = None
        if self.structure == "naive":
            structure = modelstring({name: [] if name == self.target_ else [self.target_] for name in columns})
        elif self.structure != "learned":
            raise kinfolk.SettingsError(f"structure is 'learned' or 'naive', not {self.structure!r}")
        self._learn(columns, groups, structure, {self.target_: states})
        return self

    def predict_proba(self, X: Any, groups: Any = None) -> np.ndarray:
        """Predict the class probabilities of every row, in the order of ``classes_``.

        Rows that have probability 0 in the tables get the pooled distribution of the class.

        Parameters
        ----------
        X : frame or array
            The features.
        groups : array, optional
            The data set of every row.

        Returns
        -------
        numpy.ndarray
            One row per row, one column per class.

        Examples
        --------
        >>> import kinfolk, pandas
        >>> from kinfolk.sklearn import RelatedBayesClassifier
        >>> made = kinfolk.simulate(nodes=4, arcs=4, rows=[300, 300], seed=4)
        >>> frame = pandas.concat(made.frames.values(), keys=made.frames, names=["site", None]).reset_index("site")
        >>> X, y = frame.drop(columns="V1"), frame["V1"].astype(int)
        >>> classifier = RelatedBayesClassifier(group_column="site").fit(X, y)
        >>> classifier.predict_proba(X).shape
        (600, 2)
        """
        check_is_fitted(self)
        columns, own_groups = self._columns(X, reset=False)
        groups = own_groups if groups is None else groups
        whose = self._whose(groups, self._refuse_missing(columns))
        probabilities, rest = self.network_._predict(columns, self.target_, unseen="missing", **whose)
        impossible = np.isnan(probabilities[:, 0])
        if impossible.any():
            probabilities = probabilities.copy()
            probabilities[impossible] = list(rest["baseline"].values())
        return probabilities

    def predict(self, X: Any, groups: Any = None) -> np.ndarray:
        """Predict the most probable class of every row, in the type of ``y``.

        Parameters
        ----------
        X, groups
            As in :meth:`predict_proba`.

        Examples
        --------
        >>> import kinfolk, pandas
        >>> from kinfolk.sklearn import RelatedBayesClassifier
        >>> made = kinfolk.simulate(nodes=4, arcs=4, rows=[300, 300], seed=4)
        >>> frame = pandas.concat(made.frames.values(), keys=made.frames, names=["site", None]).reset_index("site")
        >>> X, y = frame.drop(columns="V1"), frame["V1"].astype(int)
        >>> classifier = RelatedBayesClassifier(group_column="site").fit(X, y)
        >>> classifier.predict(X.head(2)).dtype == y.dtype
        True
        """
        check_is_fitted(self)
        predicted: np.ndarray = self.classes_[self.predict_proba(X, groups).argmax(axis=1)]
        return predicted


class RelatedStructureLearner(DensityMixin, _Related):  # type: ignore[misc]
    """A Bayesian network over all columns of X, for rows from related data sets.

    Parameters
    ----------
    network_score : str, optional
        The score of the search, ``score`` of :func:`kinfolk.learn`.
    s, alpha0, iss, max_parents, restarts, seed
        As in :func:`kinfolk.learn`.
    method, discretize, missing, max_states, group_column
        As in :class:`RelatedBayesClassifier`.

    Attributes
    ----------
    network_ : kinfolk.Network
        The network.
    structure_ : str
        Its structure as a modelstring.

    Examples
    --------
    >>> import kinfolk
    >>> from kinfolk.sklearn import RelatedStructureLearner
    >>> made = kinfolk.simulate(nodes=3, arcs=2, rows=[500, 500], seed=2)
    >>> frame = made.frames["data_001"]
    >>> learner = RelatedStructureLearner().fit(frame)
    >>> learner.structure_ == kinfolk.learn(frame).structure
    True
    """

    @suggest
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> RelatedStructureLearner:
        """Learn structure and tables.

        Parameters
        ----------
        X : frame or array
            The columns, categorical or numeric.
        y : ignored
        groups : array, optional
            The data set of every row; by default ``group_column``, or a single data set.

        Returns
        -------
        RelatedStructureLearner
            Itself.

        Examples
        --------
        >>> import kinfolk
        >>> from kinfolk.sklearn import RelatedStructureLearner
        >>> frame = kinfolk.simulate(nodes=3, arcs=2, rows=[500], seed=2).frames["data_001"]
        >>> learner = RelatedStructureLearner().fit(frame)
        >>> learner.network_.data_sets
        ['all']
        """
        columns, own_groups = self._columns(X, reset=True)
        self._learn(columns, own_groups if groups is None else groups)
        return self

    def score_samples(self, X: Any, groups: Any = None) -> np.ndarray:
        """Compute ln P(row) of every row; missing values are summed out, values not seen in training are refused.

        Examples
        --------
        >>> import kinfolk
        >>> from kinfolk.sklearn import RelatedStructureLearner
        >>> frame = kinfolk.simulate(nodes=3, arcs=2, rows=[500], seed=2).frames["data_001"]
        >>> learner = RelatedStructureLearner().fit(frame)
        >>> learner.score_samples(frame).shape
        (500,)
        """
        check_is_fitted(self)
        columns, own_groups = self._columns(X, reset=False)
        groups = own_groups if groups is None else groups
        return self.network_._log_likelihood(columns, **self._whose(groups, self._refuse_missing(columns)))[0]

    def score(self, X: Any, y: Any = None, groups: Any = None) -> float:
        """Compute the mean of ln P(row); larger is better.

        Examples
        --------
        >>> import kinfolk
        >>> from kinfolk.sklearn import RelatedStructureLearner
        >>> frame = kinfolk.simulate(nodes=3, arcs=2, rows=[500], seed=2).frames["data_001"]
        >>> learner = RelatedStructureLearner().fit(frame)
        >>> bool(learner.score(frame) == learner.score_samples(frame).mean())
        True
        """
        return float(self.score_samples(X, groups).mean())
