"""The centre's tabs: their titles stay readable, however many there are."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu, QTabWidget, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.widgets.centre import Centre


def test_that_many_tabs_are_scrolled_and_not_cut(qtbot: QtBot, appearance: Appearance, icons: Icons) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.resize(600, 300)
    centre.put("request", QWidget(), "Request", closable=False)
    for number in range(12):
        centre.put(number, QWidget(), f"a block of number {number}")
    centre.show()
    qtbot.waitUntil(centre.isVisible)
    bar = centre.tabBar()
    metrics = QFontMetrics(bar.font())
    for place in range(centre.count()):
        assert bar.tabRect(place).width() > metrics.horizontalAdvance(bar.tabText(place)), place
    steps = [each for each in bar.findChildren(QToolButton) if each.parent() is bar and each.isVisible()]
    assert len(steps) >= 2
    assert bar.tabRect(centre.count() - 1).right() <= bar.width()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_that_the_tabs_can_be_listed_and_marked(qtbot: QtBot, appearance: Appearance, icons: Icons) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.resize(600, 300)
    centre.put("request", QWidget(), "Request", closable=False)
    assert centre.list_button.isHidden()
    draft = QWidget()
    centre.put("a", draft, "a block")
    centre.put("b", QWidget(), "another & block")
    centre.show()
    # Unsaved work: a dot in the colour of warnings, and words for it.
    centre.rename(draft, "a block", marked=True)
    assert "unsaved draft" in centre.tabToolTip(1)
    assert "unsaved draft" in centre.tabBar().accessibleTabName(1)
    picture = centre.tabIcon(1).pixmap(16, 16).toImage()
    assert QColor(picture.pixel(8, 8)) == appearance.theme.warning
    centre.rename(draft, "a block")
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


def test_that_a_view_comes_into_its_tab_when_the_loop_comes_round(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.show()
    view, done = QWidget(), []
    centre.put("a", view, "a block")
    centre.once_there(view, lambda: done.append("there"))
    # The tab is there and in front, with its key, and the view isn't laid out yet.
    assert (centre.current_key, centre.keys, done) == ("a", ("a",), [])
    assert not centre.isAncestorOf(view)
    qtbot.waitUntil(lambda: done == ["there"])
    assert centre.has_in_front(view)
    centre.once_there(view, lambda: done.append("again"))
    assert done == ["there", "again"]


def test_that_a_view_is_there_at_once_for_who_asks_and_can_be_closed_before(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.show()
    asked = QWidget()
    centre.put("a", asked, "a block")
    assert centre.currentWidget() is asked
    assert centre.has_in_front(asked)
    closed: list[str] = []
    left = QWidget()
    centre.put("b", left, "another")
    centre.once_there(left, lambda: closed.append("there"))
    page = QTabWidget.widget(centre, 1)
    assert page is not None
    page.destroyed.connect(lambda: closed.append("page"))
    centre.close_view("b")
    qtbot.waitUntil(lambda: bool(closed))
    assert (centre.keys, closed) == (("a",), ["page"])


def test_that_a_view_that_comes_later_gets_the_keyboard_of_the_one_before(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.show()
    centre.activateWindow()
    first, second = QLineEdit(), QWidget()
    field = QLineEdit(second)
    centre.put("a", first, "a block")
    centre.currentWidget().setFocus()
    qtbot.waitUntil(first.hasFocus)
    centre.put("b", second, "another")
    qtbot.waitUntil(field.hasFocus)
