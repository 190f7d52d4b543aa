"""The tool ``memory`` of Anthropic's form: six commands on files, each of which is a block.

``/memories/LABEL.md`` is a block of the agent's own, ``/memories/shared/LABEL.md`` one that others share with it.
A path and a label stand for each other one to one: what a path can't have is percent-encoded.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, unquote

from inspector.domain.blocks import BlockType, TextSchema
from inspector.domain.content import TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits import text as edits
from inspector.domain.edits.block_rows import CreateBlock, SetBlockType, SetLabel
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.runtime.tools import memory_answers as answers
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
from inspector.runtime.tools.registry import ToolOutcome, ToolUse

ROOT = "/memories"
SHARED = f"{ROOT}/shared"
_SUFFIX = ".md"
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

    @property
    def shown(self) -> str:
        """The whole text; of a block with a schema what the model reads of it."""
        return _shown(self.state)


class _RefusedCallError(Exception):
    """A call that is answered as an error, in the words of the tool's maker."""


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

    async def __call__(self, use: ToolUse, arguments: Arguments) -> str | ToolOutcome:
        command = choice_argument(arguments, "command", tuple(self._commands))
        try:
            return await self._commands[command](use, arguments)
        except _RefusedCallError as refused:
            return ToolOutcome(str(refused), is_error=True)

    async def _view(self, use: ToolUse, arguments: Arguments) -> str:
        path = text_argument(arguments, "path", ROOT)
        if path.rstrip("/") in (ROOT, SHARED):
            return await self._folder(use, path.rstrip("/"))
        file = await self._file(use, path)
        lines = file.shown.split("\n")
        first, last = _range(arguments.get("view_range"), len(lines))
        waiting = proposal_lines(await self._access.proposals(use, file.state.block.id))
        return "\n".join((shortened(answers.content(path, lines[first - 1 : last], first)), *waiting))

    async def _folder(self, use: ToolUse, path: str) -> str:
        files = [each for each in await self._files(use) if each.path.startswith(f"{path}/")]
        sizes = {each.path: len(each.shown.encode(errors="replace")) for each in files}
        within = [length for name, length in sizes.items() if name.startswith(f"{SHARED}/")]
        if within and path == ROOT:
            sizes[f"{SHARED}/"] = sum(within)
        # What is shared comes behind its folder, which stands where its name sorts it.
        entries = sorted(sizes.items())
        whole = sum(len(each.shown.encode(errors="replace")) for each in files)
        return answers.folder(path, whole, ((length, name) for name, length in entries))

    async def _create(self, use: ToolUse, arguments: Arguments) -> str:
        path, text = text_argument(arguments, "path"), text_argument(arguments, "file_text")
        label, is_shared = _label(path)
        if is_shared:
            raise InputError("input.memory_shared", path=path)
        put_away = await self._access.memory.find(use.agent.id, label)
        if put_away is None:
            operation = CreateBlock(
                use.agent.id, label, TextSchema(), BlockType.WORKING, content=TextContent(text)
            )
            await self._access.apply(use, Ref(RefKind.BLOCK, ""), operation, "")
            return answers.CREATED.format(path=path)
        if put_away.block.block_type is not BlockType.ARCHIVAL:
            raise _RefusedCallError(answers.EXISTS.format(path=path))
        # It was deleted in the tool's sense: what is written now is another version of it.
        operations = (SetBlockType(BlockType.WORKING), edits.SetText(text))
        return await self._access.write(
            use, put_away.block.id, operations, "", answer=lambda _: answers.CREATED.format(path=path)
        )

    async def _replace(self, use: ToolUse, arguments: Arguments) -> str:
        file = await self._file(use, text_argument(arguments, "path"))
        old, new = text_argument(arguments, "old_str"), text_argument(arguments, "new_str", "")
        count = file.text.count(old) if old else 0
        if not count:
            raise _RefusedCallError(answers.NOT_FOUND.format(path=file.path, text=old))
        if count > 1:
            raise _RefusedCallError(answers.not_unique(old, _lines_with(file.text, old)))
        line = file.text.count("\n", 0, file.text.index(old))
        return await self._access.write(
            use,
            file.state.block.id,
            [edits.ReplaceText(old, new)],
            "",
            file.state.version,
            answer=lambda state: answers.replaced(_shown(state), line),
        )

    async def _insert(self, use: ToolUse, arguments: Arguments) -> str:
        file = await self._file(use, text_argument(arguments, "path"))
        line, text = number_argument(arguments, "insert_line"), text_argument(arguments, "insert_text")
        lines = file.text.split("\n")
        if not lines[-1]:
            del lines[-1]
        if not 0 <= line <= len(lines):
            raise _RefusedCallError(answers.NO_LINE.format(line=line, lines=len(lines)))
        at = min(sum(len(each) + 1 for each in lines[:line]), len(file.text))
        lead = "\n" if at and file.text[at - 1] != "\n" else ""
        operation = edits.InsertText(at, lead + text.rstrip("\n") + "\n")
        return await self._access.write(
            use,
            file.state.block.id,
            [operation],
            "",
            file.state.version if file.state.revision else None,
            answer=lambda _: answers.INSERTED.format(path=file.path),
        )

    async def _delete(self, use: ToolUse, arguments: Arguments) -> str:
        path = text_argument(arguments, "path")
        _refuse_root(path, answers.ROOT_NOT_DELETED)
        file = await self._file(use, path, is_read=False)
        return await self._access.write(
            use,
            file.state.block.id,
            (SetBlockType(BlockType.ARCHIVAL),),
            "",
            answer=lambda _: answers.DELETED.format(path=path),
        )

    async def _rename(self, use: ToolUse, arguments: Arguments) -> str:
        path, new_path = text_argument(arguments, "old_path"), text_argument(arguments, "new_path")
        _refuse_root(path, answers.ROOT_NOT_RENAMED)
        file = await self._file(use, path, is_read=False)
        label, is_shared = _label(new_path)
        if is_shared is (file.block.owner_name is None):
            raise InputError("input.memory_shared", path=new_path)
        if any(each.path == path_of(label, shared=is_shared) for each in await self._files(use)):
            raise _RefusedCallError(answers.DESTINATION_EXISTS.format(path=new_path))
        return await self._access.write(
            use,
            file.state.block.id,
            [SetLabel(label)],
            "",
            answer=lambda _: answers.RENAMED.format(path=path, new_path=new_path),
        )

    async def _file(self, use: ToolUse, path: str, *, is_read: bool = True) -> MemoryFile:
        _refuse_outside(path)
        files = await self._files(use)
        found = next((each for each in files if each.path == path), None)
        try:
            # Whoever encodes less than this does, or more, means the same label.
            label, is_shared = label_of(path)
        except InputError:
            label, is_shared = "", False
        if found is None and label:
            found = next((each for each in files if each.path == path_of(label, shared=is_shared)), None)
        if found is None:
            raise _RefusedCallError(answers.missing(path, is_read=is_read))
        return replace(found, path=path)

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


