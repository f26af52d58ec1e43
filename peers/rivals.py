"""Compares kinfolk with structure learners of other schools on simulated related data sets.

    python peers/rivals.py kinfolk --nodes 10 --arcs 12 --rows 200 --data-sets 10 --seed 7731 --replicates 4

prints the mean SHD between CPDAGs of every method, by the relation between the data sets, and its time as a multiple of kin's:

- kin, and BDeu on the pooled rows, by kinfolk;
- CD-NOD (causal-learn): PC with the data set as an additional variable that has no parents, by the chi-square test;
- PC stratified by data set: an edge is removed if the G² statistics of all data sets together accept independence at 0.01;
- GES (causal-learn) with BDeu, and MIIC (pyAgrum), on the pooled rows.
"""

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import time

import numpy
import pandas
from searches import Kinfolk, modelstring, problems

ALPHA = 0.01

# causal-learn's progress bars.
os.environ["TQDM_DISABLE"] = "1"


def extension(names, directed, undirected):
    """A network with these edges and without further v-structures (Dor and Tarsi 1992), as a modelstring; where there is none, the
    undirected edges point as they are listed, unless that closes a cycle.
    """
    arcs, (out, plain) = [], (set(directed), {frozenset(edge) for edge in undirected})
    left = set(names)

    def adjacent(a):
        return {b for b in left if (a, b) in out or (b, a) in out or frozenset((a, b)) in plain}

    def is_sink(a):
        if any((a, b) in out for b in left):
            return False
        near = adjacent(a)
        free = {b for b in near if frozenset((a, b)) in plain}
        return all(near - {b} <= adjacent(b) for b in free)

    while left:
        sink = next((a for a in names if a in left and is_sink(a)), None)
        if sink is None:
            break
        arcs += [(b, sink) for b in sorted(adjacent(sink))]
        left.remove(sink)

    def reaches(a, b):
        return a == b or any(reaches(c, b) for f, c in arcs if f == a)

    for a, b in itertools.chain(directed, undirected):
        if a in left and b in left:
            arcs.append((b, a) if reaches(b, a) else (a, b))
    return modelstring(names, arcs)


def of_causal_learn(graph, names, shown=None):
    """The directed and undirected edges of a graph of causal-learn, which may show the variables by other names."""
    shown = shown or {name: name for name in names}
    directed, undirected = [], []
    for edge in graph.get_graph_edges():
        a, b = (shown.get(node.get_name()) for node in (edge.get_node1(), edge.get_node2()))
        ends = str(edge.get_endpoint1()), str(edge.get_endpoint2())
        if a not in names or b not in names:
            continue
        if ends == ("TAIL", "ARROW"):
            directed.append((a, b))
        elif ends == ("ARROW", "TAIL"):
            directed.append((b, a))
        else:
            undirected.append((a, b))
    return directed, undirected


class StratifiedTest:
    """Conditional independence given the data set: the G² statistics and degrees of freedom of all strata are added."""

    def __init__(self, codes, groups):
        self.codes, self.groups = codes, groups
        self.states = codes.max(axis=0) + 1
        self.method = "stratified_gsq"
        self.data = codes
        self.cache = {}

    def __call__(self, x, y, given=None):
        from scipy.stats import chi2

        given = tuple(sorted(given or ()))
        key = (min(x, y), max(x, y), given)
        if key not in self.cache:
            stratum = self.groups.copy()
            for z in given:
                stratum = stratum * self.states[z] + self.codes[:, z]
            strata = numpy.unique(stratum, return_inverse=True)[1]
            shape = (strata.max() + 1, self.states[x], self.states[y])
            table = numpy.zeros(shape)
            numpy.add.at(table, (strata, self.codes[:, x], self.codes[:, y]), 1.0)
            rows, columns, whole = table.sum(2, keepdims=True), table.sum(1, keepdims=True), table.sum((1, 2), keepdims=True)
            with numpy.errstate(divide="ignore", invalid="ignore"):
                terms = numpy.where(table > 0, table * numpy.log(table * whole / (rows * columns)), 0.0)
            # Only rows and columns that occur in a stratum have degrees of freedom.
            free = ((rows[:, :, 0] > 0).sum(1) - 1) * ((columns[:, 0, :] > 0).sum(1) - 1)
            self.cache[key] = float(chi2.sf(2.0 * terms.sum(), free.sum())) if free.sum() > 0 else 1.0
        return self.cache[key]


