"""A conversation as tests need it: an agent, its turns, and what is read of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import ContextConfig
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.rows import AppendMessage, CreateAgent, StoreSummary
from inspector.domain.limits import Strategy, Truncate
from inspector.domain.messages import Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from tests.fixtures import NOON, NOOR

ADA, BOB = "agt_ada", "agt_bob"
AS_ADA = Actor(ActorKind.AGENT, ADA, "Ada")
AS_BOB = Actor(ActorKind.AGENT, BOB, "Bob")

# Every turn says something else, so that a summary has something to choose from.
SUBJECTS = (
    "beans",
    "tomatoes",
    "the fence",
    "the well",
    "seed orders",
    "the greenhouse",
    "compost",
    "the bees",
)


async def do(engine: Engine, kind: RefKind, id_: str, operation: Operation, actor: Actor = NOOR) -> Receipt:
    """Apply one operation."""
    (receipt,) = await engine.apply([Intent(Edit(Ref(kind, id_), operation), actor)])
    return receipt


async def people(engine: Engine, strategy: Strategy | None = None) -> None:
    """Make Ada and Bob."""
    config = ContextConfig(strategy=strategy or Truncate())
    await do(engine, RefKind.AGENT, ADA, CreateAgent("Ada", model="gpt-4o", config=config))
    await do(engine, RefKind.AGENT, BOB, CreateAgent("Bob", model="gpt-4o"))


async def say(
    engine: Engine, batch: str, role: Role, *parts: Part | str, actor: Actor | None = None, id_: str = ""
) -> Receipt:
    """Add a message of Ada's conversation."""
    content = tuple(TextPart(part) if isinstance(part, str) else part for part in parts)
    by = actor or (NOOR if role is Role.USER else AS_ADA)
    return await do(engine, RefKind.MESSAGE, id_, AppendMessage(ADA, batch, role, content), by)


async def turns(engine: Engine, count: int, first: int = 1) -> None:
    """Add whole turns of four messages: a question, a call, its result, an answer."""
    for number in range(first, first + count):
        subject = SUBJECTS[number % len(SUBJECTS)]
        batch, call = f"bat_{number}", f"call_{number}"
        await say(engine, batch, Role.USER, f"How is {subject} in week {number}? Please look it up properly.")
        await say(
            engine,
            batch,
            Role.ASSISTANT,
            f"I look at {subject}.",
            ToolCallPart(call, "look", f'{{"week":{number}}}'),
        )
        await say(
            engine, batch, Role.TOOL, ToolResultPart(call, f"{subject}: {number * 37} grams, bed B-{number}")
        )
        answer = (
            f"We decided to water {subject} every {number} days, and /garden/plan-{number}.md says so. "
            f"The bed of {subject} gave {number * 37} grams, more than anybody had thought in spring. "
            "The rest of it is as it was before, and nothing else has to be said about it this week."
        )
        await say(engine, batch, Role.ASSISTANT, answer)


def a_summary(**fields: Any) -> StoreSummary:
    """One of Ada's with nothing but its time."""
    base = StoreSummary(ADA, "", (), NOON, NOON + timedelta(hours=1), 0)
    return replace(base, **fields)


def stored(path: Path, sql: str) -> list[tuple[object, ...]]:
    """What a file holds, read past the engine."""
    with closing(sqlite3.connect(path)) as connection:
        return [tuple(row) for row in connection.execute(sql)]
