"""Missing values: filled in by `impute` as the command does, and incomplete data in everything after learning."""

import copy
import csv
import pickle

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import kinfolk

STRUCTURE = "[V02][V06][V03|V06][V04|V02:V06][V01|V02:V03][V05|V03:V04]"


@pytest.fixture(scope="module")
def holes(frames):
    """The example with a fifth of the cells missing at random; the clinic s2 has no V05."""
    random = np.random.default_rng(1)
    found = {name: frame.mask(random.random(frame.shape) < 0.2) for name, frame in frames.items()}
    found["s2"] = found["s2"].drop(columns="V05")
    return found


@pytest.fixture(scope="module")
def files(holes, tmp_path_factory):
    """The same as files."""
    folder = tmp_path_factory.mktemp("holes")
    for name, frame in holes.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return sorted(folder.glob("*.csv"))


@pytest.fixture(scope="module")
def learned(holes):
    return kinfolk.learn(holes, missing="impute")


@pytest.fixture(scope="module")
def network(learned):
    return learned.fit()


def as_read(path):
    """A file as texts."""
    return pandas.read_csv(path, dtype=str, keep_default_na=False)


def missing(frame):
    return int(frame.isna().sum().sum())


@pytest.mark.filterwarnings("ignore::kinfolk.DataWarning")
@pytest.mark.parametrize(("flags", "options"), [([], {}), (["--versions", 3, "--seed", 5], {"versions": 3, "seed": 5}), (["--most-probable", "--data-set", "new"], {"most_probable": True, "data_set": "new"})])
def test_values_and_summary_are_those_of_the_command(command, files, network, tmp_path, flags, options):
    network.save(tmp_path / "network.json")
    theirs = command("impute", *files, "--network", tmp_path / "network.json", "--out", tmp_path / "done", *flags)
    for ours in (kinfolk.impute(list(files), network, **options), kinfolk.impute(list(files), tmp_path / "network.json", **options)):
        assert ours.document == {key: value for key, value in theirs.items() if key not in ("folder", "files")}
        with open(tmp_path / "done" / "imputed.csv", newline="") as listed:
            rows = list(csv.DictReader(listed))
        assert [tuple(row) for row in ours.values.astype(str).itertuples(index=False)] == [tuple(row.values()) for row in rows]
        for version in range(ours.versions):
            folder = tmp_path / "done" / (f"version-{version + 1}" if ours.versions > 1 else "")
            for path, frame in zip(files, ours.completed(version + 1)):
                pandas.testing.assert_frame_equal(frame, as_read(folder / path.name), check_dtype=False)


def test_tables_in_memory_get_the_values_of_files(files, holes, network):
    with pytest.warns(kinfolk.DataWarning, match="s2 has no column V05: added, every value filled in"):
        ours = network.impute(holes, versions=2, seed=3)
    with pytest.warns(kinfolk.DataWarning, match="s2.csv has no column V05"):
        of_files = network.impute({path.stem: path for path in files}, versions=2, seed=3)
    for version in (1, 2):
        done = ours.completed(version)
        assert list(done) == list(holes)
        for name, frame in done.items():
            assert missing(frame) == 0
            observed = holes[name].notna()
            assert frame[observed.columns].where(observed).equals(holes[name])
            assert (frame.to_numpy() == of_files.completed(version)[name].to_numpy()).all()
    assert not ours.completed(1)["s1"].equals(ours.completed(2)["s1"])
    assert ours.values["row"].min() == 0 and of_files.values["row"].min() == 2
    gaps = sum(map(missing, holes.values())) + len(holes["s2"])
    assert ours.document["values_filled"] == gaps == ours.columns["filled"].sum()
    assert len(ours.values) == 2 * gaps
    again = pickle.loads(pickle.dumps(ours))
    assert again.values.equals(ours.values) and again.completed(2)["s3"].equals(ours.completed(2)["s3"])
    with pytest.raises(kinfolk.SettingsError, match="version takes a whole number up to 2"):
        ours.completed(3)


