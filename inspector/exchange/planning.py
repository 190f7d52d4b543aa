"""Collects the operations of an import plan by kind, in the order they can be applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime
from typing import Any

import msgspec

from inspector.domain.actor import IMPORTER
from inspector.domain.agents import Tool
from inspector.domain.blocks import appearance, is_printable
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.rows import PutTool
from inspector.domain.errors import Problem, Severity
from inspector.domain.exchange import ImportPlan
from inspector.domain.ref import Ref, RefKind

_ORDER = (
    RefKind.LAYOUT,
    RefKind.AGENT,
    RefKind.TOOL,
    RefKind.TOOL_RULE,
    RefKind.BLOCK,
    RefKind.ATTACHMENT,
    RefKind.ARCHIVAL,
    RefKind.MESSAGE,
    RefKind.SUMMARY,
    RefKind.EVENT,
    RefKind.QUEUE,
    RefKind.WAKEUP,
)
UNLABELLED = "unlabelled"


@dataclass(slots=True)
class PlanBuilder:
    """Intents of an import by family, all by the importer and with one reason."""

    reason: str
    families: dict[RefKind, list[Intent]] = field(default_factory=lambda: {kind: [] for kind in _ORDER})

    def add(self, kind: RefKind, target: str, operation: Operation, at: datetime | None = None) -> None:
        """Add an edit of the row `target` to a family. An attachment's target is its block."""
        pointed = RefKind.BLOCK if kind is RefKind.ATTACHMENT else kind
        intent = Intent(Edit(Ref(pointed, target), operation), IMPORTER, self.reason, at=at)
        self.families[kind].append(intent)

    def intents(self) -> tuple[Intent, ...]:
        """All of them, each family after those that it refers to."""
        return tuple(intent for kind in _ORDER for intent in self.families[kind])


def json_text(value: Any) -> str:
    """A JSON value as compact text, keys in their own order."""
    return msgspec.json.encode(value).decode()


def printable(label: str) -> str:
    """The label with ``_`` for what cannot be printed; one that shows nothing gets a name."""
    shown = "".join(each if is_printable(each) else "_" for each in label)
    return shown if appearance(shown) else UNLABELLED


class LabelBook:
    """Gives out labels, each once to an owner: one that is taken gets a number that nobody asks for.

    Labels that look the same count as one.
    """

    def __init__(self, wanted: Iterable[tuple[str, str]], taken: Iterable[tuple[str, str]] = ()) -> None:
        self._wanted = {_seen(*each) for each in wanted}
        self._taken = {_seen(*each) for each in taken}
        self._numbers: Counter[tuple[str, str]] = Counter()

    def take(self, owner: str, label: str) -> str:
        """The label itself, or ``label_2``, ``label_3`` and so on."""
        new = label
        while (seen := _seen(owner, new)) in self._taken or (new != label and seen in self._wanted):
            self._numbers[owner, label] += 1
            new = f"{label}_{self._numbers[owner, label] + 1}"
        self._taken.add(seen)
        return new


def _seen(owner: str, label: str) -> tuple[str, str]:
    return owner, appearance(label)


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
