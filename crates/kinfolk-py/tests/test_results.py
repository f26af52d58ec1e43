"""Results: frames, notebooks, files, pickles, errors."""

import copy
import html
import json
import os
import pickle
import re
import subprocess

import networkx
import numpy as np
import pandas
import polars
import pytest

import kinfolk


def proba(network, *rows, **options):
    """Predicted probabilities as an array."""
    return np.asarray(network.predict_proba(*rows, **options))


@pytest.fixture(scope="module")
def learned(frames):
    return kinfolk.learn(frames, score="bhd")


@pytest.fixture(scope="module")
def network(learned):
    return learned.fit()


def test_arcs_carry_their_evidence(learned):
    arcs, evidence = learned.arcs, learned.evidence
    assert list(arcs.columns) == ["from", "to", "gain", "mark"]
    assert arcs["gain"].is_monotonic_decreasing and list(evidence.index) == list(zip(arcs["from"], arcs["to"]))
    assert list(evidence.columns) == ["s1", "s2", "s3"]
    assert np.allclose(evidence.sum(axis=1).to_numpy(), arcs["gain"].to_numpy())
    assert learned.terms == "score"
    # Every step of a plain climb gains; the default search reverses arcs in several steps, of which single ones may lose.
    assert kinfolk.learn(learned.data, score="bhd", search="climb").steps["gain"].min() > 0


def test_arcs_have_the_marks_of_the_command(tmp_path):
    """A v-structure with a weak arc, and a strong and a weak reversible arc."""
    random = np.random.default_rng(1)
    columns = {name: random.integers(0, 2, 300) for name in "adefgh"}
    columns["b"] = np.where(random.random(300) < 0.9, columns["a"], 1 - columns["a"])
    columns["c"] = (columns["d"] ^ columns["e"] ^ (random.random(300) < 0.1)).astype(int)
    pandas.DataFrame(columns).to_csv(tmp_path / "p.csv", index=False)
    structure = "[a][b|a][c|d:e:h][d][e][f][g|f][h]"
    search = ["--start", structure, "--max-steps", "0", "--search", "climb"]
    command = [os.environ["KINFOLK"], "learn", str(tmp_path / "p.csv"), *search]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [re.match(r" *(\w)  +(\w)  +(-?[\d.]+)(?:  +(.*\S))? *$", line) for line in printed.splitlines()]
    rows = [(line[1], line[2], line[3], line[4] or "") for line in lines if line]
    arcs = kinfolk.learn(str(tmp_path / "p.csv"), start=structure, max_steps=0, search="climb").arcs
    assert rows == [(one["from"], one["to"], f"{one['gain']:.3f}", one["mark"]) for one in arcs.to_dict("records")]
    assert {row[3] for row in rows} == {"", "weak", "reversible", "weak, reversible"}


@pytest.mark.parametrize("score", ["kin", "bic"])
def test_scores_that_are_no_sum_have_the_evidence_of_the_explanation(learned, score):
    found = kinfolk.learn(learned.data, score=score)
    assert found.score_by_data_set is None
    assert found.terms == "given-others"
    assert found.evidence.equals(found.explain().evidence)
    assert list(found.evidence.index) == list(zip(found.arcs["from"], found.arcs["to"]))
    assert list(found.evidence.columns) == ["s1", "s2", "s3"]


def test_explanations_have_frames(learned):
    explanation = learned.explain(left_out=4)
    assert explanation.structure == learned.structure
    assert explanation.score == pytest.approx(learned.score)
    assert np.allclose(explanation.evidence, learned.evidence)
    assert len(explanation.left_out) == 4
    assert explanation.arcs["present"].tolist() == [True] * len(learned.arcs) + [False] * 4
    assert list(explanation.graphs.index) == ["explained", "pooled", "separate", "hierarchical"]
    assert explanation.choice in ("pool", "relate", "separate") and explanation.verdict
    assert sorted(explanation.data_sets.index) == ["s1", "s2", "s3"]
    assert explanation.halted is None
    assert explanation._repr_html_().count("<table") == 4
    assert explanation._repr_html_().count("background:rgb(") == explanation.evidence.size
    assert kinfolk.explain(learned.data, structure="[V01][V02][V03][V04][V05][V06]", rivals=False, left_out=0).evidence.empty


def test_bootstraps_have_frames(learned):
    sure = learned.bootstrap(8, leave_one_out=True)
    assert sure.stop == "complete"
    assert sure.learned == learned.structure
    assert sure.arcs["strength"].is_monotonic_decreasing
    assert (sure.arcs["averaged"] <= (sure.arcs["strength"] >= sure.threshold)).all()
    assert list(sure.leave_one_out.index) == ["s1", "s2", "s3"]
    assert learned.bootstrap(2).document["leave_one_out"] is not None
    assert learned.bootstrap(2, leave_one_out=False).leave_one_out is None
    assert "<table" in sure._repr_html_()
    assert kinfolk.fit(learned.data, sure).structure == sure.structure
    with pytest.raises(kinfolk.SettingsError, match="at least one replicate"):
        learned.bootstrap(0)
    with pytest.raises(kinfolk.SettingsError, match="by cannot be `columns`"):
        learned.bootstrap(2, by="columns")


