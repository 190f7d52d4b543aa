"""Agents, their tools, and the rows of running agents."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from inspector.domain.agents import AgentStatus, ContextConfig, Tool, ToolRuleKind
from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentState
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.consent import RequestConsent
from inspector.domain.edits.rows import (
    ConfigureAgent,
    CreateAgent,
    EnqueueMessage,
    PutTool,
    PutToolRule,
    SetMeta,
    SetWakeup,
    StoreRun,
)
from inspector.domain.edits.text import AppendText
from inspector.domain.limits import Hysteresis, LimitOverrides
from inspector.domain.records import QueueState, TokenUsage
from inspector.domain.ref import Ref, RefKind
from tests.memory.world import AGENT, OTHER, START, World

WHOLE_FILE = Ref(RefKind.CONSTELLATION, "")


async def test_that_an_agent_is_kept_as_it_was_made(world: World) -> None:
    config = ContextConfig(LimitOverrides(max_tokens=9000), strategy=Hysteresis(0.9, 0.4))
    made = CreateAgent(
        "Ida",
        "I am",
        ("be kind", "be brief"),
        "openai",
        "gpt-5",
        '{"temperature": 1}',
        config,
        ("search",),
    )
    ref = (await world.do(Ref(RefKind.AGENT, ""), made)).ref
    agent = await world.agents.get(ref.id)
    assert agent is not None
    assert (agent.name, agent.instructions, agent.config) == ("Ida", ("be kind", "be brief"), config)
    assert (agent.tools, agent.status) == (("search",), AgentStatus.ACTIVE)
    assert [each.name for each in (await world.agents.list())[0]] == ["One", "Two", "Ida"]


async def test_that_configuring_changes_what_is_named_and_nothing_else(world: World) -> None:
    ref = Ref(RefKind.AGENT, AGENT.id)
    before = await world.agents.get(AGENT.id)
    receipt = await world.do(ref, ConfigureAgent(persona="calm", instructions=()))
    after = await world.agents.get(AGENT.id)
    assert before is not None
    assert after is not None
    assert (after.persona, after.name, after.updated_at) == ("calm", before.name, receipt.at)
    ((old, new),) = await world.rows("SELECT before, after FROM changes ORDER BY seq DESC LIMIT 1")
    assert "calm" in str(new)
    assert "name" not in str(old)
    assert not (await world.do(ref, ConfigureAgent(persona="calm"))).changed
    assert await world.refusal(ref, ConfigureAgent(name=" ")) == "refused.name_empty"
    assert await world.refusal(ref, ConfigureAgent(parameters="{")) == "malformed.json"
    assert await world.refusal(Ref(RefKind.AGENT, "none"), ConfigureAgent(name="x")) == "not_found.agent"


async def test_that_a_deleted_agent_is_archived_and_told_of(world: World) -> None:
    ref = Ref(RefKind.AGENT, AGENT.id)
    await world.do(ref, DeleteRow())
    agent = await world.agents.get(AGENT.id)
    assert agent is not None
    assert agent.status is AgentStatus.ARCHIVED
    assert await world.rows("SELECT kind FROM activity") == [("agent_status_changed",)]
    await world.do(ref, RestoreRow())
    agent = await world.agents.get(AGENT.id)
    assert agent is not None
    assert agent.status is AgentStatus.ACTIVE


async def test_that_an_unreadable_agent_is_a_problem_and_the_rest_is_listed(world: World) -> None:
    async with world.database.write() as tx:
        await tx.execute("UPDATE agents SET config = '{\"x\": 1}' WHERE id = ?", (AGENT.id,))
    found, problems = await world.agents.list()
    assert [agent.id for agent in found] == [OTHER.id]
    assert [(each.code, each.where) for each in problems] == [("row.unreadable", f"agent:{AGENT.id}")]


async def test_that_tools_are_put_replaced_and_put_away(world: World) -> None:
    tool = Tool("search", "finds", '{"type": "object"}', ("search x",))
    ref = Ref(RefKind.TOOL, "search")
    await world.do(ref, PutTool(tool))
    assert not (await world.do(ref, PutTool(tool))).changed
    assert await world.agents.tools() == ((tool,), ())
    better = Tool("search", "finds more", "{}")
    await world.do(ref, PutTool(better))
    assert await world.agents.tools() == ((better,), ())
    await world.do(ref, DeleteRow())
    assert await world.agents.tools() == ((), ())
    await world.do(ref, RestoreRow())
    assert await world.agents.tools() == ((better,), ())
    assert await world.refusal(ref, PutTool(Tool("search", "", "{"))) == "malformed.json"
    assert await world.refusal(Ref(RefKind.TOOL, "no"), DeleteRow()) == "not_found.tool"


async def test_that_a_rule_of_one_kind_stands_once_for_each_tool(world: World) -> None:
    anew = Ref(RefKind.TOOL_RULE, "")
    first = PutToolRule(AGENT.id, "search", ToolRuleKind.MAX_CALLS, '{"max": 3}')
    ref = (await world.do(anew, first)).ref
    second = PutToolRule(AGENT.id, "search", ToolRuleKind.MAX_CALLS, '{"max": 5}')
    assert (await world.do(anew, second)).ref == ref
    ((rule,), _) = await world.agents.rules(AGENT.id)
    assert rule.detail == '{"max": 5}'
    taken = await world.refusal(Ref(RefKind.TOOL_RULE, "another"), second)
    assert taken == "refused.rule_exists"
    await world.do(ref, DeleteRow())
    assert await world.agents.rules(AGENT.id) == ((), ())
    await world.do(Ref(RefKind.TOOL_RULE, "another"), second)


async def test_that_agents_do_not_change_agents(world: World) -> None:
    for target, operation in (
        (Ref(RefKind.AGENT, ""), CreateAgent("x")),
        (Ref(RefKind.AGENT, OTHER.id), ConfigureAgent(persona="x")),
        (Ref(RefKind.TOOL, "x"), PutTool(Tool("x", "", "{}"))),
        (WHOLE_FILE, SetMeta("partner_id", AGENT.id)),
    ):
        assert await world.refusal(target, operation, actor=AGENT) == "refused.people_only"


async def test_that_consent_queue_and_wakeups_are_kept(world: World) -> None:
    edit = Edit(Ref(RefKind.BLOCK, "b"), AppendText("x"))
    asked = RequestConsent(AGENT.id, edit, Permission.HUMAN, "please")
    await world.do(Ref(RefKind.CONSENT, ""), asked, AGENT)
    ((request,), _) = await world.agents.consent_requests(ConsentState.PENDING)
    assert (request.edit, request.level, request.reason) == (edit, Permission.HUMAN, "please")
    assert await world.agents.consent_requests(ConsentState.DENIED) == ((), ())

    dead = EnqueueMessage(None, AGENT.id, "hello", 2, state=QueueState.DEAD, attempts=5, last_error="no")
    await world.do(Ref(RefKind.QUEUE, ""), dead)
    ((queued,), _) = await world.agents.queue()
    assert (queued.state, queued.attempts, queued.last_error) == (QueueState.DEAD, 5, "no")

    wakeup = SetWakeup(AGENT.id, "rise", START + timedelta(hours=1), 3600)
    ref = (await world.do(Ref(RefKind.WAKEUP, ""), wakeup)).ref
    ((found,), _) = await world.agents.wakeups()
    assert (found.at, found.every_seconds) == (START + timedelta(hours=1), 3600)
    await world.do(ref, DeleteRow())
    assert await world.agents.wakeups() == ((), ())
    assert await world.refusal(Ref(RefKind.QUEUE, ""), EnqueueMessage(None, "none", "x")) == "not_found.agent"


async def test_that_a_sent_request_is_kept_once_by_its_hash(world: World) -> None:
    sent = StoreRun(AGENT.id, "test", "m", "the request", '{"a": 1}', 1200, 300, TokenUsage(10, 5), "reply")
    for _ in range(2):
        await world.do(Ref(RefKind.RUN, ""), sent)
    (first, second), _ = await world.agents.runs(AGENT.id)
    assert first.request_hash == second.request_hash == hashlib.sha256(b"the request").hexdigest()
    assert first.usage == TokenUsage(10, 5)
    assert first.changes_seq < second.changes_seq
    assert await world.agents.request_text(first.request_hash) == "the request"
    assert await world.agents.request_text(first.manifest_digest) == '{"a": 1}'
    assert await world.rows("SELECT count(*) FROM request_texts") == [(2,)]


async def test_that_the_constellation_keeps_its_facts(world: World) -> None:
    await world.do(WHOLE_FILE, SetMeta("name", "home"))
    facts = await world.agents.facts()
    assert facts["name"] == "home"
    assert facts["constellation_id"].startswith("con_")
    assert not (await world.do(WHOLE_FILE, SetMeta("name", "home"))).changed
    assert await world.refusal(WHOLE_FILE, SetMeta("constellation_id", "x")) == "refused.fixed_fact"
