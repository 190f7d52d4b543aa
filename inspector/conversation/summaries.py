"""Applies operations on summaries, reads them, follows their chains and accounts for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.domain.actor import ActorKind, Clock, IdGenerator
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.coverage import Coverage, coverage_of, latest_of
from inspector.domain.edits.base import Intent, Operation, Receipt
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import EditSummary, StoreSummary
from inspector.domain.errors import NotFoundError, Parameter, Problem, Refusal, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search_index import found_of_summary
from inspector.domain.summaries import ChainEnd, Summary, SummaryChain, SummaryChildren, SummaryVersion
from inspector.storage import agents, changes, json_columns, search
from inspector.storage import messages as message_rows
from inspector.storage import summaries as rows
from inspector.storage.changes import ChangeRow
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.journal import Journal, differences
from inspector.storage.transaction import Transaction

MOST_LINKS = 10_000
"""Summaries that a chain has at most, where no limit is given."""


class SummaryWriter:
    """Writes summaries. Agents store what they summarise, but only people and the engine change a summary."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def store(self, tx: Transaction, intent: Intent, operation: StoreSummary) -> Receipt:
        """Add a summary.

        Raises:
            RefusedError: ``refused.time_range``, ``refused.summary_covers``, ``refused.summary_numbers``,
                ``refused.exists``. NotFoundError: ``not_found.agent``.
        """
        _check(operation)
        summary_id = intent.edit.target.id or self._journal.ids("sum")
        if not await agents.exists(tx, operation.agent_id):
            raise NotFoundError("not_found.agent", name=operation.agent_id)
        if await rows.exists(tx, summary_id):
            raise _refused("refused.exists", id=summary_id)
        summary = Summary(
            id=summary_id,
            agent_id=operation.agent_id,
            content=operation.content,
            topics=operation.topics,
            start=operation.start,
            end=operation.end,
            message_count=operation.message_count,
            depth=operation.depth,
            previous_summary_id=operation.previous_summary_id,
            covers=operation.covers,
            children=operation.children,
            details=operation.details,
            created_at=self._journal.moment(intent),
        )
        await rows.insert(tx, summary)
        search.put(tx, found_of_summary(summary))
        ref = Ref(RefKind.SUMMARY, summary.id)
        return await self._journal.recorded(tx, intent, ref, summary.agent_id, (None, summary))

    async def edit(self, tx: Transaction, intent: Intent, operation: EditSummary) -> Receipt:
        """Change a summary's texts.

        Raises:
            RefusedError: ``refused.people_only``. NotFoundError: ``not_found.summary``.
        """
        summary = await self._summary(tx, intent)
        given = {
            name: value
            for name in ("content", "topics", "details")
            if (value := getattr(operation, name)) is not None
        }
        changed = replace(summary, **given)
        if changed == summary:
            return self._journal.unchanged(intent)
        await rows.set_texts(tx, summary, changed)
        return await self._changed(tx, intent, summary, changed)

    async def put_away(self, tx: Transaction, intent: Intent, operation: Operation) -> Receipt:
        """Delete a summary or bring it back.

        Raises:
            RefusedError: ``refused.people_only``. NotFoundError: ``not_found.summary``.
        """
        deleted = isinstance(operation, DeleteRow)
        summary = await self._summary(tx, intent)
        if summary.is_deleted == deleted:
            return self._journal.unchanged(intent)
        await rows.set_deleted(tx, summary.id, deleted=deleted)
        return await self._changed(tx, intent, summary, replace(summary, is_deleted=deleted))

    async def _changed(self, tx: Transaction, intent: Intent, before: Summary, after: Summary) -> Receipt:
        search.put(tx, found_of_summary(after))
        ref = intent.edit.target.whole
        return await self._journal.recorded(tx, intent, ref, before.agent_id, differences(before, after))

    async def _summary(self, source: Connection, intent: Intent) -> Summary:
        if intent.actor.kind is ActorKind.AGENT:
            raise _refused("refused.people_only", operation=intent.edit.operation.op)
        return await require_summary(source, intent.edit.target.id)


