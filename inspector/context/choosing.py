"""Chooses the candidates that fit the budget: required ones first, then the rest by value.

Each section is allotted its part of the memory cap and of the window; inside it a packing chooses forms by value
for tokens; what is left over then goes to whatever it still lets in. Each candidate is weighed as it would stand
between two others; the assembled string is counted once more, and what was chosen last goes out again if that
is over a limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import groupby

from inspector.context.allotting import Allotment, SectionDemand
from inspector.context.assembly import Assembled, Assembler, contents
from inspector.context.blocks import BlockExcerpt, CutKind
from inspector.context.candidates import Candidate, ChoiceOrder
from inspector.context.omissions import CandidateOutcome, OmissionReport
from inspector.context.packing import PackingStep, Variant, in_order, pack
from inspector.context.parts import PartCounter
from inspector.context.plan import BuildPlan
from inspector.context.room import RemainingBudget
from inspector.context.variants import Variants, cut_to, forms_of
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters, Problem, Severity
from inspector.domain.layouts import SectionLayout
from inspector.domain.requests import LeftOut
from inspector.domain.rules import OutRule


@dataclass
class ChosenCandidates:
    """What goes in, in the order in which it was chosen, and what does not."""

    taken: list[Candidate] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def in_order(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """What is taken, in the order in which it stands; a shortened one in its whole one's place."""
        by_part = {candidate.part.id: candidate for candidate in self.taken}
        return [by_part[each.part.id] for each in candidates if each.part.id in by_part]


class Chooser:
    """Chooses the candidates of one build.

    Args:
        plan: The plan.
        assembler: Assembles what is chosen.
        counting: Weighs parts.
        available: Tokens of the window that the system string and the tail may take.
        kept: Tokens of those that are reserved for the history.
    """

    def __init__(
        self, plan: BuildPlan, assembler: Assembler, counting: PartCounter, available: int, kept: int = 0
    ) -> None:
        self._plan = plan
        self._assembler = assembler
        self._counting = counting
        self._available = available
        self._kept = kept

    def choose(
        self, candidates: Sequence[Candidate], capped: frozenset[str]
    ) -> tuple[ChosenCandidates, Assembled]:
        """What goes in and the string that it makes. What must go in is taken whatever it costs.

        Raises:
            BudgetError: the sections' reserves do not fit into the window.
        """
        must = [each for each in candidates if each.turn is ChoiceOrder.MUST]
        core = self._assembler.assemble(contents(must), capped)
        chosen = ChosenCandidates(taken=list(must))
        room = RemainingBudget(self._plan, self._counting, self._assembler, core, self._available)
        room.open(must)
        if room.is_core_over:
            parameters: Parameters = {
                "needed": core.capped_tokens,
                "memory_tokens": self._plan.limits.memory_tokens,
            }
            chosen.problems.append(Problem("core_over_memory", Severity.WARNING, "section:core", parameters))
        rest = sorted((each for each in candidates if each.turn is not ChoiceOrder.MUST), key=_order)
        choice = _Choice(rest, room, self._counting, self._kept)
        choice.make()
        chosen.taken += choice.taken.values()
        system = self._settle(candidates, capped, chosen, choice)
        account = OmissionReport(self._plan, self._counting, room, self._available, choice.allotment)
        chosen.left_out += account.rows(choice.outcomes())
        return chosen, system

    def _settle(
        self,
        candidates: Sequence[Candidate],
        capped: frozenset[str],
        chosen: ChosenCandidates,
        choice: _Choice,
    ) -> Assembled:
        """Assemble, and take out again what was chosen last until no limit is passed."""
        cap = self._plan.limits.memory_tokens
        while True:
            made = self._assembler.assemble(contents(chosen.in_order(candidates)), capped)
            is_over = made.tokens > self._available
            is_capped = cap is not None and made.capped_tokens > cap
            last = next(
                (
                    each
                    for each in reversed(chosen.taken)
                    if each.turn is not ChoiceOrder.MUST and (is_over or (is_capped and each.capped))
                ),
                None,
            )
            if last is None:
                return made
            rule = OutRule.WINDOW_FULL if is_over else OutRule.MEMORY_FULL
            for each in [last, *_companions(last, chosen.taken)]:
                chosen.taken.remove(each)
                choice.undo(each, rule)


