"""Exact inference against pyAgrum (posteriors, evidence, interventions) and pgmpy (most probable explanations)."""

import itertools
import json
import math
import random

import pyagrum as gum
import pytest

# Both sum the same products in a different order.
TOLERANCE = 1e-10


class Made:
    """A random network from a seed: every node's parents come before it, some probabilities are zero."""

    def __init__(self, seed, nodes, most_parents, most_states):
        draw = random.Random(seed)
        self.names = [f"V{index:02}" for index in range(nodes)]
        self.states = {name: [f"s{k}" for k in range(draw.randint(1, most_states))] for name in self.names}
        self.parents, self.tables = {}, {}
        for index, name in enumerate(self.names):
            near = self.names[max(0, index - 8) : index]
            count = draw.randint(0, min(most_parents, len(near)))
            self.parents[name] = sorted(draw.sample(near, count))
            self.tables[name] = [self.row(draw, len(self.states[name])) for _ in self.configurations(name)]

    @staticmethod
    def row(draw, states):
        kept = draw.randrange(states)
        weights = [
            0.0 if draw.random() < 0.1 and state != kept else draw.uniform(0.02, 1) for state in range(states)
        ]
        return [weight / math.fsum(weights) for weight in weights]

    def configurations(self, name):
        """The parents' states in each row of the table, the first parent varying slowest."""
        return list(itertools.product(*(self.states[parent] for parent in self.parents[name])))

    def document(self):
        """The network as kinfolk's own file."""
        given = lambda name: "|" + ":".join(self.parents[name]) if self.parents[name] else ""
        nodes = [
            {
                "node": name,
                "parents": self.parents[name],
                "tables": {"made": self.tables[name]},
                "pooled": self.tables[name],
                "new": self.tables[name],
            }
            for name in self.names
        ]
        return {
            "format": "kinfolk network 1",
            "structure": "".join(f"[{name}{given(name)}]" for name in self.names),
            "data_sets": ["made"],
            "variables": [{"name": name, "states": self.states[name]} for name in self.names],
            "nodes": nodes,
        }

    def write(self, folder):
        file = folder / "network.json"
        file.write_text(json.dumps(self.document()))
        return file

    def without_arcs_into(self, forced):
        """The network in which some variables are set: no parents, one state with probability 1."""
        other = object.__new__(Made)
        other.names, other.states = self.names, self.states
        other.parents = {name: [] if name in forced else self.parents[name] for name in self.names}
        certain = lambda name: [[float(state == forced[name]) for state in self.states[name]]]
        other.tables = {
            name: certain(name) if name in forced else self.tables[name] for name in self.names
        }
        return other

    def pyagrum(self):
        network = gum.BayesNet()
        for name in self.names:
            network.add(gum.LabelizedVariable(name, name, self.states[name]))
        for name in self.names:
            for parent in self.parents[name]:
                network.addArc(parent, name)
        for name in self.names:
            for states, row in zip(self.configurations(name), self.tables[name]):
                network.cpt(name)[dict(zip(self.parents[name], states))] = row
        return network

    def log(self, row):
        """ln P of a complete row."""

        def of(name):
            states = tuple(row[parent] for parent in self.parents[name])
            return self.tables[name][self.configurations(name).index(states)][self.states[name].index(row[name])]

        return math.fsum(math.log(of(name)) for name in self.names)

    def sample(self, seed):
        """A possible row."""
        draw, row = random.Random(seed), {}
        for name in self.names:
            states = tuple(row[parent] for parent in self.parents[name])
            weights = self.tables[name][self.configurations(name).index(states)]
            row[name] = draw.choices(self.states[name], weights)[0]
        return row


def ask(kinfolk, file, made, evidence, forced, *more):
    targets = [part for name in made.names for part in ("--target", name)]
    observed = [part for name, state in evidence.items() for part in ("--evidence", f"{name}={state}")]
    set_by_us = [part for name, state in forced.items() for part in ("--do", f"{name}={state}")]
    return kinfolk.json("query", file, "--data-set", "new", *targets, *observed, *set_by_us, *more)


@pytest.mark.parametrize("seed", range(6))
def test_posteriors_of_fifty_nodes_are_those_of_pyagrum(kinfolk, tmp_path, seed):
    made = Made(seed, nodes=50, most_parents=3, most_states=4)
    file = made.write(tmp_path)
    row = made.sample(seed + 100)
    observed = random.Random(seed + 200).sample(made.names, 5 * seed)
    forced = {name: row[name] for name in observed[: seed // 2]}
    # Drawn from the network in which they are set, so that the evidence is possible there.
    cut = made.without_arcs_into(forced)
    row = cut.sample(seed + 300)
    evidence = {name: row[name] for name in observed[seed // 2 :]}
    answer = ask(kinfolk, file, made, evidence, forced)

    peer = gum.LazyPropagation(cut.pyagrum())
    peer.setEvidence(evidence)
    peer.makeInference()
    for name, said in zip(made.names, answer["targets"]):
        assert said["target"] == name
        if name in forced:
            assert said["data_sets"]["new"][forced[name]] == 1
            continue
        # pyAgrum leaves variables of one state in its tables.
        expected = dict(zip(made.states[name], peer.posterior(name).toarray().ravel().tolist()))
        assert said["data_sets"]["new"] == pytest.approx(expected, abs=TOLERANCE), name
    if evidence:
        expected = math.log(peer.evidenceProbability())
        assert answer["log_probability_of_evidence"]["new"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_joint_distributions_are_those_of_pyagrum(kinfolk, tmp_path, seed):
    made = Made(seed, nodes=20, most_parents=3, most_states=3)
    file = made.write(tmp_path)
    row = made.sample(seed)
    names = random.Random(seed).sample(made.names, 7)
    targets, evidence = names[:3], {name: row[name] for name in names[3:]}
    flags = [part for name in targets for part in ("--target", name)]
    flags += [part for name, state in evidence.items() for part in ("--evidence", f"{name}={state}")]
    answer = kinfolk.json("query", file, "--joint", *flags)
    peer = gum.LazyPropagation(made.pyagrum())
    peer.setEvidence(evidence)
    peer.addJointTarget(set(targets))
    peer.makeInference()
    expected = peer.jointPosterior(set(targets))
    for line in answer["joint"]:
        assert line["data_sets"]["made"] == pytest.approx(expected[line["states"]], abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
def test_the_most_probable_explanation_is_that_of_pgmpy(kinfolk, tmp_path, seed):
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork

    made = Made(seed, nodes=9, most_parents=2, most_states=3)
    file = made.write(tmp_path)
    model = DiscreteBayesianNetwork()
    model.add_nodes_from(made.names)
    for name in made.names:
        model.add_edges_from((parent, name) for parent in made.parents[name])
    for name in made.names:
        columns = [list(column) for column in zip(*made.tables[name])]
        parents = made.parents[name]
        sizes = [len(made.states[parent]) for parent in parents]
        states = {other: made.states[other] for other in [name, *parents]}
        model.add_cpds(TabularCPD(name, len(columns), columns, parents, sizes, state_names=states))
    row = made.sample(seed)
    evidence = {name: row[name] for name in made.names[::4]}
    others = [name for name in made.names if name not in evidence]
    expected = VariableElimination(model).map_query(others, evidence, show_progress=False)
    answer = ask(kinfolk, file, made, evidence, {}, "--mpe")
    assert answer["explanation"]["new"]["assignment"] == expected
    whole = {**evidence, **expected}
    assert answer["explanation"]["new"]["log_probability"] == pytest.approx(made.log(whole), rel=1e-12)
