"""Arrow data: objects with the Arrow C interface are read in place and give the same rows as other tables."""

import datetime
import decimal
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import kinfolk


def proba(network, *rows, **options):
    """Predicted probabilities as an array."""
    return np.asarray(network.predict_proba(*rows, **options))

ROOT = Path(__file__).resolve().parents[3]


class Stream:
    """Nothing but an Arrow stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Batch:
    """Nothing but an Arrow array."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


def states(*columns, **settings):
    """The states of columns of Arrow data, and the code of every row."""
    table = columns[0] if len(columns) == 1 and hasattr(columns[0], "column_names") else pyarrow.table({"a": columns[0]})
    data = kinfolk.read(Stream(table), **{"missing": "level", **settings})
    (_, texts, codes, width), *_ = data._columns()[0]
    return texts, [texts[code] for code in np.frombuffer(codes, f"u{width}")]


def test_a_stream_a_batch_and_an_array_of_structs_are_tables(stacked):
    table = pyarrow.Table.from_pandas(stacked)
    batch = table.combine_chunks().to_batches()[0]
    expected = kinfolk.read(stacked, groups="clinic").fingerprint
    several = pyarrow.Table.from_batches(table.to_batches(max_chunksize=70))
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=70))
    same = [Stream(table), Stream(several), Batch(batch), batch, batch.to_struct_array(), several.to_struct_array(), reader]
    for number, one in enumerate([*same, Stream(polars.from_pandas(stacked))]):
        assert kinfolk.read(one, groups="clinic").fingerprint == expected, number
    names = list(stacked.columns[:-1])
    groups = (table["clinic"], table["clinic"].combine_chunks(), polars.from_pandas(stacked)["clinic"], Stream(table["clinic"]))
    for number, group in enumerate(groups):
        assert kinfolk.read(Stream(table.select(names)), groups=group).fingerprint == expected, number
    columns = {name: Stream(table[name]) for name in table.column_names}
    assert kinfolk.read(columns, groups="clinic").fingerprint == expected
    parts = {name: Stream(pyarrow.Table.from_pandas(rows[names])) for name, rows in stacked.groupby("clinic")}
    assert kinfolk.read(parts).fingerprint == expected
    assert kinfolk.read(list(parts.values())).data_sets == {"1": 250, "2": 200, "3": 150}


def test_neither_pyarrow_nor_polars_nor_pandas_is_needed(paths):
    """A producer that is made here, out of the C interface itself, where no other package can be imported."""
    program = Path(__file__).with_name("arrow_producer.py")
    done = subprocess.run([sys.executable, str(program), str(paths[0])], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [kinfolk.read({"data": paths[0]}).fingerprint]


def test_polars_frames_need_no_pyarrow(stacked):
    program = (
        "import sys; sys.modules['pyarrow'] = None; sys.modules['pandas'] = None\n"
        "import kinfolk, polars\n"
        "frame = polars.DataFrame({'a': ['x', 'y', 'x'], 'g': ['s', 's', 't'], 'e': polars.Series(['u', 'v', 'u'], dtype=polars.Enum(['v', 'w', 'u']))})\n"
        "data = kinfolk.read(frame, groups='g')\n"
        "assert data.variables == {'a': ['x', 'y'], 'e': ['v', 'w', 'u']}, data.variables\n"
        "assert data.data_sets == {'s': 2, 't': 1}\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("width", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_dictionaries_of_any_width_keep_their_levels(width):
    indices = pyarrow.array([2, 0, None, 2], getattr(pyarrow, width)())
    column = pyarrow.DictionaryArray.from_arrays(indices, ["small", "large", "huge"])
    assert states(column) == (["small", "large", "huge", "(missing)"], ["huge", "small", "(missing)", "huge"])


def test_dictionaries_that_differ_between_pieces_become_one():
    first = pyarrow.DictionaryArray.from_arrays(pyarrow.array([1, 0], pyarrow.int8()), ["b", "a"])
    second = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, 2, None], pyarrow.int8()), ["c", "b", "d"])
    assert states(pyarrow.chunked_array([first, second]), missing="level") == (
        ["b", "a", "c", "d", "(missing)"],
        ["a", "b", "c", "b", "d", "(missing)"],
    )


