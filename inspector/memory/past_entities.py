"""Reads blocks and other rows as they were at an earlier moment, from the journal.

Only what has changed since is read; everything else is as it is now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime

from inspector.domain.agents import Agent, Tool, ToolRule
from inspector.domain.blocks import Attachment, Block, UnreadableSchema
from inspector.domain.changeset_previews import Entity
from inspector.domain.codec import Plain, from_plain, to_plain
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.errors import (
    DocumentError,
    InspectorError,
    MalformedError,
    NotFoundError,
    Problem,
    Severity,
)
from inspector.domain.layouts import Layout
from inspector.domain.limit_violations import excess
from inspector.domain.messages import Message
from inspector.domain.past_requests import JournalMoment
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.domain.summaries import Summary
from inspector.memory.entities import plain_row, read_entity
from inspector.memory.history import BlockHistory
from inspector.storage import journal_past
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.journal_past import LaterChange, VersionThen
from inspector.storage.json_columns import dump, parse

_AWAY = "is_deleted"
_KINDS: Mapping[RefKind, type] = {
    RefKind.AGENT: Agent,
    RefKind.TOOL: Tool,
    RefKind.TOOL_RULE: ToolRule,
    RefKind.BLOCK: Block,
    RefKind.ATTACHMENT: Attachment,
    RefKind.MESSAGE: Message,
    RefKind.SUMMARY: Summary,
    RefKind.LAYOUT: Layout,
}
"""What a Request shows, and its class."""

_WHOLE = frozenset({RefKind.TOOL, RefKind.TOOL_RULE, RefKind.ATTACHMENT, RefKind.LAYOUT})
"""Kinds whose changes tell all that was there before, not only what differs."""

_PUT_AWAY = "delete_row"


@dataclass(frozen=True, slots=True)
class PastState:
    """What was otherwise at a moment.

    Attributes:
        entities: What each thing was that has changed since; None for what was not there.
        later_events: Events that were recorded later, whatever time they have.
        later_times: The times of all changes since.
        doubts: What could not be told, and why.
        is_disordered: Times do not tell the order: the clock was set back, or rows are dated otherwise.
    """

    entities: Mapping[Ref, Entity | None]
    later_events: frozenset[str] = frozenset()
    later_times: frozenset[datetime] = frozenset()
    doubts: tuple[Problem, ...] = ()
    is_disordered: bool = False


@dataclass(slots=True)
class _Collected:
    entities: dict[Ref, Entity | None] = field(default_factory=dict)
    blocks: dict[Ref, tuple[Block, VersionThen | None, BlockState]] = field(default_factory=dict)
    doubts: list[Problem] = field(default_factory=list)

    def doubt(self, ref: Ref, error: InspectorError) -> None:
        why = str(error.parameters.get("why", error.code))
        self.doubts.append(Problem("past.unreadable", Severity.ERROR, str(ref), {"why": why}))


class PastThings:
    """Reads what was. It stores nothing."""

    def __init__(self, database: Database, versions: BlockHistory) -> None:
        self._database = database
        self._versions = versions

    async def moment(self, at: datetime) -> JournalMoment:
        """The place in the journal of a time: behind the last change that has a time up to it.

        Raises:
            NotFoundError: ``not_found.moment``, there was nothing yet.
        """
        async with self._database.read() as connection:
            seq = await journal_past.last_until(connection, at)
            if seq == 0:
                first = await journal_past.first_change(connection)
                raise NotFoundError("not_found.moment", time=_time_text(at), first=_time_text(first))
        return JournalMoment(seq, at)

    async def moments(self, agent_id: str) -> tuple[JournalMoment, ...]:
        """When something changed that an agent sees, oldest first; what has one time is one moment."""
        async with self._database.read() as connection:
            return await journal_past.moments(connection, agent_id)

    async def then(self, moment: JournalMoment) -> PastState:
        """What was otherwise at a moment."""
        collected = _Collected()
        async with self._database.read() as connection:
            later = await journal_past.after(connection, moment.seq)
            disorder = await journal_past.out_of_order(connection, moment.seq, moment.at)
            for ref, changes in _by_entity(later).items():
                await self._collect(connection, moment, ref, changes, collected)
        if disorder:
            parameters = {"count": disorder}
            collected.doubts.append(Problem("past.out_of_order", Severity.WARNING, "changes", parameters))
        for ref, (block, version, present) in collected.blocks.items():
            collected.entities[ref] = await self._block(ref, block, version, present, collected)
        return PastState(
            collected.entities,
            frozenset(each.ref.id for each in later if each.ref.kind is RefKind.EVENT),
            frozenset(each.at for each in later),
            tuple(collected.doubts),
            disorder > 0,
        )

    async def _collect(
        self,
        connection: Connection,
        moment: JournalMoment,
        ref: Ref,
        changes: Sequence[LaterChange],
        into: _Collected,
    ) -> None:
        try:
            entity = await read_entity(connection, ref)
            plain = _unwound(plain_row(entity), changes, is_whole=ref.kind in _WHOLE)
            if plain is None:
                into.entities[ref] = None
                return
            is_away = await _was_away(connection, ref, moment.seq, plain)
            value = from_plain(_KINDS[ref.kind], _row(ref.kind, plain))
        except MalformedError as error:
            into.doubt(ref, error)
            return
        if isinstance(value, Block) and entity is not None and isinstance(entity.value, BlockState):
            version = await journal_past.version_at(connection, ref.id, moment.seq)
            last = await journal_past.last_of(connection, ref, moment.seq)
            # A change of the content leaves a time in the row, but no difference of the row in the journal.
            dated = value if last is None else replace(value, updated_at=last[1])
            into.blocks[ref] = (dated, version, entity.value)
        else:
            into.entities[ref] = Entity(value, is_away)

    async def _block(
        self, ref: Ref, block: Block, then: VersionThen | None, present: BlockState, into: _Collected
    ) -> Entity:
        if then is None:
            into.doubt(ref, DocumentError("past.no_version"))
            return Entity(BlockState(block, None, Version(""), 0, None, into.doubts[-1]), not block.is_active)
        try:
            content = await self._content(block, then, present)
        except InspectorError as error:
            into.doubt(ref, error)
            state = BlockState(block, None, then.version, then.revision, then.written, into.doubts[-1])
            return Entity(state, not block.is_active)
        problem = None if content is None else excess(block, content, len(dump(content)))
        state = BlockState(block, content, then.version, then.revision, then.written, problem)
        return Entity(state, not block.is_active)

    async def _content(self, block: Block, then: VersionThen, present: BlockState) -> Content | None:
        if then.version == present.version and block.schema == present.block.schema:
            return present.content
        if isinstance(block.schema, UnreadableSchema):
            raise DocumentError("block.unreadable_schema", label=block.label, why=block.schema.why)
        return (await self._versions.content_at(block.id, then.version, block.schema)).content


def _by_entity(later: Sequence[LaterChange]) -> dict[Ref, list[LaterChange]]:
    found: dict[Ref, list[LaterChange]] = {}
    for change in later:
        if change.ref.kind in _KINDS:
            ref = change.ref if change.ref.kind is RefKind.ATTACHMENT else change.ref.whole
            found.setdefault(ref, []).append(change)
    return found


def _unwound(present: Plain, changes: Sequence[LaterChange], *, is_whole: bool) -> Plain:
    """A row before the changes, which are given newest first; None where it was not there.

    Raises:
        MalformedError: what a change tells cannot be read.
    """
    plain = present
    for change in changes:
        if change.before is None:
            # One that tells neither is of something else than the row's columns.
            plain = plain if change.after is None else None
            continue
        before = parse(change.before)
        if not isinstance(before, dict):
            raise MalformedError("malformed.value", where=f"changes[{change.seq}].before", why="no object")
        if is_whole and _AWAY not in before:
            plain = before
        elif plain is not None:
            plain = {**plain, **{name: value for name, value in before.items() if name in plain}}
    return plain


async def _was_away(connection: Connection, ref: Ref, seq: int, plain: Plain) -> bool:
    if ref.kind not in _WHOLE:
        return bool(plain.get(_AWAY, False))
    # To put a tool is to offer it again, which its change does not say; so the last change of then is asked.
    last = await journal_past.last_of(connection, ref, seq)
    return last is not None and last[0] == _PUT_AWAY


def _row(kind: RefKind, plain: Plain) -> Plain:
    """The columns of a value: whether it is put away is one of some kinds only."""
    has_it = kind in (RefKind.MESSAGE, RefKind.SUMMARY)
    return plain if has_it else {name: value for name, value in plain.items() if name != _AWAY}


def _time_text(moment: datetime | None) -> str:
    return "" if moment is None else str(to_plain(moment))
