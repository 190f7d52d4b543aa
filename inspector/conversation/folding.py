"""Stores a summary and archives the messages it replaces, in one transaction."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from inspector.conversation.messages import MessageWriter
from inspector.conversation.summaries import SummaryWriter
from inspector.domain.activity import EventKind, NewEvent
from inspector.domain.actor import Actor, Clock, IdGenerator
from inspector.domain.coverage import covered_ranges, holds, merged
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import ArchiveMessage
from inspector.domain.errors import Refusal, RefusedError
from inspector.domain.folding import covered_with
from inspector.domain.messages import Message
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import Summary
from inspector.domain.summarising import (
    ArchivedMessages,
    FoldedSummary,
    Proposal,
    Summarised,
    SummarySource,
)
from inspector.storage import messages as message_rows
from inspector.storage import summaries as summary_rows
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.journal import Journal
from inspector.storage.transaction import Guard, Transaction

_AT_NOTHING = Edit(Ref(RefKind.SUMMARY, ""), ArchiveMessage())
"""Stands in an intent until each of its edits takes the place."""


class SummaryFolder:
    """Stores proposals. What was written since a proposal was made is seen: then it is refused.

    Args:
        database: The open file.
        clock: The time of what is stored.
        ids: The ids of what is stored.
    """

    def __init__(self, database: Database, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._ids = ids
        self._journal = journal = Journal(clock, ids)
        self._summaries = SummaryWriter(journal)
        self._messages = MessageWriter(journal)

    async def fold(
        self,
        proposal: Proposal,
        *,
        actor: Actor,
        reason: str = "",
        covered: Sequence[Message] = (),
        guard: Guard | None = None,
    ) -> FoldedSummary:
        """Store the summary, archive the messages that it stands for, and log it; undone as one step.

        Args:
            proposal: What is to be stored.
            actor: Who does it.
            reason: Why.
            covered: Older messages that stored summaries speak of, which are archived with it.
            guard: Is asked first, in the same transaction.

        Raises:
            RefusedError: ``refused.summary_overtaken``: a message was changed, archived or deleted, another summary
                speaks of it already, or none of a covered one any more; and what storing a summary refuses.
                FileError: the file cannot be written. Nothing was changed then.
        """
        changeset, at = self._ids("set"), self._journal.clock()
        async with self._database.write(changeset) as tx:
            if guard is not None:
                await guard(tx)
            await _require_same(tx, proposal.source)
            await _require_covered(tx, proposal.source.agent_id, covered)
            summary, gone = await self._store(
                tx, proposal, covered, Intent(_AT_NOTHING, actor, reason, at=at)
            )
        return FoldedSummary(summary, tuple(each.id for each in gone), changeset)

    async def fold_all(
        self, done: Summarised, *, actor: Actor, reason: str = ""
    ) -> tuple[FoldedSummary, ...]:
        """Store all that a run that was only tried has proposed, as one change that is undone as one step.

        Raises:
            RefusedError, FileError: as `fold`. Nothing was changed then.
        """
        changeset, at = self._ids("set"), self._journal.clock()
        agent_id, covered = done.plan.agent_id, done.plan.covered
        intent = Intent(_AT_NOTHING, actor, reason, at=at)
        made: dict[str, Summary] = {}
        folded: list[FoldedSummary] = []
        async with self._database.write(changeset) as tx:
            await _require_all_same(tx, done)
            await _require_covered(tx, agent_id, covered)
            for number, proposal in enumerate(done.proposals, start=1):
                settled = replace(proposal, source=_settled(proposal.source, made))
                with_it = covered_with(settled.source.messages, covered) if settled.source.messages else ()
                away = {each.id for each in with_it}
                covered = tuple(each for each in covered if each.id not in away)
                summary, gone = await self._store(tx, settled, with_it, intent)
                made[f"new_{number}"] = summary
                folded.append(FoldedSummary(summary, tuple(each.id for each in gone), changeset))
            if covered:
                await self._archive(tx, intent, covered)
                await self._tell(tx, intent, agent_id, _compressed(covered, None))
        return tuple(folded)

    async def _store(
        self, tx: Transaction, proposal: Proposal, covered: Sequence[Message], intent: Intent
    ) -> tuple[Summary, Sequence[Message]]:
        """Store a checked proposal, archive what it stands for and `covered`, and log it."""
        source, operation = proposal.source, proposal.operation
        stored = replace(intent, edit=Edit(Ref(RefKind.SUMMARY, ""), operation))
        gone = sorted((*covered, *source.messages), key=lambda each: each.position)
        receipt = await self._summaries.store(tx, stored, operation)
        await self._archive(tx, stored, gone)
        details = {
            **_compressed(gone, receipt.ref.id),
            "depth": source.depth,
            "made_by": proposal.made_by,
            "tokens_before": proposal.source_tokens,
            "tokens_after": proposal.tokens,
            "lost": proposal.losses.count,
        }
        await self._tell(tx, stored, source.agent_id, details)
        return proposal.as_summary(receipt.ref.id, self._journal.moment(stored)), gone

    async def put_away(
        self,
        agent_id: str,
        covered: Sequence[Message],
        *,
        actor: Actor,
        reason: str = "",
        guard: Guard | None = None,
    ) -> ArchivedMessages:
        """Archive messages that stored summaries speak of, and log it; undone as one step. `guard` is asked first.

        Raises:
            RefusedError: ``refused.summary_overtaken``: a message was changed, archived or deleted, or no summary
                speaks of it any more. FileError: the file cannot be written. Nothing was changed then.
        """
        changeset = self._ids("set")
        first = Edit(Ref(RefKind.MESSAGE, covered[0].id), ArchiveMessage())
        intent = Intent(first, actor, reason, at=self._journal.clock())
        async with self._database.write(changeset) as tx:
            if guard is not None:
                await guard(tx)
            await _require_covered(tx, agent_id, covered)
            await self._archive(tx, intent, covered)
            await self._tell(tx, intent, agent_id, _compressed(covered, None))
        return ArchivedMessages(tuple(each.id for each in covered), changeset)

    async def _archive(self, tx: Transaction, intent: Intent, messages: Sequence[Message]) -> None:
        archiving = ArchiveMessage()
        for message in messages:
            edit = Edit(Ref(RefKind.MESSAGE, message.id), archiving)
            await self._messages.archive(tx, replace(intent, edit=edit), archiving)

    async def _tell(
        self, tx: Transaction, intent: Intent, agent_id: str, details: Mapping[str, object]
    ) -> None:
        self._journal.tell(tx, intent, NewEvent(agent_id, EventKind.CONTEXT_COMPRESSED, details))


def _compressed(gone: Sequence[Message], summary_id: str | None) -> Mapping[str, object]:
    return {"messages_archived": len(gone), "summary_created": summary_id}


async def _require_covered(tx: Connection, agent_id: str, covered: Sequence[Message]) -> None:
    """Pass if messages are as they were when they were read, and stored summaries speak of each.

    Raises:
        RefusedError: ``refused.summary_overtaken``.
    """
    if not covered:
        return
    found, _ = await summary_rows.of_agent(tx, agent_id, deleted=True)
    ranges = covered_ranges(found)
    reported = merged(one for each in found if not each.is_deleted for one in ranges[each.id])
    for message in covered:
        if await message_rows.get(tx, message.id) != message or not holds(reported, message.position):
            raise _overtaken(Ref(RefKind.MESSAGE, message.id))


async def _require_same(tx: Connection, source: SummarySource) -> None:
    """Pass if the source is as it was when it was read.

    Raises:
        RefusedError: ``refused.summary_overtaken``.
    """
    await _require_same_messages(tx, source)
    found, _ = await summary_rows.of_agent(tx, source.agent_id, deleted=True)
    present = {each.id: each for each in found if not each.is_deleted}
    for child in source.children:
        if present.get(child.id) != child:
            raise _overtaken(Ref(RefKind.SUMMARY, child.id))
    used = {child for each in present.values() for child in each.children}
    for child in source.children:
        if child.id in used:
            raise _overtaken(Ref(RefKind.SUMMARY, child.id))
    ranges = covered_ranges(found)
    covered = merged(one for each in present for one in ranges[each])
    for message in source.messages:
        if holds(covered, message.position):
            raise _overtaken(Ref(RefKind.MESSAGE, message.id))


async def _require_all_same(tx: Connection, done: Summarised) -> None:
    """Pass if the sources of a run's proposals are as they were; everything is read once, however many there are.

    Raises:
        RefusedError: ``refused.summary_overtaken``.
    """
    agent_id = done.plan.agent_id
    found, _ = await summary_rows.of_agent(tx, agent_id, deleted=True)
    present = {each.id: each for each in found if not each.is_deleted}
    used = {child for each in present.values() for child in each.children}
    ranges = covered_ranges(found)
    covered = merged(one for each in present for one in ranges[each])
    positions = await message_rows.positions(tx, agent_id)
    new: set[str] = set()
    for number, proposal in enumerate(done.proposals, start=1):
        source = proposal.source
        for child in source.children:
            if child.id not in new and (present.get(child.id) != child or child.id in used):
                raise _overtaken(Ref(RefKind.SUMMARY, child.id))
        new.add(f"new_{number}")
        for message in source.messages:
            stored = await message_rows.get(tx, message.id)
            if stored != message or holds(covered, message.position):
                raise _overtaken(Ref(RefKind.MESSAGE, message.id))
        covers = source.covers
        if covers is not None:
            own = {message.position for message in source.messages}
            start, end = bisect_left(positions, covers.first), bisect_right(positions, covers.last)
            for position in positions[start:end]:
                if position not in own:
                    raise _overtaken(Ref(RefKind.MESSAGE, str(position)))


def _settled(source: SummarySource, made: Mapping[str, Summary]) -> SummarySource:
    """A source with the stored summaries in the place of those that were only proposed."""
    children = tuple(made.get(each.id, each) for each in source.children)
    previous = source.previous
    return replace(
        source, children=children, previous=None if previous is None else made.get(previous.id, previous)
    )


async def _require_same_messages(tx: Connection, source: SummarySource) -> None:
    for message in source.messages:
        if await message_rows.get(tx, message.id) != message:
            raise _overtaken(Ref(RefKind.MESSAGE, message.id))
    covers = source.covers
    if covers is None:
        return
    own = {message.position for message in source.messages}
    # One that was deleted may have come back between them.
    for position in await message_rows.positions(tx, source.agent_id):
        if covers.first <= position <= covers.last and position not in own:
            raise _overtaken(Ref(RefKind.MESSAGE, str(position)))


def _overtaken(ref: Ref) -> RefusedError:
    return RefusedError(Refusal("refused.summary_overtaken", {"what": str(ref)}))