def test_scores_add_up(learned):
    scored = kinfolk.score(learned.data, learned, score="bhd")
    assert scored.score == pytest.approx(learned.score)
    assert scored.nodes["score"].sum() == pytest.approx(learned.score)
    assert sum(scored.score_by_data_set.values()) == pytest.approx(learned.score)


def test_tables_are_distributions_in_one_frame(network):
    tables = network.tables("V01")
    assert tables.index.names == ["data set", *network.parents("V01")]
    assert np.allclose(tables.sum(axis=1), 1)
    assert tables.xs("s2")["a"].tolist() == network.table("V01", "s2")[..., 0].ravel().tolist()


def test_networks_are_saved_and_loaded_to_the_bit(network, tmp_path):
    file = tmp_path / "network.json"
    network.save(file)
    assert kinfolk.load(file) == network
    assert [entry.name for entry in tmp_path.iterdir()] == ["network.json"]


def test_everything_can_be_pickled_and_copied(learned, network, frames):
    weighed = kinfolk.read({"a": ["x", "y", "x"], "n": [2, 0, 5]}, weights="n")
    binned = kinfolk.read({"north": {"n": np.arange(30) / 7}, "south": {"n": np.arange(9)}}, discretize="n=quantile:3")
    with pytest.warns(kinfolk.DataWarning):
        gaps = kinfolk.read({"a": ["x", None, "y"]}, missing="drop-rows")
    for again in (lambda thing: pickle.loads(pickle.dumps(thing)), copy.copy, copy.deepcopy):
        assert again(network) == network
        for data in (learned.data, weighed, binned, gaps):
            copied = again(data)
            assert copied.fingerprint == data.fingerprint
            assert copied.description == data.description
            assert (copied.variables, copied.data_sets, copied.notes) == (data.variables, data.data_sets, data.notes)
        found = again(learned)
        assert found.document == learned.document
        assert found.evidence.equals(learned.evidence)
        assert found.fit() == network
        for result in (learned.explain(rivals=False), learned.bootstrap(2), kinfolk.score(learned.data, learned)):
            assert again(result).document == result.document
    assert kinfolk.learn(again(weighed)).document == kinfolk.learn(weighed).document


def test_what_the_search_found_is_in_the_file_and_on_the_page(learned, network, tmp_path):
    file = tmp_path / "network.json"
    network.save(file)
    kept = json.loads(file.read_text())
    assert kept["arcs"] == learned.document["arcs"]
    assert kept["steps"] == learned.document["steps"]
    assert kept["settings"]["tables"] == {"method": "hierarchical", "s": 1.0, "alpha0": 1.0}
    learned.report(tmp_path / "page.html", "Clinics & more")
    page = (tmp_path / "page.html").read_text()
    assert "<title>Clinics &amp; more</title>" in page or "<title>Clinics &#38; more</title>" in page
    assert network.to_svg().startswith("<svg")


@pytest.mark.parametrize("score", ["bhd", "kin"])
def test_the_page_of_what_was_learned_has_the_verdict_and_how_sure_the_arcs_are(frames, tmp_path, score):
    learned = kinfolk.learn(frames, score=score)
    verdict = learned.explain(rivals=False).verdict
    sure = kinfolk.bootstrap(frames, replicates=5, score=score)
    learned.report(tmp_path / "page.html", figures=tmp_path, bootstrap=sure)
    page = (tmp_path / "page.html").read_text()
    assert verdict.split(".")[0] in html.unescape(page)
    shown = json.loads(page.partition('id="report">')[2].partition("</script>")[0])
    assert shown["bootstrap"]["replicates"] == 5 and all(arc["strength"] is not None for arc in shown["arcs"])
    assert (tmp_path / "evidence.svg").exists()
    learned.report(tmp_path / "plain.html", explain="none")
    assert verdict.split(".")[0] not in html.unescape((tmp_path / "plain.html").read_text())
    other = kinfolk.bootstrap({name: rows.iloc[1:] for name, rows in frames.items()}, replicates=2, score="bhd", by="rows")
    with pytest.raises(kinfolk.NetworkError, match="made from other data"):
        learned.report(tmp_path / "other.html", bootstrap=other)
    assert not (tmp_path / "other.html").exists()
    with pytest.raises(kinfolk.SettingsError, match='"brief", "full" or "none"'):
        learned.report(tmp_path / "other.html", explain="long")
    with pytest.raises(TypeError, match="need the data"):
        kinfolk.report(learned.fit(), tmp_path / "other.html", explain="brief")


