"""Settings stand by subject with short labels, take effect at once and are found by many words."""

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget

from inspector.domain.settings import Setting
from inspector.ui.agent_settings.inputs import ChoiceInput, LineInput
from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.icons import Icons
from inspector.ui.preferences import Preferences
from inspector.ui.program_settings.dialog import ProgramSettingRow, SettingsDialog, StoredSetting
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import texts


def opened(studio: Studio) -> SettingsDialog:
    assert studio.contents.services.actions.run("help.settings")
    found = [each for each in studio.window.findChildren(SettingsDialog) if each.isVisible()]
    return found[-1]


def line_of(row: ProgramSettingRow) -> LineInput:
    assert isinstance(row.input, LineInput)
    return row.input


def enter(row: ProgramSettingRow, text: str) -> None:
    line = line_of(row).line
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def found_by(dialog: SettingsDialog, words: str) -> set[str]:
    dialog.search.clear()
    QTest.keyClicks(dialog.search, words)
    return {name for name, row in dialog.rows.items() if not row.isHidden()}


async def test_that_settings_stand_by_subject_without_dotted_names(
    qloop: asyncio.AbstractEventLoop, studio: Studio
) -> None:
    dialog = opened(studio)
    groups = [dialog.groups.item(at).text() for at in range(dialog.groups.count())]
    subjects = [
        "Appearance",
        "Identity",
        "Keys",
        "Sending",
        "Request",
        "Budget",
        "Summaries",
        "Queue",
        "Files",
    ]
    assert groups == subjects
    shown = texts(dialog)
    for name, row in dialog.rows.items():
        assert name not in shown
        assert len(row.field.label) <= 20
        assert row.field.help.endswith(".")
    assert line_of(dialog.rows["budget.warning_share"]).line.text() == "80"
    assert "Default: 80 %" in shown.replace("\N{NO-BREAK SPACE}", " ")
    assert "Default: 120 s" in shown.replace("\N{NO-BREAK SPACE}", " ")
    # Nothing of what the program keeps for itself, and no setting that has no place.
    assert {"Last file", "Models"}.isdisjoint(shown.splitlines())
    assert dialog.focusWidget() is dialog.search
    QTest.keyClick(dialog.groups, Qt.Key.Key_End)
    assert dialog.groups.currentItem().text() == "Files"
    dialog.reject()


async def test_that_a_value_takes_effect_and_goes_back_or_says_why_it_can_not(
    qloop: asyncio.AbstractEventLoop, studio: Studio, appearance: Appearance
) -> None:
    dialog = opened(studio)
    settings, preferences = studio.opener.settings, studio.contents.services.preferences
    share = dialog.rows["budget.warning_share"]
    assert not share.default_button.isVisible()
    enter(share, "50")
    assert settings.number("budget.warning_share") == 0.5
    QTest.mouseClick(share.default_button, Qt.MouseButton.LeftButton)
    assert settings.changed == {}
    assert line_of(share).line.text() == "80"
    enter(share, "5")
    assert "Enter 10 to 100." in texts(share)
    assert settings.changed == {}
    zone = dialog.rows["time.zone"]
    enter(zone, "Mars/Olympus")
    assert "Time zone can't be Mars/Olympus." in texts(zone)
    assert settings.text("time.zone") == "UTC"
    enter(zone, "Europe/Berlin")
    assert "can't be" not in texts(zone)
    assert settings.text("time.zone") == "Europe/Berlin"
    theme = dialog.rows["window.theme"]
    assert isinstance(theme.input, ChoiceInput)
    theme.input.combo.setFocus()
    QTest.keyClick(theme.input.combo, Qt.Key.Key_Down)
    assert appearance.choice is ThemeChoice.LIGHT
    assert preferences.text("window.theme") == "light"
    box = dialog.rows["window.reopen_last"].findChildren(QCheckBox)[0]
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert not preferences.switch("window.reopen_last")
    # What is changed elsewhere shows here; what is typed and not finished is stored at the end.
    studio.contents.services.actions.run("look.larger")
    size = line_of(dialog.rows["window.text_scale"]).line
    assert size.text() == "112.5"
    name = line_of(dialog.rows["identity.name"]).line
    name.setFocus()
    QTest.keyClicks(name, "Ada")
    dialog.reject()
    assert settings.text("identity.name") == "Ada"


async def test_that_settings_are_found_by_what_people_call_them(
    qloop: asyncio.AbstractEventLoop, studio: Studio
) -> None:
    dialog = opened(studio)
    assert "window.text_scale" in found_by(dialog, "font")
    assert found_by(dialog, "zoom") == {"window.text_scale"}
    assert found_by(dialog, "zone") == {"time.zone"}
    assert found_by(dialog, "dark") == {"window.theme"}
    assert found_by(dialog, "budget yellow") == {"budget.warning_share"}
    hidden = [dialog.groups.isRowHidden(at) for at in range(dialog.groups.count())]
    assert hidden == [True, True, True, True, True, False, True, True, True]
    QTest.keyClick(dialog.search, Qt.Key.Key_Return)
    focused = dialog.focusWidget()
    assert isinstance(focused, QWidget)
    assert dialog.rows["budget.warning_share"].isAncestorOf(focused)
    assert found_by(dialog, "xyz") == set()
    assert "No setting matches." in texts(dialog)
    assert QApplication.activeModalWidget() is None
    dialog.reject()


async def test_that_a_group_that_is_marked_already_is_gone_to_by_a_click(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    dialog = opened(studio)
    found_by(dialog, "budget yellow")
    await until(lambda: dialog.page.verticalScrollBar().maximum() == 0)
    group = dialog.groups.currentItem() if not dialog.groups.isRowHidden(dialog.groups.currentRow()) else None
    found_by(dialog, "")
    await until(lambda: dialog.page.verticalScrollBar().maximum() > 0)
    if group is None:
        dialog.groups.setCurrentRow(5)
        group = dialog.groups.currentItem()
    dialog.page.verticalScrollBar().setValue(0)
    dialog.groups.blockSignals(True)
    dialog.groups.setCurrentItem(group)
    dialog.groups.blockSignals(False)
    QTest.mouseClick(
        dialog.groups.viewport(), Qt.MouseButton.LeftButton, pos=dialog.groups.visualItemRect(group).center()
    )
    assert dialog.page.verticalScrollBar().value() > 0
    dialog.reject()


async def test_that_a_setting_without_a_place_stands_among_the_others(
    qloop: asyncio.AbstractEventLoop,
    studio: Studio,
    appearance: Appearance,
    icons: Icons,
) -> None:
    row = Setting("later.new_thing", 3, "Something of a later version.")
    store = Preferences(None, (row,))
    dialog = SettingsDialog(
        studio.window,
        (appearance, icons),
        [StoredSetting(row, store)],
        studio.contents.services.workspace.keys,
        studio.contents.services.workspace.gate,
    )
    dialog.show()
    assert dialog.rows["later.new_thing"].field.label == "New thing"
    enter(dialog.rows["later.new_thing"], "12")
    assert store.number("later.new_thing") == 12
    dialog.reject()
