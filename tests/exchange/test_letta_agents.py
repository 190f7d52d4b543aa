import json
from datetime import UTC, datetime
from typing import Any

import pytest

from inspector.domain.actor import IMPORTER
from inspector.domain.agents import ToolRuleKind
from inspector.domain.edits.rows import CreateAgent, PutTool, PutToolRule
from inspector.domain.errors import MalformedError
from inspector.domain.limits import LimitOverrides
from inspector.domain.ref import RefKind
from tests.exchange.builders import (
    agent,
    assistant,
    block,
    codes,
    file_of,
    found,
    intents_of,
    plan_of,
    tool,
    user,
    with_messages,
)


def made_agent(**more: Any) -> CreateAgent:
    return found(plan_of(file_of(agent(**more))), CreateAgent)[0]


def test_that_the_system_text_is_the_one_instruction() -> None:
    made = made_agent(system="Be kind.\n")
    assert (made.instructions, made.persona) == (("Be kind.\n",), "")
    assert made_agent(system="").instructions == ()


def test_that_the_model_its_window_and_its_parameters_are_taken_over() -> None:
    made = made_agent()
    assert (made.provider, made.model) == ("openai", "gpt-4o-mini")
    assert made.config.limits == LimitOverrides(max_tokens=32000)
    assert json.loads(made.parameters) == {"temperature": 0.5}


def test_that_a_window_of_the_agent_goes_before_its_models() -> None:
    assert made_agent(context_window_limit=90_000).config.limits.max_tokens == 90_000


def test_that_a_small_window_keeps_room_for_the_request() -> None:
    config = {"model": "tiny", "model_endpoint_type": "ollama", "context_window": 4000}
    limits = made_agent(llm_config=config).config.limits
    assert (limits.max_tokens, limits.reserved_response_tokens) == (4000, 1000)


def test_that_a_handle_stands_in_for_missing_model_settings() -> None:
    made = made_agent(llm_config=None, model="anthropic/claude-x")
    assert (made.provider, made.model) == ("anthropic", "claude-x")


def test_that_an_address_of_the_file_is_not_used_and_told() -> None:
    config = {"model": "m", "model_endpoint_type": "openai", "model_endpoint": "https://elsewhere.example/v1"}
    plan = plan_of(file_of(agent(llm_config=config)))
    assert codes(plan) == ["import.address_not_used"]


def test_that_what_has_no_place_of_its_own_is_kept_and_named() -> None:
    plan = plan_of(
        file_of(
            agent(tags=["a"], embedding_config={"dim": 3}, future={"x": 1}),
            groups=[{"id": "group-0", "agent_ids": ["agent-0"]}],
            skills=[{"name": "s", "files": {"SKILL.md": "text"}}],
            files=[{"id": "file-0"}],
            novelty=7,
        )
    )
    kept = json.loads(found(plan, CreateAgent)[0].metadata)["letta"]
    assert (kept["tags"], kept["embedding_config"], kept["future"]) == (["a"], {"dim": 3}, {"x": 1})
    assert kept["file"]["skills"][0]["files"] == {"SKILL.md": "text"}
    assert kept["file"]["novelty"] == 7
    assert {"agents[].future", "groups", "skills", "files", "novelty"} <= set(plan.kept_in_metadata)


@pytest.mark.parametrize(
    "secret",
    [
        {"tool_exec_environment_variables": {"API_KEY": "canary"}},
        {"tool_exec_environment_variables": [{"key": "API_KEY", "value": "canary"}]},
        {"secrets": {"A": "canary"}},
        {"llm_config": {"model": "m", "api_key": "canary"}},
        {"llm_config": {"model": "m", "model_endpoint": "https://u:canary@elsewhere.example/v1"}},
        {"mcp": {"server": {"access_token": "canary", "custom_headers": {"x": "canary"}}}},
    ],
)
def test_that_secrets_are_left_out_and_told(secret: dict[str, Any]) -> None:
    plan = plan_of(file_of(agent(**secret), mcp_servers=[{"server_name": "s", "token": "canary"}]))
    assert "canary" not in repr(plan)
    assert "import.secret_left_out" in codes(plan)
    assert json.loads(found(plan, CreateAgent)[0].metadata)["letta"]["file"]["mcp_servers"] == [
        {"server_name": "s"}
    ]


def test_that_a_tool_is_offered_as_the_source_offers_it_and_its_code_is_only_kept() -> None:
    code = "raise SystemExit('executed')"
    plan = plan_of(
        file_of(
            agent(tool_ids=["tool-1", "tool-0"]),
            tools=[tool(0, "look", source_code=code, description="Another text."), tool(1, "act")],
        )
    )
    look, act = (each.tool for each in found(plan, PutTool))
    assert (look.name, look.description) == ("look", "Does look.")
    assert json.loads(look.parameters) == {"type": "object", "properties": {"what": {"type": "string"}}}
    assert json.loads(look.metadata)["letta"]["source_code"] == code
    assert json.loads(look.metadata)["letta"]["description"] == "Another text."
    assert found(plan, CreateAgent)[0].tools == ("act", "look")
    assert act.name == "act"