class SummaryStore:
    """The summaries of one constellation: stored, read, followed back, accounted for.

    Args:
        database: The open file.
        clock: The time of what is stored.
        ids: The ids of what is stored.
    """

    def __init__(self, database: Database, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._journal = Journal(clock, ids)
        self._writer = SummaryWriter(self._journal)

    async def get(self, summary_id: str) -> Summary | None:
        """One summary, deleted ones included; None when there is none of that id.

        Raises:
            MalformedError: it cannot be read.
        """
        async with self._database.read() as source:
            return await rows.get(source, summary_id)

    async def of_agent(
        self, agent_id: str, *, deleted: bool = False
    ) -> tuple[tuple[Summary, ...], tuple[Problem, ...]]:
        """An agent's summaries in the order in which they were written, and what cannot be read."""
        async with self._database.read() as source:
            found, problems = await rows.of_agent(source, agent_id, deleted=deleted)
        return tuple(found), tuple(problems)

    async def latest(self, agent_id: str) -> Summary | None:
        """The one that speaks of the latest messages, None when there is none; see `latest_of`."""
        async with self._database.read() as source:
            found, _ = await rows.of_agent(source, agent_id, deleted=True)
        return latest_of(found)

    async def chain(self, start: str, limit: int = MOST_LINKS) -> SummaryChain:
        """A summary and those before it, newest first, as far as `previous_summary_id` leads.

        All of it is read at once, however long it is.

        Raises:
            NotFoundError: ``not_found.summary``, for the first one. MalformedError: the first one cannot be read.
        """
        async with self._database.read() as source:
            first = await require_summary(source, start)
            found, problems = await rows.of_agent(source, first.agent_id, deleted=True)
        unreadable = frozenset(each.where.partition(":")[2] for each in problems)
        return follow(first, {each.id: each for each in found}, unreadable, limit)

    async def children(self, summary_id: str) -> SummaryChildren:
        """What a summary was made of; deleted ones are there still.

        Raises:
            NotFoundError: ``not_found.summary``. MalformedError: the summary itself cannot be read.
        """
        async with self._database.read() as source:
            parent = await require_summary(source, summary_id)
            found, _ = await rows.of_agent(source, parent.agent_id, deleted=True)
        by_id = {each.id: each for each in found}
        there = tuple(by_id[each] for each in parent.children if each in by_id)
        return SummaryChildren(there, tuple(each for each in parent.children if each not in by_id))

    async def coverage(self, agent_id: str) -> Coverage:
        """What an agent's summaries speak of: ranges, gaps between messages, overlaps, broken links."""
        async with self._database.read() as source:
            found, _ = await rows.of_agent(source, agent_id, deleted=True)
            positions = await message_rows.positions(source, agent_id)
        return coverage_of(found, positions)

    async def history(self, summary_id: str) -> tuple[SummaryVersion, ...]:
        """All that a summary has been, oldest first: worked out backwards from what it is.

        Raises:
            NotFoundError: ``not_found.summary``. MalformedError: it cannot be read.
        """
        async with self._database.read() as source:
            present = await require_summary(source, summary_id)
            reported = await changes.of_ref(source, Ref(RefKind.SUMMARY, summary_id))
        return _versions(present, reported)


async def require_summary(source: Connection, summary_id: str) -> Summary:
    """A summary, deleted ones included.

    Raises:
        NotFoundError: ``not_found.summary``. MalformedError: it cannot be read.
    """
    summary = await rows.get(source, summary_id)
    if summary is None:
        raise NotFoundError("not_found.summary", name=summary_id)
    return summary


def follow(
    first: Summary, existing: Mapping[str, Summary], unreadable: frozenset[str], limit: int
) -> SummaryChain:
    """The chain from a summary back, as far as it goes and `limit` allows."""
    chain: list[Summary] = []
    entered: set[str] = set()
    link: str | None = first.id
    while link is not None:
        end = _end(link, existing, unreadable, entered)
        if end is not None:
            return SummaryChain(tuple(chain), end, link)
        if len(chain) >= limit:
            return SummaryChain(tuple(chain), ChainEnd.LIMIT, link)
        entered.add(link)
        chain.append(existing[link])
        link = existing[link].previous_summary_id
    return SummaryChain(tuple(chain), ChainEnd.BEGINNING)


def _end(
    link: str, existing: Mapping[str, Summary], unreadable: frozenset[str], entered: set[str]
) -> ChainEnd | None:
    if link in entered:
        return ChainEnd.CYCLE
    if link in unreadable:
        return ChainEnd.UNREADABLE
    if link not in existing:
        return ChainEnd.MISSING
    # The one that is asked for may be deleted itself.
    return ChainEnd.DELETED if entered and existing[link].is_deleted else None


def _versions(present: Summary, reported: Sequence[ChangeRow]) -> tuple[SummaryVersion, ...]:
    plain: dict[str, Any] = to_plain(present)
    found: list[SummaryVersion] = []
    for row in reversed(reported):
        change = row.change
        summary = from_plain(Summary, plain)
        found.append(SummaryVersion(summary, change.seq, change.at, change.actor, change.kind, change.reason))
        before = None if row.before is None else json_columns.parse(row.before)
        if before is None:
            return tuple(reversed(found))
        plain.update(before)
    # Nobody recorded how it came to be: it was read from a file without its history.
    first = from_plain(Summary, plain)
    found.append(SummaryVersion(first, None, first.created_at, None, StoreSummary.op))
    return tuple(reversed(found))


def _check(operation: StoreSummary) -> None:
    if operation.end < operation.start:
        raise _refused("refused.time_range")
    covers = operation.covers
    if covers is not None and covers.last < covers.first:
        raise _refused("refused.summary_covers", first=covers.first, last=covers.last)
    if operation.depth < 0 or operation.message_count < 0:
        raise _refused("refused.summary_numbers", depth=operation.depth, messages=operation.message_count)


def _refused(code: str, **parameters: Parameter) -> RefusedError:
    return RefusedError(Refusal(code, parameters))
