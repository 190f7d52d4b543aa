"""Reads the rules of an agent's tools: their numbers and names, and what they allow as a turn goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from inspector.domain.agents import ToolRule, ToolRuleKind
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Refusal

RULE_KEYS: Mapping[str, tuple[str, ...]] = {
    "names": ("tools", "names", "preceding", "tool_names", "requires"),
    "count": ("count", "max_calls", "limit", "max", "max_count_limit"),
    "seconds": ("seconds", "cooldown_seconds", "cooldown"),
}
"""What the details of a rule may be called, by what they are."""


def rule_fact(rule: ToolRule, fact: str) -> Any:
    """A detail of a rule by any of the keys that rules come with (`RULE_KEYS`); None where it has none."""
    detail = _detail(rule)
    return next((detail[key] for key in RULE_KEYS[fact] if key in detail), None)


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call of a tool that has ended: whether in the turn in progress, whether it succeeded, and when it ended."""

    tool: str
    in_turn: bool
    succeeded: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class ToolRuleBook:
    """The rules of one agent's tools."""

    rules: tuple[ToolRule, ...]

    def refusal(self, tool: str, past: Sequence[PastCall], now: datetime) -> Refusal | None:
        """Why a tool may not be called now, None if it may."""
        for rule in self._of(tool):
            if (found := _CHECKS[rule.kind](rule, past, now)) is not None:
                return found
        return None

    def needs_consent(self, tool: str) -> bool:
        """Whether a person must agree to each call of a tool."""
        return any(rule.kind is ToolRuleKind.REQUIRES_CONSENT for rule in self._of(tool))

    def ends_turn(self, called: Iterable[str]) -> bool:
        """Whether a reply's calls that succeeded end the turn: one of them does, and none goes on."""
        kinds = {rule.kind for tool in called for rule in self._of(tool)}
        return ToolRuleKind.EXIT in kinds and ToolRuleKind.CONTINUE not in kinds

    def _of(self, tool: str) -> Iterable[ToolRule]:
        return (rule for rule in self.rules if rule.tool == tool)


def _allowed(rule: ToolRule, past: Sequence[PastCall], now: datetime) -> Refusal | None:
    return None


def _preceded(rule: ToolRule, past: Sequence[PastCall], now: datetime) -> Refusal | None:
    needed = rule_fact(rule, "names")
    names = [needed] if isinstance(needed, str) else needed if isinstance(needed, list) else []
    called = {each.tool for each in past if each.in_turn and each.succeeded}
    missing = tuple(str(name) for name in names if str(name) not in called)
    return Refusal("refused.tool_order", {"tool": rule.tool, "names": missing}) if missing else None


def _within_count(rule: ToolRule, past: Sequence[PastCall], now: datetime) -> Refusal | None:
    most = rule_fact(rule, "count")
    if isinstance(most, bool) or not isinstance(most, int):
        return None
    calls = sum(each.tool == rule.tool and each.in_turn for each in past)
    return Refusal("refused.tool_calls", {"tool": rule.tool, "count": most}) if calls >= most else None


def _cooled_down(rule: ToolRule, past: Sequence[PastCall], now: datetime) -> Refusal | None:
    seconds = rule_fact(rule, "seconds")
    last = max((each.at for each in past if each.tool == rule.tool), default=None)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or last is None:
        return None
    left = (last + timedelta(seconds=seconds) - now).total_seconds()
    return (
        Refusal("refused.tool_cooldown", {"tool": rule.tool, "seconds": round(left, 1)}) if left > 0 else None
    )


_CHECKS = {
    ToolRuleKind.CONTINUE: _allowed,
    ToolRuleKind.EXIT: _allowed,
    ToolRuleKind.REQUIRES_CONSENT: _allowed,
    ToolRuleKind.REQUIRES_PRECEDING: _preceded,
    ToolRuleKind.MAX_CALLS: _within_count,
    ToolRuleKind.COOLDOWN: _cooled_down,
}


def _detail(rule: ToolRule) -> Mapping[str, Any]:
    try:
        detail = json.loads(rule.detail or "{}")
    except (ValueError, RecursionError):
        return {}
    return detail if isinstance(detail, dict) else {}
