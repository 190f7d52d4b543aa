"""Actions that are there while their view is in sight."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.actions import Action, Actions, FrontActions
from inspector.ui.icons import Icons


def test_that_the_view_in_front_has_the_ids(qtbot: QtBot, icons: Icons) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions, done = Actions(window), []
    first = FrontActions(
        actions, icons, Action("edit.save", "Save", lambda: done.append("first"), "Ctrl+S", "save")
    )
    second = FrontActions(
        actions, icons, Action("edit.save", "Save", lambda: done.append("second"), "Ctrl+S")
    )
    first.come()
    actions.run("edit.save")
    second.come()
    first.go()
    actions.run("edit.save")
    second.go()
    assert done == ["first", "second"]
    assert "edit.save" not in actions
    first.come()
    actions.run("edit.save")
    assert done[-1] == "first"
