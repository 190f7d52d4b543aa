"""Tool rules in words, and the numbers and names inside their details."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from inspector.domain.agents import ToolRule, ToolRuleKind
from inspector.domain.edits.rows import PutToolRule
from inspector.ui.agent_settings.values import SettingFault
from inspector.ui.presentation.unsaved import RuleClash
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr

_LONGEST = 48
_KEYS: Mapping[ToolRuleKind, tuple[str, ...]] = {
    ToolRuleKind.REQUIRES_PRECEDING: ("tools", "names", "preceding", "tool_names", "requires"),
    ToolRuleKind.MAX_CALLS: ("count", "max_calls", "limit", "max", "max_count_limit"),
    ToolRuleKind.COOLDOWN: ("seconds", "cooldown_seconds", "cooldown"),
}
"""Under which keys a rule's detail has its value; the first is the one that is written."""
_FIRST: Mapping[ToolRuleKind, object] = {
    ToolRuleKind.REQUIRES_PRECEDING: [],
    ToolRuleKind.MAX_CALLS: 1,
    ToolRuleKind.COOLDOWN: 60,
}


def rule_title(kind: ToolRuleKind) -> str:
    """What a rule asks, in a few words."""
    return {
        ToolRuleKind.CONTINUE: tr("Continue the turn after this tool"),
        ToolRuleKind.EXIT: tr("End the turn with this tool"),
        ToolRuleKind.REQUIRES_PRECEDING: tr("Only after these tools"),
        ToolRuleKind.MAX_CALLS: tr("Most calls in a turn"),
        ToolRuleKind.COOLDOWN: tr("Pause between calls"),
        ToolRuleKind.REQUIRES_CONSENT: tr("A person agrees to each call"),
    }[kind]


def rule_unit(kind: ToolRuleKind) -> str:
    """What a rule's number counts."""
    return {ToolRuleKind.MAX_CALLS: tr("calls"), ToolRuleKind.COOLDOWN: tr("s")}.get(kind, "")


def has_value(kind: ToolRuleKind) -> bool:
    """Whether a rule has a number or names of its own."""
    return kind in _KEYS


def first_detail(kind: ToolRuleKind) -> str:
    """The detail that a new rule begins with."""
    return json.dumps({_KEYS[kind][0]: _FIRST[kind]}) if kind in _KEYS else "{}"


def rule_value(rule: ToolRule) -> str:
    """A rule's number or names, as they are typed."""
    detail = _detail(rule)
    value = next((detail[key] for key in _KEYS.get(rule.kind, ()) if key in detail), "")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def read_rule(rule: ToolRule, text: str) -> str | SettingFault:
    """The rule's detail with what is typed; its other keys stay."""
    value: object
    if rule.kind is ToolRuleKind.REQUIRES_PRECEDING:
        value = [each.strip() for each in text.split(",") if each.strip()]
        if not value:
            return SettingFault(tr("Enter tool names, separated by commas."))
    else:
        plain = "".join(text.split()).replace(",", "")
        if not plain.isascii() or not plain.isdecimal() or len(plain) > 9:
            return SettingFault(tr("Enter a whole number."))
        value = int(plain)
    detail = dict(_detail(rule))
    key = next((key for key in _KEYS[rule.kind] if key in detail), _KEYS[rule.kind][0])
    return json.dumps({**detail, key: value}, ensure_ascii=False)


def rule_clash_text(clashes: Iterable[RuleClash]) -> str:
    """What tool rules are by now that somebody else changed as well, one sentence each."""
    return " ".join(map(_said_by_others, clashes))


def _said_by_others(clash: RuleClash) -> str:
    theirs, mine = clash.theirs, clash.edit.operation
    rule = theirs if theirs is not None else mine
    if not isinstance(rule, ToolRule | PutToolRule):
        return ""
    title, tool = rule_title(rule.kind), one_line(rule.tool, _LONGEST)
    if theirs is None:
        return tr("“{title}” for {tool} is removed.", title=title, tool=tool)
    value = one_line(rule_value(theirs), _LONGEST) or tr("on")
    return tr("“{title}” for {tool} is {value} now.", title=title, tool=tool, value=value)


def _detail(rule: ToolRule) -> Mapping[str, Any]:
    try:
        detail = json.loads(rule.detail or "{}")
    except (ValueError, RecursionError):
        return {}
    return detail if isinstance(detail, dict) else {}
