"""The window by keyboard and mouse: what opens where, where the keyboard goes, and the way through all of it."""

import asyncio

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QTreeView, QWidget

from inspector.domain.edits.text import SetText
from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.panels.timeline import TimelinePanel
from inspector.ui.presentation.places import place_in
from inspector.ui.widgets.request_view import RequestView
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, texts
from tests.ui.world import CHECKLIST, NOTES, PERSONA, QUESTIONS

LONG = "".join(f"line {at} of the notes\n" for at in range(1, 90))


def tree_of(studio: Studio) -> QTreeView:
    found = studio.window.panel("navigator").findChild(QTreeView)
    assert found is not None
    return found


def current(studio: Studio) -> object:
    """The key of the tab in front."""
    return studio.window.centre.current_key


def request_of(studio: Studio) -> RequestPanel:
    panel = studio.contents.open_view("request")
    assert isinstance(panel, RequestPanel)
    return panel


def front_block(studio: Studio) -> BlockPanel:
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    return panel


def press(keys: str, widget: QWidget | None = None) -> None:
    to = widget or QApplication.focusWidget()
    assert to is not None
    QTest.keySequence(to, QKeySequence(keys))


def point_of(view: RequestView, words: str) -> QPoint:
    """Where words stand in the Request, scrolled to."""
    rows = view.rows
    assert rows is not None
    offset = rows.request.text.index(words)
    row = rows.row_of_offset(offset)
    assert row is not None
    view.verticalScrollBar().setValue(max(0, row - 3))
    box = view.box_of_row(row)
    assert box is not None
    place = rows.place(row)
    x = view.text_left + view.x_of(place, offset - place.start)
    return QPointF(x + 2, box.center().y()).toPoint()