@pytest.mark.parametrize("ending", ["bif", "xmlbif", "xdsl", "net", "dsc", "graphml"])
def test_other_formats_are_read_back(network, tmp_path, ending):
    file = tmp_path / f"network.{ending}"
    network.save(file, "s1")
    again = kinfolk.load(file, "s1")
    assert networkx.utils.graphs_equal(*(structure(n) for n in (again, network)))
    for node in network.variables:
        order = [again.parents(node).index(parent) for parent in network.parents(node)]
        assert (again.table(node, "s1").transpose([*order, len(order)]) == network.table(node, "s1")).all()


def pairs(arcs):
    return list(zip(arcs["from"], arcs["to"]))


def structure(network):
    graph = networkx.DiGraph()
    graph.add_nodes_from(sorted(network.variables))
    graph.add_edges_from(sorted(pairs(network.arcs)))
    return graph


def test_questions(network):
    joint = network.query(["V01", "V02"], joint=True)
    assert joint.index.names == ["V01", "V02"]
    assert np.allclose(joint.sum(), 1)
    explained = network.query(mpe=True, evidence={"V01": "a"}, data_set=["s1", "new"])
    assert list(explained.columns) == ["s1", "new"]
    assert "V01" not in explained.index
    with pytest.raises(kinfolk.NetworkError, match="has no state `z`"):
        network.query("V01", {"V02": "z"})
    with pytest.raises(ValueError, match="nothing to compute"):
        network.query()


def test_log_likelihoods_follow_from_the_tables(network, frames):
    row = frames["s1"].iloc[[0]]
    logs = network.log_likelihood(row, data_set="s1")
    states = row.iloc[0]
    product = 1.0
    for node in network.variables:
        place = tuple(network.variables[name].index(states[name]) for name in [*network.parents(node), node])
        product *= network.table(node, "s1")[place]
    assert logs == pytest.approx(np.log(product))
    assert len(network.log_likelihood(frames)) == 600


def test_rows_of_unknown_data_sets_are_predicted_as_new(network, frames):
    rows = frames["s1"].drop(columns="V01")
    new = proba(network, rows, "V01", data_set="new")
    assert (proba(network, rows, "V01") == new).all()
    assert (proba(network, rows, "V01", groups=["elsewhere"] * len(rows)) == new).all()
    assert set(network.predict(rows, "V01", groups=["s1"] * len(rows))) <= set(network.variables["V01"])


def test_data_that_were_read_are_predicted(network, frames, learned):
    rows = kinfolk.read(frames)
    apart = [proba(network, frame, "V01", data_set=name) for name, frame in frames.items()]
    assert (proba(network, rows, "V01") == np.concatenate(apart)).all()
    assert (network.predict(rows, "V01") == np.concatenate([network.predict(f, "V01", data_set=n) for n, f in frames.items()])).all()
    assert network.evaluate(rows, "V01") == network.evaluate(frames, "V01")
    assert (network.log_likelihood(rows) == network.log_likelihood(frames)).all()
    assert (proba(network, rows, "V01", data_set="new") == proba(network, frames, "V01", data_set="new")).all()
    with pytest.raises(TypeError, match="groups has no effect"):
        network.predict(rows, "V01", groups="V02")


def test_data_that_were_read_keep_their_weights_bins_and_gaps():
    table = {"x": [1.5, 2.5, 3.5, 4.5] * 5, "y": ["a", "b"] * 10, "n": [1, 2, 3, 4] * 5}
    data = kinfolk.read(table, weights="n", discretize="x=cuts:3")
    network = kinfolk.fit(data, "[x][y|x]")
    assert network.evaluate(data, "y") == network.evaluate(table, "y", weights="n")
    assert network.evaluate(data, "y")["n"] == 50
    gaps = {"x": [1.5, None, 3.5], "y": ["a", "b", "a"]}
    as_states = kinfolk.read(gaps, missing="level", discretize="x=cuts:3")
    assert (proba(network, as_states, "y") == proba(network, gaps, "y")).all()


