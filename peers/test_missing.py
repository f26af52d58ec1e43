"""Tables from incomplete data with the structure fixed: those of ordinary EM by pyAgrum, within what drawing explains."""

import itertools
import json
import math
import random
import statistics

import pyagrum as gum

PARENTS = {"A": [], "B": ["A"], "C": ["A", "B"], "D": ["C"], "E": ["C", "D"]}
STATES = {"A": 2, "B": 3, "C": 2, "D": 3, "E": 2}
STRUCTURE = "".join(f"[{name}{'|' + ':'.join(parents) if parents else ''}]" for name, parents in PARENTS.items())
ROWS = 2000

# Each data set's name has random numbers of its own, so that equal rows under other names are filled in independently.
NAMES = [f"d{number}" for number in range(12)]


def configurations(name):
    return list(itertools.product(*(range(STATES[parent]) for parent in PARENTS[name])))


def drawn_rows(seed):
    """Rows of a random network, some cells removed at random given A and D, which are always observed."""
    draw = random.Random(seed)
    tables = {}
    for name in PARENTS:
        for configuration in configurations(name):
            weights = [draw.uniform(0.15, 1) for _ in range(STATES[name])]
            tables[name, configuration] = [weight / sum(weights) for weight in weights]
    rows = []
    for _ in range(ROWS):
        row = {}
        for name, parents in PARENTS.items():
            weights = tables[name, tuple(row[parent] for parent in parents)]
            row[name] = draw.choices(range(STATES[name]), weights)[0]
        # Which rows are complete depends on A and D, so that tables of the complete rows alone are biased.
        often = 0.6 if row["D"] == 0 else 0.1
        hidden = {"C": often, "B": 0.5 if row["A"] == 0 else 0.1, "E": 0.15}
        rows.append({name: None if draw.random() < hidden.get(name, 0) else state for name, state in row.items()})
    return rows


def write(rows, path, missing):
    lines = [",".join(PARENTS)]
    lines += [",".join(missing if row[name] is None else f"s{row[name]}" for name in PARENTS) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def em(path):
    """The tables of maximum likelihood by pyAgrum's EM."""
    network = gum.BayesNet()
    for name, states in STATES.items():
        network.add(gum.LabelizedVariable(name, name, [f"s{state}" for state in range(states)]))
    for name, parents in PARENTS.items():
        for parent in parents:
            network.addArc(parent, name)
    learner = gum.BNLearner(str(path), network, ["?"])
    learner.useNoPrior()
    learner.useEMWithDiffCriterion(1e-7)
    learner.EMsetMaxIter(10_000)
    found = learner.learnParameters(network.dag())

    def row(name, configuration):
        chosen = dict(zip(PARENTS[name], (f"s{state}" for state in configuration)))
        return found.cpt(name)[chosen].tolist() if chosen else found.cpt(name).tolist()

    return {name: [row(name, configuration) for configuration in configurations(name)] for name in PARENTS}


def tables(path):
    """The pooled tables of a network file, the first parent varying slowest."""
    return {node["node"]: node["pooled"] for node in json.loads(path.read_text())["nodes"]}


def test_tables_of_one_data_set_agree_with_those_of_em(kinfolk, tmp_path):
    rows = drawn_rows(seed=1)

    def fitted(name, treatment):
        data = write(rows, tmp_path / f"{name}.csv", "?")
        call = ["--structure", STRUCTURE, "--method", "mle", "--missing", treatment]
        kinfolk("fit", data, *call, "--out", tmp_path / f"{name}.json")
        return tables(tmp_path / f"{name}.json")

    expected = em(write(rows, tmp_path / "em.csv", "?"))
    found = [fitted(name, "impute") for name in NAMES]
    complete = fitted("complete", "drop-rows")
    biased = 0
    for name in PARENTS:
        for place, wanted_row in enumerate(expected[name]):
            for state, wanted in enumerate(wanted_row):
                of_draws = [one[name][place][state] for one in found]
                mean = statistics.fmean(of_draws)
                error = statistics.stdev(of_draws) / math.sqrt(len(NAMES))
                # Five standard errors of the draws, and what EM itself leaves at its stopping rule.
                most = 5 * error + 1e-6
                assert abs(mean - wanted) < most, (name, place, state)
                biased += abs(complete[name][place][state] - wanted) > most
    # The complete rows alone would not pass: what decides whether they are complete is correlated with what is in them.
    assert biased > 10