def _shown(state: BlockState) -> str:
    """A block's whole text; one with a schema as the model reads it."""
    content = state.content
    return content.text if isinstance(content, TextContent) else text_of(state)


def _label(path: str) -> tuple[str, bool]:
    """The label for what is to be at a path, and whether it is of a shared block.

    Raises:
        InputError: ``input.memory_path``. _RefusedCallError: it isn't in the memory.
    """
    _refuse_outside(path)
    return label_of(path)


def _refuse_outside(path: str) -> None:
    is_within = path == ROOT or path.startswith(f"{ROOT}/")
    if not is_within or ".." in path.split("/"):
        raise _RefusedCallError(answers.outside(path))


def _refuse_root(path: str, why: str) -> None:
    if path.rstrip("/") == ROOT:
        raise _RefusedCallError(why)


def _range(given: object, lines: int) -> tuple[int, int]:
    """The first and the last line that are asked for; what is beyond the text is as good as its end."""
    match given:
        case None:
            return 1, lines
        case [int(first), int(last)]:
            return max(1, first), lines if last == -1 else max(0, last)
        case _:
            raise InputError("input.tool_argument", name="view_range", kind="pair of line numbers")


def _lines_with(text: str, part: str) -> list[int]:
    """The lines, counted from 1, in which a text stands, once for each time."""
    found, at = [], text.find(part)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(part, at + 1)
    return found
