"""Activity: what the engine tells of itself, what programs may add, and how an agent is shown it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest

from inspector.domain.activity import DEFAULT_IMPORTANCE, Event, EventKind
from inspector.domain.actor import IMPORTER, SYSTEM
from inspector.domain.agents import ActivitySettings, AgentStatus, ContextConfig
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DeleteRow, InsertArchival, SetLabel
from inspector.domain.edits.rows import AppendMessage, ConfigureAgent, LogEvent
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import RefusedError
from inspector.domain.messages import Message, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.storage import messages as rows
from inspector.storage.connection import Row
from tests.conversation.builders import ADA, AS_ADA, AS_BOB, BOB, do, people, say, stored
from tests.fixtures import NOOR, HeldClock, OpenEngine


async def events(engine: Engine) -> list[Event]:
    """All events, in the order in which they were written."""
    found, problems = await engine.conversation.recent_events(1000)
    assert problems == ()
    return list(found)


async def shown_to(engine: Engine, agent_id: str, zone: tzinfo = UTC) -> str:
    """What an agent is shown of what happened."""
    agent = await engine.agents.get(agent_id)
    assert agent is not None
    return await engine.conversation.render_recent(agent, zone)


async def told(engine: Engine) -> list[tuple[str, str | None, dict[str, object]]]:
    """Kind, agent and details of all events."""
    return [(each.kind, each.agent_id, json.loads(each.details)) for each in await events(engine)]


async def test_that_messages_and_tool_calls_are_told_when_they_are_added(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await say(opened, "b1", Role.USER, "Is the kettle on?")
        call = ToolCallPart("c1", "look", "{}")
        await say(opened, "b1", Role.ASSISTANT, "I look.", call, ToolCallPart("c2", "listen", "{}"))
        await say(
            opened, "b1", Role.TOOL, ToolResultPart("c1", "on"), ToolResultPart("c2", "deaf", is_error=True)
        )
        await say(opened, "b1", Role.ASSISTANT, "It is.")
        assert await told(opened) == [
            ("message_received", ADA, {"source": "noor", "preview": "Is the kettle on?"}),
            ("tool_called", ADA, {"tool": "look", "success": True}),
            ("tool_called", ADA, {"tool": "listen", "success": False}),
            ("message_sent", ADA, {"preview": "It is."}),
        ]
        found = await events(opened)
        assert {each.batch_id for each in found} == {"b1"}
        assert [each.importance.label for each in found] == ["medium", "low", "high", "medium"]


async def test_that_a_message_of_another_agent_tells_who_sent_it(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await say(opened, "b1", Role.USER, "Tea?", actor=AS_BOB)
        operation = AppendMessage(ADA, "b2", Role.USER, (TextPart("Wake up."),), source="wakeup")
        await do(opened, RefKind.MESSAGE, "", operation, SYSTEM)
        assert [details["source"] for _, _, details in await told(opened)] == ["Bob", "wakeup"]


async def test_that_an_event_is_in_the_transaction_of_what_it_tells(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        good = AppendMessage(ADA, "b1", Role.USER, (TextPart("Hello"),))
        bad = SetLabel("x")
        with pytest.raises(Exception, match="not_found"):
            await opened.apply(
                [
                    Intent(Edit(Ref(RefKind.MESSAGE, ""), good), NOOR),
                    Intent(Edit(Ref(RefKind.BLOCK, "blk_none"), bad), NOOR),
                ]
            )
        assert await events(opened) == []
        path = opened.path
        await say(opened, "b1", Role.USER, "Hello")
        ((event_at, change_at),) = stored(
            path, "SELECT a.timestamp, c.at FROM activity a, changes c WHERE c.kind = 'append_message'"
        )
        assert event_at == change_at


async def test_that_every_write_an_event_is_promised_for_leaves_one(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await do(opened, RefKind.BLOCK, "blk", CreateBlock(ADA, "notes"))
        await do(opened, RefKind.BLOCK, "blk", AppendText("tea"), AS_ADA)
        await do(opened, RefKind.BLOCK, "blk", SetLabel("papers"))
        await do(opened, RefKind.BLOCK, "blk", AttachBlock(BOB))
        await do(opened, RefKind.ARCHIVAL, "arc", InsertArchival(ADA, "Beans grow."), AS_ADA)
        await do(opened, RefKind.ARCHIVAL, "arc", DeleteRow())
        await do(opened, RefKind.AGENT, BOB, ConfigureAgent(status=AgentStatus.PAUSED))
        kinds = [
            (kind, details.get("operation", details.get("status"))) for kind, _, details in await told(opened)
        ]
        assert kinds == [
            ("memory_modified", "create_block"),
            ("memory_modified", "append_text"),
            ("memory_modified", "set_label"),
            ("memory_modified", "attach_block"),
            ("archival_operation", "insert_archival"),
            ("archival_operation", "delete_row"),
            ("agent_status_changed", "paused"),
        ]
        entries = {details.get("entry_id") for kind, _, details in await told(opened) if "archival" in kind}
        assert entries == {"arc"}


async def test_that_what_is_imported_is_no_event(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await do(
            opened,
            RefKind.MESSAGE,
            "",
            AppendMessage(ADA, "b1", Role.USER, (TextPart("Long ago."),)),
            IMPORTER,
        )
        compiled = AppendMessage(ADA, "b2", Role.SYSTEM, (TextPart("All memory."),), compiled=True)
        await do(opened, RefKind.MESSAGE, "", compiled)
        assert await events(opened) == []


async def test_that_an_agent_cannot_write_activity(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        with pytest.raises(RefusedError) as caught:
            await do(opened, RefKind.EVENT, "", LogEvent(ADA, "custom", "{}"), AS_ADA)
        assert caught.value.code == "refused.activity_by_agents"
        assert await events(opened) == []


async def test_that_each_kind_has_its_own_importance(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        for kind in (*EventKind, "kiln_fired"):
            await do(opened, RefKind.EVENT, "", LogEvent(ADA, kind, "{}"), SYSTEM)
            event = (await events(opened))[-1]
            known = EventKind.CUSTOM if kind == "kiln_fired" else EventKind(kind)
            assert event.importance == DEFAULT_IMPORTANCE[known]


async def test_that_an_agent_is_shown_what_others_did_too(engine: OpenEngine, clock: HeldClock) -> None:
    async with engine() as opened:
        await people(opened)
        sent = json.dumps({"preview": "Good evening to you all, and to the bees as well."})
        await do(opened, RefKind.EVENT, "", LogEvent(BOB, "message_sent", sent), SYSTEM)
        clock.advance(hours=13)
        await do(opened, RefKind.EVENT, "", LogEvent(ADA, "heartbeat", "{}"), SYSTEM)
        await do(
            opened, RefKind.EVENT, "", LogEvent(None, "external_event", '{"source": "the post"}'), SYSTEM
        )
        text = await shown_to(opened, ADA)
        assert text.splitlines() == [
            "The following events occurred recently in the constellation:",
            "[12:00] [AGENT:Bob]: Sent message: Good evening to you all, and to the bee…",
            "-- 2026-11-21 --",
            "[01:00] [YOU/Ada]: Heartbeat",
            "[01:00] [SYSTEM]: External event from the post",
        ]
        only_one = ConfigureAgent(config=ContextConfig(activity=ActivitySettings(entries_limit=1)))
        await do(opened, RefKind.AGENT, BOB, only_one)
        berlin = await shown_to(opened, BOB, ZoneInfo("Europe/Berlin"))
        assert berlin.splitlines()[1:] == ["[02:00] [SYSTEM]: External event from the post"]
        plain = ActivitySettings(lead_line="", date_lines=False, lookback_hours=1)
        await do(opened, RefKind.AGENT, ADA, ConfigureAgent(config=ContextConfig(activity=plain)))
        assert len((await shown_to(opened, ADA)).splitlines()) == 2


async def test_that_nothing_to_show_is_an_empty_text(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        assert await shown_to(opened, ADA) == ""


async def test_that_unreadable_details_are_told_in_their_place(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        for id_, details in (("a", "{}"), ("b", "[not json"), ("c", "{}")):
            await do(opened, RefKind.EVENT, id_, LogEvent(ADA, "heartbeat", details), SYSTEM)
        assert [each.details for each in await events(opened)] == ["{}", "[not json", "{}"]
        lines = (await shown_to(opened, ADA)).splitlines()[1:]
        assert [line.partition("]: ")[2] for line in lines] == [
            "Heartbeat",
            "heartbeat: unreadable details",
            "Heartbeat",
        ]
        request = await opened.context.request(ADA)
        assert [each.where for each in request.problems if each.code == "event_unreadable"] == ["event:b"]


async def test_that_a_view_holds_each_new_event_once_and_reads_no_old_one_again(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await say(opened, "b1", Role.USER, "One")
        before = (await opened.context.snapshot(ADA)).events
        await do(opened, RefKind.ARCHIVAL, "", InsertArchival(BOB, "Beans grow."), AS_BOB)
        await say(opened, "b1", Role.ASSISTANT, "Two")
        after = (await opened.context.snapshot(ADA)).events
        assert [each.kind for each in after] == ["message_received", "archival_operation", "message_sent"]
        assert after[0] is before[0]
        assert list(after) == await events(opened)


async def test_that_an_event_logged_while_the_clock_is_back_is_the_newest(
    engine: OpenEngine, clock: HeldClock
) -> None:
    async with engine() as opened:
        await people(opened)
        await do(opened, RefKind.EVENT, "evt_1", LogEvent(ADA, "heartbeat", "{}"), SYSTEM)
        clock.now -= timedelta(days=1)
        await do(opened, RefKind.EVENT, "evt_2", LogEvent(ADA, "heartbeat", "{}"), SYSTEM)
        newest, _ = await opened.conversation.recent_events(2)
        assert [each.id for each in newest] == ["evt_1", "evt_2"]
        assert [each.id for each in (await opened.conversation.recent_events(1))[0]] == ["evt_2"]


async def test_that_a_result_in_a_long_turn_reads_only_what_stands_near_it(
    engine: OpenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    decode = rows.decode

    def counted(found: Sequence[Row]) -> list[Message]:
        read.append(len(found))
        return decode(found)

    monkeypatch.setattr(rows, "decode", counted)
    async with engine() as opened:
        await people(opened)
        await say(opened, "b1", Role.USER, "Go on for long.")
        for number in range(30):
            await say(opened, "b1", Role.ASSISTANT, ToolCallPart(f"c{number}", f"tool {number}", "{}"))
            await say(opened, "b1", Role.TOOL, ToolResultPart(f"c{number}", "done"))
        assert max(read) <= 16
        await say(opened, "b1", Role.TOOL, ToolResultPart("c3", "late"))
        called = [details["tool"] for kind, _, details in await told(opened) if kind == "tool_called"]
    assert called == [*(f"tool {number}" for number in range(30)), "tool 3"]
