"""Changes of an outline: nodes are put in, taken out, indented, outdented and moved with all that is under them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from inspector.domain.content import TreeNode

Path = tuple[int, ...]
"""The places from a root down to a node."""
Nodes = tuple[TreeNode, ...]


def path_of(roots: Nodes, id_: str) -> Path | None:
    """Where a node stands, None where it does not."""
    waiting: list[tuple[Path, Nodes]] = [((), roots)]
    while waiting:
        above, row = waiting.pop()
        for at, node in enumerate(row):
            if node.id == id_:
                return (*above, at)
        waiting += [((*above, at), node.children) for at, node in enumerate(row) if node.children]
    return None


def node_at(roots: Nodes, path: Path) -> TreeNode:
    """The node at a place."""
    node = roots[path[0]]
    for at in path[1:]:
        node = node.children[at]
    return node


def replaced(roots: Nodes, path: Path, *nodes: TreeNode) -> Nodes:
    """The outline with these nodes in the place of one; with none it is taken out."""
    at, below = path[0], path[1:]
    if not below:
        return (*roots[:at], *nodes, *roots[at + 1 :])
    changed = replace(roots[at], children=replaced(roots[at].children, below, *nodes))
    return (*roots[:at], changed, *roots[at + 1 :])


def inserted(roots: Nodes, path: Path, node: TreeNode) -> Nodes:
    """The outline with a node before what stands at a place, or behind the last one there."""
    at, below = path[0], path[1:]
    if not below:
        return (*roots[:at], node, *roots[at:])
    changed = replace(roots[at], children=inserted(roots[at].children, below, node))
    return (*roots[:at], changed, *roots[at + 1 :])


def without(roots: Nodes, ids: Collection[str]) -> Nodes:
    """The outline that is left when some nodes are taken out, with what is under them."""
    for id_ in ids:
        path = path_of(roots, id_)
        if path is not None:
            roots = replaced(roots, path)
    return roots


def indented(roots: Nodes, id_: str) -> Nodes:
    """The outline with a node under the one above it; the first under its parent stays."""
    path = path_of(roots, id_)
    if path is None or path[-1] == 0:
        return roots
    above = (*path[:-1], path[-1] - 1)
    to = (*above, len(node_at(roots, above).children))
    return inserted(replaced(roots, path), to, node_at(roots, path))


def outdented(roots: Nodes, id_: str) -> Nodes:
    """The outline with a node behind its parent; a root stays."""
    path = path_of(roots, id_)
    if path is None or len(path) < 2:
        return roots
    return inserted(replaced(roots, path), (*path[:-2], path[-2] + 1), node_at(roots, path))


def moved(roots: Nodes, id_: str, step: int) -> Nodes:
    """The outline with a node one place further up (-1) or down (1) among those under the same parent."""
    path = path_of(roots, id_)
    if path is None:
        return roots
    row = roots if len(path) == 1 else node_at(roots, path[:-1]).children
    to = path[-1] + step
    if not 0 <= to < len(row):
        return roots
    return inserted(replaced(roots, path), (*path[:-1], to), node_at(roots, path))


def put_under(roots: Nodes, ids: Sequence[str], parent: str | None, place: int) -> Nodes:
    """The outline with nodes at a place under another, None for the roots; what would come under itself stays."""
    for id_ in ids:
        path, above = path_of(roots, id_), None if parent is None else path_of(roots, parent)
        if path is None or (parent is not None and (above is None or above[: len(path)] == path)):
            continue
        node = node_at(roots, path)
        row = roots if above is None else node_at(roots, above).children
        before = next((each.id for each in row[place:] if each.id not in ids), None)
        roots = replaced(roots, path)
        above = None if parent is None else path_of(roots, parent)
        row = roots if above is None else node_at(roots, above).children
        at = next((at for at, each in enumerate(row) if each.id == before), len(row))
        roots = inserted(roots, (*(above or ()), at), node)
    return roots


def depth_first(roots: Nodes) -> Iterator[TreeNode]:
    """All nodes, each before those under it."""
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        yield node
        if node.children:
            waiting += reversed(node.children)
