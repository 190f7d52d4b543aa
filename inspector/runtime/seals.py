"""Finds damaged rows of an open file by their seals."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress

from inspector.domain.changes import Change
from inspector.domain.errors import FileError, Problem
from inspector.domain.ref import Ref
from inspector.storage.damaged_rows import damaged_rows
from inspector.storage.database import Database
from inspector.storage.feed import Subscription

BETWEEN_LOOKS_SECONDS = 5.0


class SealWatch:
    """Looks an open file over once; where rows are damaged, again whenever one of those is written."""

    def __init__(self, database: Database, tell: Callable[[Iterable[Problem]], None]) -> None:
        self._database = database
        self._tell = tell

    async def watch(self, after: float) -> None:
        """Begin `after` so many seconds, and go on until nothing is damaged any more.

        Whoever opened the file owns the task that this runs in. A file that cannot be read is told of elsewhere.
        """
        await asyncio.sleep(after)
        structure = await self._database.check_structure()
        self._tell(structure)
        async with self._database.feed.subscribe() as news:
            with suppress(FileError):
                while True:
                    problems = await damaged_rows(self._database)
                    self._tell((*structure, *problems))
                    if not problems or not await _written(news, {_entity_of(each) for each in problems}):
                        return
                    # A damaged block may be written many times a second, and each look goes through the whole file.
                    await asyncio.sleep(BETWEEN_LOOKS_SECONDS)
                    news.waiting()


def _entity_of(problem: Problem) -> Ref | None:
    ref = Ref.read(problem.where)
    return None if ref is None else ref.whole


async def _written(news: Subscription, refs: set[Ref | None]) -> bool:
    """Wait until one of those things is written; False when there will be no more news."""
    async for each in news:
        if isinstance(each, Change) and each.ref.whole in refs:
            return True
    return False
