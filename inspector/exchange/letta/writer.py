"""Writes a constellation as a Letta Agent File, version 2.

An agent's blocks are its own, those attached to it and those that all see, less the archival ones, which are in the
file and belong to nobody's prompt. A structured block shows its rendering. Ids are the file's own (``agent-0``). What
the format has no place for, a kind of tool rule too, is embedded in metadata; see `embedded_rows`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from inspector.documents.rebuilding import shown_schema
from inspector.domain.agents import ToolRuleKind
from inspector.domain.blocks import CONSTELLATION_OWNER, BlockType, Permission, UnreadableSchema
from inspector.domain.codec import from_plain
from inspector.domain.content import Content, TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.row_import import ConstellationRows, Row
from inspector.domain.errors import InputError, MalformedError
from inspector.domain.limits import LARGE
from inspector.domain.messages import (
    ImagePart,
    Part,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.rendering.render import render
from inspector.exchange.constellation.json_file import pretty
from inspector.exchange.json_guard import Json
from inspector.exchange.letta.embedded_rows import embed_rows
from inspector.exchange.letta.extra_fields import (
    DEFAULT_LIMIT,
    SYSTEM_END,
    json_list,
    json_object,
    kept_of,
    usual_fields,
)
from inspector.storage.blocks import schema_of
from inspector.storage.json_columns import load, parse

_ENDPOINTS: Mapping[str, tuple[str, str | None]] = {
    "openai": ("openai", "https://api.openai.com/v1"),
    "anthropic": ("anthropic", "https://api.anthropic.com/v1"),
    "gemini": ("google_ai", None),
}
"""Letta's name of a provider, and the address that it usually has."""
_PARAMETERS = ("temperature", "max_tokens", "frequency_penalty", "reasoning_effort")
_KEPT_ELSEWHERE = frozenset({"file", "tools", "tool_rules", "llm_config", "metadata", SYSTEM_END})
_PLAIN_FIELDS: Mapping[str, Json] = {
    "otid": None,
    "sender_id": None,
    "batch_item_id": None,
    "group_id": None,
    "model": None,
}
_OWN_FIELDS = frozenset(
    {
        *("type", "role", "content", "name", "id", "agent_id", "created_at"),
        *("tool_calls", "tool_call_id", "tool_returns", "approvals"),
    }
)
_APPROVAL = "approval"
_SIMPLE: Mapping[str, str] = {
    ToolRuleKind.CONTINUE: "continue_loop",
    ToolRuleKind.EXIT: "exit_loop",
    ToolRuleKind.REQUIRES_CONSENT: "requires_approval",
}
_TEMPLATE: Mapping[str, Json] = {"prompt_template": None}


def file_of(rows: ConstellationRows) -> bytes:
    """The file's bytes: the same rows give the same ones.

    Raises:
        InputError: ``export.no_agents``, such a file needs one.
    """
    if not rows.of("agents"):
        raise InputError("export.no_agents")
    return pretty(_Writing(rows).value())


