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


def test_anything_with_an_arrow_stream_is_a_table(stacked):
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.Table.from_pandas(stacked).__arrow_c_stream__(requested_schema)

    assert kinfolk.read(Stream(), groups="clinic").fingerprint == kinfolk.read(stacked, groups="clinic").fingerprint


def test_categories_are_kept_in_their_order_also_those_that_no_row_has():
    sizes = ["small", "large", "huge"]
    values = ["large", "small", None, "large"]
    tables = [
        pandas.DataFrame({"size": pandas.Categorical(values, sizes)}),
        polars.DataFrame({"size": polars.Series(values, dtype=polars.Enum(sizes))}),
        pyarrow.table({"size": pyarrow.DictionaryArray.from_arrays([1, 0, None, 1], sizes)}),
    ]
    for table in tables:
        assert kinfolk.read(table, missing="drop-rows").variables == {"size": sizes}
        assert kinfolk.read(table, missing="level").variables == {"size": [*sizes, "(missing)"]}


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
    said = subprocess.run([os.environ["KINFOLK"], "describe", str(path)], capture_output=True, text=True).stderr
    with pytest.raises(kinfolk.DataError) as refused:
        kinfolk.read(frame)
    assert str(refused.value) in said
    assert "--discretize 'age=quantile:4'" in str(refused.value)
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
        assert kinfolk.read({"A": values}, missing="drop-rows").variables == {"A": ["x", "y"]}