def test_frames_keep_their_kind_index_types_and_other_columns(holes, network):
    s1 = holes["s1"].assign(note="x", **{"extra number": 7}).set_index(np.arange(1000, 1000 + len(holes["s1"])))
    s1["V01"] = s1["V01"].astype("category")
    before = s1.copy()
    done = network.impute(s1, data_set="s1", seed=2).completed()
    pandas.testing.assert_frame_equal(s1, before)
    assert done.index.equals(s1.index) and list(done.columns) == list(s1.columns)
    assert done.dtypes.equals(s1.dtypes) and missing(done) == 0
    in_polars = network.impute(polars.from_pandas(s1.reset_index(drop=True)), data_set="s1", seed=2).completed()
    assert isinstance(in_polars, polars.DataFrame) and in_polars["extra number"].dtype == polars.Int64
    in_arrow = network.impute(pyarrow.Table.from_pandas(s1, preserve_index=False), data_set="s1", seed=2).completed()
    mapped = {column: [None if value != value else value for value in s1[column]] for column in s1}
    as_mapping = network.impute(mapped, data_set="s1", seed=2).completed()
    array = network.impute(s1.iloc[:, :6].astype(object).to_numpy(), data_set="s1", seed=2, names=list(s1.columns[:6])).completed()
    for column in ("V01", "V02", "V03", "V04", "V05", "V06"):
        wanted = done[column].tolist()
        assert in_polars[column].to_list() == in_arrow[column].tolist() == as_mapping[column] == array[column].tolist() == wanted
    with pytest.raises(kinfolk.NetworkError):
        network.impute(s1, data_set="s9")


def test_rows_with_a_group_column_stay_in_their_order(holes, network):
    stacked = pandas.concat([frame.assign(clinic=name) for name, frame in holes.items()]).sample(frac=1, random_state=1).reset_index(drop=True)
    by_column = network.impute(stacked, groups="clinic", seed=4)
    done = by_column.completed()
    assert done["clinic"].equals(stacked["clinic"]) and missing(done) == 0
    assert done.where(stacked.notna()).equals(stacked)
    by_values = network.impute(stacked.drop(columns="clinic"), groups=stacked["clinic"], seed=4).completed()
    assert by_values.equals(done.drop(columns="clinic"))
    assert network.impute(stacked.groupby("clinic"), seed=4).completed().equals(done)
    with pytest.warns(kinfolk.DataWarning, match="every row is filled in from the tables for an unseen data set"):
        network.impute(stacked.drop(columns="clinic"))


def test_types_come_back_and_bins_stand_beside_numbers():
    rows = {"north": {"x": [1, 2, 2, 1] * 9, "age": [1.5, 2.0, 8.0, 9.5] * 9, "ill": [True, False, False, True] * 9}}
    network = kinfolk.fit(rows, "[x][age|x][ill|x]", discretize={"age": [5]})
    new = pandas.DataFrame({"x": [1, np.nan, 2], "age": [3.0, 4.0, np.nan], "ill": pandas.array([True, None, False], dtype="boolean")})
    done = network.impute(new, data_set="north", most_probable=True).completed()
    assert done["x"].tolist() == [1, 1, 2] and done["x"].dtype == float
    assert done["ill"].tolist() == [True, False, False] and str(done["ill"].dtype) == "boolean"
    assert done["age"].tolist()[:2] == [3.0, 4.0] and done["age"].tolist()[2] in ("<=5", ">5")
    whole = network.impute(new, data_set="north", most_probable=True, states=True)
    assert whole.completed()["age"].tolist()[:2] == ["<=5", "<=5"]
    assert whole.completed()["x"].tolist() == [1, 1, 2]
    in_polars = network.impute(polars.from_pandas(new), data_set="north", most_probable=True).completed()
    assert in_polars["age"].to_list()[0] == "3" and in_polars["ill"].to_list() == [True, False, False]
    with pytest.warns(kinfolk.DataWarning, match="data has no column age: added"):
        mapping = network.impute({"x": np.array([1, 2]), "ill": [None, True]}, data_set="north", seed=1).completed()
    assert mapping["x"].dtype == np.array([1]).dtype and list(mapping) == ["x", "ill", "age"]


