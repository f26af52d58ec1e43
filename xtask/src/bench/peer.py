"""One peer of the benchmark: loads a file once, then does its work again for every line on standard input.

Usage: peer.py NAME FILE. Each answer is a line of JSON: CPU seconds, the peer's own score and its arcs.
"""

import json
import sys
import time


def pybnesian(file):
    import pandas as pd
    import pybnesian as pb

    data = pd.read_csv(file, dtype=str).astype("category")
    names = list(data.columns)

    def search():
        score = pb.BDe(data, iss=1)
        start = pb.DiscreteBN(names)
        found = pb.GreedyHillClimbing().estimate(pb.ArcOperatorSet(), score, start)
        return score, found

    def work():
        begun = time.process_time()
        score, found = search()
        cpu = time.process_time() - begun
        return {"cpu": cpu, "score": score.score(found), "arcs": [list(arc) for arc in found.arcs()]}

    return work


def pyagrum(file):
    import pyagrum as gum

    learner = gum.BNLearner(file)
    names = learner.names()

    def work():
        learner = gum.BNLearner(file)
        learner.setNumberOfThreads(1)
        learner.useGreedyHillClimbing()
        learner.useScoreBDeu()
        begun = time.process_time()
        found = learner.learnDAG()
        cpu = time.process_time() - begun
        # Its BDeu has another imaginary sample size, so its own total is not compared.
        return {"cpu": cpu, "score": None, "arcs": [[names[a], names[b]] for a, b in found.arcs()]}

    return work


def pyarrow(file):
    import pyarrow as pa
    from pyarrow import csv

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)

    def work():
        begun = time.process_time()
        table = csv.read_csv(file, read_options=csv.ReadOptions(use_threads=False))
        cpu = time.process_time() - begun
        return {"cpu": cpu, "score": None, "arcs": [], "rows": table.num_rows}

    return work


if __name__ == "__main__":
    work = {"pybnesian": pybnesian, "pyagrum": pyagrum, "pyarrow": pyarrow}[sys.argv[1]](sys.argv[2])
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps(work()), flush=True)
