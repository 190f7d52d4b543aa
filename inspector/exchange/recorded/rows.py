"""Turns a recorded request into one agent with its tools and messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import PurePath

from inspector.domain.actor import IdGenerator
from inspector.domain.agents import ContextConfig, Tool
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutTool
from inspector.domain.errors import MalformedError
from inspector.domain.exchange import ImportedAgent, ImportPlan
from inspector.domain.limits import LARGE, LimitOverrides, Truncate
from inspector.domain.messages import (
    BatchType,
    ImagePart,
    Part,
    ProviderPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.ref import RefKind
from inspector.domain.wire.parameters import EXTRA_BODY
from inspector.exchange.field_reader import FieldReader, ImportLog, kind_of
from inspector.exchange.image_size import image_part
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import PlanBuilder, json_text
from inspector.exchange.recorded.envelope import opened

MOST_MESSAGES = 100_000
_UNNAMED = "recorded request"
_CONTENTS = frozenset({"messages", "input", "contents", "system", "systemInstruction", "functions"})
"""Fields of a body whose contents become rows of their own."""
_LAYOUT = "minimal"
"""It adds no headings, so that the system text comes out as it was."""


@dataclass(slots=True)
class RecordedMessage:
    """One message. `kept` is what has no place of its own."""

    where: str
    role: Role
    parts: tuple[Part, ...]
    name: str | None = None
    kept: dict[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class RecordedRequest:
    """What a form's reader makes of a body."""

    form: str
    provider: str
    model: str
    instructions: list[str] = field(default_factory=list)
    parameters: dict[str, Json] = field(default_factory=dict)
    tools: list[Tool] = field(default_factory=list)
    rows: list[RecordedMessage] = field(default_factory=list)
    kept: dict[str, Json] = field(default_factory=dict)


def malformed(where: str, why: str) -> MalformedError:
    """The refusal of a request that cannot be read."""
    return MalformedError("import.malformed", where=where, why=why)


Fill = Callable[[FieldReader, RecordedRequest], None]
"""Reads a body into what is made of it."""
Reader = Callable[[Json, IdGenerator, ImportLog, str], ImportPlan]
"""Takes a recorded request as decoded JSON, and the name of the file that it is from."""


def read_request(form: str, provider: str, fill: Fill, spellings: Mapping[str, str] | None = None) -> Reader:
    """The reader of a form; it stores nothing.

    What it returns raises MalformedError, with the path of what cannot be read. `spellings` are other names that
    the form's fields come under.
    """

    def read(value: Json, ids: IdGenerator, notes: ImportLog, origin: str) -> ImportPlan:
        envelope = opened(value)
        if envelope is None:
            raise malformed("", "this isn't a request")
        record = FieldReader(envelope.body, envelope.where, notes).spelled(spellings or {})
        recorded = RecordedRequest(form, provider, record.text("model"))
        fill(record, recorded)
        _keep_rest(record, recorded)
        if envelope.around:
            recorded.kept |= FieldReader(envelope.around, "", notes).rest()
        return plan_of(recorded, ids, notes, origin)

    return read


def _keep_rest(record: FieldReader, recorded: RecordedRequest) -> None:
    """Keep what no reader took: fields are sent again as they came, what is left of contents is metadata."""
    rest = record.untaken(with_empty=True)
    body = {key: value for key, value in rest.items() if key not in _CONTENTS}
    recorded.parameters[EXTRA_BODY] = {form_of(recorded.form): body}
    for key in _CONTENTS & rest.keys():
        recorded.kept[key] = rest[key]
        record.notes.keep(record.path(key))


def form_of(source_format: str) -> str:
    """The provider's form that a format of recorded requests holds, as a `WireForm` names it."""
    return source_format.removesuffix("-request")


def provider_part(block: FieldReader, source_format: str, kind: str) -> ProviderPart:
    """A part that has no neutral form, to be sent again as it came."""
    block.notes.info("import.provider_part", block.where, kind=kind[:60])
    return ProviderPart(form_of(source_format), kind[:60], json_text(block.as_it_came()))


def provider_tool(tool: FieldReader) -> dict[str, Json]:
    """A tool that the provider runs itself, to be sent again as it came."""
    tool.notes.info("import.provider_tool", tool.where, kind=str(tool.peek("type"))[:60])
    return tool.as_it_came()


def read_role(message: FieldReader, roles: Mapping[str, Role]) -> Role:
    """The role of a message, by the form's own names.

    Raises:
        MalformedError: there is none, or none of these.
    """
    said = needed_text(message, "role")
    if said not in roles:
        raise malformed(message.path("role"), f"unknown role {said[:40]!r}")
    return roles[said]


