"""The timeline as window and command line use it: the events' reader, with what runs cost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from inspector.conversation.timeline import TimelineReader
from inspector.domain.timeline import EventFilter, RunTotal, StretchTotals, TimeRange
from inspector.shipped.models import ModelTable
from inspector.storage.database import Database


class TimelineService(TimelineReader):
    """Reads events, and adds up what stretches of time cost."""

    def __init__(self, database: Database, models: ModelTable) -> None:
        super().__init__(database)
        self._models = models

    async def totals(self, wanted: EventFilter, over: TimeRange) -> AsyncIterator[StretchTotals]:
        """As the reader's, with the cost of runs whose model has prices: all input at its full price."""
        priced: tuple[RunTotal, ...] | None = None
        async for each in super().totals(wanted, over):
            if priced is None:
                priced = tuple(replace(run, cost=self._cost(run)) for run in each.runs)
            yield replace(each, runs=priced)

    def _cost(self, run: RunTotal) -> float | None:
        facts = self._models.resolve(run.model)
        if facts is None or facts.prices is None:
            return None
        # The tier of an average run: each run's own can't be said of their sum.
        prices = facts.prices.at(run.input_tokens // max(1, run.count))
        if prices.input is None or prices.output is None:
            return None
        return (run.input_tokens * prices.input + run.output_tokens * prices.output) / 1_000_000
