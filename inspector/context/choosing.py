"""Choosing what goes into the system string: what must, then the rest while there is room.

Greedy, and without stopping: a smaller candidate may take room that a larger one before it could not. Each is
weighed as it would stand between two others; the assembled string is counted once more, and what was chosen
last goes out again if that is over a limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from inspector.context.assembly import Assembled, Assembler, contents
from inspector.context.candidates import Candidate, Turn
from inspector.context.layouts import dress_parts
from inspector.context.parts import PARAGRAPH, Part, PartCounter
from inspector.context.plan import Plan
from inspector.context.sections.activity import LEAD, day_part
from inspector.domain.blocks import BlockType
from inspector.domain.errors import Parameters
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut
from inspector.domain.rules import OutRule


@dataclass
class Chosen:
    """What goes in, in the order in which it was chosen, and what does not."""

    taken: list[Candidate] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def in_order(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """What is taken, in the order in which it stands; a shortened one in its whole one's place."""
        by_part = {candidate.part.id: candidate for candidate in self.taken}
        return [by_part[each.part.id] for each in candidates if each.part.id in by_part]


class Chooser:
    """Chooses under one plan.

    Args:
        plan: The plan.
        assembler: Assembles what is chosen.
        counting: Weighs parts.
        available: Tokens of the window that the system string may take.
    """

    def __init__(self, plan: Plan, assembler: Assembler, counting: PartCounter, available: int) -> None:
        self._plan = plan
        self._assembler = assembler
        self._counting = counting
        self._available = available

    def choose(self, candidates: Sequence[Candidate], capped: frozenset[str]) -> tuple[Chosen, Assembled]:
        """What goes in and the string that it makes. What must go in is taken whatever it costs."""
        must = [each for each in candidates if each.turn is Turn.MUST]
        core = self._assembler.assemble(contents(must), capped)
        chosen = Chosen(taken=list(must))
        room = _Room(self._plan, self._counting, core, self._available)
        room.open(must)
        if room.is_core_over:
            told: Parameters = {
                "needed": core.capped_tokens,
                "memory_tokens": self._plan.limits.memory_tokens,
            }
            chosen.problems.append(Problem("core_over_memory", Severity.WARNING, "section:core", told))
        rest = sorted((each for each in candidates if each.turn is not Turn.MUST), key=_order)
        for candidate in rest:
            self._consider(candidate, room, chosen)
        return chosen, self._settle(candidates, capped, chosen, room)

    def _consider(self, candidate: Candidate, room: _Room, chosen: Chosen) -> None:
        cost = room.cost(candidate)
        room.demand(candidate, cost)
        rule = room.barrier(candidate, cost)
        if rule is None:
            room.take(candidate, cost)
            chosen.taken.append(candidate)
            return
        shorter = self._shorter(candidate, room)
        if shorter is None:
            chosen.left_out.append(room.left_out(candidate, rule))
            return
        room.take(shorter, room.cost(shorter))
        chosen.taken.append(shorter)
        chosen.left_out.append(room.left_out_entries(candidate, shorter))

    def _shorter(self, candidate: Candidate, room: _Room) -> Candidate | None:
        """The log with as many of its newest entries as there is room for."""
        if candidate.shorter is None or candidate.view is None:
            return None
        low, high = 0, candidate.view.entry_count - 1
        best: Candidate | None = None
        while low < high:
            middle = (low + high + 1) // 2
            tried = replace(candidate, made=candidate.shorter(middle), entries=middle)
            if room.barrier(tried, room.cost(tried)) is None:
                low, best = middle, tried
            else:
                high = middle - 1
        return best

    def _settle(
        self, candidates: Sequence[Candidate], capped: frozenset[str], chosen: Chosen, room: _Room
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
                    if each.turn is not Turn.MUST and (is_over or (is_capped and each.capped))
                ),
                None,
            )
            if last is None:
                return made
            chosen.taken.remove(last)
            rule = OutRule.WINDOW_FULL if is_over else OutRule.MEMORY_FULL
            chosen.left_out.append(room.left_out(last, rule))


