"""A program that summarises a file and is killed on the way: at a call of its model, or amid a transaction."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from inspector.domain.summarising import FoldOptions, SummaryDraft, SummarySource
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.storage import messages
from tests.conversation.builders import ADA
from tests.fixtures import NOOR


def die() -> None:
    """As if the power had gone."""
    os.kill(os.getpid(), signal.SIGKILL)


class Dying:
    """Summarises well, until the call at which it dies."""

    name = "dying"

    def __init__(self, at: int) -> None:
        self._left = at

    async def summarise(self, source: SummarySource, most_tokens: int) -> SummaryDraft:
        """A short text, or the end."""
        self._left -= 1
        if self._left == 0:
            die()
        return SummaryDraft(f"Of {source.message_count} messages, in {most_tokens} tokens.")


def dying_at(archived: int) -> Any:
    """What archives a message, but for the one at which it dies."""
    real, left = messages.set_archived, archived

    async def set_archived(source: Any, message_id: str, *, archived: bool) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            die()
        await real(source, message_id, archived=archived)

    return set_archived


async def main(path: Path, place: str, at: int) -> None:
    """Summarise all but the newest four messages."""
    if place == "transaction":
        messages.set_archived = dying_at(at)
    folder = path.parent / "dying"
    engine = await Engine.open(path, Environment(actor=NOOR, program="dying", state_folder=folder))
    summariser = Dying(at if place == "call" else 1_000_000)
    await engine.summaries.summarise(ADA, summariser, FoldOptions(chunk_size=8, keep=4))
    raise SystemExit("still alive")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
