"""Real agent files, where they lie beside the project: counts taken from the files by other means."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.content import TextContent
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock
from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutTool
from inspector.domain.errors import Severity
from inspector.domain.messages import Role, ToolCallPart, ToolResultPart
from tests.exchange.builders import codes, counted_ids, found, plan_import
from tests.exchange.test_letta_mutations import check

NAMES = [
    "agent-file--customer_service.af",
    "agent-file--evie.af",
    "agent-file--lettabot.af",
    "agent-file--loop.af",
    "agent-file--memgpt_agent_with_convo.af",
    "letta-archive--memgpt_agent_with_convo.af",
    "letta-archive--test_agent.af",
]


def raw(path: Path) -> dict[str, Any]:
    value: Any = json.loads(path.read_bytes())
    found: dict[str, Any] = json.loads(value) if isinstance(value, str) else value
    return found


@pytest.mark.parametrize("name", NAMES)
def test_that_nothing_of_a_real_file_is_lost(samples_dir: Path, name: str) -> None:
    plan = plan_import(samples_dir / name, counted_ids())
    file = raw(samples_dir / name)
    agents = file.get("agents", [file])
    blocks = file["blocks"] if "blocks" in file else file["core_memory"]
    check(plan)
    assert {each.severity for each in plan.problems} <= {Severity.INFO}
    assert [(made.name, made.instructions) for made in found(plan, CreateAgent)] == [
        (each["name"], (each["system"],)) for each in agents
    ]
    made = {each.label: each for each in found(plan, CreateBlock)}
    assert {label: each.content for label, each in made.items()} == {
        each["label"]: TextContent(each["value"]) for each in blocks
    }
    assert [each.char_limit for each in made.values()] == [
        each["limit"] for each in sorted(blocks, key=lambda each: list(made).index(each["label"]))
    ]
    assert {each.tool.name for each in found(plan, PutTool)} == {each["name"] for each in file["tools"]}
    assert len(found(plan, AppendMessage)) == sum(len(each["messages"]) for each in agents)


@pytest.mark.parametrize("name", NAMES)
def test_that_no_compiled_prompt_of_a_real_file_is_sent(samples_dir: Path, name: str) -> None:
    plan = plan_import(samples_dir / name, counted_ids())
    prompts = [each for each in found(plan, AppendMessage) if each.role is Role.SYSTEM]
    assert prompts
    assert all(each.compiled and each.is_archived for each in prompts)


def test_that_two_agents_share_their_blocks(samples_dir: Path) -> None:
    plan = plan_import(samples_dir / "agent-file--evie.af", counted_ids())
    first, second = plan.agents
    assert (first.blocks, first.shared_blocks, second.blocks, second.shared_blocks) == (12, 0, 1, 12)
    assert {each.agent_id for each in found(plan, AttachBlock)} == {second.id}
    full = [each.label for each in found(plan, CreateBlock) if _is_full(each)]
    assert full == ["discord_message_formats", "persona_rules"]


def _is_full(block: CreateBlock) -> bool:
    return isinstance(block.content, TextContent) and len(block.content.text) == block.char_limit


def test_that_the_older_version_keeps_its_eleven_messages_in_context(samples_dir: Path) -> None:
    plan = plan_import(samples_dir / "letta-archive--memgpt_agent_with_convo.af", counted_ids())
    # One of the eleven is the compiled prompt.
    assert (plan.agents[0].messages, plan.agents[0].messages_in_context) == (91, 10)


def test_that_approvals_pair_calls_and_results_once(samples_dir: Path) -> None:
    plan = plan_import(samples_dir / "letta-archive--test_agent.af", counted_ids())
    sent = [part for each in found(plan, AppendMessage) if not each.is_archived for part in each.content]
    calls = [part.id for part in sent if isinstance(part, ToolCallPart)]
    results = [part.call_id for part in sent if isinstance(part, ToolResultPart)]
    assert (len(calls), len(set(calls)), len(results), len(set(results))) == (11, 11, 8, 8)
    assert codes(plan).count("import.call_waits") == 3
    assert (plan.agents[0].messages, plan.agents[0].messages_in_context) == (20, 15)