def test_levels_that_are_missing_or_given_twice():
    holes = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, 2, 3]), pyarrow.array(["x", None, "y", "x"]))
    assert states(holes) == (["x", "y", "(missing)"], ["x", "(missing)", "y", "x"])
    numbers = pyarrow.DictionaryArray.from_arrays(pyarrow.array([2, 0]), pyarrow.array([1.5, float("nan"), 2.0]))
    assert states(numbers) == (["1.5", "2"], ["2", "1.5"])


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"])
def test_texts_of_every_layout_are_read_also_in_slices(kind):
    values = ["skipped", "no", "a text that is longer than twelve bytes", None, "Zürich", "no", "skipped too"]
    column = pyarrow.array(values).cast(getattr(pyarrow, kind)()) if kind != "binary_view" else pyarrow.array(
        [None if value is None else value.encode() for value in values], pyarrow.binary_view()
    )
    sliced = pyarrow.table({"a": column}).slice(1, 5)
    found, rows = states(sliced)
    assert rows == ["no", "a text that is longer than twelve bytes", "(missing)", "Zürich", "no"]
    assert sorted(found) == ["(missing)", "Zürich", "a text that is longer than twelve bytes", "no"]
    pieces = pyarrow.chunked_array([column[1:3], column[3:3], column[3:6]])
    assert states(pieces)[1] == rows
    encoded = pyarrow.array(values).dictionary_encode().slice(1, 5)
    assert states(encoded)[1] == rows


def test_truth_values_and_numbers_in_slices():
    table = pyarrow.table({"t": [True, None, False, True] * 5, "n": pyarrow.array([7, None, -3, 7] * 5, pyarrow.int16())}).slice(3, 11)
    data = kinfolk.read(table, missing="level")
    assert data.variables == {"t": ["False", "True", "(missing)"], "n": ["-3", "7", "(missing)"]}
    assert data.fingerprint == kinfolk.read({"data": table.to_pandas().astype(object)}, missing="level").fingerprint


def test_rows_that_are_missing_altogether_have_no_values():
    rows = pyarrow.StructArray.from_arrays(
        [pyarrow.array(["x", "y", "z"]), pyarrow.array(["u", "v", "u"]).dictionary_encode()],
        names=["a", "b"],
        mask=pyarrow.array([False, True, False]),
    )
    described = kinfolk.describe(Batch(rows))["variables"]
    assert [(one["name"], one["missing"]) for one in described] == [("a", [1]), ("b", [1])]
    assert kinfolk.read(Batch(rows), missing="level").variables["a"] == ["x", "z", "(missing)"]


def test_numbers_have_the_spelling_of_a_file():
    numbers = [0.1, 1 / 3, 1e-4, 1.5e-5, 1e-7, 123456.789, -2.5, 1e15, 1.5e15, 1e16, 1.25e16, 1e22, 5e-324, 1.7976931348623157e308, 3.0, -0.0]
    for width in ("float32", "float64"):
        with np.errstate(over="ignore"):
            values = np.array(numbers, dtype=width)
        expected = kinfolk.read({"a": values}).variables["a"]
        for table in (pyarrow.table({"a": values}), polars.DataFrame({"a": values})):
            assert kinfolk.read(table).variables["a"] == expected
    random = np.random.default_rng(1).integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32)
    common = np.random.default_rng(1).normal(0, 1000, 20_000).astype(np.float32)
    for values in (random, common, np.exp(np.random.default_rng(1).normal(0, 30, 20_000))):
        settings = {"max_states": 10**6, "missing": "level"}
        expected = kinfolk.read({"a": values}, **settings).variables
        assert kinfolk.read(pyarrow.table({"a": values}), **settings).variables == expected
    # All 16-bit floats have distinct spellings.
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    halves = np.unique(halves[np.isfinite(halves)])
    found = states(pyarrow.array(halves), max_states=10**6)[1]
    assert set(found) == set(kinfolk.read({"a": halves}, max_states=10**6).variables["a"])
    assert all(np.float16(float(text)) == value for text, value in zip(found, halves)) and len(set(found)) == len(set(halves))
    whole = [-(2**63), 2**63 - 1, 0]
    assert sorted(kinfolk.read(pyarrow.table({"a": whole})).variables["a"]) == sorted(map(str, whole))
    assert kinfolk.read(pyarrow.table({"a": pyarrow.array([2**64 - 1, 1], pyarrow.uint64())})).variables["a"] == ["1", str(2**64 - 1)]


