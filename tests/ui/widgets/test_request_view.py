"""The Request on screen: pointing, marking, copying, scrolling that stays put."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.domain.requests import Piece, Request
from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.theme import contrast
from inspector.ui.widgets.request_folds import RequestFolds
from inspector.ui.widgets.request_heads import HeadPainter
from inspector.ui.widgets.request_places import RequestRange
from inspector.ui.widgets.request_rows import RowCutter
from inspector.ui.widgets.request_view import RequestView
from tests.ui.conversations import conversation
from tests.ui.values import made_piece, made_request

LEFT = Qt.MouseButton.LeftButton
LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def view(qtbot: QtBot, appearance: Appearance) -> Iterator[RequestView]:
    """A view on screen, 640 by 400."""
    made = RequestView(appearance)
    qtbot.addWidget(made)
    made.resize(640, 400)
    made.show()
    QGuiApplication.clipboard().clear()
    yield made
    QGuiApplication.clipboard().clear()


def show(view: RequestView, request: Request, *folded: str) -> None:
    view.show_rows(RowCutter().rows(request, view.columns, RequestFolds(frozenset(folded))))


def point_of(view: RequestView, offset: int) -> QPoint:
    """Where a character of the Request is on screen: a little right of its left edge."""
    rows = view.rows
    assert rows is not None
    row = rows.row_of_offset(offset)
    assert row is not None
    box, place = view.box_of_row(row), rows.place(row)
    assert box is not None
    left = QPointF(view.text_left + view.x_of(place, offset - place.start) + 2, box.center().y())
    return left.toPoint()


def press(view: RequestView, point: QPoint) -> None:
    QTest.mouseClick(view.viewport(), LEFT, pos=point)


def drag(view: RequestView, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(view.viewport(), LEFT, pos=start)
    QTest.mouseMove(view.viewport(), end)
    QApplication.processEvents()
    QTest.mouseRelease(view.viewport(), LEFT, pos=end)


@pytest.fixture
def pointed(view: RequestView) -> list[tuple[str, int]]:
    """What was pointed at: piece ids and offsets."""
    found: list[tuple[str, int]] = []
    view.pointed.connect(lambda piece, offset: found.append((piece.id, offset)))
    return found


@pytest.mark.parametrize(
    "text", ["plain words here\n", "漢字 and more 漢字\n", "a\tb\r\u202ec😀d e\u0301f\n"]
)
def test_that_a_click_on_any_character_gives_its_piece_and_offset(
    view: RequestView, pointed: list[tuple[str, int]], text: str
) -> None:
    request = made_request({"core": ["first\n", text], "log": ["last\n"]})
    show(view, request)
    start = len("first\n")
    wanted = [at for at, each in enumerate(text[:-1]) if each != "\u0301"]
    for at in wanted:
        press(view, point_of(view, start + at))
    assert pointed == [("core/1", start + at) for at in wanted]


def test_that_a_click_beyond_a_line_points_at_its_end(
    view: RequestView, pointed: list[tuple[str, int]]
) -> None:
    show(view, made_request({"core": ["ab\ncd\n"]}))
    press(view, QPoint(600, point_of(view, 0).y()))
    assert pointed == [("core/0", 2)]


def test_that_a_click_in_a_wrapped_line_counts_from_the_lines_start(
    view: RequestView, pointed: list[tuple[str, int]]
) -> None:
    text = "word " * 100
    show(view, made_request({"core": [text]}))
    rows = view.rows
    assert rows is not None
    assert rows.count > 3
    press(view, point_of(view, 321))
    assert pointed == [("core/0", 321)]


def test_that_a_click_on_a_head_asks_to_fold_and_points_at_nothing(
    view: RequestView, pointed: list[tuple[str, int]], qtbot: QtBot
) -> None:
    show(view, made_request({"core": ["a\n"], "log": ["b\n"]}))
    box = view.box_of_row(2)
    assert box is not None
    with qtbot.waitSignal(view.toggled) as said:
        press(view, box.center().toPoint())
    assert said.args == ["log"]
    assert not pointed


def test_that_a_click_below_everything_points_at_nothing(
    view: RequestView, pointed: list[tuple[str, int]]
) -> None:
    show(view, made_request({"core": ["a\n"]}))
    press(view, QPoint(100, 290))
    assert not pointed


def test_that_a_double_click_asks_for_the_source(view: RequestView, qtbot: QtBot) -> None:
    show(view, made_request({"core": ["abc\n"]}))
    with qtbot.waitSignal(view.asked_open) as said:
        QTest.mouseDClick(view.viewport(), LEFT, pos=point_of(view, 1))
    assert said.args is not None
    assert said.args[0].id == "core/0"


def test_that_marked_text_is_copied_with_its_own_characters(view: RequestView) -> None:
    text = "one\r\ntwo\u00a0\u202e😀\tthree\n"
    show(view, made_request({"core": [text]}))
    drag(view, point_of(view, 1), point_of(view, text.index("three") + 3))
    assert view.chosen_text == text[1 : text.index("three") + 3]
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == view.chosen_text


def test_that_marking_goes_across_pieces_and_sections(view: RequestView) -> None:
    request = made_request({"core": ["alpha\n", "beta\n"], "log": ["gamma\n"]})
    show(view, request)
    drag(view, point_of(view, 2), point_of(view, len("alpha\nbeta\n") + 3))
    assert view.chosen_text == "pha\nbeta\ngam"


def test_that_marking_upwards_is_marking_too(view: RequestView) -> None:
    show(view, made_request({"core": ["alpha\nbeta\n"]}))
    drag(view, point_of(view, 8), point_of(view, 1))
    assert view.chosen_text == "lpha\nbe"


def test_that_marking_past_the_lower_edge_stays_in_what_is_in_sight(view: RequestView) -> None:
    show(view, made_request({"core": [LINES * 3]}))
    start = point_of(view, 0)
    QTest.mousePress(view.viewport(), LEFT, pos=start)
    QTest.mouseMove(view.viewport(), QPoint(100, 320))
    QApplication.processEvents()
    assert 0 < len(view.chosen_text) < 300
    QTest.mouseRelease(view.viewport(), LEFT, pos=QPoint(100, 320))


def test_that_with_nothing_marked_the_selected_piece_is_copied(view: RequestView) -> None:
    show(view, made_request({"core": ["alpha\n", "beta\r\n"]}))
    view.select_piece("core/1")
    view.copy()
    assert QGuiApplication.clipboard().text() == "beta\r\n"


def test_that_control_a_marks_everything(view: RequestView) -> None:
    request = made_request({"core": ["alpha\n"], "log": ["beta\n"]})
    show(view, request, "log")
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.chosen_text == request.text


def top(view: RequestView) -> tuple[str, int]:
    """What stands at the upper edge: piece and line in it."""
    assert view.rows is not None
    place = view.rows.place(view.verticalScrollBar().value())
    assert place.piece is not None
    assert place.row is not None
    return place.piece.id, place.row.line


def test_that_what_is_at_the_upper_edge_stays_there_when_text_comes_in_above(view: RequestView) -> None:
    show(view, made_request({"core": [LINES], "log": [LINES]}))
    assert view.rows is not None
    view.verticalScrollBar().setValue(55)
    before = top(view)
    show(view, made_request({"core": [LINES + "more\n" * 7], "log": [LINES]}))
    assert top(view) == before
    show(view, made_request({"core": ["short\n"], "log": [LINES]}))
    assert top(view) == before


def test_that_it_stays_there_when_a_section_above_is_folded(view: RequestView) -> None:
    request = made_request({"core": [LINES], "log": [LINES]})
    show(view, request)
    view.verticalScrollBar().setValue(50)
    before = top(view)
    show(view, request, "core")
    assert top(view) == before


def test_that_the_next_piece_moves_up_when_the_one_at_the_edge_is_gone(view: RequestView) -> None:
    pieces = [made_piece(f"p{number}", LINES) for number in range(4)]
    show(view, made_request({"core": pieces}))
    view.verticalScrollBar().setValue(60)
    assert top(view)[0] == "p1"
    show(view, made_request({"core": [pieces[0], pieces[2], pieces[3]]}))
    assert top(view) == ("p2", 0)


def test_that_marked_text_stays_marked_while_it_is_there(view: RequestView) -> None:
    show(view, made_request({"core": ["alpha\n"], "log": ["gamma\n"]}))
    drag(view, point_of(view, 7), point_of(view, 10))
    assert view.chosen_text == "amm"
    show(view, made_request({"core": ["alpha and more\n"], "log": ["gamma\n"]}))
    assert view.chosen_text == "amm"
    show(view, made_request({"core": ["alpha and more\n"], "log": ["GAMMA\n"]}))
    assert not view.chosen_text


def test_that_arrows_go_from_piece_to_piece(view: RequestView, pointed: list[tuple[str, int]]) -> None:
    show(view, made_request({"core": ["a\n", "b\n"], "log": ["c\n"]}))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        QTest.keyClick(view, key)
    assert pointed == [("core/0", 0), ("core/1", 2), ("log/0", 4), ("log/0", 4), ("core/1", 2)]


def test_that_left_folds_and_right_unfolds_the_section_of_the_selected_piece(view: RequestView) -> None:
    said: list[str] = []
    view.toggled.connect(said.append)
    request = made_request({"core": ["a\n"], "log": ["b\n"]})
    show(view, request)
    view.select_piece("log/0")
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert said == []
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert said == ["log"]
    show(view, request, "log")
    QTest.keyClick(view, Qt.Key.Key_Left)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert said == ["log", "log"]


def test_that_enter_asks_for_the_source_of_the_selected_piece(view: RequestView) -> None:
    asked: list[Piece] = []
    view.asked_open.connect(asked.append)
    show(view, made_request({"core": ["a\n"]}))
    QTest.keyClick(view, Qt.Key.Key_Return)
    view.select_piece("core/0")
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert [each.id for each in asked] == ["core/0"]


def test_that_a_piece_that_is_chosen_elsewhere_comes_into_sight(view: RequestView) -> None:
    show(view, made_request({"core": [LINES] * 3, "log": ["wanted\n"]}))
    view.select_piece("log/0", reveal=True)
    assert view.rows is not None
    row = view.rows.rows_of_piece("log/0")
    assert row is not None
    assert view.box_of_row(row[0]) is not None
    value = view.verticalScrollBar().value()
    view.select_piece("log/0", reveal=True)
    assert view.verticalScrollBar().value() == value


def test_that_the_last_row_can_be_scrolled_to(view: RequestView) -> None:
    show(view, made_request({"core": [LINES], "log": [LINES], "tools": ["x\n"]}))
    QTest.keyClick(view, Qt.Key.Key_End)
    assert view.rows is not None
    box = view.box_of_row(view.rows.count - 1)
    assert box is not None
    assert box.bottom() <= view.viewport().height()
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert view.verticalScrollBar().value() == 0


def test_that_what_a_search_found_comes_into_sight_and_can_be_copied(view: RequestView) -> None:
    request = made_request({"core": [LINES * 4, "needle\n"]})
    show(view, request)
    at = request.text.index("needle")
    view.show_found((RequestRange(at, at + 6),), RequestRange(at, at + 6))
    assert view.chosen_text == "needle"
    assert view.rows is not None
    row = view.rows.row_of_offset(at)
    assert row is not None
    assert view.box_of_row(row) is not None


def test_that_a_screen_reader_hears_the_selected_piece(view: RequestView) -> None:
    show(view, made_request({"core": ["alpha\u202e\n"]}))
    view.select_piece("core/0")
    assert view.accessibleDescription() == "alpha[RLO]\n"


def pixels(view: RequestView) -> set[str]:
    """The colours that are painted."""
    image = view.viewport().grab().toImage()
    return {
        image.pixelColor(x, y).name() for x in range(0, image.width(), 1) for y in range(0, image.height(), 3)
    }


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_that_sections_selection_and_finds_are_painted_in_the_themes_colours(
    view: RequestView, appearance: Appearance, choice: ThemeChoice
) -> None:
    appearance.apply(choice, 1.0)
    theme = appearance.theme
    request = made_request({"core": ["<persona>\nwords\n</persona>\n"], "log": ["entry\n"]})
    show(view, request)
    plain = pixels(view)
    assert theme.section("core").name() in plain
    assert theme.section("log").name() in plain
    selected = theme.blend(theme.selection, theme.background, 0.6).name()
    found = theme.blend(theme.warning, theme.background, 0.35).name()
    assert selected not in plain
    view.select_piece("core/0")
    view.show_found((RequestRange(10, 15),), None)
    assert {selected, found} <= pixels(view)


def test_that_a_text_twice_as_large_has_taller_rows_and_fewer_columns(
    view: RequestView, appearance: Appearance
) -> None:
    show(view, made_request({"core": ["a\n"]}))
    columns, box = view.columns, view.box_of_row(1)
    appearance.set_scale(2.0)
    larger = view.box_of_row(1)
    assert box is not None
    assert larger is not None
    assert larger.height() > 1.8 * box.height()
    assert view.columns < columns


def test_that_an_empty_view_takes_keys_and_clicks(view: RequestView, pointed: list[tuple[str, int]]) -> None:
    view.show_rows(None)
    press(view, QPoint(50, 50))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Return, Qt.Key.Key_End):
        QTest.keyClick(view, key)
    view.copy()
    assert not pointed
    assert not view.chosen_text


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_that_the_words_of_roles_are_legible_on_their_chips(
    view: RequestView, appearance: Appearance, choice: ThemeChoice
) -> None:
    appearance.apply(choice, 1.0)
    theme = appearance.theme
    for colour in (
        theme.accent,
        theme.ok,
        theme.muted,
        theme.section("tools"),
        theme.section("instructions"),
    ):
        ground, word = HeadPainter(appearance).ink(colour)
        assert contrast(word, ground) >= 4.5


def test_that_chips_and_the_line_between_turns_are_painted(view: RequestView, appearance: Appearance) -> None:
    appearance.apply(ThemeChoice.DARK, 1.0)
    show(view, conversation())
    heads, painted = HeadPainter(appearance), pixels(view)
    theme = appearance.theme
    for colour in (theme.accent, theme.ok, theme.section("tools")):
        assert heads.ink(colour)[0].name() in painted


def test_that_a_drag_over_a_message_marks_its_own_text(view: RequestView) -> None:
    request = conversation()
    show(view, request)
    start, end = request.text.index("green?"), request.text.index("All of it.")
    drag(view, point_of(view, start), point_of(view, end))
    assert view.chosen_text == request.text[start:end]
    view.copy()
    assert QGuiApplication.clipboard().text() == request.text[start:end]


def test_that_copying_tells_what_was_copied(view: RequestView) -> None:
    said: list[str] = []
    view.copied.connect(said.append)
    show(view, conversation())
    view.copy()
    view.select_piece("message:m1")
    view.copy()
    assert said == ["=== user ===\nIs it green?\n"]
