"""Small agent files to read in tests, in Letta's shapes and our own words."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from inspector.domain.actor import IdGenerator
from inspector.domain.edits.base import Intent, Operation
from inspector.domain.edits.rows import AppendMessage
from inspector.domain.exchange import ImportPlan
from inspector.exchange.formats import read_source, source_of
from inspector.runtime.environment import Environment
from inspector.runtime.files import source_of as read_in_job

Fields = dict[str, Any]
Kind = TypeVar("Kind", bound=Operation)


def counted_ids() -> Callable[[str], str]:
    """Ids that count from 1, whatever the prefix."""
    numbers = itertools.count(1)
    return lambda prefix: f"{prefix}_{next(numbers):04}"


def plan_import(path: Path, ids: IdGenerator) -> ImportPlan:
    """The plan of all that a file holds."""
    return read_source(path).plan(ids, ())


async def plan_of_file(path: Path, surroundings: Environment) -> ImportPlan:
    """The plan of all that a file holds, read as a job."""
    return (await read_in_job(path, surroundings)).plan(surroundings.ids, ())


def plan_import_of(data: bytes, ids: IdGenerator, origin: str = "") -> ImportPlan:
    """The plan of all that bytes hold."""
    return source_of(data, origin).plan(ids, ())


def plan_of(value: Any) -> ImportPlan:
    """The plan of a file with this value."""
    return plan_import_of(json.dumps(value).encode(), counted_ids(), origin="small.af")


def found(plan: ImportPlan, kind: type[Kind]) -> list[Kind]:
    """The operations of one kind, in order."""
    return [intent.edit.operation for intent in plan.intents if isinstance(intent.edit.operation, kind)]


def intents_of(plan: ImportPlan, kind: type[Operation]) -> list[Intent]:
    """The intents with operations of one kind, in order."""
    return [intent for intent in plan.intents if isinstance(intent.edit.operation, kind)]


def codes(plan: ImportPlan) -> list[str]:
    """The codes of the plan's problems."""
    return [problem.code for problem in plan.problems]


def batches(plan: ImportPlan) -> list[list[AppendMessage]]:
    """The messages by batch, in order."""
    messages = found(plan, AppendMessage)
    return [list(group) for _, group in itertools.groupby(messages, lambda message: message.batch_id)]


def roles(plan: ImportPlan) -> list[list[str]]:
    """The roles of each batch."""
    return [[message.role.value for message in batch] for batch in batches(plan)]


def block(number: int, label: str, value: str = "something", **more: Any) -> Fields:
    return {
        "id": f"block-{number}",
        "label": label,
        "value": value,
        "limit": 5000,
        "read_only": False,
        **more,
    }


def tool(number: int, name: str, **more: Any) -> Fields:
    schema = {
        "name": name,
        "description": f"Does {name}.",
        "parameters": {"type": "object", "properties": {"what": {"type": "string"}}},
    }
    return {"id": f"tool-{number}", "name": name, "json_schema": schema, **more}


def agent(number: int = 0, **more: Any) -> Fields:
    base = {
        "id": f"agent-{number}",
        "name": f"Agent {number}",
        "system": "Be brief.",
        "llm_config": {
            "model": "gpt-4o-mini",
            "model_endpoint_type": "openai",
            "model_endpoint": "https://api.openai.com/v1",
            "context_window": 32000,
            "temperature": 0.5,
            "max_tokens": None,
        },
        "block_ids": [],
        "tool_ids": [],
        "tool_rules": [],
        "messages": [],
    }
    return {**base, **more}


def file_of(*agents: Fields, **more: Any) -> Fields:
    return {"agents": list(agents) or [agent()], "blocks": [], "tools": [], "groups": [], **more}


def with_messages(*messages: Fields, in_context: list[int] | None = None) -> Fields:
    """A file whose one agent has these messages, all in context unless indices are given."""
    numbered = [
        {"type": "message", "id": f"message-{index}", "agent_id": "agent-0", **message}
        for index, message in enumerate(messages)
    ]
    chosen = range(len(numbered)) if in_context is None else in_context
    ids = [f"message-{index}" for index in chosen]
    return file_of(agent(messages=numbered, in_context_message_ids=ids))


def user(text: str, **more: Any) -> Fields:
    return {"role": "user", "content": [{"type": "text", "text": text}], **more}


def assistant(text: str = "", calls: dict[str, str] | None = None, **more: Any) -> Fields:
    """A reply; `calls` maps call ids to tool names."""
    made = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": '{"what": "it"}'}}
        for call_id, name in (calls or {}).items()
    ]
    content = [{"type": "text", "text": text}] if text else None
    return {"role": "assistant", "content": content, "tool_calls": made or None, **more}


def result(call_id: str, text: str = '{"status": "OK"}', **more: Any) -> Fields:
    return {"role": "tool", "content": [{"type": "text", "text": text}], "tool_call_id": call_id, **more}


def returns(*answers: tuple[str, str], role: str = "tool") -> Fields:
    """Results of several calls in one message: call ids and texts."""
    rows = [
        {"tool_call_id": call_id, "status": "success", "func_response": text} for call_id, text in answers
    ]
    key = "approvals" if role == "approval" else "tool_returns"
    return {"role": role, "content": None, key: rows}


def system(text: str, **more: Any) -> Fields:
    return {"role": "system", "content": [{"type": "text", "text": text}], **more}