async def test_that_a_double_click_in_the_request_opens_the_block_at_that_character(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    await studio.opener.write(QUESTIONS, SetText(LONG))
    await until(lambda: (now := studio.contents.workspace.file.request) and "line 77" in now.text)
    await calm(studio, until)
    view = request_of(studio).view
    await until(lambda: view.rows is not None and "line 77" in view.rows.request.text)
    at = point_of(view, "77 of the notes")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    editor = front_block(studio).page.editor
    await until(lambda: editor.selected_range()[0] == LONG.index("77 of the notes"))
    assert editor.hasFocus()
    assert editor.viewport().rect().contains(editor.cursorRect())
    assert editor.flashed_line == 77
    at = point_of(request_of(studio).view, "12 of the notes")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    view.setFocus()
    press("Ctrl+Return")
    assert editor.selected_range()[0] == LONG.index("12 of the notes")


def test_that_a_place_is_found_in_a_text_of_which_some_lines_are_shown() -> None:
    text = "one\nsame\ntwo\nsame\nthree\n"
    shown = "<notes>\n[Showing lines 3-5 of 5]\ntwo\nsame\nthree\n</notes>\n"
    for words in ("two", "same", "three"):
        found = place_in(text, shown, shown.index(words) + 1)
        assert text[found:].startswith(words[1:])
    assert place_in(text, shown, shown.index("same")) == text.rindex("same")
    assert place_in(text, shown, 3) == 0
    assert place_in("", shown, 9) == 0
    assert place_in("abc", "<x>abc</x>", 4) == 1


async def test_that_back_shows_the_tab_of_what_it_goes_back_to(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    selection = studio.contents.services.selection
    selection.open(QUESTIONS)
    selection.open(NOTES)
    press("Alt+Left", studio.window)
    assert selection.ref == QUESTIONS
    assert current(studio) == ("block", QUESTIONS)
    press("Alt+Right", studio.window)
    assert selection.ref == NOTES
    assert current(studio) == ("block", NOTES)
    tree_of(studio).setFocus()
    selection.select(CHECKLIST)
    selection.select(PERSONA)
    press("Alt+Left", studio.window)
    assert selection.ref == CHECKLIST
    assert current(studio) == ("request", None)


async def test_that_escape_leaves_the_filter_and_everything_is_as_open_as_before(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    tree, panel = tree_of(studio), studio.window.panel("navigator")
    before = expanded(tree)
    assert before
    tree.setFocus()
    press("Ctrl+Alt+F")
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    await asyncio.sleep(0.02)
    assert field.mapTo(panel, QPoint(0, 0)).x() >= 8
    assert panel.width() - field.geometry().right() >= 8
    QTest.keyClicks(field, "no such block anywhere")
    assert tree.model().rowCount() == 0
    assert "Nothing matches." in texts(panel)
    field.clear()
    QTest.keyClicks(field, "open_q")
    press("Esc")
    assert not field.isVisible()
    assert field.text() == ""
    assert tree.hasFocus()
    assert expanded(tree) == before


def expanded(tree: QTreeView) -> list[str]:
    """The rows that are expanded, by their names."""
    found, index = [], tree.model().index(0, 0)
    while index.isValid():
        if tree.isExpanded(index):
            found.append(str(index.data()))
        index = tree.indexBelow(index)
    return found


async def test_that_the_keyboard_goes_back_to_what_was_worked_on(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.open(QUESTIONS)
    block = front_block(studio)
    editor = block.page.editor
    editor.setFocus()
    QTest.keyClicks(editor, "x")
    QTest.mouseClick(block.discard_button, Qt.MouseButton.LeftButton)
    assert editor.hasFocus()
    QTest.keyClicks(editor, "y")
    block.discard_button.setFocus(Qt.FocusReason.TabFocusReason)
    press("Space")
    assert editor.hasFocus()
    QTest.keyClicks(editor, "z")
    block.reason_field.setFocus()
    press("Return")
    await until(lambda: not block.work.is_dirty and not block.work.is_saving)
    assert editor.hasFocus()
    tree = tree_of(studio)
    tree.setFocus()
    studio.contents.services.selection.select(NOTES)
    detail = studio.window.panel("detail")
    await until(lambda: detail_button(detail, "Pin") is not None)
    pin = detail_button(detail, "Pin")
    assert pin is not None
    QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
    await until(lambda: detail_button(detail, "Unpin") is not None)
    assert tree.hasFocus()


def detail_button(panel: QWidget, text: str) -> QPushButton | None:
    return next((each for each in panel.findChildren(QPushButton) if each.text() == text), None)


async def test_that_tab_goes_through_the_window_as_it_is_read(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    window = studio.window
    window.activateWindow()
    parts = {
        "navigator": window.dock("navigator"),
        "centre": window.centre,
        "budget": window.dock("budget"),
        "detail": window.dock("detail"),
    }
    tree_of(studio).setFocus()
    order: list[str] = []
    first = QApplication.focusWidget()
    for _ in range(80):
        focused = QApplication.focusWidget()
        assert focused is not None
        part = next((name for name, each in parts.items() if each.isAncestorOf(focused)), "")
        if part and (not order or order[-1] != part):
            order.append(part)
        press("Tab")
        if QApplication.focusWidget() is first:
            break
    assert order[:4] == ["navigator", "centre", "budget", "detail"]
    assert order[4:] in ([], ["navigator"])
    press("Shift+Tab")
    press("Tab")
    assert QApplication.focusWidget() is first


async def test_that_the_request_shows_that_it_has_the_keyboard(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    view = request_of(studio).view
    accent = studio.contents.services.appearance.theme.accent
    tree_of(studio).setFocus()
    corner = QPoint(0, view.viewport().height() // 2)
    assert view.viewport().grab().toImage().pixelColor(corner) != accent
    view.setFocus()
    assert view.viewport().grab().toImage().pixelColor(corner) == accent


async def test_that_tab_goes_from_what_is_looked_for_to_what_takes_its_place(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.open(QUESTIONS)
    block = front_block(studio)
    block.page.editor.setFocus()
    press("Ctrl+H")
    assert block.page.find_bar.words_field.hasFocus()
    press("Tab")
    assert block.page.find_bar.replacement_field.hasFocus()
    press("Shift+Tab")
    assert block.page.find_bar.words_field.hasFocus()


async def test_that_enter_presses_a_card_of_the_welcome_page(studio: Studio, until: Until) -> None:
    cards = studio.window.findChildren(QPushButton)
    sample = next(each for each in cards if "sample" in each.accessibleName().lower() and each.isVisible())
    pressed: list[int] = []
    sample.clicked.disconnect()
    sample.clicked.connect(lambda: pressed.append(1))
    sample.setFocus()
    press("Return")
    assert pressed == [1]


async def test_that_tabs_are_gone_through_and_closed_by_key_and_by_the_middle_button(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    selection, centre = studio.contents.services.selection, studio.window.centre
    selection.open(QUESTIONS)
    selection.open(NOTES)
    press("Ctrl+PgUp", studio.window)
    assert current(studio) == ("block", QUESTIONS)
    press("Ctrl+PgDown", studio.window)
    press("Ctrl+PgDown", studio.window)
    assert current(studio) == ("request", None)
    bar = centre.tabBar()
    QTest.mouseClick(bar, Qt.MouseButton.MiddleButton, pos=bar.tabRect(1).center())
    assert centre.keys == (("request", None), ("block", NOTES))
    QTest.mouseClick(bar, Qt.MouseButton.MiddleButton, pos=bar.tabRect(0).center())
    assert centre.keys == (("request", None), ("block", NOTES))
    selection.open(Ref(RefKind.BLOCK, QUESTIONS.id))
    centre.close_others(("block", NOTES))
    assert centre.keys == (("request", None), ("block", NOTES))
    release = QMouseEvent(
        QEvent.Type.MouseButtonRelease,
        QPointF(bar.tabRect(1).center()),
        QPointF(bar.mapToGlobal(bar.tabRect(1).center())),
        Qt.MouseButton.RightButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(bar, release)
    assert centre.keys == (("request", None), ("block", NOTES))


async def test_that_what_the_palette_selected_stays_selected_for_the_next_action(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.window.activateWindow()
    studio.contents.services.selection.open(QUESTIONS)
    front_block(studio).page.editor.setFocus()
    for words in ("Is step 3 done?", "no such thing"):
        press("Ctrl+K")
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        QTest.keyClicks(field, words)
        press("Return" if "step" in words else "Esc")
        assert front_block(studio).page.editor.hasFocus()
        ref = studio.contents.services.selection.ref
        assert ref is not None
        assert ref.kind is RefKind.MESSAGE


async def test_that_the_palette_presses_and_goes_to_what_is_in_sight(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    studio.window.activateWindow()
    panel = studio.contents.open_view("activity")
    assert isinstance(panel, TimelinePanel)
    await calm(studio, until)

    def choose(words: str) -> None:
        press("Ctrl+K", studio.window)
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        QTest.keyClicks(field, words)
        press("Return")

    choose("Context size as table")
    assert panel.views.current == 2
    assert QApplication.focusWidget() is panel.views.buttons[2]
    choose("Events over time")
    assert panel.views.current == 2
    panel.views.choose(0)
    choose("Events over time")
    assert QApplication.focusWidget() is panel.strip
    # A control that is an action stands there once; what isn't in sight doesn't stand there.
    titles = [each.title for each in studio.contents.palette_entries()]
    assert titles.count("Filter events") == 1
    assert "Only differences" not in titles
    assert "Move the panel Budget" in titles


async def test_that_the_palette_leaves_alone_what_went_meanwhile(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    studio.contents.open_view("compare")
    await calm(studio, until)
    entries = {each.title: each for each in studio.contents.palette_entries()}
    only = entries["All Requests"]
    studio.contents.open_view("request")
    before = QApplication.focusWidget()
    only.run()
    assert QApplication.focusWidget() is before
    studio.window.centre.close_view(("compare", None))
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    only.run()
    assert QApplication.focusWidget() is before
