"""What undo and redo should do, in plain Python: every actor has a part of each block of its own.

The parts (a line, a field, items, entries, nodes below a node of the actor's, a share of a counter) make it possible
to say what a block holds without merging anything: an undo gives an actor's part back what it was before the step,
whatever the others do.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from inspector.domain.blocks import (
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    LogContent,
    MapContent,
    PlainContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import AppendToField, ClearField, Increment, RemoveFromField, SetField
from inspector.domain.edits.items import (
    AddNode,
    AppendEntry,
    InSection,
    InsertItem,
    MoveNode,
    RemoveItem,
    RemoveNode,
    UpdateItem,
    UpdateNode,
)
from inspector.domain.edits.text import ReplaceLines

Part = Any
Draw = Callable[[st.SearchStrategy[Any]], Any]
WORDS = st.text("abc 漢🙂", min_size=1, max_size=4)


@dataclass(frozen=True)
class Kind:
    """A kind of block: what it starts with, an actor's part of it, and how the part is changed and read."""

    schema: Schema
    start: Content
    begin: Callable[[], Part]
    change: Callable[[Draw, Part, int, str], Operation]
    read: Callable[[Any, int], Part]


def _text_change(draw: Draw, part: Part, who: int, _: str) -> Operation:
    part[0] = f"{who}: {draw(WORDS)}"
    return ReplaceLines(who + 1, who + 1, part[0] + "\n")


def _text_read(content: TextContent, who: int) -> Part:
    return [content.text.split("\n")[who]]


def _map_change(draw: Draw, part: Part, who: int, new: str) -> Operation:
    choice = draw(st.sampled_from(["set", "clear", "count", "add", "remove"]))
    if choice == "count":
        by = draw(st.integers(1, 3))
        part["count"] += by
        return Increment("count", by)
    if choice == "add":
        value = draw(WORDS)
        part["list"].append((new, value))
        return AppendToField(f"list{who}", value, new)
    if choice == "remove" and part["list"]:
        item = part["list"].pop(draw(st.integers(0, len(part["list"]) - 1)))
        return RemoveFromField(f"list{who}", item[0])
    if choice == "clear":
        part["value"] = None
        return ClearField(f"value{who}")
    part["value"] = draw(WORDS)
    return SetField(f"value{who}", part["value"])


def _map_read(content: MapContent, who: int) -> Part:
    entries = content.fields.get(f"list{who}") or ()
    assert isinstance(entries, tuple)
    return {
        "value": content.fields.get(f"value{who}"),
        "list": [(each.id, each.value) for each in entries],
        "count": content.fields.get("count"),
    }


def _list_change(draw: Draw, part: Part, who: int, new: str) -> Operation:
    # No moves: where an item stands among the others' is nobody's own.
    choice = draw(st.sampled_from(["insert", "update", "remove"])) if part else "insert"
    at = draw(st.integers(0, len(part) - 1)) if part else 0
    if choice == "insert":
        before = part[at][0] if part else None
        part.insert(at, (new, draw(WORDS)))
        return InsertItem(part[at][1], before, new)
    if choice == "update":
        part[at] = (part[at][0], draw(WORDS))
        return UpdateItem(*part[at])
    return RemoveItem(part.pop(at)[0])


def _list_read(content: ListContent, who: int) -> Part:
    return [(item.id, item.value) for item in content.items if item.id.startswith(f"{who}.")]


def _log_change(draw: Draw, part: Part, who: int, new: str) -> Operation:
    part.append((new, draw(WORDS)))
    return AppendEntry({"seen": part[-1][1]}, new)


def _log_read(content: LogContent, who: int) -> Part:
    return [(each.id, each.fields["seen"]) for each in content.entries if each.id.startswith(f"{who}.")]


def _tree_change(draw: Draw, part: Part, who: int, new: str) -> Operation:
    """The part: nodes by id with parent and value, in order. An actor's nodes stand under its own root."""
    root = f"root{who}"
    choice = draw(st.sampled_from(["add", "update", "move", "remove"])) if part else "add"
    known = [each for each, _, _ in part]
    if choice == "add":
        part.append((new, draw(st.sampled_from([root, *known])), draw(WORDS)))
        return AddNode(part[-1][2], part[-1][1], id=new)
    node = draw(st.sampled_from(known))
    if choice == "update":
        value = draw(WORDS)
        part[:] = [(each, above, value if each == node else old) for each, above, old in part]
        return UpdateNode(node, value)
    below = _below(part, node)
    if choice == "remove":
        part[:] = [each for each in part if each[0] not in below]
        return RemoveNode(node)
    parent = draw(st.sampled_from([root, *(each for each in known if each not in below)]))
    moved = next(each for each in part if each[0] == node)
    part.remove(moved)
    part.append((node, parent, moved[2]))
    return MoveNode(node, parent)


def _below(part: Part, node: str) -> set[str]:
    found = {node}
    while more := {each for each, above, _ in part if above in found} - found:
        found |= more
    return found


def _tree_read(content: TreeContent, who: int) -> Part:
    root = next(each for each in content.roots if each.id == f"root{who}")
    return _outline(root)


def _outline(node: TreeNode) -> Part:
    return [(each.id, each.value, _outline(each)) for each in node.children]


def outlined(part: Part, above: str) -> Part:
    """A tree's part as an outline."""
    return [(each, value, outlined(part, each)) for each, parent, value in part if parent == above]


