"""Renders activity events as the model reads them, one line each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, tzinfo
from typing import Any

from inspector.domain.activity import Event, EventKind
from inspector.domain.errors import MalformedError

PREVIEW_LENGTH = 40
"""Characters of a preview, the ellipsis included."""

Details = Mapping[str, Any]

# Unescaped, JSON has the first two only between its values and the others only inside of them.
_LINE_ENDS = re.compile("[\n\r\x85\u2028\u2029]")
_BETWEEN = frozenset("\n\r")


def shorten(text: str, length: int = PREVIEW_LENGTH) -> str:
    """The text on one line, cut to `length` characters with an ellipsis inside the limit."""
    flat = _one_line(text)
    if len(flat) <= length:
        return flat
    return f"{flat[: length - 1]}…" if length > 0 else ""


def event_text(event: Event) -> str:
    """What happened, on one line. An unknown kind reads as custom, with its name and details unchanged.

    Raises:
        MalformedError: when the details are not a JSON object.
    """
    details = event_details(event)
    worder = _WORDERS.get(event.kind)
    if worder is None:
        kind = _one_line(event.kind)
        return f"{kind}: {_unbroken(event.details)}" if details else kind
    return _one_line(worder(details))


def event_details(event: Event) -> Details:
    """The details as an object.

    Raises:
        MalformedError: when they are not one.
    """
    try:
        details = json.loads(event.details or "{}")
    except (ValueError, RecursionError) as error:
        raise MalformedError("malformed.event", where=f"event:{event.id}", why=str(error)) from error
    if not isinstance(details, dict):
        raise MalformedError("malformed.event", where=f"event:{event.id}", why="not an object")
    return details


def event_line(event: Event, text: str, local: datetime, own_id: str, names: Mapping[str, str]) -> str:
    """``[HH:MM] [YOU/name]: text``, with ``[AGENT:name]`` or ``[SYSTEM]`` for others.

    Args:
        event: The event.
        text: Its text (see `event_text`).
        local: Its time in the zone that the Request is built for.
        own_id: The agent that reads.
        names: The agents' names by id.
    """
    return f"[{local:%H:%M}] [{_who(event, own_id, names)}]: {text}"


def activity_lines(
    events: Iterable[Event], own_id: str, names: Mapping[str, str], zone: tzinfo, *, date_lines: bool = True
) -> tuple[str, ...]:
    """The events' lines, with a line of its own where the day changes.

    Details that cannot be read are told in their event's place.
    """
    lines: list[str] = []
    day: str | None = None
    for event in events:
        local = local_time(event.timestamp, zone)
        if day is not None and day != date_line(local) and date_lines:
            lines.append(date_line(local))
        day = date_line(local)
        try:
            text = event_text(event)
        except MalformedError:
            text = unreadable_text(event)
        lines.append(event_line(event, text, local, own_id, names))
    return tuple(lines)


def unreadable_text(event: Event) -> str:
    """What stands for an event whose details cannot be read."""
    return f"{_one_line(event.kind)}: unreadable details"


def local_time(moment: datetime, zone: tzinfo) -> datetime:
    """A moment in a zone; the first and the last day that there is cannot be told in every one, and stay."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment


def date_line(local: datetime) -> str:
    """What stands where the day changes."""
    return f"-- {local.date().isoformat()} --"


def _who(event: Event, own_id: str, names: Mapping[str, str]) -> str:
    if event.agent_id is None:
        return "SYSTEM"
    name = _one_line(names.get(event.agent_id, event.agent_id))
    return f"YOU/{name}" if event.agent_id == own_id else f"AGENT:{name}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _unbroken(stored: str) -> str:
    """JSON text on one line and otherwise as it was: a line's end between its values as a space, inside as escape."""
    return _LINE_ENDS.sub(
        lambda end: " " if end.group() in _BETWEEN else f"\\u{ord(end.group()):04x}", stored
    )


def _word(details: Details, key: str, otherwise: str = "?") -> str:
    value = details.get(key)
    if value is None:
        return otherwise
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _received(details: Details) -> str:
    preview = shorten(_word(details, "preview", ""))
    return f"Received message from {_word(details, 'source')}: {preview}"


def _sent(details: Details) -> str:
    return f"Sent message: {shorten(_word(details, 'preview', ''))}"


def _called(details: Details) -> str:
    called, success = f"Called {_word(details, 'tool')}", details.get("success")
    # Whoever does not say how it ended says neither that it went well nor that it failed.
    return f"{called} ({'✓' if success else '✗'})" if isinstance(success, bool) else called


def _modified(details: Details) -> str:
    return f"Memory {_word(details, 'operation')}: {_word(details, 'label')}"


def _archival(details: Details) -> str:
    return f"Archival {_word(details, 'operation')}: {_word(details, 'count')} entries"


def _compressed(details: Details) -> str:
    return f"Compressed context ({_word(details, 'messages_archived')} messages archived)"


def _heartbeat(_: Details) -> str:
    return "Heartbeat"


def _external(details: Details) -> str:
    return f"External event from {_word(details, 'source')}"


def _task(details: Details) -> str:
    return f"Task changed: {_spread(details)}"


def _status(details: Details) -> str:
    return f"Status changed: {_spread(details)}"


def _coordination(details: Details) -> str:
    return f"coordination: {_spread(details)}"


def _system(details: Details) -> str:
    return f"system: {_spread(details)}"


def _named_custom(details: Details) -> str:
    kind = details.get("event_type")
    inner = details.get("details")
    if isinstance(kind, str) and "details" in details:
        return f"{kind}: {inner if isinstance(inner, str) else _spread_value(inner)}"
    return f"custom: {_spread(details)}"


def _spread(details: Details) -> str:
    return ", ".join(f"{key}: {_spread_value(value)}" for key, value in details.items())


def _spread_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_WORDERS: dict[str, Callable[[Details], str]] = {
    EventKind.MESSAGE_RECEIVED: _received,
    EventKind.MESSAGE_SENT: _sent,
    EventKind.TOOL_CALLED: _called,
    EventKind.MEMORY_MODIFIED: _modified,
    EventKind.ARCHIVAL_OPERATION: _archival,
    EventKind.CONTEXT_COMPRESSED: _compressed,
    EventKind.HEARTBEAT: _heartbeat,
    EventKind.TASK_CHANGED: _task,
    EventKind.AGENT_STATUS_CHANGED: _status,
    EventKind.EXTERNAL_EVENT: _external,
    EventKind.COORDINATION: _coordination,
    EventKind.SYSTEM: _system,
    EventKind.CUSTOM: _named_custom,
}