def read_parts(
    message: FieldReader, key: str, read_part: Callable[[FieldReader], Iterable[Part]]
) -> list[Part]:
    """What stands under a key: a text, or a list of blocks. What is left of the blocks is left there.

    Raises:
        MalformedError: it is neither.
    """
    content = message.peek(key)
    if isinstance(content, str):
        message.drop(key)
        return [TextPart(content)] if content else []
    if not isinstance(content, list):
        raise malformed(message.path(key), f"a text or a list is needed, not {kind_of(content)}")
    parts: list[Part] = []
    left: list[Json] = []
    for block in message.records(key):
        parts += read_part(block)
        if rest := block.rest():
            left.append({"type": block.peek("type"), **rest})
    message.leave(key, left)
    return parts


def image_at(url: str) -> ImagePart:
    """An image by its address, which may hold its data."""
    head = url[5:].partition(",")[0] if url.startswith("data:") else ""
    return image_part(head.partition(";")[0], url)


def needed_text(record: FieldReader, key: str) -> str:
    """A text that must be there.

    Raises:
        MalformedError: it is not.
    """
    found = record.take(key)
    if not isinstance(found, str) or not found:
        raise malformed(record.path(key), "a text is needed")
    return found


def read_parameters(record: FieldReader, names: Mapping[str, str]) -> dict[str, Json]:
    """The parameters that there is a neutral name for; `names` gives it by the form's own."""
    found: dict[str, Json] = {}
    for own, neutral in names.items():
        value = record.take(own)
        if value is not None:
            found[neutral] = [value] if neutral == "stop" and isinstance(value, str) else value
    return found


def read_tool(record: FieldReader, schema_key: str, source_format: str) -> Tool:
    """Read the definition of one tool; what has no place of its own is sent again as it came.

    Raises:
        MalformedError: it has no name.
    """
    name = needed_text(record, "name")
    description = record.text("description")
    schema = record.record(schema_key)
    parameters: Json = {"type": "object", "properties": {}} if schema is None else schema.whole()
    extra = record.untaken(with_empty=True)
    if record.states("description") and not description:
        extra["description"] = record.peek("description")
    metadata = json_text({EXTRA_BODY: {form_of(source_format): extra}})
    return Tool(name, description, json_text(parameters), metadata=metadata)


def plan_of(recorded: RecordedRequest, ids: IdGenerator, notes: ImportLog, origin: str) -> ImportPlan:
    """The plan of one agent.

    Raises:
        MalformedError: too many messages.
    """
    if len(recorded.rows) > MOST_MESSAGES:
        raise MalformedError(
            "import.too_many_messages",
            where="messages",
            why=f"{len(recorded.rows)} messages, at most {MOST_MESSAGES} are imported at once",
            count=len(recorded.rows),
            limit=MOST_MESSAGES,
        )
    builder = PlanBuilder(f"imported from {origin}" if origin else "imported")
    agent_id = ids("agt")
    name = PurePath(origin).stem.strip() or recorded.model or _UNNAMED
    tools = _plan_tools(recorded, builder, notes)
    operation = CreateAgent(
        name,
        instructions=tuple(recorded.instructions),
        provider=recorded.provider,
        model=recorded.model,
        parameters=json_text(recorded.parameters),
        config=_config(recorded),
        tools=tools,
        metadata=json_text({"recorded": {"format": recorded.form, **recorded.kept}}),
    )
    builder.add(RefKind.AGENT, agent_id, operation)
    _plan_messages(recorded, agent_id, builder, ids, notes)
    count = len(recorded.rows)
    shown = ImportedAgent(agent_id, name, recorded.model, 0, 0, count, count, len(tools))
    return ImportPlan(recorded.form, builder.intents(), (shown,), notes.problems, notes.kept, name)


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
) -> None:
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
        metadata = json_text({**kept, "recorded": row.kept} if row.kept else kept)
        operation = AppendMessage(
            agent_id, batch_id, row.role, row.parts, kind, "recorded", row.name, metadata
        )
        builder.add(RefKind.MESSAGE, ids("msg"), operation)
    for call_id, where in waiting.items():
        notes.info("import.call_waits", where, call=call_id[:80])


def _follow_calls(row: RecordedMessage, waiting: dict[str, str], notes: ImportLog) -> None:
    for part in row.parts:
        if isinstance(part, ToolCallPart):
            if part.id in waiting:
                notes.warn("import.call_twice", row.where, call=part.id[:80])
            waiting[part.id] = row.where
        elif isinstance(part, ToolResultPart) and waiting.pop(part.call_id, None) is None:
            notes.warn("import.result_without_call", row.where, call=part.call_id[:80])
