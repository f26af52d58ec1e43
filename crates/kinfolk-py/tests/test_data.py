"""Data in: every kind of table gives the same coded rows, and is refused in the words of the command line."""

import os
import subprocess

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import kinfolk


def test_every_kind_of_table_gives_the_same_rows(paths, frames, stacked):
    expected = kinfolk.read(paths)
    arrays = {name: {column: frame[column].to_numpy() for column in frame} for name, frame in frames.items()}
    names = list(frames["s1"].columns)
    structured = {name: frame.to_records(index=False) for name, frame in frames.items()}
    same = [
        kinfolk.read([str(path) for path in paths]),
        kinfolk.read(frames),
        kinfolk.read(stacked, groups="clinic"),
        kinfolk.read(stacked[names], groups=stacked["clinic"]),
        kinfolk.read(stacked[names], groups=stacked["clinic"].tolist()),
        kinfolk.read(stacked[names].to_numpy(), groups=stacked["clinic"].to_numpy(), names=names),
        kinfolk.read({name: polars.from_pandas(frame) for name, frame in frames.items()}),
        kinfolk.read(polars.from_pandas(stacked), groups="clinic"),
        kinfolk.read(polars.from_pandas(stacked).lazy(), groups="clinic"),
        kinfolk.read(polars.from_pandas(stacked).with_columns(polars.all().cast(polars.Categorical)), groups="clinic"),
        kinfolk.read({name: pyarrow.Table.from_pandas(frame) for name, frame in frames.items()}),
        kinfolk.read(pyarrow.Table.from_pandas(stacked), groups="clinic"),
        kinfolk.read(arrays),
        kinfolk.read(structured),
        kinfolk.read(expected),
    ]
    for number, data in enumerate(same):
        assert data.fingerprint == expected.fingerprint, number


def test_categories_are_kept_in_their_order_also_those_that_no_row_has():
    sizes = ["small", "large", "huge"]
    values = ["large", "small", None, "large"]
    tables = [
        pandas.DataFrame({"size": pandas.Categorical(values, sizes)}),
        polars.DataFrame({"size": polars.Series(values, dtype=polars.Enum(sizes))}),
        pyarrow.table({"size": pyarrow.DictionaryArray.from_arrays([1, 0, None, 1], sizes)}),
    ]
    if hasattr(polars, "Categories"):
        own = polars.Categories.random()
        everything = polars.Series(sizes, dtype=polars.Categorical(own))
        assert len(everything) == 3
        tables.append(polars.DataFrame({"size": polars.Series(values, dtype=polars.Categorical(own))}))
    for table in tables:
        with pytest.warns(kinfolk.DataWarning, match="1 row with missing values left out: 1 of data"):
            assert kinfolk.read(table, missing="drop-rows").variables == {"size": sizes}
        assert kinfolk.read(table, missing="level").variables == {"size": [*sizes, "(missing)"]}


def test_polars_categories_for_everybody_are_texts():
    polars.Series(["elsewhere"], dtype=polars.Categorical)
    frame = polars.DataFrame({"size": polars.Series(["small", "large"], dtype=polars.Categorical)})
    assert kinfolk.read(frame).variables == {"size": ["large", "small"]}


def test_categories_stay_beside_tables_that_have_none(tmp_path):
    sizes = ["small", "large", "huge"]
    north = pandas.DataFrame({"size": pandas.Categorical(["large"], sizes)})
    (tmp_path / "south.csv").write_text("size\nsmall\ngiant\n")
    for south in (pandas.DataFrame({"size": ["small", "giant"]}), polars.DataFrame({"size": ["small", "giant"]}), tmp_path / "south.csv"):
        for tables in ({"north": north, "south": south}, {"south": south, "north": north}):
            assert kinfolk.read(tables).variables == {"size": [*sizes, "giant"]}


