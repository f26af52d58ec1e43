"""Other programs read files of kinfolk, and kinfolk reads theirs, with the same probabilities."""

import json
import warnings

import networkx
import pyagrum
import pydot
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pgmpy.readwrite import (
        BIFReader,
        BIFWriter,
        NETReader,
        NETWriter,
        XDSLReader,
        XDSLWriter,
        XMLBIFReader,
        XMLBIFWriter,
    )

PGMPY = {
    "bif": (BIFReader, BIFWriter),
    "net": (NETReader, NETWriter),
    "xdsl": (XDSLReader, XDSLWriter),
    "xmlbif": (XMLBIFReader, XMLBIFWriter),
}
TWO_PARENTS = "[V02][V06][V03|V06][V04|V02:V06][V01|V02:V03][V05|V03:V04]"
ONE_PARENT = "[V02][V06][V03|V06][V04|V02][V01|V03][V05|V03]"

# pyAgrum 3.3.1 takes the first parent as the fastest in XDSL and UAI, against GeNIe's and the competitions' rule (and against
# its own DSL), so only nodes with one parent can be compared there. pgmpy 1.1.2 takes the child as the slowest in UAI, which is
# wrong for every node with a parent.
ONE_PARENT_ONLY = {"xdsl", "uai"}


@pytest.fixture
def clinics_network(kinfolk, clinics, tmp_path):
    """Fits a structure to the example and returns the path of the file."""

    def fit(structure):
        file = tmp_path / "network.json"
        kinfolk("fit", *clinics, "--structure", structure, "--out", file)
        return file

    return fit


@pytest.fixture
def odd_network(kinfolk, tmp_path):
    """A network with names that most formats do not allow."""
    rows = [
        ("the <script>", "1st; drop", "größe 木"),
        ("yes, sir", "node", "<5"),
        ("no \"way\"", "2", "≥5"),
        ("yes, sir", "2", "≥5"),
        ("no \"way\"", "node", "<5"),
        ("yes, sir", "node", "≥5"),
        ("yes, sir", "0.5", "≥5"),
    ]
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    (tmp_path / "odd.csv").write_text("\n".join(lines) + "\n")
    file = tmp_path / "odd.json"
    structure = "[the <script>][1st; drop|the <script>][größe 木|1st; drop:the <script>]"
    kinfolk("fit", tmp_path / "odd.csv", "--structure", structure, "--out", file)
    return file


def probabilities(file, data_set):
    """(node, state, {parent: state}) -> probability, from kinfolk's own file."""
    found = {}
    for node in json.loads(file.read_text())["nodes"]:
        table = node[data_set] if data_set in ("pooled", "new") else node["tables"][data_set]
        for configuration, row in zip(node["configurations"], table):
            given = frozenset(zip(node["parents"], configuration))
            found.update({(node["node"], state, given): p for state, p in zip(node["states"], row)})
    return found


def renamed(expected, renamings):
    """The same with the names of the file."""
    variables = {r["from"]: r["to"] for r in renamings if r["kind"] == "variable"}
    states = {(r["variable"], r["from"]): r["to"] for r in renamings if r["kind"] == "state"}

    def pair(variable, state):
        return variables.get(variable, variable), states.get((variable, state), state)

    return {
        (*pair(node, state), frozenset(pair(*one) for one in given)): p for (node, state, given), p in expected.items()
    }


def from_pgmpy(model):
    found = {}
    for cpd in model.get_cpds():
        names = cpd.state_names
        for state in names[cpd.variable]:
            for given in assignments([(parent, names[parent]) for parent in cpd.variables[1:]]):
                p = cpd.get_value(**{cpd.variable: state}, **dict(given))
                found[cpd.variable, state, frozenset(given)] = p
    return found


def from_pyagrum(bn):
    found = {}
    for name in bn.names():
        table = bn.cpt(name)
        parents = [parent for parent in table.names if parent != name]
        for state in bn.variable(name).labels():
            for given in assignments([(parent, bn.variable(parent).labels()) for parent in parents]):
                found[name, state, frozenset(given)] = table[{name: state, **dict(given)}]
    return found


def assignments(variables):
    if not variables:
        return [()]
    (name, states), *rest = variables
    return [((name, state), *others) for state in states for others in assignments(rest)]


def assert_same(found, expected, tolerance=1e-6):
    assert found.keys() == expected.keys()
    for key, p in expected.items():
        assert found[key] == pytest.approx(p, abs=tolerance), key


def converted(kinfolk, network, file, to, *arguments):
    """Writes a network in another format and returns the renamings."""
    return kinfolk.json("convert", network, "--to", to, "--out", file, *arguments)["renamed"]


@pytest.mark.parametrize("to", PGMPY)
def test_pgmpy_reads_what_kinfolk_writes(kinfolk, clinics_network, tmp_path, to):
    network = clinics_network(TWO_PARENTS)
    for data_set in ("s1", "pooled", "new"):
        file = tmp_path / f"out.{to}"
        assert converted(kinfolk, network, file, to, "--data-set", data_set) == []
        assert_same(from_pgmpy(PGMPY[to][0](str(file)).get_model()), probabilities(network, data_set))


