"""Brings both versions of the Agent File to one form for the import."""

from __future__ import annotations

from inspector.domain.codec import kind_of
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.exchange.field_reader import FieldReader, ImportLog
from inspector.exchange.json_guard import Json

V1 = "letta-agent-file-1"
V2 = "letta-agent-file-2"


@dataclass(frozen=True, slots=True)
class AgentSheet:
    """One agent of the file. `blocks` and `tools` are keys of the file's tables.

    `in_context` holds the indices of the messages that the source sends, in its order; None when it does not
    say.
    """

    record: FieldReader
    blocks: tuple[str, ...]
    tools: tuple[str, ...]
    messages: tuple[FieldReader, ...]
    in_context: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class FileSheet:
    """A whole file. `root` is None where the file is its only agent."""

    version: str
    agents: tuple[AgentSheet, ...]
    blocks: dict[str, FieldReader]
    tools: dict[str, FieldReader]
    root: FieldReader | None


def is_v2(value: Json) -> bool:
    """Whether decoded JSON looks like version 2."""
    return isinstance(value, dict) and isinstance(value.get("agents"), list)


def is_v1(value: Json) -> bool:
    """Whether decoded JSON looks like version 1."""
    if not isinstance(value, dict) or "agents" in value:
        return False
    return "core_memory" in value or ("agent_type" in value and "messages" in value)


def read_v2(value: Json, notes: ImportLog) -> FileSheet:
    """The shape of a version 2 file. Raises MalformedError."""
    root = FieldReader(value, "", notes)
    blocks = _by_id(root.records("blocks"), notes)
    tools = _by_id(root.records("tools"), notes)
    agents = tuple(_agent_v2(record, blocks, tools) for record in root.records("agents"))
    if not agents:
        raise MalformedError("import.no_agents", where="agents", why="the file holds no agent")
    return FileSheet(V2, agents, blocks, tools, root)


def read_v1(value: Json, notes: ImportLog) -> FileSheet:
    """The shape of a version 1 file. Raises MalformedError."""
    root = FieldReader(value, "", notes)
    blocks = {record.where: record for record in root.records("core_memory")}
    tools = {record.where: record for record in root.records("tools")}
    messages = tuple(root.records("messages"))
    in_context = None
    if root.has("in_context_message_indices"):
        in_context = _present_indices(root, len(messages))
    agent = AgentSheet(root, tuple(blocks), tuple(tools), messages, in_context)
    return FileSheet(V1, (agent,), blocks, tools, None)


def _agent_v2(
    record: FieldReader, blocks: dict[str, FieldReader], tools: dict[str, FieldReader]
) -> AgentSheet:
    own_blocks = _present(record, "block_ids", blocks, "import.missing_block")
    for inline in record.records("memory_blocks"):
        blocks[inline.where] = inline
        own_blocks.append(inline.where)
    own_tools = _present(record, "tool_ids", tools, "import.missing_tool")
    messages = tuple(record.records("messages"))
    in_context = None
    if record.has("in_context_message_ids"):
        in_context = _present_messages(record, messages)
    return AgentSheet(record, tuple(own_blocks), tuple(own_tools), messages, in_context)


def _by_id(records: list[FieldReader], notes: ImportLog) -> dict[str, FieldReader]:
    found: dict[str, FieldReader] = {}
    for record in records:
        key = record.peek("id")
        if not isinstance(key, str) or not key:
            key = record.where
        if key in found:
            notes.warn("import.duplicate_id", record.where, id=key)
            key = record.where
        found[key] = record
    return found


def _present(record: FieldReader, key: str, table: dict[str, FieldReader], code: str) -> list[str]:
    existing: dict[str, None] = {}
    for name in record.texts(key):
        if name in table:
            existing[name] = None
        else:
            record.notes.warn(code, record.path(key), id=name)
    return list(existing)


def _present_messages(record: FieldReader, messages: tuple[FieldReader, ...]) -> tuple[int, ...]:
    index_of = {message.peek("id"): index for index, message in enumerate(messages) if _has_id(message)}
    existing: dict[int, None] = {}
    for name in record.texts("in_context_message_ids"):
        if name in index_of:
            existing[index_of[name]] = None
        else:
            record.notes.warn("import.missing_message", record.path("in_context_message_ids"), id=name)
    return tuple(existing)


def _has_id(message: FieldReader) -> bool:
    return isinstance(message.peek("id"), str)


def _present_indices(root: FieldReader, count: int) -> tuple[int, ...]:
    where = root.path("in_context_message_indices")
    found = root.take("in_context_message_indices")
    if not isinstance(found, list):
        raise MalformedError("import.malformed", where=where, why=f"a list is needed, not {kind_of(found)}")
    existing: dict[int, None] = {}
    for index in found:
        if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < count:
            existing[index] = None
        else:
            root.notes.warn("import.missing_message", where, id=str(index)[:40])
    return tuple(existing)
