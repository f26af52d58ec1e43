"""Values and names come back in the type they came in; groups and bins may be given as Python has them."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import kinfolk
from kinfolk.sklearn import RelatedBayesClassifier


@pytest.fixture(scope="module")
def rows():
    """Rows of three hospitals with numbers as names, in two regions."""
    draws = np.random.default_rng(1)
    number = 600
    x = draws.integers(0, 2, number)
    return pandas.DataFrame(
        {
            "hospital": draws.choice([30001, 30002, 30003], number),
            "region": draws.choice(["n", "s"], number),
            "age": draws.integers(20, 60, number),
            "x": x,
            "half": np.where(draws.random(number) < 0.2 + 0.6 * x, 0.5, 1.0),
            "truth": draws.random(number) < 0.1 + 0.8 * x,
        }
    )


@pytest.fixture(scope="module")
def learned(rows):
    return kinfolk.learn(rows, groups="hospital", discretize={"age": 4}, ignore="region")


def test_predictions_have_the_type_and_the_package_of_the_rows(rows, learned):
    network = learned.fit()
    head = rows.iloc[[5, 3, 400]]
    for column, dtype in (("x", np.int64), ("half", np.float64), ("truth", bool)):
        predicted = network.predict(head, column)
        assert predicted.dtype == dtype and predicted.name == column
        assert predicted.index.tolist() == [5, 3, 400]
        assert set(predicted) <= set(rows[column])
        assert network.predict_proba(head, column).columns.tolist() == sorted(set(rows[column]))
    ours = network.predict(polars.from_pandas(head), "x")
    assert isinstance(ours, polars.Series) and ours.dtype == polars.Int64
    assert ours.to_list() == network.predict(head, "x").tolist()
    assert isinstance(network.predict(pyarrow.Table.from_pandas(head), "truth"), np.ndarray)
    # Bins are not numbers.
    assert isinstance(network.predict(head, "age").iloc[0], str)


def test_types_are_recorded_from_every_kind_of_table(rows, learned):
    record = {"age": "integer", "half": "float", "truth": "boolean", "x": "integer"}
    assert learned.settings["types"] == record and learned.settings["type_of_data_sets"] == "integer"
    for table in (polars.from_pandas(rows), pyarrow.Table.from_pandas(rows), {name: rows[name].tolist() for name in rows}):
        found = kinfolk.fit(table, "[x][truth|x]", groups="hospital", columns=["x", "truth"]).settings
        assert {name: found["types"][name] for name in record} == record
        assert found["type_of_data_sets"] == "integer"
    texts = rows[["x", "truth"]].astype(str)
    assert "types" not in kinfolk.fit(texts, "[x][truth|x]").settings
    categories = rows[["x"]].astype("category")
    assert kinfolk.fit(categories, "[x]").predict(categories.head(1), "x", data_set="pooled").dtype == np.int64


def test_types_survive_files(rows, learned, tmp_path):
    learned.fit().save(tmp_path / "network.json")
    network = kinfolk.load(tmp_path / "network.json")
    assert network.predict(rows.head(2), "x").dtype == np.int64


def test_frames_have_the_names_of_the_data_sets_as_they_came(rows, learned):
    assert learned.evidence[30001].equals(learned.evidence.iloc[:, 0])
    explanation = learned.explain()
    assert set(explanation.data_sets.index) == {30001, 30002, 30003}
    assert np.allclose(explanation.distances.sum(axis=1), explanation.data_sets["distance"])
    assert explanation.differing_edges.columns.tolist() == ["present_in", "absent_from"]
    assert explanation.data_sets["own arcs"].tolist() == [()] * 3
    network = learned.fit()
    assert network.tables("age").index.tolist() == [30001, 30002, 30003, "pooled", "new"]
    assert network.tables("x", 30002).columns.tolist() == [0, 1]
    assert network.tables("x", 30002).index.tolist() == [(30002, False), (30002, True)]
    assert network.query("x", {"truth": True}, data_set=30001).loc[("x", 1), 30001] > 0.5
    assert sorted(network.sample(2)) == [30001, 30002, 30003]
    assert network.sample(50, "new")["x"].cat.categories.tolist() == [0, 1]
    by_key = kinfolk.learn({1: rows[["x", "truth"]], 2: rows[["x", "truth"]]}, score="bhd")
    assert by_key.evidence.columns.tolist() == [1, 2]


def test_bins_are_numbers_or_cut_points(rows):
    read = kinfolk.read(rows, discretize={"age": 4, "half": [0.75]}, columns=["age", "half"])
    assert read.variables["age"] == kinfolk.read(rows, discretize="age=quantile:4", columns="age").variables["age"]
    assert len(read.variables["half"]) == 2
    for wrong in (True, None, 1, [1, "a"]):
        with pytest.raises((kinfolk.WrongTypeError, kinfolk.SettingsError), match="discretize takes"):
            kinfolk.read(rows, discretize={"age": wrong})


def test_grouped_frames_are_frames_with_groups(rows):
    chosen = rows[["hospital", "region", "x", "truth"]]
    one = kinfolk.learn(chosen, groups="hospital")
    assert kinfolk.learn(chosen.groupby("hospital")).document["score"] == one.score
    assert kinfolk.learn(polars.from_pandas(chosen).group_by("hospital")).document["score"] == one.score
    by_key = kinfolk.learn(chosen.groupby(chosen["hospital"] % 2 == 0), ignore=["hospital", "region"])
    assert sorted(by_key.document["data_sets"]) == ["False", "True"]
    with pytest.raises(kinfolk.WrongTypeError, match="already grouped"):
        kinfolk.learn(chosen.groupby("hospital"), groups="region")


def test_several_group_columns_make_one_data_set_for_each_pair_of_values(rows):
    learned = kinfolk.learn(rows, groups=["hospital", "region"], columns=["x", "truth"])
    assert sorted(learned.document["data_sets"]) == [f"{h}/{r}" for h in (30001, 30002, 30003) for r in "ns"]
    assert kinfolk.learn(rows.groupby(["hospital", "region"]), columns=["x", "truth"]).score == learned.score
    network = learned.fit()
    assert network.predict_proba(rows, "x").equals(network.predict_proba(rows, "x", ["hospital", "region"]))
    with pytest.warns(kinfolk.DataWarning, match=r"groups=\['hospital', 'region'\]"):
        network.predict(rows.drop(columns="region"), "x")
    with pytest.warns(kinfolk.DataWarning, match="as the network records: .*groups="):
        assert kinfolk.score(rows, network).score == pytest.approx(learned.score)


def test_validations_show_the_prediction_of_their_target(learned):
    found = learned.validate(folds=3, target="truth")
    assert found.prediction.loc["pooled", "log_loss"] == found.document["methods"][1]["target"]["log_loss"]
    assert "truth: accuracy" in repr(found) and "Prediction of truth" in found._repr_html_()
    assert learned.validate(folds=3).prediction is None


def test_weights_of_scikit_learn_are_refused_with_a_way_out(rows):
    X, y = rows[["age", "x"]], rows["truth"]
    with pytest.raises(TypeError, match="rows cannot be weighted here: repeat rows"):
        RelatedBayesClassifier().fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(TypeError, match="did you mean 'weights'"):
        kinfolk.learn(rows, sample_weight=np.ones(len(y)))


def test_the_heat_map_has_every_arc_and_data_set(learned):
    import matplotlib

    matplotlib.use("Agg")
    ax = learned.plot_evidence()
    assert np.array_equal(np.asarray(ax.images[0].get_array()), learned.evidence.to_numpy())
    arcs = [f"{parent} → {node}" for parent, node in learned.evidence.index]
    assert [label.get_text() for label in ax.get_yticklabels()] == arcs
