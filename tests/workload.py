"""Random work on one block of each schema, by several writers at once, and what must come of it.

Each writer changes and removes only what it made itself, and notes what was acknowledged. So whatever order the
edits came in, what all writers noted together is what must be there at the end: nothing less and nothing more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field

from inspector.domain.actor import Actor, ActorKind
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
    FieldItem,
    ListContent,
    LogContent,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.fields import AppendToField, Increment, RemoveFromField, SetField
from inspector.domain.edits.items import (
    AddNode,
    AppendEntry,
    InSection,
    InsertItem,
    MoveItem,
    MoveNode,
    RemoveItem,
    RemoveNode,
    UpdateItem,
    UpdateNode,
)
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.edits.text import AppendText, InsertText, ReplaceText
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine

AGENT = Actor(ActorKind.AGENT, "agt_storm", "Storm")
HUMAN = Actor(ActorKind.HUMAN, "human:noor", "noor")
FIRST_TEXT = "|"
MOST_OWN = 40
"""Of each kind a writer keeps so many things; then it removes one before it adds another."""

_TITLE = (FieldDef("title", required=True),)
SCHEMAS: dict[str, Schema] = {
    "blk_text": TextSchema(),
    "blk_map": MapSchema(
        (
            FieldDef("note_a"),
            FieldDef("note_b"),
            FieldDef("total", FieldType.COUNTER, default=0),
            FieldDef("things", FieldType.LIST),
        )
    ),
    "blk_list": ListSchema(_TITLE),
    "blk_log": LogSchema(20, EntrySchema(fields=(FieldDef("seen", required=True),))),
    "blk_tree": TreeSchema(),
    "blk_composite": CompositeSchema((SectionDef("words", TextSchema()), SectionDef("points", ListSchema()))),
}
_WEIGHTS = {
    "blk_text": 30,
    "blk_map": 22,
    "blk_list": 20,
    "blk_tree": 14,
    "blk_composite": 12,
    # Nothing is removed from it, so it grows.
    "blk_log": 2,
}


@dataclass
class Ledger:
    """What one writer was told is stored."""

    marks: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    total: int = 0
    things: dict[str, str] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    points: dict[str, str] = field(default_factory=dict)

    def plain(self) -> dict[str, object]:
        """As JSON takes it."""
        return asdict(self)


@dataclass(frozen=True)
class Step:
    """One edit, and what to note when it was acknowledged."""

    block: str
    operation: Operation
    acknowledged: Callable[[], object]


class Worker:
    """Makes one writer's edits."""

    def __init__(self, tag: str, seed: int) -> None:
        self.ledger = Ledger()
        self._tag = tag
        self._chance = random.Random(seed)
        self._count = 0

    def step(self) -> Step:
        """The next edit."""
        (block,) = self._chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))
        makers = {
            "blk_text": self._on_text,
            "blk_map": self._on_map,
            "blk_list": self._on_list,
            "blk_log": self._on_log,
            "blk_tree": self._on_tree,
            "blk_composite": self._on_composite,
        }
        return makers[block]()

    def mark(self) -> str:
        """A text that nobody else writes."""
        self._count += 1
        return f"<{self._tag}{self._count}>"

    def _id(self) -> str:
        self._count += 1
        return f"{self._tag}-{self._count}"

    def _on_text(self) -> Step:
        return Step("blk_text", *self._text(self.ledger.marks))

    def _text(self, own: list[str]) -> tuple[Operation, Callable[[], object]]:
        if len(own) >= MOST_OWN:
            old = self._chance.choice(own)
            return ReplaceText(old, ""), lambda: own.remove(old)
        mark = self.mark()
        operation = AppendText(mark) if self._chance.random() < 0.5 else InsertText(0, mark)
        return operation, lambda: own.append(mark)

    def _on_map(self) -> Step:
        chance, ledger = self._chance.random(), self.ledger
        if chance < 0.35:
            name, value = f"note_{self._tag}", self.mark()
            return Step("blk_map", SetField(name, value), lambda: ledger.notes.update({name: value}))
        if chance < 0.65:
            by = self._chance.choice((1, 2, 5, -3))

            def add() -> None:
                ledger.total += by

            return Step("blk_map", Increment("total", by), add)
        if len(ledger.things) >= MOST_OWN:
            old = self._chance.choice(list(ledger.things))
            return Step("blk_map", RemoveFromField("things", old), lambda: ledger.things.pop(old))
        new, value = self._id(), self.mark()
        operation = AppendToField("things", value, new)
        return Step("blk_map", operation, lambda: ledger.things.update({new: value}))

    def _on_list(self) -> Step:
        return Step("blk_list", *self._list(self.ledger.items, lambda value: {"title": value}))

    def _list(
        self, own: dict[str, str], shape: Callable[[str], str | dict[str, str]]
    ) -> tuple[Operation, Callable[[], object]]:
        old = self._chance.choice(list(own)) if own else None
        if old is not None and len(own) >= MOST_OWN:
            return RemoveItem(old), lambda: own.pop(old)
        chance = self._chance.random()
        if old is None or chance < 0.5:
            new, value = self._id(), self.mark()
            # One of its own, so that nobody can have removed it meanwhile.
            before = old if self._chance.random() < 0.5 else None
            return InsertItem(shape(value), before, new), lambda: own.update({new: value})
        if chance < 0.75:
            value = self.mark()
            return UpdateItem(old, shape(value)), lambda: own.update({old: value})
        return MoveItem(old), lambda: None

    def _on_log(self) -> Step:
        new, value = self._id(), self.mark()
        return Step(
            "blk_log", AppendEntry({"seen": value}, new), lambda: self.ledger.entries.update({new: value})
        )

    def _on_tree(self) -> Step:
        own = self.ledger.nodes
        root = next(iter(own), None)
        old = self._chance.choice(list(own)[1:]) if len(own) > 1 else None
        if old is not None and len(own) >= MOST_OWN:
            return Step("blk_tree", RemoveNode(old), lambda: own.pop(old))
        chance = self._chance.random()
        if old is None or chance < 0.5:
            new, value = self._id(), self.mark()
            # All but the first are leaves: removing one removes no other.
            parent = root if self._chance.random() < 0.7 else None
            return Step("blk_tree", AddNode(value, parent, None, new), lambda: own.update({new: value}))
        if chance < 0.75:
            value = self.mark()
            return Step("blk_tree", UpdateNode(old, value), lambda: own.update({old: value}))
        return Step("blk_tree", MoveNode(old, self._chance.choice((root, None))), lambda: None)

    def _on_composite(self) -> Step:
        section = self._chance.choice(("words", "points"))
        if section == "words":
            operation, note = self._text(self.ledger.words)
        else:
            operation, note = self._list(self.ledger.points, lambda value: value)
        return Step("blk_composite", InSection(section, operation), note)


