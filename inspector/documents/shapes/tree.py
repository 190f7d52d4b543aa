"""The document shape of tree content: one tree container with each node's value in its map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from loro import LoroDoc, LoroMap, LoroText, TreeID

from inspector.documents.element_cache import ElementCache
from inspector.documents.objects import ObjectKind
from inspector.documents.stamp import EditStamp
from inspector.documents.stored import ID, scalar_in
from inspector.domain.blocks import TreeSchema
from inspector.domain.content import TreeContent, TreeNode
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.contents import joint, nodes_of
from inspector.domain.differences.element_order import Forest
from inspector.domain.differences.order import Key, keys_of, moved
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import AddNode, MoveNode, RemoveNode, UpdateNode
from inspector.domain.value_checks import check_text, gone, refuse, shown, wrong_schema

MAX_DEPTH = 100
"""Levels: what walks an outline may call itself per level."""

KIND = "node"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node stands; the `depth` of a root is 1."""

    node: TreeID
    parent: str | None
    depth: int


class TreeShape:
    """The shape of an outline in one tree container."""

    def __init__(self, doc: LoroDoc, schema: TreeSchema, prefix: str) -> None:
        self._tree = doc.get_tree(f"{prefix}nodes")
        self._objects = ObjectKind(schema.node_schema)

    def fill(self, content: TreeContent | None, stamp: EditStamp) -> None:
        waiting: list[tuple[TreeID | None, int, TreeNode]] = []
        if content is not None:
            waiting = [(None, 1, node) for node in reversed(content.roots)]
        taken: set[str] = set()
        while waiting:
            parent, depth, node = waiting.pop()
            _check_depth(depth)
            if node.id in taken:
                raise refuse("refused.id_taken", kind=KIND, id=shown(node.id))
            item = check_text(node.id) or stamp.new_id()
            taken.add(item)
            made = self._create(item, parent)
            self._objects.write_content(self._tree.get_meta(made), node.value, stamp)
            waiting += ((made, depth + 1, child) for child in reversed(node.children))

    def apply(self, operation: Operation, stamp: EditStamp) -> tuple[str, ...] | None:
        places = dict(self._places())
        match operation:
            case AddNode():
                return (self._add(operation, places, stamp),)
            case UpdateNode(node, value):
                meta = self._tree.get_meta(_place_of(places, node).node)
                return (node,) if self._objects.update(meta, value, stamp) else None
            case MoveNode():
                return (operation.node,) if self._move(operation, places) else None
            case RemoveNode(node):
                self._tree.delete(_place_of(places, node).node)
                return (node,)
        raise wrong_schema(operation, "tree")

    def content(self, cache: ElementCache) -> TreeContent:
        places = list(self._places())
        children: dict[str | None, list[TreeNode]] = {}
        # Backwards, so that every node comes after those under it.
        for item, place in reversed(places):
            under = tuple(reversed(children.pop(item, [])))
            node = cache.read(self._tree.get_meta(place.node), partial(self._node, item, under))
            children.setdefault(place.parent, []).append(node)
        return TreeContent(tuple(reversed(children.pop(None, []))))

    def become(self, content: TreeContent, cache: ElementCache) -> None:
        """Make the outline this one: what stays is moved only where it has another place."""
        rows = list(self._places())
        present = dict(zip(keys_of(item for item, _ in rows), (place.node for _, place in rows), strict=True))
        wanted = list(nodes_of(content))
        keys = keys_of(node.id for node, _ in wanted)
        forest = Forest.of(
            (key, None if at is None else keys[at]) for key, (_, at) in zip(keys, wanted, strict=True)
        )
        there = self._settled(present, forest)
        for key, (node, _) in zip(keys, wanted, strict=True):
            meta = self._tree.get_meta(there[key])
            element = cache.of(meta)
            if element is None or element.value is not node.value:
                self._objects.become(meta, node.value, new=key not in present)
        for key in reversed(present):
            if key not in there:
                self._tree.delete(present[key])

    def texts(self) -> dict[str, LoroText]:
        return {}

    def _node(
        self, item: str, under: tuple[TreeNode, ...], map_: LoroMap, cache: TreeNode | None
    ) -> TreeNode:
        if cache is None:
            return TreeNode(item, self._objects.read(map_), under)
        is_same = len(cache.children) == len(under) == joint(cache.children, under)
        return cache if is_same else replace(cache, children=under)

    def _settled(self, cache: Mapping[Key, TreeID], forest: Forest) -> dict[Key, TreeID]:
        """Bring every node to its place, new ones too; gives where all are."""
        there: dict[Key, TreeID] = {}
        names = {(node.peer, node.counter): key for key, node in cache.items()}
        depths: dict[Key, int] = {}
        for parent in (None, *forest.walk()):
            row = forest.rows.get(parent, [])
            depth = 1 if parent is None else depths[parent] + 1
            depths |= dict.fromkeys(row, depth)
            above = None if parent is None else there[parent]
            under = [names.get((node.peer, node.counter)) for node in self._children(above)]
            stay = {key for key in under if key is not None and key in row}
            stay -= moved([key for key in under if key in stay and key is not None], row)
            before: TreeID | None = None
            for key in row:
                if key not in cache:
                    _check_depth(depth)
                there[key] = node = cache.get(key) or self._create(check_text(key[0]), above)
                if key not in stay:
                    self._place(node, above, before)
                before = node
        return there

    def _place(self, node: TreeID, above: TreeID | None, before: TreeID | None) -> None:
        if before is not None:
            self._tree.mov_after(node, before)
        else:
            self._tree.mov_to(node, 0, above)

    def _places(self) -> Iterator[tuple[str, _Place]]:
        """All nodes by id: each before those under it, siblings in order."""
        waiting: list[tuple[TreeID, str | None, int]] = [(node, None, 1) for node in self._children(None)]
        waiting.reverse()
        while waiting:
            node, parent, depth = waiting.pop()
            item = self._id_of(node)
            yield item, _Place(node, parent, depth)
            waiting += ((child, item, depth + 1) for child in reversed(self._children(node)))

    def _children(self, node: TreeID | None) -> list[TreeID]:
        return self._tree.children(node) or []

    def _id_of(self, node: TreeID) -> str:
        stored = scalar_in(self._tree.get_meta(node), ID)
        return stored if isinstance(stored, str) else f"{node.peer}-{node.counter}"

    def _create(self, item: str, parent: TreeID | None) -> TreeID:
        made = self._tree.create(parent)
        self._tree.get_meta(made).insert(ID, item)
        return made

    def _add(self, operation: AddNode, places: dict[str, _Place], stamp: EditStamp) -> str:
        value = self._objects.checked(operation.value)
        if operation.id and check_text(operation.id) in places:
            raise refuse("refused.id_taken", kind=KIND, id=shown(operation.id))
        parent = None if operation.parent is None else _place_of(places, operation.parent)
        before = _sibling(places, operation.before, operation.parent)
        _check_depth(1 if parent is None else parent.depth + 1)
        item = operation.id or stamp.new_id()
        made = self._create(item, None if parent is None else parent.node)
        if before is not None:
            self._tree.mov_before(made, before.node)
        self._objects.write(self._tree.get_meta(made), value, stamp)
        return item

    def _move(self, operation: MoveNode, places: dict[str, _Place]) -> bool:
        moved = _place_of(places, operation.node)
        parent = None if operation.parent is None else _place_of(places, operation.parent)
        before = _sibling(places, operation.before, operation.parent)
        _check_not_below(places, operation.node, operation.parent)
        height = _height(places, operation.node, moved)
        _check_depth(height + (1 if parent is None else parent.depth + 1))
        siblings = [item for item, place in places.items() if place.parent == operation.parent]
        if moved.parent == operation.parent and _stays(siblings, operation.node, operation.before):
            return False
        if before is not None:
            self._tree.mov_before(moved.node, before.node)
        else:
            self._tree.mov(moved.node, None if parent is None else parent.node)
        return True