@dataclass(slots=True)
class _Writing:
    rows: ConstellationRows
    block_ids: dict[str, str] = field(default_factory=dict)
    tool_ids: dict[str, str] = field(default_factory=dict)
    message_ids: dict[str, str] = field(default_factory=dict)
    contents: dict[str, Row] = field(default_factory=dict)

    def value(self) -> dict[str, Json]:
        rows = self.rows
        first = rows.of("agents")[0]
        blocks = [row for row in rows.of("blocks") if row["is_active"]]
        self.block_ids = _file_ids("block", blocks, "id")
        tools = [row for row in rows.of("tools") if not row["is_archived"]]
        self.tool_ids = _file_ids("tool", tools, "name")
        agent_ids = _file_ids("agent", rows.of("agents"), "id")
        shown = [row for row in rows.of("messages") if not row["is_deleted"]]
        self.message_ids = _file_ids("message", shown, "id")
        places = {**self.block_ids, **self.message_ids}
        self.contents = {str(row["block_id"]): row for row in rows.of("block_contents")}
        kept = kept_of(first).get("file")
        value: dict[str, Json] = {
            "agents": [self._agent(row, agent_ids[str(row["id"])]) for row in rows.of("agents")],
            **usual_fields("file"),
            **(kept if isinstance(kept, dict) else {}),
            "blocks": [self._block(row) for row in blocks],
            "tools": [self._tool(row) for row in tools],
            "created_at": first["created_at"],
        }
        embed_rows(value, rows, places)
        return value

    def _agent(self, row: Row, agent_id: str) -> dict[str, Json]:
        kept = kept_of(row)
        texts = (str(row["persona"]), *(str(each) for each in json_list(row, "instructions")))
        system = "\n\n".join(text for text in texts if text) + str(kept.get(SYSTEM_END, ""))
        messages, in_context = self._messages(row, agent_id, system)
        metadata = kept.get("metadata")
        names = [str(name) for name in json_list(row, "tools")]
        return {
            **usual_fields("agent"),
            **{key: value for key, value in kept.items() if key not in _KEPT_ELSEWHERE},
            "name": row["name"],
            "system": system,
            "tool_ids": [self.tool_ids[name] for name in names if name in self.tool_ids],
            "block_ids": self._seen_by(str(row["id"])),
            "tool_rules": [*plain_rules(self.rows, str(row["id"])), *_list(kept.get("tool_rules"))],
            "metadata": dict(metadata) if isinstance(metadata, dict) else {},
            "llm_config": _model(row, kept),
            "id": agent_id,
            "in_context_message_ids": in_context,
            "messages": messages,
        }

    def _seen_by(self, agent_id: str) -> list[str]:
        attached = {row["block_id"] for row in self.rows.of("attachments") if row["agent_id"] == agent_id}
        return [
            self.block_ids[str(row["id"])]
            for row in self.rows.of("blocks")
            if row["is_active"]
            and row["block_type"] != BlockType.ARCHIVAL
            and (row["owner"] in (agent_id, CONSTELLATION_OWNER) or row["id"] in attached)
        ]

    def _messages(self, agent: Row, agent_id: str, system: str) -> tuple[list[Json], list[str]]:
        """The agent's messages that are not deleted, and the ids of those that are sent, the prompt first."""
        rows = [
            row
            for row in self.rows.of("messages")
            if row["agent_id"] == agent["id"] and not row["is_deleted"]
        ]
        messages: list[Json] = []
        sent: list[str] = []
        prompt = ""
        if not any(row["compiled"] for row in rows):
            prompt = f"message-{agent_id}-prompt"
            messages.append(system_message(system, prompt, agent_id, agent["created_at"]))
        for row in rows:
            message_id = self.message_ids[str(row["id"])]
            messages.append(plain_message(row, message_id, agent_id))
            if row["compiled"]:
                prompt = message_id
            elif not row["is_archived"]:
                sent.append(message_id)
        return messages, [prompt, *sent]

    def _block(self, row: Row) -> dict[str, Json]:
        content = self.contents.get(str(row["id"]))
        value = "" if content is None else _value(row, content)
        limit = row["char_limit"]
        kept = kept_of(row)
        return {
            **usual_fields("block"),
            **{key: each for key, each in kept.items() if key != "metadata"},
            "value": value,
            "limit": max(limit if isinstance(limit, int) and limit else DEFAULT_LIMIT, len(value)),
            "label": row["label"],
            "read_only": row["permission"] == Permission.READ_ONLY.label,
            "description": row["description"] or None,
            "metadata": kept.get("metadata", {}),
            "id": self.block_ids[str(row["id"])],
        }

    def _tool(self, row: Row) -> dict[str, Json]:
        kept = kept_of(row)
        more = kept.get("json_schema")
        schema = {
            "name": row["name"],
            "description": row["description"],
            "parameters": json_object(row, "parameters"),
            **(more if isinstance(more, dict) else {}),
        }
        return {
            **usual_fields("tool"),
            **kept,
            "id": self.tool_ids[str(row["name"])],
            "name": row["name"],
            "description": kept.get("description", row["description"]),
            "json_schema": schema,
        }


def _file_ids(kind: str, rows: Sequence[Row], key: str) -> dict[str, str]:
    """Ids in the file, by those of the rows: the one that a row came with if it is its alone, else a number."""
    kept = [kept_of(row).get("id") for row in rows]
    taken = {each for each in kept if isinstance(each, str)}
    given: dict[str, str] = {}
    used: set[str] = set()
    number = 0
    for row, own in zip(rows, kept, strict=True):
        file_id = own if isinstance(own, str) and own and own not in used else ""
        while not file_id:
            candidate, number = f"{kind}-{number}", number + 1
            file_id = "" if candidate in taken else candidate
        used.add(file_id)
        given[str(row[key])] = file_id
    return given


def _value(row: Row, content: Row) -> str:
    try:
        found: Content = load(Content, str(content["content"]))
    except MalformedError:
        return str(content["content"])
    if isinstance(found, TextContent):
        return found.text
    schema = schema_of(str(row["schema"]))
    try:
        return render(shown_schema(found) if isinstance(schema, UnreadableSchema) else schema, found).text
    except MalformedError:
        return str(content["content"])


def _model(row: Row, kept: Mapping[str, Json]) -> dict[str, Json]:
    provider = str(row["provider"])
    endpoint, address = _ENDPOINTS.get(provider, (provider or "openai", None))
    limits = json_object(row, "config").get("limits")
    window = limits.get("max_tokens") if isinstance(limits, dict) else None
    given = json_object(row, "parameters")
    more = kept.get("llm_config")
    return {
        "model": row["model"],
        "model_endpoint_type": endpoint,
        "model_endpoint": address,
        "context_window": window or LARGE.max_tokens,
        **{name: given[name] for name in _PARAMETERS if name in given},
        **(more if isinstance(more, dict) else {}),
    }


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


