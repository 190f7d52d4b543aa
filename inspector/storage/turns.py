"""Several processes write one file in turns: nobody waits long because another one is quicker.

SQLite's own way of waiting asks less and less often, up to ten times a second. Beside a program that writes fifty
times a second, somebody who saves now and then would find it locked again and again, for seconds. So a write asks
every millisecond or two, and who has seen others write lately leaves them a moment after each of its own commits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from inspector.domain.errors import FileError
from inspector.storage.connection import Row

T = TypeVar("T")

PATIENCE_SECONDS = 5.0
MOMENT_SECONDS = 0.003
REMEMBERED_SECONDS = 10.0


async def in_turn(work: Callable[[], Awaitable[T]]) -> T:
    """Do what another process's lock may keep from being done, again until it is.

    Raises:
        FileError: ``file.locked`` after five seconds, and what else `work` raises.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return await work()
        except FileError as error:
            if error.code != "file.locked" or time.monotonic() > until:
                raise
        await asyncio.sleep(0)


class Turns:
    """This process's place among those that write the file."""

    def __init__(self) -> None:
        self._own_at = self._others_at = float("-inf")

    def committed(self, rows: Iterable[Row], process: int | None) -> None:
        """This process has committed; `rows` are the journal's, its own and those of others that came before."""
        self._own_at = time.monotonic()
        self.noticed(rows, process)

    def noticed(self, rows: Iterable[Row], process: int | None) -> None:
        """Rows of the journal came to be known."""
        if any(row["process"] != process for row in rows):
            self._others_at = time.monotonic()

    async def let_others(self) -> None:
        """Before a write: wait until whoever waits for the last one to end has had a chance."""
        now = time.monotonic()
        left = self._own_at + MOMENT_SECONDS - now
        if left > 0 and now - self._others_at < REMEMBERED_SECONDS:
            await asyncio.sleep(left)
