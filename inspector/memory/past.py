"""Things as they were at an earlier moment: rows by the journal read backwards, blocks with their content of then.

Only what has changed since is read; everything else is as it is now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from inspector.domain.agents import Agent, Tool, ToolRule
from inspector.domain.blocks import Attachment, Block, UnreadableSchema
from inspector.domain.codec import Plain, from_plain, to_plain
from inspector.domain.content import Content
from inspector.domain.edits.base import Version
from inspector.domain.errors import DocumentError, InspectorError, MalformedError, NotFoundError
from inspector.domain.excess import excess
from inspector.domain.health import Problem, Severity
from inspector.domain.layouts import Layout
from inspector.domain.messages import Message
from inspector.domain.past import Moment
from inspector.domain.previews import Thing
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.domain.summaries import Summary
from inspector.memory.history import BlockHistory
from inspector.memory.things import plain_row, read_thing
from inspector.storage import past
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.json_columns import dump, parse
from inspector.storage.past import LaterChange, VersionThen

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
class Then:
    """What was otherwise at a moment.

    Attributes:
        things: What each thing was that has changed since; None for what was not there.
        later_events: Events that were recorded later, whatever time they have.
        later_times: The times of all changes since.
        doubts: What could not be told, and why.
        is_disordered: Times do not tell the order: the clock was set back, or rows are dated otherwise.
    """

    things: Mapping[Ref, Thing | None]
    later_events: frozenset[str] = frozenset()
    later_times: frozenset[datetime] = frozenset()
    doubts: tuple[Problem, ...] = ()
    is_disordered: bool = False


@dataclass(slots=True)
class _Collected:
    things: dict[Ref, Thing | None] = field(default_factory=dict)
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

    async def moment(self, at: datetime) -> Moment:
        """The place in the journal of a time: behind the last change that has a time up to it.

        Raises:
            NotFoundError: ``not_found.moment``, there was nothing yet.
        """
        async with self._database.read() as connection:
            seq = await past.last_until(connection, at)
            if seq == 0:
                first = await past.first_change(connection)
                raise NotFoundError("not_found.moment", time=_told(at), first=_told(first))
        return Moment(seq, at)

    async def then(self, moment: Moment) -> Then:
        """What was otherwise at a moment."""
        collected = _Collected()
        async with self._database.read() as connection:
            later = await past.after(connection, moment.seq)
            disorder = await past.out_of_order(connection, moment.seq, moment.at)
            for ref, changes in _by_thing(later).items():
                await self._collect(connection, moment, ref, changes, collected)
        if disorder:
            told = {"count": disorder}
            collected.doubts.append(Problem("past.out_of_order", Severity.WARNING, "changes", told))
        for ref, (block, version, present) in collected.blocks.items():
            collected.things[ref] = await self._block(ref, block, version, present, collected)
        return Then(
            collected.things,
            frozenset(each.ref.id for each in later if each.ref.kind is RefKind.EVENT),
            frozenset(each.at for each in later),
            tuple(collected.doubts),
            disorder > 0,
        )

    async def _collect(
        self,
        connection: Connection,
        moment: Moment,
        ref: Ref,
        changes: Sequence[LaterChange],
        into: _Collected,
    ) -> None:
        try:
            thing = await read_thing(connection, ref)
            plain = _unwound(plain_row(thing), changes, is_whole=ref.kind in _WHOLE)
            if plain is None:
                into.things[ref] = None
                return
            is_away = await _was_away(connection, ref, moment.seq, plain)
            value = from_plain(_KINDS[ref.kind], _row(ref.kind, plain))
        except MalformedError as error:
            into.doubt(ref, error)
            return
        if isinstance(value, Block) and thing is not None and isinstance(thing.value, BlockState):
            version = await past.version_at(connection, ref.id, moment.seq)
            last = await past.last_of(connection, ref, moment.seq)
            # A change of the content leaves a time in the row, but no difference of the row in the journal.
            dated = value if last is None else replace(value, updated_at=last[1])
            into.blocks[ref] = (dated, version, thing.value)
        else:
            into.things[ref] = Thing(value, is_away)

    async def _block(
        self, ref: Ref, block: Block, then: VersionThen | None, present: BlockState, into: _Collected
    ) -> Thing:
        if then is None:
            into.doubt(ref, DocumentError("past.no_version"))
            return Thing(BlockState(block, None, Version(""), 0, None, into.doubts[-1]), not block.is_active)
        try:
            content = await self._content(block, then, present)
        except InspectorError as error:
            into.doubt(ref, error)
            state = BlockState(block, None, then.version, then.revision, then.written, into.doubts[-1])
            return Thing(state, not block.is_active)
        problem = None if content is None else excess(block, content, len(dump(content)))
        state = BlockState(block, content, then.version, then.revision, then.written, problem)
        return Thing(state, not block.is_active)

    async def _content(self, block: Block, then: VersionThen, present: BlockState) -> Content | None:
        if then.version == present.version and block.schema == present.block.schema:
            return present.content
        if isinstance(block.schema, UnreadableSchema):
            raise DocumentError("block.unreadable_schema", label=block.label, why=block.schema.why)
        return (await self._versions.content_at(block.id, then.version, block.schema)).content


def _by_thing(later: Sequence[LaterChange]) -> dict[Ref, list[LaterChange]]:
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
    last = await past.last_of(connection, ref, seq)
    return last is not None and last[0] == _PUT_AWAY


def _row(kind: RefKind, plain: Plain) -> Plain:
    """The columns of a value: whether it is put away is one of some kinds only."""
    has_it = kind in (RefKind.MESSAGE, RefKind.SUMMARY)
    return plain if has_it else {name: value for name, value in plain.items() if name != _AWAY}


def _told(moment: datetime | None) -> str:
    return "" if moment is None else str(to_plain(moment))
