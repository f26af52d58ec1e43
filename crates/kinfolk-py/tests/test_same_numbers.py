"""The same numbers as the command line, to the bit."""

import numpy as np
import pytest

import kinfolk


def proba(network, *rows, **options):
    """Predicted probabilities as an array."""
    return np.asarray(network.predict_proba(*rows, **options))

STRUCTURE = "[V02][V06][V03|V06][V04|V02:V06][V01|V02:V03][V05|V03:V04]"
FOUND = ("structure", "score_name", "score", "by_data_set", "data_sets", "variables", "arcs", "start", "steps", "restarts", "stop")


def same(ours, theirs, keys):
    for key in keys:
        assert ours[key] == theirs[key], key


@pytest.mark.parametrize("score", ["bhd", "kin", "bdeu", "bdeu-separate", "bic", "aic", "k2", "bds", "bdj"])
def test_learning(command, paths, frames, score):
    theirs = command("learn", *paths, "--score", score)
    same(kinfolk.learn(frames, score=score).document, theirs, FOUND)


def shape(document):
    """The keys of a document, and those of its settings."""
    return sorted(document), sorted(document["settings"])


def test_documents_have_the_keys_of_the_command_line(command, paths, frames):
    assert shape(kinfolk.learn(frames).document) == shape(command("learn", *paths, "--method", "none"))
    assert shape(kinfolk.learn(frames, score="bhd").document) == shape(command("learn", *paths, "--score", "bhd", "--method", "none"))
    assert shape(kinfolk.score(frames, STRUCTURE).document) == shape(command("score", *paths, "--structure", STRUCTURE))
    assert shape(kinfolk.explain(frames).document) == shape(command("explain", *paths))
    assert shape(kinfolk.bootstrap(frames, replicates=2).document) == shape(command("bootstrap", *paths, "-R", 2))
    flags = ["--folds", 2, "--structure", STRUCTURE]
    assert shape(kinfolk.validate(frames, folds=2, structure=STRUCTURE).document) == shape(command("validate", *paths, *flags))
    assert shape(kinfolk.validate(frames, folds=2, s=3).document) == shape(command("validate", *paths, "--folds", 2, "--s", 3))
    of_files = kinfolk.learn(paths, max_parents=2).document
    assert of_files == command("learn", *paths, "--method", "none", "--max-parents", 2)


def test_learning_with_everything(command, paths, stacked, tmp_path):
    (tmp_path / "never.csv").write_text("from,to\nV06,V02\n")
    (tmp_path / "must.csv").write_text("from,to\nV01,V02\n")
    (tmp_path / "order.txt").write_text("V06\nV03,V04\n")
    options = ["--tabu", 4, "--escapes", 5, "--restarts", 3, "--perturb", 2, "--seed", 7]
    options += ["--max-parents", 2, "--s-total", 2, "--s0", 3]
    files = ["--blacklist", tmp_path / "never.csv", "--whitelist", tmp_path / "must.csv", "--tiers", tmp_path / "order.txt"]
    theirs = command("learn", *paths, *options, *files)
    ours = kinfolk.learn(
        stacked,
        groups="clinic",
        tabu=4,
        escapes=5,
        restarts=3,
        perturb=2,
        seed=7,
        max_parents=2,
        s_total=2,
        s0=3,
        blacklist=[("V06", "V02")],
        whitelist=[("V01", "V02")],
        tiers=[["V06"], ["V03", "V04"]],
    )
    same(ours.document, theirs, FOUND)


def test_scoring(command, paths, frames):
    theirs = command("score", *paths, "--structure", STRUCTURE, "--prior", "paper")
    ours = kinfolk.score(frames, STRUCTURE, prior="paper").document
    same(ours, theirs, ("score_name", "total", "by_data_set", "structure", "nodes"))


@pytest.mark.parametrize(("method", "options"), [("hierarchical", {"s": 5}), ("kin", {}), ("bayes", {"iss": 3}), ("mle", {})])
def test_tables(command, paths, frames, method, options):
    flags = [part for key, value in options.items() for part in (f"--{key}", value)]
    theirs = command("fit", *paths, "--structure", STRUCTURE, "--method", method, *flags)
    network = kinfolk.fit(frames, STRUCTURE, method=method, **options)
    for node in theirs["nodes"]:
        name = node["node"]
        wide = (-1, len(node["states"]))
        assert network.parents(name) == node["parents"]
        for data_set, table in {**node["tables"], "pooled": node["pooled"], "new": node["new"]}.items():
            assert network.table(name, data_set).reshape(wide).tolist() == table
        if method == "hierarchical":
            pooling = network.pooling(name)
            assert pooling["tau"] == node["tau"]
            assert pooling["kappa"].reshape(wide).tolist() == node["kappa"]
            assert pooling["shrinkage"] == node["shrinkage"]


