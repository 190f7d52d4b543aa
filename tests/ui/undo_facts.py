"""What a file holds, as the engine's own readers tell it: compared before and after a change and its undo."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from inspector.domain.agents import AgentStatus
from inspector.domain.records import QueueState
from inspector.runtime.engine import Engine

Facts = dict[str, Any]


def plain(value: Any) -> Any:
    """A value as plain data. When something was written is left out: an undo is a change of its own."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        kept = {name: plain(each) for name, each in named.items() if not isinstance(each, datetime)}
        return {"is": type(value).__name__, **kept}
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


async def facts(engine: Engine) -> Facts:
    """All that is in the file and not put away, by kind and id."""
    everybody, _ = await engine.agents.list()
    agents = [agent for agent in everybody if agent.status is not AgentStatus.ARCHIVED]
    layouts, _ = await engine.layouts.list()
    grants, _ = await engine.consent.grants()
    found: Facts = {}
    for state in await engine.blocks.list():
        found[f"block {state.block.id}"] = plain(state.block), plain(state.content)
    for each in await engine.blocks.all_attachments():
        found[f"access {each.block_id} {each.agent_id}"] = plain(each)
    _put(found, "agent", agents)
    _put(found, "layout", layouts, "name")
    _put(found, "grant", grants)
    # A message that is taken back stays among the dead letters.
    queued, _ = await engine.agents.queue()
    _put(found, "queued", (each for each in queued if each.state is not QueueState.DEAD))
    _put(found, "wakeup", (await engine.agents.wakeups())[0])
    _put(found, "request", (await engine.consent.requests())[0])
    for agent in agents:
        entries, _ = await engine.blocks.archival_entries(agent.id)
        _put(found, "entry", (entry for entry in entries if not entry.is_deleted))
        _put(found, "rule", (await engine.agents.rules(agent.id))[0])
        summaries, _ = await engine.summaries.store.of_agent(agent.id)
        _put(found, "summary", (summary for summary in summaries if not summary.is_deleted))
        batches = await engine.conversation.batches(agent.id)
        said = (message for batch in batches for message in batch.messages)
        _put(found, "message", (message for message in said if not message.is_deleted))
        _put(found, "call", await engine.past.calls_apart(agent.id))
    return found


def _put(found: Facts, kind: str, values: Iterable[Any], name: str = "id") -> None:
    for each in values:
        found[f"{kind} {getattr(each, name)}"] = plain(each)


def difference(first: Facts, second: Facts) -> dict[str, tuple[Any, Any]]:
    """What stands otherwise in the second: empty where both hold the same."""
    names = sorted(first.keys() | second.keys())
    return {
        name: (first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)
    }