def test_impossible_rows_are_not_predicted_as_on_the_command_line(command, tmp_path):
    rows = {"a": ["x", "x", "y", "y"], "b": ["1", "1", "2", "2"], "c": ["1", "1", "2", "2"]}
    network = kinfolk.fit(rows, "[a][b|a][c|a]", method="mle")
    new = {"b": ["1", "1"], "c": ["1", "2"]}
    assert network.predict(new, "a").tolist() == ["x", None]
    assert np.isnan(proba(network, new, "a")).tolist() == [[False, False], [True, True]]
    assert network.log_likelihood(new).tolist() == [pytest.approx(np.log(0.5)), -np.inf]
    network.save(tmp_path / "network.json")
    (tmp_path / "new.csv").write_text("b,c\n1,1\n1,2\n")
    theirs = command("predict", tmp_path / "network.json", tmp_path / "new.csv", "--target", "a")["rows"]
    assert [row["probabilities"] is None for row in theirs] == [False, True]
    assert network.predict({"b": [1]}, "b").tolist() == ["1"]


def test_names_that_mean_something_else_are_kept_apart():
    rows = {"pooled": {"data set": ["x", "y"] * 10, "b": ["x", "y"] * 10}, "o": {"data set": ["x", "y"] * 10, "b": ["x", "x"] * 10}}
    network = kinfolk.fit(rows, "[data set][b|data set]")
    assert network.relatives == ["pooled", "o", "new"]
    tables = network.tables("b")
    assert tables.index.names == ["data set_", "data set"]
    assert tables.shape == (6, 2)
    assert network.tables("data set").index.names == ["data set"]
    assert tables.loc[("o", "y"), "x"] == network.table("b", "o")[1, 0]
    assert kinfolk.read(rows).notes[0].startswith("a data set is called `pooled`: `data_set=\"pooled\"` selects it")


def test_structures_of_graphs_keep_every_name():
    names = ["a[1]", "b|c", "d:e", "f\\g"]
    graph = networkx.DiGraph([(names[0], names[1]), (names[2], names[1])])
    graph.add_node(names[3])
    rows = {name: np.random.default_rng(index).integers(0, 2, 50) for index, name in enumerate(names)}
    network = kinfolk.fit(rows, graph)
    assert sorted(pairs(network.arcs)) == sorted(graph.edges)
    assert kinfolk.score(rows, network.to_networkx()).structure == network.structure


def test_bootstraps_are_continued(learned, tmp_path):
    file = tmp_path / "kept.jsonl"
    whole = learned.bootstrap(12)
    some = learned.bootstrap(5, resume=file)
    assert some.document["replicates"] == 5
    lines = file.read_text().splitlines()
    assert len(lines) == 1 + 5 + 1 + 3
    # A line that was cut off is done again, and only it.
    file.write_text("\n".join(lines)[:-10])
    done = []
    more = learned.bootstrap(12, resume=file, progress=lambda moves, score, done_now, of: done.append((done_now, of)))
    assert more.document == whole.document
    assert all(of == 16 and now >= 8 for now, of in done if of)
    assert len(file.read_text().splitlines()) == 1 + 16
    before = file.read_bytes()
    assert learned.bootstrap(12, resume=str(file)).document == whole.document
    assert file.read_bytes() == before
    with pytest.raises(kinfolk.DataError, match='belongs to another bootstrap: its by is "half-rows", not "data-sets"'):
        learned.bootstrap(12, by="data-sets", resume=file)
    with pytest.raises(kinfolk.DataError, match="its seed is 0, not 3"):
        kinfolk.bootstrap(learned.data, score="bhd", seed=3, resume=file)
    other = tmp_path / "notes.txt"
    other.write_text("my notes\n")
    with pytest.raises(kinfolk.DataError, match="does not hold finished searches of a bootstrap"):
        learned.bootstrap(2, resume=other)
    assert (file.read_bytes(), other.read_text()) == (before, "my notes\n")


def test_a_resume_file_serves_one_run_at_a_time_and_is_only_appended_to(learned, tmp_path):
    file = tmp_path / "kept.jsonl"
    learned.bootstrap(3, resume=file)
    begun = file.read_bytes()
    refused = []

    def second_run(*_):
        if not refused:
            with pytest.raises(kinfolk.DataError, match="another run is using it") as refusal:
                learned.bootstrap(3, resume=file)
            refused.append(refusal)

    learned.bootstrap(40, resume=file, progress=second_run)
    assert refused
    assert file.read_bytes().startswith(begun)
    lines = file.read_text().splitlines()
    assert len(lines) == len(set(lines)) == 1 + 40 + 1 + 3


def test_bootstraps_with_kin_are_warned_of(learned):
    with pytest.warns(UserWarning, match="kin overstates the evidence of repeated rows"):
        kinfolk.bootstrap(learned.data, score="kin", by="rows", replicates=1)


def test_samples_are_the_same_for_the_same_seed(network):
    frames = network.sample(50, seed=1)
    assert list(frames) == ["s1", "s2", "s3"]
    assert network.sample(50, "s2", seed=1).equals(frames["s2"])
    assert not network.sample(50, "s2", seed=2).equals(frames["s2"])
    assert list(network.sample({"new": 3, "pooled": 2}, seed=1)["new"].columns) == list(network.variables)