ACTORS = 3
_MAP = MapSchema(
    (
        FieldDef("count", FieldType.COUNTER, default=0),
        *(FieldDef(f"value{who}") for who in range(ACTORS)),
        *(FieldDef(f"list{who}", FieldType.LIST) for who in range(ACTORS)),
    )
)
_LINES = TextContent("".join(f"{who}: \n" for who in range(ACTORS)))
_ROOTS = TreeContent(tuple(TreeNode(f"root{who}", "root") for who in range(ACTORS)))
KINDS: dict[str, Kind] = {
    "text": Kind(TextSchema(), _LINES, lambda: [None], _text_change, _text_read),
    "map": Kind(_MAP, MapContent(), lambda: {"value": None, "list": [], "count": 0}, _map_change, _map_read),
    "list": Kind(ListSchema(), ListContent(), list, _list_change, _list_read),
    "log": Kind(
        LogSchema(100, EntrySchema(fields=(FieldDef("seen"),))), LogContent(), list, _log_change, _log_read
    ),
    "tree": Kind(TreeSchema(), _ROOTS, list, _tree_change, _tree_read),
}
COMPOSITE = CompositeSchema(tuple(SectionDef(name, kind.schema) for name, kind in KINDS.items()))  # type: ignore[arg-type]
COMPOSITE_START = CompositeContent({name: kind.start for name, kind in KINDS.items()})  # type: ignore[misc]

Place = tuple[str, str]
"""A block, and the kind of its part: of the composite block, of a section."""
PLACES: tuple[Place, ...] = (*((name, name) for name in KINDS), *(("composite", name) for name in KINDS))


@dataclass
class ModelStep:
    """What one changeset did to an actor's parts."""

    seq: int
    before: dict[Place, Part]
    after: dict[Place, Part]

    def touches(self, block: str | None) -> bool:
        """Whether it changed a block."""
        return block is None or any(place[0] == block for place in self.before)


@dataclass
class ModelActor:
    """An actor's parts and steps: those in force, and those undone with the moment of it; the newest is last.

    `beside` are the steps in force about the same parts when each was made.
    """

    parts: dict[Place, Part]
    done: list[ModelStep] = field(default_factory=list)
    undone: list[tuple[int, ModelStep]] = field(default_factory=list)
    made: list[tuple[int, ModelStep]] = field(default_factory=list)
    beside: dict[int, list[int]] = field(default_factory=dict)
    now: int = 0

    def act(self, step: ModelStep) -> None:
        """Another step."""
        self.beside[step.seq] = self._beside(step)
        self.done.append(step)
        self.made.append((self._tick(), step))

    def undo(self, step: ModelStep) -> None:
        """Take a step back."""
        self.done.remove(step)
        self.undone.append((self._tick(), step))
        self.parts.update(copy.deepcopy(step.before))

    def redo(self, step: ModelStep) -> None:
        """Make a step again."""
        self.undone = [each for each in self.undone if each[1] is not step]
        self.done.append(step)
        self.parts.update(copy.deepcopy(step.after))

    def next_undo(self, block: str | None) -> ModelStep | None:
        """What is undone next."""
        return next((step for step in reversed(self.done) if step.touches(block)), None)

    def next_redo(self, block: str | None) -> ModelStep | None:
        """What is redone next: what was undone last, unless another step of what is asked about came after it."""
        for moment, step in reversed(self.undone):
            if step.touches(block):
                ended = any(later > moment and by.touches(block) for later, by in self.made)
                return None if ended else step
        return None

    def crosses(self, step: ModelStep) -> bool:
        """Whether other steps about the same parts are in force than when it was made: parts do not tell them apart."""
        return self._beside(step) != self.beside[step.seq]

    def _beside(self, step: ModelStep) -> list[int]:
        """The steps in force that changed some of the same parts."""
        shared = (each for each in self.done if each is not step and set(each.before) & set(step.before))
        return sorted(each.seq for each in shared)

    def _tick(self) -> int:
        self.now += 1
        return self.now


class Model:
    """All actors."""

    def __init__(self) -> None:
        self.actors = [
            ModelActor({place: KINDS[place[1]].begin() for place in PLACES}) for _ in range(ACTORS)
        ]
        for who, actor in enumerate(self.actors):
            for place in PLACES:
                if place[1] == "text":
                    actor.parts[place][0] = f"{who}: "

    def expected(self, place: Place, who: int) -> Part:
        """An actor's part as it is read from the content."""
        part = copy.deepcopy(self.actors[who].parts[place])
        if place[1] == "tree":
            return outlined(part, f"root{who}")
        if place[1] == "map":
            part["count"] = sum(actor.parts[place]["count"] for actor in self.actors)
        return part


def found(content: Content, place: Place, who: int) -> Part:
    """An actor's part of a content."""
    inner: Content | PlainContent = content
    if isinstance(content, CompositeContent):
        inner = content.sections[place[1]]
    return KINDS[place[1]].read(inner, who)


def operation(draw: Draw, place: Place, part: Part, who: int, new: str) -> Operation:
    """Change an actor's part, and give the operation that does it."""
    made = KINDS[place[1]].change(draw, part, who, f"{who}.{new}")
    return InSection(place[1], made) if place[0] == "composite" else made
