"""Network structures as modelstrings, from every form in which callers give them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Optional

from .checks import refuse


def modelstring_of(given: Any, name: str = "structure") -> str:
    """A modelstring from text, a result, a network or a networkx graph."""
    if isinstance(given, str):
        return given
    if hasattr(given, "structure"):
        if given.structure is None:
            refuse(name, given, "a result with a structure; a bootstrap has one as soon as a replicate is finished")
        return str(given.structure)
    if hasattr(given, "predecessors"):
        return modelstring({str(node): [str(parent) for parent in given.predecessors(node)] for node in given.nodes})
    refuse(name, given, "a modelstring such as '[A][B|A]', a result, a network or a networkx graph")


def modelstring_or_none(given: Optional[Any], name: str = "structure") -> Optional[str]:
    """The same for an optional structure."""
    return None if given is None else modelstring_of(given, name)


def modelstring(parents: Mapping[str, list[str]]) -> str:
    """A modelstring from the parents of every node."""
    nodes = ((_escape(node), ":".join(map(_escape, of))) for node, of in parents.items())
    return "".join(f"[{node}|{of}]" if of else f"[{node}]" for node, of in nodes)


def _escape(name: str) -> str:
    return re.sub(r"[\[\]|:\\]", r"\\\g<0>", name)
