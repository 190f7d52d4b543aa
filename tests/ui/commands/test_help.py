"""Help, settings and versions are in the window, above it and not in its way."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QWidget,
)

from inspector import __version__
from inspector.domain.errors import NotFoundError
from inspector.runtime.resources import help_page
from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.widgets.reader import PageLineKind, PageReader, lines_of
from inspector.ui.widgets.settings_dialog import SettingRow, SettingsDialog
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file


def words(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


def open_dialog(studio: Studio, action: str, kind: type[QDialog]) -> QDialog:
    assert studio.contents.services.actions.run(action)
    return next(each for each in studio.window.findChildren(kind) if each.isVisible())


def row_of(dialog: QDialog, name: str) -> SettingRow:
    assert isinstance(dialog, SettingsDialog)
    return next(row for row in dialog.rows if row.words.startswith(name))


def test_that_a_page_has_headings_points_and_paragraphs() -> None:
    lines = list(lines_of("# One\n\n## Two\n- three\n<b>four</b>\n"))
    assert [(line.part, line.text) for line in lines] == [
        (PageLineKind.TITLE, "One"),
        (PageLineKind.HEADING, "Two"),
        (PageLineKind.POINT, "three"),
        (PageLineKind.TEXT, "<b>four</b>"),
    ]


def test_that_a_page_that_does_not_ship_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        help_page("../themes/dark")


async def test_that_f1_opens_help_with_every_shortcut(
    qloop: asyncio.AbstractEventLoop, studio: Studio
) -> None:
    studio.window.activateWindow()
    QTest.keyClick(studio.window, Qt.Key.Key_F1)
    reader = next(each for each in studio.window.findChildren(PageReader) if each.isVisible())
    said = words(reader)
    assert "Help" in said
    actions = studio.contents.services.actions
    for action in actions:
        if actions.shortcut_text(action.id):
            assert action.title in said
            assert actions.shortcut_text(action.id) in said
    close = next(each for each in reader.findChildren(QPushButton) if each.text() == "Close")
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    assert not reader.isVisible()


async def test_that_about_tells_versions_and_places(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    said = words(open_dialog(studio, "help.about", QMessageBox)).replace("\u200b", "")
    for expected in (
        __version__,
        "Qt 6",
        f"File: {studio.opener.path}",
        "Window settings: ",
        "window.json",
        "Drafts: ",
    ):
        assert expected in said


async def test_that_a_setting_takes_effect_at_once_and_goes_back(
    qloop: asyncio.AbstractEventLoop, studio: Studio
) -> None:
    dialog = open_dialog(studio, "help.settings", SettingsDialog)
    row = row_of(dialog, "budget.warning_share")
    assert isinstance(row.input, QDoubleSpinBox)
    assert not row.back.isEnabled()
    row.input.selectAll()
    QTest.keyClicks(row.input, "0.5")
    QTest.keyClick(row.input, Qt.Key.Key_Tab)
    settings = studio.opener.settings
    assert settings.number("budget.warning_share") == 0.5
    QTest.mouseClick(row.back, Qt.MouseButton.LeftButton)
    assert settings.changed == {}
    assert row.input.value() == 0.8
    dialog.reject()


async def test_that_a_value_that_does_not_fit_is_refused_with_the_reason(
    qloop: asyncio.AbstractEventLoop, studio: Studio
) -> None:
    dialog = open_dialog(studio, "help.settings", SettingsDialog)
    row = row_of(dialog, "time.zone")
    assert isinstance(row.input, QLineEdit)
    row.input.selectAll()
    QTest.keyClicks(row.input, "Mars/Olympus")
    QTest.keyClick(row.input, Qt.Key.Key_Return)
    assert "time.zone can't be Mars/Olympus." in words(row)
    assert studio.opener.settings.text("time.zone") == "UTC"
    row.input.selectAll()
    QTest.keyClicks(row.input, "Europe/Berlin")
    QTest.keyClick(row.input, Qt.Key.Key_Return)
    assert "can't be" not in words(row)
    assert studio.opener.settings.text("time.zone") == "Europe/Berlin"
    dialog.reject()


async def test_that_the_theme_follows_the_setting(
    qloop: asyncio.AbstractEventLoop, studio: Studio, appearance: Appearance
) -> None:
    dialog = open_dialog(studio, "help.settings", SettingsDialog)
    row = row_of(dialog, "window.theme")
    assert isinstance(row.input, QComboBox)
    row.input.setFocus()
    QTest.keyClick(row.input, Qt.Key.Key_Down)
    assert appearance.choice is ThemeChoice.LIGHT
    assert studio.contents.services.preferences.text("window.theme") == "light"
    dialog.reject()


async def test_that_settings_are_found_by_a_few_letters(
    qloop: asyncio.AbstractEventLoop, studio: Studio
) -> None:
    dialog = open_dialog(studio, "help.settings", SettingsDialog)
    assert isinstance(dialog, SettingsDialog)
    QTest.keyClicks(dialog.search, "zone")
    assert [row.words.split()[0] for row in dialog.rows if not row.isHidden()] == ["time.zone"]
    QTest.keyClicks(dialog.search, "xyz")
    assert "No setting matches." in words(dialog)
    assert not dialog.isModal()
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
