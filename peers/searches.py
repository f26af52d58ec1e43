"""Compares searches on simulated problems: how often each finds the best network, and what other programs find.

    python peers/searches.py kinfolk --nodes 10 --arcs 15 --rows 100 --data-sets 5 --seed 501 --replicates 4

prints one line per score and search: the share of problems in which it reaches the highest score found (with `exact` among the
searches, the optimum), the mean difference to it in nats, the mean SHD between CPDAGs, and the mean CPU seconds. With `--peers`,
pyAgrum, pybnesian and causal-learn, as far as they are installed, learn from the pooled rows; kinfolk scores their networks by BDeu.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SEARCHES = ["climb", "tabu", "auto", "order", "exact", "pc"]


class Kinfolk:
    """The command, on one thread."""

    def __init__(self, binary):
        self.binary = binary

    def __call__(self, *arguments):
        call = [self.binary, *map(str, arguments), "--json", "--quiet", "--threads", "1"]
        done = subprocess.run(call, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(call)}\n{done.stderr}")
        return json.loads(done.stdout)


def cpu_of_children():
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def problems(kinfolk, arguments, folder):
    """The files and the true structure of every problem: a third each of hier, iid and id."""
    for replicate in range(arguments.replicates):
        for parameters in ["hier", "iid", "id"]:
            out = Path(folder) / f"{replicate}-{parameters}"
            design = [f"--{key.replace('_', '-')}={getattr(arguments, key)}" for key in
                      ["nodes", "arcs", "states", "rows", "data_sets", "seed"]]
            kinfolk("simulate", *design, "--replicate", replicate, "--parameters", parameters, "--out", out)
            yield sorted(out.glob("*.csv")), out / "truth.json"


def searched(kinfolk, files, score, search):
    """The structure that a search finds, its score and its CPU seconds."""
    before = cpu_of_children()
    found = kinfolk("learn", *files, "--score", score, "--search", search, "--method", "none")
    return found["structure"], found["score"], cpu_of_children() - before


def modelstring(names, arcs):
    """A structure as kinfolk writes it."""
    parents = {name: sorted(a for a, b in arcs if b == name) for name in names}
    return "".join(f"[{name}|{':'.join(own)}]" if own else f"[{name}]" for name, own in parents.items())


def peer_searches():
    """The searches of other programs that are installed: a function from a frame of text to arcs, by name."""
    found = {}
    try:
        import pyagrum

        def agrum(choose):
            def learn(frame):
                learner = pyagrum.BNLearner(frame)
                learner.useScoreBDeu()
                choose(learner)
                network = learner.learnBN()
                return [(network.variable(a).name(), network.variable(b).name()) for a, b in network.arcs()]
            return learn

        found["pyAgrum greedy"] = agrum(lambda learner: learner.useGreedyHillClimbing())
        found["pyAgrum tabu"] = agrum(lambda learner: learner.useLocalSearchWithTabuList())
        found["pyAgrum MIIC"] = agrum(lambda learner: learner.useMIIC())
    except ImportError:
        print("pyAgrum is not installed", file=sys.stderr)
    try:
        import pybnesian

        def bnesian(frame):
            frame = frame.astype("category")
            score = pybnesian.BDe(frame, iss=1)
            start = pybnesian.DiscreteBN(list(frame.columns))
            return pybnesian.GreedyHillClimbing().estimate(pybnesian.ArcOperatorSet(), score, start).arcs()

        found["pybnesian greedy"] = bnesian
    except ImportError:
        print("pybnesian is not installed", file=sys.stderr)
    try:
        from causallearn.search.PermutationBased.BOSS import boss
        from causallearn.search.PermutationBased.GRaSP import grasp

        def permutations(search):
            def learn(frame):
                coded = frame.apply(lambda column: column.astype("category").cat.codes).to_numpy()
                graph = search(coded, score_func="local_score_BDeu", node_names=list(frame.columns), verbose=False)
                # Edges without a direction point as they are listed, if that closes no cycle; `compare` uses the CPDAG.
                arcs = []
                for edge in graph.get_graph_edges():
                    a, b = edge.get_node1().get_name(), edge.get_node2().get_name()
                    arcs.append((b, a) if str(edge.get_endpoint1()) == "ARROW" else (a, b))
                return arcs
            return learn

        found["causal-learn BOSS"] = permutations(boss)
        found["causal-learn GRaSP"] = permutations(grasp)
    except ImportError:
        print("causal-learn is not installed", file=sys.stderr)
    return found


def frame_of(files):
    """All rows as text."""
    import pandas

    return pandas.concat([pandas.read_csv(file, dtype=str) for file in files], ignore_index=True)


def learned_by_peers(kinfolk, files, peers):
    """As `searched`, for every peer; a failure is printed and left out."""
    frame = frame_of(files)
    for name, learn in peers.items():
        before = time.process_time()
        try:
            arcs = learn(frame)
            seconds = time.process_time() - before
            structure = modelstring(list(frame.columns), arcs)
            total = kinfolk("score", *files, "--structure", structure, "--score", "bdeu")["total"]
        except Exception as error:  # noqa: BLE001 - a peer's failure is a result
            print(f"{name} failed: {str(error).splitlines()[0] if str(error) else error!r}", file=sys.stderr)
            continue
        yield name, (structure, total, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the command kinfolk")
    for name, default in [("nodes", 10), ("arcs", 15), ("rows", 100), ("data-sets", 5), ("seed", 501), ("replicates", 4)]:
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--states", default="2-3")
    parser.add_argument("--scores", default="kin,bhd,bdeu")
    parser.add_argument("--searches", default=",".join(SEARCHES))
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    kinfolk = Kinfolk(arguments.binary)
    peers = peer_searches() if arguments.peers else {}
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for files, truth in problems(kinfolk, arguments, folder):
            for score in arguments.scores.split(","):
                found = {search: searched(kinfolk, files, score, search) for search in arguments.searches.split(",")}
                if score == "bdeu" and peers:
                    found.update(learned_by_peers(kinfolk, files, peers))
                best = max(total for _, total, _ in found.values())
                for search, (structure, total, seconds) in found.items():
                    shd = kinfolk("compare", structure, truth)["shd"]["cpdag"]
                    results.setdefault((score, search), []).append((best - total, shd, seconds))
    print("| score | search | problems | hit | gap | SHD | CPU seconds |\n|---|---|---|---|---|---|---|")
    for (score, search), rows in results.items():
        gaps, shds, seconds = zip(*rows)
        mean = lambda values: sum(values) / len(values)  # noqa: E731
        hit = mean([gap < 1e-6 for gap in gaps])
        print(f"| {score} | {search} | {len(rows)} | {hit:.2f} | {mean(gaps):.2f} | {mean(shds):.2f} | {mean(seconds):.3f} |")


if __name__ == "__main__":
    main()
