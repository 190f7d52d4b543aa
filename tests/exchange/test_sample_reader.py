"""The reader of the sample's source, on a small source of its own."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DeleteBlock, InsertArchival
from inspector.domain.edits.consent import RequestConsent
from inspector.domain.edits.fields import AppendToField, RemoveFromField, SetField
from inspector.domain.edits.items import (
    AddNode,
    AppendEntry,
    InSection,
    InsertItem,
    MoveItem,
    MoveNode,
    RemoveItem,
    UpdateItem,
)
from inspector.domain.edits.rows import (
    AppendMessage,
    CreateAgent,
    EnqueueMessage,
    LogEvent,
    PutToolRule,
    SetMeta,
    SetWakeup,
    StoreRun,
    StoreSummary,
)
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import MalformedError
from inspector.domain.messages import ToolCallPart
from inspector.domain.records import QueueState, TokenUsage
from inspector.domain.summaries import PositionRange
from inspector.exchange.sample.reader import SamplePlan, plan
from tests.exchange.builders import counted_ids

NOW = datetime(2026, 5, 1, 12, 0, 0, 250_000, tzinfo=UTC)
Files = dict[str, Any]
ADA = {"kind": "agent", "id": "agent_a", "name": "Ada"}
NOOR = {"kind": "partner", "id": "noor", "name": "Noor"}


def row(at: str, op: str, actor: dict[str, str] = ADA, **fields: Any) -> dict[str, Any]:
    return {
        "at": at,
        "actor": actor,
        "reason": "because",
        "tool_call": None,
        "operation": {"op": op, **fields},
    }


def block(name: str, schema: dict[str, Any], *history: dict[str, Any], **more: Any) -> dict[str, Any]:
    base = {
        "id": name,
        "owner": "agent_a",
        "label": name,
        "description": "d",
        "block_type": "working",
        "permission": "read_write",
        "pinned": False,
        "char_limit": 100,
        "deleted": False,
    }
    return {**base, "schema": schema, "history": list(history), **more}


def message(batch: str, at: str, role: str = "user", *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    content = list(parts) or [{"type": "text", "text": at}]
    base = {"agent_id": "agent_a", "batch": batch, "batch_type": "user_request", "role": role, "at": at}
    return {**base, "name": None, "archived": False, "content": content, **more}


def source(**changed: Any) -> Files:
    files: Files = {
        "constellation.json": {"id": "c", "name": "Small", "partner": {"id": "noor", "name": "Noor"}},
        "agents.json": [
            {"id": "agent_a", "name": "Ada", "persona": "p", "instructions": ["i"], "provider": "openai", "model": "m",
             "parameters": {"temperature": 1}, "limits": {"preset": "small"}, "layout": "standard", "tools": ["look"],
             "strategy": {"kind": "truncate", "keep_recent": 7}, "status": "active", "metadata": {},
             "tool_rules": [{"tool": "look", "kind": "max_calls", "limit": 4}]},
            {"id": "agent_b", "name": "Bea", "tools": []},
        ],
        "tools.json": [{"name": "look", "description": "d", "parameters": {}, "examples": [{"a": 1}, "x"]}],
        "blocks.json": [], "attachments.json": [], "archival.json": [], "messages.jsonl": [], "summaries.json": [],
        "activity.json": [], "queue.json": [], "wakeups.json": [], "consent.json": [], "runs.json": [],
    }  # fmt: skip
    return {**files, **{name.replace("_", ".", 1): value for name, value in changed.items()}}


@pytest.fixture
def planned(tmp_path: Path) -> Callable[..., SamplePlan]:
    def write(**changed: Any) -> SamplePlan:
        for name, value in source(**changed).items():
            lines = name.endswith(".jsonl")
            text = "\n".join(json.dumps(each) for each in value) if lines else json.dumps(value)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return plan(NOW, counted_ids(), tmp_path)

    return write


def edits(made: SamplePlan, *kinds: type[Operation]) -> list[Intent]:
    return [intent for intent in made.plan.intents if isinstance(intent.edit.operation, kinds)]


def operations(made: SamplePlan, *kinds: type[Operation]) -> list[Any]:
    return [intent.edit.operation for intent in edits(made, *kinds)]


def test_that_the_constellation_begins_with_its_facts_agents_tools_and_rules(
    planned: Callable[..., SamplePlan],
) -> None:
    made = planned(blocks_json=[block("b", {"kind": "text"}, row("-1h", "set_text", text="x"))])
    names = [type(intent.edit.operation).__name__ for intent in made.plan.intents]
    assert names[:7] == [
        "SetMeta",
        "SetMeta",
        "SetMeta",
        "CreateAgent",
        "CreateAgent",
        "PutToolRule",
        "PutTool",
    ]
    assert {each.name: each.value for each in operations(made, SetMeta)}["partner_id"] == "noor"
    assert operations(made, PutToolRule)[0].detail == '{"limit":4}'
    first = operations(made, CreateAgent)[0]
    assert (first.config.limits.preset, first.config.strategy.keep_recent) == ("small", 7)
    assert {intent.at for intent in made.plan.intents[:7]} == {NOW - timedelta(hours=1, minutes=1)}


def test_that_all_blocks_are_made_when_their_history_begins_and_all_is_in_the_order_of_time(
    planned: Callable[..., SamplePlan],
) -> None:
    made = planned(
        blocks_json=[
            block(
                "late",
                {"kind": "text"},
                row("-1h", "set_text", text="1"),
                row("-5m", "append_text", text="2"),
            ),
            block("early", {"kind": "text"}, row("-2d3h", "set_text", NOOR, text="0"), deleted=True),
        ]
    )
    timed = edits(made, CreateBlock, SetText, AppendText, DeleteBlock)
    assert [type(each.edit.operation).__name__ for each in timed] == [
        "CreateBlock", "SetText", "DeleteBlock", "CreateBlock", "SetText", "AppendText",
    ]  # fmt: skip
    assert timed[0].at == timed[1].at == NOW - timedelta(days=2, hours=3)
    assert (timed[1].actor, timed[1].unlock) == (Actor(ActorKind.PARTNER, "noor", "Noor"), True)
    agent_id = edits(made, CreateAgent)[0].edit.target.id
    assert (timed[4].actor, timed[4].unlock, timed[4].reason) == (
        Actor(ActorKind.AGENT, agent_id, "Ada"),
        False,
        "because",
    )
    times = [intent.at for intent in made.plan.intents if intent.at is not None]
    assert times == sorted(times)


def test_that_handles_become_ids_and_offsets_become_times(planned: Callable[..., SamplePlan]) -> None:
    tasks = {"kind": "list", "item_schema": [{"name": "title"}, {"name": "due", "field_type": "timestamp"}]}
    profile = {
        "kind": "map",
        "fields": [{"name": "likes", "field_type": "list"}, {"name": "seen", "field_type": "timestamp"}],
    }
    made = planned(
        blocks_json=[
            block(
                "tasks",
                tasks,
                row("-9m", "append_item", key="a", value={"title": "A", "due": "+1d"}),
                row("-8m", "append_item", key="b", value={"title": "-1d"}),
                row("-7m", "move_item", key="b", before="a"),
                row("-6m", "update_item", key="a", value={"title": "AA"}),
                row("-5m", "remove_item", key="b"),
            ),
            block(
                "profile",
                profile,
                row("-9m", "append_to_field", field="likes", value="tea"),
                row("-8m", "append_to_field", field="likes", value="tea"),
                row("-7m", "remove_from_field", field="likes", value="tea"),
                row("-6m", "set_field", field="seen", value="-2h"),
            ),
        ]
    )
    first, second = operations(made, InsertItem)
    assert (first.value, second.value) == ({"title": "A", "due": "2026-05-02T12:00:00Z"}, {"title": "-1d"})
    assert operations(made, MoveItem) == [MoveItem(second.id, first.id)]
    assert operations(made, UpdateItem) == [UpdateItem(first.id, {"title": "AA"})]
    assert operations(made, RemoveItem) == [RemoveItem(second.id)]
    tea, more_tea = operations(made, AppendToField)
    assert tea.id != more_tea.id
    assert operations(made, RemoveFromField) == [RemoveFromField("likes", tea.id)]
    assert operations(made, SetField) == [SetField("seen", "2026-05-01T10:00:00Z")]


def test_that_one_handle_may_name_things_of_two_sections(planned: Callable[..., SamplePlan]) -> None:
    sections = {
        "kind": "composite",
        "sections": [
            {"name": "outline", "schema": {"kind": "tree"}},
            {"name": "log", "schema": {"kind": "log", "entry_schema": {"fields": [{"name": "what"}]}}},
        ],
    }
    inner = [
        {"op": "add_node", "key": "k", "parent": None, "value": "root"},
        {"op": "add_node", "key": "l", "parent": "k", "value": "leaf"},
        {"op": "move_node", "key": "l", "parent": None},
    ]
    history = [
        row(f"-{9 - place}m", "in_section", section="outline", operation=each)
        for place, each in enumerate(inner)
    ]
    entry = {"op": "append_entry", "key": "k", "fields": {"what": "w"}}
    made = planned(
        blocks_json=[block("c", sections, *history, row("-1m", "in_section", section="log", operation=entry))]
    )
    root, leaf, moved, logged = (each.operation for each in operations(made, InSection))
    assert isinstance(root, AddNode)
    assert (leaf.parent, moved) == (root.id, MoveNode(leaf.id))
    assert isinstance(logged, AppendEntry)
    assert logged.id not in (root.id, leaf.id)


def test_that_messages_have_actors_batches_and_arguments_as_json(planned: Callable[..., SamplePlan]) -> None:
    call = {"type": "tool_call", "id": "c1", "name": "look", "arguments": {"a": 1}}
    made = planned(
        messages_jsonl=[
            message("b1", "-9m"),
            message("b1", "-8m", "assistant", call),
            message("b2", "-7m", "user", batch_type="agent_to_agent", name="Bea", archived=True),
        ]
    )
    first, second, third = edits(made, AppendMessage)
    ada, bea = (intent.edit.target.id for intent in edits(made, CreateAgent))
    assert [each.actor.id for each in (first, second, third)] == ["noor", ada, bea]
    one, two, three = operations(made, AppendMessage)
    assert one.batch_id == two.batch_id != three.batch_id
    assert two.content == (ToolCallPart("c1", "look", '{"a":1}'),)
    assert (three.is_archived, made.plan.agents[0].messages, made.plan.agents[0].messages_in_context) == (
        True,
        3,
        2,
    )


def test_that_summaries_cover_the_positions_that_the_store_will_give_out(
    planned: Callable[..., SamplePlan],
) -> None:
    def summary(name: str, depth: int, covers: dict[str, Any], **more: Any) -> dict[str, Any]:
        base = {
            "id": name,
            "agent_id": "agent_a",
            "content": name,
            "topics": [],
            "depth": depth,
            "covers": covers,
        }
        return {**base, "previous": None, "metadata": {"facts": ["f"]}, **more}

    other = {**message("x1", "-40m"), "agent_id": "agent_b"}
    made = planned(
        messages_jsonl=[
            other,
            message("b1", "-30m"),
            message("b1", "-29m", "assistant"),
            message("b2", "-20m"),
            message("b3", "-10m"),
        ],
        summaries_json=[
            summary("s1", 0, {"batches": ["b1", "b2"]}),
            summary("s2", 0, {"batches": ["b3", "b3"]}, previous="s1"),
            summary("s3", 1, {"children": ["s1", "s2"]}),
        ],
    )
    one, two, three = operations(made, StoreSummary)
    assert (one.covers, one.message_count) == (PositionRange(1, 3), 3)
    assert (one.start, one.end) == (NOW - timedelta(minutes=30), NOW - timedelta(minutes=20))
    assert (two.covers, two.previous_summary_id) == (
        PositionRange(4, 4),
        edits(made, StoreSummary)[0].edit.target.id,
    )
    assert (three.covers, three.message_count, three.details.facts) == (None, 4, ("f",))
    assert three.children == tuple(each.edit.target.id for each in edits(made, StoreSummary)[:2])
    assert (three.start, three.end) == (one.start, two.end)


def test_that_the_rows_of_running_agents_are_planned(planned: Callable[..., SamplePlan]) -> None:
    made = planned(
        blocks_json=[block("b", {"kind": "text"}, row("-1h", "set_text", text="x"))],
        attachments_json=[{"block_id": "b", "agent_id": "agent_b", "permission": "append", "at": "-50m"}],
        archival_json=[{"id": "arc", "agent_id": "agent_a", "content": "c", "tags": ["t"], "at": "-40m"}],
        activity_json=[
            {"agent_id": None, "event_type": "system", "details": {"d": 1}, "importance": "high", "at": "-0s"},
            {"agent_id": "agent_a", "event_type": "memory_modified", "details": {}, "importance": "low", "at": "-1h"},
            {"agent_id": None, "event_type": "archival_operation", "details": {"operation": "insert"}, "at": "-1m"},
        ],
        queue_json=[
            {"id": "q", "from": "agent_b", "target": "agent_a", "content": "c", "priority": -2, "metadata": {},
             "origin": "o", "state": "dead", "attempts": 3, "last_error": "e", "at": "-3m", "next_attempt": None},
        ],
        wakeups_json=[{"id": "w", "agent_id": "agent_a", "every": "PT6H30M", "at": "+2h", "content": "c"}],
        consent_json=[
            {"id": "k", "block_id": "b", "agent_id": "agent_a", "level": "partner", "reason": "r", "at": "-2m",
             "operation": {"op": "append_text", "text": "y"}},
        ],
    )  # fmt: skip
    bea = edits(made, CreateAgent)[1].edit.target.id
    block_ref = edits(made, CreateBlock)[0].edit.target
    assert [each.edit.target for each in edits(made, AttachBlock)] == [block_ref]
    assert operations(made, AttachBlock)[0].agent_id == bea
    assert operations(made, InsertArchival)[0].tags == ("t",)
    (event,) = operations(made, LogEvent)
    assert (event.agent_id, event.kind, event.details) == (None, "system", '{"d":1}')
    (queued,) = operations(made, EnqueueMessage)
    assert (queued.from_agent_id, queued.priority, queued.state, queued.attempts) == (
        bea,
        -2,
        QueueState.DEAD,
        3,
    )
    (wakeup,) = edits(made, SetWakeup)
    assert wakeup.at == NOW
    assert operations(made, SetWakeup)[0].wake_at == NOW + timedelta(hours=2)
    assert operations(made, SetWakeup)[0].every_seconds == 6 * 3600 + 1800
    (consent,) = operations(made, RequestConsent)
    assert (consent.edit.target, consent.edit.operation) == (block_ref, AppendText("y"))
    assert made.plan.intents[-1].at == NOW


def test_that_a_run_says_after_which_intents_it_is_to_be_built(planned: Callable[..., SamplePlan]) -> None:
    run = {
        "id": "r", "agent_id": "agent_a", "at": "-15m", "kind": "turn", "reproducible": False, "note": "n",
        "usage": {"input": 9, "output": 8, "cache_read": 7, "cache_write": 0}, "duration_ms": 5, "first_token_ms": 2,
        "reply_text": "reply",
    }  # fmt: skip
    history = [
        row("-30m", "set_text", text="x"),
        row("-15m", "append_text", text="y"),
        row("-1m", "append_text", text="z"),
    ]
    made = planned(blocks_json=[block("b", {"kind": "text"}, *history)], runs_json=[run])
    (found,) = made.runs
    before, after = made.plan.intents[: found.index], made.plan.intents[found.index :]
    assert before[-1].edit.operation == AppendText("y")
    assert [intent.edit.operation for intent in after] == [AppendText("z")]
    intent = found.intent("T", "{}")
    operation = intent.edit.operation
    assert isinstance(operation, StoreRun)
    assert (operation.model, operation.request_text, operation.usage) == ("m", "T", TokenUsage(9, 8, 7, 0))
    assert (intent.at, found.reproducible) == (NOW - timedelta(minutes=15), False)


@pytest.mark.parametrize(
    "changed",
    [
        {"blocks_json": [block("b", {"kind": "cube"}, row("-1m", "set_text", text="x"))]},
        {"blocks_json": [block("b", {"kind": "text"})]},
        {"blocks_json": [block("b", {"kind": "text"}, row("yesterday", "set_text", text="x"))]},
        {"blocks_json": [block("b", {"kind": "text"}, row("-1m", "dance"))]},
        {"blocks_json": [block("b", {"kind": "list"}, row("-1m", "remove_item", key="nobody"))]},
        {"blocks_json": [block("b", {"kind": "text"}, row("-1m", "set_text", text="x"), permission="some")]},
        {"blocks_json": [block("b", {"kind": "text"}, row("-1m", "set_text", text="x"), owner="nobody")]},
        {
            "attachments_json": [
                {"block_id": "nothing", "agent_id": "agent_a", "permission": "append", "at": "-1m"}
            ]
        },
        {"wakeups_json": [{"agent_id": "agent_a", "every": "P", "at": "+2h", "content": "c"}]},
        {"messages_jsonl": [message("b1", "-9m", "oracle")]},
        {"agents_json": [{"id": "agent_a", "name": 3}]},
        {"tools_json": {"name": "look"}},
    ],
)
def test_that_a_fault_in_the_source_is_an_error(planned: Callable[..., SamplePlan], changed: Files) -> None:
    with pytest.raises(MalformedError):
        planned(**changed)
