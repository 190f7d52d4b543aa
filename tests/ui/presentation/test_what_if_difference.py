"""A what-if's difference in words: tokens with sign and mark, pieces in and out, and money."""

import pytest

from inspector.context.simulation import compare
from inspector.domain.simulation import Overlay
from inspector.domain.what_if import WhatIfResult
from inspector.ui.presentation.what_if_difference import IN, OUT, difference_of, dollars
from tests.ui.values import made_piece, made_request

ONE, TWO = made_piece("blk_one", "one one one"), made_piece("blk_two", "two")


def result(*, cost: float | None = None) -> WhatIfResult:
    before = made_request({"core": [ONE]})
    after = made_request({"core": [TWO]})
    return WhatIfResult(before, compare(before, after, Overlay()), cost, 0.5)


def test_that_pieces_in_and_out_are_counted_and_listed() -> None:
    found = difference_of(result())
    assert "1 piece in · 1 piece out" in found.line
    assert [(row.mark, row.ref) for row in found.rows] == [(OUT, ONE.source.ref), (IN, TWO.source.ref)]


def test_that_the_difference_begins_with_its_sign_and_ends_with_the_cost() -> None:
    found = difference_of(result(cost=0.01234))
    delta = TWO.tokens - ONE.tokens
    sign = "−" if delta < 0 else "+" if delta else "same"
    assert found.line.lstrip("~").startswith(sign)
    assert found.line.endswith("$0.012 a call")
    assert "without the what-if $0.50" in found.tip


def test_that_nothing_is_said_where_nothing_can_be_compared() -> None:
    assert difference_of(WhatIfResult()).line == ""


def test_that_the_same_request_has_the_same_tokens() -> None:
    request = made_request({"core": [ONE]})
    found = difference_of(WhatIfResult(request, compare(request, request, Overlay())))
    assert found.line == "same tokens"
    assert found.rows == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.0012, "$0.0012"),
        (0.0123, "$0.012"),
        (0.25, "$0.25"),
        (1234.5, "$1,234.50"),
    ],
)
def test_that_small_amounts_keep_their_figures(value: float, text: str) -> None:
    assert dollars(value) == text