def test_a_network_file_of_the_command_line_is_what_fit_gives(command, paths, frames, tmp_path):
    file = tmp_path / "network.json"
    command("learn", *paths, "--out", file)
    theirs = kinfolk.load(file)
    ours = kinfolk.learn(frames).fit()
    assert ours.structure == theirs.structure
    assert ours.provenance["data_hash"] == theirs.provenance["data_hash"]
    for node in ours.variables:
        for relative in ours.relatives:
            assert (ours.table(node, relative) == theirs.table(node, relative)).all()


def test_questions_and_predictions(command, paths, frames, tmp_path):
    file = tmp_path / "network.json"
    command("learn", *paths, "--out", file)
    network = kinfolk.load(file)
    theirs = command("query", file, "--target", "V01", "--evidence", "V05=a")
    ours = network.query("V01", {"V05": "a"})
    for name, states in theirs["data_sets"].items():
        assert ours[name].tolist() == list(states.values())
    theirs = command("predict", file, *paths, "--target", "V01")
    for name in frames:
        rows = [list(row["probabilities"].values()) for row in theirs["rows"] if row["data_set"] == name]
        assert proba(network, frames[name], "V01", data_set=name).tolist() == rows
    metrics = network.evaluate(frames, "V01")
    assert metrics == theirs["metrics"]


def test_validation(command, paths, frames):
    theirs = command("validate", *paths, "--structure", STRUCTURE, "--folds", 3, "--seed", 2)
    ours = kinfolk.validate(frames, structure=STRUCTURE, folds=3, seed=2)
    same(ours.document, theirs, ("methods", "differences", "structures", "folds_done", "stop"))


def test_kin_with_everything(command, paths, frames):
    flags = ["--score", "kin", "--kin-grid", "1,5,25", "--no-pooled-half", "--kin-cells", "joint", "--structure-prior", "uniform"]
    theirs = command("learn", *paths, *flags)
    ours = kinfolk.learn(frames, score="kin", kin_grid=[1, 5, 25], pooled_half=False, kin_cells="joint", structure_prior="uniform")
    same(ours.document, theirs, FOUND)
    network = ours.fit()
    for node in theirs["nodes"]:
        assert network.table(node["node"], "s1").reshape(-1, len(node["states"])).tolist() == node["tables"]["s1"]


def test_made_up_rows(command, tmp_path):
    folder = tmp_path / "made"
    flags = ["--states", "2,3", "--rows", "40,30", "--scenario", "b", "--altered", 1, "--removed", 2, "--seed", 5]
    command("simulate", "--nodes", 5, "--arcs", 6, *flags, "--out", folder)
    made = kinfolk.simulate(nodes=5, arcs=6, states=[2, 3], rows=[40, 30], altered=1, removed=2, seed=5)
    truth = kinfolk.load(folder / "truth.json")
    for name, frame in made.frames.items():
        assert frame.astype(str).to_csv(index=False) == (folder / f"{name}.csv").read_text()
        for node in truth.variables:
            assert (made.network.table(node, name) == truth.table(node, name)).all()


def test_comparison(command):
    assert kinfolk.compare(STRUCTURE, "[V01][V02][V03][V04][V05][V06|V01]") == command(
        "compare", STRUCTURE, "[V01][V02][V03][V04][V05][V06|V01]"
    )


EXPLAINED = ("structure", "score_name", "score", "terms", "arcs", "pooling", "data_sets", "absence", "halted", "stop")


@pytest.mark.parametrize("score", ["bhd", "kin", "bdeu", "bdeu-separate", "bic"])
def test_explanations(command, paths, frames, score):
    theirs = command("explain", *paths, "--score", score)
    same(kinfolk.explain(frames, score=score).document, theirs, EXPLAINED)


