"""Fields of an Agent File that were kept at import, written back at export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.domain.edits.row_import import Row
from inspector.domain.errors import MalformedError
from inspector.exchange.json_guard import Json
from inspector.storage.json_columns import parse

DEFAULT_LIMIT = 20_000
FILE_FIELDS: Mapping[str, Json] = {
    "groups": [],
    "blocks": [],
    "files": [],
    "sources": [],
    "tools": [],
    "mcp_servers": [],
    "metadata": {},
    "created_at": None,
}
AGENT_FIELDS: Mapping[str, Json] = {
    "name": "",
    "memory_blocks": [],
    "tools": [],
    "tool_ids": [],
    "source_ids": [],
    "folder_ids": None,
    "block_ids": [],
    "tool_rules": [],
    "tags": [],
    "system": "",
    "agent_type": "letta_v1_agent",
    "initial_message_sequence": None,
    "include_base_tools": False,
    "include_multi_agent_tools": False,
    "include_base_tool_rules": False,
    "include_default_source": False,
    "description": None,
    "metadata": {},
    "llm_config": None,
    "embedding_config": None,
    "model": None,
    "embedding": None,
    "model_settings": None,
    "context_window_limit": None,
    "embedding_chunk_size": None,
    "max_tokens": None,
    "max_reasoning_tokens": None,
    "enable_reasoner": False,
    "reasoning": None,
    "from_template": None,
    "template": False,
    "project": None,
    "tool_exec_environment_variables": {},
    "secrets": None,
    "memory_variables": None,
    "project_id": None,
    "template_id": None,
    "base_template_id": None,
    "identity_ids": None,
    "message_buffer_autoclear": False,
    "enable_sleeptime": False,
    "response_format": None,
    "timezone": "UTC",
    "max_files_open": None,
    "per_file_view_window_char_limit": None,
    "hidden": None,
    "parallel_tool_calls": None,
    "id": "",
    "in_context_message_ids": [],
    "messages": [],
    "files_agents": [],
    "group_ids": [],
}
BLOCK_FIELDS: Mapping[str, Json] = {
    "value": "",
    "limit": DEFAULT_LIMIT,
    "project_id": None,
    "template_name": None,
    "is_template": False,
    "template_id": None,
    "base_template_id": None,
    "deployment_id": None,
    "entity_id": None,
    "preserve_on_migration": False,
    "label": "",
    "read_only": False,
    "description": None,
    "metadata": {},
    "hidden": None,
    "id": "",
}
TOOL_FIELDS: Mapping[str, Json] = {
    "id": "",
    "tool_type": "custom",
    "description": "",
    "source_type": "json",
    "name": "",
    "tags": [],
    "source_code": None,
    "json_schema": None,
    "args_json_schema": None,
    "return_char_limit": 50_000,
    "pip_requirements": None,
    "npm_requirements": None,
    "default_requires_approval": None,
    "enable_parallel_execution": False,
    "created_by_id": None,
    "last_updated_by_id": None,
    "metadata_": {},
}
KEPT = "letta"


def kept_of(row: Row, column: str = "metadata") -> dict[str, Json]:
    """The fields that were kept, nothing for a row that came from nowhere."""
    kept = _object(str(row[column])).get(KEPT)
    return kept if isinstance(kept, dict) else {}


def json_object(row: Row, column: str) -> dict[str, Json]:
    """A JSON column that holds an object; empty when it does not."""
    return _object(str(row[column]))


def json_list(row: Row, column: str) -> list[Json]:
    """A JSON column that holds a list; empty when it does not."""
    try:
        found: Any = parse(str(row[column]))
    except MalformedError:
        return []
    return found if isinstance(found, list) else []


def _object(text: str) -> dict[str, Json]:
    try:
        found: Any = parse(text)
    except MalformedError:
        return {}
    return found if isinstance(found, dict) else {}
