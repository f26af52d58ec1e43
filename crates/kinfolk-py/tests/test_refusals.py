"""Error messages: they name settings by their Python keywords, never by command-line flags."""

import re

import numpy as np
import pandas
import pyarrow
import pytest

import kinfolk

FRAME = pandas.DataFrame({"age": np.arange(100) / 7, "sex": ["f", "m"] * 50, "site": ["a", "b"] * 50})
GAPS = {"n": [1, None] * 5, "m": ["x", "y"] * 5}
TWO = {"north": {"rain": ["yes", "no"] * 5, "wet": ["yes", "no"] * 5}, "south": {"rain": ["no", "yes"] * 5, "wet": ["yes", "no"] * 5}}

WIDE = {name: (np.arange(60_000) // step % 50).astype(str) for name, step in [("a", 1), ("b", 50), ("c", 7)]}


@pytest.fixture(scope="module")
def network():
    return kinfolk.fit(TWO, "[rain][wet|rain]")


MESSAGES = {
    "too many states": (lambda: kinfolk.read(FRAME, groups="site"), 'discretize={"age": "quantile:4"} or ignore=["age"]'),
    "also allowed": (lambda: kinfolk.read(FRAME), "or allow them with max_states or declare them with levels"),
    "missing": (lambda: kinfolk.read(GAPS), 'missing="drop-rows", make missing a state with missing="level", '),
    "missing, the rest": (lambda: kinfolk.read(GAPS), 'such as ignore=["n"]'),
    "a strange name": (lambda: kinfolk.read({"it's \"n\"": [1, None]}), 'such as ignore=["it\'s \\"n\\""]'),
    "nothing left": (lambda: kinfolk.read({"n": [None, 1], "m": [1, None]}, missing="drop-rows"), 'missing="drop-rows" leaves nothing'),
    "unknown group": (lambda: kinfolk.read(FRAME, groups="sit"), "groups: there is no column `sit` (did you mean `site`?)"),
    "unknown weight": (lambda: kinfolk.read(FRAME, weights="w"), "weights: there is no column `w`"),
    "missing group": (lambda: kinfolk.read({"g": ["a", None], "x": [1, 2]}, groups="g"), "but groups needs one in every row"),
    "two roles": (lambda: kinfolk.read(FRAME, groups="sex", weights="sex"), "given to both groups and weights"),
    "twice": (lambda: kinfolk.read(FRAME, columns=["sex"], ignore=["sex"]), "named by both columns and ignore"),
    "columns differ": (lambda: kinfolk.read([{"a": [1]}, {"b": [1]}], columns=["a", "b"]), "the files share no column"),
    "some differ": (lambda: kinfolk.read([{"a": [1], "c": [2]}, {"b": [1], "c": [1]}]), "shared ones with common_columns, choose with columns or ignore, or"),
    "rules": (lambda: kinfolk.read(FRAME, discretize="age=deciles:4"), "discretize `age=deciles:4`"),
    "no numbers": (lambda: kinfolk.read(FRAME, discretize={"sex": "quantile:2"}), "name it with na if it means missing"),
    "levels": (lambda: kinfolk.read(FRAME, levels={"sex": []}), "levels, column `sex`: the list of states is empty"),
    "not declared": (lambda: kinfolk.read(FRAME, levels={"sex": ["f"]}), "declare it with levels or drop the row"),
    "a delimiter": (lambda: kinfolk.read("x.csv", delimiter='"'), "delimiter must be one ASCII character"),
    "nothing at all": (lambda: kinfolk.read([]), "no data: give at least one table or file"),
    "unseen": (lambda: kinfolk.fit(TWO, "[rain][wet]").predict({"wet": ["maybe"]}, "rain"), 'as missing with unseen="missing"'),
    "one data set": (lambda: kinfolk.bootstrap(TWO["north"], by="data-sets"), 'resample rows (by="rows")'),
    "no replicate": (lambda: kinfolk.bootstrap(TWO, replicates=0), "200 is a common choice (replicates=200)"),
    "folds": (lambda: kinfolk.validate(TWO, folds=1), "folds takes a number from 2"),
    "schemes": (lambda: kinfolk.validate(TWO["north"], scheme="data-sets"), 'use scheme="folds"'),
    "grid": (lambda: kinfolk.learn(TWO, kin_grid=[]), "the grid of s (kin_grid) is empty"),
    "iss": (lambda: kinfolk.learn(TWO, score="bdeu", iss=-1), "(iss) must be a number"),
    "cells": (lambda: kinfolk.fit(TWO, "[rain][wet|rain]").query("rain", most_cells=1), "raise the limit (most_cells)"),
    "parents": (lambda: kinfolk.learn(TWO, whitelist=[("rain", "wet")], max_parents=0), "than max_parents allows"),
    "memory": (lambda: kinfolk.score(TWO, "[rain][wet|rain]", memory=0), "the limit is 0 MB; raise memory"),
    "memory of many parents": (lambda: kinfolk.score(WIDE, "[a][b][c|a:b]", memory=1), "raise memory or lower max_parents"),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_messages_name_keywords_and_no_options(case):
    call, words = MESSAGES[case]
    with pytest.raises(kinfolk.KinfolkError) as refused:
        call()
    assert words in str(refused.value), refused.value
    assert "--" not in str(refused.value)
    assert "command" not in str(refused.value)


def test_names_of_columns_are_left_as_they_are():
    with pytest.raises(kinfolk.StructureError, match="no column `--group`"):
        kinfolk.learn(TWO, blacklist=[("--group", "wet")])


WRONG = {
    "max_parents": ("two", "a whole number of at least 0 or None, not 'two'"),
    "max_steps": (-1, "a whole number of at least 0 or None, not -1"),
    "seed": (-3, "a whole number of at least 0, not -3"),
    "restarts": (1.5, "a whole number of at least 0 or None, not 1.5"),
    "threads": (True, "a whole number of at least 0, not True"),
    "s": ("much", "a number or None, not 'much'"),
    "time_limit": ([1], "a number or None, not [1]"),
    "pooled_half": ("yes", "True or False or None, not 'yes'"),
    "score": (3, "a text or None, not 3"),
    "kin_grid": (10, "a list of numbers or None, not 10"),
    "blacklist": ("AB", "pairs of columns such as [('A', 'B')]"),
    "whitelist": ([("A", "B", "C")], "pairs of columns such as [('A', 'B')]"),
    "tiers": (5, "a list of lists of columns, not 5"),
    "start": (5, "a modelstring such as '[A][B|A]'"),
    "missing": (None, "a text, not None"),
    "max_states": (0, "a whole number of at least 1, not 0"),
    "levels": ([1], "a mapping from columns or None, not [1]"),
    "discretize": (4, "a rule such as 'age=quantile:4'"),
    "progress": ("yes", "True, False, None or a callable"),
    "memory": (2**80, "a whole number up to 18446744073709551615"),
}


@pytest.mark.parametrize("setting", WRONG)
def test_settings_of_wrong_types_say_what_they_take(setting):
    given, words = WRONG[setting]
    impossible = type(given) is int and setting not in ("score", "kin_grid", "tiers", "start", "discretize")
    with pytest.raises(kinfolk.SettingsError if impossible else kinfolk.WrongTypeError) as refused:
        kinfolk.learn(TWO, **{setting: given})
    assert str(refused.value).startswith(f"{setting} takes "), refused.value
    assert words in str(refused.value)
    assert isinstance(refused.value, TypeError) != impossible and isinstance(refused.value, kinfolk.KinfolkError)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda network: network.tables("ZZ"), "the network has no variable `ZZ`; its variables are `rain`, `wet`"),
        (lambda network: network.table("ZZ"), "no variable `ZZ`"),
        (lambda network: network.table("rain", "east"), "no data set `east`; there are `north`, `south`, `pooled`, `new`"),
        (lambda network: network.table("rain", ["north"]), "data_set takes the name of a data set or None, not ['north']"),
        (lambda network: network.pooling("ZZ"), "no variable `ZZ`"),
        (lambda network: network.parents(["rain"]), "node takes the name of a column"),
        (lambda network: network.predict(TWO, "ZZ"), "no variable `ZZ`"),
        (lambda network: network.predict(3, "rain"), "cannot take data from int"),
        (lambda network: network.query(3), "no variable `3`"),
        (lambda network: network.query("rain", evidence=["wet"]), "evidence takes a mapping from columns"),
        (lambda network: network.sample(-1), "rows takes a whole number of at least 0, not -1"),
        (lambda network: network.sample(2, seed="x"), "seed takes a whole number"),
        (lambda network: network.sample(2, "east"), "no data set `east`"),
        (lambda network: network.to_format("pdf"), "format cannot be `pdf`"),
        (lambda network: kinfolk.simulate(nodes=-1, arcs=0, rows=[1]), "nodes takes a whole number of at least 0, not -1"),
        (lambda network: kinfolk.simulate(nodes=2, arcs=1, rows=5), "rows takes a list of whole numbers, not 5"),
        (lambda network: kinfolk.fit(TWO, 7), "structure takes a modelstring"),
        (lambda network: kinfolk.fit(TWO, "[rain][wet]", method=3), "method takes a text or None, not 3"),
        (lambda network: kinfolk.validate(TWO, folds=-2), "folds takes a whole number of at least 0, not -2"),
        (lambda network: kinfolk.validate(TWO, target="ZZ"), "target: there is no column `ZZ`"),
        (lambda network: kinfolk.bootstrap(TWO, replicates="many"), "replicates takes a whole number"),
        (lambda network: kinfolk.explain(TWO, left_out=-1), "left_out takes a whole number"),
        (lambda network: kinfolk.read(TWO["north"], groups={"a": 1}), "groups takes the name of a column or one value per row"),
        (lambda network: kinfolk.read(np.zeros((3, 2)), names=["a"]), "there are 1 names for 2 columns"),
    ],
)
def test_wrong_arguments_say_what_there_is(network, call, words):
    with pytest.raises(kinfolk.KinfolkError) as refused:
        call(network)
    assert words in str(refused.value), refused.value