@pytest.mark.parametrize("bits", [32, 64, 128, 256])
def test_decimals_have_all_their_digits(bits):
    values = [decimal.Decimal(text) for text in ("1.50", "-0.07", "0.00", "12.25")]
    kind = getattr(pyarrow, f"decimal{bits}")(9, 2)
    assert sorted(states(pyarrow.array(values, kind))[0]) == sorted(map(str, values))
    small = [decimal.Decimal(text) for text in ("0.000000001", "0.000000000", "0.123456789", "0.000001000")]
    assert sorted(states(pyarrow.array(small, getattr(pyarrow, f"decimal{bits}")(9, 9)))[0]) == sorted(map(str, small))


def test_times_have_the_spelling_of_a_file():
    day, hour = datetime.date(2020, 2, 29), datetime.time(7, 5, 3)
    times = [datetime.time(0, 0), hour, datetime.time(7, 5, 3, 250)]
    for kind in (pyarrow.time64("us"), pyarrow.time64("ns")):
        assert states(pyarrow.array(times, kind))[1] == list(map(str, times))
    assert states(pyarrow.array([hour], pyarrow.time32("s")))[1] == ["07:05:03"]
    assert states(polars.DataFrame({"a": times}).to_arrow())[1] == list(map(str, times))
    assert states(pyarrow.array([day], pyarrow.date64()))[1] == ["2020-02-29"]
    before = [datetime.datetime(1969, 12, 31, 23, 59, 59, 999000), datetime.datetime(1583, 1, 1)]
    for unit in ("ms", "us"):
        assert states(pyarrow.array(before, pyarrow.timestamp(unit)))[1] == ["1969-12-31 23:59:59.999", "1583-01-01 00:00:00.000"]
    spans = pandas.to_timedelta(["1 days 02:03:04", "-1 days +23:00:00", "0 days 00:00:00.000250", "0 days 00:00:00.000000001"])
    assert states(pyarrow.array(spans))[1] == list(map(str, spans))
    for zone in ("Europe/Zurich", "UTC", "+02:00", "America/St_Johns"):
        moments = pandas.DatetimeIndex(["2020-01-01 10:00", "2020-07-01 11:30:00.5"]).tz_localize("UTC").tz_convert(zone)
        assert states(pyarrow.array(moments))[1] == [str(moment) for moment in moments], zone


def test_frames_of_pandas_with_arrow_columns_keep_levels_and_values():
    kind = pandas.ArrowDtype(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))
    levels = pyarrow.DictionaryArray.from_arrays(pyarrow.array([2, 0], pyarrow.int8()), ["small", "large", "huge"])
    frame = pandas.DataFrame({"a": pandas.Series(pandas.arrays.ArrowExtensionArray(levels), dtype=kind)})
    assert kinfolk.read(frame).variables == {"a": ["small", "large", "huge"]}
    plain = pandas.DataFrame({"n": [1.5, None, 2.0], "s": ["x", "y", None], "b": [True, None, False]})
    arrow = plain.convert_dtypes(dtype_backend="pyarrow")
    assert all(isinstance(one, pandas.ArrowDtype) for one in arrow.dtypes)
    assert kinfolk.describe(arrow)["variables"] == kinfolk.describe(plain.convert_dtypes())["variables"]


