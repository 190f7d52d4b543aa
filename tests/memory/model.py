"""Blocks, who may write them, their journal, and undo, in plain Python; nothing of it is taken from the store's code.

Of the domain it uses value classes, and `limit_length` for what counts against a limit (rendering has tests of its
own). Everything is predicted exactly: refusals, contents, journal, versions, whose step an undo takes next. Only
what an undo gives is exact in just these cases: the row of a block and its sharing always; a content when it says
what it said after the change (a text or composite besides: when all that came since was taken back), and its schema
is that of then. Any other undo of a content overlaps with later work, and is bounded: see `Model.check_bounds`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import MapSchema, Permission, Schema
from inspector.domain.edits import block_rows as rows
from inspector.domain.edits import history, items, text
from inspector.domain.edits.base import Operation, Version
from inspector.domain.rendering.render import limit_length
from tests.memory.model_contents import Refused, apply, empty
from tests.memory.model_forms import Part, content_of, flat, texts_of, visible
from tests.memory.model_rules import (
    ModelBlock,
    check_agent,
    check_effect,
    check_limit,
    with_hidden,
    written_locked,
)

PLACING = (rows.SetPinned, rows.SetBlockType, rows.AttachBlock, rows.DetachBlock)
COLUMNS: Mapping[type[Operation], str] = {
    rows.SetLabel: "label",
    rows.SetDescription: "description",
    rows.SetBlockType: "block_type",
    rows.SetCharLimit: "char_limit",
    rows.SetPinned: "pinned",
    rows.SetPermission: "permission",
    rows.SetSchema: "schema",
}
SETTERS = {column: setter for setter, column in COLUMNS.items()}
TAKING_BACK = history.TakeBack(Version(""), Version(""))
"""What the model has of an undo: which versions it names is the store's to know."""
LATER_RULES = frozenset({"refused.char_limit", "refused.required", "refused.max_items", "refused.range"})
"""What may forbid an undo that overlaps, beside the permissions: it would break a rule of the present schema."""


@dataclass(frozen=True)
class Effect:
    """What an operation will do to a block: `what` is content, row, create or attach."""

    block: ModelBlock
    what: str
    operation: Operation
    before: Any
    after: Any
    part: Part = None
    agent: str | None = None

    @property
    def changed(self) -> bool:
        return bool(self.before != self.after)


@dataclass(frozen=True)
class Made:
    """A row of the journal. `first` is the number of the change that it makes, takes back or makes again."""

    seq: int
    actor: Actor
    effect: Effect
    schema: Schema
    first: int
    role: str

    @property
    def told(self) -> tuple[str, str, str, str | None, str]:
        """As the journal has it: operation, what it was done to, by whom."""
        effect = self.effect
        kind = "attachment" if effect.what == "attach" else "block"
        return effect.operation.op, kind, effect.block.id, effect.agent, self.actor.id


@dataclass(frozen=True)
class Guess:
    """What comes of undoing one step: an effect, a refusal, nothing (``passed``), or ``open`` within bounds."""

    made: Made
    verdict: str
    effect: Effect | None = None
    code: str = ""


