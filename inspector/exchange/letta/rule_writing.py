"""An agent's tool rules as Letta writes them. A kind that it does not have is held in metadata alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.domain.agents import ToolRuleKind
from inspector.domain.edits.adopting import ConstellationRows, Row
from inspector.exchange.guard import Json
from inspector.exchange.letta.kept import json_object, kept_of

_SIMPLE: Mapping[str, str] = {
    ToolRuleKind.CONTINUE: "continue_loop",
    ToolRuleKind.EXIT: "exit_loop",
    ToolRuleKind.REQUIRES_CONSENT: "requires_approval",
}
_TEMPLATE: Mapping[str, Json] = {"prompt_template": None}


def plain_rules(rows: ConstellationRows, agent_id: str) -> list[dict[str, Json]]:
    """The rules of an agent that are in force."""
    rules = [row for row in rows.of("tool_rules") if row["agent_id"] == agent_id and not row["is_deleted"]]
    following: dict[str, dict[str, Json]] = {}
    plain = [each for row in rules for each in _rule(row, following)]
    return [*plain, *following.values()]


def _rule(row: Row, following: dict[str, dict[str, Json]]) -> Iterator[dict[str, Json]]:
    kind, tool = str(row["kind"]), row["tool"]
    detail = json_object(row, "detail")
    more = {**_TEMPLATE, **kept_of(row, "detail")}
    if kind in _SIMPLE:
        yield {"tool_name": tool, "type": _SIMPLE[kind], **more}
    elif kind == ToolRuleKind.MAX_CALLS and isinstance(detail.get("limit"), int):
        limit = detail["limit"]
        yield {"tool_name": tool, "type": "max_count_per_step", "max_count_limit": limit, **more}
    elif kind == ToolRuleKind.REQUIRES_PRECEDING and isinstance(detail.get("preceding"), list):
        # There one rule of the tool before names all that may come after it.
        for before in detail["preceding"]:
            rule = following.setdefault(
                str(before), {"tool_name": before, "type": "parent_last_tool", "children": [], **more}
            )
            rule["children"].append(tool)
