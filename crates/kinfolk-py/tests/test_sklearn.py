"""The estimators behave as scikit-learn expects."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, LeaveOneGroupOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import kinfolk
from kinfolk.sklearn import RelatedBayesClassifier, RelatedStructureLearner


@parametrize_with_checks([RelatedBayesClassifier(), RelatedBayesClassifier(structure="naive"), RelatedStructureLearner()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def rows(stacked):
    return stacked.drop(columns=["V01", "clinic"]), stacked["V01"].to_numpy(), stacked["clinic"].to_numpy()


def test_probabilities_are_those_of_the_network(rows, frames):
    X, y, groups = rows
    classifier = RelatedBayesClassifier().fit(X, y, groups)
    assert classifier.network_.data_sets == ["s1", "s2", "s3"]
    assert classifier.classes_.tolist() == sorted(set(y))
    with_groups = classifier.predict_proba(X, groups)
    direct = kinfolk.fit(frames, classifier.structure_.replace("class", "V01"))
    expected = direct.predict_proba(frames["s2"].drop(columns="V01"), "V01", data_set="s2")
    assert np.allclose(with_groups[groups == "s2"], expected, atol=1e-12)
    assert (classifier.predict_proba(X) == classifier.predict_proba(X, ["elsewhere"] * len(X))).all()
    assert classifier.score(X, y) > 0.3


def test_tables_belong_to_the_score(rows):
    X, y, groups = rows
    own = RelatedBayesClassifier().fit(X, y, groups)
    assert (own.predict_proba(X, groups) == RelatedBayesClassifier(method="kin").fit(X, y, groups).predict_proba(X, groups)).all()
    assert RelatedBayesClassifier(structure="naive").fit(X, y, groups).network_.settings["method"] == "kin"
    assert RelatedStructureLearner().fit(X, groups=groups).network_.settings["method"] == "kin"
    for settings in ({"s": 3.0}, {"alpha0": 2.0}, {"network_score": "bhd"}, {"network_score": "bdeu"}, {"network_score": "kin", "s": 2.0}):
        fitted = RelatedBayesClassifier(**settings).fit(X, y, groups)
        assert fitted.network_.settings["method"] == "hierarchical", settings
        assert (fitted.predict_proba(X, groups) == RelatedBayesClassifier(**settings, method="hierarchical").fit(X, y, groups).predict_proba(X, groups)).all()


def test_forgotten_groups_are_warned_of(rows, stacked):
    X, y, groups = rows
    classifier = RelatedBayesClassifier(structure="naive").fit(X, y, groups)
    with pytest.warns(kinfolk.DataWarning, match="fitted with groups, and none are given"):
        classifier.predict(X)
    by_column = RelatedBayesClassifier(structure="naive", group_column="clinic").fit(stacked.drop(columns="V01"), y)
    assert (by_column.predict_proba(stacked.drop(columns="V01")) == classifier.predict_proba(X, groups)).all()


def test_grid_search_with_groups(rows, stacked):
    _, y, groups = rows
    X = stacked.drop(columns="V01")
    search = GridSearchCV(
        make_pipeline(FunctionTransformer(), RelatedBayesClassifier(group_column="clinic", max_parents=2)),
        {"relatedbayesclassifier__s": [1.0, 10.0]},
        cv=LeaveOneGroupOut(),
    )
    search.fit(X, y, groups=groups)
    assert search.best_params_["relatedbayesclassifier__s"] in (1.0, 10.0)
    assert search.best_estimator_[-1].network_.data_sets == ["s1", "s2", "s3"]
    scores = cross_val_score(RelatedBayesClassifier(group_column="clinic", structure="naive"), X, y, groups=groups, cv=GroupKFold(3))
    assert len(scores) == 3


def test_grid_search_routes_groups_to_fit_and_predict(rows):
    X, y, groups = rows
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = RelatedBayesClassifier(max_parents=2).set_fit_request(groups=True).set_score_request(sample_weight=False)
        search = GridSearchCV(classifier, {"s": [1.0, 10.0]}, cv=LeaveOneGroupOut()).fit(X, y, groups=groups)
    assert search.best_estimator_.network_.data_sets == ["s1", "s2", "s3"]
    without = GridSearchCV(RelatedBayesClassifier(max_parents=2), {"s": [1.0]}, cv=LeaveOneGroupOut()).fit(X, y, groups=groups)
    assert without.best_estimator_.network_.data_sets == ["all"]


def test_structure_learners_are_searched_over(stacked):
    search = GridSearchCV(RelatedStructureLearner(group_column="clinic"), {"s": [0.01, 1.0, 10.0]}, cv=GroupKFold(3))
    search.fit(stacked, groups=stacked["clinic"])
    assert search.best_estimator_.network_.data_sets == ["s1", "s2", "s3"]
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_parameters_are_kept_by_clones():
    classifier = RelatedBayesClassifier(s=3.0, max_parents=2)
    assert clone(classifier).get_params() == classifier.get_params()
    assert classifier.set_params(s=4.0).s == 4.0


def test_missing_values_are_summed_out_if_they_are_not_refused(rows):
    X, y, groups = rows
    gaps = X.mask(np.random.default_rng(1).random(X.shape) < 0.05)
    with pytest.raises(kinfolk.DataError, match="values are missing"):
        RelatedBayesClassifier().fit(gaps, y, groups)
    with pytest.warns(kinfolk.DataWarning, match="rows with missing values left out: [0-9]+ of s1, "):
        classifier = RelatedBayesClassifier(missing="drop-rows").fit(gaps, y, groups)
    assert np.isfinite(classifier.predict_proba(gaps, groups)).all()


def test_structures_are_learned_and_rows_scored(stacked):
    learner = RelatedStructureLearner(group_column="clinic").fit(stacked)
    assert learner.structure_ == kinfolk.learn(stacked, groups="clinic").structure
    assert learner.score(stacked) > learner.score(stacked.drop(columns="clinic"))


def test_searches_use_several_processes(rows, stacked):
    _, y, groups = rows
    X = stacked.drop(columns="V01")
    found = []
    for jobs in (1, 2):
        classifier = RelatedBayesClassifier(group_column="clinic", max_parents=2)
        search = GridSearchCV(classifier, {"s": [1.0, 10.0]}, cv=LeaveOneGroupOut(), n_jobs=jobs).fit(X, y, groups=groups)
        found.append((search.cv_results_["mean_test_score"].tolist(), search.best_estimator_.network_))
    assert found[0] == found[1]
    learner = GridSearchCV(RelatedStructureLearner(group_column="clinic"), {"s": [1.0, 10.0]}, cv=3, n_jobs=2).fit(stacked)
    assert np.isfinite(learner.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("kind", [int, np.int8, float, bool, str, object])
def test_classes_are_of_the_type_of_y(rows, kind):
    X, y, groups = rows
    numbers = (y == "a").astype(np.int8)
    classes = np.where(numbers == 1, "yes", "no").astype(kind) if kind in (str, object) else numbers.astype(kind)
    classifier = RelatedBayesClassifier(max_parents=1).fit(X, classes, groups)
    assert classifier.classes_.dtype == np.unique(classes).dtype == classifier.predict(X).dtype
    assert set(classifier.predict(X).tolist()) <= set(classes.tolist())


def test_two_columns_of_one_name_are_refused(rows):
    X, y, _ = rows
    twice = X.set_axis(["a", "b", "c", "d", "a"], axis=1)
    for estimator in (RelatedBayesClassifier(), RelatedStructureLearner()):
        with pytest.raises(kinfolk.DataError, match="two columns are named `a`"):
            estimator.fit(twice, y)


def test_names_may_be_numbers_or_have_marks_of_structures(rows, stacked):
    X, y, groups = rows
    for names in ([0, 1, 2, 3, 4], ["a[1]", "b|c", "d:e", "f\\g", "class"]):
        renamed = X.set_axis(names, axis=1)
        for structure in ("naive", "learned"):
            classifier = RelatedBayesClassifier(structure=structure, group_column=9).fit(renamed.assign(**{"9": groups}), y)
            assert classifier.network_.data_sets == ["s1", "s2", "s3"]
            assert classifier.predict(renamed).shape == y.shape


def test_a_group_column_that_is_not_there_is_refused(stacked):
    classifier = RelatedBayesClassifier(group_column="clinc")
    with pytest.raises(ValueError, match="no column 'clinc'"):
        classifier.fit(stacked.drop(columns="V01"), stacked["V01"])


def test_a_data_set_called_new_is_not_taken_for_one_never_seen():
    groups = np.array(["new"] * 200 + ["old"] * 200 + ["mid"] * 200)
    y = np.array(["p"] * 190 + ["q"] * 10 + (["p"] * 10 + ["q"] * 190) * 2)
    X = pandas.DataFrame({"x": ["u", "v"] * 300, "z": ["u", "v"] * 300})
    classifier = RelatedBayesClassifier().fit(X, y, groups)
    unknown = classifier.predict_proba(X.head(1))
    assert (unknown == classifier.predict_proba(X.head(1), ["never"])).all()
    assert classifier.predict_proba(X.head(1), ["new"])[0, 0] > 0.9 > unknown[0, 0]


@pytest.mark.parametrize("gap", [None, np.nan])
def test_missing_values_to_classify_are_refused_where_they_are_in_training(gap):
    X = pandas.DataFrame({"x": ["u", "v"] * 50, "z": ["u", "u", "v", "v"] * 25})
    y = np.array(["p", "q"] * 50)
    rows = X.head(2).astype(object)
    rows.iloc[1, 0] = gap
    classifier, learner = RelatedBayesClassifier().fit(X, y), RelatedStructureLearner().fit(X)
    for ask in (classifier.predict_proba, classifier.predict, learner.score_samples):
        with pytest.raises(ValueError, match="row 2, column `x`: Input contains NaN"):
            ask(rows)
    assert RelatedBayesClassifier(missing="level").fit(X, y).predict_proba(rows).shape == (2, 2)


def test_a_class_that_is_missing_is_refused_as_elsewhere():
    X = pandas.DataFrame({"x": ["u", "v"] * 5})
    with pytest.raises(ValueError, match="Input y contains NaN"):
        RelatedBayesClassifier().fit(X, np.array(["p", np.nan] * 5, dtype=object))


def test_values_that_were_not_there_in_training_are_not_scored_as_certain():
    X = pandas.DataFrame({"x": ["u", "v"] * 50, "z": ["u", "u", "v", "v"] * 25})
    with pytest.raises(kinfolk.DataError, match="never"):
        RelatedStructureLearner().fit(X).score_samples(pandas.DataFrame({"x": ["u", "never"], "z": ["u", "never"]}))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"structure": "naive", "max_parents": "two"}, "max_parents takes a whole number"),
        ({"structure": "naive", "restarts": -2}, "restarts takes a whole number of at least 0 or None, not -2"),
        ({"structure": "naive", "network_score": "best"}, "network_score cannot be 'best'"),
        ({"method": "mle", "network_score": "bdeu", "s": -3}, "s must be a positive number, not -3"),
        ({"method": "mle", "iss": "much"}, "iss takes a number or None, not 'much'"),
    ],
)
def test_parameters_that_are_not_used_must_be_possible_too(settings, words):
    X, y = pandas.DataFrame({"a": ["u", "v"] * 10}), [0, 1] * 10
    with pytest.raises(kinfolk.KinfolkError, match=words):
        RelatedBayesClassifier(**settings).fit(X, y)


def test_a_feature_that_is_called_like_the_class_but_for_spaces_is_another_column():
    X, y = pandas.DataFrame({" class ": ["u", "v"] * 10}), [0, 1] * 10
    assert (RelatedBayesClassifier().fit(X, y).predict(X) == y).all()


def test_tables_of_pyarrow_keep_the_names_of_their_columns(stacked):
    X, y = stacked.drop(columns="V01"), stacked["V01"]
    table = pyarrow.Table.from_pandas(X)
    expected = RelatedBayesClassifier(group_column="clinic").fit(X, y)
    classifier = RelatedBayesClassifier(group_column="clinic").fit(table, y)
    assert list(classifier.feature_names_in_) == list(X.columns) and classifier.network_.data_sets == ["s1", "s2", "s3"]
    for one in (X, table, polars.from_pandas(X), polars.from_pandas(X).lazy()):
        assert (classifier.predict_proba(one) == expected.predict_proba(X)).all()
    learner = RelatedStructureLearner(group_column="clinic").fit(table)
    assert learner.score(table) == RelatedStructureLearner(group_column="clinic").fit(X).score(X)


def test_names_with_spaces_around_them_lose_no_values():
    frame = pandas.DataFrame({" a ": ["u", "v"] * 20})
    y = ["no", "yes"] * 20
    for one in (frame, polars.from_pandas(frame), pyarrow.Table.from_pandas(frame)):
        assert RelatedBayesClassifier().fit(one, y).score(one, y) == 1
        assert RelatedStructureLearner().fit(one).score(one) == RelatedStructureLearner().fit(frame).score(frame)


def test_groups_are_one_for_each_row_in_their_order():
    """As everywhere in scikit-learn, and other than in kinfolk.read, labels do not count."""
    frame = pandas.DataFrame({"a": ["u", "v"] * 20, "b": ["x", "x", "y", "y"] * 10})
    groups = pandas.Series(["n", "s"] * 20)[::-1]
    learner = RelatedStructureLearner()
    assert learner.fit(frame, groups=groups).score(frame) == learner.fit(frame, groups=groups.to_numpy()).score(frame)
