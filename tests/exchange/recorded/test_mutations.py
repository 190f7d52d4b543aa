"""Recorded requests with anything wrong in them: read, or refused with a place; nothing else ever happens."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutTool
from inspector.domain.errors import MalformedError, Parameters
from inspector.domain.exchange import ImportPlan
from tests.exchange.builders import found
from tests.exchange.recorded.builders import ANTHROPIC, CHAT, RESPONSES, plan_of

VALUES: tuple[Any, ...] = (
    None,
    "",
    "text",
    "{",
    '{"messages": []}',
    0,
    -1,
    2**62,
    1.5,
    True,
    [],
    {},
    [None],
    [[]],
    {"type": "text"},
    {"type": "tool_result", "content": [{"type": "image"}]},
    [{"role": "user", "content": [{"type": "image_url", "image_url": 5}]}],
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in pairs:
        yield (*path, key)
        yield from places(each, (*path, key))


def mutated(body: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The body with one to three places changed."""
    changed = copy.deepcopy(body)
    for _ in range(chance.randint(1, 3)):
        path = chance.choice(list(places(changed)))
        here: Any = changed
        for step in path[:-1]:
            here = here[step]
        if chance.random() < 0.25:
            del here[path[-1]]
        else:
            here[path[-1]] = copy.deepcopy(chance.choice(VALUES))
        if not changed:
            break
    return changed


def check(plan: ImportPlan) -> None:
    """A plan is whole: its agent, tools and messages hang together, and all that is kept is JSON."""
    (agent,) = found(plan, CreateAgent)
    assert len(plan.agents) == 1
    assert set(agent.tools) == {tool.tool.name for tool in found(plan, PutTool)}
    for message in found(plan, AppendMessage):
        assert isinstance(json.loads(message.metadata), dict)
    assert isinstance(json.loads(agent.metadata), dict)
    assert isinstance(json.loads(agent.parameters), dict)


@pytest.mark.parametrize("body", [ANTHROPIC, CHAT, RESPONSES], ids=["anthropic", "chat", "responses"])
def test_that_a_mutant_is_read_or_refused_with_its_place(body: dict[str, Any]) -> None:
    chance = random.Random(7)
    read, refused = 0, list[Parameters]()
    for _ in range(600):
        mutant = mutated(body, chance)
        try:
            plan = plan_of(mutant)
        except MalformedError as error:
            refused.append(error.parameters)
        else:
            read += 1
            check(plan)
    assert min(read, len(refused)) > 100
    assert all(isinstance(told["where"], str) and told["why"] for told in refused)