def test_a_category_is_a_state_whatever_it_says():
    answers = ["yes", "?", "NA"]
    values = ["yes", "NA", "?", None]
    tables = [
        pandas.DataFrame({"answer": pandas.Categorical(values, answers)}),
        polars.DataFrame({"answer": polars.Series(values, dtype=polars.Enum(answers))}),
        pyarrow.table({"answer": pyarrow.DictionaryArray.from_arrays([0, 2, 1, None], answers)}),
    ]
    for table in tables:
        data = kinfolk.read(table, missing="level")
        assert data.variables == {"answer": [*answers, "(missing)"]}
        assert data.description["variables"][0]["missing"] == [1]
        assert "`NA` is an ordinary state of column `answer`; add it to na if it means missing" in data.notes
        # The given options are applied.
        data = kinfolk.read(table, missing="level", na=["?", "NA"])
        assert data.variables == {"answer": ["yes", "(missing)"]}
        assert data.description["variables"][0]["missing"] == [3]
    unused = pandas.DataFrame({"answer": pandas.Categorical(["yes", "no"], ["no", "?", "yes"])})
    assert kinfolk.read(unused).variables == {"answer": ["no", "?", "yes"]}
    network = kinfolk.fit(tables[0], "[answer]", missing="level", method="mle")
    assert network.predict(pandas.DataFrame({"answer": ["?"]}), "answer").tolist() == ["yes"]
    assert network.log_likelihood(tables[0][:3]).tolist() == pytest.approx([np.log(0.25)] * 3)


def test_keys_name_the_data_sets_of_files(paths, frames):
    named = kinfolk.read({"first": paths[0], "second": str(paths[1])})
    assert named.data_sets == {"first": 250, "second": 200}
    assert named.description["data_sets"][0]["sources"] == [str(paths[0])]
    assert kinfolk.read({"first": paths[0], "second": frames["s2"]}).fingerprint == named.fingerprint
    assert kinfolk.read({"first": frames["s1"], "second": frames["s2"]}).fingerprint == named.fingerprint
    assert list(kinfolk.read([paths[0], frames["s2"]]).data_sets) == ["s1", "2"]
    with pytest.raises(kinfolk.DataError, match="is given twice"):
        kinfolk.read({"first": paths[0], "second": paths[0]})


def test_warnings_about_the_network_are_in_the_notes():
    rows = [chr(97 + place % 12) for place in range(100)]
    learned = kinfolk.learn({"a": {"x": rows, "y": rows}})
    (warning,) = [warning for warning in learned.document["warnings"] if warning["warning"] == "large-table"]
    assert (warning["cells"], warning["rows"]) == (144, 100)
    assert warning["text"] in learned.notes
    assert "warnings" not in kinfolk.learn({"a": {"x": list("ab") * 20, "y": list("aabb") * 10}}).document


def test_what_may_surprise_is_in_the_notes(frames, recwarn):
    gaps = frames["s1"].copy()
    gaps.loc[:2, "V01"] = None
    with pytest.warns(kinfolk.DataWarning, match="3 rows with missing values left out: 3 of a") as warned:
        learned = kinfolk.learn({"a": gaps, "new": frames["s2"], "c": frames["s3"][:1]}, missing="drop-rows", max_steps=0)
    assert warned[0].filename == __file__
    notes = learned.notes
    assert notes[: len(learned.data.notes)] == learned.data.notes
    assert "3 rows with missing values left out of a" in notes
    assert notes[0] == (
        'a data set is called `new`: `data_set="new"` selects it, not the tables that the name otherwise stands for; rename it to keep both'
    )
    assert any(note.startswith("the states of column `V01` differ: ") for note in notes)
    assert kinfolk.read({"a": {"n": np.arange(9)}}, discretize="n=quantile:3").notes == [
        "column `n` is cut at 2.667, 5.333 (quantile:3)"
    ]
    assert not any(issubclass(one.category, kinfolk.DataWarning) for one in recwarn)


def test_two_columns_of_one_name_are_refused():
    twice = pandas.DataFrame([["x", "y"]], columns=["a", "a"])
    for table in (twice, {"t": twice}, {1: ["x"], "1": ["y"]}, pyarrow.table([["x"], ["y"]], names=["a", "a"])):
        with pytest.raises(kinfolk.DataError, match="two columns are named `.`; rename one"):
            kinfolk.read(table)


