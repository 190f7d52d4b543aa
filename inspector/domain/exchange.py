"""What an importer makes of a foreign file: edits to apply as one, and an account of what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.domain.edits.base import Intent
from inspector.domain.health import Problem


@dataclass(frozen=True, slots=True)
class ImportedAgent:
    """One agent of a plan, for the preview. Counts are of rows that will be made."""

    id: str
    name: str
    model: str
    blocks: int
    shared_blocks: int
    messages: int
    messages_in_context: int
    tools: int


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """Edits in an order that can be applied in one transaction, or not at all.

    `kept_in_metadata` names fields (paths into the source) that have no place of their own and were kept as metadata.
    """

    source_format: str
    intents: tuple[Intent, ...]
    agents: tuple[ImportedAgent, ...]
    problems: tuple[Problem, ...] = ()
    kept_in_metadata: tuple[str, ...] = ()
    name: str = ""
