"""The history service: a block's versions with their tokens and differences, and the journal by pages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from inspector.context.counting.counter import Counter
from inspector.context.counting.pool import CounterPool, ModelSource, counter_for
from inspector.domain.actor import Actor
from inspector.domain.changes import JournalEntry
from inspector.domain.content import TextContent
from inspector.domain.counts import Count
from inspector.domain.differences.hunks import Hunk, hunks
from inspector.domain.differences.texts import diff_texts
from inspector.domain.edits.base import Version
from inspector.domain.history import (
    BlockVersion,
    MeasuredHunk,
    MeasuredVersion,
    VersionComparison,
    VersionContent,
)
from inspector.domain.rendering.render import render_whole
from inspector.memory.change_log import ChangeLog
from inspector.memory.history import AT_ONCE, BlockHistory

PAGE = 100
"""Versions or changes of one page."""
_CHARACTERS_AT_ONCE = 2_000_000
"""Of texts that are read before any of them is counted."""


class HistoryService:
    """Reads what was done: by block with tokens, and over the whole file. It stores nothing."""

    def __init__(
        self, versions: BlockHistory, log: ChangeLog, models: ModelSource, counters: CounterPool
    ) -> None:
        self._versions = versions
        self._log = log
        self._models = models
        self._counters = counters

    async def versions(
        self, block_id: str, model: str, before: int | None = None, limit: int = PAGE
    ) -> tuple[MeasuredVersion, ...]:
        """A page of a block's versions, newest first, numbered below `before`, with tokens as `model` counts.

        Raises:
            FileError: the file cannot be read.
        """
        # One more, for what the oldest of the page has added.
        found = await self._versions.versions(block_id, before, limit + 1)
        counts = await self._tokens(block_id, found, self._counter(model))
        return await asyncio.to_thread(_newest_first, found, counts, limit)

    async def compare(self, block_id: str, before: Version, after: Version, model: str) -> VersionComparison:
        """What differs between two versions, as texts with hunks and their tokens.

        Raises:
            NotFoundError: ``not_found.block``. RefusedError: ``refused.unreadable_schema``.
            DocumentError: the document cannot be read, or never had such a version.
        """
        old = await self._versions.content_at(block_id, before)
        new = await self._versions.content_at(block_id, after)
        return await asyncio.to_thread(_compared, old, new, self._counter(model))

    async def compare_contents(
        self, before: VersionContent, after: VersionContent, model: str
    ) -> VersionComparison:
        """What differs between two contents that are given, of which the file need not have any."""
        return await asyncio.to_thread(_compared, before, after, self._counter(model))

    async def changes(
        self, before: int | None = None, limit: int = PAGE, actor_id: str | None = None
    ) -> tuple[JournalEntry, ...]:
        """A page of the journal, newest first, numbered below `before`; with `actor_id` that actor's changes only.

        Raises:
            FileError: the file cannot be read.
        """
        return await self._log.page(before, limit, actor_id)

    async def actors(self) -> tuple[Actor, ...]:
        """Everybody who changed anything, by name.

        Raises:
            FileError: the file cannot be read.
        """
        return await self._log.actors()

    async def compare_texts(self, version: Version, before: str, after: str, model: str) -> VersionComparison:
        """How a text that nobody has stored yet differs from a stored one; tokens as `model` counts."""
        return await asyncio.to_thread(compared_texts, version, before, after, self._counter(model))

    def _counter(self, model: str) -> Counter:
        return counter_for(model, self._models, self._counters)

    async def _tokens(
        self, block_id: str, versions: Sequence[BlockVersion], counter: Counter
    ) -> list[Count | None]:
        longest = max((each.length or 0 for each in versions), default=0)
        step = max(1, min(AT_ONCE, _CHARACTERS_AT_ONCE // (longest + 1)))
        counts: list[Count | None] = []
        for start in range(0, len(versions), step):
            texts = await self._versions.texts(block_id, versions[start : start + step])
            counts += await asyncio.to_thread(partial(_counted, texts, counter))
        return counts


def compared_texts(version: Version, before: str, after: str, counter: Counter) -> VersionComparison:
    """The difference of two texts of which only the first one is stored, as that version."""
    found = hunks(before, after, diff_texts(before, after))
    return VersionComparison(
        version,
        version,
        before,
        after,
        tuple(MeasuredHunk(each, _grown(before, after, each, counter)) for each in found),
        counter.count(after).tokens - counter.count(before).tokens,
        False,
    )


def _newest_first(
    versions: Sequence[BlockVersion], counts: Sequence[Count | None], limit: int
) -> tuple[MeasuredVersion, ...]:
    rows = [
        MeasuredVersion(replace(each, operation=""), each.op, count, _growth(was, count, each))
        for was, each, count in zip([None, *counts], versions, counts, strict=False)
    ]
    return tuple(reversed(rows[-limit:]))


def _counted(texts: Sequence[str | None], counter: Counter) -> list[Count | None]:
    return [None if text is None else counter.count(text) for text in texts]


def _growth(before: Count | None, after: Count | None, version: BlockVersion) -> int | None:
    if after is None:
        return None
    if version.seq == 1:
        return after.tokens
    return None if before is None else after.tokens - before.tokens


def _compared(old: VersionContent, new: VersionContent, counter: Counter) -> VersionComparison:
    before, after = (render_whole(each.schema, each.content) for each in (old, new))
    found = hunks(before, after, diff_texts(before, after))
    return VersionComparison(
        old.version,
        new.version,
        before,
        after,
        tuple(MeasuredHunk(each, _grown(before, after, each, counter)) for each in found),
        counter.count(after).tokens - counter.count(before).tokens,
        isinstance(old.content, TextContent) and isinstance(new.content, TextContent),
    )


def _grown(before: str, after: str, hunk: Hunk, counter: Counter) -> int:
    whole = hunk.whole
    old = counter.count(before[whole.before_start : whole.before_end])
    return counter.count(after[whole.after_start : whole.after_end]).tokens - old.tokens
