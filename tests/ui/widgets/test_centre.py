"""The centre's tabs: their titles stay readable, however many there are."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QTabWidget, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.widgets.centre import Centre


def test_that_of_many_tabs_the_first_and_those_used_last_are_shown_and_none_is_cut(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.resize(760, 300)
    centre.put("request", QWidget, "Request", closable=False)
    for number in range(12):
        centre.put(number, QWidget, f"a block of number {number}")
    centre.show()
    qtbot.waitUntil(centre.isVisible)
    bar = centre.tabBar()
    metrics = QFontMetrics(bar.font())

    def shown() -> list[int]:
        return [place for place in range(centre.count()) if centre.isTabVisible(place)]

    def are_whole() -> bool:
        names = ("ScrollLeftButton", "ScrollRightButton")
        steps = [each for each in bar.findChildren(QToolButton) if each.objectName() in names]
        assert len(steps) == 2
        wide = [
            bar.tabRect(place).width() > metrics.horizontalAdvance(bar.tabText(place)) for place in shown()
        ]
        are_scrolled = any(each.isVisible() for each in steps)
        return all(wide) and not are_scrolled and bar.tabRect(shown()[-1]).right() <= bar.width()

    # Room for the first and three more, whatever the font is.
    room = bar.tabRect(0).width() + 3 * bar.tabRect(12).width()
    centre.resize(room + centre.list_button.sizeHint().width() + 4, 300)
    assert shown() == [0, 10, 11, 12]
    assert are_whole()
    assert "9 hidden" in centre.list_button.accessibleName()
    centre.step(1)
    assert shown() == [0, 10, 11, 12]
    centre.step(1)
    assert centre.current_key == 0
    assert shown() == [0, 1, 11, 12]
    assert are_whole()
    centre.resize(300, 300)
    assert shown()[:2] == [0, 1]
    centre.resize(8000, 300)
    assert shown() == list(range(13))
    centre.resize(room, 300)
    centre.close_view(11)
    assert shown()[0] == 0
    assert 1 in shown()
    assert are_whole()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_that_another_tab_comes_where_all_others_were_hidden(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.resize(150, 300)
    for number in range(4):
        centre.put(number, QWidget, f"a block of number {number}")
    centre.show()
    centre.close_view(3)
    assert centre.current_key == 2
    assert centre.isTabVisible(2)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_that_the_tabs_can_be_listed_and_marked(qtbot: QtBot, appearance: Appearance, icons: Icons) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.resize(600, 300)
    centre.put("request", QWidget, "Request", closable=False)
    assert centre.list_button.isHidden()
    centre.put("a", QWidget, "a block")
    centre.put("b", QWidget, "another & block")
    centre.show()
    # Unsaved work: a dot in the colour of warnings, and words for it.
    centre.rename("a", "a block", marked=True)
    assert "unsaved draft" in centre.tabToolTip(1)
    assert "unsaved draft" in centre.tabBar().accessibleTabName(1)
    picture = centre.tabIcon(1).pixmap(16, 16).toImage()
    assert QColor(picture.pixel(8, 8)) == appearance.theme.warning
    centre.rename("a", "a block")
    assert centre.tabIcon(1).isNull()
    # All tabs in a list.
    QTest.mouseClick(centre.list_button, Qt.MouseButton.LeftButton)
    menu = next(each for each in centre.findChildren(QMenu) if each.isVisible())
    assert [(each.text(), each.isChecked()) for each in menu.actions()] == [
        ("Request", False),
        ("a block", False),
        ("another && block", True),
    ]
    menu.actions()[1].trigger()
    menu.close()
    assert centre.current_key == "a"
    assert centre.has_others
    centre.close_others("b")
    assert centre.keys == ("request", "b")


def test_that_a_view_is_made_and_laid_out_in_turns_of_the_loop(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.show()
    view, done = QWidget(), []

    def make() -> QWidget:
        done.append("made")
        QTimer.singleShot(0, lambda: done.append("the loop came round"))
        return view

    centre.put("a", make, "a block")
    centre.once_there("a", lambda: done.append("there"))
    # The tab is there and in front, with its key, and there is no view yet.
    assert (centre.current_key, centre.keys, centre.tabText(0), done) == ("a", ("a",), "a block", [])
    qtbot.waitUntil(lambda: "there" in done)
    assert done == ["made", "the loop came round", "there"]
    assert centre.has_in_front(view)
    assert view.accessibleName() == "a block"
    centre.rename("a", "a text")
    assert (centre.tabText(0), view.accessibleName()) == ("a text", "a text")
    centre.once_there("a", lambda: done.append("again"))
    assert done[-1] == "again"


def test_that_a_view_is_there_at_once_for_who_asks_and_can_be_closed_before(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.show()
    asked = QWidget()
    centre.put("a", lambda: asked, "a block")
    assert centre.view("a") is asked
    assert not centre.has_in_front(asked)
    assert centre.currentWidget() is asked
    assert centre.has_in_front(asked)
    made: list[str] = []
    closed: list[str] = []

    def make() -> QWidget:
        made.append("made")
        left = QWidget()
        left.destroyed.connect(lambda: closed.append("view"))
        return left

    # Closed before its view is made, and before that stands in the tab.
    for is_made in (False, True):
        centre.put("b", make, "another")
        centre.once_there("b", lambda: closed.append("there"))
        if is_made:
            centre.view("b")
        page = QTabWidget.widget(centre, 1)
        assert page is not None
        page.destroyed.connect(lambda: closed.append("page"))
        centre.close_view("b")
        qtbot.waitUntil(lambda: "page" in closed)
        gone = ["page", "view"] if is_made else ["page"]
        assert (centre.keys, len(made), sorted(closed)) == (("a",), int(is_made), gone)
        closed.clear()


def test_that_a_view_that_comes_later_gets_the_keyboard_of_the_one_before(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.show()
    centre.activateWindow()
    first, second = QLineEdit(), QWidget()
    field = QLineEdit(second)
    centre.put("a", lambda: first, "a block")
    centre.currentWidget().setFocus()
    qtbot.waitUntil(first.hasFocus)
    centre.put("b", lambda: second, "another")
    qtbot.waitUntil(field.hasFocus)


def test_that_keys_pressed_before_a_view_is_there_are_the_views(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.show()
    centre.activateWindow()
    centre.put("a", QLineEdit, "a block")
    first = centre.currentWidget()
    first.setFocus()
    qtbot.waitUntil(first.hasFocus)
    second = QWidget()
    field = QLineEdit(second)
    centre.put("b", lambda: second, "another")
    for key in "typed ahead":
        waiting = QApplication.focusWidget()
        assert waiting is not None
        QTest.keyClicks(waiting, key)
    assert field.text() == "typed ahead"
    assert field.hasFocus()
    # Who goes elsewhere meanwhile isn't called back.
    third = QLineEdit()
    centre.put("c", lambda: third, "a third")
    centre.tabBar().setFocus()
    qtbot.waitUntil(lambda: centre.has_in_front(third))
    assert centre.tabBar().hasFocus()