def test_what_was_simulated_is_found_again():
    made = kinfolk.simulate(nodes=5, arcs=5, rows=[2000] * 3, seed=1, s=10)
    again = kinfolk.simulate(nodes=5, arcs=5, rows=[2000] * 3, seed=1, s=10)
    assert all(made.frames[name].equals(again.frames[name]) for name in made.frames)
    learned = kinfolk.learn(made.frames, restarts=5, perturb=3)
    assert kinfolk.compare(learned, made.network)["shd"]["skeleton"] <= 1
    altered = kinfolk.simulate(nodes=5, arcs=5, rows=[10] * 3, altered=1, removed=1.0, seed=1)
    assert "[V1][V2][V3][V4][V5]" in altered.structures.values()


def test_validation_has_frames(frames):
    validation = kinfolk.validate(frames, structure="[V01][V02|V01][V03][V04][V05][V06]", folds=2)
    assert list(validation.methods.index) == ["hierarchical", "pooled", "separate"]
    assert list(validation.differences.index) == ["pooled", "separate"]
    assert "<table" in validation._repr_html_()


def test_notebooks_get_the_drawing_and_the_tables(learned, network):
    shown = learned._repr_html_()
    assert learned.to_svg() in shown
    # The arcs by decreasing gain, then the evidence by data set in the colours of the page, on its paper.
    against, paper, favour = kinfolk._kinfolk.evidence_colours()
    assert f'<div style="background:{paper};overflow:auto"><svg' in shown
    assert shown.count("<tr>") == 2 * (1 + len(learned.arcs))
    gains = [float(gain) for gain in re.findall(r"<td>([-\d.]+)</td><td>[a-z, ]*</td></tr>", shown)]
    assert gains == sorted(gains, reverse=True) and len(gains) == len(learned.arcs)
    strongest = "rgb({},{},{})".format(*bytes.fromhex((favour if abs(learned.evidence).max().max() == learned.evidence.max().max() else against)[1:]))
    assert shown.count("background:rgb(") == learned.evidence.size and strongest in shown
    shown = network._repr_html_()
    assert network.to_svg() in shown
    assert shown.count("<table>") == shown.count("<details>") == len(network.variables)
    rows = sum(len(network.tables(node)) for node in network.variables)
    assert shown.count("<tr>") + sum(map(int, re.findall(r"(\d+) more rows", shown))) == rows + len(network.variables)
    assert f"{network.table('V06', 's2')[0]:.3f}" in shown


def test_what_notebooks_get_is_escaped():
    evil = "<script>alert('x')</script>"
    rows = {evil: [evil, "y"] * 40, "b": [evil, "y"] * 39 + ["y", evil], "c & d": ["x", "y"] * 40}
    learned = kinfolk.learn({f"1{evil}": rows, f"2{evil}": rows})
    assert len(learned.arcs) >= 1
    with pytest.warns(UserWarning, match="evidence of repeated rows"):
        explained, sure = learned.explain(), learned.bootstrap(3, by="rows")
    validated = kinfolk.validate(learned.data, folds=2)
    scored = kinfolk.score(learned.data, learned, score="bhd")
    for result in (learned, learned.fit(), explained, sure, validated, scored):
        shown = result._repr_html_()
        assert "<script" not in shown and "& d" not in shown, result
    for result in (learned, learned.fit(), explained, scored):
        assert "&lt;script&gt;" in result._repr_html_() or "&#60;script&#62;" in result._repr_html_()


def test_drawing(learned, network):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert len(learned.plot().texts) >= 6
    assert len(network.plot().texts) >= 6
    matplotlib.pyplot.close("all")


def test_plots_have_the_routes_of_the_drawing(frames):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.patches import FancyBboxPatch

    def ends_of(patch):
        return tuple(patch.get_label().replace(" – ", " → ").split(" → "))

    # V1 and V3 are in the same column of the layout: a straight arc would cross V2, which is between them.
    chain = kinfolk.simulate(nodes=3, arcs=3, rows=[50, 50], seed=1).network
    for shown in (chain, kinfolk.learn(frames)):
        ax = shown.plot()
        # An arc that the data do not direct has a dash and no arrowhead.
        arcs = [patch for patch in ax.patches if any(sign in str(patch.get_label()) for sign in (" → ", " – "))]
        boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
        assert sorted(ends_of(patch) for patch in arcs) == sorted(pairs(shown.arcs))
        names = [text.get_text() for text in ax.texts]
        assert len(boxes) == len(names)
        for arc in arcs:
            ends = ends_of(arc)
            points = arc.get_path().to_polygons(closed_only=False)[0] if len(arc.get_path()) > 2 else arc.get_path().vertices
            for name, box in zip(names, boxes):
                if name not in ends:
                    x, y, w, h = box.get_x(), box.get_y(), box.get_width(), box.get_height()
                    inside = (points[:, 0] > x) & (points[:, 0] < x + w) & (points[:, 1] > y) & (points[:, 1] < y + h)
                    assert not inside.any(), (arc.get_label(), name)
    _, axes = matplotlib.pyplot.subplots(1, 2)
    assert chain.plot(axes[1], node_color="red", arc_color="blue", font_size=7) is axes[1]
    assert [text.get_fontsize() for text in axes[1].texts] == [7.0] * 3
    assert {matplotlib.colors.to_hex(patch.get_facecolor()) for patch in axes[1].patches if isinstance(patch, FancyBboxPatch)} == {"#ff0000"}
    with pytest.raises(TypeError, match="unexpected keyword argument 'node_colour'; did you mean 'node_color'"):
        chain.plot(node_colour="red")
    matplotlib.pyplot.close("all")


