"""The tool sections: definitions before the system string, rules and examples inside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from inspector.context.counting.frames import FrameCosts
from inspector.context.markup import close_proof, one_line
from inspector.context.parts import END_OF_STRING, PromptPart
from inspector.context.plan import BuildPlan
from inspector.domain.agents import Tool, ToolRule
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Problem, Severity
from inspector.domain.requests import TOOL_RULES, Piece, Source, SourceKind, TextRun
from inspector.domain.rules import InRule
from inspector.domain.snapshot import Snapshot
from inspector.domain.tool_rules import RULE_KEYS, rule_fact
from inspector.domain.wire.extras import must_call_tool, provider_tools, recorded_form
from inspector.domain.wire.own_tools import own_type, own_types

SECTION = "tools"


@dataclass(frozen=True, slots=True)
class OfferedToolset:
    """The tools that a Request offers, in order, and what is wrong with others."""

    tools: tuple[Tool, ...]
    problems: tuple[Problem, ...]


def offered_tools(snapshot: Snapshot, plan: BuildPlan) -> OfferedToolset:
    """The agent's tools in its own order, then the caller's; none twice, none silently skipped."""
    existing = {tool.name: tool for tool in snapshot.tools}
    found: dict[str, Tool] = {}
    problems: list[Problem] = []
    for name in plan.agent.tools:
        if name not in existing:
            problems.append(Problem("tool_missing", Severity.WARNING, f"tool:{name}", {"name": name}))
        else:
            found.setdefault(name, existing[name])
    for tool in plan.spec.extra_tools:
        if found.setdefault(tool.name, tool) is not tool:
            facts = {"name": tool.name}
            problems.append(Problem("tool_twice", Severity.WARNING, f"tool:{tool.name}", facts))
    for tool in found.values():
        if tool_parameters(tool) is None:
            facts = {"name": tool.name}
            problems.append(Problem("tool_parameters_unreadable", Severity.ERROR, f"tool:{tool.name}", facts))
    return OfferedToolset(tuple(found.values()), tuple(problems))


def counted_tools(tools: Sequence[Tool], costs: FrameCosts) -> tuple[Count, ...]:
    """What the definition of each tool costs by itself."""
    return tuple(costs.tool(each.name, each.description, tool_parameters(each) or {}) for each in tools)


def definition_pieces(tools: Sequence[Tool], plan: BuildPlan) -> tuple[Piece, ...]:
    """The frame before all definitions and one piece for each."""
    own = provider_tools(plan.agent.parameters)
    if not tools and not own:
        return ()
    lead = _unsent("tools/frame", "frame", "=== tools ===\n", plan.costs.tools_end(), InRule.FRAME)
    parameters = plan.agent.parameters
    preamble = plan.costs.tools_preamble(forced=must_call_tool(parameters), form=recorded_form(parameters))
    frames = [lead]
    if preamble.tokens:
        text = "=== instructions on tools ===\n"
        frames.append(
            _unsent("tools/preamble", "provider's instructions", text, preamble, InRule.TOOLS_PREAMBLE)
        )
    for number, text in enumerate(own):
        place, cost = f"tools/provider/{number}", plan.costs.provider_tool(text)
        frames.append(
            _unsent(place, "provider's tool", "=== provider's tool ===\n", cost, InRule.PROVIDER_TOOL)
        )
    return (*frames, *(_definition(tool, plan.agent.id, plan.costs, _rule(tool, plan)) for tool in tools))


def _rule(tool: Tool, plan: BuildPlan) -> InRule:
    """Why a tool is in: as itself, or as a tool of the provider's own, of whose text only the provider knows."""
    served_by = plan.facts.provider if plan.facts is not None else ""
    return InRule.OWN_TOOL if own_type(own_types(tool.metadata), plan.facts, served_by) else InRule.TOOL


def _unsent(place: str, label: str, text: str, cost: Count, rule: InRule) -> Piece:
    """What the provider adds by itself."""
    run = TextRun(text, sent=False, tokens=cost.tokens, method=cost.method)
    return Piece(f"literal:{place}", SECTION, Source(SourceKind.LITERAL, place, label), rule.value, (run,))