def test_impossible_rows_stay_incomplete_and_contradictions_are_refused():
    network = kinfolk.fit({"a": {"x": ["u", "v"], "y": ["1", "2"]}}, "[x][y|x]", method="mle")
    with pytest.warns(kinfolk.DataWarning, match="the network does not have as a state"):
        assert network.impute({"x": ["u", "w"], "y": [None, "2"]}, data_set="a", unseen="missing").completed()["x"] == ["u", "v"]
    three = kinfolk.fit({"a": {"x": ["u", "v"], "y": ["1", "2"], "z": ["p", "q"]}}, "[x][y|x][z|x]", method="mle")
    with pytest.warns(kinfolk.DataWarning, match="1 row with observed values that have probability 0 together: left incomplete"):
        left = three.impute({"x": [None, None], "y": ["1", "1"], "z": ["q", "p"]}, data_set="a")
    assert left.completed()["x"] == [None, "u"] and left.document["rows_impossible"] == 1
    for options, said in [
        ({"most_probable": True, "versions": 2}, "leave out versions or most_probable"),
        ({"versions": 0}, "at least 1"),
        ({"seed": -1}, "at least 0"),
    ]:
        with pytest.raises(kinfolk.SettingsError, match=said):
            network.impute({"x": ["u"], "y": [None]}, data_set="a", **options)
    with pytest.raises(kinfolk.DataError, match="row 0, column `x`: `w`"):
        network.impute({"x": ["w"], "y": [None]}, data_set="a")
    with pytest.raises(TypeError, match="unexpected keyword argument 'version'; did you mean 'versions'"):
        kinfolk.impute({"x": ["u"], "y": [None]}, network, version=2)


def test_a_learned_network_fills_in_its_own_data(holes, learned, network):
    ours = learned.impute(seed=6)
    done = ours.completed()
    with pytest.warns(kinfolk.DataWarning):
        of_frames = network.impute(holes, seed=6)
    for name, frame in of_frames.completed().items():
        assert (done[name][list(frame.columns)].to_numpy() == frame.to_numpy()).all()
    assert kinfolk.impute(learned.data, learned, seed=6).values.equals(ours.values)
    other = learned.impute(holes["s1"].head(5), data_set="s1").completed()
    assert len(other) == 5 and missing(other) == 0


def test_several_versions_vary_as_their_probabilities_say(network):
    empty = pandas.DataFrame({"V02": ["a"] * 500, "V06": [None] * 500})
    with pytest.warns(kinfolk.DataWarning):
        imputed = network.impute(empty, data_set="s1", versions=4)
    values = imputed.values
    for value, probability in values[values["column"] == "V06"].groupby("value")["probability"].first().items():
        # Four standard deviations of 2,000 draws.
        share = (values[values["column"] == "V06"]["value"] == value).mean()
        assert abs(share - probability) < 4 * (probability * (1 - probability) / 2000) ** 0.5


def test_incomplete_data_that_were_read_keep_their_gaps(holes, network):
    data = kinfolk.read(holes, missing="impute")
    for again in (pickle.loads(pickle.dumps(data)), copy.copy(data)):
        assert again.fingerprint == data.fingerprint
        assert kinfolk.learn(again).document == kinfolk.learn(data).document
    # Gaps are summed out, not taken for the first state.
    by_frames = network.log_likelihood(holes["s2"], data_set="s2")
    by_data = network.log_likelihood(data, data_set="s2")[len(holes["s1"]) :][: len(holes["s2"])]
    assert by_data == pytest.approx(by_frames)
    assert (network.predict_proba(data, "V01").iloc[: len(holes["s1"])].to_numpy() == network.predict_proba(holes["s1"], "V01", data_set="s1").to_numpy()).all()