def test_names_need_not_be_texts():
    rows = np.random.default_rng(1).integers(0, 2, (60, 4))
    frame = pandas.DataFrame(rows)
    expected = kinfolk.read(frame.rename(columns=str), groups="3")
    assert kinfolk.read(frame, groups=3).fingerprint == expected.fingerprint
    assert kinfolk.read(frame, groups=np.int64(3), columns=[0, 1, 2]).fingerprint == expected.fingerprint
    assert list(kinfolk.read(frame, ignore=3).variables) == ["0", "1", "2"]
    assert kinfolk.read(frame, levels={0: [1, 0]}).variables["0"] == ["1", "0"]
    learned = kinfolk.learn(frame, groups=3, blacklist=[(0, 1)], whitelist=[(2, 1)], tiers=[[2], [0, 1]])
    assert ("2", "1") in list(zip(learned.arcs["from"], learned.arcs["to"]))
    network = learned.fit()
    assert network.tables(1).equals(network.tables("1"))
    assert (network.predict(frame, 0, groups=3) == network.predict(frame, "0", groups="3")).all()
    assert network.query(0, {1: 0}).equals(network.query("0", {"1": "0"}))
    assert kinfolk.validate(frame, groups=3, target=0, folds=2).document["stop"] == "complete"


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_numbers_are_spelt_as_in_a_file(name, tmp_path):
    numbers = np.array([0.1, 0.25, 1 / 3, 1e-7, 12345.5], dtype=name)
    frame = pandas.DataFrame({"n": numbers})
    frame.to_csv(tmp_path / "numbers.csv", index=False)
    expected = kinfolk.read(tmp_path / "numbers.csv").variables
    tables = [frame, frame.convert_dtypes(), {"n": numbers}, {"n": list(numbers)}, pyarrow.table({"n": numbers}), polars.DataFrame({"n": numbers})]
    for table in tables:
        assert kinfolk.read(table).variables == expected


@pytest.mark.parametrize(
    "texts",
    [
        ["2020-01-01", "2021-12-31"],
        ["2020-01-01 00:00:00", "2021-12-31 10:30:00"],
        ["2020-01-01 00:00:00.250", "2021-12-31 10:30:00"],
        ["2020-01-01 00:00:00.000250", "2021-12-31 10:30:00"],
    ],
)
def test_times_are_spelt_as_in_a_file(texts, tmp_path):
    times = np.array(texts, dtype="M8[us]")
    frame = pandas.DataFrame({"t": times})
    frame.to_csv(tmp_path / "times.csv", index=False)
    expected = kinfolk.read(tmp_path / "times.csv").variables
    tables = [frame, {"t": times}, {"t": times.astype("M8[ns]")}, polars.DataFrame({"t": times}), pyarrow.table({"t": times})]
    for table in tables:
        assert kinfolk.read(table).variables == expected
    gaps = pandas.DataFrame({"t": np.append(times, np.datetime64("NaT"))})
    assert kinfolk.describe(gaps)["variables"][0]["missing"] == [1]


def test_dates_and_times_with_a_zone_are_spelt_as_in_a_file(tmp_path):
    import datetime

    zoned = pandas.DataFrame({"t": pandas.to_datetime(["2020-01-01 10:00", "2020-01-02 11:30"]).tz_localize("Europe/Zurich")})
    zoned.to_csv(tmp_path / "times.csv", index=False)
    expected = kinfolk.read(tmp_path / "times.csv").variables
    assert kinfolk.read(zoned).variables == kinfolk.read(polars.from_pandas(zoned)).variables == expected
    dates = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
    for table in ({"t": dates}, pandas.DataFrame({"t": dates}), polars.DataFrame({"t": dates}), pyarrow.table({"t": dates})):
        assert kinfolk.read(table).variables == {"t": ["2020-01-01", "2020-01-02"]}


def test_missing_values_of_every_kind_are_counted(command, tmp_path):
    values = {"a": ["x", None, "y"], "b": [1.0, float("nan"), 2.0]}
    tables = [
        pandas.DataFrame(values),
        pandas.DataFrame(values).convert_dtypes(),
        polars.DataFrame(values),
        pyarrow.table(values),
        {name: np.array(column, dtype=object) for name, column in values.items()},
    ]
    (tmp_path / "data.csv").write_text("a,b\nx,1\n,\ny,2\n")
    expected = command("describe", tmp_path / "data.csv")["variables"]
    for table in tables:
        assert kinfolk.describe(table)["variables"] == expected
        with pytest.raises(kinfolk.DataError, match="values are missing"):
            kinfolk.read(table)


def test_refusals_have_the_words_of_the_command_line(tmp_path):
    frame = pandas.DataFrame({"age": np.arange(100) / 7, "sex": ["f", "m"] * 50})
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    said = subprocess.run([os.environ["KINFOLK"], "learn", str(path)], capture_output=True, text=True).stderr
    with pytest.raises(kinfolk.DataError) as refused:
        kinfolk.read(frame)
    in_python = said.replace("--discretize 'age=quantile:4'", 'discretize={"age": "quantile:4"}').replace("--ignore age", 'ignore=["age"]')
    in_python = in_python.replace("--max-states", "max_states").replace("--levels", "levels")
    assert str(refused.value) in in_python
    assert isinstance(refused.value, ValueError)
    binned = kinfolk.read(frame, discretize={"age": "quantile:4"})
    assert binned.fingerprint == kinfolk.read({"data": frame}, discretize="age=quantile:4").fingerprint
    assert binned.fingerprint == kinfolk.read(path, discretize=["age=quantile:4"]).fingerprint


