"""Messages, summaries, events, queue, wakeups, consent and model calls of the sample."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import cast

from inspector.domain.activity import EventKind, Importance
from inspector.domain.actor import SYSTEM
from inspector.domain.blocks import Permission, Schema
from inspector.domain.codec import from_plain
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.consent import RequestConsent
from inspector.domain.edits.rows import (
    AppendMessage,
    EnqueueMessage,
    LogEvent,
    SetWakeup,
    StoreSummary,
)
from inspector.domain.errors import MalformedError
from inspector.domain.messages import BatchType, Part, Role
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange, SummaryDetails
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.sample.history import HistoryTranslator
from inspector.exchange.sample.timeline import BatchSpan, Timeline, duration_seconds, message_actor

_SOURCES = {BatchType.USER_REQUEST: "user", BatchType.AGENT_TO_AGENT: "agent"}
_LOGGED_ARCHIVAL = (EventKind.ARCHIVAL_OPERATION, "insert")
_LOGGED = frozenset(
    {
        EventKind.MEMORY_MODIFIED,
        EventKind.MESSAGE_RECEIVED,
        EventKind.MESSAGE_SENT,
        EventKind.TOOL_CALLED,
    }
)
_UNTIL_SUMMARISED = timedelta(minutes=2)


def plan_message(record: FieldReader, timeline: Timeline) -> None:
    """Plan one message of the sample."""
    agent_id = timeline.agent_id(record)
    role, kind = Role(record.text("role")), BatchType(record.text("batch_type"))
    name = record.text("name") or None
    operation = AppendMessage(
        agent_id,
        timeline.batch(agent_id, record.text("batch")),
        role,
        tuple(_part(each) for each in record.records("content")),
        kind,
        _SOURCES.get(kind, "system"),
        name,
        is_archived=record.flag("archived"),
    )
    actor = message_actor(timeline, role, agent_id, name)
    target = Ref(RefKind.MESSAGE, timeline.ids("msg"))
    timeline.add(timeline.time(record), Intent(Edit(target, operation), actor))


@dataclass(frozen=True, slots=True)
class _Cover:
    """What a summary covers, and when."""

    positions: PositionRange | None
    children: tuple[str, ...]
    start: datetime
    end: datetime
    messages: int


def plan_summaries(records: list[FieldReader], timeline: Timeline) -> None:
    """Store the summaries; one that does not say when was made soon after what it covers."""
    spans = timeline.spans()
    made: dict[str, tuple[_Cover, datetime]] = {}
    for record in records:
        summary_id = timeline.ids("sum")
        agent_id = timeline.agent_id(record)
        cover = _cover(record, agent_id, timeline, spans, made)
        at = timeline.time(record) if record.has("at") else _soon_after(cover, made, timeline)
        timeline.handles[record.text("id")] = summary_id
        made[summary_id] = (cover, at)
        previous = timeline.handle(record, "previous") if record.has("previous") else None
        operation = StoreSummary(
            agent_id,
            record.text("content"),
            tuple(record.texts("topics")),
            cover.start,
            cover.end,
            cover.messages,
            record.natural("depth") or 0,
            previous,
            cover.positions,
            cover.children,
            from_plain(SummaryDetails, record.take("metadata") or {}, record.path("metadata")),
        )
        timeline.add(at, Intent(Edit(Ref(RefKind.SUMMARY, summary_id), operation), SYSTEM))


def plan_event(record: FieldReader, timeline: Timeline) -> None:
    """Log an event, unless the store itself logs it when the plan's other edits are applied."""
    kind = record.text("event_type")
    details: Json = record.take("details") or {}
    if (kind, details.get("operation")) == _LOGGED_ARCHIVAL or kind in _LOGGED:
        return
    agent_id = timeline.agent_id(record) if record.has("agent_id") else None
    batch = record.text("batch")
    operation = LogEvent(
        agent_id,
        kind,
        json_text(details),
        Importance.parse(record.text("importance")) if record.has("importance") else None,
        timeline.batch(agent_id, batch) if batch and agent_id is not None else None,
    )
    target = Ref(RefKind.EVENT, timeline.ids("evt"))
    timeline.add(timeline.time(record), Intent(Edit(target, operation), SYSTEM))


