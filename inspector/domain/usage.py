"""Reads what a provider charged for a recorded call out of the reply that was kept with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.domain.dataclass import dataclass

_REPLIES = ("response", "body", "message", "json", "output", "data")
"""Fields that recorders put the reply into, and its body within it."""
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """Input tokens that a provider charged, by what it says of them; `fresh` are at full price."""

    fresh: int
    cache_read: int = 0
    cache_write: int = 0
    tool_use: int = 0

    @property
    def total(self) -> int:
        return sum(self.groups.values())

    @property
    def groups(self) -> dict[str, int]:
        """The tokens by what was charged for, as the report names it."""
        return {
            "input": self.fresh,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "tool_use": self.tool_use,
        }


def reported_usage(metadata: str) -> ReportedUsage | None:
    """What was charged for the call that an agent was read from; None where no reply came with it.

    Args:
        metadata: The agent's, JSON.
    """
    try:
        value = json.loads(metadata or "{}")
    except (ValueError, RecursionError):
        return None
    recorded = value.get("recorded") if isinstance(value, dict) else None
    found = (_usage(each) for each in _objects(recorded, 0))
    return next((each for each in found if each is not None and each.total > 0), None)


def _objects(value: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return
    yield value
    for key in _REPLIES:
        yield from _objects(value.get(key), depth + 1)


def _usage(reply: Mapping[str, Any]) -> ReportedUsage | None:
    if isinstance(usage := reply.get("usageMetadata"), Mapping):
        return _of_gemini(usage)
    if isinstance(usage := reply.get("usage"), Mapping):
        return _of_openai(usage) if _has_details(usage) else _of_anthropic(usage)
    return ReportedUsage(_tokens(reply, "prompt_eval_count"))


def _has_details(usage: Mapping[str, Any]) -> bool:
    return "prompt_tokens" in usage or "input_tokens_details" in usage


def _of_openai(usage: Mapping[str, Any]) -> ReportedUsage:
    whole = _tokens(usage, "prompt_tokens") or _tokens(usage, "input_tokens")
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    cached = _tokens(details, "cached_tokens")
    return ReportedUsage(max(0, whole - cached), min(whole, cached))


def _of_anthropic(usage: Mapping[str, Any]) -> ReportedUsage:
    read, written = _tokens(usage, "cache_read_input_tokens"), _tokens(usage, "cache_creation_input_tokens")
    return ReportedUsage(_tokens(usage, "input_tokens"), read, written)


def _of_gemini(usage: Mapping[str, Any]) -> ReportedUsage:
    whole, cached = _tokens(usage, "promptTokenCount"), _tokens(usage, "cachedContentTokenCount")
    tool_use = _tokens(usage, "toolUsePromptTokenCount")
    return ReportedUsage(max(0, whole - cached), min(whole, cached), tool_use=tool_use)


def _tokens(values: Any, key: str) -> int:
    found = values.get(key) if isinstance(values, Mapping) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
