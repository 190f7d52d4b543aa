"""TimelineReader reads activity events for a timeline: in slices, so that no statement keeps others waiting."""

from __future__ import annotations

import asyncio
import json
from array import array
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from inspector.domain.activity import Event, EventKind
from inspector.domain.errors import Problem
from inspector.domain.timeline import (
    Compression,
    ContextSize,
    EventDensity,
    EventExtent,
    EventFilter,
    KindTotal,
    SizeCourse,
    StretchTotals,
    TimeBucket,
    TimeRange,
    sizes_of_messages,
    thinned,
)
from inspector.storage import activity as event_rows
from inspector.storage import timeline as rows
from inspector.storage.database import Database

_SLICE_SEQS = 32_768
_SLICE_EVENTS = 65_536
_SLICE_MESSAGES = 20_000
_MOST_SIZES = 400
_MOST_MESSAGES = 400_000


class TimelineReader:
    """Events by number, by time and in sums; and how large an agent's context was."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def extent(self) -> EventExtent:
        """How far the events of all agents reach."""
        async with self._database.read() as source:
            return await rows.extent(source)

    async def kinds(self) -> tuple[str, ...]:
        """The kinds that the newest events have, by name."""
        async with self._database.read() as source:
            return await rows.kind_names(source)

    async def seqs(self, wanted: EventFilter, reach: EventExtent, after: int = 0) -> Sequence[int]:
        """The numbers of the events that a filter lets through, in order, behind one of them.

        Where nothing is kept back and no number is missing, none is read.
        """
        first = max(after + 1, reach.first_seq)
        if wanted.passes_all and reach.is_unbroken:
            return range(first, reach.last_seq + 1)
        found = array("q")
        for start in range(first - 1, reach.last_seq, _SLICE_SEQS):
            async with self._database.read() as source:
                found.extend(await rows.seqs(source, wanted, start, min(start + _SLICE_SEQS, reach.last_seq)))
        return found

    async def page(self, seqs: Sequence[int]) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
        """Events by number, at most a few hundred, and a problem for each that can't be read."""
        async with self._database.read() as source:
            return await rows.page(source, seqs)

    async def event(self, event_id: str) -> Event | None:
        """One event by its id.

        Raises:
            MalformedError, ValueError: it can't be read.
        """
        async with self._database.read() as source:
            return await event_rows.get(source, event_id)

    async def first_from(self, wanted: EventFilter, moment: datetime) -> int | None:
        """The number of the first event from a moment on that a filter lets through, None behind the last."""
        async with self._database.read() as source:
            return await rows.first_from(source, wanted, moment)

    async def density(self, wanted: EventFilter, over: TimeRange, count: int) -> AsyncIterator[EventDensity]:
        """Events in `count` buckets of a stretch: again and again with more of them counted, the last one whole."""
        buckets = [[0, 0, 0, 0, 0] for _ in range(count)]
        async for part in self._parts(wanted, over, count):
            async with self._database.read() as source:
                found = await rows.buckets(source, wanted, over, part, count)
            for place, importance, folded, events in found:
                buckets[place][importance] += events
                buckets[place][4] += events if folded else 0
            yield EventDensity(over, _as_buckets(buckets))
        yield EventDensity(over, _as_buckets(buckets), is_whole=True)

    async def totals(self, wanted: EventFilter, over: TimeRange) -> AsyncIterator[StretchTotals]:
        """What a stretch adds up to, by kind and by model: again and again with more of it, the last one whole."""
        agent = wanted.agent or None
        async with self._database.read() as source:
            runs = await rows.runs(source, agent, over) if wanted.agent != "" else ()
        sums: dict[str, KindTotal] = {}
        totals = StretchTotals(over, (), runs)
        async for part in self._parts(wanted, over, 1_000):
            async with self._database.read() as source:
                found = await rows.kinds(source, wanted, part)
            for each in found:
                was = sums.get(each.kind, KindTotal(each.kind, 0))
                sums[each.kind] = KindTotal(each.kind, was.count + each.count, was.important + each.important)
            kinds = tuple(sorted(sums.values(), key=lambda each: (-each.count, each.kind)))
            totals = StretchTotals(over, kinds, runs)
            yield totals
        yield replace(totals, is_whole=True)

    async def sizes(self, agent_id: str) -> SizeCourse:
        """How large an agent's context was over time: what its runs reported, and estimates of its messages alone.

        The estimates follow the lengths of the messages and what each compression archived.
        """
        compressions = await self._compressions(agent_id)
        async with self._database.read() as source:
            reported = await rows.run_sizes(source, agent_id)
        lengths = await self._lengths(agent_id)
        return await asyncio.to_thread(_course, agent_id, reported, lengths, compressions)

    async def version_at(self, block_id: str, moment: datetime) -> int | None:
        """The number of the version that a change of a block at a moment made, None where it made none."""
        async with self._database.read() as source:
            return await rows.version_at(source, block_id, moment)

    async def message_at(self, batch_id: str, moment: datetime) -> str | None:
        """The message of a batch that was written at a moment, else its first one; None when all are gone."""
        async with self._database.read() as source:
            return await rows.message_at(source, batch_id, moment)

    async def run_before(self, agent_id: str, moment: datetime) -> str | None:
        """The id of an agent's last run up to a moment, test calls apart; None where there is none."""
        async with self._database.read() as source:
            return await rows.run_before(source, agent_id, moment)

    async def _parts(self, wanted: EventFilter, over: TimeRange, count: int) -> AsyncIterator[TimeRange]:
        """A stretch cut at the bounds of its buckets, each part with about as many events as one read may take."""
        async with self._database.read() as source:
            events = await rows.count(source, wanted, over)
        parts = min(max(1, -(-events // _SLICE_EVENTS)), count)
        bounds = [over.start + over.length * (place / parts) for place in range(parts)] + [over.end]
        for start, end in pairwise(bounds):
            yield TimeRange(start, end)

    async def _compressions(self, agent_id: str) -> list[Compression]:
        wanted = EventFilter(agent=agent_id, kind=EventKind.CONTEXT_COMPRESSED.value)
        reach = await self.extent()
        seqs = await self.seqs(wanted, reach)
        found: list[Compression] = []
        # Of more than that, a chart shows nothing any more.
        for start in range(max(0, len(seqs) - 5_000), len(seqs), 256):
            events, _ = await self.page(seqs[start : start + 256])
            found += map(_compression, events)
        return sorted(found, key=lambda each: (each.at, each.seq))

    async def _lengths(self, agent_id: str) -> list[tuple[datetime, int]]:
        found: list[tuple[datetime, int]] = []
        after: int | None = -1
        while after is not None and len(found) < _MOST_MESSAGES:
            async with self._database.read() as source:
                part, after = await rows.message_lengths(source, agent_id, after, _SLICE_MESSAGES)
            found += part
        return found


def _as_buckets(buckets: Sequence[Sequence[int]]) -> tuple[TimeBucket, ...]:
    return tuple(
        TimeBucket((low, medium, high, critical), folded) for low, medium, high, critical, folded in buckets
    )


def _compression(event: Event) -> Compression:
    try:
        details = json.loads(event.details)
    except (ValueError, RecursionError):
        details = {}
    details = details if isinstance(details, dict) else {}
    archived, summary = details.get("messages_archived"), details.get("summary_created")
    return Compression(
        event.timestamp,
        event.seq,
        max(0, archived) if isinstance(archived, int) else 0,
        summary if isinstance(summary, str) else "",
    )


def _course(
    agent_id: str,
    reported: Sequence[tuple[datetime, int]],
    lengths: Sequence[tuple[datetime, int]],
    compressions: Sequence[Compression],
) -> SizeCourse:
    estimates = sizes_of_messages(sorted(lengths), compressions)
    sizes = [*estimates, *(ContextSize(at, tokens, reported=True) for at, tokens in reported)]
    sizes.sort(key=lambda each: (each.at, each.seq))
    return SizeCourse(agent_id, thinned(sizes, _MOST_SIZES), len(sizes))
