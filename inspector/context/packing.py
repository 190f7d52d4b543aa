"""Packs candidates into the budget: among sections by reserve and weight, inside one by value per token.

Plain numbers, no texts. Sections: everybody starts at what is reserved, then higher priorities come first and
equals share by weight until each has what it wants; nothing that one leaves is lost to the others. Inside a
section it is a knapsack with a choice of variants an item (Sinha and Zoltners 1979): the steps along the upper
convex hull of each item's variants, best value for tokens first, are taken where they fit. What that misses of
the best possible is less than one step. A last pass gives what is left to the largest gains that fit.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import NamedTuple

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import BudgetError


@dataclass(frozen=True, slots=True)
class SpaceDemand:
    """What one section asks for, in tokens.

    Attributes:
        name: The section.
        demand: What all of it would take.
        minimum: What is reserved for it, as far as it has a use for it.
        maximum: What it never passes, None for no bound.
        priority: Higher ones are served first.
        weight: Its share among those of its priority.
        grow: Whether it takes more than its share of the whole where others leave some.
    """

    name: str
    demand: int
    minimum: int = 0
    maximum: int | None = None
    priority: int = 0
    weight: float = 1.0
    grow: bool = True

    @property
    def most(self) -> int:
        return self.demand if self.maximum is None else max(0, min(self.demand, self.maximum))

    @property
    def reserved(self) -> int:
        return max(0, min(self.most, self.minimum))


def fill_sections(wishes: Sequence[SpaceDemand], room: int) -> dict[str, int]:
    """What each section gets: reserves first, then by priority, equals by weight. More room takes from nobody.

    Raises:
        BudgetError: ``budget.reserves_do_not_fit``: the reserves alone need more; names the sections.
    """
    given = {wish.name: wish.reserved for wish in wishes}
    needed = sum(given.values())
    if needed > max(0, room):
        holders = tuple(wish.name for wish in wishes if wish.reserved)
        piece = f"section:{holders[0]}"
        raise BudgetError(
            "budget.reserves_do_not_fit", piece=piece, sections=holders, needed=needed, available=max(0, room)
        )
    rest = room - needed
    shares = _shares([(wish.name, Fraction(wish.weight)) for wish in wishes if wish.weight > 0], rest, {})
    for priority in sorted({wish.priority for wish in wishes}, reverse=True):
        tier = [wish for wish in wishes if wish.priority == priority and wish.weight > 0]
        gaps = {wish.name: _gap(wish, shares[wish.name]) for wish in tier}
        got = _shares([(wish.name, Fraction(wish.weight)) for wish in tier], rest, gaps)
        for name, more in got.items():
            given[name] += more
            rest -= more
    return given


def _gap(wish: SpaceDemand, share: int) -> int:
    gap = wish.most - wish.reserved
    return gap if wish.grow else min(gap, share)


def _shares(weights: Sequence[tuple[str, Fraction]], rest: int, gaps: Mapping[str, int]) -> dict[str, int]:
    """What each gets of `rest`: all are raised to one level, level times weight, up to their gap if they have one.

    The single tokens that rounding leaves go to those that reach their next whole token first (as seats do by
    D'Hondt's rule), so that with more room nobody ever gets less.
    """
    got = dict.fromkeys((name for name, _ in weights), 0)
    by_level = sorted(weights, key=lambda each: gaps.get(each[0], math.inf) / each[1] if gaps else 0)
    left, heavy = rest, sum((weight for _, weight in weights), Fraction(0))
    hungry: list[tuple[str, Fraction]] = []
    for at, (name, weight) in enumerate(by_level):
        if not gaps or gaps[name] * heavy > left * weight:
            hungry = by_level[at:]
            break
        got[name] = gaps[name]
        left -= gaps[name]
        heavy -= weight
    level = Fraction(left) / heavy if hungry else Fraction(0)
    order = {name: at for at, (name, _) in enumerate(weights)}
    nexts: list[tuple[Fraction, int, str, Fraction]] = []
    for name, weight in hungry:
        got[name] = int(level * weight)
        left -= got[name]
        heapq.heappush(nexts, ((got[name] + 1) / weight, order[name], name, weight))
    while left > 0 and nexts:
        _, place, name, weight = heapq.heappop(nexts)
        got[name] += 1
        left -= 1
        if not gaps or got[name] < gaps[name]:
            heapq.heappush(nexts, ((got[name] + 1) / weight, place, name, weight))
    return got


class RoomNeeded:
    """The room in which one section gets what it wants: the least, but for a token a section, where all grow.

    Args:
        wishes: All sections' wishes.
        name: Whose need it is.
    """

    def __init__(self, wishes: Sequence[SpaceDemand], name: str) -> None:
        self._asker = next(wish for wish in wishes if wish.name == name)
        weight = self._asker.weight if self._asker.weight > 0 else 1.0
        self._before = sum(wish.reserved for wish in wishes)
        self._equals: list[tuple[int, Fraction | None]] = []
        self._all = [Fraction(wish.weight) / Fraction(weight) for wish in wishes if wish.weight > 0]
        for wish in wishes:
            gap = wish.most - wish.reserved
            if wish.weight <= 0 or not gap or wish.name == name:
                continue
            if wish.priority > self._asker.priority:
                self._before += gap
            elif wish.priority == self._asker.priority:
                # Most weights are equal, and fractions are slow.
                ratio = None if wish.weight == weight else Fraction(wish.weight) / Fraction(weight)
                self._equals.append((gap, ratio))
        self._reserved = sum(wish.reserved for wish in wishes)

    def room(self, wanted: int) -> int:
        """The room for so many tokens, no more than the section can use."""
        asker = self._asker
        extra = max(0, min(wanted, asker.most) - asker.reserved)
        room = self._before + extra
        for gap, ratio in self._equals:
            room += min(gap, extra if ratio is None else int(ratio * extra))
        if asker.grow:
            return room
        return max(room, self._reserved + sum(int(ratio * extra) for ratio in self._all))


@dataclass(frozen=True, slots=True)
class Variant:
    """One form of an item: what it takes, and what it is worth."""

    tokens: int
    value: float


Item = Sequence[Variant]
"""The forms of one thing, of which at most one is chosen; none of them takes and gives nothing."""


class HullStep(NamedTuple):
    """From one form of an item to the next along its upper convex hull: to which, and what that takes and gives."""

    efficiency: float
    variant: int
    tokens: int
    value: float


class PackingStep(NamedTuple):
    """A step of one of several items."""

    efficiency: float
    item: int
    variant: int
    tokens: int
    value: float


@dataclass(frozen=True, slots=True)
class Packing:
    """The chosen form of each item, None for none; what they take and what they are worth together."""

    chosen: tuple[int | None, ...]
    tokens: int
    value: float


def steps(items: Sequence[Item]) -> list[PackingStep]:
    """The steps along all hulls, best value for tokens first; those of one item stay in order."""
    return in_order(map(hull, items))


def in_order(hulls: Iterable[Sequence[HullStep]]) -> list[PackingStep]:
    """The same of hulls that are known already."""
    found = [
        PackingStep(efficiency, at, variant, tokens, value)
        for at, each in enumerate(hulls)
        for efficiency, variant, tokens, value in each
    ]
    # A stable sort: of equals, the earlier item comes first, and an item's own steps as they follow.
    found.sort(key=attrgetter("efficiency"), reverse=True)
    return found


def hull(item: Item) -> tuple[HullStep, ...]:
    """The steps along one item's hull, best value for tokens first."""
    steps_: list[HullStep] = []
    tokens, value = 0, 0.0
    for more, negative, variant in sorted((each.tokens, -each.value, at) for at, each in enumerate(item)):
        gain = -negative - value
        if gain <= 0:
            continue
        step = _step(more - tokens, gain, variant)
        # A step that is worth more for its tokens than the one before it swallows that one.
        while steps_ and steps_[-1].efficiency <= step.efficiency:
            last = steps_.pop()
            step = _step(last.tokens + step.tokens, last.value + step.value, variant)
        steps_.append(step)
        tokens, value = more, -negative
    return tuple(steps_)