def _place_of(places: dict[str, _Place], node: str) -> _Place:
    place = places.get(node)
    if place is None:
        raise gone(KIND, node)
    return place


def _sibling(places: dict[str, _Place], before: str | None, parent: str | None) -> _Place | None:
    if before is None:
        return None
    place = _place_of(places, before)
    if place.parent != parent:
        raise refuse("refused.not_under", before=shown(before), parent=parent and shown(parent))
    return place


def _check_not_below(places: dict[str, _Place], node: str, parent: str | None) -> None:
    above = parent
    while above is not None:
        if above == node:
            raise refuse("refused.under_itself", node=shown(node), parent=parent and shown(parent))
        above = places[above].parent


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise refuse("refused.depth", depth=depth, limit=MAX_DEPTH)


def _height(places: dict[str, _Place], node: str, top: _Place) -> int:
    """How many levels lie under a node."""
    deepest = top.depth
    inside = False
    for item, place in places.items():
        if item == node:
            inside = True
        elif inside and place.depth <= top.depth:
            break
        elif inside:
            deepest = max(deepest, place.depth)
    return deepest - top.depth


def _stays(siblings: list[str], node: str, before: str | None) -> bool:
    after = siblings[siblings.index(node) + 1 :]
    return before == node or (after[0] if after else None) == before