def plan_queued(record: FieldReader, timeline: Timeline) -> None:
    """Put a message into a queue."""
    operation = EnqueueMessage(
        timeline.agent_id(record, "from") if record.has("from") else None,
        timeline.agent_id(record, "target"),
        record.text("content"),
        int(record.number("priority") or 0),
        json_text(record.take("metadata") or {}),
        record.text("origin"),
        QueueState(record.text("state") or QueueState.PENDING),
        record.natural("attempts") or 0,
        record.text("last_error") or None,
        timeline.time(record, "next_attempt") if record.has("next_attempt") else None,
    )
    target = Ref(RefKind.QUEUE, timeline.ids("que"))
    timeline.add(timeline.time(record), Intent(Edit(target, operation), SYSTEM))


def plan_wakeup(record: FieldReader, timeline: Timeline) -> None:
    """Set a wakeup. It lies ahead, so it was set now."""
    every = record.text("every")
    operation = SetWakeup(
        timeline.agent_id(record),
        record.text("content"),
        timeline.time(record),
        duration_seconds(every, record.path("every")) if every else None,
    )
    intent = Intent(Edit(Ref(RefKind.WAKEUP, timeline.ids("wak")), operation), SYSTEM)
    timeline.add(min(timeline.time(record), timeline.moments.now), intent)


def plan_consent(record: FieldReader, timeline: Timeline, schemas: Mapping[str, Schema]) -> None:
    """Store an agent's edit that waits for a person. `schemas` are the blocks' by id."""
    agent_id = timeline.agent_id(record)
    block_id = timeline.handle(record, "block_id")
    waiting = record.record("operation")
    if waiting is None:
        raise MalformedError("sample.malformed", where=record.where, why="an operation is needed")
    history = HistoryTranslator(schemas[block_id], timeline.moments, timeline.ids)
    edit = Edit(Ref(RefKind.BLOCK, block_id), history.operation(waiting.whole(), waiting.where))
    reason = record.text("reason")
    operation = RequestConsent(agent_id, edit, Permission.parse(record.text("level")), reason)
    target = Ref(RefKind.CONSENT, timeline.ids("con"))
    intent = Intent(Edit(target, operation), timeline.agent_actor(agent_id), reason)
    timeline.add(timeline.time(record), intent)


def _part(record: FieldReader) -> Part:
    plain = dict(record.whole())
    arguments: Json = plain.get("arguments")
    if plain.get("type") == "tool_call" and not isinstance(arguments, str):
        plain["arguments"] = json_text(arguments)
    return cast("Part", from_plain(Part, plain, record.where))


def _cover(
    record: FieldReader,
    agent_id: str,
    timeline: Timeline,
    spans: Mapping[str, BatchSpan],
    made: Mapping[str, tuple[_Cover, datetime]],
) -> _Cover:
    covers = record.record("covers")
    if covers is None:
        raise MalformedError("sample.malformed", where=record.where, why="a summary covers something")
    if covers.has("children"):
        children = tuple(timeline.handles[name] for name in covers.texts("children"))
        parts = [made[child][0] for child in children]
        positions = None
        start, end = min(part.start for part in parts), max(part.end for part in parts)
        return _Cover(positions, children, start, end, sum(part.messages for part in parts))
    first, last = (spans[timeline.batch(agent_id, name)] for name in covers.texts("batches"))
    positions = PositionRange(first.positions.first, last.positions.last)
    return _Cover(positions, (), first.start, last.end, positions.last - positions.first + 1)


def _soon_after(cover: _Cover, made: Mapping[str, tuple[_Cover, datetime]], timeline: Timeline) -> datetime:
    newest = max((made[child][1] for child in cover.children), default=cover.end)
    return min(newest + _UNTIL_SUMMARISED, timeline.moments.now)