def test_explanations_of_a_given_structure(command, paths, frames):
    theirs = command("explain", *paths, "--structure", STRUCTURE, "--left-out", 3, "--no-rivals", "--s", 4)
    ours = kinfolk.explain(frames, structure=STRUCTURE, left_out=3, rivals=False, s=4)
    same(ours.document, theirs, EXPLAINED)
    learned = kinfolk.learn(frames, s=4)
    theirs = command("explain", *paths, "--structure", learned.structure, "--s", 4)
    same(learned.explain().document, theirs, EXPLAINED)


SURE = (
    *("arcs", "threshold", "averaged", "replicates", "replicates_asked", "stop", "by", "seed", "directions", "skipped", "learned"),
    "leave_one_out",
)


@pytest.mark.parametrize(("score", "method"), [("kin", "exact"), ("kin", "mcmc"), ("bdeu", "exact")])
def test_posteriors(command, paths, frames, score, method):
    flags = ["--query", "V01 ~> V05", "--query", "mb(V03)", "--structure", STRUCTURE, "--seed", 3]
    theirs = command("posterior", *paths, "--score", score, "--method", method, *flags)
    asked = ["V01 ~> V05", "mb(V03)"]
    ours = kinfolk.posterior(frames, score=score, method=method, query=asked, structure=STRUCTURE, seed=3)
    assert shape(ours.document) == shape(theirs)
    same(ours.document, theirs, [key for key in theirs if key != "settings"])
    assert (ours.caution is None) == (score == "kin")
    again = kinfolk.learn(frames, score=score, seed=3).posterior(method=method, query=asked)
    assert again.document["arcs"] == ours.document["arcs"]
    # A result as the structure brings its score.
    taken = kinfolk.posterior(frames, method=method, query=asked, structure=kinfolk.learn(frames, score=score), seed=3)
    assert taken.document["arcs"] == ours.document["arcs"]
    assert taken.document["settings"]["score_name"] == score


@pytest.mark.filterwarnings("ignore:kin overstates the evidence")
@pytest.mark.parametrize(("score", "by"), [("bhd", "rows"), ("bhd", "data-sets"), ("kin", "rows"), ("kin", "half-rows"), ("bic", "rows")])
def test_bootstraps(command, paths, frames, score, by):
    theirs = command("bootstrap", *paths, "--score", score, "-R", 12, "--by", by, "--seed", 3, "--leave-one-out")
    ours = kinfolk.bootstrap(frames, score=score, replicates=12, by=by, seed=3, leave_one_out=True)
    same(ours.document, theirs, SURE)
    again = kinfolk.learn(frames, score=score, seed=3).bootstrap(12, by=by)
    assert again.document == ours.document


@pytest.mark.parametrize("score", ["bhd", "kin", "bic"])
def test_pages_and_figures_of_a_network_are_the_same_bytes(command, paths, tmp_path, score):
    file = tmp_path / "network.json"
    command("learn", *paths, "--score", score, "--out", file)
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    command("report", "--network", file, "--title", "Clinics", "--out", tmp_path / "theirs.html", "--figures", theirs)
    network = kinfolk.load(file)
    kinfolk.report(network, tmp_path / "ours.html", title="Clinics", figures=ours)
    assert (tmp_path / "ours.html").read_bytes() == (tmp_path / "theirs.html").read_bytes()
    # The command line paints its drawings too.
    names = {path.name for path in theirs.iterdir() if path.suffix == ".svg"}
    assert names == {path.name for path in ours.iterdir()} == {"network.svg"} | ({"evidence.svg"} if score == "bhd" else set())
    for name in names:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes()


def test_drawings_of_what_was_learned_are_those_of_the_report(command, paths, frames, tmp_path):
    command("report", *paths, "--explain", "none", "--out", tmp_path / "page.html", "--figures", tmp_path)
    assert kinfolk.learn(frames).to_svg() == (tmp_path / "network.svg").read_text()


def test_the_example_of_the_paper(command):
    theirs = command("demo")
    paper = kinfolk.example()
    learned = kinfolk.learn(paper.frames, prior="paper")
    same(learned.document, theirs["learned"], ("structure", "score", "by_data_set", "arcs", "steps", "stop"))
    assert paper.structure == theirs["true_network"] == learned.structure
    assert paper.printed.to_numpy().tolist() == [row["printed"] for row in theirs["table"]]
    assert [tuple(step) for step in learned.steps[["from", "to"]].to_numpy()] == paper.steps
