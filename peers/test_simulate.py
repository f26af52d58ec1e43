"""What `simulate` writes, made again from its description alone: ChaCha8, the structure, the tables and the rows."""

import csv
import json
import math
import struct

import pytest

STATES, STRUCTURE, ALTERATION, CENTRE, TABLE, ROWS = 1, 2, 3, 4, 5, 6


class Numbers:
    """ChaCha with 8 rounds; the key is four 64-bit words, the stream the last two words of the block."""

    def __init__(self, seed, stream, purpose, data_set=0, variable=0):
        self.key = struct.unpack("<8I", struct.pack("<4Q", seed, purpose, data_set, variable))
        self.stream = struct.unpack("<2I", struct.pack("<Q", stream))
        self.block, self.words = 0, []

    def refill(self):
        counter = struct.unpack("<2I", struct.pack("<Q", self.block))
        start = [*struct.unpack("<4I", b"expand 32-byte k"), *self.key, *counter, *self.stream]
        x = list(start)

        def quarter(a, b, c, d):
            for i, j, k, shift in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[i] = (x[i] + x[j]) & 0xFFFFFFFF
                x[k] ^= x[i]
                x[k] = (x[k] << shift | x[k] >> (32 - shift)) & 0xFFFFFFFF

        for _ in range(4):
            for i in range(4):
                quarter(i, i + 4, i + 8, i + 12)
            for i in range(4):
                quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        self.words = [(a + b) & 0xFFFFFFFF for a, b in zip(x, start)]
        self.block += 1

    def next(self):
        if not self.words:
            self.refill()
        low, high = self.words[:2]
        del self.words[:2]
        return low | high << 32

    def unit(self):
        return ((self.next() >> 12) + 0.5) / 2**52

    def below(self, limit):
        while True:
            product = self.next() * limit
            if product % 2**64 >= 2**64 % limit:
                return product >> 64

    def normal(self):
        while True:
            x, y = 2 * self.unit() - 1, 2 * self.unit() - 1
            square = x * x + y * y
            if square < 1:
                return x * math.sqrt(-2 * math.log(square) / square)

    def ln_gamma(self, shape):
        if shape < 1:
            return self.ln_gamma(shape + 1) + math.log(self.unit()) / shape
        d = shape - 1 / 3
        while True:
            x = self.normal()
            root = 1 + x / math.sqrt(9 * d)
            if root > 0 and math.log(self.unit()) < x * x / 2 + d * (1 - root**3 + 3 * math.log(root)):
                return math.log(d) + 3 * math.log(root)

    def shuffled(self, items, count):
        items = list(items)
        for place in range(count):
            other = place + self.below(len(items) - place)
            items[place], items[other] = items[other], items[place]
        return items[:count]


def normalised(ln_weights):
    highest = max(ln_weights)
    weights = [math.exp(weight - highest) for weight in ln_weights]
    return [weight / sum(weights) for weight in weights]


def made(nodes, arcs, states, data_sets, rows, seed, stream):
    """Parents, tables by data set and node, and rows by data set, for hier at the joint level, scenario (a)."""
    numbers = Numbers(seed, stream, STATES)
    sizes = [states[numbers.below(len(states))] for _ in range(nodes)]
    numbers = Numbers(seed, stream, STRUCTURE)
    order = numbers.shuffled(range(nodes), nodes)
    pairs = [(i, j) for j in range(nodes) for i in range(j)]
    parents = [[] for _ in range(nodes)]
    for i, j in numbers.shuffled(pairs, arcs):
        parents[order[j]].append(order[i])
    parents = [sorted(own) for own in parents]

    tables = [[None] * nodes for _ in range(data_sets)]
    for node in range(nodes):
        size = sizes[node]
        cells = size * math.prod(sizes[parent] for parent in parents[node])
        numbers = Numbers(seed, stream, CENTRE, 0, node)
        centre = normalised([numbers.ln_gamma(1.0) for _ in range(cells)])
        for f in range(data_sets):
            numbers = Numbers(seed, stream, TABLE, f, node)
            drawn = [numbers.ln_gamma(10 * share) for share in centre]
            tables[f][node] = [normalised(drawn[i : i + size]) for i in range(0, cells, size)]

    data = []
    for f in range(data_sets):
        columns = {}
        while len(columns) < nodes:
            ready = [v for v in range(nodes) if v not in columns and all(p in columns for p in parents[v])]
            node, numbers = ready[0], Numbers(seed, stream, ROWS, f, ready[0])
            columns[node] = []
            for row in range(rows):
                configuration = 0
                for parent in parents[node]:
                    configuration = configuration * sizes[parent] + columns[parent][row]
                probabilities = tables[f][node][configuration]
                point, state = numbers.unit() * sum(probabilities), 0
                while sum(probabilities[: state + 1]) <= point:
                    state += 1
                columns[node].append(state)
        data.append([[columns[node][row] for node in range(nodes)] for row in range(rows)])
    return parents, tables, data


@pytest.mark.parametrize("seed, stream, states", [(1, 0, [2]), (2, 3, [2, 3, 4]), (2**64 - 1, 2**63, [5])])
def test_everything_is_what_the_description_says(kinfolk, tmp_path, seed, stream, states):
    kinfolk(
        *("simulate", "--nodes", 6, "--arcs", 7, "--states", ",".join(map(str, states)), "--data-sets", 3),
        *("--rows", 200, "--seed", seed, "--replicate", stream, "--out", tmp_path),
    )
    parents, tables, data = made(6, 7, states, 3, 200, seed, stream)
    truth = json.loads((tmp_path / "truth.json").read_text())
    assert [node["parents"] for node in truth["nodes"]] == [[f"V{p + 1}" for p in own] for own in parents]
    for f, name in enumerate(["data_001", "data_002", "data_003"]):
        for node in range(6):
            for row, expected in zip(truth["tables"][name][f"V{node + 1}"], tables[f][node], strict=True):
                # The logarithms of Python may differ in their last digit.
                assert row == pytest.approx(expected, rel=1e-9, abs=1e-12)
        with open(tmp_path / f"{name}.csv", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == [f"V{node + 1}" for node in range(6)]
        assert rows[1:] == [[str(state + 1) for state in row] for row in data[f]]