class _Room:
    """What is left of the window and of the memory cap while candidates are chosen."""

    def __init__(self, plan: Plan, counting: PartCounter, must: Assembled, available: int) -> None:
        self._plan = plan
        self._counting = counting
        self._must = must
        cap = plan.limits.memory_tokens
        needed = must.tokens + (must.border_tokens if must.sections else plan.costs.message().tokens)
        capped = must.capped_tokens + must.border_tokens
        self.window = available - needed
        self.memory = None if cap is None else cap - capped
        self._available = available
        self._window_demand = needed
        self._memory_demand = capped
        self._pinned = capped
        self._pinned_window = needed
        self._opened: set[str] = set()
        self._groups: set[str] = set()
        self._days: set[str] = set()
        self._spent: dict[str, int] = {}

    def open(self, candidates: Sequence[Candidate]) -> None:
        """Note the sections that are in already."""
        for candidate in candidates:
            self._opened.add(candidate.entry.name)
            self._groups.add(candidate.entry.group)

    def cost(self, candidate: Candidate) -> int:
        """What it takes, with its section's headings where it would be the first."""
        entry = candidate.entry
        tokens = candidate.part.cost(self._counting)
        if entry.name not in self._opened:
            with_group = bool(entry.group) and entry.group not in self._groups
            tokens += self._weigh(dress_parts(self._plan.layout, entry, with_group=with_group))
        if candidate.line is not None:
            day = candidate.line.day
            tokens += self._weigh((LEAD,)) if entry.name not in self._opened else 0
            tokens += self._weigh((day_part(day),)) if day not in self._days else 0
        return tokens

    def barrier(self, candidate: Candidate, cost: int) -> OutRule | None:
        """The rule that keeps it out, None if there is room."""
        if candidate.capped and self.memory is not None and cost > self.memory:
            return OutRule.MEMORY_CORE_OVER if self.is_core_over else OutRule.MEMORY_FULL
        if cost > self.window:
            return OutRule.WINDOW_FULL
        most = candidate.entry.maximum
        if most is not None and self._spent.get(candidate.entry.name, 0) + cost > most:
            return OutRule.SECTION_FULL
        return None

    def demand(self, candidate: Candidate, cost: int) -> None:
        """Note what all candidates up to this one would take together."""
        is_pinned = candidate.turn is Turn.PINNED
        self._window_demand += cost
        self._pinned_window += cost if is_pinned else 0
        if candidate.capped:
            self._memory_demand += cost
            self._pinned += cost if is_pinned else 0

    def take(self, candidate: Candidate, cost: int) -> None:
        """Spend what it costs."""
        self.open((candidate,))
        if candidate.line is not None:
            self._days.add(candidate.line.day)
        self.window -= cost
        if candidate.capped and self.memory is not None:
            self.memory -= cost
        self._spent[candidate.entry.name] = self._spent.get(candidate.entry.name, 0) + cost

    def left_out(self, candidate: Candidate, rule: OutRule) -> LeftOut:
        """A candidate for which there is no room."""
        piece = candidate.part.piece(self._counting, PARAGRAPH)
        told: Parameters = {"needed": piece.tokens, "label": candidate.part.source.label}
        fix = self._fix(candidate, rule)
        return LeftOut(piece.source, piece.section, rule.value, piece.tokens, piece.method, fix, told)

    def left_out_entries(self, whole: Candidate, shorter: Candidate) -> LeftOut:
        """The entries of a log that was shortened."""
        count = (whole.view.entry_count if whole.view else 0) - (shorter.entries or 0)
        piece = whole.part.piece(self._counting, PARAGRAPH)
        tokens = max(0, piece.tokens - shorter.part.cost(self._counting))
        label = whole.part.source.label
        source = replace(piece.source, label=f"{label}: {count} older entries")
        told: Parameters = {"label": label, "count": count, "shown": shorter.entries}
        fix = self._raise_limit(whole)
        return LeftOut(source, piece.section, OutRule.ENTRY_ROOM.value, tokens, piece.method, fix, told)

    def _fix(self, candidate: Candidate, rule: OutRule) -> Fix | None:
        """The smallest change that surely brings it in, others before it included."""
        if rule is OutRule.SECTION_FULL:
            return None
        if rule is OutRule.MEMORY_FULL and self._would_fit_pinned(candidate):
            label = candidate.part.source.label
            return Fix("pin", candidate.part.source.ref, True, {"label": label})
        return self._raise_limit(candidate)

    def _raise_limit(self, candidate: Candidate) -> Fix | None:
        agent = Ref(RefKind.AGENT, self._plan.agent.id)
        limits = self._plan.limits
        over_window = self._window_demand > self._available
        over_memory = candidate.capped and limits.memory_tokens is not None
        over_memory = over_memory and self._memory_demand > (limits.memory_tokens or 0)
        if over_memory and not over_window:
            return Fix("raise_memory_tokens", agent, self._memory_demand, {"value": self._memory_demand})
        if over_window and not over_memory:
            value = limits.max_tokens + self._window_demand - self._available
            return Fix("raise_max_tokens", agent, value, {"value": value})
        return None

    def _would_fit_pinned(self, candidate: Candidate) -> bool:
        view, cap = candidate.view, self._plan.limits.memory_tokens
        if view is None or view.shared is not None or view.block.block_type is not BlockType.WORKING:
            return False
        if candidate.turn is Turn.PINNED or cap is None:
            return False
        entry = candidate.entry
        # As if it were the first of its section, which it may then be.
        headings = dress_parts(self._plan.layout, entry, with_group=bool(entry.group))
        cost = candidate.part.cost(self._counting) + self._weigh(headings)
        return self._pinned + cost <= cap and self._pinned_window + cost <= self._available

    @property
    def is_core_over(self) -> bool:
        """Whether core alone passes the memory cap."""
        cap = self._plan.limits.memory_tokens
        return cap is not None and self._must.capped_tokens > cap

    def _weigh(self, parts: Sequence[Part]) -> int:
        return sum(part.cost(self._counting) for part in parts)


def _order(candidate: Candidate) -> tuple[object, ...]:
    stamp, name = candidate.value
    return (candidate.turn, -candidate.entry.priority, -stamp, name)
