"""What is said of candidates for which there was no room, or not room for all: rule, tokens, smallest change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from inspector.context.allotting import Allotment, Claim
from inspector.context.blocks import CutKind
from inspector.context.candidates import Candidate, Turn
from inspector.context.parts import PARAGRAPH, PartCounter
from inspector.context.plan import Plan
from inspector.context.room import Room
from inspector.domain.blocks import BlockType
from inspector.domain.errors import Parameters
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut
from inspector.domain.rules import OutRule


@dataclass(frozen=True)
class Outcome:
    """What came of a candidate that is not in whole.

    Attributes:
        candidate: The whole.
        taken: What of it is in, None if nothing.
        claim: Its section's claim.
        wanted: What its section must be given so that it comes in, or in whole if a part of it is in.
        rule: What took it out again after it had been chosen, None where nothing did.
    """

    candidate: Candidate
    taken: Candidate | None
    claim: Claim
    wanted: int
    rule: OutRule | None


class Account:
    """Writes the rows of one choice.

    Args:
        plan: The plan.
        counting: Weighs parts.
        room: What is left.
        available: Tokens of the window that the system string and the tail may take.
        allotment: What the sections were given.
    """

    def __init__(
        self, plan: Plan, counting: PartCounter, room: Room, available: int, allotment: Allotment
    ) -> None:
        self._plan = plan
        self._counting = counting
        self._room = room
        self._available = available
        self._allotment = allotment

    def rows(self, outcomes: Iterable[Outcome]) -> Iterator[LeftOut]:
        """A row for each."""
        for outcome in outcomes:
            yield self._out(outcome) if outcome.taken is None else self._shortened(outcome, outcome.taken)

    def _out(self, outcome: Outcome) -> LeftOut:
        candidate = outcome.candidate
        rule = outcome.rule or self._room.barrier(candidate, self._room.cost(candidate))
        rule = rule or OutRule.SECTION_FULL
        piece = candidate.part.piece(self._counting, PARAGRAPH)
        told: Parameters = {"needed": piece.tokens, "label": candidate.part.source.label}
        fix = self._fix(outcome, rule)
        return LeftOut(piece.source, piece.section, rule.value, piece.tokens, piece.method, fix, told)

    def _shortened(self, outcome: Outcome, taken: Candidate) -> LeftOut:
        """What of it does not show."""
        candidate, view = outcome.candidate, outcome.candidate.view
        whole = view.whole.count if view else 0
        shown = taken.cut.count if taken.cut else whole
        count, label = whole - shown, candidate.part.source.label
        is_log = taken.cut is not None and taken.cut.kind is CutKind.ENTRIES
        piece = candidate.part.piece(self._counting, PARAGRAPH)
        tokens = max(0, piece.tokens - taken.part.cost(self._counting))
        what = "older entries" if is_log else "further lines"
        source = replace(piece.source, label=f"{label}: {count} {what}")
        told: Parameters = {"label": label, "count": count, "shown": shown}
        rule = OutRule.ENTRY_ROOM if is_log else OutRule.SHORTENED
        fix = self._raise_limit(outcome)
        return LeftOut(source, piece.section, rule.value, tokens, piece.method, fix, told)

    def _fix(self, outcome: Outcome, rule: OutRule) -> Fix | None:
        if rule is OutRule.SECTION_FULL:
            return None
        if rule is OutRule.MEMORY_FULL and self._would_fit_pinned(outcome):
            candidate = outcome.candidate
            return Fix("pin", candidate.part.source.ref, True, {"label": candidate.part.source.label})
        return self._raise_limit(outcome)

    def _raise_limit(self, outcome: Outcome) -> Fix | None:
        """The least limit that surely brings it in; none where two would have to be raised."""
        claim, wanted = outcome.claim, outcome.wanted
        most = claim.entry.maximum
        if most is not None and wanted > most:
            return None
        agent = Ref(RefKind.AGENT, self._plan.agent.id)
        memory = self._allotment.memory_needed(claim, wanted)
        window = self._allotment.window_needed(claim, wanted)
        if memory is not None and window is None:
            value = self._room.capped + memory
            return Fix("raise_memory_tokens", agent, value, {"value": value})
        if window is not None and memory is None:
            value = self._plan.limits.max_tokens + self._room.needed + window - self._available
            return Fix("raise_max_tokens", agent, value, {"value": value})
        return None

    def _would_fit_pinned(self, outcome: Outcome) -> bool:
        candidate, claim = outcome.candidate, outcome.claim
        view = candidate.view
        if view is None or view.shared is not None or view.block.block_type is not BlockType.WORKING:
            return False
        if candidate.turn is Turn.PINNED:
            return False
        pinned = claim.pinned or claim.heading
        return self._allotment.would_hold(claim, pinned + candidate.part.cost(self._counting))