def test_empty_streams_are_tables_without_rows():
    schema = pyarrow.schema({"a": pyarrow.string(), "b": pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), "c": pyarrow.null()})
    nothing = [schema.empty_table(), pyarrow.RecordBatchReader.from_batches(schema, [])]
    for one in nothing:
        with pytest.raises(kinfolk.DataError) as refused, pytest.warns(kinfolk.DataWarning, match="the Arrow stream of Stream has no rows"):
            kinfolk.read(Stream(one))
        with pytest.raises(kinfolk.DataError) as expected:
            kinfolk.read({"a": [], "b": [], "c": []})
        assert str(refused.value) == str(expected.value)
    network = kinfolk.fit({"a": ["x", "y"]}, "[a]")
    assert network.predict(schema.empty_table(), "a").tolist() == []
    empty = kinfolk.describe(pyarrow.table({"a": pyarrow.nulls(3), "b": ["x", "y", "y"]}))["variables"]
    assert [one["missing"] for one in empty] == [[3], [0]]


def test_streams_that_are_used_up_are_refused(stacked):
    table = pyarrow.Table.from_pandas(stacked)
    capsule = table.__arrow_c_stream__()

    class Again:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule

    assert len(kinfolk.read(Again()).variables) == 7
    for _ in range(2):
        with pytest.raises(kinfolk.DataError, match="the Arrow stream has already been consumed; create a new one"):
            kinfolk.read(Again())
    pair = table.to_batches()[0].__arrow_c_array__()

    class Pair:
        def __arrow_c_array__(self, requested_schema=None):
            return pair

    assert len(kinfolk.read(Pair()).variables) == 7
    with pytest.raises(kinfolk.DataError, match="the Arrow array has already been consumed"):
        kinfolk.read(Pair())


def test_streams_that_fail_say_why():
    def batches():
        yield pyarrow.record_batch({"a": ["x"]})
        raise RuntimeError("the disk is full of water")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"a": pyarrow.string()}), batches())
    with pytest.raises(kinfolk.DataError, match="the Arrow stream failed: (.|\n)*the disk is full of water"):
        kinfolk.read(reader)

    class Wrong:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.schema({"a": pyarrow.string()}).__arrow_c_schema__()

    with pytest.raises(kinfolk.DataError, match="__arrow_c_stream__ of Wrong does not return Arrow data .*PyCapsule"):
        kinfolk.read(Wrong())

    class Swapped:
        def __arrow_c_array__(self, requested_schema=None):
            return pyarrow.record_batch({"a": ["x"]}).__arrow_c_array__()[::-1]

    with pytest.raises(kinfolk.DataError, match="__arrow_c_array__ of Swapped does not return Arrow data"):
        kinfolk.read(Swapped())

    class Nothing:
        def __arrow_c_stream__(self, requested_schema=None):
            return 3

    with pytest.raises(kinfolk.DataError, match="__arrow_c_stream__ of Nothing does not return Arrow data"):
        kinfolk.read(Nothing())

    class Unwilling:
        __arrow_c_stream__ = None

    for one in (Unwilling(), polars.DataFrame):
        with pytest.raises(kinfolk.WrongTypeError, match="cannot take data from"):
            kinfolk.read(one)


def test_an_index_that_its_dictionary_does_not_have_is_refused():
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 5], pyarrow.int8()), ["x", "y"], safe=False)
    with pytest.raises(kinfolk.DataError, match="index"):
        kinfolk.read(Stream(pyarrow.table({"a": column})))