def test_unknown_names_come_with_a_suggestion():
    for wrong, right in (("max_parent", "max_parents"), ("group", "groups"), ("random_state", "seed"), ("n_jobs", "threads")):
        with pytest.raises(TypeError, match=rf"learn\(\) got an unexpected keyword argument '{wrong}'; did you mean '{right}'\?"):
            kinfolk.learn(TWO, **{wrong: 1})
    with pytest.raises(TypeError, match="; its settings are data, groups, score, "):
        kinfolk.learn(TWO, zzzzzz=1)


def test_values_that_are_no_states_are_refused_with_their_column(tmp_path):
    with pytest.raises(kinfolk.DataError, match="column `a`: its values cannot be read as states"):
        kinfolk.read(pyarrow.table({"a": [[1], [2]], "b": ["x", "y"]}))
    network = kinfolk.fit({"a": ["x", "y"]}, "[a]")
    missing = tmp_path / "nowhere" / "network.json"
    with pytest.raises(FileNotFoundError, match=re.escape(str(missing))):
        network.save(missing)


@pytest.mark.parametrize(
    "call",
    [
        lambda: kinfolk.bootstrap(TWO, replicates=0),
        lambda: kinfolk.bootstrap(TWO, replicates=2_000_000),
        lambda: kinfolk.bootstrap(TWO, replicates=-1),
        lambda: kinfolk.bootstrap(TWO["north"], by="data-sets"),
        lambda: kinfolk.learn(TWO, memory=0),
        lambda: kinfolk.explain(TWO, memory=0),
        lambda: kinfolk.score(TWO, "[rain][wet|rain]", memory=0),
        lambda: kinfolk.fit(TWO, "[rain][wet|rain]", memory=0),
        lambda: kinfolk.validate(TWO, folds=1),
        lambda: kinfolk.learn(TWO, max_steps=-1),
        lambda: kinfolk.read(TWO, max_states=0),
    ],
)
def test_settings_of_the_right_type_that_are_impossible_are_settings_errors(call):
    with pytest.raises(kinfolk.SettingsError) as refused:
        call()
    assert "-R" not in str(refused.value) and "--" not in str(refused.value)


