"""Tokens of chat frames and tool definitions per tokenizer family (`resources/models/overheads.json`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.models import Overheads, ToolOverheads
from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import malformed, resource_path

GENERIC = "generic"

Listed = TypeVar("Listed", "_Chat", "_Tools")


class _Chat(ShippedRecord, frozen=True):
    families: tuple[str, ...]
    message: int
    role: int
    name: int
    reply: int
    request: int
    call: int
    result: int
    method: Method
    call_method: Method
    source: str


class _Tools(ShippedRecord, frozen=True):
    families: tuple[str, ...]
    function: int
    properties: int
    key: int
    enum: int
    enum_item: int
    end: int
    method: Method
    source: str


class _OverheadsFile(ShippedRecord, frozen=True):
    dated: str
    chat: tuple[_Chat, ...]
    tools: tuple[_Tools, ...]


@dataclass(frozen=True, slots=True)
class OverheadTable:
    """The overheads by tokenizer family; a family that is not listed has the generic ones."""

    dated: str
    chat: Mapping[str, Overheads]
    tools: Mapping[str, ToolOverheads]

    def for_chat(self, family: str) -> Overheads:
        """What messages, calls and the reply cost beyond their strings."""
        return self.chat.get(family, self.chat[GENERIC])

    def for_tools(self, family: str) -> ToolOverheads:
        return self.tools.get(family, self.tools[GENERIC])


@cache
def load_overheads() -> OverheadTable:
    """Load the shipped overheads of chat frames.

    Raises:
        MalformedError: the file has another shape, lists a family twice or lacks the generic one.
    """
    return read_overheads(resource_path("models", "overheads.json"))


def read_overheads(path: Path) -> OverheadTable:
    """Overheads from any file of the shape; `load_overheads` for the shipped ones."""
    content = read_json(path, _OverheadsFile)
    chat = {family: _chat(family, each) for family, each in _by_family(path, "chat", content.chat)}
    tools = {family: _tools(each) for family, each in _by_family(path, "tools", content.tools)}
    return OverheadTable(content.dated, chat, tools)


def _by_family(path: Path, key: str, records: tuple[Listed, ...]) -> Iterator[tuple[str, Listed]]:
    seen: set[str] = set()
    for at, record in enumerate(records):
        for family in record.families:
            if family in seen:
                raise malformed(path, f"{family!r} appears twice - at `$.{key}[{at}].families`")
            seen.add(family)
            yield family, record
    if GENERIC not in seen:
        raise malformed(path, f"`{GENERIC}` is missing - at `$.{key}`")


def _chat(family: str, stored: _Chat) -> Overheads:
    return Overheads(
        family=family,
        message=stored.message,
        role=stored.role,
        name=stored.name,
        reply=stored.reply,
        request=stored.request,
        call=stored.call,
        result=stored.result,
        method=stored.method,
        call_method=stored.call_method,
        source=stored.source,
    )


def _tools(stored: _Tools) -> ToolOverheads:
    return ToolOverheads(
        function=stored.function,
        properties=stored.properties,
        key=stored.key,
        enum=stored.enum,
        enum_item=stored.enum_item,
        end=stored.end,
        method=stored.method,
        source=stored.source,
    )
