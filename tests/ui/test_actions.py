import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.actions import SEPARATOR, Action, Actions


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def test_that_menu_shortcut_and_registry_do_the_same(window: QWidget, qtbot: QtBot) -> None:
    done: list[str] = []
    actions = Actions(window)
    actions.add(Action("file.open", "Open", lambda: done.append("open"), "Ctrl+O"))
    menu = QMenu(window)
    actions.fill(menu, ("file.open", SEPARATOR, "file.unknown"))
    menu.actions()[0].trigger()
    assert actions.run("file.open")
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    assert done == ["open"] * 3
    assert len(menu.actions()) == 2


def test_that_what_cannot_be_done_says_why_and_does_nothing(window: QWidget) -> None:
    done: list[int] = []
    reasons = ["no file is open"]
    actions = Actions(window)
    actions.add(Action("a", "A", lambda: done.append(1), why_not=lambda: reasons[0]))
    assert not actions.run("a")
    assert not actions.item("a").isEnabled()
    reasons[0] = ""
    actions.refresh()
    assert actions.item("a").isEnabled()
    assert actions.run("a")
    assert done == [1]


def test_that_a_taken_id_or_shortcut_is_refused(window: QWidget) -> None:
    actions = Actions(window)
    actions.add(Action("a", "A", lambda: None, "Ctrl+K"))
    with pytest.raises(ValueError, match="a"):
        actions.add(Action("a", "A", lambda: None))
    with pytest.raises(ValueError, match=r"Ctrl\+K"):
        actions.add(Action("b", "B", lambda: None, "Ctrl+K"))


def test_that_one_shortcut_may_serve_two_scopes(window: QWidget) -> None:
    first, second = QWidget(window), QWidget(window)
    actions = Actions(window)
    actions.add(
        Action("a", "A", lambda: None, "Ctrl+F", scope=first),
        Action("b", "B", lambda: None, "Ctrl+F", scope=second),
    )
    assert actions.shortcut_text("a") == actions.shortcut_text("b")


def test_that_a_switch_shows_whether_it_is_on(window: QWidget) -> None:
    state = [False]
    actions = Actions(window)
    actions.add(Action("a", "A", lambda: state.__setitem__(0, not state[0]), is_on=lambda: state[0]))
    actions.item("a").trigger()
    assert actions.item("a").isChecked()


def test_that_an_ampersand_in_a_title_stays_one(window: QWidget) -> None:
    actions = Actions(window)
    actions.add(Action("a", "Cut & paste", lambda: None))
    assert actions.item("a").text() == "Cut && paste"


def test_that_a_family_can_be_removed(window: QWidget) -> None:
    actions = Actions(window)
    actions.add(Action("x.a", "A", lambda: None, "Ctrl+1"), Action("y.a", "A", lambda: None))
    actions.remove("x.")
    assert [each.id for each in actions] == ["y.a"]
    actions.add(Action("x.a", "A", lambda: None, "Ctrl+1"))


def test_that_the_platforms_standard_shortcuts_are_taken(window: QWidget) -> None:
    actions = Actions(window)
    actions.add(Action("a", "A", lambda: None, QKeySequence.StandardKey.Open))
    assert actions.item("a").shortcut() == QKeySequence(QKeySequence.StandardKey.Open)
