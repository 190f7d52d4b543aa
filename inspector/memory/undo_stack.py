"""Reads an actor's undo stack from the journal, newest change first.

A step is what is undone as one: an actor's changes of one changeset, or a single change. The newest of a step's
rows says where it stands: made, taken back, or made again. What was taken back can be made again until the actor
makes another change (of the thing or the agent asked about, where one is named).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from inspector.domain.actor import Actor
from inspector.domain.changes import Change, ChangeRole
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.registry import OPERATIONS
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoStep
from inspector.memory.entities import KINDS
from inspector.storage import changes
from inspector.storage.changes import StepRow
from inspector.storage.connection import Connection

PAGE_ROWS = 200
_NEWEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class StackStep:
    """A step where it stands: the changes that last made it or took it back, oldest first."""

    role: ChangeRole
    rows: tuple[StepRow, ...]

    def holds(self, seq: int) -> bool:
        return any(seq in (row.first, row.change.seq) for row in self.rows)

    def touches(self, ref: Ref) -> bool:
        """Whether it changed a thing; a block's sharing is of the block."""
        kinds = {ref.kind, RefKind.ATTACHMENT} if ref.kind is RefKind.BLOCK else {ref.kind}
        return any(row.change.ref.kind in kinds and row.change.ref.id == ref.id for row in self.rows)

    def is_of(self, owner: str) -> bool:
        """Whether it changed anything of an agent's, or the agent itself."""
        itself = Ref(RefKind.AGENT, owner)
        return any(owner == row.change.owner or row.change.ref.whole == itself for row in self.rows)


async def steps(
    connection: Connection, actor: Actor, ref: Ref | None, owner: str | None, *, undone: bool
) -> AsyncGenerator[StackStep, None]:
    """The actor's steps that can be undone, or with `undone` redone: the next one first.

    With `ref`, those that touch that thing; with `owner`, those that touch anything of that agent's.
    """
    existing: set[str] = set()
    async with aclosing(_rows(connection, actor, ref, owner)) as rows:
        async for row, step in rows:
            if undone and row.role is ChangeRole.DONE:
                # Another change came after whatever was taken back before it.
                return
            if row.step in existing:
                continue
            existing.add(row.step)
            if (step.role is ChangeRole.UNDONE) is undone:
                yield step


async def undo_step(connection: Connection, step: StackStep) -> UndoStep:
    """A step as its actor knows it: by the changes as they were first made."""
    first: list[Change] = []
    for row in step.rows:
        found = row.change if row.first == row.change.seq else await _first(connection, row)
        first.append(found)
    return UndoStep(tuple(sorted(first, key=lambda change: change.seq)), step.role is ChangeRole.UNDONE)


async def _rows(
    connection: Connection, actor: Actor, ref: Ref | None, owner: str | None
) -> AsyncGenerator[tuple[StepRow, StackStep], None]:
    """The actor's changes that can be taken back, newest first, each with its step."""
    found: dict[str, StackStep] = {}
    before = _NEWEST
    while page := await changes.of_actor(connection, actor, ref, before, PAGE_ROWS):
        for row in page:
            if not can_turn(row.change):
                continue
            if row.step not in found:
                found[row.step] = await _step(connection, actor, row)
            step = found[row.step]
            if (ref is None or step.touches(ref)) and (owner is None or step.is_of(owner)):
                yield row, step
        before = page[-1].change.seq


async def _step(connection: Connection, actor: Actor, newest: StepRow) -> StackStep:
    if newest.change.changeset is None:
        return StackStep(newest.role, (newest,))
    rows = await changes.of_actors_changeset(connection, actor, newest.change.changeset)
    mine = tuple(row for row in rows if row.step == newest.step and can_turn(row.change))
    return StackStep(newest.role, mine)


async def _first(connection: Connection, row: StepRow) -> Change:
    found = await changes.get(connection, row.first)
    return row.change if found is None else found.change


def can_turn(change: Change) -> bool:
    """Whether a change can be taken back at all: events, sent Requests and what is asked of people cannot."""
    return change.ref.kind in KINDS and change.kind in OPERATIONS
