"""A second process: allows every request that waits, one after the other, and tells each that is answered.

python -m tests.memory.answering_process PATH TAG
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from inspector.domain.consent import ConsentDecision, ConsentState
from tests.memory.world import HUMAN, open_world


async def main(path: Path, tag: str) -> None:
    """Begin at once; end when nothing waits."""
    world = await open_world(path, prefix=tag)
    try:
        say("ready")
        requests, _ = await world.consent.requests(ConsentState.PENDING)
        for request in requests:
            await world.consent.answer(request.id, ConsentDecision.ONCE, actor=HUMAN)
            say(f"<{request.id}>")
    finally:
        await world.close()


def say(text: str) -> None:
    """One line to whoever started this."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