def test_that_of_two_tools_with_one_name_the_second_is_kept_as_metadata() -> None:
    plan = plan_of(
        file_of(
            agent(tool_ids=["tool-0", "tool-1"]), tools=[tool(0, "look"), tool(1, "look", source_code="x")]
        )
    )
    assert len(found(plan, PutTool)) == 1
    made = found(plan, CreateAgent)[0]
    assert made.tools == ("look",)
    assert json.loads(made.metadata)["letta"]["file"]["tools"][0]["name"] == "look"
    assert codes(plan) == ["import.duplicate_tool"]


def test_that_rules_become_rules_or_are_kept() -> None:
    rules = [
        {"tool_name": "a", "type": "continue_loop", "prompt_template": None},
        {"tool_name": "b", "type": "exit_loop"},
        {"tool_name": "c", "type": "requires_approval"},
        {"tool_name": "d", "type": "max_count_per_step", "max_count_limit": 3},
        {"tool_name": "e", "type": "parent_last_tool", "children": ["f", "g"]},
        {"tool_name": "h", "type": "run_first", "args": {"x": 1}},
    ]
    plan = plan_of(file_of(agent(tool_rules=rules)))
    made = [(rule.tool, rule.kind, json.loads(rule.detail)) for rule in found(plan, PutToolRule)]
    assert made == [
        ("a", ToolRuleKind.CONTINUE, {}),
        ("b", ToolRuleKind.EXIT, {}),
        ("c", ToolRuleKind.REQUIRES_CONSENT, {}),
        ("d", ToolRuleKind.MAX_CALLS, {"limit": 3}),
        ("f", ToolRuleKind.REQUIRES_PRECEDING, {"preceding": ["e"]}),
        ("g", ToolRuleKind.REQUIRES_PRECEDING, {"preceding": ["e"]}),
    ]
    assert json.loads(found(plan, CreateAgent)[0].metadata)["letta"]["tool_rules"] == [rules[-1]]
    assert codes(plan) == ["import.rule_kept"]


def test_that_every_edit_is_the_importers_and_says_where_it_came_from() -> None:
    plan = plan_of(with_messages(user("hello"), assistant("hi")))
    assert {intent.actor for intent in plan.intents} == {IMPORTER}
    assert {intent.reason for intent in plan.intents} == {"imported from small.af"}


def test_that_rows_come_in_an_order_in_which_they_can_be_applied() -> None:
    plan = plan_of(
        file_of(
            agent(
                0,
                block_ids=["block-0"],
                tool_ids=["tool-0"],
                tool_rules=[{"tool_name": "look", "type": "exit_loop"}],
                messages=[{**user("hello"), "id": "m"}],
            ),
            agent(1, block_ids=["block-0"]),
            blocks=[block(0, "notes")],
            tools=[tool(0, "look")],
        )
    )
    kinds = [intent.edit.target.kind for intent in plan.intents]
    assert kinds == [
        RefKind.LAYOUT,
        RefKind.LAYOUT,
        RefKind.AGENT,
        RefKind.AGENT,
        RefKind.TOOL,
        RefKind.TOOL_RULE,
        RefKind.BLOCK,
        RefKind.BLOCK,
        RefKind.MESSAGE,
    ]
    assert plan.name == "Agent 0"


def test_that_an_agent_is_as_old_as_its_oldest_message() -> None:
    file = with_messages(
        user("later", created_at="2026-01-02T00:00:00Z"), user("b", created_at="2026-01-01T01:00:00+01:00")
    )
    file["created_at"] = "2026-02-01T00:00:00Z"
    assert intents_of(plan_of(file), CreateAgent)[0].at == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"agents": []}, "agents"),
        ({"agents": ["x"]}, "agents[0]"),
        ({"agents": [{"name": "a", "messages": {}}]}, "agents[0].messages"),
        ({"agents": [{"name": "a", "messages": [[]]}]}, "agents[0].messages[0]"),
        ({"agents": [{"name": "a"}], "blocks": [{"id": "b"}, None]}, "blocks[1]"),
        ({"agents": [{"name": "a", "block_ids": "b"}]}, "agents[0].block_ids"),
        ({"core_memory": 3, "agent_type": "x"}, "core_memory"),
    ],
)
def test_that_a_broken_shape_is_refused_with_its_path(value: Any, where: str) -> None:
    with pytest.raises(MalformedError) as caught:
        plan_of(value)
    assert caught.value.parameters["where"] == where
