"""A streamed reply of many events, beside a bare loop of httpx over the same answer of the same server.

    python -m tests.bench.streamed_reply [EVENTS]

A server of a process of its own sends EVENTS (10,000) deltas of OpenAI's form. Ours reads, checks and adds them to a
reply; the bare loop reads the lines, and the JSON of each. Printed are the medians and their ratio. Limit: 2.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import sys
import time
from multiprocessing.connection import Connection

import httpx

from inspector.domain.messages import TextPart
from inspector.domain.wire.values import WireForm
from inspector.runtime.model_stream import CallLimits
from tests.providers.provider_server import Answer, serving, sse
from tests.providers.test_streams import call_of

LIMIT, ROUNDS = 2.0, 9


def answer(events: int) -> bytes:
    """The stream: so many deltas of a word, the usage, the end."""
    deltas = [
        {"id": "c", "choices": [{"index": 0, "delta": {"content": f"word{at} "}, "finish_reason": None}]}
        for at in range(events)
    ]
    end = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    usage = {"id": "c", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": events}}
    return sse([*deltas, end, usage, "[DONE]"])


def serve(events: int, told: Connection) -> None:
    """Serve until the process ends; tell the port."""

    async def run() -> None:
        async with serving() as server:
            server.answer = Answer([answer(events)])
            told.send(server.port)
            await asyncio.Event().wait()

    asyncio.run(run())


class _Server:
    """What `call_of` asks a server for."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}"


async def ours(server: _Server) -> str:
    """The reply's text, by the engine."""
    async with call_of(server, WireForm.OPENAI, CallLimits()) as call:  # type: ignore[arg-type]  # its base is enough
        async for _ in call:
            pass
    assert call.reply.failure is None
    return "".join(part.text for part in call.reply.parts if isinstance(part, TextPart))


async def bare(server: _Server) -> str:
    """The same by hand."""
    text: list[str] = []
    async with (
        httpx.AsyncClient(trust_env=False) as client,
        client.stream("POST", f"{server.base}/v1/x", content=b"{}") as response,
    ):
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                event = json.loads(line[6:])
                text += [each["delta"].get("content", "") for each in event["choices"]]
    return "".join(text)


async def main(events: int) -> int:
    """Print the table; 1 past the limit."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(events, there), daemon=True)
    process.start()
    try:
        server = _Server(here.recv())
        took: dict[str, list[float]] = {"ours": [], "bare": []}
        for number in range(ROUNDS + 1):
            texts = []
            for name, read in (("bare", bare), ("ours", ours)):
                begun = time.perf_counter()
                texts.append(await read(server))
                if number:
                    # The first round loads and warms.
                    took[name].append(time.perf_counter() - begun)
            assert texts[0] == texts[1]
    finally:
        process.terminate()
    own, by_hand = (statistics.median(took[name]) for name in ("ours", "bare"))
    print(
        f"{events:,} events: ours {own * 1000:,.0f} ms, bare {by_hand * 1000:,.0f} ms, "
        f"ratio {own / by_hand:.2f} (limit {LIMIT:g})"
    )
    return int(own / by_hand > LIMIT)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)))