def test_graphs_are_asked_for_families_and_equivalence(frames):
    text = "[V01][V02|V01][V03|V01:V04][V04][V05|V03][V06]"
    scored = kinfolk.score(frames, text)
    network = kinfolk.fit(frames, text)
    for one in (scored, network):
        assert one.parents("V03") == ["V01", "V04"] and one.children("V01") == ["V02", "V03"] and one.children("V06") == []
        assert one.markov_blanket("V01") == ["V02", "V03", "V04"] and one.markov_blanket("V06") == []
        cpdag = one.cpdag()
        directed, undirected = cpdag[cpdag["directed"]], cpdag[~cpdag["directed"]]
        assert sorted(pairs(directed)) == [("V01", "V03"), ("V03", "V05"), ("V04", "V03")]
        assert [set(pair) for pair in pairs(undirected)] == [{"V01", "V02"}]
        with pytest.raises(kinfolk.NetworkError, match="V7"):
            one.children("V7")
    learned = kinfolk.learn(frames)
    assert all(learned.parents(node) == learned.fit().parents(node) for node in learned.fit().variables)


def test_arcs_are_structures(frames):
    learned = kinfolk.learn(frames)
    network = learned.fit()
    arcs = network.arcs
    assert arcs.columns.tolist() == ["from", "to"]
    for given in (learned.arcs, arcs, pairs(arcs), polars.from_pandas(arcs), learned.explain(rivals=False).arcs):
        assert kinfolk.fit(frames, given).structure == network.structure
        assert kinfolk.score(frames, given).score == kinfolk.score(frames, learned).score
    assert kinfolk.fit(frames, [("V01", "V02")]).structure == "[V01][V03][V04][V05][V06][V02|V01]"
    again = kinfolk.learn(frames, start=learned.arcs, max_steps=0)
    assert again.structure == learned.structure
    strengths = kinfolk.bootstrap(frames, replicates=5, leave_one_out=False)
    assert kinfolk.fit(frames, strengths.arcs).structure == kinfolk.fit(frames, strengths).structure
    assert kinfolk.validate(frames, structure=arcs, folds=2).document == kinfolk.validate(frames, structure=learned, folds=2).document
    assert kinfolk.compare(learned.arcs, learned)["shd"]["dag"] == 0
    with pytest.raises(kinfolk.WrongTypeError, match="structure takes a structure with directed arcs only"):
        kinfolk.fit(frames, kinfolk.score(frames, "[V01][V02|V01][V03][V04][V05][V06]").cpdag())
    with pytest.raises(kinfolk.WrongTypeError, match="a modelstring such as .*, a networkx graph or arcs"):
        kinfolk.fit(frames, 7)


def test_learned_networks_are_validated_with_their_settings(frames):
    learned = kinfolk.learn(frames, score="bhd", s=3, max_parents=2, seed=2)
    assert learned.validate(folds=2).document == kinfolk.validate(frames, score="bhd", s=3, max_parents=2, seed=2, folds=2).document


def test_structures_come_from_anything_that_has_one(learned, network):
    graph = network.to_networkx()
    expected = kinfolk.score(learned.data, learned.structure).score
    assert kinfolk.score(learned.data, graph).score == expected
    # A network brings the score with which it was learned.
    assert kinfolk.score(learned.data, network).score == pytest.approx(learned.score, rel=1e-12)
    assert kinfolk.score(learned.data, network, score="kin").score == expected


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        ("SettingsError", "s belongs to score bhd", {"score": "bdeu", "s": 1}),
        ("SettingsError", "iss belongs to score bdeu", {"iss": 1}),
        ("SettingsError", "score cannot be `bde`", {"score": "bde"}),
        ("SettingsError", "set the same quantity", {"s": 1, "s_total": 2}),
        ("SettingsError", "time_limit takes", {"time_limit": -1}),
        ("StructureError", "there is no column `Z`", {"blacklist": [("Z", "V01")]}),
        ("StructureError", "start", {"start": "[V01"}),
        ("DataError", "missing|there is no column", {"ignore": ["nothing"]}),
    ],
)
def test_refusals(frames, error, message, call):
    with pytest.raises(getattr(kinfolk, error), match=message):
        kinfolk.learn(frames, **call)