def test_everything_after_learning_on_incomplete_data_is_as_on_the_command_line(command, files, holes, learned, tmp_path):
    flags = ["--missing", "impute"]
    given = {"missing": "impute"}
    theirs = command("learn", *files, *flags, "--method", "none")
    for key in ("structure", "score", "arcs", "missing", "nodes"):
        assert learned.document[key] == theirs[key], key
    assert learned.document["missing"]["versions"] == 5
    absent = [one for one in learned.document["missing"]["columns"] if one["absent"]]
    assert [(one["data_set"], one["column"]) for one in absent] == [("s2", "V05")]

    scored = kinfolk.score(holes, STRUCTURE, **given).document
    theirs = command("score", *files, *flags, "--structure", STRUCTURE)
    assert (scored["total"], scored["missing"]) == (theirs["total"], theirs["missing"])

    explained = kinfolk.explain(holes, structure=STRUCTURE, **given).document
    theirs = command("explain", *files, *flags, "--structure", STRUCTURE)
    assert {**explained, "settings": 0} == {**theirs, "settings": 0}

    validated = kinfolk.validate(holes, folds=3, structure=STRUCTURE, target="V01", **given).document
    theirs = command("validate", *files, *flags, "--folds", 3, "--structure", STRUCTURE, "--target", "V01")
    assert {**validated, "settings": 0} == {**theirs, "settings": 0}

    resampled = kinfolk.bootstrap(holes, replicates=3, **given).document
    theirs = command("bootstrap", *files, *flags, "-R", 3)
    assert {**resampled, "settings": 0} == {**theirs, "settings": 0}

    fitted = kinfolk.fit(holes, STRUCTURE, **given)
    theirs = command("fit", *files, *flags, "--structure", STRUCTURE, "--out", tmp_path / "network.json")
    there = kinfolk.load(tmp_path / "network.json")
    assert theirs["structure"] == fitted.structure
    for node in fitted.variables:
        for relative in fitted.relatives:
            assert (fitted.table(node, relative) == there.table(node, relative)).all()
    # A data set without a column has the tables of a new one.
    assert (fitted.table("V05", "s2") == fitted.table("V05", "new")).all()
    assert not (fitted.table("V05", "s1") == fitted.table("V05", "new")).all()


def test_the_methods_of_a_learned_network_fill_in_too(holes, learned, tmp_path):
    assert learned.explain(rivals=False).document["missing"]["share"] == learned.document["missing"]["share"]
    # Tables of s2 alone cannot predict a column that s2 has never seen; the others can.
    unknown = learned.validate(folds=2, structure=learned).methods.isna()
    assert unknown.loc["separate", "in s2"] and unknown.sum().sum() == 1
    assert learned.bootstrap(2).document["missing"]["share"] == learned.document["missing"]["share"]
    learned.report(tmp_path / "page.html")
    assert "V05" in (tmp_path / "page.html").read_text(encoding="utf-8")
    with pytest.raises(kinfolk.KinfolkError, match="complete"):
        learned.posterior()


def test_complete_data_do_not_care_for_the_treatment(frames):
    plain = kinfolk.learn(frames)
    for treatment in ("impute", "available"):
        other = kinfolk.learn(frames, missing=treatment)
        assert other.structure == plain.structure and other.score == plain.score
        assert "missing" not in other.document
    done = plain.impute()
    assert done.document["values_filled"] == 0 and len(done.values) == 0
    assert (done.completed()["s1"].to_numpy() == frames["s1"].to_numpy()).all()


@pytest.mark.parametrize("call", ["learn", "fit", "score", "explain", "validate", "bootstrap"])
def test_a_column_without_any_value_is_refused_by_name(holes, call):
    nowhere = {name: frame.assign(V06=None) for name, frame in holes.items()}
    structure = {"structure": STRUCTURE} if call in ("fit", "score") else {}
    with pytest.raises(kinfolk.KinfolkError, match="column `V06` has no value") as refused:
        getattr(kinfolk, call)(nowhere, missing="impute", **structure)
    assert "ignore" in str(refused.value)


def test_rows_and_data_sets_without_any_value_lose_nothing_else(holes):
    more = {**holes, "s1": pandas.concat([holes["s1"], holes["s1"].head(1).assign(**dict.fromkeys(holes["s1"]))])}
    one, other = kinfolk.learn(holes, missing="impute"), kinfolk.learn(more, missing="impute")
    assert one.structure == other.structure and one.score == other.score
    assert other.data.data_sets["s1"] == len(more["s1"])
    filled = other.fit().impute(more["s1"].tail(1), data_set="s1")
    assert missing(filled.completed()) == 0

    nothing = holes["s3"].assign(**dict.fromkeys(holes["s3"]))
    without = kinfolk.learn({**holes, "s4": nothing}, missing="impute")
    fitted = without.fit()
    assert all(fitted.table(node, "s4") == pytest.approx(fitted.table(node, "new")) for node in fitted.variables)
    assert "s4 has no value at all; its results come from the other data sets" in without.notes
