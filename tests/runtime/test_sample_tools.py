"""The calls in the sample's conversations are carried out: a file's own definitions of memory tools are understood."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import Agent
from inspector.domain.messages import ToolCallPart
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import make_sample
from inspector.runtime.tools.calling import CalledTool, ToolCaller
from inspector.runtime.tools.registry import ToolUse
from inspector.runtime.wording import catalogue
from tests.fixtures import opened_engine
from tests.runtime.turn_world import messages_of

MEMORY_TOOLS = frozenset({"block", "block_edit", "recall", "search", "send_message"})
# What no other state of the file could mend: the call itself isn't understood.
_MISUNDERSTOOD = tuple(
    catalogue()[code].partition("{")[0]
    for code in ("input.tool_argument", "input.tool_json", "input.tool_arguments", "input.no_tool")
)


async def outcomes(engine: Engine, agent: Agent) -> list[CalledTool]:
    """Every memory call of an agent's conversation, made again, and what came of it."""
    caller = ToolCaller(engine.turns.tools, engine.surroundings.clock)
    actor = Actor(ActorKind.AGENT, agent.id, agent.name)
    # Without its rules, which are of turns.
    snapshot = replace(await engine.context.recent(agent.id), tool_rules=())

    async def ask(_: ToolCallPart) -> bool:
        return False

    use = ToolUse(agent, actor, "call_1", "bat_1", snapshot, lambda _: None, consent_seconds=0)
    return [
        await caller.call(part, use, (), ask)
        for message in await messages_of(engine, agent.id)
        for part in message.content
        if isinstance(part, ToolCallPart) and part.name in MEMORY_TOOLS
    ]


async def test_that_every_memory_call_of_the_sample_is_understood(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = tmp_db_dir / "sample.constellation"
    await make_sample(path, surroundings)
    async with opened_engine(path, surroundings) as engine:
        agents, _ = await engine.agents.list()
        made = [each for agent in agents for each in await outcomes(engine, agent)]
        assert {each.call.name for each in made} >= {"block_edit", "recall", "search", "send_message"}
        failed = [(each.call.arguments, each.outcome.content) for each in made if each.outcome.is_error]
        assert [each for each in failed if each[1].startswith(_MISUNDERSTOOD)] == []
        assert len(failed) < len(made) * 0.2, failed
