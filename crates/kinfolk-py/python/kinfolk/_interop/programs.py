"""Networks as objects of networkx, pgmpy and pyAgrum."""

from __future__ import annotations

import importlib
import itertools
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from ..network.tables import NetworkTables


def to_networkx(network: NetworkTables, data_set: Optional[str]) -> Any:
    """A directed graph with states, parents and table at every node."""
    import networkx

    graph = networkx.DiGraph()
    for node, states in network.variables.items():
        graph.add_node(node, states=list(states), parents=network.parents(node), table=network.table(node, data_set))
    graph.add_edges_from(_arcs(network))
    return graph


def to_pgmpy(network: NetworkTables, data_set: Optional[str]) -> Any:
    """A pgmpy network."""
    from pgmpy.factors.discrete import TabularCPD

    try:
        from pgmpy.models import DiscreteBayesianNetwork as Model
    except ImportError:
        from pgmpy.models import BayesianNetwork as Model

    model = Model()
    model.add_nodes_from(network.variables)
    model.add_edges_from(_arcs(network))
    for node, states in network.variables.items():
        parents = network.parents(node)
        family = {name: list(network.variables[name]) for name in [node, *parents]}
        cards = [len(network.variables[parent]) for parent in parents]
        values = network.table(node, data_set).reshape(-1, len(states)).T
        model.add_cpds(TabularCPD(node, len(states), values, parents or None, cards or None, state_names=family))
    return model


def to_pyagrum(network: NetworkTables, data_set: Optional[str]) -> Any:
    """A pyAgrum network."""
    try:
        pyagrum: Any = importlib.import_module("pyagrum")
    except ImportError:
        pyagrum = importlib.import_module("pyAgrum")
    net = pyagrum.BayesNet()
    for node, states in network.variables.items():
        # The short form of add() refuses variables with a single state; a LabelizedVariable may have one.
        net.add(pyagrum.LabelizedVariable(node, node, list(states)))
    for parent, node in _arcs(network):
        net.addArc(parent, node)
    for node in network.variables:
        table = network.table(node, data_set)
        parents = network.parents(node)
        cpt = net.cpt(node)
        for configuration in itertools.product(*(range(len(network.variables[parent])) for parent in parents)):
            cpt[dict(zip(parents, configuration))] = table[configuration].tolist()
    return net


def _arcs(network: NetworkTables) -> list[tuple[str, str]]:
    return [(parent, node) for node in network.variables for parent in network.parents(node)]