def test_one_value_that_is_no_number_is_named_where_it_keeps_a_column_from_being_cut():
    numbers = [*np.arange(100) / 7, float("inf")]
    with pytest.raises(kinfolk.DataError, match="column `n` has 101: `inf` among them is not a number, .*name it with na if it means missing, or ignore"):
        kinfolk.read({"n": numbers}, discretize="all=quantile:4")
    assert len(kinfolk.read({"n": numbers}, discretize="all=quantile:4", na=["inf"], missing="level").variables["n"]) == 5
    with pytest.raises(kinfolk.DataError) as refused:
        kinfolk.read({"n": [f"t{number}" for number in range(100)]}, discretize="all=quantile:4")
    assert "among them" not in str(refused.value)


def test_halves_of_characters_are_refused_with_their_column(network):
    for values in (["x\ud800", "y"], np.array(["x\ud800", "y"]), np.array(["x\ud800", 1], dtype=object)):
        with pytest.raises(kinfolk.DataError, match=r"column `a`: 'x\\ud800' has a lone surrogate"):
            kinfolk.read({"a": values})
    with pytest.raises(kinfolk.DataError, match=r"the name of the column 'a\\ud800' has a lone surrogate"):
        kinfolk.read({"a\ud800": ["x", "y"]})
    with pytest.raises(kinfolk.SettingsError, match="na takes valid Unicode texts"):
        kinfolk.read({"a": ["x", "y"]}, na=["\ud800"])
    with pytest.raises(kinfolk.SettingsError, match="evidence takes valid Unicode texts"):
        network.query("rain", {"wet": "\ud800"})


