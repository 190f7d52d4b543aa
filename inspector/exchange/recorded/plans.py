"""Plans one agent out of what a reader made of a recorded request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import PurePath

from inspector.domain.actor import IdGenerator
from inspector.domain.agents import ContextConfig, Tool
from inspector.domain.codec import to_plain
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutTool
from inspector.domain.errors import MalformedError, Severity
from inspector.domain.exchange import ImportedAgent, ImportPlan
from inspector.domain.limits import LARGE, LimitOverrides, Truncate
from inspector.domain.messages import BatchType, Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import RefKind
from inspector.domain.wire.parameters import EXTRA_BODY
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import PlanBuilder, json_text

MOST_MESSAGES = 100_000
_UNNAMED = "recorded request"
_OF_MESSAGE = re.compile(r"(?:\w+\.)?(?:messages|input|contents)\[\d+\]")
_LAYOUT = "minimal"
"""It adds no headings, so that the system text comes out as it was."""


@dataclass(slots=True)
class RecordedMessage:
    """One message. `extra` are its further fields; None where it goes on with the recorded one before it."""

    where: str
    role: Role
    parts: tuple[Part, ...]
    name: str | None = None
    extra: dict[str, Json] | None = None


@dataclass(slots=True)
class RecordedRequest:
    """What a form's reader makes of a body. `layout` says how the body was laid out."""

    form: str
    provider: str
    model: str
    instructions: list[str] = field(default_factory=list)
    layout: dict[str, Json] = field(default_factory=dict)
    parameters: dict[str, Json] = field(default_factory=dict)
    tools: list[Tool] = field(default_factory=list)
    rows: list[RecordedMessage] = field(default_factory=list)
    kept: dict[str, Json] = field(default_factory=dict)
    name: str = ""


def form_of(source_format: str) -> str:
    """The provider's form that a format of recorded requests holds, as a `WireForm` names it."""
    return source_format.removesuffix("-request")


def plan_of(recorded: RecordedRequest, ids: IdGenerator, notes: ImportLog, origin: str) -> ImportPlan:
    """The plan of one agent.

    Raises:
        MalformedError: too many messages.
    """
    check_count(len(recorded.rows))
    builder = PlanBuilder(f"imported from {origin}" if origin else "imported")
    agent_id = ids("agt")
    name = recorded.name or PurePath(origin).stem.strip() or recorded.model or _UNNAMED
    tools = _plan_tools(recorded, builder, notes)
    message_ids = _plan_messages(recorded, agent_id, builder, ids, notes)
    lasting = [
        to_plain(replace(each, where=_where(each.where, message_ids)))
        for each in notes.problems
        if each.severity is not Severity.INFO
    ]
    kept = {**recorded.kept, **({"problems": lasting} if lasting else {})}
    operation = CreateAgent(
        name,
        instructions=tuple(recorded.instructions),
        provider=recorded.provider,
        model=recorded.model,
        parameters=json_text(recorded.parameters),
        config=_config(recorded),
        tools=tools,
        metadata=json_text({"recorded": {"format": recorded.form, **kept}}),
    )
    builder.add(RefKind.AGENT, agent_id, operation)
    count = len(recorded.rows)
    shown = ImportedAgent(agent_id, name, recorded.model, 0, 0, count, count, len(tools))
    return ImportPlan(recorded.form, builder.intents(), (shown,), notes.problems, notes.kept, name)


def check_count(messages: int) -> None:
    """Pass if so many messages may be imported at once.

    Raises:
        MalformedError: too many.
    """
    if messages > MOST_MESSAGES:
        why = f"{messages} messages, at most {MOST_MESSAGES} are imported at once"
        raise MalformedError(
            "import.too_many_messages", where="messages", why=why, count=messages, limit=MOST_MESSAGES
        )


def _plan_tools(recorded: RecordedRequest, builder: PlanBuilder, notes: ImportLog) -> tuple[str, ...]:
    names: list[str] = []
    for tool in recorded.tools:
        if tool.name in names:
            notes.warn("import.duplicate_tool", f"tool:{tool.name}", name=tool.name)
            continue
        names.append(tool.name)
        builder.add(RefKind.TOOL, tool.name, PutTool(tool))
    return tuple(names)


def _config(recorded: RecordedRequest) -> ContextConfig:
    """Settings under which the whole conversation is sent again, as it was."""
    count = len(recorded.rows)
    usual = ContextConfig(layout=_LAYOUT)
    characters = sum(_characters(row) for row in recorded.rows)
    limits = LimitOverrides()
    if LARGE.history_tokens is not None and characters > LARGE.history_tokens:
        # More characters than the cap has tokens: it could take hold, and no text has more tokens than bytes.
        limits = LimitOverrides(history_tokens=4 * characters)
    return ContextConfig(
        limits=limits,
        layout=_LAYOUT,
        strategy=Truncate(max(Truncate().keep_recent, count)),
        max_messages_cap=max(usual.max_messages_cap, count),
    )


def _characters(row: RecordedMessage) -> int:
    total = 64
    for part in row.parts:
        if isinstance(part, TextPart):
            total += len(part.text)
        elif isinstance(part, ToolCallPart):
            total += len(part.arguments)
        elif isinstance(part, ToolResultPart):
            total += len(part.content)
        else:
            total += 2_000
    return total


def _plan_messages(
    recorded: RecordedRequest, agent_id: str, builder: PlanBuilder, ids: IdGenerator, notes: ImportLog
) -> dict[str, str]:
    """Plan the messages; gives the id of each, by its path in the source."""
    message_ids: dict[str, str] = {}
    batch_id, kind, replied = "", BatchType.USER_REQUEST, False
    waiting: dict[str, str] = {}
    for row in recorded.rows:
        is_input = row.role in (Role.USER, Role.SYSTEM)
        if not batch_id or (is_input and replied and not waiting):
            batch_id, replied = ids("bat"), False
            kind = BatchType.USER_REQUEST if is_input else BatchType.CONTINUATION
        replied = replied or not is_input
        _follow_calls(row, waiting, notes)
        kept = {"provider": recorded.provider} if row.role is Role.ASSISTANT else {}
        metadata = json_text({**kept, EXTRA_BODY: {form_of(recorded.form): row.extra}})
        operation = AppendMessage(
            agent_id, batch_id, row.role, row.parts, kind, "recorded", row.name, metadata
        )
        message_id = ids("msg")
        message_ids.setdefault(row.where, message_id)
        builder.add(RefKind.MESSAGE, message_id, operation)
    for call_id, where in waiting.items():
        notes.info("import.call_waits", where, call=call_id[:80])
    return message_ids


def _where(path: str, message_ids: Mapping[str, str]) -> str:
    """What a problem's path in the source points at: the message that it is in, if it is in one."""
    found = _OF_MESSAGE.match(path)
    message_id = message_ids.get(found[0]) if found else None
    return path if message_id is None else f"message:{message_id}"


def _follow_calls(row: RecordedMessage, waiting: dict[str, str], notes: ImportLog) -> None:
    for part in row.parts:
        if isinstance(part, ToolCallPart):
            if part.id in waiting:
                notes.warn("import.call_twice", row.where, call=part.id[:80])
            waiting[part.id] = row.where
        elif isinstance(part, ToolResultPart) and waiting.pop(part.call_id, None) is None:
            notes.warn("import.result_without_call", row.where, call=part.call_id[:80])