def stratified_pc(codes, groups, names):
    from causallearn.utils.PCUtils import Meek, SkeletonDiscovery, UCSepset

    test = StratifiedTest(codes, groups)
    graph = SkeletonDiscovery.skeleton_discovery(codes, ALPHA, test, stable=True, verbose=False, show_progress=False, node_names=names)
    graph = Meek.meek(UCSepset.uc_sepset(graph, 2, background_knowledge=None))
    return of_causal_learn(graph.G, names)


def cdnod(codes, groups, names):
    from causallearn.search.ConstraintBased.CDNOD import cdnod as run

    found = run(codes, groups.reshape(-1, 1), alpha=ALPHA, indep_test="chisq", stable=True, verbose=False, show_progress=False)
    return of_causal_learn(found.G, names, {f"X{place + 1}": name for place, name in enumerate(names)})


def ges(codes, names):
    from causallearn.search.ScoreBased.GES import ges as run

    return of_causal_learn(run(codes, score_func="local_score_BDeu", node_names=names)["G"], names)


def miic(frame):
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.useMIIC()
    network = learner.learnBN()
    return [(network.variable(a).name(), network.variable(b).name()) for a, b in network.arcs()], []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the command kinfolk")
    for name, default in [("nodes", 10), ("arcs", 12), ("rows", 200), ("data-sets", 10), ("seed", 7731), ("replicates", 4)]:
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--states", default="3")
    arguments = parser.parse_args()
    kinfolk = Kinfolk(arguments.binary)
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for files, truth in problems(kinfolk, arguments, folder):
            parameters = truth.parent.name.split("-")[1]
            frames = [pandas.read_csv(file, dtype=str) for file in files]
            frame = pandas.concat(frames, ignore_index=True)
            names = list(frame.columns)
            codes = frame.apply(lambda column: column.astype("category").cat.codes).to_numpy().astype(int)
            groups = numpy.repeat(numpy.arange(len(frames)), [len(one) for one in frames])
            learners = {
                "kin": lambda: kinfolk("learn", *files, "--method", "none")["structure"],
                "pooled BDeu": lambda: kinfolk("learn", *files, "--method", "none", "--score", "bdeu")["structure"],
                "PC stratified by data set": lambda: extension(names, *stratified_pc(codes, groups, names)),
                "CD-NOD": lambda: extension(names, *cdnod(codes, groups, names)),
                "GES, BDeu": lambda: extension(names, *ges(codes, names)),
                "MIIC": lambda: extension(names, *miic(frame)),
            }
            for name, learn in learners.items():
                before = time.perf_counter()
                try:
                    structure = learn()
                except Exception as error:  # noqa: BLE001 - a peer's failure is a result
                    print(f"{name} failed: {error!r}", file=sys.stderr)
                    continue
                seconds = time.perf_counter() - before
                shd = kinfolk("compare", structure, truth)["shd"]["cpdag"]
                results.setdefault(name, []).append((parameters, shd, seconds))
    own = statistics.mean(seconds for _, _, seconds in results["kin"])
    print("| method | problems | SHD hier | iid | id | mean | time |\n|---|---|---|---|---|---|---|")
    for name, rows in results.items():
        by = [statistics.mean([shd for of, shd, _ in rows if of == one] or [float("nan")]) for one in ["hier", "iid", "id"]]
        mean, time_ratio = statistics.mean(shd for _, shd, _ in rows), statistics.mean(seconds for _, _, seconds in rows) / own
        print(f"| {name} | {len(rows)} | {by[0]:.2f} | {by[1]:.2f} | {by[2]:.2f} | {mean:.2f} | {time_ratio:.1f} |")


if __name__ == "__main__":
    main()
