import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inspector.context.comparison import diff
from inspector.context.logged_request import read_logged
from inspector.context.neutral import manifest, stored_manifest
from inspector.context.request_rebuild import common_length, first_difference, today_of
from inspector.domain.errors import MalformedError
from inspector.domain.left_out import KEPT_ALIKE, alike
from inspector.domain.limits import Truncate
from inspector.domain.past_requests import PresentValue
from inspector.domain.requests import Request
from tests.context.builders import (
    AGENT,
    BUILDER,
    a_block,
    a_snapshot,
    a_tool,
    a_turn,
    an_agent,
    an_event,
    build,
)
from tests.context.history_laws import built
from tests.context.random_cases import a_request_case


def account(request: Request) -> dict[str, Any]:
    return manifest(request, lambda code, _: code)


def read(request: Request, plain: Any) -> Request:
    return read_logged(request.agent_id, request.text, json.dumps(plain))


@settings(max_examples=50)
@given(st.integers(0, 2**32))
def test_that_a_request_is_read_back_from_its_text_and_its_account(seed: int) -> None:
    request = built(BUILDER, *a_request_case(seed))
    assume(request is not None)
    assert request is not None
    found = read(request, account(request))
    assert (found.text, found.tokens, found.limits) == (request.text, request.tokens, request.limits)
    assert (found.system, found.tools, found.tail, found.tail_sections) == (
        request.system,
        request.tools,
        request.tail,
        request.tail_sections,
    )
    assert [message.id for message in found.messages] == [message.id for message in request.messages]
    assert [(row.source, row.rule, row.tokens) for row in found.left_out] == [
        (replace(row.source, batch=False), row.rule, row.tokens) for row in request.left_out
    ]
    # Whether a section without a heading is the persona alone, the account does not tell.
    titles = [each.title.replace("Persona", "Instructions") for each in request.sections]
    assert [each.title.replace("Persona", "Instructions") for each in found.sections] == titles
    assert diff(found, request).changes == ()


Damage = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    "damage",
    [
        lambda plain: plain.pop("sections"),
        lambda plain: plain.update(sections=7),
        lambda plain: plain["sections"].pop(),
        lambda plain: plain["sections"][0]["pieces"][0]["runs"][0].update(span=[1, 5]),
        lambda plain: plain["sections"][0]["pieces"][0]["runs"][0].update(span=[0, 10**9]),
        lambda plain: plain["sections"][0]["pieces"][0]["runs"][0].update(method="guess"),
        lambda plain: plain["sections"][0]["pieces"][0]["source"].update(kind="thing"),
        lambda plain: plain["limits"].update(other=1),
        lambda plain: plain.pop("now"),
    ],
)
def test_that_an_account_that_does_not_fit_is_refused(damage: Damage) -> None:
    request = build(a_snapshot(a_block("a")))
    plain = copy.deepcopy(account(request))
    damage(plain)
    with pytest.raises(MalformedError):
        read(request, plain)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"text"', "[" * 100_000])
def test_that_what_is_no_account_is_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        read_logged(AGENT, "text", text)


@given(st.text("ab漢😀"), st.text("ab漢😀"), st.text("ab漢😀"))
def test_that_the_common_beginning_is_all_that_is_the_same(start: str, one: str, other: str) -> None:
    length = common_length(start + one, start + other)
    assert (start + one)[:length] == (start + other)[:length]
    assert (start + one)[length : length + 1] != (start + other)[length : length + 1] or (
        start + one == start + other
    )


def test_that_the_first_difference_names_piece_character_and_byte() -> None:
    one = build(
        a_snapshot(a_block("a", "漢字 same then this"), agent=an_agent(tools=("find",)), tools=(a_tool(),))
    )
    other = build(
        a_snapshot(a_block("a", "漢字 same then that"), agent=an_agent(tools=("find",)), tools=(a_tool(),))
    )
    found = first_difference(one, other)
    assert found is not None
    assert found.offset == one.text.index("this") + 2
    assert found.byte == len(one.text[: found.offset].encode())
    assert (found.section, found.piece_id) == ("core", "block:blk_a")
    assert first_difference(one, one) is None


def test_that_the_first_difference_names_a_new_piece_and_not_the_one_that_moved_on_for_it() -> None:
    one = build(a_snapshot(a_block("a"), a_block("c")))
    other = build(a_snapshot(a_block("a"), a_block("b"), a_block("c")))
    for before, after in ((one, other), (other, one)):
        found = first_difference(before, after)
        assert found is not None
        assert found.piece_id == "block:blk_b"


def test_that_what_has_only_grown_is_told_from_what_has_changed() -> None:
    sent = build(a_snapshot(a_block("a"), history=(a_turn(1),)))
    assert today_of(sent, sent) is PresentValue.SAME
    assert (
        today_of(sent, build(a_snapshot(a_block("a"), history=(a_turn(1), a_turn(2))))) is PresentValue.GROWN
    )
    edited = build(a_snapshot(a_block("a", "other"), history=(a_turn(1), a_turn(2))))
    assert today_of(sent, edited) is PresentValue.DIFFERS
    assert (
        today_of(sent, build(a_snapshot(a_block("a"), history=(a_turn(2, "other"),)))) is PresentValue.DIFFERS
    )


def a_long_day(events: int) -> Request:
    """A Request of an agent with so many events and turns, most of which don't go in."""
    turns = tuple(a_turn(number) for number in range(1, events // 4 + 1))
    given_events = tuple(an_event(number, minutes=events - number + 1) for number in range(1, events + 1))
    return build(a_snapshot(a_block("a"), history=turns, events=given_events), strategy=Truncate(2))


def stored(request: Request) -> dict[str, Any]:
    return stored_manifest(request, lambda code, _: code)


def test_that_the_stored_account_keeps_the_newest_of_what_was_left_out_and_sums_of_all_else() -> None:
    request = a_long_day(400)
    found = read(request, stored(request))
    assert (len(request.left_out), len(found.left_out)) == (484, 2 * (KEPT_ALIKE + 1))
    assert sum(row.count for row in found.left_out) == sum(row.count for row in request.left_out)
    assert sum(row.tokens for row in found.left_out) == sum(row.tokens for row in request.left_out)
    names = {row.source.id for row in found.left_out}
    assert {"evt_385", "evt_346", "batch_99", "batch_60"} <= names
    assert not {"evt_345", "batch_59"} & names
    assert {row.source.label for row in found.left_out if row.source.id is None} == {
        "345 older events",
        "59 older turns",
    }


def test_that_the_stored_account_does_not_grow_with_all_that_ever_happened() -> None:
    one, other = (len(json.dumps(stored(a_long_day(events)))) for events in (400, 1_200))
    assert other < one * 1.02


def test_that_few_rows_are_stored_as_they_are() -> None:
    request = a_long_day(40)
    assert stored(request)["left_out"] == [
        row for group in alike(request.left_out) for row in _rows(replace(request, left_out=group))
    ]


def _rows(request: Request) -> list[Any]:
    found: list[Any] = account(request)["left_out"]
    return found
