"""A summary made anew of what it stands for, beside the one that is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import EditSummary
from inspector.domain.errors import Problem
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import Summary
from inspector.domain.summarising import Losses, Proposal


@dataclass(frozen=True)
class SummaryCheck:
    """What a summary's source says and the summary doesn't.

    Attributes:
        losses: What is missing.
        places: The message or child summary that says each of it first.
        source_tokens: Of the source as a model reads it.
        tokens: Of the summary as a model reads it.
        method: How the tokens were found.
        is_partial: Whether the source was too long to be checked whole.
    """

    losses: Losses = Losses()
    places: Mapping[str, Ref] = field(default_factory=dict)
    source_tokens: int = 0
    tokens: int = 0
    method: Method = Method.ESTIMATE
    is_partial: bool = False


@dataclass(frozen=True)
class RedoneSummary:
    """One summary as it is stored, what that lost of its source, and what would take its place."""

    old: Summary
    check: SummaryCheck
    proposal: Proposal

    @property
    def new(self) -> Summary:
        """The stored summary with the text and the facts of the new one."""
        draft = self.proposal.draft
        return replace(self.old, content=draft.content, topics=draft.topics, details=draft.details)

    @property
    def edit(self) -> Edit:
        """What puts the new text in the old one's place; that stays in the history."""
        draft = self.proposal.draft
        operation = EditSummary(draft.content, draft.topics, draft.details)
        return Edit(Ref(RefKind.SUMMARY, self.old.id), operation)


@dataclass(frozen=True)
class RedoneRun:
    """A summary made anew and then the deeper ones made of it, in that order, and what came to nothing."""

    summaries: tuple[RedoneSummary, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(each.edit for each in self.summaries if each.new != each.old)
