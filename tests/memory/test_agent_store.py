"""Agents, their tools, and the rows of running agents."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.agents import AgentStatus, ContextConfig, Tool, ToolRuleKind
from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentState
from inspector.domain.edits.base import Edit, Operation
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
from inspector.domain.errors import InspectorError
from inspector.domain.limits import Hysteresis, LimitOverrides
from inspector.domain.records import QueueState, TokenUsage
from inspector.domain.ref import Ref, RefKind
from tests.memory.world import AGENT, OTHER, START, World, new_world

WHOLE_FILE = Ref(RefKind.CONSTELLATION, "")


async def refusal(world: World, target: Ref, operation: Operation, **given: object) -> str:
    """The code of the refusal; nothing may be stored."""
    before = await world.dump()
    with pytest.raises(InspectorError) as caught:
        await world.do(target, operation, **given)  # type: ignore[arg-type]
    assert await world.dump() == before
    return caught.value.code


async def test_that_an_agent_is_kept_as_it_was_made(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_configuring_changes_what_is_named_and_nothing_else(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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
        assert await refusal(world, ref, ConfigureAgent(name=" ")) == "refused.name_empty"
        assert await refusal(world, ref, ConfigureAgent(parameters="{")) == "malformed.json"
        assert await refusal(world, Ref(RefKind.AGENT, "none"), ConfigureAgent(name="x")) == "not_found.agent"


async def test_that_a_deleted_agent_is_archived_and_told_of(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_an_unreadable_agent_is_a_problem_and_the_rest_is_listed(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        async with world.database.write() as tx:
            await tx.execute("UPDATE agents SET config = '{\"x\": 1}' WHERE id = ?", (AGENT.id,))
        found, problems = await world.agents.list()
        assert [agent.id for agent in found] == [OTHER.id]
        assert [(each.code, each.where) for each in problems] == [("row.unreadable", f"agent:{AGENT.id}")]


async def test_that_tools_are_put_replaced_and_put_away(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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
        assert await refusal(world, ref, PutTool(Tool("search", "", "{"))) == "malformed.json"
        assert await refusal(world, Ref(RefKind.TOOL, "no"), DeleteRow()) == "not_found.tool"


async def test_that_a_rule_of_one_kind_stands_once_for_each_tool(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        anew = Ref(RefKind.TOOL_RULE, "")
        first = PutToolRule(AGENT.id, "search", ToolRuleKind.MAX_CALLS, '{"max": 3}')
        ref = (await world.do(anew, first)).ref
        second = PutToolRule(AGENT.id, "search", ToolRuleKind.MAX_CALLS, '{"max": 5}')
        assert (await world.do(anew, second)).ref == ref
        ((rule,), _) = await world.agents.rules(AGENT.id)
        assert rule.detail == '{"max": 5}'
        taken = await refusal(world, Ref(RefKind.TOOL_RULE, "another"), second)
        assert taken == "refused.rule_exists"
        await world.do(ref, DeleteRow())
        assert await world.agents.rules(AGENT.id) == ((), ())
        await world.do(Ref(RefKind.TOOL_RULE, "another"), second)


async def test_that_agents_do_not_change_agents(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        for target, operation in (
            (Ref(RefKind.AGENT, ""), CreateAgent("x")),
            (Ref(RefKind.AGENT, OTHER.id), ConfigureAgent(persona="x")),
            (Ref(RefKind.TOOL, "x"), PutTool(Tool("x", "", "{}"))),
            (WHOLE_FILE, SetMeta("partner_id", AGENT.id)),
        ):
            assert await refusal(world, target, operation, actor=AGENT) == "refused.people_only"


async def test_that_consent_queue_and_wakeups_are_kept(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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
        assert (
            await refusal(world, Ref(RefKind.QUEUE, ""), EnqueueMessage(None, "none", "x"))
            == "not_found.agent"
        )


async def test_that_a_sent_request_is_kept_once_by_its_hash(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        sent = StoreRun(
            AGENT.id, "test", "m", "the request", '{"a": 1}', 1200, 300, TokenUsage(10, 5), "reply"
        )
        for _ in range(2):
            await world.do(Ref(RefKind.RUN, ""), sent)
        (first, second), _ = await world.agents.runs(AGENT.id)
        assert first.request_hash == second.request_hash == hashlib.sha256(b"the request").hexdigest()
        assert first.usage == TokenUsage(10, 5)
        assert first.changes_seq < second.changes_seq
        assert await world.agents.request_text(first.request_hash) == "the request"
        assert await world.agents.request_text(first.manifest_digest) == '{"a": 1}'
        assert await world.rows("SELECT count(*) FROM request_texts") == [(2,)]


async def test_that_the_constellation_keeps_its_facts(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        await world.do(WHOLE_FILE, SetMeta("name", "home"))
        facts = await world.agents.facts()
        assert facts["name"] == "home"
        assert facts["constellation_id"].startswith("con_")
        assert not (await world.do(WHOLE_FILE, SetMeta("name", "home"))).changed
        assert await refusal(world, WHOLE_FILE, SetMeta("constellation_id", "x")) == "refused.fixed_fact"
