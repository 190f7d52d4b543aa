"""The window: what of it can be filled where counts are exact, and where they are estimates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.context.neutral import manifest
from inspector.context.window import ContextWindow, reserve_of
from inspector.domain.counts import Method, Tokenizer
from inspector.domain.errors import BudgetError
from inspector.domain.limits import Truncate
from inspector.domain.requests import Request
from inspector.domain.rules import OutRule
from tests.context.builders import (
    ESTIMATED_MODEL,
    EXACT_MODEL,
    a_block,
    a_snapshot,
    a_turn,
    an_agent,
    build,
    rows,
    sent_batches,
    working,
)

LONG = tuple(a_turn(number, "word " * 30) for number in range(1, 121))
ESTIMATING = an_agent(model=ESTIMATED_MODEL)
UNBOUNDED = 10_000_000


def upper_side(request: Request) -> float:
    """The tokens that a Request takes if every text takes as many as its figure's band allows."""
    return request.tokens * (1 + request.tokenizer.under)


def test_that_an_exact_count_needs_no_margin() -> None:
    request = build(a_snapshot(history=LONG), window=3_000, reserved=0, strategy=Truncate(1_000))
    assert (request.tokenizer.under, request.margin_tokens) == (0.0, 0)
    assert 2_900 < request.tokens <= 3_000


def test_that_the_upper_side_of_an_estimate_is_what_fits() -> None:
    snapshot = a_snapshot(history=LONG, agent=ESTIMATING)
    request = build(snapshot, window=3_000, reserved=500, strategy=Truncate(1_000))
    assert request.tokenizer.under > 0.05
    assert request.tokens <= 2_500 - request.margin_tokens
    assert 2_300 < upper_side(request) <= 2_500
    assert rows(request, OutRule.WINDOW_FULL)


def test_that_the_margin_is_told_as_a_figure_of_its_own_beside_sums_that_add_up() -> None:
    request = build(
        a_snapshot(a_block("a", "word " * 300), history=LONG[:3], agent=ESTIMATING), window=6_000, reserved=0
    )
    told = manifest(request, lambda code, _: code)
    assert told["margin_tokens"] == request.margin_tokens > 0
    assert sum(section["tokens"] for section in told["sections"]) == told["total"]["tokens"] == request.tokens
    assert "margin_tokens" not in told["limits"]
    assert request.margin_tokens not in told["overheads"].values()


def test_that_what_no_section_can_reach_is_told_without_the_margin() -> None:
    request = build(
        a_snapshot(agent=ESTIMATING), window=50_000, reserved=10_000, history=20_000, memory=5_000
    )
    assert request.unreachable_tokens == 40_000 - request.margin_tokens - 20_000 - 5_000 - request.tokens


def test_that_what_fits_only_by_the_estimate_is_refused_with_the_numbers() -> None:
    snapshot = a_snapshot(a_block("a", "word " * 1_000), agent=ESTIMATING)
    needed = build(snapshot).tokens
    with pytest.raises(BudgetError) as caught:
        build(snapshot, window=needed + 5, reserved=0)
    assert caught.value.parameters["available"] < caught.value.parameters["needed"]  # type: ignore[operator]
    room = ContextWindow(0, 0, build(snapshot).tokenizer).needed(needed)
    assert build(snapshot, window=room, reserved=0).tokens == needed
    with pytest.raises(BudgetError):
        build(snapshot, window=room - 1, reserved=0)


@pytest.mark.parametrize("model", [EXACT_MODEL, ESTIMATED_MODEL])
@pytest.mark.parametrize("reserved", [None, 0, 300])
def test_that_the_window_that_is_told_brings_in_what_is_out(model: str, reserved: int | None) -> None:
    blocks = [working(f"w{at}", f"note {at} " * 60, minutes=at) for at in range(24)]
    agent = an_agent(model=model)
    limits = {"memory": UNBOUNDED, "history": UNBOUNDED}
    if reserved is not None:
        limits["reserved"] = reserved
    # One kind at a time: what comes first would take what is told of what comes after it.
    for snapshot in (a_snapshot(*blocks, agent=agent), a_snapshot(history=LONG[:40], agent=agent)):
        request = build(snapshot, window=1_500, **limits)
        fixes = [row for row in request.left_out if row.fix and row.fix.action == "raise_max_tokens"]
        assert len(fixes) > 3
        for row in fixes:
            assert row.fix is not None
            mended = build(snapshot, window=int(row.fix.value or 0), **limits)
            batches = sent_batches(mended, snapshot.history)
            pieces = {piece.source.id for section in mended.sections for piece in section.pieces}
            assert row.source.id in {*batches, *pieces}


@given(
    st.integers(0, 3_000), st.floats(0, 1.5), st.integers(0, 900), st.one_of(st.none(), st.integers(0, 900))
)
def test_that_the_least_window_is_told(available: int, under: float, reserved: int, most: int | None) -> None:
    tokenizer = Tokenizer("any", Method.ESTIMATE, under, under)

    def with_tokens(max_tokens: int) -> ContextWindow:
        kept = reserved if most is None else reserve_of(max_tokens, most)
        return ContextWindow(max_tokens, kept, tokenizer, most)

    needed = with_tokens(0).needed(available)
    assert with_tokens(needed).available >= available
    assert needed == 0 or available == 0 or with_tokens(needed - 1).available < available