UNSUPPORTED = {
    "lists": pyarrow.array([[1], [2]]),
    "structs": pyarrow.array([{"x": 1}, {"x": 2}]),
    "maps": pyarrow.array([[("x", 1)], []], pyarrow.map_(pyarrow.string(), pyarrow.int8())),
    "intervals": pyarrow.array([(1, 2, 3), (4, 5, 6)], pyarrow.month_day_nano_interval()),
    "runs": pyarrow.RunEndEncodedArray.from_arrays([1, 2], ["x", "y"]),
    "bytes": pyarrow.array([b"\xff", b"x"]),
}


@pytest.mark.parametrize("kind", UNSUPPORTED)
def test_values_of_other_types_are_refused_with_their_column_unless_it_is_left_out(kind):
    table = Stream(pyarrow.table({"strange": UNSUPPORTED[kind], "b": ["x", "y"]}))
    with pytest.raises(kinfolk.DataError, match="column `strange`: its values cannot be read as states .*or leave it out with ignore"):
        kinfolk.read(table)
    assert kinfolk.read(table, ignore="strange").variables == {"b": ["x", "y"]}
    assert kinfolk.read(table, columns="b").variables == {"b": ["x", "y"]}
    network = kinfolk.fit({"b": ["x", "y"]}, "[b]")
    assert len(network.predict(table, "b")) == 2
    with pytest.raises(kinfolk.DataError, match="there is no column `c`"):
        kinfolk.read(table, columns="c")


def test_one_column_is_no_table():
    for column in (pyarrow.array(["x"]), polars.Series(["x"]), Stream(pyarrow.chunked_array([["x"]]))):
        with pytest.raises(kinfolk.WrongTypeError, match=f"{type(column).__name__} is one column without a name"):
            kinfolk.read(column)


def test_a_table_may_be_dropped_before_what_was_taken_from_it():
    import gc

    column = kinfolk._kinfolk.take_arrow(pyarrow.table({"a": ["first", "second"] * 1000}))
    gc.collect()
    (_, values), = column.columns()
    del column
    gc.collect()
    texts, codes, categorical = values.code()
    assert (texts, codes.tolist(), categorical) == (["first", "second"], [0, 1] * 1000, False)


def test_columns_are_wanted_by_the_names_that_they_will_have():
    """Names lose the spaces around them, and a column without a name gets one: in Arrow data as in frames and files."""
    ab, ba = ["a", "b"] * 10, ["b", "a"] * 10
    frame = pandas.DataFrame({" x ": ab, "y": ba})
    table = pyarrow.table({" x ": ab, "y": ba})
    network = kinfolk.learn(table).fit()
    assert network.predict(table, "y").tolist() == network.predict(frame, "y").tolist() == ba
    assert kinfolk.learn(polars.DataFrame(frame), columns=["x", "y"], missing="level").structure == "[x][y|x]"
    assert "x" not in kinfolk.read(table, ignore="x").variables
    sites = pyarrow.table({"x": ab, "site ": ba, " w": [2, 1] * 10})
    found = kinfolk.read(sites, groups="site", weights="w", columns=["x"])
    assert found.data_sets == {"a": 10, "b": 20}
    known = kinfolk.fit(sites, "[x]", groups="site", columns=["x"])
    assert proba(known, sites, "x", groups="site").tolist() == proba(known, sites.to_pandas(), "x", groups="site").tolist()
    nameless = pyarrow.table([pyarrow.array(ab), pyarrow.array(ba)], names=["", "y"])
    assert kinfolk.read(nameless, columns=["column 1", "y"]).variables == {"column 1": ["a", "b"], "y": ["a", "b"]}
    twice = {"x": ab, " x": ba}
    for one in (pandas.DataFrame(twice), polars.DataFrame(twice)):
        with pytest.raises(kinfolk.DataError, match="two columns .*`x`"):
            kinfolk.read(one)


