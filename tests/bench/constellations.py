"""Invented constellations of any size for measurements, made through the engine."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

from inspector.domain.actor import IMPORTER
from inspector.domain.agents import ContextConfig
from inspector.domain.blocks import BlockType
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import AppendMessage, CreateAgent
from inspector.domain.limits import LimitOverrides, Truncate
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment

AGENT = "agt_bench"
BIG_BLOCK = "blk_big"
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
_WORDS = (
    *("release", "runner", "commit", "branch", "signed", "checksum", "arm64", "queue", "retry", "deploy"),
    *("window", "token", "budget", "memory", "summary", "question", "answer", "review", "because", "however"),
    *("therefore", "between", "latency", "measured", "failing", "passing"),
)


def prose(length: int, seed: int) -> str:
    """Lines of plausible English, about `length` characters."""
    chance = random.Random(seed)
    lines: list[str] = []
    size = 0
    while size < length:
        line = " ".join(chance.choice(_WORDS) for _ in range(chance.randint(4, 16))).capitalize() + "."
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)[:length]


def _intent(kind: RefKind, id_: str, operation: Operation) -> Intent:
    return Intent(Edit(Ref(kind, id_), operation), IMPORTER, at=NOW)


async def make(path: Path, *, blocks: int, messages: int, big_block: int, model: str = "gpt-4o") -> None:
    """One agent whose limits let all of its blocks in; the block `BIG_BLOCK` has `big_block` characters."""
    config = ContextConfig(
        limits=LimitOverrides(None, 4_000_000, 2_000_000, 400_000, 8_000), strategy=Truncate(500)
    )
    intents = [
        _intent(RefKind.AGENT, AGENT, CreateAgent("Bench", "I measure.", (), "openai", model, config=config)),
        _intent(
            RefKind.BLOCK,
            BIG_BLOCK,
            CreateBlock(AGENT, "big", char_limit=0, pinned=True, content=TextContent(prose(big_block, 0))),
        ),
    ]
    for number in range(blocks - 1):
        kind = BlockType.CORE if number % 10 == 0 else BlockType.WORKING
        content = TextContent(prose(1_000, number + 1))
        create = CreateBlock(AGENT, f"block {number:03}", block_type=kind, content=content)
        intents.append(_intent(RefKind.BLOCK, f"blk_{number:05}", create))
    for number in range(messages):
        role = Role.ASSISTANT if number % 2 else Role.USER
        part = TextPart(prose(400, 100_000 + number))
        append = AppendMessage(AGENT, f"b{number // 2:06}", role, (part,))
        intents.append(_intent(RefKind.MESSAGE, f"msg_{number:07}", append))
    engine = await Engine.open(path, Environment(state_folder=path.parent / "state"), create=True)
    try:
        await engine.apply(intents)
    finally:
        await engine.close()
