"""Collecting a plan's intents by family, in the order in which they can be applied."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from inspector.domain.actor import IMPORTER
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.ref import Ref, RefKind

_ORDER = (
    RefKind.AGENT,
    RefKind.TOOL,
    RefKind.TOOL_RULE,
    RefKind.BLOCK,
    RefKind.ATTACHMENT,
    RefKind.MESSAGE,
)


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

    def count(self, kind: RefKind) -> int:
        """How many rows of a family there are so far."""
        return len(self.families[kind])

    def intents(self) -> tuple[Intent, ...]:
        """All of them: agents, tools, rules, blocks, attachments, messages."""
        return tuple(intent for kind in _ORDER for intent in self.families[kind])


def json_text(value: Any) -> str:
    """A JSON value as compact text, keys in their own order."""
    return msgspec.json.encode(value).decode()
