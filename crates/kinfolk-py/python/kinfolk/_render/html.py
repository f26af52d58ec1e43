"""HTML for notebooks; all names and texts are escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

#: The largest number of rows shown: longer tables are not read in a notebook.
MOST_ROWS = 60

escape = html.escape


def table(head: Iterable[Any], rows: Iterable[Iterable[Any]], all_rows: str, count: int) -> str:
    """A table with `count` rows; a long one is cut, with a note on how many rows are missing and what shows them."""
    titles = "".join(f"<th>{escape(str(title))}</th>" for title in head)
    shown = islice(rows, MOST_ROWS)
    lines = ("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in shown)
    more = f"<p>{count - MOST_ROWS} more rows: {escape(all_rows)}</p>" if count > MOST_ROWS else ""
    return f"<table><tr>{titles}</tr>{''.join(lines)}</table>{more}"


def frame(shown: Any, all_rows: str) -> str:
    """A frame, or a mapping of columns, as a table."""
    if not isinstance(shown, Mapping):
        if any(name is not None for name in shown.index.names):
            shown = shown.reset_index()
        shown = {name: list(shown[name]) for name in shown.columns}
    rows = list(zip(*shown.values()))
    return table(shown, rows, all_rows, len(rows))


def data(shown: Any) -> str:
    """The data sets with their numbers of rows, and the variables with their states."""
    sets = shown.data_sets
    rows = ([name, states] for name, states in shown.variables.items())
    return (
        f"<p>{escape(repr(shown))}</p>"
        f"{table(['data set', 'rows'], sets.items(), 'data.data_sets', len(sets))}"
        f"{table(['variable', 'states'], rows, 'data.variables', len(shown.variables))}"
    )


def folded(title: str, content: str) -> str:
    """Content that a click on its title shows."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:.3f}"
    if isinstance(value, (list, tuple)):
        return escape(", ".join(map(str, value)))
    return escape(str(value))
