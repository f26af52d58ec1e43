"""Crossings of Graphviz dot on the random graphs of the test in `kinfolk-report/src/ordering.rs`. Run it to make the test's constants:

    python peers/crossings.py

Needs `dot`. It counts crossings between neighbouring layers, as dot does when it orders them and prints with -v.
"""

import re
import subprocess

GRAPHS = [(40, 50, 1), (40, 60, 2), (40, 60, 3), (40, 80, 4), (60, 90, 5), (100, 110, 6), (100, 130, 7), (100, 150, 8), (100, 150, 9), (100, 200, 10)]
MASK = (1 << 64) - 1


class Random:
    """splitmix64, as in `ordering.rs`."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return (mixed ^ (mixed >> 31)) % limit


def random_graph(nodes, arcs, seed):
    """The same arcs in the same order as `random_graph` in `ordering.rs`."""
    random = Random(seed)
    name = list(range(nodes))
    for place in range(nodes - 1, 0, -1):
        other = random.below(place + 1)
        name[place], name[other] = name[other], name[place]
    drawn = {(random.below(node), node) for node in range(1, nodes)}
    while len(drawn) < arcs:
        a, b = random.below(nodes), random.below(nodes)
        if a != b:
            drawn.add((min(a, b), max(a, b)))
    return [(name[a], name[b]) for a, b in sorted(drawn)]


def dot_crossings(nodes, arcs):
    text = "digraph {" + "".join(f"n{node};" for node in range(nodes)) + "".join(f"n{a} -> n{b};" for a, b in arcs) + "}"
    done = subprocess.run(["dot", "-v", "-Tplain"], input=text, capture_output=True, text=True, check=True)
    return int(re.findall(r"mincross .*: (\d+) crossings", done.stderr)[-1])


if __name__ == "__main__":
    print(subprocess.run(["dot", "-V"], capture_output=True, text=True).stderr.strip())
    for nodes, arcs, seed in GRAPHS:
        print(f"({nodes}, {arcs}, {seed}, {dot_crossings(nodes, random_graph(nodes, arcs, seed))}),")
