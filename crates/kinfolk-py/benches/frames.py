"""Time from a pandas frame to the start of a search, compared with pybnesian; and of a search, compared with the command line.

    pip install pybnesian pandas kinfolk*.whl      # the wheel and the command, both built with --release
    python crates/kinfolk-py/benches/frames.py target/release/kinfolk

The programs take turns, and the shortest CPU time and wall-clock time count: the machine may have other load.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas
import pybnesian

import kinfolk

ROWS, COLUMNS, TURNS = 100_000, 50, 30


def made_up(kind):
    """Rows of a simulated network, as categories with the data sets concatenated, or as texts."""
    network = kinfolk.simulate(nodes=COLUMNS, arcs=75, states=[2, 3, 4, 5], rows=[ROWS // 4] * 4, max_parents=3, seed=1)
    frame = pandas.concat(network.frames.values(), ignore_index=True)
    return frame if kind == "category" else frame.astype(str).astype(object)


def start_kinfolk(frame, groups=None):
    """All work up to the score of the first family."""
    assert kinfolk.learn(frame, groups, time_limit=0, threads=1).stop == "time-limit"


def start_pybnesian(frame):
    """A score of the rows and an initial network: the inputs of pybnesian's search."""
    pybnesian.BIC(frame)
    pybnesian.DiscreteBN(list(frame.columns))


def least(turns, **works):
    """The shortest CPU and wall-clock seconds of each task; the tasks take turns."""
    seconds = {name: [] for name in works}
    for _ in range(turns):
        for name, work in works.items():
            clock, processor = time.perf_counter(), time.process_time()
            work()
            seconds[name].append((time.process_time() - processor, time.perf_counter() - clock))
    return {name: tuple(map(min, zip(*all_turns))) for name, all_turns in seconds.items()}


def ratios(title, ours, theirs):
    print(f"{title}: {ours[0] / theirs[0]:.2f} of the processor's time, {ours[1] / theirs[1]:.2f} of the clock's", flush=True)


def to_the_start():
    frame = made_up("category")
    groups = pandas.Categorical(np.repeat(["a", "b", "c", "d"], ROWS // 4))
    found = least(
        TURNS,
        kinfolk=lambda: start_kinfolk(frame),
        grouped=lambda: start_kinfolk(frame, groups),
        pybnesian=lambda: start_pybnesian(frame),
    )
    ratios("categories to the start of the search, kinfolk to pybnesian", found["kinfolk"], found["pybnesian"])
    ratios("the same with four data sets in kinfolk", found["grouped"], found["pybnesian"])
    texts = made_up("texts")
    found = least(
        5,
        kinfolk=lambda: start_kinfolk(texts),
        pybnesian=lambda: start_pybnesian(texts.astype("category")),
    )
    ratios("texts to the start of the search, kinfolk to pybnesian, which needs them as categories", found["kinfolk"], found["pybnesian"])


def thereafter(command):
    frame = made_up("category").iloc[: ROWS // 5]
    searched = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        frame.to_csv(path, index=False)
        data = kinfolk.read(frame)
        call = [command, "learn", path, "--score", "bdeu", "--threads", "1", "--method", "none", "--timing", "--json"]
        theirs, ours = [], []
        for _ in range(5):
            result = json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
            phases = [result["timing"][phase] for phase in ("prepare", "search")]
            theirs.append([sum(phase[kind] for phase in phases) for kind in ("cpu", "wall")])
            found = least(1, kinfolk=lambda: searched.append(kinfolk.learn(data, score="bdeu", threads=1)))
            ours.append(found["kinfolk"])
            assert searched.pop().score == result["score"]
    ratios("the search itself, Python to the command line on CSV", *(list(map(min, zip(*all_turns))) for all_turns in (ours, theirs)))


if __name__ == "__main__":
    to_the_start()
    thereafter(sys.argv[1])
