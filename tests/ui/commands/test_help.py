"""Help, settings and versions are in the window, above it and not in its way."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from inspector import __version__
from inspector.domain.errors import NotFoundError
from inspector.runtime.resources import help_page
from inspector.ui.widgets.about import AboutDialog
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file


def words(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


def open_dialog(studio: Studio, action: str, kind: type[QDialog]) -> QDialog:
    assert studio.contents.services.actions.run(action)
    return next(each for each in studio.window.findChildren(kind) if each.isVisible())


def test_that_a_page_that_does_not_ship_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        help_page("../themes/dark")


async def test_that_about_tells_versions_places_and_licences(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    dialog = open_dialog(studio, "help.about", AboutDialog)
    assert isinstance(dialog, AboutDialog)
    said = words(dialog).replace("\u200b", "")
    for expected in (__version__, "Python", "Qt", str(studio.opener.path), "window.json", "Drafts"):
        assert expected in said
    QTest.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert f"Version: {__version__}\n" in copied
    assert f"File: {studio.opener.path}" in copied
    for place, begins in ((1, "MIT License"), (2, "Copyright"), (3, "Copyright")):
        QTest.mouseClick(dialog.views.buttons[place], Qt.MouseButton.LeftButton)
        page = next(each for each in dialog.findChildren(QPlainTextEdit) if each.isVisible())
        assert page.toPlainText().startswith(begins)
        assert not dialog.copy_button.isVisible()
    assert QApplication.activeModalWidget() is None
    dialog.reject()


async def test_that_a_file_with_no_agent_offers_to_make_or_import_one(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    studio.contents.workspace.create(studio.opener.folder / "empty.constellation")
    await until(lambda: studio.contents.workspace.file.path)
    await asyncio.sleep(0.05)
    front = studio.window.centre.currentWidget()
    assert front is not None
    offered = [each for each in front.findChildren(QPushButton) if each.isVisible()]
    new = next(each for each in offered if each.text() == "New agent …")
    assert any(each.text() == "Import an agent file …" for each in offered)
    QTest.mouseClick(new, Qt.MouseButton.LeftButton)
    assert any(each.isVisible() for each in studio.window.findChildren(QDialog))
    for dialog in studio.window.findChildren(QDialog):
        dialog.reject()
