"""Storing a summary with all that it brings about: one transaction, or nothing."""

from __future__ import annotations

from inspector.conversation.messages import MessageWriter
from inspector.conversation.summaries import SummaryWriter
from inspector.domain.activity import EventKind, Told
from inspector.domain.actor import Actor
from inspector.domain.coverage import covered_ranges, holds, merged
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.rows import ArchiveMessage
from inspector.domain.errors import Refusal, RefusedError
from inspector.domain.moments import Clock, IdGenerator
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summarising import Folded, Proposal, SummarySource
from inspector.storage import messages as message_rows
from inspector.storage import summaries as summary_rows
from inspector.storage.connection import Connection
from inspector.storage.database import Database, Transaction
from inspector.storage.journal import Journal


class Folder:
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

    async def fold(self, proposal: Proposal, *, actor: Actor, reason: str = "") -> Folded:
        """Store the summary, archive the messages that it stands for, and log it; undone as one step.

        Raises:
            RefusedError: ``refused.summary_overtaken``: a message was changed, archived or deleted, or another
                summary speaks of it already; and what storing a summary refuses. FileError: the file cannot be
                written. Nothing was changed then.
        """
        changeset = self._ids("set")
        at = self._journal.clock()
        source, operation = proposal.source, proposal.operation

        def intent(ref: Ref, what: Operation) -> Intent:
            return Intent(Edit(ref, what), actor, reason, at=at)

        async with self._database.write(changeset) as tx:
            await _require_same(tx, source)
            stored = intent(Ref(RefKind.SUMMARY, ""), operation)
            receipt = await self._summaries.store(tx, stored, operation)
            for message in source.messages:
                archiving = ArchiveMessage()
                await self._messages.archive(
                    tx, intent(Ref(RefKind.MESSAGE, message.id), archiving), archiving
                )
            await self._tell(tx, stored, proposal, receipt.ref.id)
        summary = proposal.as_summary(receipt.ref.id, at)
        return Folded(summary, tuple(each.id for each in source.messages), changeset)

    async def _tell(self, tx: Transaction, intent: Intent, proposal: Proposal, summary_id: str) -> None:
        source = proposal.source
        details: dict[str, object] = {
            "messages_archived": len(source.messages),
            "summary_created": summary_id,
            "depth": source.depth,
            "made_by": proposal.made_by,
            "tokens_before": proposal.source_tokens,
            "tokens_after": proposal.tokens,
            "lost": proposal.losses.count,
        }
        await self._journal.tell(tx, intent, Told(source.agent_id, EventKind.CONTEXT_COMPRESSED, details))


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