def test_files_of_other_formats_are_named_with_their_readers(tmp_path):
    frame = pandas.DataFrame({"a": ["x", "y"]})
    frame.to_parquet(tmp_path / "p.parquet")
    frame.to_feather(tmp_path / "f.feather")
    for name, reader in (("p.parquet", "pandas.read_parquet"), ("f.feather", "pandas.read_feather")):
        with pytest.raises(kinfolk.DataError, match=f"{name} is an? .* file, .* read it first, with {reader}"):
            kinfolk.learn(str(tmp_path / name))
        with pytest.raises(kinfolk.DataError, match=reader):
            kinfolk.read({"a": tmp_path / name})
    with pytest.raises(kinfolk.DataError, match="nowhere.parquet"):
        kinfolk.read(tmp_path / "nowhere.parquet")


def test_what_is_no_network_says_who_writes_them(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(kinfolk.NetworkError, match=r"the save of what kinfolk.fit gives, or kinfolk.learn\(…\).fit\(\), writes them"):
        kinfolk.load(tmp_path / "x.json")
    with pytest.raises(kinfolk.StructureError, match="^truth: "):
        kinfolk.compare("[A][B|A]", "[A][C]")


def test_weights_that_are_all_zero_are_refused():
    with pytest.raises(kinfolk.DataError, match="weights: column `w` is 0 in every row"):
        kinfolk.read({"a": ["x", "y"], "w": [0, 0]}, weights="w")
    assert kinfolk.read({"a": ["x", "y"], "w": [0, 2]}, weights="w").data_sets == {"data": 2}
