"""Network structures as modelstrings, from every form in which callers give them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Optional

from .checks import pairs, refuse


def modelstring_of(given: Any, name: str = "structure", variables: Iterable[str] = ()) -> str:
    """A modelstring from text, a result, a network, a networkx graph, or arcs between some of the variables."""
    if isinstance(given, str):
        return given
    if hasattr(given, "structure"):
        if given.structure is None:
            refuse(name, given, "a result with a structure; a bootstrap has one as soon as a replicate is finished")
        return str(given.structure)
    if hasattr(given, "predecessors"):
        return modelstring({str(node): [str(parent) for parent in given.predecessors(node)] for node in given.nodes})
    if hasattr(given, "columns") or isinstance(given, (list, tuple)):
        parents: dict[str, list[str]] = {variable: [] for variable in variables}
        for parent, node in pairs(name, _present(given, name)):
            parents.setdefault(parent, [])
            parents.setdefault(node, []).append(parent)
        return modelstring(parents)
    refuse(name, given, "a modelstring such as '[A][B|A]', a result, a network, a networkx graph or arcs")


def _present(given: Any, name: str) -> Any:
    """The arcs of a structure among those of a frame, which may list absent ones too."""
    columns = list(getattr(given, "columns", ()))
    if "directed" in columns and not all(given["directed"]):
        refuse(name, given, "a structure with directed arcs only, not a CPDAG with undirected ones")
    flag = next((flag for flag in ("present", "averaged") if flag in columns), None)
    if flag is None:
        return given
    return [(parent, node) for parent, node, is_present in zip(given["from"], given["to"], given[flag]) if is_present]


def modelstring_or_none(given: Optional[Any], name: str = "structure", variables: Iterable[str] = ()) -> Optional[str]:
    """The same for an optional structure."""
    return None if given is None else modelstring_of(given, name, variables)


def modelstring(parents: Mapping[str, list[str]]) -> str:
    """A modelstring from the parents of every node."""
    nodes = ((_escape(node), ":".join(map(_escape, of))) for node, of in parents.items())
    return "".join(f"[{node}|{of}]" if of else f"[{node}]" for node, of in nodes)


def _escape(name: str) -> str:
    return re.sub(r"[\[\]|:\\]", r"\\\g<0>", name)
