import json
from datetime import UTC, datetime

import pytest

from inspector.domain.activity import Event, EventKind, Importance
from inspector.domain.errors import MalformedError
from inspector.domain.rendering.activity import date_line, event_line, event_text, shorten

AT = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)


def an_event(kind: str, details: object, agent: str | None = "agent_ada") -> Event:
    stored = details if isinstance(details, str) else json.dumps(details)
    return Event("evt_1", 1, agent, kind, stored, Importance.LOW, AT)


@pytest.mark.parametrize(
    ("kind", "details", "text"),
    [
        ("message_received", {"source": "Eve", "preview": "hello"}, "Received message from Eve: hello"),
        ("message_sent", {"preview": "x" * 41}, f"Sent message: {'x' * 39}…"),
        ("tool_called", {"tool": "find", "success": True}, "Called find (✓)"),
        ("tool_called", {"tool": "find", "success": False}, "Called find (✗)"),
        ("memory_modified", {"label": "notes", "operation": "append"}, "Memory append: notes"),
        ("archival_operation", {"operation": "insert", "count": 3}, "Archival insert: 3 entries"),
        ("context_compressed", {"messages_archived": 12}, "Compressed context (12 messages archived)"),
        ("heartbeat", {}, "Heartbeat"),
        ("external_event", {"source": "GitHub"}, "External event from GitHub"),
        ("task_changed", {"task": "brew", "state": "done"}, "Task changed: task: brew, state: done"),
        ("agent_status_changed", {"status": "paused"}, "Status changed: status: paused"),
        ("custom", {"event_type": "tea", "details": "hot"}, "tea: hot"),
        ("coordination", {"with": "Bob"}, "coordination: with: Bob"),
        ("system", {"note": ["a", 1]}, 'system: note: ["a", 1]'),
        ("unheard of", {"a": 1}, 'unheard of: {"a": 1}'),
        ("unheard of", {}, "unheard of"),
    ],
)
def test_that_each_kind_has_its_text(kind: str, details: object, text: str) -> None:
    assert event_text(an_event(kind, details)) == text


def test_that_every_kind_has_a_text_even_without_details() -> None:
    for kind in EventKind:
        assert event_text(an_event(kind, {}))
        assert event_text(an_event(kind, ""))


@pytest.mark.parametrize("details", ["[", "[]", '"x"', "1", "nul", "[" * 100_000])
def test_that_details_that_are_no_object_are_an_error_with_their_place(details: str) -> None:
    with pytest.raises(MalformedError) as caught:
        event_text(an_event("heartbeat", details))
    assert caught.value.parameters["where"] == "event:evt_1"


def test_that_a_text_is_one_line(hostile_text: str) -> None:
    for kind in ("message_sent", "unheard of", "memory_modified", "external_event"):
        details = {"preview": hostile_text, "label": hostile_text, "source": hostile_text}
        assert len(event_text(an_event(kind, details)).splitlines()) <= 1


@pytest.mark.parametrize(("length", "text"), [(3, "ab…"), (1, "…"), (5, "abcde")])
def test_that_a_preview_keeps_its_ellipsis_inside_the_limit(length: int, text: str) -> None:
    assert shorten("abcde", length) == text


@pytest.mark.parametrize(
    ("agent", "who"),
    [
        ("agent_ada", "YOU/Ada"),
        ("agent_bob", "AGENT:Bob"),
        ("agent_eve", "AGENT:agent_eve"),
        (None, "SYSTEM"),
    ],
)
def test_that_a_line_tells_when_and_who(agent: str | None, who: str) -> None:
    names = {"agent_ada": "Ada", "agent_bob": "Bob"}
    line = event_line(an_event("heartbeat", {}, agent), "Heartbeat", AT, "agent_ada", names)
    assert line == f"[09:05] [{who}]: Heartbeat"


def test_that_a_day_has_its_line() -> None:
    assert date_line(AT) == "-- 2026-11-20 --"
    assert date_line(AT.replace(year=987)) == "-- 0987-11-20 --"
