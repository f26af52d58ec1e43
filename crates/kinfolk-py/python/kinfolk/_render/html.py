"""HTML for notebooks; all names and texts are escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Callable

from .. import _kinfolk

#: The largest number of rows shown: longer tables are not read in a notebook.
MOST_ROWS = 60

escape = html.escape


def table(head: Iterable[Any], rows: Iterable[Iterable[Any]], all_rows: str, count: int) -> str:
    """A table with `count` rows; a long one is cut, with a note on how many rows are missing and what shows them."""
    return _table(head, rows, all_rows, count, lambda _: "")


def _table(head: Iterable[Any], rows: Iterable[Iterable[Any]], all_rows: str, count: int, style: Callable[[Any], str]) -> str:
    titles = "".join(f"<th>{escape(str(title))}</th>" for title in head)
    shown = islice(rows, MOST_ROWS)
    lines = ("<tr>" + "".join(f"<td{style(value)}>{_cell(value)}</td>" for value in row) + "</tr>" for row in shown)
    more = f"<p>{count - MOST_ROWS} more rows: {escape(all_rows)}</p>" if count > MOST_ROWS else ""
    return f"<table><tr>{titles}</tr>{''.join(lines)}</table>{more}"


def frame(shown: Any, all_rows: str) -> str:
    """A frame, or a mapping of columns, as a table."""
    columns = _columns(shown)
    rows = list(zip(*columns.values()))
    return table(columns, rows, all_rows, len(rows))


def evidence(shown: Any, all_rows: str) -> str:
    """Evidence by arc and data set as a table whose cells have the colours of the page: blue for the arc, orange against it."""
    columns = _columns(shown)
    rows = list(zip(*columns.values()))
    against, paper, favour = (_channels(colour) for colour in _kinfolk.evidence_colours())
    most = max((abs(value) for row in rows for value in row if isinstance(value, float) and math.isfinite(value)), default=0.0)

    def style(value: Any) -> str:
        if not isinstance(value, float) or not math.isfinite(value):
            return ""
        # The scale of the page: by the logarithm, with light text on strong colours.
        share = math.log1p(abs(value)) / max(math.log1p(most), 1e-9)
        mixed = (round(low + (high - low) * share) for low, high in zip(paper, against if value < 0 else favour))
        ink = "#fff" if share > 0.55 else "#111"
        return f' style="background:rgb({",".join(map(str, mixed))});color:{ink}"'

    return _table(columns, rows, all_rows, len(rows), style)


def drawing(svg: str) -> str:
    """A drawing on the paper of the page, also in a dark notebook."""
    paper = _kinfolk.evidence_colours()[1]
    return f'<div style="background:{paper};overflow:auto">{svg}</div>'


def _columns(shown: Any) -> Mapping[Any, Any]:
    """The columns of a frame, with its index, or of a mapping."""
    if isinstance(shown, Mapping):
        return shown
    if any(name is not None for name in shown.index.names):
        shown = shown.reset_index()
    return {name: list(shown[name]) for name in shown.columns}


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))


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
