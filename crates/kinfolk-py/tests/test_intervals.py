"""Credible intervals of tables, queries and predictions."""

import json

import numpy as np
import polars
import pytest

import kinfolk


@pytest.fixture(scope="module")
def network(frames):
    return kinfolk.learn(frames).fit()


@pytest.fixture(scope="module")
def file(network, tmp_path_factory):
    path = tmp_path_factory.mktemp("network") / "network.json"
    network.save(path)
    return path


def test_tables_have_the_intervals_of_the_command(command, paths, network, file):
    theirs = command("fit", *paths, "--structure", file, "--intervals", 0.9)
    node = next(one for one in theirs["intervals"]["nodes"] if one["node"] == "V01")
    ours = network.tables("V01", intervals=0.9)
    assert list(ours.columns[:3]) == [("a", "probability"), ("a", "low"), ("a", "high")]
    for name, rows in {**node["tables"], "pooled": node["pooled"], "new": node["new"]}.items():
        ends = ours.loc[name][[(state, end) for state in ("a", "b") for end in ("low", "high")]]
        assert ends.to_numpy().reshape(-1, 2, 2).tolist() == rows
    assert ours.xs("probability", axis=1, level=1).equals(network.tables("V01"))
    assert (ours["a", "low"] < ours["a", "probability"]).all() and (ours["a", "probability"] < ours["a", "high"]).all()


def test_queries_have_the_intervals_of_the_command(command, network, file):
    theirs = command("query", file, "--target", "V01", "--evidence", "V05=a", "--intervals", 0.8)
    ours = network.query("V01", {"V05": "a"}, intervals=0.8)
    for name, states in theirs["targets"][0]["intervals"].items():
        assert ours[name][["low", "high"]].to_numpy().tolist() == list(states.values())
    assert ours.xs("probability", axis=1, level=1).equals(network.query("V01", {"V05": "a"}))


def test_predictions_have_the_intervals_of_their_query(network):
    rows = {"V05": ["a", "b"]}
    plain = network.predict_proba(rows, "V01", data_set="s1")
    ours = network.predict_proba(rows, "V01", data_set="s1", intervals=0.9)
    assert ours.xs("probability", axis=1, level=1).equals(plain)
    answer = network.query("V01", {"V05": "a"}, data_set="s1", intervals=0.9)["s1"]
    assert np.allclose(ours.iloc[0]["a"], answer.loc["V01", "a"], atol=1e-9)
    frame = network.predict_proba(polars.DataFrame(rows), "V01", data_set="s1", intervals=0.9)
    assert frame.columns == ["a probability", "a low", "a high", "b probability", "b low", "b high"]
    assert np.allclose(frame.to_numpy(), ours.to_numpy())


def test_what_has_no_intervals_says_so(frames, network, file, tmp_path):
    for wrong in (0, 1, 90):
        with pytest.raises(kinfolk.SettingsError, match="between 0 and 1, such as 0.9"):
            network.tables("V01", intervals=wrong)
    with pytest.raises(kinfolk.NetworkError, match="kinfolk.fit"):
        kinfolk.fit(frames, network, method="mle").query("V01", intervals=0.9)
    with pytest.raises(kinfolk.NetworkError, match="without joint and mpe"):
        network.query(["V01", "V02"], joint=True, intervals=0.9)
    alone = kinfolk.fit(frames, network, method="bayes").tables("V01", intervals=0.9)["a"]
    assert alone.loc["new", "low"].isna().all() and alone.drop("new").notna().all(axis=None)
    # A file that does not record how certain its tables are, such as one of an earlier version.
    document = json.loads(file.read_text())
    for node in document["nodes"]:
        node.pop("concentration")
    (tmp_path / "old.json").write_text(json.dumps(document))
    with pytest.raises(kinfolk.NetworkError, match="how certain they are"):
        kinfolk.Network.load(tmp_path / "old.json").tables("V01", intervals=0.9)
