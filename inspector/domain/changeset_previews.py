"""What a changeset would change, row by row, before it is applied."""

from __future__ import annotations

from inspector.domain.agents import Agent, Tool, ToolRule
from inspector.domain.blocks import ArchivalEntry, Attachment
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Intent, Receipt
from inspector.domain.errors import Refusal
from inspector.domain.layouts import Layout
from inspector.domain.messages import Message
from inspector.domain.records import QueuedMessage, Wakeup
from inspector.domain.ref import Ref
from inspector.domain.snapshot import BlockState
from inspector.domain.summaries import Summary

Row = (
    Agent
    | ArchivalEntry
    | Attachment
    | Layout
    | Message
    | QueuedMessage
    | Summary
    | Tool
    | ToolRule
    | Wakeup
    | str
)


@dataclass(frozen=True, slots=True)
class Entity:
    """A block with its content, or another row, as it stands; `is_away` when it is deleted or archived.

    A fact of the constellation itself is its text.
    """

    value: BlockState | Row
    is_away: bool = False


@dataclass(frozen=True, slots=True)
class IntentPreview:
    """What one intent would do: its receipt, or why it is refused.

    The receipt's numbers, and ids that the intent leaves open, will be others when it is applied.
    """

    intent: Intent
    receipt: Receipt | None
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class AffectedEntity:
    """A thing that would change; None where it is not there."""

    ref: Ref
    before: Entity | None
    after: Entity | None


@dataclass(frozen=True, slots=True)
class ChangesetPreview:
    """What several intents would do together: each one's outcome in order, and all that would differ."""

    outcomes: tuple[IntentPreview, ...]
    affected: tuple[AffectedEntity, ...]

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        return tuple(each.refusal for each in self.outcomes if each.refusal is not None)
