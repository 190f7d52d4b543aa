"""The timeline as window and command line use it: the events' reader, with what runs cost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from inspector.conversation.timeline import TimelineReader
from inspector.domain.calls import cost_of
from inspector.domain.records import TokenUsage
from inspector.domain.timeline import EventFilter, RunTotal, StretchTotals, TimeRange
from inspector.shipped.models import ModelTable
from inspector.storage.database import Database


class TimelineService(TimelineReader):
    """Reads events, and adds up what stretches of time cost."""

    def __init__(self, database: Database, models: ModelTable) -> None:
        super().__init__(database)
        self._models = models

    async def totals(self, wanted: EventFilter, over: TimeRange) -> AsyncIterator[StretchTotals]:
        """As the reader's, with the cost of runs whose model has prices."""
        priced: tuple[RunTotal, ...] | None = None
        async for each in super().totals(wanted, over):
            if priced is None:
                priced = tuple(map(self._priced, each.runs))
            yield replace(each, runs=priced)

    def _priced(self, run: RunTotal) -> RunTotal:
        usage = TokenUsage(run.input_tokens, run.output_tokens, run.cache_read_tokens, run.cache_write_tokens)
        reported = run.count - run.unpriced
        cost = cost_of(usage, self._models.resolve(run.model), reported) if reported else None
        return replace(run, cost=cost, unpriced=run.count if cost is None else run.unpriced)
