"""Plots with matplotlib, from the drawing that reports and notebooks show."""

from __future__ import annotations

import re
from typing import Any, Optional
from xml.etree import ElementTree

from .. import _kinfolk

_SVG = "{http://www.w3.org/2000/svg}"

#: The marks around names in the drawing, which keep their writing direction apart from that of the arc.
_ISOLATES = {0x2068: None, 0x2069: None}

#: The font size of the drawing, in its own units.
_FONT = 13.0


def draw(svg: str, ax: Any = None, *, node_color: Optional[str] = None, arc_color: Optional[str] = None, font_size: Optional[float] = None) -> Any:
    """Draws an SVG network with its own positions and routes; returns the axes."""
    import matplotlib.pyplot as plt

    root = ElementTree.fromstring(svg)
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    if ax is None:
        # One unit of the drawing is one point.
        figure = plt.figure(figsize=(width / 72, height / 72))
        ax = figure.add_axes((0, 0, 1, 1))
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    if font_size is None:
        extent = ax.get_window_extent()
        points_per_unit = min(extent.width / width, extent.height / height) * 72 / ax.figure.dpi
        font_size = _FONT * points_per_unit
    for group in _of_class(root, "arc"):
        _add_arc(ax, group, arc_color)
    for group in _of_class(root, "node"):
        _add_node(ax, group, node_color, font_size)
    return ax


def heat_map(evidence: Any, ax: Any = None) -> Any:
    """Draws evidence as a heat map, one row per arc and one column per data set, with 0 in the middle of the colours."""
    import matplotlib.pyplot as plt
    import numpy as np

    names = [f"{parent} → {node}" for parent, node in evidence.index]
    values = evidence.to_numpy(dtype=float)
    if ax is None:
        _, ax = plt.subplots(figsize=(3 + 0.4 * len(evidence.columns), 1.5 + 0.3 * len(names)), layout="constrained")
    # Symmetric logarithmic colours: strong arcs would make all others look alike.
    most = max(float(np.abs(values).max(initial=0.0)), 1.0)
    image = ax.imshow(values, cmap=_evidence_colours(), norm=_symmetric_log(most), aspect="auto")
    ax.set_xticks(range(len(evidence.columns)), [str(name) for name in evidence.columns], rotation=90)
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("data set")
    ax.figure.colorbar(image, ax=ax, label="evidence (nats)")
    return ax


def _evidence_colours() -> Any:
    """The colours of the page: orange against an arc, blue for it."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("evidence", _kinfolk.evidence_colours())


def _symmetric_log(most: float) -> Any:
    from matplotlib.colors import SymLogNorm

    return SymLogNorm(linthresh=1.0, vmin=-most, vmax=most)


def _of_class(root: Any, name: str) -> list[Any]:
    return [one for one in root.iter(f"{_SVG}g") if name in one.get("class", "").split()]


def _add_arc(ax: Any, group: Any, color: Optional[str]) -> None:
    from matplotlib.patches import PathPatch

    label = (group.findtext(f"{_SVG}title") or "").translate(_ISOLATES)
    for path in group.iter(f"{_SVG}path"):
        kind = path.get("class")
        if kind == "line":
            style = path.get("stroke-dasharray", "none")
            dashes = "solid" if style == "none" else (0, tuple(map(float, re.split(r"[ ,]+", style))))
            stroke = {"edgecolor": color or path.get("stroke"), "linewidth": float(path.get("stroke-width")), "linestyle": dashes}
            ax.add_patch(PathPatch(_path(path.get("d")), facecolor="none", label=label, **stroke))
        elif kind == "head":
            ax.add_patch(PathPatch(_path(path.get("d")), facecolor=color or path.get("fill"), edgecolor="none"))


def _add_node(ax: Any, group: Any, color: Optional[str], font_size: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    box, text = group.find(f"{_SVG}rect"), group.find(f"{_SVG}text")
    x, y, width, height, corner = (float(box.get(key)) for key in ("x", "y", "width", "height", "rx"))
    rounded = f"round,pad=0,rounding_size={corner}"
    face, edge = color or box.get("fill"), box.get("stroke")
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=rounded, facecolor=face, edgecolor=edge))
    ax.text(x + width / 2, y + height / 2, text.text, ha="center", va="center", fontsize=font_size, color=text.get("fill"))


def _path(commands: str) -> Any:
    """A path of the commands M, L, C and Z with absolute coordinates."""
    from matplotlib.path import Path

    codes = {"M": [Path.MOVETO], "L": [Path.LINETO], "C": [Path.CURVE4] * 3, "Z": [Path.CLOSEPOLY]}
    points: list[tuple[float, float]] = []
    kinds: list[Any] = []
    for letter, numbers in re.findall(r"([MLCZ])([^MLCZ]*)", commands):
        values = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", numbers)] or [0.0, 0.0]
        pairs = list(zip(values[::2], values[1::2]))
        points += pairs
        kinds += codes[letter] * (len(pairs) // len(codes[letter]))
    return Path(points, kinds)