class _Choice:
    """One choice among what need not go in.

    Args:
        candidates: In the order in which they are chosen, others being equal.
        room: What there is; spent here.
        counting: Weighs parts.
        kept: Tokens of the window that are reserved for the history.
    """

    def __init__(
        self, candidates: Sequence[Candidate], room: RemainingBudget, counting: PartCounter, kept: int
    ) -> None:
        self._candidates = candidates
        self._room = room
        self._counting = counting
        self._claims = self._claimed()
        self._wanted: dict[str, tuple[int, int]] = {}
        self._undone: dict[str, OutRule] = {}
        self.taken: dict[str, Candidate] = {}
        self.allotment = Allotment(self._claims, room.memory, room.window, kept)
        room.window -= kept

    def make(self) -> None:
        if self.allotment.is_ample:
            for candidate in self._candidates:
                self._take(candidate)
            return
        left: list[Candidate] = []
        for claim in self._claims:
            left += self._choose_in(claim)
        self._spread(left)

    def undo(self, candidate: Candidate, rule: OutRule) -> None:
        self.taken.pop(candidate.part.id, None)
        self._undone[candidate.part.id] = rule

    def outcomes(self) -> list[CandidateOutcome]:
        """What came of each that is out or not whole, in the order of choosing."""
        claims = {claim.entry.name: claim for claim in self._claims}
        found: list[CandidateOutcome] = []
        for candidate in self._candidates:
            taken = self.taken.get(candidate.part.id)
            if taken is None or taken.cut is not None:
                claim = claims[candidate.entry.name]
                least, most = self._wanted.get(candidate.part.id) or (claim.demand, claim.demand)
                rule = self._undone.get(candidate.part.id)
                wanted = least if taken is None else most
                found.append(CandidateOutcome(candidate, taken, claim, wanted, rule))
        return found

    def _claimed(self) -> list[SectionDemand]:
        """The sections' claims, higher priorities first."""
        by_entry: dict[str, list[Candidate]] = {}
        for candidate in self._candidates:
            by_entry.setdefault(candidate.entry.name, []).append(candidate)
        claims: list[SectionDemand] = []
        for found in by_entry.values():
            heading = self._room.heading(found[0].entry) + self._room.lines(found)
            costs = tuple(each.part.cost(self._counting) for each in found)
            claims.append(SectionDemand(found[0].entry, tuple(found), costs, heading))
        return sorted(claims, key=lambda claim: -claim.entry.priority)

    def _choose_in(self, claim: SectionDemand) -> list[Candidate]:
        """Choose in one section, pinned ones first; gives those that are not in whole."""
        room = self.allotment.given[claim.entry.name] - claim.heading
        if claim.entry.together:
            return self._choose_together(claim, room)
        before = claim.heading
        left: list[Candidate] = []
        for _, group in groupby(claim.candidates, key=lambda each: each.turn):
            forms = forms_of(tuple(group), self._counting, max(room, 0))
            items = [each.variants for each in forms]
            ordered = in_order(each.hull for each in forms)
            self._note_wanted(forms, ordered, before)
            before += sum(each.variants[0].tokens for each in forms)
            found = pack(items, room, ordered)
            room -= found.tokens
            for each, form in zip(forms, found.chosen, strict=True):
                if form is not None:
                    self._take(each.candidates[form])
                if form != 0:
                    left.append(each.candidates[0])
        return left

    def _choose_together(self, claim: SectionDemand, room: int) -> list[Candidate]:
        """All of a section or nothing: one item of the packing, with the whole as its only form."""
        for each in claim.candidates:
            self._wanted[each.part.id] = (claim.demand, claim.demand)
        if pack([(Variant(sum(claim.costs), 1.0),)], room).chosen == (None,):
            return list(claim.candidates)
        for each in claim.candidates:
            self._take(each)
        return []

    def _note_wanted(self, forms: Sequence[Variants], ordered: Sequence[PackingStep], before: int) -> None:
        """For each, what its section needs so that it comes in at all, and in whole."""
        total = before
        reached: dict[int, tuple[int, int]] = {}
        for step in ordered:
            total += step.tokens
            first, _ = reached.get(step.item, (total, total))
            reached[step.item] = (first, total)
        for at, amounts in reached.items():
            self._wanted[forms[at].candidates[0].part.id] = amounts

    def _spread(self, left: Sequence[Candidate]) -> None:
        """Give what sections could not use to those that it still lets in; only to such as take what others leave."""
        for candidate in sorted(left, key=_order):
            if not candidate.entry.grow:
                continue
            if candidate.entry.together:
                self._take_together(candidate.entry)
            elif candidate.part.id in self.taken:
                self._enlarge(candidate)
            elif self._room.barrier(candidate, self._room.cost(candidate)) is None:
                self._take(candidate)
            else:
                self._enlarge(candidate)

    def _take_together(self, entry: SectionLayout) -> None:
        """Take all of a section, if there is room for all of it."""
        claim = next(each for each in self._claims if each.entry is entry)
        first = claim.candidates[0]
        if first.part.id in self.taken or self._room.barrier(first, claim.demand) is not None:
            return
        for each in claim.candidates:
            self._take(each)

    def _enlarge(self, candidate: Candidate) -> None:
        """Show as much more of it as there is room for: the whole, else of a log the most entries that fit."""
        now = self.taken.get(candidate.part.id)
        if self._fits_instead(now, candidate):
            self._replace(now, candidate)
            return
        view = candidate.view
        if view is None or view.whole.kind is not CutKind.ENTRIES:
            return
        low, high = (now.cut.count if now is not None and now.cut is not None else 0), view.whole.count - 1
        best: Candidate | None = None
        while low < high:
            middle = (low + high + 1) // 2
            tried = cut_to(candidate, BlockExcerpt(CutKind.ENTRIES, middle))
            if tried is not None and self._fits_instead(now, tried):
                low, best = middle, tried
            else:
                high = middle - 1
        if best is not None:
            self._replace(now, best)

    def _fits_instead(self, now: Candidate | None, wanted: Candidate) -> bool:
        return self._room.barrier(wanted, self._more(now, wanted)) is None

    def _more(self, now: Candidate | None, wanted: Candidate) -> int:
        if now is None:
            return self._room.cost(wanted)
        return wanted.part.cost(self._counting) - now.part.cost(self._counting)

    def _replace(self, now: Candidate | None, wanted: Candidate) -> None:
        self._room.take(wanted, self._more(now, wanted))
        self.taken[wanted.part.id] = wanted

    def _take(self, candidate: Candidate) -> None:
        self._room.take(candidate, self._room.cost(candidate))
        self.taken[candidate.part.id] = candidate


def _companions(candidate: Candidate, taken: Sequence[Candidate]) -> list[Candidate]:
    """Those that go out with a candidate: all that need not be in of a section that goes in together."""
    if not candidate.entry.together:
        return []
    return [
        each
        for each in taken
        if each.entry is candidate.entry and each.turn is not ChoiceOrder.MUST and each is not candidate
    ]


def _order(candidate: Candidate) -> tuple[object, ...]:
    stamp, name = candidate.value
    return (candidate.turn, -candidate.entry.priority, -stamp, name)
