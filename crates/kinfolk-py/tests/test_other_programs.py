"""Networks in other programs answer as ours do."""

import numpy as np
import pytest

import kinfolk

EVIDENCE = {"V05": "a", "V02": "d"}


@pytest.fixture(scope="module")
def network(frames):
    return kinfolk.learn(frames).fit()


def test_networkx_has_structure_states_and_tables(network):
    graph = network.to_networkx("s1")
    assert sorted(graph.edges) == sorted(zip(network.arcs["from"], network.arcs["to"]))
    assert graph.nodes["V01"]["states"] == network.variables["V01"]
    assert (graph.nodes["V01"]["table"] == network.table("V01", "s1")).all()


def test_pgmpy_answers_alike(network):
    from pgmpy.inference import VariableElimination

    model = network.to_pgmpy("s2")
    assert model.check_model()
    theirs = VariableElimination(model).query(["V01"], EVIDENCE, show_progress=False)
    ours = network.query("V01", EVIDENCE, data_set="s2").loc["V01", "s2"]
    for state, probability in ours.items():
        assert theirs.get_value(V01=state) == pytest.approx(probability, abs=1e-9)


def test_pyagrum_answers_alike(network):
    import pyagrum

    net = network.to_pyagrum("new")
    inference = pyagrum.LazyPropagation(net)
    inference.setEvidence(EVIDENCE)
    ours = network.query("V01", EVIDENCE, data_set="new")["new"].to_numpy()
    assert np.allclose(inference.posterior("V01").toarray(), ours, atol=1e-9)


def test_pyagrum_reads_our_bif(network, tmp_path):
    import pyagrum

    file = tmp_path / "network.bif"
    network.save(file, "s1")
    assert sorted(pyagrum.loadBN(str(file)).names()) == sorted(network.variables)
