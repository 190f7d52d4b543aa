"""Other names that models use for a tool's arguments and operations: those of the sample's tools, and of Letta's.

A file brings its own definitions of tools, and a model keeps to what it reads. What a call names so is carried out as
if it had the names of the definitions here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ARGUMENTS: Mapping[str, Mapping[str, str]] = {
    "block": {"with_agent": "agent", "content": "text", "value": "text"},
    "block_edit": {"block": "label", "fields": "value", "node": "item", "content": "text", "replace": "text"},
    "recall": {"content": "text", "query": "text"},
    "search": {"query": "text"},
    "send_message": {"content": "text", "message": "text"},
}
"""The names of arguments by tool, and what stands for them here."""

OPERATIONS: Mapping[str, str] = {
    "append_text": "append",
    "append_item": "append",
    "append_entry": "append",
    "append_to_field": "append",
    "add_node": "append",
    "replace_text": "replace",
    "patch_text": "patch",
    "replace_lines": "edit_range",
    "clear_field": "set_field",
    "update_node": "update_item",
    "move_node": "move_item",
    "remove_node": "remove_item",
}
"""The names of operations of ``block_edit``, most of them those of the stored operations, and what they are here."""


def respelled(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A call's arguments by the names that the tool has here; what has those already stays."""
    names = ARGUMENTS.get(tool, {})
    found = {name: value for name, value in arguments.items() if name not in names}
    for name, value in arguments.items():
        if name in names:
            found.setdefault(names[name], value)
    operation = found.get("operation")
    if tool == "block_edit" and isinstance(operation, str):
        found["operation"] = OPERATIONS.get(operation, operation)
    return found