def _step(tokens: int, value: float, variant: int) -> HullStep:
    return HullStep(value / tokens if tokens else math.inf, variant, tokens, value)


_RETRIED = 16
"""How many of the last steps taken are tried without, in small problems, where one step weighs most."""

_RETRY_WORK = 1_500
"""Steps that all those trials together may look at."""

_FEWEST_TRIALS = 3
"""Fewer are not worth their time."""


def pack(items: Sequence[Item], room: int, ordered: Sequence[PackingStep] | None = None) -> Packing:
    """A choice of forms that fits, worth nearly as much as any that does.

    Args:
        items: The items.
        room: Tokens that there are.
        ordered: Their `steps`, if they are known already.
    """
    ordered = steps(items) if ordered is None else ordered
    best = _packed(items, ordered, room)
    trials = min(_RETRIED, _RETRY_WORK // max(1, len(ordered)))
    if trials < _FEWEST_TRIALS:
        return best
    taken = [at for at, step in enumerate(ordered) if _holds(best.chosen[step.item], step, items)]
    for at in taken[len(taken) - min(trials, len(taken)) :]:
        without = [step for step in ordered[at + 1 :] if step.item != ordered[at].item]
        found = _packed(items, [*ordered[:at], *without], room)
        if found.value > best.value:
            best = found
    return best


def _holds(form: int | None, step: PackingStep, items: Sequence[Item]) -> bool:
    return form is not None and items[step.item][form].tokens >= items[step.item][step.variant].tokens


def _packed(items: Sequence[Item], ordered: Sequence[PackingStep], room: int) -> Packing:
    chosen, left = take_steps(ordered, len(items), room)
    left = _fill(items, chosen, left)
    worth = sum(items[at][form].value for at, form in enumerate(chosen) if form is not None)
    return Packing(tuple(chosen), room - left if room > 0 else 0, worth)


def take_steps(ordered: Iterable[PackingStep], count: int, room: int) -> tuple[list[int | None], int]:
    """The forms by the steps that fit, and what room is left. More room never gives less value."""
    chosen: list[int | None] = [None] * count
    closed: set[int] = set()
    left = max(0, room)
    for step in ordered:
        if step.item in closed:
            continue
        if step.tokens <= left:
            chosen[step.item] = step.variant
            left -= step.tokens
        else:
            closed.add(step.item)
    return chosen, left


def _fill(items: Sequence[Item], chosen: list[int | None], left: int) -> int:
    """Give what is left to the largest gains that fit; says what is left then."""
    while True:
        gains: list[tuple[float, int, int, int]] = []
        for at, item in enumerate(items):
            now = chosen[at]
            tokens, value = (0, 0.0) if now is None else (item[now].tokens, item[now].value)
            for form, each in enumerate(item):
                if each.value > value and each.tokens - tokens <= left:
                    gains.append((value - each.value, at, form, each.tokens - tokens))
        if not gains:
            return left
        gains.sort()
        moved: set[int] = set()
        for _, at, form, more in gains:
            if at not in moved and more <= left:
                moved.add(at)
                chosen[at] = form
                left -= more


def most_value(items: Sequence[Item], room: int) -> float:
    """What no choice can be worth more than: all steps in order, the one that does not fit in part."""
    worth, left = 0.0, max(0, room)
    for step in steps(items):
        if step.tokens > left:
            return worth + step.efficiency * left
        worth += step.value
        left -= step.tokens
    return worth
