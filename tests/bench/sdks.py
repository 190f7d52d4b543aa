"""The providers' own clients beside ours, on as many invented Requests and streams as asked for.

    python -m tests.bench.sdks [COUNT]

For each provider: how many bodies its client posts otherwise than ours, and how many streams it reads as another reply,
of COUNT each (500). Limit: none.
"""

from __future__ import annotations

import asyncio
import random
import sys

from inspector.domain.wire.values import WireForm
from tests.providers.provider_server import ProviderServer, serving
from tests.providers.sdk_bodies import CLIENTS, REFUSED, body_of, plain, sent_by
from tests.providers.streamed_replies import Said
from tests.providers.test_sdk_streams import CLIENTS as READERS
from tests.providers.test_sdk_streams import both

_PIECES = ("Yes", ", ", "ready.\n", "\u2028", "\u0085", "🧭", "data: x", "\r\n\n", "\ufeff", "ä" * 40, "<b>")


def said(chance: random.Random) -> Said:
    """A reply of a few deltas, perhaps with thinking and calls."""

    def deltas(least: int) -> tuple[str, ...]:
        return tuple(chance.choice(_PIECES) for _ in range(chance.randint(least, 6)))

    calls = tuple(
        (chance.choice(("search", "block_edit")), {"q": chance.choice(_PIECES), "n": chance.randint(0, 9)})
        for _ in range(chance.randint(0, 2))
    )
    return Said(deltas(0), deltas(1), calls, chance.randint(1, 9_999), chance.randint(1, 9_999))


async def bodies(server: ProviderServer, form: WireForm, count: int) -> int:
    """How many bodies differ."""
    server.answer = REFUSED
    send = CLIENTS[form](server.base)
    wrong = 0
    for seed in range(count):
        body = body_of(seed, form)
        wrong += await sent_by(server, form, send, body) != plain(form, body)
    return wrong


async def streams(server: ProviderServer, form: WireForm, count: int) -> int:
    """How many replies differ."""
    ask, chance = READERS[form](server.base), random.Random(7)
    wrong = 0
    for _ in range(count):
        ours, theirs = await both(server, form, said(chance), ask)
        wrong += ours != theirs
    return wrong


async def main(count: int) -> int:
    """Print the table; 1 if anything differs."""
    whole = 0
    async with serving() as server:
        for form in WireForm:
            found = await bodies(server, form, count), await streams(server, form, count)
            whole += sum(found)
            print(
                f"{form.value:18} bodies {found[0]} of {count} differ, streams {found[1]} of {count}",
                flush=True,
            )
    return int(whole > 0)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)))
