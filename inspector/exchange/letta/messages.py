"""One message of the file as a row: who speaks, its parts, and how it takes part in a turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

import msgspec

from inspector.domain.messages import BatchType, Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.exchange.guard import Json
from inspector.exchange.letta.parts import read_calls, read_content, read_results
from inspector.exchange.planning import json_text
from inspector.exchange.source import Record


class Standing(Enum):
    """How a row takes part in a turn.

    `ANSWER` is a person's word on calls that waited for approval, sometimes with results. `ASIDE` is stored
    but part of no turn: a compiled prompt, a repeated result, a result whose call is not there.
    """

    INPUT = "input"
    REPLY = "reply"
    ANSWER = "answer"
    ASIDE = "aside"


@dataclass(slots=True)
class Row:
    """A message on its way into a plan. `run` is the source's name for the activation that it belongs to."""

    where: str
    role: Role
    standing: Standing
    parts: tuple[Part, ...]
    in_context: bool
    at: datetime | None
    name: str | None = None
    trigger: BatchType = BatchType.USER_REQUEST
    source: str = "letta"
    run: str = ""
    compiled: bool = False
    kept: dict[str, Json] = field(default_factory=dict)

    @property
    def calls(self) -> list[str]:
        """Ids of the calls that the row makes."""
        return [part.id for part in self.parts if isinstance(part, ToolCallPart)]

    @property
    def results(self) -> list[str]:
        """Ids of the calls that the row answers."""
        return [part.call_id for part in self.parts if isinstance(part, ToolResultPart)]

    @property
    def metadata(self) -> str:
        """What the row keeps, as JSON text."""
        return json_text({"letta": self.kept})


def read_message(record: Record, in_context: bool) -> Row:
    """Read one message. What cannot be told apart becomes metadata, with a problem.

    Raises:
        MalformedError: a list or an object is something else.
    """
    role = record.text("role")
    content = read_content(record)
    calls = read_calls(record, content)
    returns = read_results(record, role, content)
    at = record.time("created_at")
    name = record.text("name") or None
    run = record.peek("run_id")
    standing, as_role = _standing(record, role, bool(calls))
    parts: tuple[Part, ...] = (*content, *calls, *returns)
    if record.peek("type") == "message":
        record.drop("type")
    if as_role is not Role.SYSTEM and not parts and standing is not Standing.ANSWER:
        record.notes.info("import.empty_message", record.where)
    row = Row(record.where, as_role, standing, parts, in_context, at, name)
    row.run = run if isinstance(run, str) else ""
    row.compiled = as_role is Role.SYSTEM
    if standing is Standing.INPUT:
        row.trigger, row.source = _trigger(record, parts)
    elif role != as_role.value:
        row.kept["role"] = role
    record.drop("role")
    row.kept |= record.rest()
    return row


def _standing(record: Record, role: str, makes_calls: bool) -> tuple[Standing, Role]:
    if role == "system":
        return Standing.ASIDE, Role.SYSTEM
    if role == "user":
        return Standing.INPUT, Role.USER
    if role in ("assistant", "agent"):
        return Standing.REPLY, Role.ASSISTANT
    if role in ("tool", "function"):
        return Standing.REPLY, Role.TOOL
    if role == "approval":
        return (Standing.REPLY, Role.ASSISTANT) if makes_calls else (Standing.ANSWER, Role.TOOL)
    record.notes.warn("import.unknown_role", record.path("role"), role=role[:60])
    return Standing.ASIDE, Role.USER


def _trigger(record: Record, parts: tuple[Part, ...]) -> tuple[BatchType, str]:
    """What a user's message is: the source packs its own events into such ones, as JSON with a ``type``."""
    sender = record.peek("sender_id")
    if isinstance(sender, str) and sender.startswith("agent-"):
        return BatchType.AGENT_TO_AGENT, sender
    kind = packed_type(parts)
    if kind in ("", "user_message"):
        return BatchType.USER_REQUEST, "user"
    return BatchType.SYSTEM_TRIGGER, kind


def packed_type(parts: tuple[Part, ...]) -> str:
    """The ``type`` of a message whose only text is a JSON object with one, else an empty text."""
    if len(parts) != 1 or not isinstance(parts[0], TextPart):
        return ""
    text = parts[0].text
    if len(text) > 100_000 or not text.lstrip().startswith("{"):
        return ""
    try:
        packed = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return ""
    kind = packed.get("type") if isinstance(packed, dict) else None
    return kind[:40] if isinstance(kind, str) else ""
