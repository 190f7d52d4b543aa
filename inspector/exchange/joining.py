"""What changes in a plan when it goes into a constellation that has rows already."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from inspector.domain.agents import Tool
from inspector.domain.edits.rows import PutTool
from inspector.domain.exchange import ImportPlan
from inspector.domain.health import Problem, Severity


def joined(plan: ImportPlan, tools: Mapping[str, Tool], agent_names: Collection[str]) -> ImportPlan:
    """The plan for a constellation that has these tools (by name) and agents.

    A tool's name stands for one tool in the whole file, and other agents use the one that is there: it stays,
    and where the imported one differs, a problem says so. Agents may share a name; a problem says so too.
    """
    problems = list(plan.problems)
    intents = []
    for intent in plan.intents:
        operation = intent.edit.operation
        present = tools.get(operation.tool.name) if isinstance(operation, PutTool) else None
        if present is None or not isinstance(operation, PutTool):
            intents.append(intent)
        elif not _same(present, operation.tool):
            problems.append(_problem("import.tool_stays", f"tool:{present.name}", present.name))
    problems += [
        _problem("import.agent_name_taken", f"agent:{agent.id}", agent.name)
        for agent in plan.agents
        if agent.name in agent_names
    ]
    return replace(plan, intents=tuple(intents), problems=tuple(problems))


def _same(one: Tool, other: Tool) -> bool:
    return (one.description, one.parameters) == (other.description, other.parameters)


def _problem(code: str, where: str, name: str) -> Problem:
    return Problem(code, Severity.WARNING, where, {"name": name})
