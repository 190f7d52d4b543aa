"""The tool ``memory`` of Anthropic's form: six commands on files, each of which is a block.

``/memories/LABEL.md`` is a block of the agent's own, ``/memories/shared/LABEL.md`` one that others share with it.
A path and a label stand for each other one to one: what a path can't have is percent-encoded.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote

from inspector.domain.blocks import BlockType, TextSchema
from inspector.domain.content import TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits import text as edits
from inspector.domain.edits.block_rows import CreateBlock, SetBlockType, SetLabel
from inspector.domain.errors import InputError, NotFoundError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.runtime.tools.memory_access import (
    MemoryAccess,
    VisibleBlock,
    choice_argument,
    number_argument,
    proposal_lines,
    shortened,
    text_argument,
    text_of,
)
from inspector.runtime.tools.registry import ToolUse
from inspector.runtime.wording import word

ROOT = "/memories"
SHARED = f"{ROOT}/shared"
_SUFFIX = ".md"
_KIB = 1024
Arguments = Mapping[str, Any]


def path_of(label: str, *, shared: bool = False) -> str:
    """The path that stands for a label."""
    # The sign that parts a label from an id must be no part of a label.
    written = quote(label, safe=" ").replace("~", "%7E")
    return f"{SHARED if shared else ROOT}/{written}{_SUFFIX}"


def label_of(path: str) -> tuple[str, bool]:
    """The label that a path stands for, and whether it is of a shared block.

    Raises:
        InputError: ``input.memory_path``, it stands for none.
    """
    folder, _, name = path.rpartition("/")
    if folder not in (ROOT, SHARED) or not name.endswith(_SUFFIX) or name == _SUFFIX:
        raise InputError("input.memory_path", path=path)
    return unquote(name.removesuffix(_SUFFIX)), folder == SHARED


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A block as a file: its path, and what it is a view of."""

    path: str
    block: VisibleBlock

    @property
    def state(self) -> BlockState:
        return self.block.state

    @property
    def text(self) -> str:
        """The whole text.

        Raises:
            InputError: ``input.memory_not_text``, its block is no plain text.
        """
        content = self.state.content
        if not isinstance(content, TextContent):
            raise InputError("input.memory_not_text", path=self.path, label=self.block.label)
        return content.text


