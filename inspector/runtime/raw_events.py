"""The events of a reply as they came: kept for the record within a limit, and shown once no key can be in them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from inspector.domain.wire.key_masks import KeyWatch


class RawEvents:
    """The events of one reply. `kept` are those of the record."""

    def __init__(self, most: int, watch: KeyWatch | None) -> None:
        self._most = most
        self._watch = watch
        self._size = 0
        self._count = 0
        self._waiting: deque[tuple[int, str, bool]] = deque()
        self.kept: list[str] = []

    def add(self, data: str) -> None:
        """Take over an event, before it is read."""
        is_kept = self._size + len(data) <= self._most
        if is_kept:
            self._size += len(data)
        self._count += 1
        self._waiting.append((self._count, data, is_kept))
        if self._watch is not None:
            self._watch.place = self._count

    def settled(self) -> Iterator[str]:
        """The events that can be shown by now and weren't before, in their order."""
        watch = self._watch
        waits = self._count + 1 if watch is None else watch.waits
        while self._waiting and self._waiting[0][0] < waits:
            number, data, is_kept = self._waiting.popleft()
            if watch is not None:
                data = watch.event(number, data)
            if is_kept:
                self.kept.append(data)
            yield data