def test_arrow_series_of_pandas_keep_their_labels():
    frame = pandas.DataFrame({"x": ["a", "b", "b", "a", "a", "b"], "y": ["u", "v", "v", "u", "v", "u"]})
    sites, counts = pandas.Series(["n", "n", "n", "s", "s", "s"]), pandas.Series([1, 2, 3, 4, 5, 6])
    order = [3, 0, 5, 1, 4, 2]
    expected = kinfolk.read(frame, sites, weights=counts).fingerprint
    arrow = sites.astype(pandas.ArrowDtype(pyarrow.string())).iloc[order]
    weights = counts.astype(pandas.ArrowDtype(pyarrow.int64())).iloc[order]
    assert kinfolk.read(frame, arrow, weights=weights).fingerprint == expected
    network = kinfolk.fit(frame, "[x][y|x]", groups=sites)
    assert (proba(network, frame, "y", arrow) == proba(network, frame, "y", sites)).all()


def test_a_reader_that_is_given_twice_is_read_once():
    table = pyarrow.table({"x": ["a", "b", "a", "b"]})
    reader = table.to_reader()
    assert kinfolk.read({"n": reader, "s": reader}).data_sets == {"n": 4, "s": 4}
    again = table.to_reader()
    assert kinfolk.read([again, again]).data_sets == {"1": 4, "2": 4}
    with pytest.warns(kinfolk.DataWarning, match="the Arrow stream of RecordBatchReader has no rows; if it has been read before, create a new one"):
        kinfolk.read({"n": table, "s": reader})


