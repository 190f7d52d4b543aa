"""One message as Letta writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.domain.codec import from_plain
from inspector.domain.edits.adopting import Row
from inspector.domain.errors import MalformedError
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
from inspector.exchange.guard import Json
from inspector.exchange.letta.kept import kept_of
from inspector.storage.json_columns import parse

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