class Model:
    """All blocks, and the journal of all that was done."""

    def __init__(self, agents: frozenset[str], partner: str) -> None:
        self.agents = agents
        self.partner = partner
        self.blocks: dict[str, ModelBlock] = {}
        self.journal: list[Made] = []

    def predict(
        self, actor: Actor, target: str, operation: Operation, at: datetime, *, unlock: bool = False
    ) -> Effect:
        """What an operation will do. Raises Refused."""
        if isinstance(operation, rows.CreateBlock):
            return self._create(actor, target, operation)
        block = self.blocks[target]
        self.check(block, actor, operation, unlock=unlock)
        if isinstance(operation, rows.AttachBlock | rows.DetachBlock):
            return self._share(block, operation)
        if isinstance(operation, rows.RestoreBlock | rows.DeleteBlock) or type(operation) in COLUMNS:
            return self._row(block, operation)
        if isinstance(operation, history.RestoreVersion):
            part = next(part for version, part, _ in block.versions if version == operation.version)
            part = with_hidden(block, part)
            check_effect(block, actor, part, unlock=unlock, removing=False)
        else:
            part = apply(block.schema, block.part, operation, actor.name, at)
        if visible(block.schema, part) != block.shown:
            check_limit(block, block.schema, part, block.row["char_limit"])
        return Effect(block, "content", operation, block.part, part, part)

    def check(self, block: ModelBlock, actor: Actor, operation: Operation, *, unlock: bool) -> None:
        """Who may do that. Raises Refused."""
        inner = operation.operation if isinstance(operation, items.InSection) else operation
        if not block.row["is_active"] and not isinstance(inner, rows.RestoreBlock | rows.DeleteBlock):
            raise Refused("deleted")
        level: Permission = block.row["permission"]
        locked = written_locked(block.schema, operation)
        if actor.kind is ActorKind.AGENT:
            if block.owner != actor.id:
                if actor.id not in block.attached:
                    raise Refused("no_access")
                level = min(level, block.attached[actor.id])
            check_agent(level, inner)
            if locked:
                raise Refused("read_only_part")
        elif not isinstance(inner, PLACING):
            if level is Permission.PARTNER and actor.id != self.partner:
                raise Refused("partner_only")
            writes = type(inner) not in COLUMNS and not isinstance(
                inner, rows.RestoreBlock | rows.DeleteBlock
            )
            writes = writes or isinstance(inner, rows.SetSchema)
            if writes and not unlock and (level is Permission.READ_ONLY or locked):
                raise Refused("locked")

    def _create(self, actor: Actor, target: str, operation: rows.CreateBlock) -> Effect:
        if actor.kind is ActorKind.AGENT and operation.owner != actor.id:
            raise Refused("not_owner")
        if operation.owner not in self.agents:
            raise Refused("not_found.agent")
        if target in self.blocks:
            raise Refused("exists")
        row = {name: getattr(operation, name) for name in (*COLUMNS.values(),)} | {"is_active": True}
        block = ModelBlock(target, operation.owner, row, empty(operation.schema))
        self._check_row(block, row)
        check_limit(None, operation.schema, block.part, operation.char_limit)
        return Effect(block, "create", operation, None, row, block.part)

    def _share(self, block: ModelBlock, operation: rows.AttachBlock | rows.DetachBlock) -> Effect:
        agent, before = operation.agent_id, block.attached.get(operation.agent_id)
        if isinstance(operation, rows.DetachBlock):
            if before is None and agent not in self.agents:
                raise Refused("not_found.agent")
            return Effect(block, "attach", operation, before, None, agent=agent)
        if agent not in self.agents:
            raise Refused("not_found.agent")
        if agent == block.owner:
            raise Refused("own_block")
        return Effect(block, "attach", operation, before, operation.permission, agent=agent)

    def _row(self, block: ModelBlock, operation: Operation) -> Effect:
        new = dict(block.row)
        if isinstance(operation, rows.RestoreBlock):
            new |= {"is_active": True, "label": operation.label or new["label"]}
        elif isinstance(operation, rows.DeleteBlock):
            new["is_active"] = False
        else:
            column = COLUMNS[type(operation)]
            new[column] = getattr(operation, column)
        changed = [name for name in new if new[name] != block.row[name]]
        part = block.part
        if changed:
            self._check_row(block, new)
        if "schema" in changed and isinstance(operation, rows.SetSchema):
            part = _converted(block, operation)
        before, after = ({name: each[name] for name in changed} for each in (block.row, new))
        return Effect(block, "row", operation, before, after, part)

    def _check_row(self, block: ModelBlock, row: Mapping[str, Any]) -> None:
        if row["char_limit"] < 0:
            raise Refused("char_limit_negative")
        fresh = (
            block.id not in self.blocks or not block.row["is_active"] or row["label"] != block.row["label"]
        )
        if not (row["is_active"] and fresh):
            return
        if not row["label"].strip():
            raise Refused("label_empty")
        if "\n" in row["label"]:
            raise Refused("label_unprintable")
        for other in self.blocks.values():
            same = other.owner == block.owner and other.row["label"] == row["label"]
            if same and other.id != block.id and other.row["is_active"]:
                raise Refused("label_taken")

    def commit(
        self, effect: Effect, actor: Actor, seq: int, version: str, taking: Made | None = None
    ) -> None:
        """Take in what was stored; `taking` is the row that it takes back, None for a change of its own."""
        block = effect.block
        role = "done" if taking is None else "redone" if taking.role == "undone" else "undone"
        first = seq if taking is None else taking.first
        if effect.what == "attach":
            if effect.after is None:
                del block.attached[effect.agent or ""]
            else:
                block.attached[effect.agent or ""] = effect.after
        else:
            if effect.what == "create":
                self.blocks[block.id] = block
            raw, block.part = block.part, effect.part
            if effect.what == "row":
                block.row |= effect.after
            if effect.what != "row" or raw != effect.part:
                block.versions.append((version, deepcopy(block.part), block.schema))
                block.writers.append((effect.operation.op, actor.id))
        self.journal.append(Made(seq, actor, effect, block.schema, first, role))

    def first_of(self, made: Made) -> Made:
        """The change that a row makes, takes back or makes again."""
        return next(each for each in self.journal if each.seq == made.first)

    def steps(self, actor: Actor, target: str | None, *, undone: bool) -> Iterator[Made]:
        """The actor's changes that an undo (a redo, with `undone`) would look at, the next one first."""
        known: set[int] = set()
        for made in reversed(self.journal):
            if made.actor != actor or (target is not None and made.effect.block.id != target):
                continue
            if undone and made.role == "done":
                return
            if made.first in known:
                continue
            known.add(made.first)
            if (made.role == "undone") is undone:
                yield made

    def guess(self, actor: Actor, made: Made, at: datetime, *, unlock: bool) -> Guess:
        """What undoing one row will do."""
        try:
            if made.effect.what == "content":
                return self._guess_content(actor, made, unlock=unlock)
            operation = self._inverse(actor, made)
            if operation is None:
                return Guess(made, "passed")
            effect = self.predict(actor, made.effect.block.id, operation, at, unlock=unlock)
        except Refused as error:
            return Guess(made, "refused", code=error.code)
        return Guess(made, "done", effect)

    def _guess_content(self, actor: Actor, made: Made, *, unlock: bool) -> Guess:
        block, effect = made.effect.block, made.effect
        self.check(block, actor, self.first_of(made).effect.operation, unlock=unlock)
        self.check(block, actor, TAKING_BACK, unlock=unlock)
        if made.schema != block.schema or not self._is_clean(made):
            return Guess(made, "open")
        check_effect(block, actor, effect.before, unlock=unlock, removing=True)
        part = with_hidden(block, effect.before)
        if visible(block.schema, part) == block.shown:
            return Guess(made, "passed")
        # An undo may go back to what its change found, under the same bounds.
        if self._bounds_changed(made):
            check_limit(block, block.schema, part, block.row["char_limit"])
        return Guess(made, "done", Effect(block, "content", TAKING_BACK, block.part, part, part))

    def _bounds_changed(self, made: Made) -> bool:
        since = (each.effect for each in self.journal if each.seq > made.seq)
        return any(
            each.block is made.effect.block and isinstance(each.operation, rows.SetCharLimit | rows.SetSchema)
            for each in since
        )

    def _is_clean(self, made: Made) -> bool:
        """Whether the content is what the change left, and everything since has been taken back."""
        block = made.effect.block
        if visible(made.schema, made.effect.after) != block.shown:
            return False
        since = [
            each.first
            for each in self.journal
            if each.seq > made.seq and each.effect.block is block and each.effect.what == "content"
        ]
        return all(times % 2 == 0 for times in Counter(since).values())

    def _inverse(self, actor: Actor, made: Made) -> Operation | None:
        block, effect = made.effect.block, made.effect
        since = [
            each
            for each in self.journal
            if each.seq > made.seq and each.effect.block is block and each.effect.what != "attach"
        ]
        by_others = any(each.actor != actor for each in since)
        if effect.what == "attach":
            agent = effect.agent or ""
            if block.attached.get(agent) != effect.after:
                return None
            return (
                rows.DetachBlock(agent) if effect.before is None else rows.AttachBlock(agent, effect.before)
            )
        if effect.what == "create":
            return None if by_others or not block.row["is_active"] else rows.DeleteBlock()
        back = {
            name: was
            for name, was in effect.before.items()
            if block.row[name] != was and block.row[name] == effect.after[name]
        }
        if "is_active" in back:
            return rows.RestoreBlock() if back["is_active"] else rows.DeleteBlock()
        for column, was in back.items():
            if column == "schema":
                # What was written since is converted only if nothing of it goes.
                untouched = visible(made.schema, effect.part) == block.shown
                return rows.SetSchema(was, accept_loss=untouched)
            return SETTERS[column](was)  # type: ignore[call-arg]
        return None

    def bounded(self, made: Made, actual: Part) -> Effect:
        """The effect of an undo that overlaps, as the store tells it; `check_bounds` says whether it may be."""
        block = made.effect.block
        part = with_hidden(block, actual)
        return Effect(block, "content", TAKING_BACK, block.part, part, part)

    def check_bounds(self, made: Made, effect: Effect) -> None:
        """An undo touches no part that its change did not touch.

        In a text, what an insertion brought may go and nothing else; of any other change, what may go was in the
        text after it was first made, and what may come back was there before it; the other way round when it is
        made again. An undo may have found less of it, when others had removed or taken back the rest.
        """
        schema = made.effect.block.schema
        origin = self.first_of(made)
        first = origin.effect
        own = (first.after, first.before) if made.role == "undone" else (first.before, first.after)
        if origin.schema != made.schema:
            own = (made.effect.before, made.effect.after)
        sides = (*own, effect.before, effect.after)
        before, after, present, result = (flat(schema, visible(schema, each)) for each in sides)
        for path in {*present, *result}:
            if before.get(path) == after.get(path):
                assert present.get(path) == result.get(path), ("not its own part", path)
        operation = first.operation
        inner = operation.operation if isinstance(operation, items.InSection) else operation
        for name in texts_of(schema, made.effect.before):
            old, new, there, left = (Counter(texts_of(schema, each)[name]) for each in sides)
            if isinstance(inner, text.AppendText | text.InsertText):
                old, new = old - new, new - old
            # Any other operation may have taken out and put in again what it left as it was, a whole line at a time.
            assert not there - left - new, ("characters of others went", name)
            assert not left - there - old, ("characters from nowhere", name)


def _converted(block: ModelBlock, operation: rows.SetSchema) -> Part:
    """The content under another schema of its kind; a content of another kind is never empty here, so it is lost."""
    old, new, part = block.schema, operation.schema, deepcopy(block.part)
    lost = type(old) is not type(new)
    if isinstance(old, MapSchema) and isinstance(new, MapSchema):
        before, after = ({each.name: each.default for each in schema.fields} for schema in (old, new))
        dropped = {name: default for name, default in before.items() if name not in after}
        lost = any(block.shown.get(name, default) != default for name, default in dropped.items())
        for name, default in after.items():
            if name not in before and part.get(name) is None and default is not None:
                part[name] = default
    most = getattr(new, "max_items", None)
    lost = lost or (most is not None and len(part) > most)
    if lost and not operation.accept_loss:
        raise Refused("schema_would_lose")
    was = limit_length(old, content_of(old, block.part))
    length, limit = limit_length(new, content_of(new, part)), block.row["char_limit"]
    if length > was and 0 < limit < length:
        raise Refused("char_limit")
    return part