def test_numbers_are_spelt_short_and_truth_values_as_python_does():
    table = {"n": np.array([1.0, 0.5, 2.0]), "t": np.array([True, False, True]), "i": np.array([10, 9, 10])}
    assert kinfolk.read(table).variables == {"n": ["0.5", "1", "2"], "t": ["False", "True"], "i": ["9", "10"]}


def test_weights_are_a_column_or_an_array():
    table = pandas.DataFrame({"a": ["x", "y"], "n": [3, 4]})
    assert kinfolk.read(table, weights="n").data_sets == {"data": 7}
    assert kinfolk.read(table[["a"]], weights=[3, 4]).fingerprint == kinfolk.read(table, weights="n").fingerprint


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(kinfolk.DataError, match="column `b` has 1 rows, but `a` has 2"):
        kinfolk.read({"a": [1, 2], "b": [1]})


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="cannot take data from int"):
        kinfolk.read(3)
    with pytest.raises(TypeError, match="needs one table"):
        kinfolk.read([{"a": [1]}, {"a": [2]}], groups=[1, 2])


def test_data_say_what_they_are(frames):
    data = kinfolk.read(frames)
    assert repr(data) == "Data(3 data sets, 600 rows, 6 variables)"
    assert data.data_sets == {"s1": 250, "s2": 200, "s3": 150}
    assert [variable["name"] for variable in data.description["variables"]] == list(data.variables)


def test_many_states_take_wider_codes():
    values = [f"v{number}" for number in range(70_000)]
    data = kinfolk.read({"a": values}, max_states=100_000)
    assert len(data.variables["a"]) == 70_000


def test_missing_values_among_texts_are_missing_in_every_container():
    nan = float("nan")
    masked = np.ma.masked_array(["x", "z", "y"], mask=[False, True, False])
    for values in (["x", nan, "y"], ("x", None, "y"), np.array(["x", nan, "y"], dtype=object), masked):
        with pytest.raises(kinfolk.DataError, match="missing"):
            kinfolk.read({"A": values})
        with pytest.warns(kinfolk.DataWarning):
            assert kinfolk.read({"A": values}, missing="drop-rows").variables == {"A": ["x", "y"]}


def test_equal_objects_that_are_spelt_differently_are_states_of_their_own(tmp_path):
    frame = pandas.DataFrame({"a": pandas.Series([True, 1, 0, False, 2, "2"] * 5, dtype=object)})
    frame.to_csv(tmp_path / "a.csv", index=False)
    expected = kinfolk.fit(tmp_path / "a.csv", "[a]", method="mle").table("a", "a")
    for table in (frame, {"a": frame["a"].to_numpy()}):
        network = kinfolk.fit(table, "[a]", method="mle")
        assert sorted(network.variables["a"]) == ["0", "1", "2", "False", "True"]
        assert sorted(network.table("a", network.data_sets[0])) == sorted(expected)
    mixed = pandas.DataFrame({"a": pandas.Series([0.0, "x", 1.0, 2.5, None] * 3, dtype=object)})
    mixed.to_csv(tmp_path / "mixed.csv", index=False)
    expected = kinfolk.read(tmp_path / "mixed.csv", missing="level").variables
    assert expected == {"a": ["0.0", "1.0", "2.5", "x", "(missing)"]}
    assert kinfolk.read(mixed, missing="level").variables == expected
    assert kinfolk.read(mixed, missing="level", levels={"a": ["x", 2.5, 1.0, 0.0]}).variables["a"][:4] == ["x", "2.5", "1.0", "0.0"]
    groups = np.array([True, 1] * 15, dtype=object)
    assert kinfolk.read({"a": ["x", "y", "z"] * 10}, groups=groups).data_sets == {"True": 15, "1": 15}


