"""The tools that keep and find memories: archival entries, and a search over all that an agent sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.domain.edits.block_rows import InsertArchival
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import INDEXED_KINDS, Hit, SearchQuery, SearchScope
from inspector.runtime.tools.memory_access import (
    MemoryAccess,
    choice_argument,
    number_argument,
    shortened,
    text_argument,
)
from inspector.runtime.tools.registry import ToolUse
from inspector.runtime.wording import word

_KINDS: Mapping[str, RefKind] = {
    "block": RefKind.BLOCK,
    "archival": RefKind.ARCHIVAL,
    "message": RefKind.MESSAGE,
    "summary": RefKind.SUMMARY,
    "event": RefKind.EVENT,
}
_USUAL, _MOST = 5, 20
"""Hits of one answer."""

Arguments = Mapping[str, Any]


class RecallTool:
    """The calls of ``recall``: keep an archival entry, or find some."""

    def __init__(self, access: MemoryAccess) -> None:
        self._access = access

    @property
    def parameters(self) -> Arguments:
        """The JSON Schema of its arguments."""
        text = {"type": "string"}
        return {
            "type": "object",
            "properties": {
                "action": {"enum": ["insert", "search"]},
                "text": {**text, "description": "What to keep, or words to find"},
                "tags": {"type": "array", "items": text},
                "limit": {"type": "integer"},
            },
            "required": ["action", "text"],
        }

    async def __call__(self, use: ToolUse, arguments: Arguments) -> str:
        if choice_argument(arguments, "action", ("insert", "search")) == "search":
            return await _found(self._access, use, arguments, frozenset({RefKind.ARCHIVAL}))
        tags = arguments.get("tags", [])
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            raise InputError("input.tool_argument", name="tags", kind="list of texts")
        operation = InsertArchival(use.agent.id, text_argument(arguments, "text"), tuple(tags))
        receipt = await self._access.apply(use, Ref(RefKind.ARCHIVAL, ""), operation, "")
        return word("told.tool_kept", {"id": receipt.ref.id})


class SearchTool:
    """The calls of ``search``, over blocks, messages, summaries and archival entries."""

    def __init__(self, access: MemoryAccess) -> None:
        self._access = access

    @property
    def parameters(self) -> Arguments:
        """The JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "kind": {"enum": list(_KINDS)},
                "limit": {"type": "integer"},
            },
            "required": ["text"],
        }

    async def __call__(self, use: ToolUse, arguments: Arguments) -> str:
        kinds = INDEXED_KINDS
        if "kind" in arguments:
            kinds = frozenset({_KINDS[choice_argument(arguments, "kind", tuple(_KINDS))]})
        return await _found(self._access, use, arguments, kinds)


async def _found(access: MemoryAccess, use: ToolUse, arguments: Arguments, kinds: frozenset[RefKind]) -> str:
    limit = max(1, min(_MOST, number_argument(arguments, "limit", _USUAL)))
    text = text_argument(arguments, "text")
    scope = SearchScope.INDEX if kinds <= INDEXED_KINDS else SearchScope.ALL
    query = SearchQuery(text, use.agent.id, kinds=kinds, limit=limit, scope=scope)
    result = await access.search.find(query)
    if not result.hits:
        return word("told.tool_found_nothing", {"text": text})
    found = word("told.tool_found", {"count": len(result.hits), "total": result.total})
    return shortened("\n".join((found, *map(_line, result.hits))))


def _line(hit: Hit) -> str:
    snippet = hit.snippet
    before, after = "…" if snippet.cut_before else "", "…" if snippet.cut_after else ""
    title = f" {hit.title.text}" if hit.title.text else ""
    return f"[{hit.kind} {hit.ref.id}, {hit.at:%Y-%m-%d %H:%M}]{title}\n{before}{snippet.text}{after}"
