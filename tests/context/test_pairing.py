"""Two Requests paired piece by piece: what became of each, sums that add up, respelled ones and other agents' ones."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.context.alignment import aligned
from inspector.context.comparison import diff, paired
from inspector.domain.counts import Method
from inspector.domain.request_comparison import PieceState
from inspector.domain.requests import Piece, Request, Section, SourceKind, TextRun
from tests.ui.values import made_piece, made_request

TOOL = {"description": "Deploys a release.", "name": "deploy", "parameters": {"type": "object"}}


def states(before: Request, after: Request) -> list[PieceState]:
    return [pair.state for pair in paired(before, after)]


def of_runs(*texts: str) -> Piece:
    """A piece that is sent in parts."""
    runs = tuple(TextRun(text, True, 1, Method.EXACT) for text in texts)
    return replace(made_piece("a", "x"), runs=runs)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (of_runs(json.dumps(TOOL)), of_runs(json.dumps(dict(reversed(TOOL.items())), indent=1))),
        (of_runs("one line\r\nanother \r\n"), of_runs("one line\nanother\n")),
        (of_runs("one\ntwo"), of_runs("one", "two")),
        (of_runs("caf\u00e9"), of_runs("cafe\u0301")),
    ],
)
def test_that_the_same_content_spelled_differently_is_no_change(before: Piece, after: Piece) -> None:
    one, other = made_request({"core": [before]}), made_request({"core": [after]})
    assert states(one, other) == [PieceState.RESPELLED]
    assert states(other, one) == [PieceState.RESPELLED]


@pytest.mark.parametrize(
    ("before", "after"),
    [("  indented", "    indented but more"), ('{"a": 1}', '{"a": 2}'), ("one two", "onetwo"), ("a", "A")],
)
def test_that_other_content_is_a_change(before: str, after: str) -> None:
    one, other = made_request({"core": [of_runs(before)]}), made_request({"core": [of_runs(after)]})
    assert states(one, other) == [PieceState.CHANGED]


PIECES = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from(["core", "log"]), st.integers(0, 3)), max_size=8
)


def request_of(rows: Sequence[tuple[str, str, int]]) -> Request:
    sections: dict[str, list[Piece | str]] = {"core": [], "log": []}
    for name, section, number in rows:
        sections[section].append(made_piece(name, f"{name} {number}\n", section=section, tokens=number + 1))
    return made_request(sections)


@given(PIECES, PIECES)
@settings(max_examples=60, deadline=None)
def test_that_every_piece_of_both_is_in_one_pair_and_the_changes_add_up(
    one: list[tuple[str, str, int]], other: list[tuple[str, str, int]]
) -> None:
    before, after = request_of(one), request_of(other)
    pairs = paired(before, after)
    for request, side in ((before, "before"), (after, "after")):
        pieces = [piece for section in request.sections for piece in section.pieces]
        found = [getattr(pair, side) for pair in pairs if getattr(pair, side) is not None]
        assert sorted(map(id, found)) == sorted(map(id, pieces))
    delta = after.tokens - before.tokens
    assert sum(pair.change.delta for pair in pairs if pair.change is not None) == delta
    assert diff(before, after).delta == delta
    assert all(each.change is None for each in pairs if each.state is PieceState.KEPT)


def test_that_pieces_of_another_agent_are_paired_by_text_and_label() -> None:
    def block(id_: str, label: str, text: str) -> Piece:
        made = made_piece(id_, text)
        return replace(made, source=replace(made.source, label=label))

    def message(id_: str, text: str) -> Piece:
        made = made_piece(id_, text, section="messages")
        return replace(made, source=replace(made.source, kind=SourceKind.MESSAGE, label="user"))

    before = made_request({"core": [block("a1", "human", "Noor\n"), block("a2", "notes", "red\n")]})
    before = replace(
        before, sections=(*before.sections, Section("messages", "Messages", (message("m1", "Hi"),)))
    )
    after = made_request({"core": [block("b1", "human", "Noor\n"), block("b2", "notes", "blue\n")]})
    after = replace(
        after, sections=(*after.sections, Section("messages", "Messages", (message("n1", "Ho"),)))
    )
    found = {pair.state: pair for pair in paired(before, aligned(before, after))}
    assert set(found) == {PieceState.KEPT, PieceState.CHANGED, PieceState.REMOVED, PieceState.ADDED}
    changed = found[PieceState.CHANGED].after
    assert changed is not None
    assert changed.text == "blue\n"