STRANGE = {
    "nulls": polars.Series([None] * 4),
    "lists": polars.Series([[], [], [], []]),
    "objects": polars.Series([object()] * 4, dtype=polars.Object),
    "wide": polars.Series([1, 2, 3, 4], dtype=polars.Int128),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_columns_of_polars_that_are_left_out_may_be_of_any_type(kind):
    frame = polars.DataFrame({"strange": STRANGE[kind], "y": ["a", "b"] * 2})
    for settings in ({"ignore": "strange"}, {"columns": "y"}):
        assert kinfolk.read(frame, **settings).variables == {"y": ["a", "b"]}
    network = kinfolk.fit({"y": ["a", "b"]}, "[y]")
    assert len(network.predict(frame, "y")) == 4
    if kind == "nulls":
        assert kinfolk.describe(frame)["variables"][0]["missing"] == [4]
    else:
        said = {"lists": "Arrow type .*List", "objects": "objects of Python", "wide": "Arrow type `_pli128`"}[kind]
        with pytest.raises(kinfolk.DataError, match=f"column `strange`: its values cannot be read as states .{said}.*or leave it out with ignore"):
            kinfolk.read(frame)


def test_what_is_to_be_predicted_may_have_no_values_and_no_type():
    network = kinfolk.fit({"x": ["a", "b"] * 10, "y": ["u", "v"] * 10}, "[x][y|x]")
    assert network.predict(polars.DataFrame({"x": ["a", "b"], "y": [None, None]}), "y").to_list() == ["u", "v"]


def test_metadata_that_are_no_texts_do_not_matter():
    field = pyarrow.field("a", pyarrow.string(), metadata={b"k": b"\x80\x04"})
    table = pyarrow.table([pyarrow.array(["x", "y"])], schema=pyarrow.schema([field], metadata={b"k": b"\xff"}))
    assert kinfolk.read(table).variables == {"a": ["x", "y"]}
    assert kinfolk.read({"b": Stream(table["a"])}).variables == {"b": ["x", "y"]}


def broken_texts(kind, offsets, width):
    buffers = [None, pyarrow.py_buffer(np.array(offsets, width).tobytes()), pyarrow.py_buffer(b"abcdefgh")]
    return pyarrow.Array.from_buffers(kind, len(offsets) - 1, buffers)


def broken_view():
    """A text of twenty bytes in a memory of eight, of which there is none."""
    view = np.array([20, 0, 3, 0], "i4").tobytes()
    return pyarrow.Array.from_buffers(pyarrow.string_view(), 1, [None, pyarrow.py_buffer(view), pyarrow.py_buffer(b"abcdefgh")])


BROKEN = {
    "descending": lambda: broken_texts(pyarrow.string(), [0, 5, 2], "i4"),
    "negative": lambda: broken_texts(pyarrow.binary(), [0, -3, 2], "i4"),
    "large": lambda: broken_texts(pyarrow.large_string(), [0, 2**40, 2], "i8"),
    "view": broken_view,
    "dictionary": lambda: pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1]), broken_texts(pyarrow.string(), [0, 5, 2], "i4")),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_texts_outside_of_their_memory_are_refused(kind):
    """In another process, which would end without a word."""
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import kinfolk, pyarrow, test_arrow\n"
        f"table = pyarrow.table({{'bad': test_arrow.BROKEN[{kind!r}]()}})\n"
        "try:\n    kinfolk.read(test_arrow.Stream(table))\n"
        "except kinfolk.DataError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("column `bad`: its values cannot be read as states (the Arrow data are broken"), done.stdout


def test_a_stream_that_python_makes_stops_on_ctrl_c():
    def batches():
        yield pyarrow.record_batch({"a": ["x"]})
        signal.raise_signal(signal.SIGINT)
        yield pyarrow.record_batch({"a": ["y"]})

    # Tests started in the background may ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            kinfolk.read(pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"a": pyarrow.string()}), batches()))
    finally:
        signal.signal(signal.SIGINT, before)


def test_bytes_that_are_truth_values_are_spelt_as_such():
    column = pyarrow.ExtensionArray.from_storage(pyarrow.bool8(), pyarrow.array([0, 1, 5, None], pyarrow.int8()))
    assert states(column) == (["False", "True", "(missing)"], ["False", "True", "True", "(missing)"])


def test_pieces_of_structs_are_those_of_their_rows():
    """Where the structs are a part of others, their fields are as long as those."""
    rows = pyarrow.array([{"a": "v", "b": 1}, {"a": "w", "b": 2}, None, {"a": "x", "b": None}, {"a": "y", "b": 5}]).slice(1, 3)
    data = kinfolk.describe(Batch(rows))["variables"]
    assert [(one["name"], one["missing"]) for one in data] == [("a", [1]), ("b", [2])]
    assert kinfolk.read(Batch(rows), columns="a", missing="level").variables == {"a": ["w", "x", "(missing)"]}


def test_names_that_are_no_text_are_read_as_well_as_may_be():
    """Some take names from files in other encodings as they are."""
    import ctypes

    from arrow_producer import Schema

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

    class Odd:
        def __init__(self, table, inner):
            self.table, self.inner = table, inner

        def __arrow_c_array__(self, requested_schema=None):
            schema, array = self.table.to_batches()[0].__arrow_c_array__()
            field = ctypes.cast(pointer(schema, b"arrow_schema"), ctypes.POINTER(Schema)).contents.children[0].contents
            field = field.children[0].contents if self.inner else field
            ctypes.memset(ctypes.cast(ctypes.addressof(field) + Schema.name.offset, ctypes.POINTER(ctypes.c_void_p))[0], 0xFF, 1)
            return schema, array

    table = pyarrow.table({"Xy": ["a", "b"], "o": ["u", "v"]})
    assert kinfolk.read(Odd(table, inner=False)).variables == {"\ufffdy": ["a", "b"], "o": ["u", "v"]}
    nested = pyarrow.table({"x": [{"Xy": 1}, {"Xy": 2}], "o": ["u", "v"]})
    assert kinfolk.read(Odd(nested, inner=True), ignore="x").variables == {"o": ["u", "v"]}
    with pytest.raises(kinfolk.DataError, match="column `x`: its values cannot be read as states"):
        kinfolk.read(Odd(nested, inner=True))
