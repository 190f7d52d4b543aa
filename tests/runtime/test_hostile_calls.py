"""Whatever a model writes into a call, it gets a result, and nothing but its own memory is written."""

from __future__ import annotations

import json
import random
from typing import Any

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import (
    TASK_LIST,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import TextContent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.messages import ToolCallPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.tools.calling import ToolCaller
from inspector.runtime.tools.registry import ToolUse
from tests.hostile_texts import HOSTILE_TEXTS
from tests.runtime.turn_world import made_agent, put

CALLS = 600
SCHEMAS: dict[str, Schema] = {
    "text": TextSchema(),
    "map": MapSchema(),
    "list": ListSchema(),
    "tasks": TASK_LIST,
    "log": LogSchema(),
    "tree": TreeSchema(),
}


class Writer:
    """Writes calls as a confused model does: right names with wrong values, wrong names, hostile texts."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._texts = [*HOSTILE_TEXTS.values(), "", "text", "1", "/memories/text.md", "Ada", "\ud800"]

    def arguments(self, schema: dict[str, Any]) -> str:
        properties: dict[str, Any] = schema["properties"]
        chosen = [name for name in properties if self._random.random() < 0.6]
        found = {name: self._value(properties[name]) for name in {*chosen, *schema.get("required", ())}}
        if self._random.random() < 0.1:
            found[self._random.choice(self._texts)] = self._value({})
        written = json.dumps(found)
        return written if self._random.random() < 0.95 else written[: self._random.randrange(len(written))]

    def _value(self, schema: dict[str, Any]) -> Any:
        if "enum" in schema and self._random.random() < 0.9:
            return self._random.choice(schema["enum"])
        if schema.get("type") == "string" and self._random.random() < 0.8:
            return self._random.choice([*SCHEMAS, *self._texts])
        return self._random.choice(
            [
                None,
                True,
                -1,
                0,
                1,
                2**70,
                1.5,
                float("inf"),
                [],
                [1, -1],
                ["a"],
                {},
                {"title": "x", "done": 1},
                "x",
            ]
        )


async def test_that_any_call_gets_a_result_and_writes_nothing_of_others(opened: Engine) -> None:
    agent, other = await made_agent(opened), await made_agent(opened, "Eve")
    for label, schema in SCHEMAS.items():
        await put(opened, Ref(RefKind.BLOCK, f"blk_{label}"), CreateBlock(agent.id, label, schema))
    secret = CreateBlock(other.id, "secret", content=TextContent("Mine."))
    await put(opened, Ref(RefKind.BLOCK, "blk_secret"), secret)
    caller = ToolCaller(opened.turns.tools, opened.surroundings.clock)
    actor = Actor(ActorKind.AGENT, agent.id, agent.name)
    snapshot = await opened.context.recent(agent.id)
    use = ToolUse(agent, actor, "call_1", "bat_1", snapshot, lambda _: None, consent_seconds=0)
    writer, tools = Writer(7), opened.turns.tools.tools()

    async def ask(_: ToolCallPart) -> bool:
        return False

    succeeded = 0
    for number in range(CALLS):
        tool = tools[number % len(tools)]
        call = ToolCallPart("call_1", tool.name, writer.arguments(json.loads(tool.parameters)))
        made = await caller.call(call, use, (), ask)
        assert isinstance(made.outcome.content, str)
        succeeded += not made.outcome.is_error
        # An error is ours to word, and never a fault of the program's.
        assert "Error:" not in made.outcome.content or not made.outcome.is_error, (call, made.outcome)
    assert succeeded > CALLS / 10
    state = await opened.memory.get("blk_secret")
    assert state is not None
    assert (state.content, state.block.is_active) == (TextContent("Mine."), True)
    assert (await opened.database.check_structure()) == ()
