"""Builds a sent Request again and finds the first place where it differs."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.domain.codec import read_time
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.limits import STRATEGIES, LimitOverrides, Strategy
from inspector.domain.past_requests import PresentValue, TextDifference
from inspector.domain.requests import Request
from inspector.domain.rules import InRule
from inspector.domain.snapshot import RequestSpec

EXCERPT = 60
"""Code points that are shown from a place on."""

LEAD = 20
"""Code points that are shown before it."""

_GIVEN = frozenset({InRule.EXTRA_SECTION, InRule.ADDITIONAL, InRule.RETRIEVED})
"""Rules of pieces that the caller of the build gave; nothing in the file says what they were made of."""


def asked_by(logged: Request) -> RequestSpec:
    """What a sent Request was asked by, as far as its account tells; the rest is as the agent's settings are.

    Raises:
        MalformedError: ``malformed.manifest``, its moment is none.
    """
    try:
        now = read_time(logged.now)
    except ValueError as error:
        raise MalformedError("malformed.manifest", where="now", why=str(error)) from error
    limits = logged.limits
    overrides = LimitOverrides(
        max_tokens=limits.max_tokens,
        memory_tokens=limits.memory_tokens,
        history_tokens=limits.history_tokens,
        reserved_response_tokens=limits.reserved_response_tokens,
    )
    return RequestSpec(
        now=now,
        zone=logged.zone,
        model=logged.model,
        limits=overrides,
        layout=logged.layout,
    )


def strategy_named(kind: str) -> Strategy | None:
    """The strategy of that kind with its usual numbers, None when there is none."""
    return next((strategy() for strategy in STRATEGIES if strategy.kind == kind), None)


def doubts_of(logged: Request, rebuilt: Request) -> Iterator[Problem]:
    """Why a build cannot give a sent Request, as far as its account shows that.

    Args:
        logged: What was sent.
        rebuilt: What the file gives by what the account tells, and nothing else.
    """
    given = [piece.id for section in logged.sections for piece in section.pieces if piece.rule in _GIVEN]
    if given:
        parameters = {"pieces": tuple(given)}
        yield Problem("past.given_by_caller", Severity.ERROR, "request", parameters)
    if logged.strategy != rebuilt.strategy:
        # Its kind is in the account, its numbers are not.
        yield Problem("past.strategy_numbers", Severity.ERROR, "history", {"strategy": logged.strategy})
    if logged.tokenizer.name != rebuilt.tokenizer.name:
        names = {"before": logged.tokenizer.name, "after": rebuilt.tokenizer.name}
        yield Problem("past.other_tokenizer", Severity.WARNING, "request", names)


def first_difference(before: Request, after: Request) -> TextDifference | None:
    """The first place where the text forms differ, None when they are the same."""
    old, new = before.text, after.text
    if old == new:
        return None
    offset = common_length(old, new)
    placed, later = before.piece_at(offset), after.piece_at(offset)
    is_new = later is not None and later.piece.id not in before.pieces_by_id
    if placed is None or (is_new and placed.piece.id in after.pieces_by_id):
        # What stood there has only moved on for what is new.
        placed = later
    start = max(0, offset - LEAD)
    return TextDifference(
        offset,
        len(old[:offset].encode("utf-8", "surrogatepass")),
        None if placed is None else placed.piece.section,
        None if placed is None else placed.piece.id,
        old[start : offset + EXCERPT],
        new[start : offset + EXCERPT],
    )


def common_length(one: str, other: str) -> int:
    """How many code points two texts have in common from their beginning on."""
    low, high = 0, min(len(one), len(other))
    # Each slice is compared by memory, so halving is far quicker than going through characters.
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def today_of(logged: Request, present: Request) -> PresentValue:
    """Whether a Request of now is what was sent, or that with more behind it."""
    if present.text == logged.text:
        return PresentValue.SAME
    until_now: list[str] = []
    for section in logged.sections:
        if section.name == "messages":
            return (
                PresentValue.GROWN
                if present.text.startswith("".join(until_now) + section.text)
                else PresentValue.DIFFERS
            )
        until_now.append(section.text)
    return PresentValue.DIFFERS