def test_groups_with_the_labels_of_a_frame_in_another_order_are_put_in_its(stacked):
    expected = kinfolk.learn(stacked, groups="clinic", score="bhd").score
    shuffled = stacked["clinic"].sample(frac=1, random_state=1)
    assert not shuffled.index.equals(stacked.index)
    assert kinfolk.learn(stacked.drop(columns="clinic"), groups=shuffled, score="bhd").score == expected


def test_masks_of_structured_arrays_are_kept():
    kind = [("x", "U1"), ("y", "i8")]
    rows = np.ma.array([("a", 1), ("b", 2), ("b", 3)], dtype=kind, mask=[(0, 1), (0, 0), (1, 0)])
    assert kinfolk.read(rows, missing="level").variables == {"x": ["a", "b", "(missing)"], "y": ["2", "3", "(missing)"]}
    # Masked entries are missing, whatever data they hold, even if only the empty cell means missing.
    table = np.ma.array([["a", "b"], ["b", "a"]], mask=[[0, 1], [0, 0]])
    assert kinfolk.read(table, na=[], missing="level").variables["X2"] == ["a", "(missing)"]


def test_frames_of_a_class_made_from_pandas_are_frames_of_pandas():
    class Own(pandas.DataFrame):
        pass

    class OwnSeries(pandas.Series):
        pass

    frame = Own({"x": ["a", "b", 1], "y": pandas.Categorical(["u", "v", "u"], ["w", "v", "u"])}, index=["r", "s", "t"])
    assert kinfolk.read(frame).variables == {"x": ["1", "a", "b"], "y": ["w", "v", "u"]}
    assert kinfolk.read({"one": frame, "two": frame}).data_sets == {"one": 3, "two": 3}
    groups = OwnSeries(["n", "m", "n"], index=["t", "s", "r"])
    assert kinfolk.read(frame, groups).fingerprint == kinfolk.read(frame, ["n", "m", "n"]).fingerprint


def test_categories_that_differ_by_spaces_only_are_refused_as_such():
    frame = pandas.DataFrame({"x": pandas.Categorical([" a", "a"])})
    for one in (frame, pyarrow.Table.from_pandas(frame)):
        with pytest.raises(kinfolk.DataError, match="^column `x`: two of its categories are the state `a`, as spaces around texts do not count"):
            kinfolk.read(one)


NO_GROUPS = {
    "Table": lambda: pyarrow.table({"g": ["n", "s"]}),
    "LazyFrame": lambda: polars.LazyFrame({"g": ["n", "s"]}),
    "DataFrame": lambda: pandas.DataFrame({"g": ["n", "s"]}),
    "generator": lambda: (one for one in "ns"),
    "set": lambda: {"n", "s"},
    "bytes": lambda: b"ns",
    "Expr": lambda: polars.col("g"),
}


@pytest.mark.parametrize("kind", NO_GROUPS)
def test_groups_and_weights_are_names_or_values_in_order(kind):
    for argument in ("groups", "weights"):
        with pytest.raises(kinfolk.WrongTypeError, match=f"{argument} takes the name of a column or one value per row, not {kind}"):
            kinfolk.read({"x": ["a", "b"]}, **{argument: NO_GROUPS[kind]()})


def test_names_are_those_of_arrays_and_not_passed_over(tmp_path):
    (tmp_path / "a.csv").write_text("x\na\nb\n")
    frame, array = pandas.DataFrame({"x": ["a", "b"]}), np.array([["a"], ["b"]])
    for data in (frame, {"x": ["a", "b"]}, {"n": frame}, [frame], pyarrow.table({"x": ["a", "b"]}), tmp_path / "a.csv"):
        with pytest.raises(kinfolk.SettingsError, match="names names the columns of 2-D arrays"):
            kinfolk.read(data, names=["y"])
    assert list(kinfolk.read({"n": array, "s": frame}, names=["x"]).variables) == ["x"]


def test_names_are_a_list_also_where_a_frame_has_its_own():
    with pytest.raises(kinfolk.WrongTypeError, match="names takes a list of names of columns or None, not 5"):
        kinfolk.read(pandas.DataFrame({"x": ["a", "b"]}), names=5)


def test_rows_without_a_group_are_warned_of():
    rows = pandas.DataFrame({"site": ["x", "y", None, "x", "y"], "a": [0, 1, 0, 1, 0], "b": [1, 1, 0, 0, 1]})
    with pytest.warns(kinfolk.DataWarning, match="1 row without a value in the group column `site` left out"):
        assert kinfolk.read(rows, groups="site", missing="drop-rows").data_sets == {"x": 2, "y": 2}
