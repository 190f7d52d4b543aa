"""The change feed: publishes own and others' changes in the order of their transactions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from types import TracebackType

from inspector.domain.changes import Change, FileMoved, Health
from inspector.storage.changes import change_of
from inspector.storage.connection import Row

News = Change | FileMoved | Health


class Subscription(AsyncIterator[News]):
    """Everything from the moment of subscribing on, until it is closed or the file is.

    Use it as ``async with feed.subscribe() as news: async for each in news: ...``.
    """

    def __init__(self, feed: ChangeFeed) -> None:
        self._feed = feed
        self._waiting: asyncio.Queue[News | None] = asyncio.Queue()
        self._ended = False

    async def __anext__(self) -> News:
        if self._ended and self._waiting.empty():
            raise StopAsyncIteration
        item = await self._waiting.get()
        if item is None:
            raise StopAsyncIteration
        return item

    def waiting(self) -> tuple[News, ...]:
        """All that is there already, without waiting for more."""
        found: list[News] = []
        while not self._waiting.empty():
            item = self._waiting.get_nowait()
            if item is not None:
                found.append(item)
        return tuple(found)

    def close(self) -> None:
        self._feed.remove(self)
        self.end()

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def put(self, item: News) -> None:
        self._waiting.put_nowait(item)

    def end(self) -> None:
        if not self._ended:
            self._ended = True
            self._waiting.put_nowait(None)


class ChangeFeed:
    """Tells every subscriber of every change once, in the order of the commits."""

    def __init__(self, last_seq: int) -> None:
        self.last_seq = last_seq
        """The number of the last change that was told."""
        self._subscriptions: list[Subscription] = []

    def subscribe(self) -> Subscription:
        subscription = Subscription(self)
        self._subscriptions.append(subscription)
        return subscription

    def remove(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def publish_rows(self, rows: Iterable[Row], own_process: int | None) -> None:
        """Tell of rows of the journal, in order; what was told already is passed over."""
        for row in rows:
            if row["seq"] > self.last_seq:
                self.last_seq = row["seq"]
                if self._subscriptions:
                    self.publish(change_of(row, own_process))

    def publish(self, item: News) -> None:
        for each in tuple(self._subscriptions):
            each.put(item)

    def close(self) -> None:
        for each in tuple(self._subscriptions):
            each.end()
        self._subscriptions.clear()
