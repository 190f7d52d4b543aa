"""The tool for whole blocks: make one, look at it, load it, put it away, pin it, share it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspector.domain.blocks import (
    READY_MADE_SCHEMAS,
    BlockType,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    TextSchema,
    TreeSchema,
    Viewport,
)
from inspector.domain.codec import to_plain
from inspector.domain.content import ListContent, TextContent, TreeContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import (
    AttachBlock,
    CreateBlock,
    DetachBlock,
    SetBlockType,
    SetPinned,
    SetSchema,
)
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.tools.memory_access import (
    MemoryAccess,
    VisibleBlock,
    choice_argument,
    number_argument,
    proposal_lines,
    size_of,
    text_argument,
    text_of,
)
from inspector.runtime.tools.registry import ToolUse
from inspector.runtime.wording import word

_SCHEMAS: Mapping[str, Schema] = {
    "text": TextSchema(),
    "list": ListSchema(),
    "log": LogSchema(),
    "tree": TreeSchema(),
    "map": MapSchema(),
    **READY_MADE_SCHEMAS,
}
_LEVELS = tuple(level.label for level in Permission)
_TYPES = tuple(kind.value for kind in BlockType)

Arguments = Mapping[str, Any]


class BlockTool:
    """The calls of ``block``, by their action."""

    def __init__(self, access: MemoryAccess) -> None:
        self._access = access
        self._actions: Mapping[str, Callable[[ToolUse, Arguments], Awaitable[str]]] = {
            "info": self._info,
            "create": self._create,
            "load": self._load,
            "archive": self._archive,
            "pin": self._pin,
            "unpin": self._unpin,
            "viewport": self._viewport,
            "share": self._share,
            "unshare": self._unshare,
        }

    @property
    def parameters(self) -> Arguments:
        """The JSON Schema of its arguments."""
        text = {"type": "string"}
        return {
            "type": "object",
            "properties": {
                "action": {"enum": list(self._actions)},
                "label": text,
                "text": {**text, "description": "Of a new block"},
                "description": text,
                "type": {"enum": list(_TYPES)},
                "schema": {"enum": list(_SCHEMAS)},
                "start_line": {"type": "integer"},
                "display_lines": {"type": "integer"},
                "agent": {**text, "description": "Whom to share with"},
                "level": {"enum": list(_LEVELS)},
                "reason": text,
            },
            "required": ["action"],
        }

    async def __call__(self, use: ToolUse, arguments: Arguments) -> str:
        action = choice_argument(arguments, "action", tuple(self._actions))
        return await self._actions[action](use, arguments)

    async def _info(self, use: ToolUse, arguments: Arguments) -> str:
        if "label" not in arguments:
            blocks = await self._access.visible(use.agent)
            return "\n".join(map(_line, blocks)) or word("told.tool_no_blocks")
        found = await self._block(use, arguments)
        lines = [_line(found), *_parts(found)]
        lines += proposal_lines(await self._access.proposals(use, found.state.block.id))
        return "\n".join(lines)

    async def _create(self, use: ToolUse, arguments: Arguments) -> str:
        name = choice_argument({"schema": "text", **arguments}, "schema", tuple(_SCHEMAS))
        kind = choice_argument({"type": BlockType.WORKING.value, **arguments}, "type", _TYPES)
        text = text_argument(arguments, "text", "")
        if text and not isinstance(_SCHEMAS[name], TextSchema):
            raise InputError("input.tool_text_only", schema=name)
        operation = CreateBlock(
            use.agent.id,
            text_argument(arguments, "label"),
            _SCHEMAS[name],
            BlockType(kind),
            text_argument(arguments, "description", ""),
            content=TextContent(text) if text else None,
        )
        target = Ref(RefKind.BLOCK, "")
        receipt = await self._access.apply(use, target, operation, text_argument(arguments, "reason", ""))
        state = await self._access.memory.get(receipt.ref.id)
        size = "" if state is None else size_of(state)
        return f"{word('told.tool_created', {'label': operation.label})} {size}"

    async def _load(self, use: ToolUse, arguments: Arguments) -> str:
        found = await self._block(use, arguments)
        lines = []
        if found.state.block.block_type is BlockType.ARCHIVAL:
            lines.append(await self._changed(use, arguments, SetBlockType(BlockType.WORKING)))
        lines.append(text_of(found.state))
        lines += proposal_lines(await self._access.proposals(use, found.state.block.id))
        return "\n".join(lines)

    async def _archive(self, use: ToolUse, arguments: Arguments) -> str:
        return await self._changed(use, arguments, SetBlockType(BlockType.ARCHIVAL))

    async def _pin(self, use: ToolUse, arguments: Arguments) -> str:
        return await self._changed(use, arguments, SetPinned(True))

    async def _unpin(self, use: ToolUse, arguments: Arguments) -> str:
        return await self._changed(use, arguments, SetPinned(False))

    async def _viewport(self, use: ToolUse, arguments: Arguments) -> str:
        usual = Viewport()
        viewport = Viewport(
            number_argument(arguments, "start_line", usual.start_line),
            number_argument(arguments, "display_lines", usual.display_lines),
        )
        return await self._changed(use, arguments, SetSchema(TextSchema(viewport)))

    async def _share(self, use: ToolUse, arguments: Arguments) -> str:
        level = choice_argument({"level": Permission.READ_ONLY.label, **arguments}, "level", _LEVELS)
        agent_id = await self._agent(arguments)
        return await self._changed(use, arguments, AttachBlock(agent_id, Permission.parse(level)))

    async def _unshare(self, use: ToolUse, arguments: Arguments) -> str:
        return await self._changed(use, arguments, DetachBlock(await self._agent(arguments)))

    async def _changed(self, use: ToolUse, arguments: Arguments, operation: Operation) -> str:
        found = await self._block(use, arguments)
        reason = text_argument(arguments, "reason", "")
        return await self._access.write(use, found.state.block.id, [operation], reason)

    async def _block(self, use: ToolUse, arguments: Arguments) -> VisibleBlock:
        return await self._access.block(use, text_argument(arguments, "label"))

    async def _agent(self, arguments: Arguments) -> str:
        return await agent_named(self._access, text_argument(arguments, "agent"))


async def agent_named(access: MemoryAccess, name: str) -> str:
    """The id of the agent of a name, or of an id.

    Raises:
        InputError: ``input.tool_agent`` with the names that there are.
    """
    agents, _ = await access.agents.list()
    found = [each.id for each in agents if name in (each.id, each.name)]
    if len(found) != 1:
        raise InputError("input.tool_agent", name=name, candidates=tuple(each.name for each in agents))
    return found[0]


def _line(found: VisibleBlock) -> str:
    block = found.state.block
    facts = [block.block_type.value, _schema_name(found), found.level.label, size_of(found.state)]
    if block.pinned:
        facts.append("pinned")
    if found.owner_name is not None:
        facts.append(f"owner: {found.owner_name}")
    return f"{block.label}: {', '.join(facts)}"


def _schema_name(found: VisibleBlock) -> str:
    plain = to_plain(found.state.block.schema)
    return str(plain.get("kind", "unreadable")) if isinstance(plain, dict) else "unreadable"


def _parts(found: VisibleBlock) -> list[str]:
    """The ids of items and nodes, which edits name."""
    content = found.state.content
    if isinstance(content, ListContent):
        return [f"{number}. {each.id}" for number, each in enumerate(content.items, 1)]
    if not isinstance(content, TreeContent):
        return []
    return [
        f"{'  ' * depth}{node.id}: {node.value if isinstance(node.value, str) else to_plain(node.value)}"
        for depth, node in content.walk()
    ]
