"""The notebooks run from top to bottom, and so does the code of the quick start."""

import ast
import re
from pathlib import Path

import matplotlib
import pandas
import pytest

import kinfolk

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.py"))


def cells(text):
    """The code of each cell of a script in the percent format."""
    parts = re.split(r"^# %%(.*)\n", text, flags=re.MULTILINE)
    assert parts[0] == "", "a notebook begins with a cell"
    return [code for kind, code in zip(parts[1::2], parts[2::2]) if "[markdown]" not in kind]


def show(value):
    """The display of a value in a notebook: HTML if there is any, otherwise text."""
    as_html = getattr(value, "_repr_html_", None)
    return as_html() if as_html is not None else repr(value)


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["multi_centre_study", "paper_example", "pooled_or_not"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    matplotlib.use("Agg")
    names = {"__name__": "__main__"}
    shown = 0
    for code in cells(path.read_text()):
        parsed = ast.parse(code, str(path))
        last = parsed.body.pop() if parsed.body and isinstance(parsed.body[-1], ast.Expr) else None
        exec(compile(parsed, str(path), "exec"), names)
        if last is not None:
            assert show(eval(compile(ast.Expression(last.value), str(path), "eval"), names))
            shown += 1
    assert shown >= 4


@pytest.mark.parametrize("page", ["crates/kinfolk-py/README.md"])
def test_the_quick_start_runs(page, tmp_path, monkeypatch):
    made = kinfolk.simulate(nodes=4, arcs=4, rows=[200, 150, 100], states=[2, 3], seed=9)
    rows = pandas.concat([frame.assign(hospital=name) for name, frame in made.frames.items()])
    rows.rename(columns={"V1": "diagnosis"}).to_csv(tmp_path / "patients.csv", index=False)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert names["network"].data_sets == list(made.frames)
    assert names["learned"].evidence.columns.tolist() == list(made.frames)
