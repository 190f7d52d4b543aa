"""Explains each candidate that was left out or shortened: rule, tokens, and the smallest fix."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from inspector.context.allotting import Allotment, SectionDemand
from inspector.context.blocks import CutKind
from inspector.context.candidates import Candidate, ChoiceOrder
from inspector.context.parts import PARAGRAPH, PartCounter
from inspector.context.plan import BuildPlan
from inspector.context.room import RemainingBudget
from inspector.domain.blocks import BlockType
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut
from inspector.domain.rules import OutRule


@dataclass(frozen=True)
class CandidateOutcome:
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
    claim: SectionDemand
    wanted: int
    rule: OutRule | None


class OmissionReport:
    """Writes the rows of one choice.

    Args:
        plan: The plan.
        counting: Weighs parts.
        room: What is left.
        available: Tokens of the window that the system string and the tail may take.
        allotment: What the sections were given.
    """

    def __init__(
        self,
        plan: BuildPlan,
        counting: PartCounter,
        room: RemainingBudget,
        available: int,
        allotment: Allotment,
    ) -> None:
        self._plan = plan
        self._counting = counting
        self._room = room
        self._available = available
        self._allotment = allotment
        self._figures = (
            f"{plan.agent.id} {plan.window} {available} {room.needed} {room.capped} {allotment.figures}"
        )

    def rows(self, outcomes: Iterable[CandidateOutcome]) -> Iterator[LeftOut]:
        """A row for each; of those for which nothing has changed since the last build, the same as then."""
        for outcome in outcomes:
            taken = outcome.taken
            if taken is None:
                rule = self._rule(outcome)
                yield self._reused(outcome, rule, partial(self._out, outcome, rule))
            else:
                yield self._reused(outcome, taken.cut, partial(self._shortened, outcome, taken))

    def _reused(self, outcome: CandidateOutcome, what: Hashable, make: Callable[[], LeftOut]) -> LeftOut:
        made_of, place = outcome.candidate.made_of, ("row", self._counting)
        claim = outcome.claim
        key = (self._figures, claim.heading, claim.pinned, outcome.wanted, what)
        cached: tuple[object, LeftOut] | None = made_of.get(place)
        if cached is None or cached[0] != key:
            cached = made_of[place] = (key, make())
        return cached[1]

    def _rule(self, outcome: CandidateOutcome) -> OutRule:
        candidate = outcome.candidate
        if outcome.rule is not None:
            return outcome.rule
        barrier = self._room.barrier(candidate, self._room.cost(candidate))
        if barrier is None and candidate.entry.together:
            return OutRule.TOGETHER
        return barrier or OutRule.SECTION_FULL

    def _out(self, outcome: CandidateOutcome, rule: OutRule) -> LeftOut:
        candidate = outcome.candidate
        piece = candidate.part.piece(self._counting, PARAGRAPH)
        parameters: Parameters = {"needed": piece.tokens, "label": candidate.part.source.label}
        fix = self._fix(outcome, rule)
        return LeftOut(piece.source, piece.section, rule.value, piece.tokens, piece.method, fix, parameters)

    def _shortened(self, outcome: CandidateOutcome, taken: Candidate) -> LeftOut:
        made_of, place = outcome.candidate.made_of, ("hidden", self._counting, taken.cut)
        row: LeftOut | None = made_of.get(place)
        if row is None:
            row = made_of[place] = self._hidden(outcome.candidate, taken)
        fix = self._raise_limit(outcome)
        return LeftOut(row.source, row.section, row.rule, row.tokens, row.method, fix, row.parameters)

    def _hidden(self, candidate: Candidate, taken: Candidate) -> LeftOut:
        view = candidate.view
        whole = view.whole.count if view else 0
        shown = taken.cut.count if taken.cut else whole
        count, label = whole - shown, candidate.part.source.label
        is_log = taken.cut is not None and taken.cut.kind is CutKind.ENTRIES
        piece = candidate.part.piece(self._counting, PARAGRAPH)
        tokens = max(0, piece.tokens - taken.part.cost(self._counting))
        one, many = ("older entry", "older entries") if is_log else ("more line", "more lines")
        source = replace(piece.source, label=f"{label}: {count:,} {one if count == 1 else many}")
        parameters: Parameters = {"label": label, "count": count, "shown": shown}
        rule = OutRule.ENTRY_ROOM if is_log else OutRule.SHORTENED
        return LeftOut(source, piece.section, rule.value, tokens, piece.method, None, parameters)

    def _fix(self, outcome: CandidateOutcome, rule: OutRule) -> Fix | None:
        if rule is OutRule.SECTION_FULL:
            return None
        if rule is OutRule.MEMORY_FULL and self._would_fit_pinned(outcome):
            candidate = outcome.candidate
            return Fix("pin", candidate.part.source.ref, True, {"label": candidate.part.source.label})
        return self._raise_limit(outcome)

    def _raise_limit(self, outcome: CandidateOutcome) -> Fix | None:
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
            grown = self._plan.window.available + self._room.needed + window - self._available
            value = self._plan.window.needed(grown)
            return Fix("raise_max_tokens", agent, value, {"value": value})
        return None

    def _would_fit_pinned(self, outcome: CandidateOutcome) -> bool:
        candidate, claim = outcome.candidate, outcome.claim
        view = candidate.view
        if view is None or view.shared is not None or view.block.block_type is not BlockType.WORKING:
            return False
        if candidate.turn is ChoiceOrder.PINNED:
            return False
        pinned = claim.pinned or claim.heading
        return self._allotment.would_hold(claim, pinned + candidate.part.cost(self._counting))
