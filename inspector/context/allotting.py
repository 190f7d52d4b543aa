"""Shares the budget of memory and window among the sections, pinned candidates first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from inspector.context.candidates import Candidate, ChoiceOrder
from inspector.context.packing import RoomNeeded, SpaceDemand, fill_sections
from inspector.domain.dataclass import dataclass
from inspector.domain.layouts import SectionLayout


@dataclass(frozen=True)
class SectionDemand:
    """One section's candidates, best first, and what they would take.

    Attributes:
        entry: The layout's entry.
        candidates: Pinned ones before the others, then by value.
        costs: The tokens of each.
        heading: What stands around them.
    """

    entry: SectionLayout
    candidates: tuple[Candidate, ...]
    costs: tuple[int, ...]
    heading: int

    @property
    def capped(self) -> bool:
        return self.candidates[0].capped

    @cached_property
    def demand(self) -> int:
        return self.heading + sum(self.costs)

    @cached_property
    def pinned(self) -> int:
        """What is pinned of it, with what stands around that."""
        tokens = sum(cost for each, cost in self._rows() if each.turn is ChoiceOrder.PINNED)
        return self.heading + tokens if tokens else 0

    def _rows(self) -> Sequence[tuple[Candidate, int]]:
        return tuple(zip(self.candidates, self.costs, strict=True))

    @cached_property
    def wish(self) -> SpaceDemand:
        entry = self.entry
        return SpaceDemand(
            entry.name, self.demand, entry.minimum, entry.maximum, entry.priority, entry.share, entry.grow
        )

    @cached_property
    def wish_with_pinned(self) -> SpaceDemand:
        return replace(self.wish, minimum=max(self.entry.minimum, self.pinned))


class Allotment:
    """What each claim gets of the memory cap and of the window.

    Args:
        claims: The sections' claims.
        memory: What is left of the memory cap, None if there is none.
        window: What is left of the window.
        kept: Tokens that are reserved for the history.
    """

    def __init__(self, claims: Sequence[SectionDemand], memory: int | None, window: int, kept: int) -> None:
        self._claims = claims
        self._memory = memory
        self._window = window
        self._kept = SpaceDemand("messages", kept, kept)
        self._capped_wishes = [claim.wish_with_pinned for claim in claims if claim.capped]
        self._wishes = [*(claim.wish_with_pinned for claim in claims), self._kept]
        self._needs: dict[tuple[int, str], RoomNeeded] = {}
        self._most = sum(wish.most for wish in self._wishes)
        self.given = self._in_window(self._in_memory())

    @cached_property
    def figures(self) -> str:
        """All that `memory_needed`, `window_needed` and `would_hold` depend on, for keeping what they gave."""
        return repr((self._memory, self._window, self._wishes))

    @property
    def is_ample(self) -> bool:
        return all(self.given[claim.entry.name] >= claim.demand for claim in self._claims)

    def memory_needed(self, claim: SectionDemand, wanted: int) -> int | None:
        """Room under the memory cap in which the claim gets `wanted`; None if the cap is not what binds it."""
        if not claim.capped or self._memory is None:
            return None
        needed = self._need(self._capped_wishes, claim).room(wanted)
        return needed if needed > self._memory else None

    def window_needed(self, claim: SectionDemand, wanted: int) -> int | None:
        """Room in the window in which the claim gets `wanted`; None if it does now."""
        if self._most <= self._window:
            return None
        needed = self._need(self._wishes, claim).room(wanted)
        return needed if needed > self._window else None

    def _need(self, wishes: list[SpaceDemand], claim: SectionDemand) -> RoomNeeded:
        key = (id(wishes), claim.entry.name)
        if key not in self._needs:
            self._needs[key] = RoomNeeded(wishes, claim.entry.name)
        return self._needs[key]

    def would_hold(self, claim: SectionDemand, pinned: int) -> bool:
        """Whether a claim of which so much is pinned gets that, beside what the others have pinned or reserved."""
        others = [each for each in self._claims if each is not claim]
        if claim.capped and self._memory is not None:
            reserved = sum(each.wish_with_pinned.reserved for each in others if each.capped)
            if reserved + pinned > self._memory:
                return False
        most = claim.entry.maximum
        if most is not None and pinned > most:
            return False
        reserved = sum(each.wish_with_pinned.reserved for each in others) + self._kept.demand
        return reserved + pinned <= self._window

    def _in_memory(self) -> dict[str, int]:
        """What the cap leaves each: reserves shrink to it, they are no error here."""
        most = {claim.entry.name: claim.wish.most for claim in self._claims}
        if self._memory is None:
            return most
        room = max(0, min(self._memory, self._window))
        wishes = [claim.wish for claim in self._claims if claim.capped]
        floors = fill_sections([replace(wish, demand=wish.reserved, minimum=0) for wish in wishes], room)
        return {**most, **self._filled(self._capped(), floors, most, room)}

    def _in_window(self, most: dict[str, int]) -> dict[str, int]:
        room = max(0, self._window)
        capped = [replace(claim.wish, demand=most[claim.entry.name]) for claim in self._claims]
        wishes = [*capped, self._kept]
        floors = {wish.name: wish.reserved for wish in wishes}
        if sum(floors.values()) > room:
            fill_sections(wishes, room)
        return self._filled(self._claims, floors, most, room - self._kept.demand)

    def _capped(self) -> Sequence[SectionDemand]:
        return [claim for claim in self._claims if claim.capped]

    def _filled(
        self, claims: Sequence[SectionDemand], floors: dict[str, int], most: dict[str, int], room: int
    ) -> dict[str, int]:
        """Floors, then what is pinned, then the rest."""
        wishes = [replace(claim.wish, demand=most[claim.entry.name]) for claim in claims]
        pinned = [
            replace(
                wish,
                demand=max(floors[wish.name], min(claim.pinned, wish.most)),
                minimum=floors[wish.name],
                grow=True,
            )
            for wish, claim in zip(wishes, claims, strict=True)
        ]
        first = fill_sections(pinned, room)
        return fill_sections([replace(wish, minimum=first[wish.name]) for wish in wishes], room)
