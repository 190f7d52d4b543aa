"""The variants of a candidate where the budget is short, and the value of each.

A candidate is worth more the newer it is among those of its section (the oldest half of the newest) and the more it
holds, though less than in proportion: four times the text is worth twice as much. A form that is cut is worth
what its size is, less a tenth for being cut. What nearly repeats others of its section that are worth more
counts for what it adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt

from inspector.context.blocks import BlockExcerpt, CutKind
from inspector.context.candidates import Candidate
from inspector.context.packing import HullStep, Variant, hull
from inspector.context.parts import PartCounter
from inspector.domain.dataclass import dataclass

_CUT_WORTH = 0.9
_LEAST_SAVING = 0.8
"""A cut form that takes more than this share of the whole is none."""

_SIZES = 2
"""How many sizes, each half of the one before, are offered between the whole and the least."""

_LONGEST_TOKEN = 8
"""Characters to a token that texts rarely pass: a form longer than the room by this need not be counted."""

_DISTINCT_LENGTH = 24
"""Characters from which on a line tells something of its own."""

_REPEATED = 0.5
"""From this share of its text on that others hold too, a candidate is worth less."""


@dataclass(frozen=True, slots=True)
class _SizedVariant:
    """One form of a candidate, with its tokens and what it is worth for its size."""

    candidate: Candidate
    tokens: int
    size_worth: float


@dataclass(frozen=True)
class Variants:
    """A candidate's forms, the whole one first, as the packing weighs them.

    Attributes:
        candidates: Each form as a candidate.
        variants: What each takes and is worth.
        hull: The steps among them that are worth taking.
        worth: What the whole is worth beside others of its size.
    """

    candidates: tuple[Candidate, ...]
    variants: tuple[Variant, ...]
    hull: tuple[HullStep, ...]
    worth: float


def forms_of(candidates: Sequence[Candidate], counting: PartCounter, room: int) -> list[Variants]:
    """The forms of one section's candidates, which come best first.

    Args:
        candidates: The candidates of one section.
        counting: Weighs them.
        room: Tokens that the section has; a form that surely is larger is left aside.
    """
    count = len(candidates)
    found: list[Variants] = []
    for rank, (candidate, share) in enumerate(zip(candidates, _new_shares(candidates), strict=True)):
        worth = (1 - rank / (2 * count)) * share
        # At a key press all but one are as they were.
        key = ("forms", counting, _halvings(candidate, room))
        cached: Variants | None = candidate.made_of.get(key)
        if cached is None or cached.worth != worth:
            cached = candidate.made_of[key] = _weighed(_forms(candidate, counting, key[2]), worth)
        found.append(cached)
    return found


def _weighed(forms: Sequence[_SizedVariant], worth: float) -> Variants:
    variants = tuple(Variant(form.tokens, worth * form.size_worth) for form in forms)
    return Variants(tuple(form.candidate for form in forms), variants, hull(variants), worth)


def _halvings(candidate: Candidate, room: int) -> int:
    """How often a text must at least be halved before it may fit."""
    length, most, times = len(candidate.part.text) // 2, max(1, room) * _LONGEST_TOKEN, 1
    while length > most:
        length //= 2
        times += 1
    return times


def _forms(candidate: Candidate, counting: PartCounter, halvings: int) -> tuple[_SizedVariant, ...]:
    key = (counting, halvings)
    cached: tuple[_SizedVariant, ...] | None = candidate.made_of.get(key)
    if cached is None:
        cached = candidate.made_of[key] = _sized(candidate, counting, halvings)
    return cached


def _sized(candidate: Candidate, counting: PartCounter, halvings: int) -> tuple[_SizedVariant, ...]:
    tokens = candidate.part.cost(counting)
    forms = [_SizedVariant(candidate, tokens, sqrt(tokens))]
    for each in _shorter(candidate, halvings):
        cost = each.part.cost(counting)
        if cost <= tokens * _LEAST_SAVING:
            forms.append(_SizedVariant(each, cost, sqrt(cost) * _CUT_WORTH))
    return tuple(forms)


def cut_to(candidate: Candidate, cut: BlockExcerpt) -> Candidate | None:
    """The candidate with so much of it shown; None for one that cannot be cut."""
    if candidate.shorter is None:
        return None
    return replace(candidate, made=candidate.shorter(cut), cut=cut, made_of={})


def _shorter(candidate: Candidate, halvings: int) -> Iterator[Candidate]:
    if candidate.shorter is None or candidate.view is None:
        return
    whole = candidate.view.whole
    for size in (whole.count >> times for times in range(halvings, halvings + _SIZES)):
        if size > 1:
            yield from _cut(candidate, whole.kind, size)
    if whole.count > (1 if whole.kind is CutKind.ENTRIES else 2):
        yield from _cut(candidate, whole.kind, 1)


def _cut(candidate: Candidate, kind: CutKind, size: int) -> Iterator[Candidate]:
    made = cut_to(candidate, BlockExcerpt(kind, size))
    if made is not None:
        yield made


def _new_shares(candidates: Sequence[Candidate]) -> Iterator[float]:
    """What share of each is not said by those before it."""
    seen: set[str] = set()
    for candidate in candidates:
        lines = _distinct_lines(candidate)
        # Most texts repeat nothing, and to find that out costs next to nothing.
        if seen.isdisjoint(lines):
            share = 0.0
        else:
            share = sum(length for line, length in lines.items() if line in seen) / sum(lines.values())
        seen.update(lines)
        yield 1.0 if share < _REPEATED else max(0.05, 1.0 - share)


def _distinct_lines(candidate: Candidate) -> dict[str, int]:
    """The lines of it that are long enough to tell something, and how long each is."""
    cached: dict[str, int] | None = candidate.made_of.get("lines")
    if cached is None:
        cached = {
            line: len(line) for line in candidate.part.text.split("\n") if len(line) >= _DISTINCT_LENGTH
        }
        candidate.made_of["lines"] = cached
    return cached
