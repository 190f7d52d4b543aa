"""Puts a summary together part by part, for programs that write their own."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from inspector.domain.edits.rows import StoreSummary
from inspector.domain.errors import InputError
from inspector.domain.summaries import PositionRange, SummaryDetails


class SummaryBuilder:
    """A summary as it comes together; `build` gives what `SummaryStore.store` takes.

    Every method but `build` gives the builder itself. Only the time range must be there.
    """

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id
        self._content = ""
        self._topics: list[str] = []
        self._range: tuple[datetime, datetime] | None = None
        self._message_count = 0
        self._depth = 0
        self._previous: str | None = None
        self._covers: PositionRange | None = None
        self._children: tuple[str, ...] = ()
        self._details: dict[str, list[str]] = {"decisions": [], "facts": [], "tasks": [], "entities": []}

    def content(self, text: str) -> Self:
        """The text; a second one takes the first one's place."""
        self._content = text
        return self

    def topics(self, *topics: str) -> Self:
        """All topics, in the place of those that are there."""
        self._topics = []
        for topic in topics:
            self.add_topic(topic)
        return self

    def add_topic(self, topic: str) -> Self:
        return self._add(self._topics, topic)

    def time_range(self, start: datetime, end: datetime) -> Self:
        """The time that it speaks of.

        Raises:
            InputError: ``summary.time_without_zone``, ``summary.time_backwards``.
        """
        if start.tzinfo is None or end.tzinfo is None:
            raise InputError("summary.time_without_zone")
        if end < start:
            raise InputError("summary.time_backwards", start=start.isoformat(), end=end.isoformat())
        self._range = (start, end)
        return self

    def message_count(self, count: int) -> Self:
        self._message_count = count
        return self

    def depth(self, depth: int) -> Self:
        """0 for one of messages, one more than its children's for a deeper one."""
        self._depth = depth
        return self

    def previous_summary(self, summary_id: str | None) -> Self:
        self._previous = summary_id
        return self

    def covers(self, first: int, last: int) -> Self:
        """The positions of the messages that it speaks of, both included."""
        self._covers = PositionRange(first, last)
        return self

    def children(self, *summary_ids: str) -> Self:
        self._children = summary_ids
        return self

    def add_decision(self, text: str) -> Self:
        return self._add(self._details["decisions"], text)

    def add_fact(self, text: str) -> Self:
        return self._add(self._details["facts"], text)

    def add_task(self, text: str) -> Self:
        return self._add(self._details["tasks"], text)

    def add_entity(self, text: str) -> Self:
        return self._add(self._details["entities"], text)

    def build(self) -> StoreSummary:
        """The summary, to be stored.

        Raises:
            InputError: ``summary.no_time_range``: a range is never made up.
        """
        if self._range is None:
            raise InputError("summary.no_time_range")
        return StoreSummary(
            self._agent_id,
            self._content,
            tuple(self._topics),
            *self._range,
            self._message_count,
            self._depth,
            self._previous,
            self._covers,
            self._children,
            SummaryDetails(**{name: tuple(items) for name, items in self._details.items()}),
        )

    def _add(self, items: list[str], item: str) -> Self:
        if item.strip() and item not in items:
            items.append(item)
        return self
