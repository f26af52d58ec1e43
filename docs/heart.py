"""Held-out log-loss of the diagnosis in the UCI heart data of four hospitals, by treatment of missing values.

    python docs/heart.py FOLDER [KINFOLK]

FOLDER holds cleveland.csv, hungarian.csv, switzerland.csv and va.csv: the 14 attributes with a header, -9 or ? for missing. KINFOLK is
the binary, by default `kinfolk`. Every hospital is divided into ten folds; each treatment learns from nine and predicts all rows of the
tenth, with missing values summed out. A cholesterol or blood pressure of 0 counts as missing.
"""

import csv
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HOSPITALS = ["cleveland", "hungarian", "switzerland", "va"]
FOLDS = 10
DISCRETIZE = [f"{column}=quantile:3" for column in ("age", "trestbps", "chol", "thalach")] + ["oldpeak=cuts:0,1.5", "num=cuts:0"]
#: Columns that some hospital almost never measured.
RARE = "chol,fbs,slope,ca,thal"
#: What each treatment learns from.
TREATMENTS = {
    "complete rows, all 13 columns": ["--missing", "drop-rows"],
    "complete rows, 8 columns": ["--missing", "drop-rows", "--ignore", RARE],
    "missing as a state": ["--missing", "level"],
    "impute": ["--missing", "impute"],
}


def read(path: Path) -> tuple[list[str], list[list[str]]]:
    """The header and the rows, with the same spelling of numbers in every file."""
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    def spell(column: str, cell: str) -> str:
        if cell in ("?", "-9", "-9.0") or (column in ("chol", "trestbps") and float(cell) == 0):
            return ""
        return f"{float(cell):g}"
    return header, [[spell(column, cell) for column, cell in zip(header, row)] for row in rows]


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def main(folder: Path, kinfolk: str) -> None:
    data = {hospital: read(folder / f"{hospital}.csv") for hospital in HOSPITALS}
    generator = random.Random(1)
    fold_of = {}
    for hospital, (_, rows) in data.items():
        folds = [place % FOLDS for place in range(len(rows))]
        generator.shuffle(folds)
        fold_of[hospital] = folds
    all_losses: dict[str, list[float]] = {}
    for treatment, options in TREATMENTS.items():
        losses: dict[str, list[float]] = {hospital: [] for hospital in HOSPITALS}
        refused = None
        for fold in range(FOLDS):
            with tempfile.TemporaryDirectory() as place:
                train, test, network = Path(place, "train"), Path(place, "test"), Path(place, "network.json")
                train.mkdir(), test.mkdir()
                for hospital, (header, rows) in data.items():
                    inside = [row for row, other in zip(rows, fold_of[hospital]) if other != fold]
                    write(train / f"{hospital}.csv", header, inside)
                    write(test / f"{hospital}.csv", header, [row for row, other in zip(rows, fold_of[hospital]) if other == fold])
                learn = [kinfolk, "learn", *map(str, sorted(train.iterdir())), *options, "--out", str(network), "--quiet"]
                learn += [part for rule in DISCRETIZE if rule.split("=")[0] not in options[-1].split(",") for part in ("--discretize", rule)]
                done = subprocess.run(learn, capture_output=True, text=True)
                if done.returncode:
                    refused = done.stderr.strip()
                    break
                predict = [kinfolk, "predict", str(network), *map(str, sorted(test.iterdir())), "--target", "num", "--unseen", "missing", "--json", "--quiet"]
                for row in json.loads(subprocess.run(predict, capture_output=True, text=True, check=True).stdout)["rows"]:
                    losses[row["data_set"]].append(-math.log(row["probabilities"][row["actual"]]))
        if refused is not None:
            print(f"{treatment:32} refused: {refused}")
            continue
        every = all_losses[treatment] = [loss for hospital in HOSPITALS for loss in losses[hospital]]
        means = "  ".join(f"{hospital} {sum(losses[hospital]) / len(losses[hospital]):.4f}" for hospital in HOSPITALS)
        print(f"{treatment:32} all {len(every)} rows {sum(every) / len(every):.4f}  {means}")
    *others, last = all_losses
    for treatment in others:
        differences = [a - b for a, b in zip(all_losses[treatment], all_losses[last])]
        mean = sum(differences) / len(differences)
        se = math.sqrt(sum((d - mean) ** 2 for d in differences) / (len(differences) - 1) / len(differences))
        print(f"{treatment} minus {last}: {mean:+.4f}, standard error {se:.4f} over rows")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "kinfolk")
