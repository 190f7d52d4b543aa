"""F1 opens the section about what has the keyboard; the shortcuts are the actions' own."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton

from inspector.runtime.resources import help_page
from inspector.ui.commands.menus import MENUS
from inspector.ui.notices.block_head import BlockTabView
from inspector.ui.panels import PANELS
from inspector.ui.panels.block import BlockPanel
from inspector.ui.program_help.dialog import HelpDialog
from inspector.ui.program_help.sections import HelpLineKind, sections_of
from inspector.ui.program_help.shortcuts import ShortcutSheet
from inspector.ui.program_settings.dialog import SettingsDialog
from inspector.ui.widgets.controls import help_of
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.world import QUESTIONS

CONTROL = Qt.KeyboardModifier.ControlModifier
HEADINGS = {each.heading for each in sections_of(help_page("window"))}


def help_in_sight(studio: Studio) -> HelpDialog:
    [dialog] = [each for each in studio.window.findChildren(HelpDialog) if each.isVisible()]
    return dialog


def has_keyboard(section: str) -> bool:
    return help_of(QApplication.focusWidget()) == section


async def bring_to_front(studio: Studio, until: Until) -> None:
    """Give the window the keyboard; while no window has it, Qt takes no key for a shortcut."""
    studio.window.activateWindow()
    await until(studio.window.isActiveWindow)


def f1(studio: Studio) -> HelpDialog:
    """Press F1 where the keyboard is."""
    QTest.keyClick(QApplication.focusWidget() or studio.window, Qt.Key.Key_F1)
    return help_in_sight(studio)


def test_that_a_page_has_sections_whose_lines_are_joined() -> None:
    one, two = sections_of("# One\nfirst\nline\n\n## Two\n- three\n  goes on\n- <b>four</b>\n\n### Five\nsix")
    assert (one.heading, two.heading) == ("One", "Two")
    assert [each.text for each in one.lines] == ["first line"]
    assert [(each.part, each.text) for each in two.lines] == [
        (HelpLineKind.POINT, "three goes on"),
        (HelpLineKind.POINT, "<b>four</b>"),
        (HelpLineKind.HEADING, "Five"),
        (HelpLineKind.TEXT, "six"),
    ]
    assert two.has(["three", "two"])
    assert not two.has(["three", "first"])


def test_that_every_panel_names_a_section_that_is_there() -> None:
    assert {row.id: row.help for row in PANELS if row.help not in HEADINGS} == {}


async def test_that_f1_opens_the_section_about_what_has_the_keyboard(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    window, services = studio.window, studio.contents.services
    await bring_to_front(studio, until)
    for row in PANELS:
        if f"view.{row.id}" not in services.actions:
            continue
        services.actions.item(f"view.{row.id}").trigger()
        await calm(studio, until)
        await until(partial(has_keyboard, row.help))
        # Of one open window of the help, F1 anywhere goes to the section.
        assert f1(studio).section == row.help
        await bring_to_front(studio, until)
    # A view of a block has a section of its own, and so has a dialog.
    panel = studio.contents.open_view("block", QUESTIONS)
    assert isinstance(panel, BlockPanel)
    await calm(studio, until)
    panel.first_focus().setFocus()
    assert f1(studio).section == "Edit a block"
    await bring_to_front(studio, until)
    sections = {}
    for view in BlockTabView:
        panel.views.choose(view)
        await calm(studio, until)
        panel.views.buttons[view].setFocus()
        assert help_of(panel.first_focus()) in HEADINGS
        sections[view.name] = f1(studio).section
        await bring_to_front(studio, until)
    assert sections["HISTORY"] == "History"
    assert sections["SETTINGS"] == "Block settings"
    assert sections["SHARING"] == "Sharing"
    assert services.actions.run("help.settings")
    settings = next(each for each in window.findChildren(SettingsDialog) if each.isVisible())
    settings.activateWindow()
    await until(partial(has_keyboard, "Settings"))
    assert f1(studio).section == "Settings"
    assert QApplication.activeModalWidget() is None
    for dialog in window.findChildren(QDialog):
        dialog.reject()


async def test_that_help_is_searched(studio: Studio, until: Until) -> None:
    await bring_to_front(studio, until)
    dialog = f1(studio)
    # Words of any section, the arrow keys go through those that have them, and what was found is marked.
    everything = dialog.list.count()
    QTest.keyClicks(dialog.search, "draft save")
    found = [dialog.list.item(row).text() for row in range(dialog.list.count())]
    assert "Unsaved drafts" in found
    assert 0 < len(found) < everything
    assert {mark.cursor.selectedText().casefold() for mark in dialog.page.extraSelections()} <= {
        "draft",
        "save",
    }
    assert dialog.page.extraSelections()
    before = dialog.section
    QTest.keyClick(dialog.search, Qt.Key.Key_Down if before == found[0] else Qt.Key.Key_Up)
    assert len(found) > 1
    assert dialog.section != before
    dialog.search.setText("no such words at all xyzzy")
    assert dialog.section == ""
    dialog.search.clear()
    assert dialog.list.count() == everything
    dialog.reject()


async def test_that_the_sheet_lists_the_shortcuts_of_the_actions(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    window, actions = studio.window, studio.contents.services.actions
    await bring_to_front(studio, until)
    dialog = f1(studio)
    # Every key of every action, under its menu, also those of a tab that comes to the front meanwhile.
    shortcuts = next(each for each in dialog.findChildren(QPushButton) if "shortcuts" in each.text())
    shortcuts.click()
    [sheet] = [each for each in window.findChildren(ShortcutSheet) if each.isVisible()]
    assert {each.title for each in sheet.rows} == {
        each.title for each in actions if actions.shortcut_text(each.id)
    }
    menus = [title().replace("&", "") for title, _ in MENUS]
    in_order = [each.menu for each in sheet.rows if each.menu in menus]
    assert in_order == sorted(in_order, key=menus.index)
    assert {each.menu for each in sheet.rows} <= {*menus, "Other"}
    QTest.keyClicks(sheet.search, "UNDO ctrl")
    assert any(each.keys == "Ctrl+Z" for each in sheet.rows)
    assert all("Ctrl" in each.keys for each in sheet.rows)
    index = sheet.view.model().index(0, 0)
    assert sheet.view.visualRect(index).height() == studio.contents.services.appearance.row_height()
    # By the words that find the size of text in the settings, as in the palette.
    sheet.search.setText("zoom")
    assert {"Increase text size", "Decrease text size", "Reset text size"} <= {
        each.title for each in sheet.rows
    }
    sheet.search.setText("xyzzy")
    assert not sheet.rows
    sheet.search.clear()
    titles = {each.title for each in sheet.rows}
    studio.contents.open_view("messages")
    await calm(studio, until)
    await until(lambda: {row.title for row in sheet.rows} != titles)
    sheet.reject()
    dialog.reject()
    await bring_to_front(studio, until)
    QTest.keyClick(window, Qt.Key.Key_Slash, CONTROL)
    await until(lambda: [each for each in window.findChildren(ShortcutSheet) if each.isVisible()])