@lru_cache(maxsize=2048)
def _definition(tool: Tool, owner: str, costs: FrameCosts, rule: InRule) -> Piece:
    parameters = tool_parameters(tool)
    plain = {"description": tool.description, "name": tool.name, "parameters": parameters or {}}
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    count = costs.tool(tool.name, tool.description, parameters or {})
    run = TextRun(text, sent=True, tokens=count.tokens, method=count.method)
    source = Source(SourceKind.TOOL, tool.name, tool.name, owner)
    return Piece(f"tool:{tool.name}", SECTION, source, rule.value, (run, END_OF_STRING))


def tool_parameters(tool: Tool) -> dict[str, Any] | None:
    """A tool's JSON Schema as an object, None if its text is none."""
    try:
        parameters = json.loads(tool.parameters or "{}")
        json.dumps(parameters)
    except (ValueError, RecursionError):
        return None
    return parameters if isinstance(parameters, dict) else None


def rule_parts(
    tools: Sequence[Tool], rules: Sequence[ToolRule], element: str, *, described: bool = False
) -> Iterator[PromptPart]:
    """One part for each tool with rules or examples; nothing where there are none.

    Args:
        tools: The tools that are offered.
        rules: The rules for them.
        element: The section's own element, which no text can close.
        described: Whether the target takes no definitions, so that each tool is described here in full.
    """
    by_tool: dict[str, list[ToolRule]] = {}
    for rule in rules:
        by_tool.setdefault(rule.tool, []).append(rule)
    for tool in tools:
        lines = [_rule_line(rule) for rule in by_tool.get(tool.name, ())]
        if described or lines or any(example.strip() for example in tool.examples):
            yield _rule_part(tool, tuple(lines), element, described)


@lru_cache(maxsize=2048)
def _rule_part(tool: Tool, lines: tuple[str, ...], element: str, described: bool) -> PromptPart:
    name, examples = tool.name, tool.examples
    paragraphs = [f"## {one_line(name)}"]
    if described:
        paragraphs += _description(tool)
    if lines:
        paragraphs.append("\n".join(("**Rules:**", *(f"- {line}" for line in lines))))
    parts = [example.strip("\n") for example in examples if example.strip()]
    if parts:
        paragraphs.append("\n".join(("**Examples:**", *(f"- {example}" for example in parts))))
    text = "\n\n".join(paragraphs)
    if element:
        text = close_proof(text, [element]).text
    source = Source(SourceKind.TOOL, name, name)
    return PromptPart(f"tool_rules:{name}", TOOL_RULES, source, InRule.TOOL_RULE, text)


def _description(tool: Tool) -> Iterator[str]:
    """What a definition would say, in words."""
    if tool.description.strip():
        yield tool.description.strip()
    schema = tool_parameters(tool) or {}
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not properties:
        return
    needed = required if isinstance(required, list) else []
    lines = ["**Parameters:**"]
    for key, value in properties.items():
        reported = value.get("description") or value.get("type") if isinstance(value, dict) else None
        words = f": {one_line(str(reported))}" if reported else ""
        lines.append(f"- `{one_line(key)}`{words}{' (required)' if key in needed else ''}")
    yield "\n".join(lines)


_RULE_TEXTS = {
    "continue": "After it, go on: the turn does not end with this call.",
    "exit": "It ends the turn.",
    "requires_preceding": "Call it only after {names}.",
    "max_calls": "Call it at most {count} times a turn.",
    "cooldown": "Wait {seconds} seconds between calls.",
    "requires_consent": "A person must agree to each call.",
}


def _rule_line(rule: ToolRule) -> str:
    facts = {name: _worded(rule_fact(rule, name)) for name in RULE_KEYS}
    return one_line(_RULE_TEXTS[rule.kind.value].format_map(facts))


def _worded(fact: Any) -> str:
    reported = ", ".join(map(str, fact)) if isinstance(fact, list) else fact
    return "?" if reported is None else str(reported)
