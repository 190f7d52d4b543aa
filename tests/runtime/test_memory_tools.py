"""An agent's tools write through the one door of edits, as the agent; what is refused comes back in words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from inspector.domain.agents import Agent, Tool
from inspector.domain.blocks import (
    TASK_LIST,
    BlockType,
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.consent import ConsentDecision
from inspector.domain.content import ListContent, TextContent, TreeContent
from inspector.domain.edits.rows import PutTool
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.turns import ConsentAsked, IncomingMessage, MessageSent, ToolDone, TurnOptions
from inspector.runtime.engine import Engine
from tests.runtime.turn_world import (
    OFFLINE,
    TickingClock,
    called,
    events_of,
    made_agent,
    made_block,
    of_kind,
    put,
    rendered,
)

MOST_TOKENS = 1_500
"""Of the definitions of all tools together, and the most of them: agents with more of either work worse."""
MOST_TOOLS = 8


@pytest.fixture
def clock() -> TickingClock:
    """Noon, and a little later each time."""
    return TickingClock()


async def test_that_the_tools_are_few_and_their_definitions_short(opened: Engine) -> None:
    tools = opened.turns.tools.tools()
    counts = await opened.context.count_tools("gpt-4.1", tools)
    assert len(tools) <= MOST_TOOLS
    assert sum(each.tokens for each in counts) <= MOST_TOKENS


async def test_that_an_agent_makes_lists_and_puts_away_blocks(opened: Engine) -> None:
    agent = await made_agent(opened)
    made = await called(opened, agent, "block", action="create", label="notes", text="One.\n", reason="new")
    assert (made.is_error, made.content) == (False, "Block notes created. 5 of 5,000 characters")
    state = await opened.memory.find(agent.id, "notes")
    assert state is not None
    assert state.written is not None
    assert (state.written.actor.id, state.written.reason) == (agent.id, "new")
    assert state.written.tool_call_id == made.call_id
    assert "notes: working, text, read_write" in (await called(opened, agent, "block", action="info")).content
    for action, pinned, kind in (
        ("pin", True, BlockType.WORKING),
        ("unpin", False, BlockType.WORKING),
        ("archive", False, BlockType.ARCHIVAL),
        ("load", False, BlockType.WORKING),
    ):
        outcome = await called(opened, agent, "block", action=action, label="notes")
        assert not outcome.is_error
        state = await opened.memory.find(agent.id, "notes")
        assert state is not None
        assert (state.block.pinned, state.block.block_type) == (pinned, kind)
    assert "One." in outcome.content


async def test_that_an_agent_shares_only_what_its_level_allows(opened: Engine) -> None:
    agent, other = await made_agent(opened), await made_agent(opened, "Eve")
    block_id = await made_block(opened, agent, "plan")
    refused = await called(opened, agent, "block", action="share", label="plan", agent="Eve")
    assert refused.is_error
    assert "admin is needed" in refused.content
    own = await made_block(opened, agent, "own", permission=Permission.ADMIN)
    assert not (
        await called(opened, agent, "block", action="share", label="own", agent="Eve", level="append")
    ).is_error
    assert [each.state.block.id for each in await opened.memory.shared_with(other.id)] == [own]
    added = await called(opened, other, "block_edit", label="own", operation="append", text="By Eve.")
    assert not added.is_error
    over = await called(opened, other, "block_edit", label="own", operation="set_text", text="Mine.")
    assert over.is_error
    assert not (await called(opened, agent, "block", action="unshare", label="own", agent="Eve")).is_error
    gone = await called(opened, other, "block_edit", label="own", operation="append", text="x")
    assert "Block own doesn't exist" in gone.content
    assert block_id != own


COMPOSITE = CompositeSchema(
    (SectionDef("facts", ListSchema()), SectionDef("fixed", TextSchema(), read_only=True))
)
MAP = MapSchema(
    (FieldDef("mood"), FieldDef("likes", FieldType.LIST), FieldDef("energy", FieldType.COUNTER, default=5))
)
LOG = LogSchema(
    entry_schema=EntrySchema(timestamp=False, agent_id=False, fields=(FieldDef("seen", required=True),))
)

EDITS: tuple[tuple[str, Schema, tuple[Mapping[str, Any], ...], str], ...] = (
    (
        "text",
        TextSchema(),
        (
            {"operation": "set_text", "text": "a\nb\nc\n"},
            {"operation": "edit_range", "first": 2, "last": 2, "text": "B\n"},
            {"operation": "replace", "find": "c", "text": "C"},
            {"operation": "append", "text": "d"},
            {"operation": "patch", "text": "@@ -1,2 +1,2 @@\n-a\n+A\n B\n"},
        ),
        "A\nB\nC\nd",
    ),
    (
        "map",
        MAP,
        (
            {"operation": "set_field", "field": "mood", "value": "calm"},
            {"operation": "append", "field": "likes", "value": "tea"},
            {"operation": "increment", "field": "energy", "by": -2},
            {"operation": "set_field", "field": "mood", "value": None},
        ),
        "likes:\n- tea\nenergy: 3",
    ),
    (
        "list",
        ListSchema(),
        (
            {"operation": "append", "value": "one"},
            {"operation": "append", "value": "two"},
            {"operation": "insert_item", "value": "zero", "before": "1"},
            {"operation": "update_item", "item": "two", "value": "TWO"},
            {"operation": "move_item", "item": "3", "before": "1"},
            {"operation": "remove_item", "item": "one"},
        ),
        "1. TWO\n2. zero",
    ),
    (
        "tasks",
        TASK_LIST,
        (
            {"operation": "append", "value": {"title": "Write"}},
            {"operation": "update_item", "item": "1", "value": {"done": True}},
        ),
        "1. [x] Write (priority: 3)",
    ),
    (
        "log",
        LOG,
        ({"operation": "append", "text": "rain"}, {"operation": "append", "value": {"seen": "sun"}}),
        "sun\nrain",
    ),
    (
        "tree",
        TreeSchema(),
        (
            {"operation": "append", "value": "root"},
            {"operation": "append", "value": "leaf", "item": "root"},
            {"operation": "update_item", "item": "leaf", "value": "twig"},
            {"operation": "move_item", "item": "twig"},
            {"operation": "remove_item", "item": "root"},
        ),
        "- twig",
    ),
    (
        "composite",
        COMPOSITE,
        ({"operation": "append", "section": "facts", "value": "tea"},),
        "=== facts ===\n1. tea",
    ),
)


@pytest.mark.parametrize(("name", "schema", "edits", "expected"), EDITS, ids=[each[0] for each in EDITS])
async def test_that_an_agent_edits_every_schema(
    opened: Engine, name: str, schema: Schema, edits: tuple[Mapping[str, Any], ...], expected: str
) -> None:
    agent = await made_agent(opened)
    block_id = await made_block(opened, agent, name, schema=schema)
    for edit in edits:
        outcome = await called(opened, agent, "block_edit", label=name, **edit)
        assert not outcome.is_error, outcome.content
    assert (await rendered(opened, block_id)).rstrip("\n") == expected


async def test_that_calls_of_one_reply_name_the_lines_that_the_model_saw(opened: Engine) -> None:
    agent = await made_agent(opened)
    block_id = await made_block(opened, agent, "text", content=TextContent("a\nb\nc\n"))
    edit = {"label": "text", "operation": "edit_range"}
    first = json.dumps({**edit, "first": 1, "text": "A1\nA2\n"})
    second = json.dumps({**edit, "first": 3, "text": "C\n"})
    await events_of(opened, agent.id, f"/tool block_edit {first}\n/tool block_edit {second}")
    assert await rendered(opened, block_id) == "A1\nA2\nb\nC\n"


async def test_that_an_agent_undoes_its_own_edits_alone(opened: Engine) -> None:
    agent = await made_agent(opened)
    block_id = await made_block(opened, agent, "text", content=TextContent("a"))
    await called(opened, agent, "block_edit", label="text", operation="append", text="b")
    undone = await called(opened, agent, "block_edit", label="text", operation="undo")
    assert (undone.is_error, await rendered(opened, block_id)) == (False, "a")
    again = await called(opened, agent, "block_edit", label="text", operation="undo")
    assert again.is_error
    assert not (await called(opened, agent, "block_edit", label="text", operation="redo")).is_error
    assert await rendered(opened, block_id) == "ab"


async def test_that_a_wrong_call_is_told_what_would_be_right(opened: Engine) -> None:
    agent = await made_agent(opened)
    await made_block(opened, agent, "fixed", permission=Permission.READ_ONLY)
    await made_block(opened, agent, "small", char_limit=3)
    await made_block(opened, agent, "parts", schema=COMPOSITE)
    for arguments, words in (
        ({"label": "nothing", "operation": "append", "text": "x"}, "Blocks: fixed, small, parts"),
        ({"label": "fixed", "operation": "append", "text": "x"}, "has the level read_only"),
        ({"label": "small", "operation": "append", "text": "1234"}, "4 characters, limit 3"),
        ({"label": "small", "operation": "dance"}, "Choose one of append"),
        ({"label": "small", "operation": "append"}, "text must be a text"),
        ({"label": "parts", "operation": "append", "section": "fixed", "text": "x"}, "fixed"),
        ({"label": "parts", "operation": "append", "text": "x"}, "Choose one of facts, fixed"),
        ({"label": "parts", "operation": "remove_item", "section": "facts", "item": "1"}, "matches 0 items"),
    ):
        outcome = await called(opened, agent, "block_edit", **arguments)
        assert outcome.is_error
        assert words in outcome.content


@pytest.mark.parametrize("decision", [ConsentDecision.ONCE, ConsentDecision.DENY])
async def test_that_a_block_that_asks_waits_for_a_person(opened: Engine, decision: ConsentDecision) -> None:
    agent = await made_agent(opened)
    block_id = await made_block(opened, agent, "diary", permission=Permission.HUMAN)
    arguments = json.dumps({"label": "diary", "operation": "append", "text": "Tea."})
    outcomes: list[ToolDone] = []
    async with opened.turns.run(agent.id, IncomingMessage(f"/tool block_edit {arguments}"), OFFLINE) as turn:
        async for event in turn:
            if isinstance(event, ConsentAsked):
                assert await rendered(opened, block_id) == ""
                await opened.consent.answer(event.request_id, decision)
            if isinstance(event, ToolDone):
                outcomes.append(event)
    (outcome,) = outcomes
    allowed = decision is ConsentDecision.ONCE
    assert outcome.is_error is not allowed
    assert ("Approved by a person" in outcome.content) is allowed
    assert await rendered(opened, block_id) == ("Tea." if allowed else "")


async def test_that_an_agent_reads_its_own_edit_that_still_waits(opened: Engine) -> None:
    agent = await made_agent(opened)
    block_id = await made_block(opened, agent, "diary", permission=Permission.HUMAN)
    arguments = json.dumps({"label": "diary", "operation": "append", "text": "Tea."})
    options = TurnOptions(consent_seconds=0.01)
    events = await events_of(opened, agent.id, f"/tool block_edit {arguments}", options)
    (asked,), (outcome,) = of_kind(events, ConsentAsked), of_kind(events, ToolDone)
    assert not outcome.is_error
    assert asked.request_id in outcome.content
    for tool, look in (
        ("block", {"action": "info", "label": "diary"}),
        ("block", {"action": "load", "label": "diary"}),
        ("memory", {"command": "view", "path": "/memories/diary.md"}),
    ):
        read = (await called(opened, agent, tool, **look)).content
        assert asked.request_id in read
        assert "Tea." in read
    await opened.consent.answer(asked.request_id, ConsentDecision.ONCE)
    assert await rendered(opened, block_id) == "Tea."


async def test_that_an_edit_nobody_answers_in_time_is_refused(opened: Engine, clock: TickingClock) -> None:
    agent = await made_agent(opened)
    await made_block(opened, agent, "diary", permission=Permission.HUMAN)
    arguments = json.dumps({"label": "diary", "operation": "append", "text": "Tea."})
    outcomes = []
    async with opened.turns.run(agent.id, IncomingMessage(f"/tool block_edit {arguments}"), OFFLINE) as turn:
        async for event in turn:
            if isinstance(event, ConsentAsked):
                clock.advance(minutes=6)
            if isinstance(event, ToolDone):
                outcomes.append(event)
    assert outcomes[0].is_error
    assert "Nobody approved" in outcomes[0].content


async def test_that_memories_are_kept_and_found(opened: Engine) -> None:
    agent = await made_agent(opened)
    kept = await called(opened, agent, "recall", action="insert", text="Noor likes green tea", tags=["noor"])
    assert kept.content.startswith("Kept as arc_")
    found = await called(opened, agent, "recall", action="search", text="green")
    assert "green tea" in found.content
    await made_block(opened, agent, "notes", content=TextContent("A green house."))
    assert "green house" in (await called(opened, agent, "search", text="green house", kind="block")).content
    none = await called(opened, agent, "search", text="purple", kind="block")
    assert (none.is_error, none.content) == (False, "Nothing found for “purple”.")


async def test_that_messages_go_to_the_user_and_into_other_agents_queues(opened: Engine) -> None:
    agent, other = await made_agent(opened), await made_agent(opened, "Eve")
    arguments = json.dumps({"text": "Hello there"})
    events = await events_of(opened, agent.id, f"/tool send_message {arguments}")
    assert of_kind(events, MessageSent) == [MessageSent("Hello there")]
    sent = await called(opened, agent, "send_message", to="Eve", text="Hi Eve", priority=2)
    assert sent.content == "Sent to Eve."
    (queued,), _ = await opened.agents.queue()
    assert (queued.from_agent_id, queued.target_agent_id, queued.content) == (agent.id, other.id, "Hi Eve")
    assert queued.priority == 2
    assert (await called(opened, agent, "send_message", to="Nobody", text="x")).is_error


async def test_that_messages_go_to_a_program_s_own_endpoint(opened: Engine) -> None:
    agent = await made_agent(opened)
    posted: list[tuple[str, str]] = []

    async def post(sender: Agent, text: str) -> None:
        if not text:
            raise InputError("input.endpoint_name", name=text)
        posted.append((sender.name, text))

    opened.turns.endpoints.register("board", post)
    with pytest.raises(InputError):
        opened.turns.endpoints.register("user", post)
    assert not (await called(opened, agent, "send_message", to="board", text="Rain.")).is_error
    assert (await called(opened, agent, "send_message", to="board", text="")).is_error
    assert posted == [("Ada", "Rain.")]


async def test_that_items_are_listed_with_their_ids(opened: Engine) -> None:
    agent = await made_agent(opened)
    block_id = await made_block(opened, agent, "list", schema=ListSchema())
    tree_id = await made_block(opened, agent, "tree", schema=TreeSchema())
    await called(opened, agent, "block_edit", label="list", operation="append", value="one")
    await called(opened, agent, "block_edit", label="tree", operation="append", value="root")
    states = [await opened.memory.get(each) for each in (block_id, tree_id)]
    contents = [state.content for state in states if state is not None]
    assert isinstance(contents[0], ListContent)
    assert isinstance(contents[1], TreeContent)
    for label, item in (("list", contents[0].items[0].id), ("tree", contents[1].roots[0].id)):
        assert item in (await called(opened, agent, "block", action="info", label=label)).content


async def test_that_a_program_registers_its_own_functions(opened: Engine) -> None:
    def add(first: int, second: int = 1) -> int:
        """Add two numbers."""
        return first + second

    async def slow(words: list[str], loud: bool | None = None) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"words": words, "loud": loud}

    tool = opened.turns.tools.register(add)
    assert (tool.name, tool.description) == ("add", "Add two numbers.")
    assert json.loads(tool.parameters) == {
        "type": "object",
        "properties": {"first": {"type": "integer"}, "second": {"type": "integer"}},
        "required": ["first"],
    }
    made = opened.turns.tools.register(slow, name="say", description="Say it.")
    assert json.loads(made.parameters)["properties"]["words"] == {
        "type": "array",
        "items": {"type": "string"},
    }
    agent = await made_agent(opened, tools=("add", "say"))
    assert (await called(opened, agent, "add", first=2)).content == "3"
    assert (await called(opened, agent, "say", words=["a"])).content == '{"words": ["a"], "loud": null}'


async def test_that_a_definition_of_the_file_s_own_is_not_replaced(opened: Engine) -> None:
    own = Tool("search", "Search the web.", "{}")
    await put(opened, Ref(RefKind.TOOL, "search"), PutTool(own))
    agent = await made_agent(opened, tools=())
    given_tools = await opened.turns.equip(agent.id, ("search", "recall"))
    assert (given_tools.new, given_tools.kept) == (("search", "recall"), ("search",))
    assert own in (await opened.agents.tools())[0]
    opened.turns.tools.register(lambda text: text, name="recall", description="Another.", parameters={})
    again = await opened.turns.equip(agent.id, ("recall",))
    assert (again.new, again.kept) == ((), ())
    (recall,) = [each for each in (await opened.agents.tools())[0] if each.name == "recall"]
    assert recall.description == "Another."
    await opened.edits.undo(opened.actor)
    assert "Another." not in [each.description for each in (await opened.agents.tools())[0]]