class MemoryFilesTool:
    """The calls of ``memory``, by their command."""

    def __init__(self, access: MemoryAccess) -> None:
        self._access = access
        self._commands: Mapping[str, Callable[[ToolUse, Arguments], Awaitable[str]]] = {
            "view": self._view,
            "create": self._create,
            "str_replace": self._replace,
            "insert": self._insert,
            "delete": self._delete,
            "rename": self._rename,
        }

    @property
    def parameters(self) -> Arguments:
        """The JSON Schema of its arguments, for models that don't know the tool by themselves."""
        text = {"type": "string"}
        return {
            "type": "object",
            "properties": {
                "command": {"enum": list(self._commands)},
                "path": {**text, "description": "/memories or /memories/NAME.md"},
                "view_range": {"type": "array", "items": {"type": "integer"}},
                "file_text": text,
                "old_str": text,
                "new_str": text,
                "insert_line": {"type": "integer"},
                "insert_text": text,
                "old_path": text,
                "new_path": text,
            },
            "required": ["command"],
        }

    async def __call__(self, use: ToolUse, arguments: Arguments) -> str:
        command = choice_argument(arguments, "command", tuple(self._commands))
        return await self._commands[command](use, arguments)

    async def _view(self, use: ToolUse, arguments: Arguments) -> str:
        path = text_argument(arguments, "path", ROOT).rstrip("/")
        if path in (ROOT, SHARED):
            return await self._folder(use, path)
        file = await self._file(use, path)
        text = file.text if isinstance(file.state.content, TextContent) else text_of(file.state)
        lines = text.split("\n")
        first, last = _range(arguments.get("view_range"), len(lines))
        numbered = [f"{number:6}\t{line}" for number, line in enumerate(lines, 1) if first <= number <= last]
        waiting = proposal_lines(await self._access.proposals(use, file.state.block.id))
        head = word("told.memory_content", {"path": path})
        return shortened("\n".join((head, *numbered, *waiting)))

    async def _folder(self, use: ToolUse, path: str) -> str:
        files = [each for each in await self._files(use) if each.path.startswith(f"{path}/")]
        sized = [f"{_size(each.state)}\t{each.path}" for each in files]
        return "\n".join((word("told.memory_folder", {"path": path}), *sized))

    async def _create(self, use: ToolUse, arguments: Arguments) -> str:
        path, text = text_argument(arguments, "path"), text_argument(arguments, "file_text")
        label, is_shared = label_of(path)
        if is_shared:
            raise InputError("input.memory_shared", path=path)
        put_away = await self._access.memory.find(use.agent.id, label)
        if put_away is None:
            operation = CreateBlock(
                use.agent.id, label, TextSchema(), BlockType.WORKING, content=TextContent(text)
            )
            await self._access.apply(use, Ref(RefKind.BLOCK, ""), operation, "")
        elif put_away.block.block_type is BlockType.ARCHIVAL:
            # It was deleted in the tool's sense: what is written now is another version of it.
            operations = (SetBlockType(BlockType.WORKING), edits.SetText(text))
            await self._access.write(use, put_away.block.id, operations, "")
        else:
            raise InputError("input.memory_exists", path=path)
        return word("told.memory_created", {"path": path})

    async def _replace(self, use: ToolUse, arguments: Arguments) -> str:
        file = await self._file(use, text_argument(arguments, "path"))
        old, new = text_argument(arguments, "old_str"), text_argument(arguments, "new_str", "")
        lines = _lines_with(file.text, old)
        if not lines:
            raise InputError("input.memory_not_found", path=file.path, text=old)
        if len(lines) > 1:
            raise InputError("input.memory_not_unique", text=old, lines=tuple(map(str, lines)))
        operation = edits.ReplaceText(old, new)
        return await self._access.write(use, file.state.block.id, [operation], "", file.state.version)

    async def _insert(self, use: ToolUse, arguments: Arguments) -> str:
        file = await self._file(use, text_argument(arguments, "path"))
        line, text = number_argument(arguments, "insert_line"), text_argument(arguments, "insert_text")
        lines = file.text.splitlines(keepends=True)
        if not 0 <= line <= len(lines):
            raise InputError("input.memory_line", line=line, lines=len(lines))
        before = "".join(lines[:line])
        lead = "\n" if before and not before.endswith("\n") else ""
        end = "" if text.endswith("\n") or line == len(lines) else "\n"
        operation = edits.InsertText(len(before), f"{lead}{text}{end}")
        base = file.state.version if file.state.revision else None
        return await self._access.write(use, file.state.block.id, [operation], "", base)

    async def _delete(self, use: ToolUse, arguments: Arguments) -> str:
        file = await self._file(use, text_argument(arguments, "path"))
        operations = (SetBlockType(BlockType.ARCHIVAL),)
        await self._access.write(use, file.state.block.id, operations, "")
        return word("told.memory_deleted", {"path": file.path})

    async def _rename(self, use: ToolUse, arguments: Arguments) -> str:
        file = await self._file(use, text_argument(arguments, "old_path"))
        new_path = text_argument(arguments, "new_path")
        label, is_shared = label_of(new_path)
        if is_shared is (file.block.owner_name is None):
            raise InputError("input.memory_shared", path=new_path)
        await self._access.write(use, file.state.block.id, [SetLabel(label)], "")
        return word("told.memory_renamed", {"path": file.path, "new_path": new_path})

    async def _file(self, use: ToolUse, path: str) -> MemoryFile:
        files = await self._files(use)
        found = next((each for each in files if each.path == path), None)
        if found is None:
            # Whoever encodes less than this does, or more, means the same label.
            label, is_shared = label_of(path)
            found = next((each for each in files if each.path == path_of(label, shared=is_shared)), None)
        if found is None:
            raise NotFoundError("not_found.memory_file", path=path)
        return found

    async def _files(self, use: ToolUse) -> list[MemoryFile]:
        blocks = [
            each
            for each in await self._access.visible(use.agent)
            if each.state.block.block_type is not BlockType.ARCHIVAL
        ]
        shared = [each.label for each in blocks if each.owner_name is not None]
        return [MemoryFile(_path(each, shared), each) for each in blocks]


def _path(found: VisibleBlock, shared_labels: list[str]) -> str:
    path = path_of(found.label, shared=found.owner_name is not None)
    if found.owner_name is None or shared_labels.count(found.label) == 1:
        return path
    return f"{path.removesuffix(_SUFFIX)}~{found.state.block.id}{_SUFFIX}"


def _size(state: BlockState) -> str:
    content = state.content
    text = content.text if isinstance(content, TextContent) else text_of(state)
    return f"{len(text.encode()) / _KIB:.1f}K"


def _range(given: object, lines: int) -> tuple[int, int]:
    match given:
        case None:
            return 1, lines
        case [int(first), int(last)] if first >= 1 and (last == -1 or last >= first):
            return first, lines if last == -1 else last
        case _:
            raise InputError("input.tool_argument", name="view_range", kind="pair of line numbers")


def _lines_with(text: str, part: str) -> list[int]:
    """The lines, counted from 1, in which a text stands."""
    found, at = [], text.find(part) if part else -1
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(part, at + len(part))
    return found