def plain_message(row: Row, message_id: str, agent_id: str) -> dict[str, Json]:
    """The message of a row; what it kept of an earlier file is in its place again."""
    kept = kept_of(row)
    parts = _parts(row)
    role = _role(row, kept)
    results = [part for part in parts if isinstance(part, ToolResultPart)]
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    said = [each for part in parts if (each := _said(part)) is not None]
    if results and role == Role.TOOL and not said:
        said = [_text(results[0].content)]
    returned = [_result(part) for part in results]
    is_answer = role == _APPROVAL
    answered = results[0].call_id if results and not is_answer else None
    return {
        "type": "message",
        "role": role,
        "content": said,
        "name": row["name"],
        **_PLAIN_FIELDS,
        **{key: value for key, value in kept.items() if key not in _OWN_FIELDS},
        "id": message_id,
        "agent_id": agent_id,
        "tool_calls": [_call(part) for part in calls] or None,
        "tool_call_id": calls[0].id if is_answer and calls else answered,
        "tool_returns": [] if is_answer else returned,
        "created_at": row["created_at"],
        "approve": kept.get("approve"),
        "approval_request_id": kept.get("approval_request_id"),
        "denial_reason": kept.get("denial_reason"),
        "approvals": _answers(returned, kept) if is_answer else [],
    }


def system_message(text: str, message_id: str, agent_id: str, at: Json) -> dict[str, Json]:
    """The compiled prompt that every agent of such a file begins with."""
    row: dict[str, Any] = {
        "name": None,
        "role": "system",
        "content": "[]",
        "metadata": "{}",
        "created_at": at,
    }
    return {**plain_message(row, message_id, agent_id), "content": [_text(text)]}


def _parts(row: Row) -> Sequence[Part]:
    try:
        found: tuple[Part, ...] = from_plain(tuple[Part, ...], parse(str(row["content"])))
    except MalformedError:
        return ()
    return found


def _role(row: Row, kept: Mapping[str, Json]) -> str:
    """A role that Letta tells apart and we do not was kept."""
    role = kept.get("role")
    return role if isinstance(role, str) else str(row["role"])


def _said(part: Part) -> dict[str, Json] | None:
    match part:
        case TextPart(text):
            return _text(text)
        case ThinkingPart(text, signature):
            return {"type": "reasoning", "is_native": True, "reasoning": text, "signature": signature}
        case RedactedThinkingPart(data):
            return {"type": "redacted_reasoning", "data": data}
        case ImagePart(media_type, _, _, data):
            return {"type": "image", "source": _source(media_type, data)}
        case _:
            return None


def _source(media_type: str, data: str) -> dict[str, Json]:
    if "://" in data[:16]:
        return {"type": "url", "url": data, "media_type": media_type}
    return {"type": "base64", "media_type": media_type, "data": data, "detail": None}


def _text(text: str) -> dict[str, Json]:
    return {"type": "text", "text": text, "signature": None}


def _call(part: ToolCallPart) -> dict[str, Json]:
    return {
        "id": part.id,
        "type": "function",
        "function": {"name": part.name, "arguments": part.arguments},
    }


def _answers(returned: Sequence[dict[str, Json]], kept: Mapping[str, Json]) -> list[Json]:
    """A person's answers: a refusal as it was given, which stands for a result with its reason here."""
    given = kept.get("approvals")
    refusals = {
        each.get("tool_call_id"): each
        for each in (given if isinstance(given, list) else ())
        if isinstance(each, dict) and each.get("approve") is False
    }
    return [refusals.get(each["tool_call_id"], each) for each in returned]


def _result(part: ToolResultPart) -> dict[str, Json]:
    return {
        "tool_call_id": part.call_id,
        "status": "error" if part.is_error else "success",
        "stdout": None,
        "stderr": None,
        "func_response": part.content,
    }


def plain_rules(rows: ConstellationRows, agent_id: str) -> list[dict[str, Json]]:
    """The rules of an agent that are in force."""
    rules = [row for row in rows.of("tool_rules") if row["agent_id"] == agent_id and not row["is_deleted"]]
    following: dict[str, dict[str, Json]] = {}
    plain = [each for row in rules for each in _rule(row, following)]
    return [*plain, *following.values()]


def _rule(row: Row, following: dict[str, dict[str, Json]]) -> Iterator[dict[str, Json]]:
    kind, tool = str(row["kind"]), row["tool"]
    detail = json_object(row, "detail")
    more = {**_TEMPLATE, **kept_of(row, "detail")}
    if kind in _SIMPLE:
        yield {"tool_name": tool, "type": _SIMPLE[kind], **more}
    elif kind == ToolRuleKind.MAX_CALLS and isinstance(detail.get("limit"), int):
        limit = detail["limit"]
        yield {"tool_name": tool, "type": "max_count_per_step", "max_count_limit": limit, **more}
    elif kind == ToolRuleKind.REQUIRES_PRECEDING and isinstance(detail.get("preceding"), list):
        # There one rule of the tool before names all that may come after it.
        for before in detail["preceding"]:
            rule = following.setdefault(
                str(before), {"tool_name": before, "type": "parent_last_tool", "children": [], **more}
            )
            rule["children"].append(tool)
