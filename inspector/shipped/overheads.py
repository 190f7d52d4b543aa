"""Tokens of chat frames and tool definitions per tokenizer family (`resources/models/overheads.json`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.models import DefinitionCost, Overheads, ToolOverheads
from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import malformed, resource_path

GENERIC = "generic"

Listed = TypeVar("Listed", "_Chat", "_Tools")
Costs = TypeVar("Costs", Overheads, ToolOverheads)


class _Chat(ShippedRecord, frozen=True, kw_only=True):
    families: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    message: int
    role: int
    system: int | None = None
    assistant: int | None = None
    assistant_method: Method | None = None
    name: int
    reply: int
    request: int
    call: int
    result: int
    schema: int = 3
    page: int = 500
    thinking: int = 0
    task_budget: int = 0
    old_thinking: bool = True
    sealed_head: int = 0
    sealed_token: float = 16 / 3
    signed: bool = False
    method: Method
    call_method: Method
    source: str


class _Tools(ShippedRecord, frozen=True, kw_only=True):
    families: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    definition: DefinitionCost
    function: int = 0
    end: int = 0
    joined: int = 0
    preamble: int = 0
    forced: int | None = None
    chat: int = 0
    method: Method
    source: str


class _OverheadsFile(ShippedRecord, frozen=True):
    dated: str
    chat: tuple[_Chat, ...]
    tools: tuple[_Tools, ...]


@dataclass(frozen=True, slots=True)
class OverheadTable:
    """The overheads by the beginning of a model's id, else by its tokenizer family, else the generic ones."""

    dated: str
    chat: Mapping[str, Overheads]
    tools: Mapping[str, ToolOverheads]
    chat_by_model: Mapping[str, Overheads]
    tools_by_model: Mapping[str, ToolOverheads]

    def for_chat(self, family: str, model_id: str = "") -> Overheads:
        """What messages, calls and the reply cost beyond their strings."""
        own = _longest_beginning(self.chat_by_model, model_id)
        return own or self.chat.get(family, self.chat[GENERIC])

    def for_tools(self, family: str, model_id: str = "") -> ToolOverheads:
        own = _longest_beginning(self.tools_by_model, model_id)
        return own or self.tools.get(family, self.tools[GENERIC])


def _longest_beginning(by_beginning: Mapping[str, Costs], model_id: str) -> Costs | None:
    fitting = [beginning for beginning in by_beginning if model_id.startswith(beginning)]
    return by_beginning[max(fitting, key=len)] if fitting else None


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
    chat = {name: _chat(name, each) for name, each in _listed(path, "chat", "families", content.chat)}
    tools = {name: _tools(each) for name, each in _listed(path, "tools", "families", content.tools)}
    for key, table in (("chat", chat), ("tools", tools)):
        if GENERIC not in table:
            raise malformed(path, f"`{GENERIC}` is missing - at `$.{key}`")
    return OverheadTable(
        content.dated,
        chat,
        tools,
        {name: _chat(name, each) for name, each in _listed(path, "chat", "models", content.chat)},
        {name: _tools(each) for name, each in _listed(path, "tools", "models", content.tools)},
    )


def _listed(path: Path, key: str, names: str, records: tuple[Listed, ...]) -> Iterator[tuple[str, Listed]]:
    seen: set[str] = set()
    for at, record in enumerate(records):
        for name in record.families if names == "families" else record.models:
            if name in seen:
                raise malformed(path, f"{name!r} appears twice - at `$.{key}[{at}].{names}`")
            seen.add(name)
            yield name, record


def _chat(family: str, stored: _Chat) -> Overheads:
    return Overheads(
        family=family,
        message=stored.message,
        role=stored.role,
        system=stored.message + stored.role if stored.system is None else stored.system,
        assistant=stored.message + stored.role if stored.assistant is None else stored.assistant,
        assistant_method=stored.assistant_method or stored.method,
        name=stored.name,
        reply=stored.reply,
        request=stored.request,
        call=stored.call,
        result=stored.result,
        schema=stored.schema,
        page=stored.page,
        thinking=stored.thinking,
        task_budget=stored.task_budget,
        old_thinking=stored.old_thinking,
        sealed_head=stored.sealed_head,
        sealed_token=stored.sealed_token,
        signed=stored.signed,
        method=stored.method,
        call_method=stored.call_method,
        source=stored.source,
    )


def _tools(stored: _Tools) -> ToolOverheads:
    return ToolOverheads(
        definition=stored.definition,
        function=stored.function,
        end=stored.end,
        joined=stored.joined,
        preamble=stored.preamble,
        forced=stored.preamble if stored.forced is None else stored.forced,
        chat=stored.chat,
        method=stored.method,
        source=stored.source,
    )
