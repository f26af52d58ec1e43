"""Plots with matplotlib."""

from __future__ import annotations

from typing import Any


def draw(graph: Any, ax: Any = None, **options: Any) -> Any:
    """Draws a graph in layers, parents above their children."""
    import matplotlib.pyplot as plt
    import networkx

    if ax is None:
        _, ax = plt.subplots()
    for layer, nodes in enumerate(networkx.topological_generations(graph)):
        for node in nodes:
            graph.nodes[node]["layer"] = -layer
    positions = networkx.multipartite_layout(graph, subset_key="layer", align="horizontal")
    networkx.draw_networkx(graph, positions, ax=ax, **{"node_color": "#dde6f0", "node_size": 900, **options})
    ax.set_axis_off()
    return ax
