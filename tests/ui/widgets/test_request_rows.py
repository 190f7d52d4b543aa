"""The rows in which a Request is shown."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.requests import Request
from inspector.ui.safe_text import show_controls
from inspector.ui.widgets.piece_rows import cut
from inspector.ui.widgets.request_folds import RequestFolds
from inspector.ui.widgets.request_rows import RequestRows, RowCutter
from inspector.ui.widgets.text_rows import TextRow, columns_of
from tests.ui.texts import TEXTS
from tests.ui.values import made_piece, made_request

PIECE_TEXTS = TEXTS.filter(bool)
WIDTHS = st.integers(20, 60)


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Requests of a few sections."""
    names = draw(st.lists(st.sampled_from(("core", "working", "log", "tools")), min_size=1, unique=True))
    return made_request({name: draw(st.lists(PIECE_TEXTS, min_size=1, max_size=4)) for name in names})


def row_texts(rows: RequestRows) -> list[str]:
    """What stands in each row, ``#NAME`` for a head."""
    texts = []
    for row in range(rows.count):
        place = rows.place(row)
        if place.row is None or place.piece is None:
            texts.append(f"#{place.section.name}")
        else:
            texts.append(place.piece.text[place.row.start : place.row.end])
    return texts


@given(PIECE_TEXTS, WIDTHS)
def test_that_the_rows_of_a_piece_hold_all_its_text_but_line_ends(text: str, width: int) -> None:
    rows = cut(made_piece("p", text), width).rows
    by_line: dict[int, str] = {}
    for row in rows:
        by_line[row.line] = by_line.get(row.line, "") + text[row.start : row.end]
    assert "\n".join(by_line.values()) == text.removesuffix("\n")
    assert [row.begins_line for row in rows] == [
        place == 0 or rows[place - 1].line != row.line for place, row in enumerate(rows)
    ]


@given(PIECE_TEXTS, WIDTHS)
def test_that_no_row_is_wider_than_the_view(text: str, width: int) -> None:
    for row in cut(made_piece("p", text), width).rows:
        shown = text[row.start : row.end]
        assert columns_of(shown) <= width or len(shown) == 1


def test_that_a_row_ends_at_a_space_where_there_is_one() -> None:
    piece = made_piece("p", "one two three four five six")
    assert [piece.text[row.start : row.end] for row in cut(piece, 20).rows] == [
        "one two three four ",
        "five six",
    ]


def test_that_a_long_word_is_cut_where_it_must() -> None:
    rows = cut(made_piece("p", "x" * 45), 20).rows
    assert rows == (TextRow(0, 20, 0, True), TextRow(20, 40, 0, False), TextRow(40, 45, 0, False))


def test_that_a_line_of_a_million_characters_is_cut_whole() -> None:
    rows = cut(made_piece("p", "word " * 200_000), 100).rows
    assert rows[-1].end == 1_000_000
    assert all(row.end == following.start for row, following in itertools.pairwise(rows))


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("漢字", 4),
        ("a😀", 3),
        ("a\tb", 6),
        ("\r", 1),
        ("\u202e", 5),
        ("\u00a0", 1),
        ("é", 1),
    ],
)
def test_that_columns_are_those_of_what_is_shown(text: str, columns: int) -> None:
    assert columns_of(text) == columns
    assert len(show_controls(text)) <= columns


@given(requests(), WIDTHS, st.data())
def test_that_offsets_and_rows_lead_to_each_other(request: Request, width: int, data: st.DataObject) -> None:
    folded = frozenset(data.draw(st.sets(st.sampled_from([each.name for each in request.sections]))))
    rows = RowCutter().rows(request, width, RequestFolds(folded))
    for row in range(rows.count):
        place = rows.place(row)
        if place.row is not None:
            assert request.text[place.start] == place.piece.text[place.row.start] if place.piece else False
            assert rows.row_of_offset(place.start) == row
    offset = data.draw(st.integers(0, len(request.text) - 1))
    found = rows.row_of_offset(offset)
    assert found is not None
    place, piece = rows.place(found), request.piece_at(offset)
    assert piece is not None
    assert place.section.name == piece.piece.section
    if place.row is None:
        assert place.section.name in folded
    else:
        assert place.piece is piece.piece
        assert place.start <= offset <= place.start + place.row.end - place.row.start


@given(requests(), WIDTHS)
def test_that_all_rows_together_are_the_whole_request(request: Request, width: int) -> None:
    rows = RowCutter().rows(request, width)
    lines = sum(
        len(piece.text.removesuffix("\n").split("\n")) for s in request.sections for piece in s.pieces
    )
    assert rows.line_count == lines
    numbers = [
        place.line_number
        for place in map(rows.place, range(rows.count))
        if place.row and place.row.begins_line
    ]
    assert numbers == list(range(1, lines + 1))
    assert rows.row_of_offset(len(request.text)) is None


@given(requests(), WIDTHS)
def test_that_every_piece_has_its_rows_and_its_start(request: Request, width: int) -> None:
    rows = RowCutter().rows(request, width)
    for placed in request.placed():
        found = rows.rows_of_piece(placed.piece.id)
        assert found is not None
        assert all(rows.place(row).piece is placed.piece for row in found)
        assert rows.start_of(placed.piece.id) == placed.start
        assert rows.piece(placed.piece.id) is placed.piece


def test_that_a_folded_section_is_its_head_alone() -> None:
    request = made_request({"core": ["a\nb\n"], "log": ["c\n"]})
    rows = RowCutter().rows(request, 40, RequestFolds(frozenset({"core"})))
    assert row_texts(rows) == ["#core", "#log", "c"]
    assert rows.is_folded("core")
    assert not rows.is_folded("log")
    assert rows.row_of_offset(2) == 0
    assert rows.rows_of_piece("core/0") == range(1)
    assert rows.place(2).line_number == 3


def test_that_outside_there_is_no_row() -> None:
    rows = RowCutter().rows(made_request({"core": ["a\n"]}), 40)
    with pytest.raises(IndexError):
        rows.place(2)
    with pytest.raises(IndexError):
        rows.place(-1)
    assert rows.rows_of_piece("nothing") is None
    assert rows.section_head("nothing") is None


def test_that_a_piece_that_did_not_change_keeps_its_rows() -> None:
    cutter = RowCutter()
    first = cutter.rows(made_request({"core": ["a\n" * 100, "b\n"]}), 40)
    second = cutter.rows(made_request({"core": ["a\n" * 100, "c\n"]}), 40)
    assert second.place(1).row is first.place(1).row
    assert row_texts(second)[-1] == "c"


@given(requests(), requests(), WIDTHS, WIDTHS)
def test_that_what_was_kept_gives_the_same_rows_as_cutting_anew(
    first: Request, second: Request, width: int, other: int
) -> None:
    cutter = RowCutter()
    for request, columns in ((first, width), (second, width), (second, other), (first, other)):
        assert row_texts(cutter.rows(request, columns)) == row_texts(RowCutter().rows(request, columns))


def test_that_a_request_without_sections_has_no_rows() -> None:
    rows = RowCutter().rows(made_request({}), 40)
    assert (rows.count, rows.line_count) == (0, 0)
    assert rows.row_of_offset(0) is None
