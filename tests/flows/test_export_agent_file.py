"""A constellation as an Agent File, and an Agent File as it came in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.runtime.engine import Engine
from tests.exchange.rows.builders import BOB
from tests.flows.export_builders import (
    JSON,
    LETTA,
    SAMPLES,
    Desk,
    contents,
)


@pytest.mark.parametrize("name", ["rich", "sample", *SAMPLES])
async def test_that_an_agent_file_brings_back_all_but_history(desk: Desk, name: str) -> None:
    original = await desk.made(name)
    agent_file = await desk.exported(original, LETTA)
    again = await desk.imported(agent_file)
    assert contents(await desk.exported(again, JSON)) == contents(await desk.exported(original, JSON))
    assert contents(await desk.exported(again, LETTA)) == contents(agent_file)


async def test_that_an_agent_file_that_was_changed_elsewhere_counts_as_it_is_now(desk: Desk) -> None:
    source = await desk.exported(await desk.made("rich"), LETTA)
    value = json.loads(source.read_bytes())
    for each in value["blocks"]:
        if each["label"] == "old":
            each["value"] = "changed in another program"
    source.write_text(json.dumps(value))
    target = desk.place(".constellation")
    plan = await desk.bring_in(source, target)
    assert "import.edited_elsewhere" in {each.code for each in plan.problems}

    async def look(engine: Engine) -> None:
        states = {each.block.label: each for each in await engine.memory.list()}
        assert getattr(states["old"].content, "text", None) == "changed in another program"
        agents, _ = await engine.agents.list()
        assert "context_inspector" not in agents[0].metadata

    await desk.change(target, look)


async def test_that_one_agent_goes_out_as_an_agent_file(desk: Desk) -> None:
    target = await desk.exported(await desk.made("rich"), LETTA, agent_id=BOB)
    value = json.loads(target.read_bytes())
    (agent,) = value["agents"]
    labels = {each["id"]: each["label"] for each in value["blocks"]}
    assert [labels[each] for each in agent["block_ids"]] == ["Partner", "parts", "rules"]
    assert agent["in_context_message_ids"] == [each["id"] for each in agent["messages"]]
    assert {each["role"] for each in agent["messages"]} == {"system"}
    again = await desk.imported(target)
    found = await desk.change(again, lambda engine: engine.agents.list())
    assert [each.id for each in found[0]] == [BOB]


@pytest.mark.parametrize("name", [name for name in SAMPLES if "archive--memgpt" not in name])
async def test_that_an_agent_file_goes_out_as_it_came_in(desk: Desk, samples_dir: Path, name: str) -> None:
    """What its fields say; addresses and empty fields are told apart nowhere."""
    exported = json.loads((await desk.exported(await desk.made(name), LETTA)).read_bytes())
    file = json.loads((samples_dir / name).read_bytes())
    original = json.loads(file) if isinstance(file, str) else file
    for ours, theirs in zip(exported["agents"], original["agents"], strict=True):
        assert theirs.keys() - {"compaction_settings"} <= ours.keys()
        for key in ("id", "name", "system", "agent_type", "tags", "description", "tool_ids", "tool_rules"):
            assert (key, ours[key] or None) == (key, theirs[key] or None)
        assert sorted(ours["block_ids"]) == sorted(theirs["block_ids"])
        assert ours["llm_config"]["model"] == theirs["llm_config"]["model"]
        assert ours["llm_config"]["context_window"] == theirs["llm_config"]["context_window"]
        messages = {each["id"]: each for each in ours["messages"]}
        assert messages.keys() == {each["id"] for each in theirs["messages"]}
        assert all(each.keys() == theirs["messages"][0].keys() for each in ours["messages"])
        for message in theirs["messages"]:
            mine = messages[message["id"]]
            assert mine["role"] == message["role"]
            assert _calls(mine) == _calls(message)
            assert _returned(mine) == _returned(message)
    for kind, keys in (
        ("blocks", ("label", "value", "limit", "read_only")),
        ("tools", ("name", "description", "source_code", "json_schema", "tool_type", "tags")),
    ):
        mine = {each["id"]: each for each in exported[kind]}
        assert mine.keys() == {each["id"] for each in original[kind]}
        for each in original[kind]:
            assert [mine[each["id"]][key] or None for key in keys] == [each[key] or None for key in keys]


def _calls(message: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (each["id"], each["function"]["name"], each["function"]["arguments"])
        for each in message["tool_calls"] or ()
    ]


def _returned(message: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (each["tool_call_id"], each["func_response"])
        for each in (*message["tool_returns"], *message["approvals"])
        if each.get("func_response")
    }