def test_targets_are_named_once_and_a_joint_distribution_needs_some(network):
    with pytest.raises(ValueError, match="'V01' is given twice"):
        network.query(["V01", "V01"], joint=True)
    with pytest.raises(ValueError, match="needs targets"):
        network.query(joint=True, evidence={"V01": "a"})


def test_no_rows_have_no_predictions_whoever_they_belong_to(frames):
    network = kinfolk.fit(frames, kinfolk.learn(frames, max_steps=3))
    nothing = frames["s1"][:0].assign(site="")
    for groups in (None, "site", nothing["site"].to_numpy(), []):
        assert network.predict(nothing, "V01", groups).shape == (0,)
        assert proba(network, nothing, "V01", groups).shape == (0, len(network.variables["V01"]))
        assert network.log_likelihood(nothing, groups).shape == (0,)
        assert network.evaluate(nothing, "V01", groups) is None


def test_predictions_say_what_they_are_made_of(recwarn):
    rows = {"north": {"rain": ["yes", "no"] * 5, "wet": ["yes", "no"] * 5}, "south": {"rain": ["no", "yes"] * 5, "wet": ["yes", "no"] * 5}}
    network = kinfolk.fit(rows, "[rain][wet|rain]")
    network.predict({"wet": ["yes"], "site": ["north"]}, "rain", groups="site")
    network.predict({"wet": ["yes"]}, "rain", data_set="new")
    assert not recwarn.list
    with pytest.warns(kinfolk.DataWarning, match="not in the network: 'west'; predicted from the tables for an unseen data set") as warned:
        network.predict({"wet": ["yes"], "site": ["west"]}, "rain", groups="site")
    assert warned[0].filename == __file__
    with pytest.warns(kinfolk.DataWarning, match="1 value that the network does not have as a state, treated as missing"):
        network.evaluate({"wet": ["maybe"], "rain": ["yes"]}, "rain", unseen="missing")


def test_the_group_column_is_remembered(stacked, recwarn):
    learned = kinfolk.learn(stacked, groups="clinic")
    network = learned.fit()
    rows = stacked.drop(columns="V01")
    with_groups = proba(network, rows, "V01", groups="clinic")
    assert (proba(network, rows, "V01") == with_groups).all()
    assert (network.log_likelihood(rows) == network.log_likelihood(rows, groups="clinic")).all()
    assert network.evaluate(stacked, "V01") == network.evaluate(stacked, "V01", groups="clinic")
    assert (proba(network, rows, "V01", data_set="s2") == proba(network, rows.drop(columns="clinic"), "V01", data_set="s2")).all()
    assert not (proba(network, rows, "V01", data_set="s2") == with_groups).all()
    assert not recwarn.list


def test_probabilities_are_labelled_as_the_rows_are(stacked):
    network = kinfolk.learn(stacked, groups="clinic").fit()
    rows = stacked.drop(columns="V01").sample(frac=0.1, random_state=1)
    frame = network.predict_proba(rows, "V01")
    assert isinstance(frame, pandas.DataFrame) and frame.columns.tolist() == network.variables["V01"] and frame.index.equals(rows.index)
    assert frame.idxmax(axis=1).tolist() == network.predict(rows, "V01").tolist()
    for table in (polars.from_pandas(rows), polars.from_pandas(rows).lazy()):
        other = network.predict_proba(table, "V01")
        assert isinstance(other, polars.DataFrame) and other.columns == network.variables["V01"]
        assert (other.to_numpy() == frame.to_numpy()).all()
    plain = network.predict_proba(rows.to_dict("list"), "V01")
    assert plain.index.tolist() == list(range(len(rows))) and (plain.to_numpy() == frame.to_numpy()).all()
    frame.iloc[0, 0] = 0.5


