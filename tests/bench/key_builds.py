"""The build that follows a key press where memory is over its cap: what the choice among all blocks costs each time.

``python -m tests.bench.key_builds [KEYS]``

300 working blocks of 100 to 2 500 characters under a cap that holds about an eighth of them, 1 000 messages, 60
events; one block of 2 000 characters is typed in. Processor time of this process, not of the clock on the wall: the
figure stands on a busy machine too.
"""

from __future__ import annotations

import random
import statistics
import sys
import time

from inspector.domain.content import TextContent
from tests.bench.constellations import prose
from tests.context.builders import a_snapshot, a_spec, a_turn, an_event, new_builder, working

BLOCKS, TURNS, EVENTS = 300, 500, 60


def main() -> None:
    """Type, and print the middle and the best build."""
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    chance = random.Random(3)
    blocks = [
        working(f"b{at}", prose(chance.randint(100, 2_500), at), minutes=at + 1) for at in range(BLOCKS)
    ]
    text = prose(2_000, BLOCKS)
    snapshot = a_snapshot(
        working("typed", text),
        *blocks,
        history=tuple(a_turn(at, prose(300, 1_000 + at)) for at in range(1, TURNS + 1)),
        events=tuple(an_event(at, minutes=at) for at in range(1, EVENTS + 1)),
    )
    builder, spec, times = new_builder(), a_spec(), []
    for key in range(keys + 5):
        text = f"{text[:1_000]}{'a' if key % 6 else ' '}{text[1_000:]}"
        typed = snapshot.with_drafts({"blk_typed": TextContent(text)})
        begun = time.process_time()
        request = builder.build(typed, spec)
        times.append((time.process_time() - begun) * 1_000)
    warm = times[5:]
    print(
        f"{keys} keys, {BLOCKS} blocks, {len(request.left_out)} things left out of {request.tokens:,} tokens"
    )
    print(f"a build: {statistics.median(warm):.1f} ms in the middle, {min(warm):.1f} ms at best")


if __name__ == "__main__":
    main()