async def prepare(engine: Engine) -> None:
    """Make the agent and the blocks."""
    intents = [Intent(Edit(Ref(RefKind.AGENT, AGENT.id), CreateAgent(AGENT.name)), HUMAN)]
    for block_id, schema in SCHEMAS.items():
        content = TextContent(FIRST_TEXT) if isinstance(schema, TextSchema) else None
        create = CreateBlock(AGENT.id, block_id.removeprefix("blk_"), schema, char_limit=0, content=content)
        intents.append(Intent(Edit(Ref(RefKind.BLOCK, block_id), create), HUMAN))
    await engine.apply(intents)


def differences(contents: dict[str, Content], ledgers: Iterable[Ledger]) -> list[str]:
    """What is there and should not be, and what should and is not; empty when nothing was lost."""
    all_ = list(ledgers)
    found: list[str] = []
    text, words = contents["blk_text"], contents["blk_composite"]
    assert isinstance(text, TextContent)
    assert isinstance(words, CompositeContent)
    inner, points = words.sections["words"], words.sections["points"]
    assert isinstance(inner, TextContent)
    assert isinstance(points, ListContent)
    found += _compare_marks("text", text.text.replace(FIRST_TEXT, "", 1), [ledger.marks for ledger in all_])
    found += _compare_marks("words", inner.text, [ledger.words for ledger in all_])
    map_, list_, log, tree = (contents[f"blk_{name}"] for name in ("map", "list", "log", "tree"))
    assert isinstance(map_, MapContent)
    assert isinstance(list_, ListContent)
    assert isinstance(log, LogContent)
    assert isinstance(tree, TreeContent)
    things = map_.fields["things"]
    assert isinstance(things, tuple)
    pairs: list[tuple[str, dict[str, str], list[dict[str, str]]]] = [
        ("things", {each.id: str(each.value) for each in things}, [ledger.things for ledger in all_]),
        ("items", {each.id: _title(each.value) for each in list_.items}, [ledger.items for ledger in all_]),
        (
            "points",
            {each.id: _title(each.value) for each in points.items},
            [ledger.points for ledger in all_],
        ),
        (
            "entries",
            {each.id: str(each.fields["seen"]) for each in log.entries},
            [each.entries for each in all_],
        ),
        ("nodes", dict(_nodes(tree.roots)), [ledger.nodes for ledger in all_]),
        (
            "notes",
            {
                name: str(map_.fields[name])
                for name in ("note_a", "note_b")
                if map_.fields.get(name) is not None
            },
            [ledger.notes for ledger in all_],
        ),
    ]
    for name, there, noted in pairs:
        wanted = {key: value for each in noted for key, value in each.items()}
        if there != wanted:
            wrong = {key for key in {*there, *wanted} if there.get(key) != wanted.get(key)}
            found.append(f"{name}: {len(wrong)} differ, such as {sorted(wrong)[:3]}")
    if map_.fields["total"] != sum(ledger.total for ledger in all_):
        found.append(f"total: {map_.fields['total']} and not {sum(ledger.total for ledger in all_)}")
    return found


def _compare_marks(name: str, text: str, noted: list[list[str]]) -> list[str]:
    wanted = [mark for marks in noted for mark in marks]
    wrong = [mark for mark in wanted if text.count(mark) != 1]
    if wrong:
        return [f"{name}: {len(wrong)} marks are not there once, such as {wrong[:3]}"]
    return [] if len(text) == sum(map(len, wanted)) else [f"{name}: there is more than the marks"]


def _title(value: str | dict[str, FieldItem] | object) -> str:
    return value if isinstance(value, str) else str(value["title"])  # type: ignore[index]


def _nodes(nodes: Iterable[TreeNode]) -> Iterable[tuple[str, str]]:
    for node in nodes:
        yield node.id, _title(node.value)
        yield from _nodes(node.children)