def test_forgotten_groups_are_warned_of(stacked, frames, tmp_path):
    network = kinfolk.learn(stacked, groups="clinic").fit()
    rows = stacked.drop(columns="clinic")
    forgotten = r"groups is not given; the network was learned with groups='clinic': .* an unseen data set; give groups, or data_set \("
    new = proba(network, rows, "V01", data_set="new")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    for table in (rows, polars.from_pandas(rows), rows.to_dict("list"), str(tmp_path / "rows.csv")):
        with pytest.warns(kinfolk.DataWarning, match=forgotten) as warned:
            assert (proba(network, table, "V01") == new).all()
        assert warned[0].filename == __file__
    for ask in (lambda: network.log_likelihood(rows), lambda: network.evaluate(rows, "V01")):
        with pytest.warns(kinfolk.DataWarning, match=forgotten):
            ask()
    of_frames = kinfolk.learn(frames).fit()
    with pytest.warns(kinfolk.DataWarning, match="groups is not given: every row is predicted"):
        of_frames.predict(rows, "V01")
    with pytest.warns(kinfolk.DataWarning, match="not in the network: 'west'"):
        of_frames.predict({"west": rows}, "V01")


def assert_same_tables(one, other):
    assert one.structure == other.structure and one.relatives == other.relatives
    for node in one.variables:
        for relative in one.relatives:
            assert (one.table(node, relative) == other.table(node, relative)).all(), (node, relative)


def test_tables_belong_to_the_score(frames):
    learned = kinfolk.learn(frames)
    assert_same_tables(kinfolk.fit(frames, learned.structure), learned.fit())
    assert_same_tables(kinfolk.fit(frames, learned.structure), kinfolk.fit(frames, learned.structure, method="kin"))
    assert kinfolk.fit(frames, learned.structure).pooling("V01")["kin"] is not None
    with_prior = kinfolk.learn(frames, s=5, alpha0=2)
    assert_same_tables(kinfolk.fit(frames, with_prior.structure, s=5, alpha0=2), with_prior.fit())
    assert kinfolk.fit(frames, with_prior.structure, s=5).settings["method"] == "hierarchical"
    assert_same_tables(kinfolk.fit(learned.data, with_prior), with_prior.fit())
    coarse = kinfolk.learn(frames, kin_grid=[1, 5, 25])
    assert_same_tables(kinfolk.fit(frames, coarse), coarse.fit())
    assert_same_tables(kinfolk.fit(frames, coarse, s=3), kinfolk.fit(frames, coarse.structure, s=3))
    assert_same_tables(kinfolk.fit(frames, kinfolk.learn(frames, score="bic")), kinfolk.fit(frames, kinfolk.learn(frames, score="bic").structure, s=1))


def test_bootstraps_of_what_was_learned_take_other_settings(frames):
    learned = kinfolk.learn(frames, kin_grid=[1, 5, 25], max_parents=1, structure_prior="uniform")
    ours = learned.bootstrap(4, score="bhd", seed=3)
    theirs = kinfolk.bootstrap(frames, replicates=4, score="bhd", seed=3, max_parents=1, structure_prior="uniform")
    assert ours.document == theirs.document
    assert learned.bootstrap(2, s=5).document["settings"]["s"] == 5
    with pytest.raises(kinfolk.SettingsError, match="iss belongs to"):
        learned.bootstrap(2, iss=5)
    with pytest.raises(TypeError, match=r"bootstrap\(\) got an unexpected keyword argument 'scor'; did you mean 'score'"):
        learned.bootstrap(2, scor="bhd")


def test_a_data_set_called_pooled_does_not_take_the_place_of_the_pooled_tables():
    north, south = {"rain": ["yes"] * 9 + ["no"]}, {"rain": ["yes"] + ["no"] * 9}
    plain = kinfolk.fit({"north": north, "south": south}, "[rain]")
    network = kinfolk.fit({"pooled": north, "south": south}, "[rain]")
    assert network.table("rain").tolist() == plain.table("rain", "pooled").tolist()
    assert network.table("rain", "pooled").tolist() == plain.table("rain", "north").tolist() != network.table("rain").tolist()
    assert network.to_bif().split("{", 1)[1] == plain.to_bif("pooled").split("{", 1)[1]
    assert network.to_bif("pooled").split("{", 1)[1] == plain.to_bif("north").split("{", 1)[1]
    assert network.to_networkx().nodes["rain"]["table"].tolist() == plain.table("rain").tolist()
    assert network.to_pgmpy().get_cpds("rain").get_values().ravel().tolist() == plain.table("rain").tolist()


def test_data_and_made_up_data_show_themselves(frames):
    data = kinfolk.read({"a < b": frames["s1"], "c": frames["s2"]})
    shown = data._repr_html_()
    assert "Data(2 data sets, 450 rows, 6 variables)" in shown and "<td>a &lt; b</td><td>250</td>" in shown
    assert all(f"<td>{name}</td><td>{', '.join(states)}</td>" in shown for name, states in data.variables.items())
    made = kinfolk.simulate(nodes=3, arcs=2, rows=[20, 20], seed=1)
    assert made._repr_html_() == made.network._repr_html_() and "<svg" in made._repr_html_()
    paper = kinfolk.example()
    assert "<svg" in paper._repr_html_() and paper.structure in paper._repr_html_()
