"""Operations made of a few small numbers, for a content as the model has it: most of them legal, some not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from inspector.domain.blocks import (
    BlockType,
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
    Viewport,
)
from inspector.domain.edits import block_rows as rows
from inspector.domain.edits import fields, items, text
from inspector.domain.edits.base import Operation
from tests.memory.model_contents import walk
from tests.memory.model_forms import Part, visible

_T = TypeVar("_T")

_BARE = (
    FieldDef("name", required=True, default="nameless"),
    FieldDef("mood", choices=("calm", "busy")),
    FieldDef("level", FieldType.NUMBER, default=5, minimum=0, maximum=10),
    FieldDef("energy", FieldType.COUNTER, default=5, minimum=0, maximum=9),
    FieldDef("flag", FieldType.BOOLEAN),
    FieldDef("tags", FieldType.LIST),
    FieldDef("fixed", read_only=True, default="as it is"),
)
_SEEN = FieldDef("seen", FieldType.TIMESTAMP)
_EXTRA = FieldDef("extra", default="plus")
MAPS = (MapSchema((*_BARE, _SEEN)), MapSchema((*_BARE, _SEEN, _EXTRA)), MapSchema(_BARE))
_TASK = (
    FieldDef("title", required=True),
    FieldDef("done", FieldType.BOOLEAN, default=False),
    FieldDef("priority", FieldType.NUMBER, default=3),
    FieldDef("notes", FieldType.LIST),
)
LISTS = tuple(ListSchema(_TASK, most) for most in (4, 2, None))
_ENTRY = EntrySchema(fields=(FieldDef("observation", required=True), FieldDef("context")))
LOGS = (LogSchema(3, _ENTRY), LogSchema(1, _ENTRY))
TEXTS = (TextSchema(), TextSchema(Viewport(2, 1)))
TREES = (TreeSchema(),)
_FACTS = (
    FieldDef("count", FieldType.COUNTER),
    FieldDef("about"),
    FieldDef("tags", FieldType.LIST),
)
COMPOSITES = (
    CompositeSchema(
        (
            SectionDef("body", TextSchema()),
            SectionDef("points", ListSchema()),
            SectionDef("facts", MapSchema(_FACTS)),
            SectionDef("plan", TreeSchema(_TASK)),
            SectionDef("diary", LogSchema(2, _ENTRY), read_only=True),
        )
    ),
)
SCHEMAS: Mapping[str, Sequence[Schema]] = {
    "text": TEXTS,
    "map": MAPS,
    "list": LISTS,
    "log": LOGS,
    "tree": TREES,
    "composite": COMPOSITES,
}

LIMITS = {"text": 90, "map": 150, "list": 110, "log": 90, "tree": 110, "composite": 240}
"""The first limit of each kind: it is met now and then, and leaves room for some things beside one another."""
_BY_KIND: Mapping[str, Sequence[type[Operation]]] = {
    "text": (
        *(text.SetText, text.AppendText, text.InsertText, text.SpliceText, text.ReplaceText),
        *(text.ReplaceLines, text.PatchText),
    ),
    "map": (
        *(fields.SetField, fields.ClearField, fields.Increment),
        *(fields.AppendToField, fields.RemoveFromField, fields.MoveInField),
    ),
    "list": (items.InsertItem, items.UpdateItem, items.MoveItem, items.RemoveItem),
    "log": (items.AppendEntry, items.RemoveEntry),
    "tree": (items.AddNode, items.UpdateNode, items.MoveNode, items.RemoveNode),
}
ON_CONTENTS = {(kind, each.op) for kind, those in _BY_KIND.items() for each in those} | {
    ("composite", each.op) for those in _BY_KIND.values() for each in those
}
"""Every operation on a content of each kind; in a composite, on any of its sections."""
ON_BLOCKS = {
    *(rows.CreateBlock.op, rows.SetLabel.op, rows.SetDescription.op, rows.SetBlockType.op),
    *(rows.SetCharLimit.op, rows.SetPinned.op, rows.SetPermission.op, rows.SetSchema.op),
    *(rows.DeleteBlock.op, rows.RestoreBlock.op, rows.AttachBlock.op, rows.DetachBlock.op),
}
"""Every operation on a block itself."""


def pick(choices: Sequence[_T], number: int) -> _T:
    """One of several, by any number."""
    return choices[number % len(choices)]


class Maker:
    """Makes operations. `letters` are the actor's own, so that one sees whose a character is.

    Of a composite it mostly takes the section `favourite`, so that something comes together there.
    """

    def __init__(self, letters: str, number: int, dice: Sequence[int], favourite: int = 0) -> None:
        self._letters = letters
        self._number = number
        self._favourite = favourite
        self._dice = dice
        self._thrown = 0

    def throw(self) -> int:
        """The next number."""
        self._thrown += 1
        return self._dice[self._thrown % len(self._dice)]

    def content(self, schema: Schema, part: Part) -> Operation:
        """An operation on a content."""
        if self.throw() % 24 == 0:
            return pick(
                (text.AppendText("x"), items.RemoveEntry("gone"), fields.Increment("energy")), self.throw()
            )
        match schema:
            case CompositeSchema():
                section = pick(schema.sections, self.throw() if self.throw() % 3 == 0 else self._favourite)
                inner = self.content(section.schema, part[section.name])
                return items.InSection(section.name if self.throw() % 20 else "nowhere", inner)
            case TextSchema():
                return self.text(part)
            case MapSchema():
                return self.map(schema, visible(schema, part))
            case ListSchema():
                return self.list(schema.item_schema, part)
            case LogSchema():
                return self.log(part)
            case TreeSchema():
                return self.tree(schema.node_schema, part)

    def text(self, part: str) -> Operation:
        """One of the text operations."""
        makers: tuple[Callable[[str], Operation], ...] = (
            *(self._set_text, self._append, self._insert, self._splice, self._replace, self._lines),
            *(self._patch, self._patch, self._append),
        )
        return pick(makers, self.throw())(part)

    def map(self, schema: MapSchema, part: Part) -> Operation:
        """One of the field operations."""
        name = pick(
            [*(each.name for each in schema.fields), *["tags"] * 9, "energy", "unknown"], self.throw()
        )
        kind = next((each.field_type for each in schema.fields if each.name == name), None)
        what = self.throw() % 9
        if what == 0:
            return fields.ClearField(name)
        if kind is FieldType.LIST and what < 8:
            row = part.get(name, [])
            if what < 4 or not row or (what > 4 and len(row) < 2):
                return fields.AppendToField(name, self.words(), self._new_id(row))
            if what == 4:
                return fields.RemoveFromField(name, self._old_id(row))
            return fields.MoveInField(name, self._old_id(row), self._before(row))
        if (kind is FieldType.COUNTER and what < 7) or what == 1:
            return fields.Increment(name, pick((1, -2, 0, 4), self.throw()))
        return fields.SetField(name, self._value(kind))

    def list(self, defs: tuple[FieldDef, ...] | None, part: Part) -> Operation:
        """One of the item operations."""
        what = self.throw() % 9
        if what < 3 or not part or (3 < what < 7 and len(part) < 2):
            return items.InsertItem(self._object(defs), self._before(part), self._new_id(part))
        item = self._old_id(part)
        if what == 3:
            return items.RemoveItem(item)
        if what < 7:
            return items.MoveItem(item, self._before(part))
        return items.UpdateItem(item, self._object(defs, partial=True))

    def log(self, part: Part) -> Operation:
        """One of the entry operations."""
        if self.throw() % 3 == 0 and part:
            return items.RemoveEntry(self._old_id(part))
        given = {"observation": self.words()} if self.throw() % 9 else {}
        if self.throw() % 2:
            given["context"] = self.words()
        return items.AppendEntry(given, self._new_id(part))

    def tree(self, defs: tuple[FieldDef, ...] | None, part: Part) -> Operation:
        """One of the node operations."""
        places = list(walk(part))
        what = self.throw() % 9
        parent, row = None, part
        if self.throw() % 2 and places:
            node = pick(places, self.throw())[0]
            parent, row = node[0], node[2]
        if what < 4 or not places or (4 < what < 8 and len(places) < 2):
            every = [node for node, _, _ in places]
            return items.AddNode(self._object(defs), parent, self._before(row), self._new_id(every))
        item = pick(places, self.throw())[0][0]
        if what == 4:
            return items.RemoveNode(item if self.throw() % 9 else "gone")
        if what < 8:
            return items.MoveNode(item, parent, self._before(row))
        return items.UpdateNode(item, self._object(defs, partial=True))

    def row(self, kind: str, agents: Sequence[str], label: str) -> Operation:
        """An operation on a block itself."""
        shared = self.throw() % 5
        if shared == 0:
            return rows.AttachBlock(pick(agents, self.throw()), pick(tuple(Permission), self.throw()))
        if shared == 1:
            return rows.DetachBlock(pick(agents, self.throw()))
        number = self.throw()
        makers: tuple[Callable[[], Operation], ...] = (
            lambda: rows.SetLabel(label),
            *[lambda: rows.SetDescription(pick(("", "one", "two", "three"), number))] * 4,
            lambda: rows.SetBlockType(pick(tuple(BlockType), number)),
            lambda: rows.SetCharLimit(pick((0, 40, 12, 200, 200, -1), number)),
            lambda: rows.SetPinned(number % 2 == 0),
            lambda: rows.SetPermission(pick((*Permission, Permission.READ_WRITE, Permission.ADMIN), number)),
            lambda: rows.SetSchema(pick(SCHEMAS[kind], number), accept_loss=self.throw() % 2 == 0),
            lambda: rows.SetSchema(pick(SCHEMAS[kind], number)),
            rows.DeleteBlock,
            rows.RestoreBlock,
            lambda: rows.RestoreBlock(label),
        )
        return pick(makers, self.throw())()

    def words(self) -> str:
        """A few letters of the actor's own."""
        start = self.throw() % 4
        return self._letters[start : start + 1 + self.throw() % 3]

    def _set_text(self, part: str) -> Operation:
        return text.SetText(
            pick((part, self.words(), part[::2] + self.words(), "", f"{part}\n"), self.throw())
        )

    def _append(self, part: str) -> Operation:
        more = f"{self.words()}\n", self.words(), f"{self.words()} {self.words()}\n", ""
        return text.AppendText(pick(more, self.throw()))

    def _insert(self, part: str) -> Operation:
        return text.InsertText(self.throw() % (len(part) + 2), self.words())

    def _splice(self, part: str) -> Operation:
        first, second = self.throw() % (len(part) + 1), self.throw() % (len(part) + 1)
        some = (
            text.Splice(first, self.throw() % 3, self.words()),
            text.Splice(second, self.throw() % 2, self.words()),
        )
        return text.SpliceText(some if self.throw() % 2 else some[:1])

    def _replace(self, part: str) -> Operation:
        mode = pick(tuple(text.ReplaceMode), self.throw())
        if mode is text.ReplaceMode.REGEX:
            return text.ReplaceText(
                pick(("[a-m]+", "(", "", "^.", "nowhere"), self.throw()), self.words(), mode
            )
        find = part[self.throw() % max(1, len(part)) :][: 1 + self.throw() % 2]
        return text.ReplaceText(find, self.words(), mode, self.throw() % 4)

    def _lines(self, part: str) -> Operation:
        lines = max(1, len(part.splitlines()))
        first = 1 + self.throw() % lines if self.throw() % 4 else self.throw() % 4
        return text.ReplaceLines(
            first, first + self.throw() % 2, self.words() + pick(("", "\n"), self.throw())
        )

    def _patch(self, part: str) -> Operation:
        lines = [each for each in part.splitlines(keepends=True) if each.endswith("\n")]
        row = self.throw() % len(lines) if lines else 0
        # A line that is there twice would fit in two places.
        fits = bool(lines) and part.endswith("\n") and lines.count(lines[row]) == 1
        old = lines[row] if fits else "no such line\n"
        return text.PatchText(f"--- a\n+++ b\n@@ -{row + 1},1 +{row + 1},1 @@\n-{old}+{self.words()}\n")

    def _object(self, defs: tuple[FieldDef, ...] | None, *, partial: bool = False) -> items.ItemValue:
        if (defs is None) is not (self.throw() % 24 == 0):
            return self.words()
        what = self.throw() % 7
        more: Mapping[str, Any] = {
            "done": pick((True, False, None, 1), self.throw()),
            "priority": pick((1, 2, None, "high"), self.throw()),
            "notes": pick(((self.words(),), (), (self.words(), self.words()), None), self.throw()),
            "unknown": 1,
        }
        given: dict[str, Any] = {} if what == 0 or (partial and what < 4) else {"title": self.words()}
        name = pick(("done", "priority", "notes", "done", "priority", "notes", "unknown"), self.throw())
        return given | {name: more[name]} if what > 1 or partial else given

    def _value(self, kind: FieldType | None) -> Any:
        legal: Mapping[FieldType | None, tuple[Any, ...]] = {
            FieldType.TEXT: (self.words(), "calm", "busy", ""),
            FieldType.NUMBER: (1, 7, 11, 5),
            FieldType.COUNTER: (1, 8, 30, 5),
            FieldType.BOOLEAN: (True, False),
            FieldType.LIST: ((self.words(), self.words()), (self.words(),), ()),
            FieldType.TIMESTAMP: ("2026-11-20", "2026-11-21T08:00:00Z", "tomorrow"),
        }
        return pick((*legal.get(kind, ()), *legal.get(kind, ()), 3, None), self.throw())

    def _new_id(self, row: Part) -> str | None:
        what = self.throw() % 10
        if what == 0:
            return None
        return row[0][0] if what == 1 and row else f"id{self._number}"

    def _old_id(self, row: Part) -> str:
        return pick(row, self.throw())[0] if row and self.throw() % 16 else "gone"

    def _before(self, row: Part) -> str | None:
        return None if self.throw() % 2 or not row else self._old_id(row)
