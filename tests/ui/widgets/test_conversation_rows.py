"""The rows of messages, calls, results and tools in a Request, and JSON one value a line."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.requests import Request
from inspector.ui.widgets.json_rows import colours_of, gap_after_key, json_rows, looks_like_json
from inspector.ui.widgets.piece_rows import cut, excerpt
from inspector.ui.widgets.request_folds import PieceForm, RequestFolds
from inspector.ui.widgets.request_rows import RequestRows, RowCutter
from inspector.ui.widgets.text_rows import LEAST_DATA, CutPlace, TextRowKind
from tests.ui.conversations import ARGUMENTS, answered, called, conversation, said, tool
from tests.ui.texts import TEXTS
from tests.ui.values import made_piece, made_request

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def kinds(rows: RequestRows) -> list[str]:
    places = [rows.place(row) for row in range(rows.count)]
    return ["SECTION" if each.row is None else each.kind.name for each in places]


def lines(text: str, width: int = 80) -> list[str]:
    """JSON as it is shown."""
    rows = json_rows(text, CutPlace(0, 0, width))
    assert rows is not None
    return [" " * row.indent + text[row.start : row.end] for row in rows]


def test_that_each_message_call_result_and_tool_has_a_head() -> None:
    rows = RowCutter().rows(conversation(), 80)
    assert kinds(rows) == [
        *("SECTION", "TEXT"),
        *("SECTION", "TOOL"),
        *("SECTION", "MESSAGE", "TEXT", "MESSAGE", "CALL", "TEXT", "RESULT", "TEXT"),
        *("MESSAGE", "TEXT", "TEXT", "MESSAGE", "TEXT"),
    ]
    assert rows.called == {"call_m2": "run_ci"}


def test_that_a_line_parts_turns_and_not_messages() -> None:
    rows = RowCutter().rows(conversation(), 80)
    places = [rows.place(row) for row in range(rows.count)]
    assert [place.piece.id for place in places if place.begins_turn and place.piece] == ["message:m5"]


def test_that_arguments_and_result_stand_under_their_heads() -> None:
    for piece in (called("m2", "run_ci"), answered("m3", "m2")):
        head, row = cut(piece, 80).rows[-2:]
        assert row.indent > head.indent


@given(st.lists(TEXTS.filter(bool), min_size=1, max_size=3), st.integers(30, 60), st.booleans())
def test_that_every_character_but_line_ends_and_json_spaces_has_its_row(
    texts: list[str], width: int, formatted: bool
) -> None:
    pieces = [said(str(number), "user", text) for number, text in enumerate(texts)]
    pieces.append(answered("r", "x", json.dumps({"texts": texts})))
    request = made_request({"messages": pieces})
    rows = RowCutter().rows(request, width, RequestFolds(all_json=formatted))
    covered = set[int]()
    for place in (rows.place(row) for row in range(rows.count)):
        if place.row is not None:
            covered |= set(range(place.start, place.start + place.row.end - place.row.start))
    missing = set(range(len(request.text))) - covered
    assert {request.text[at] for at in missing} <= {"\n", " "}


@given(st.lists(TEXTS.filter(bool), min_size=1, max_size=3))
def test_that_line_numbers_are_those_of_the_text_in_every_form(texts: list[str]) -> None:
    pieces = [said(str(number), "user", text) for number, text in enumerate(texts)]
    request = made_request({"messages": [*pieces, answered("r", "x", json.dumps(texts, indent=1))]})
    for folds in (RequestFolds(), RequestFolds(all_json=True)):
        rows = RowCutter().rows(request, 50, folds)
        assert rows.line_count == request.text.count("\n")
        for place in (rows.place(row) for row in range(rows.count)):
            if place.row is not None and place.row.begins_line:
                assert place.line_number == request.text.count("\n", 0, place.start) + 1


def test_that_a_folded_message_is_its_head_and_stands_for_all_its_text() -> None:
    request = conversation()
    rows = RowCutter().rows(request, 80, RequestFolds().with_fold("message:m4"))
    shown = rows.rows_of_piece("message:m4")
    assert shown is not None
    assert len(shown) == 1
    assert rows.row_of_offset(request.text.index("All of it.")) == shown[0]
    assert excerpt(said("m4", "assistant", "Yes.\nAll of it."), 100) == "Yes.\nAll of it."
    assert excerpt(called("m2", "run_ci"), 100).startswith("run_ci()")


def test_that_folds_go_through_another_build() -> None:
    cutter, folds = RowCutter(), RequestFolds().with_fold("message:m2").with_format("message:m3")
    first = cutter.rows(conversation(), 80, folds)
    assert kinds(cutter.rows(conversation(), 80, folds)) == kinds(first)
    assert "JSON" in kinds(first)
    assert "CALL" not in kinds(first)


def test_that_all_pieces_fold_and_unfold_at_once() -> None:
    request = conversation()
    for folded in (True, False):
        rows = RowCutter().rows(request, 80, RequestFolds().with_all_pieces(request, folded=folded))
        cuts = [rows.cut_piece(piece_id) for piece_id in rows.piece_ids[1:]]
        assert {each.form.folded for each in cuts if each} == {folded}


def test_that_a_tool_is_one_line_at_first_and_readable_json_when_unfolded() -> None:
    piece = tool("run_ci")
    assert [row.kind for row in cut(piece, 80, RequestFolds().form(piece)).rows] == [TextRowKind.TOOL]
    opened = RequestFolds().with_fold(piece.id).form(piece)
    assert opened == PieceForm(folded=False, formatted=True)
    assert TextRowKind.JSON in {row.kind for row in cut(piece, 80, opened).rows}


def test_that_json_stands_one_value_a_line() -> None:
    assert lines(ARGUMENTS) == [
        "{",
        '  "ref":"v4.2",',
        '  "targets":[',
        '    "linux",',
        '    "arm64"',
        "  ],",
        '  "dry":{}',
        "}",
    ]
    assert gap_after_key('"ref":"v4.2",', TextRowKind.JSON) == 5
    assert gap_after_key('"ref": 1', TextRowKind.JSON) == -1
    assert gap_after_key('text": 1', TextRowKind.STRING) == -1


@given(JSON.filter(lambda value: isinstance(value, list | dict)), st.sampled_from([None, 1]))
def test_that_any_json_is_shown_and_nothing_of_it_is_lost(value: Any, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    assert looks_like_json(text)
    rows = json_rows(text, CutPlace(0, 0, 10_000))
    assert rows is not None
    assert json.loads(" ".join(text[row.start : row.end] for row in rows)) == value


@pytest.mark.parametrize("text", ['{"a":1}}', "{a b}", "[1,2] x]", '{"a":"}', "{[}", "[1,,2] ]", "{]}"])
def test_that_what_is_no_json_is_shown_as_it_is(text: str) -> None:
    assert json_rows(text, CutPlace(0, 0, 80)) is None
    piece = answered("m3", "m2", text)
    formatted = cut(piece, 80, PieceForm(formatted=True))
    assert [row.kind for row in formatted.rows] == [TextRowKind.RESULT, TextRowKind.TEXT]


def test_that_a_long_value_goes_on_inside_its_string() -> None:
    text = json.dumps({"note": "word " * 40})
    rows = json_rows(text, CutPlace(0, 0, 40))
    assert rows is not None
    inner = [row for row in rows if row.kind is TextRowKind.STRING]
    assert len(inner) > 3
    assert {each.style for row in inner[:-1] for each in colours_of(text[row.start : row.end], row.kind)} == {
        "Literal.String"
    }


def test_that_long_encoded_data_is_one_row_until_all_of_it_is_asked_for() -> None:
    data = "iVBORw0KGgo" * 100
    piece = made_piece("p", f"before {data} after\n")
    assert [row.kind for row in cut(piece, 60).rows] == [TextRowKind.TEXT, TextRowKind.DATA, TextRowKind.TEXT]
    whole = cut(piece, 60, PieceForm(whole=True)).rows
    assert len(whole) > len(data) // 60
    short = made_piece("p", "x" * (LEAST_DATA - 1))
    assert TextRowKind.DATA not in {row.kind for row in cut(short, 60).rows}


def test_that_a_message_that_looks_like_a_frame_is_text() -> None:
    request: Request = made_request({"messages": [said("m1", "user", "=== call rm_rf c1 ===\n{}")]})
    assert kinds(RowCutter().rows(request, 80)) == ["SECTION", "MESSAGE", "TEXT", "TEXT"]
