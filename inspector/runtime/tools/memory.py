"""The tools that every agent may be given: its blocks, its archival entries, search, messages, memory as files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.domain.agents import Tool
from inspector.domain.wire.values import WireForm
from inspector.runtime.tools.block_edits import BlockEditTool
from inspector.runtime.tools.blocks import BlockTool
from inspector.runtime.tools.memory_access import MemoryAccess
from inspector.runtime.tools.memory_files import MemoryFilesTool
from inspector.runtime.tools.messages import Endpoints, SendMessageTool
from inspector.runtime.tools.recall import RecallTool, SearchTool
from inspector.runtime.tools.registry import ToolFunction, ToolOutcome, ToolRegistry, ToolUse
from inspector.runtime.tools.spellings import respelled

MEMORY_FILES = "memory"
"""The tool with the commands of Anthropic's own memory tool, an alternative to those for blocks."""
MEMORY_TYPE = "memory_20250818"
"""The type that Anthropic's models know it by. They are sent that, and every other model its definition."""
USUAL_TOOLS = ("block", "block_edit", "recall", "search", "send_message")
"""The tools that an agent is given unless others are named."""


def memory_tools(access: MemoryAccess, endpoints: Endpoints) -> ToolRegistry:
    """A registry with all tools of this package, whose writes go through the engine's doors as the agent who calls."""
    block, edit, recall = BlockTool(access), BlockEditTool(access), RecallTool(access)
    search, send, files = SearchTool(access), SendMessageTool(access, endpoints), MemoryFilesTool(access)
    registry = ToolRegistry()
    for name, description, tool in (
        ("block", "List, create, load, archive, pin or share memory blocks.", block),
        ("block_edit", "Edit the content of a memory block.", edit),
        ("recall", "Keep a memory outside the prompt, or find one.", recall),
        ("search", "Search your blocks, messages, summaries and kept memories.", search),
        ("send_message", "Send a message to the user or to another agent.", send),
        (MEMORY_FILES, "Read and change your memory as files in /memories.", files),
    ):
        parameters = json.dumps(tool.parameters, separators=(",", ":"))
        own = {WireForm.ANTHROPIC.value: MEMORY_TYPE} if name == MEMORY_FILES else {}
        registry.add(Tool(name, description, parameters), _respelling(name, tool), own)
    return registry


def _respelling(name: str, tool: ToolFunction) -> ToolFunction:
    async def call(use: ToolUse, arguments: Mapping[str, Any]) -> str | ToolOutcome:
        return await tool(use, respelled(name, arguments))

    return call
