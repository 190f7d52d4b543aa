"""The named peers of history trimming, run in an environment of their own: it imports nothing of this program.

    python trimming_peers.py CASES RESULTS

Reads histories with budgets and their tokens as JSON and writes what langchain-core's `trim_messages` and llama-index's
`ChatMemoryBuffer` keep of each, by place, and how long they take.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, trim_messages  # type: ignore[import-not-found]
from llama_index.core.base.llms.types import ChatMessage, MessageRole  # type: ignore[import-not-found]
from llama_index.core.memory import ChatMemoryBuffer  # type: ignore[import-not-found]

TOO_LONG = 60.0
"""Seconds; what would take longer is not run."""

Plain = dict[str, Any]


def for_langchain(at: int, message: Plain) -> BaseMessage:
    """A message of langchain's; its id is its place."""
    if message["role"] == "user":
        return HumanMessage(message["text"], id=str(at))
    if message["role"] == "tool":
        return ToolMessage(message["text"], tool_call_id=message["result_of"], id=str(at))
    calls = [
        {"id": call["id"], "name": call["name"], "args": json.loads(call["arguments"])}
        for call in message["calls"]
    ]
    return AIMessage(message["text"], tool_calls=calls, id=str(at))


def langchain(messages: list[Plain], budget: int, **options: Any) -> Callable[[], list[int]]:
    """langchain's trimming of one history."""
    given = [for_langchain(at, message) for at, message in enumerate(messages)]
    costs = {str(at): message["tokens"] for at, message in enumerate(messages)}

    def count(some: list[BaseMessage]) -> int:
        return sum(costs[str(each.id)] for each in some)

    def run() -> list[int]:
        kept = trim_messages(given, max_tokens=budget, strategy="last", token_counter=count, **options)
        return [int(str(each.id)) for each in kept]

    return run


def llama_index(messages: list[Plain], budget: int) -> Callable[[], list[int]]:
    """llama-index's buffer of one history."""
    given = [
        ChatMessage(
            role=MessageRole(message["role"]),
            content=message["text"],
            additional_kwargs={
                "place": at,
                **({"tool_calls": message["calls"]} if message["calls"] else {}),
                **({"tool_call_id": message["result_of"]} if message["role"] == "tool" else {}),
            },
        )
        for at, message in enumerate(messages)
    ]
    memory = ChatMemoryBuffer.from_defaults(
        chat_history=given,
        token_limit=budget,
        tokenizer_fn=lambda text: range(len(text)),
    )

    def run() -> list[int]:
        return [each.additional_kwargs["place"] for each in memory.get()]

    return run


PEERS: dict[str, Callable[[list[Plain], int], Callable[[], list[int]]]] = {
    "langchain trim_messages": langchain,
    "langchain, start_on=human": partial(langchain, start_on="human"),
    "llama-index ChatMemoryBuffer": llama_index,
}


def timed(run: Callable[[], list[int]]) -> tuple[list[int] | None, float]:
    """What is kept, None where it refuses, and the seconds."""
    begun = time.perf_counter()
    try:
        kept: list[int] | None = run()
    except ValueError:
        kept = None
    return kept, time.perf_counter() - begun


def main() -> None:
    """Run all cases; the larger histories only while the time they would take by their square stays bearable."""
    cases = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    results: dict[str, Plain] = {}
    for name, peer in PEERS.items():
        kept = [timed(peer(case["messages"], case["budget"]))[0] for case in cases["random"]]
        seconds: dict[str, float | None] = {}
        last = 0.0
        for large in cases["large"]:
            count = len(large["messages"])
            seconds[str(count)] = None
            if last * 100 < TOO_LONG:
                seconds[str(count)] = last = timed(peer(large["messages"], large["budget"]))[1]
            else:
                last = float("inf")
        results[name] = {"kept": kept, "seconds": seconds}
    Path(sys.argv[2]).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