@pytest.mark.parametrize("to", PGMPY)
def test_pgmpy_reads_odd_names_under_their_safe_ones(kinfolk, odd_network, tmp_path, to):
    file = tmp_path / f"out.{to}"
    renamings = converted(kinfolk, odd_network, file, to)
    expected = renamed(probabilities(odd_network, "odd"), renamings)
    assert_same(from_pgmpy(PGMPY[to][0](str(file)).get_model()), expected)


@pytest.mark.parametrize("to, extension", [("bif", "bif"), ("net", "net"), ("xmlbif", "bifxml"), ("xdsl", "xdsl")])
def test_pyagrum_reads_what_kinfolk_writes(kinfolk, clinics_network, tmp_path, to, extension):
    network = clinics_network(ONE_PARENT if to in ONE_PARENT_ONLY else TWO_PARENTS)
    for data_set in ("s1", "pooled", "new"):
        file = tmp_path / f"out.{extension}"
        assert converted(kinfolk, network, file, to, "--data-set", data_set) == []
        assert_same(from_pyagrum(pyagrum.loadBN(str(file))), probabilities(network, data_set))


@pytest.mark.parametrize("to, extension", [("bif", "bif"), ("net", "net"), ("xmlbif", "bifxml")])
def test_pyagrum_reads_odd_names_under_their_safe_ones(kinfolk, odd_network, tmp_path, to, extension):
    file = tmp_path / f"out.{extension}"
    renamings = converted(kinfolk, odd_network, file, to)
    expected = renamed(probabilities(odd_network, "odd"), renamings)
    assert_same(from_pyagrum(pyagrum.loadBN(str(file))), expected)


def test_pyagrum_reads_uai_by_position(kinfolk, clinics_network, tmp_path):
    network = clinics_network(ONE_PARENT)
    file = tmp_path / "out.uai"
    renamings = converted(kinfolk, network, file, "uai", "--data-set", "s2")
    expected = renamed(probabilities(network, "s2"), renamings)
    found = from_pyagrum(pyagrum.loadBN(str(file)))
    # pyAgrum calls the variables 0, 1 …, kinfolk X0, X1 ….
    found = {(f"X{v}", s, frozenset((f"X{p}", t) for p, t in given)): x for (v, s, given), x in found.items()}
    assert_same(found, expected)


@pytest.mark.parametrize("to", PGMPY)
def test_kinfolk_reads_what_pgmpy_writes(kinfolk, clinics_network, tmp_path, to):
    network = clinics_network(TWO_PARENTS)
    converted(kinfolk, network, tmp_path / "in.bif", "bif", "--data-set", "s3")
    model = BIFReader(str(tmp_path / "in.bif")).get_model()
    file = tmp_path / f"theirs.{to}"
    PGMPY[to][1](model).write(str(file))
    kinfolk("convert", file, "--out", tmp_path / "back.json")
    assert_same(probabilities(tmp_path / "back.json", "theirs"), probabilities(network, "s3"))


@pytest.mark.parametrize("extension", ["bif", "net", "bifxml", "xdsl"])
def test_kinfolk_reads_what_pyagrum_writes(kinfolk, clinics_network, tmp_path, extension):
    network = clinics_network(ONE_PARENT if extension in ONE_PARENT_ONLY else TWO_PARENTS)
    converted(kinfolk, network, tmp_path / "in.bif", "bif", "--data-set", "s3")
    bn = pyagrum.loadBN(str(tmp_path / "in.bif"))
    file = tmp_path / f"theirs.{extension}"
    pyagrum.saveBN(bn, str(file))
    kinfolk("convert", file, "--out", tmp_path / "back.json")
    # pyAgrum writes six digits in the formats of XML.
    assert_same(probabilities(tmp_path / "back.json", "theirs"), probabilities(network, "s3"), tolerance=2e-6)


def test_networkx_and_pydot_read_the_graphs(kinfolk, odd_network, tmp_path):
    names = {"the <script>", "1st; drop", "größe 木"}
    kinfolk("convert", odd_network, "--out", tmp_path / "out.graphml")
    graph = networkx.read_graphml(tmp_path / "out.graphml")
    named = networkx.relabel_nodes(graph, dict(graph.nodes(data="name")))
    arcs = {("the <script>", "1st; drop"), ("the <script>", "größe 木"), ("1st; drop", "größe 木")}
    assert (set(named.nodes), set(named.edges)) == (names, arcs)
    (graph,) = pydot.graph_from_dot_data(kinfolk("convert", odd_network, "--to", "dot"))
    plain = {(edge.get_source().strip('"'), edge.get_destination().strip('"')) for edge in graph.get_edges()}
    assert plain == arcs


def test_kinfolk_reads_the_graphs_of_networkx(kinfolk, tmp_path):
    graph = networkx.DiGraph([("a", "b b"), ("b b", "c")])
    networkx.write_graphml(graph, tmp_path / "g.graphml")
    assert kinfolk("convert", tmp_path / "g.graphml", "--to", "modelstring") == "[a][b b|a][c|b b]\n"
