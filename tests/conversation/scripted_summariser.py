"""A summariser that does what a test says, and how much it left in a file."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from inspector.domain.summarising import SummaryDraft, SummarySource
from inspector.runtime.engine import Engine
from tests.conversation.builders import stored

EVERYTHING_STORED = (
    "SELECT (SELECT count(*) FROM summaries), (SELECT count(*) FROM messages WHERE is_archived = 1), "
    "(SELECT count(*) FROM activity WHERE kind = 'context_compressed'), (SELECT max(seq) FROM changes)"
)


class Scripted:
    """Summarises by a function, and remembers what it was given."""

    name = "scripted"

    def __init__(self, then: Callable[[SummarySource], Awaitable[SummaryDraft]] | None = None) -> None:
        self._then = then
        self.sources: list[SummarySource] = []

    async def summarise(self, source: SummarySource, most_tokens: int) -> SummaryDraft:
        """What the function gives, or a short text."""
        self.sources.append(source)
        if self._then is not None:
            return await self._then(source)
        return SummaryDraft(
            f"What was said in {source.message_count} messages, told in {most_tokens} tokens."
        )


async def state(engine: Engine) -> tuple[object, ...]:
    """How much is stored."""
    return (await asyncio.to_thread(stored, engine.path, EVERYTHING_STORED))[0]
