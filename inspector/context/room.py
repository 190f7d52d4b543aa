"""Tracks the budget that is left in the window and under the memory cap while candidates are taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.context.assembly import Assembled, Assembler
from inspector.context.candidates import Candidate
from inspector.context.layouts import dress_parts
from inspector.context.parts import PartCounter, PromptPart
from inspector.context.plan import BuildPlan
from inspector.context.sections.activity import day_part
from inspector.domain.layouts import SectionLayout
from inspector.domain.rules import OutRule


class RemainingBudget:
    """The account of one choice.

    Args:
        plan: The plan.
        counting: Weighs parts.
        assembler: Knows what stands around sections.
        must: The string of what is in whatever it takes.
        available: Tokens of the window that the system string and the tail may take.
    """

    def __init__(
        self, plan: BuildPlan, counting: PartCounter, assembler: Assembler, must: Assembled, available: int
    ) -> None:
        self._plan = plan
        self._counting = counting
        self._assembler = assembler
        self._must = must
        cap = plan.limits.memory_tokens
        self.needed = must.tokens + (must.border_tokens if must.sections else assembler.frame_tokens)
        self.capped = must.capped_tokens + must.border_tokens
        self.window = available - self.needed
        self.memory = None if cap is None else cap - self.capped
        self._opened: set[str] = set()
        self._groups: set[str] = set()
        self._days: set[str] = set()
        self._has_tail = False
        self._spent: dict[str, int] = {}

    @property
    def is_core_over(self) -> bool:
        cap = self._plan.limits.memory_tokens
        return cap is not None and self._must.capped_tokens > cap

    def open(self, candidates: Iterable[Candidate]) -> None:
        """Note the sections that are in already."""
        for candidate in candidates:
            self._opened.add(candidate.entry.name)
            self._groups.add(candidate.entry.group)
            self._has_tail = self._has_tail or self._assembler.is_tail(candidate.entry)

    def heading(self, entry: SectionLayout) -> int:
        """What stands around a section costs, as things are; nothing where it is open."""
        if entry.name in self._opened:
            return 0
        with_group = bool(entry.group) and entry.group not in self._groups
        tokens = self.weigh(dress_parts(self._plan.layout, entry, with_group=with_group))
        if self._assembler.is_tail(entry) and not self._has_tail:
            tokens += self._assembler.frame_tokens
        return tokens

    def lines(self, candidates: Sequence[Candidate]) -> int:
        """What the lead and the date lines of events cost, one of each."""
        days = {each.line.day for each in candidates if each.line is not None}
        line = next((each.line for each in candidates if each.line is not None), None)
        if line is None:
            return 0
        dated = self.weigh([day_part(day) for day in days - self._days]) if line.settings.date_lines else 0
        return dated + self.weigh(line.lead)

    def cost(self, candidate: Candidate) -> int:
        """What it takes, with its section's headings where it would be the first."""
        tokens = candidate.part.cost(self._counting) + self.heading(candidate.entry)
        line = candidate.line
        if line is not None:
            tokens += self.weigh(line.lead) if candidate.entry.name not in self._opened else 0
            is_new = line.day not in self._days and line.settings.date_lines
            tokens += self.weigh((day_part(line.day),)) if is_new else 0
        return tokens

    def barrier(self, candidate: Candidate, more: int) -> OutRule | None:
        """The rule that keeps out a candidate that takes so many tokens more, None if there is room."""
        if candidate.capped and self.memory is not None and more > self.memory:
            return OutRule.MEMORY_CORE_OVER if self.is_core_over else OutRule.MEMORY_FULL
        if more > self.window:
            return OutRule.WINDOW_FULL
        most = candidate.entry.maximum
        if most is not None and self._spent.get(candidate.entry.name, 0) + more > most:
            return OutRule.SECTION_FULL
        return None

    def take(self, candidate: Candidate, cost: int) -> None:
        self.open((candidate,))
        if candidate.line is not None:
            self._days.add(candidate.line.day)
        self.window -= cost
        if candidate.capped and self.memory is not None:
            self.memory -= cost
        self._spent[candidate.entry.name] = self._spent.get(candidate.entry.name, 0) + cost

    def weigh(self, parts: Sequence[PromptPart]) -> int:
        return sum(part.cost(self._counting) for part in parts)
