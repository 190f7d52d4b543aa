"""Every panel and tab at a small screen's size with large text: the window fits, and no text is cut."""

import asyncio
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)

from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent
from inspector.ui.appearance import ThemeChoice
from inspector.ui.dock_layout import DockLayout
from inspector.ui.editors.fields import FieldRow
from inspector.ui.editors.log import LogEditor
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.changes import ChangesPanel
from inspector.ui.safe_text import ElidedLabel
from inspector.ui.sharing.matrix_view import MatrixTable
from inspector.ui.widgets.overflow import Overflow
from tests.ui.conftest import Studio, Until
from tests.ui.editors.structured_blocks import PROFILE, WATCH
from tests.ui.open_window import calm, open_file
from tests.ui.views import first_blocks, tabs
from tests.ui.world import ADA, QUESTIONS

SCREEN = QSize(1280, 800)
_ROUNDING = 2
_TURNS = 12


def cut(window: QWidget) -> Iterator[str]:
    """Labels, buttons and fields in sight that have less room than their text."""
    for each in window.findChildren(QWidget):
        if not each.isVisible() or not isinstance(each, QLabel | QAbstractButton | QComboBox | QLineEdit):
            continue
        is_named = isinstance(each, QAbstractButton) and bool(each.text())
        if is_named and (around := out_of(each)) is not None:
            yield f"{each.accessibleName()[:40]!r} stands out of its {type(around).__name__}"
        if isinstance(each, ElidedLabel) or not each.visibleRegion().boundingRect().isValid():
            continue
        least, has = each.minimumSizeHint(), each.size()
        if isinstance(each, QLabel) and each.wordWrap():
            least = QSize(0, each.heightForWidth(has.width()))
        text = each.currentText() if isinstance(each, QComboBox) else each.text()
        if isinstance(each, QLineEdit):
            text = text or each.placeholderText()
        most = each.maximumSize()
        if text and has.width() + _ROUNDING < min(least.width(), most.width()):
            yield f"{text[:40]!r} needs {least.width()} pixels across and has {has.width()}"
        if text and has.height() + _ROUNDING < min(least.height(), most.height()):
            yield f"{text[:40]!r} needs {least.height()} pixels in height and has {has.height()}"


def out_of(inner: QWidget) -> QWidget | None:
    """What cuts a widget off, where nothing scrolls to the rest of it."""
    around = inner.parentWidget()
    while around is not None and not inner.isWindow():
        if isinstance(around.parentWidget(), QAbstractScrollArea) or isinstance(around, QTabBar):
            return None
        room = around.rect().adjusted(-_ROUNDING, -_ROUNDING, _ROUNDING, _ROUNDING)
        if not room.contains(inner.rect().translated(inner.mapTo(around, QPoint()))):
            return around
        if around.isWindow():
            break
        around = around.parentWidget()
    return None


@pytest.mark.parametrize(
    "scale",
    [
        pytest.param(1.0, marks=pytest.mark.slow),
        pytest.param(1.5, marks=pytest.mark.slow),
        pytest.param(2.0, marks=pytest.mark.slow),
    ],
)
async def test_that_every_view_fits_a_small_screen(studio: Studio, until: Until, scale: float) -> None:
    await open_file(studio, until)
    window = studio.window
    found: dict[str, list[str]] = {}
    studio.contents.services.appearance.apply(ThemeChoice.DARK, scale)
    window.resize(SCREEN)
    [layout] = window.findChildren(DockLayout)
    waiting = layout.findChildren(QTimer)

    def wrong() -> list[str]:
        least, has = window.minimumSizeHint(), window.size()
        fits = (least.boundedTo(SCREEN), has) == (least, SCREEN)
        return list(cut(window))[:3] + (
            [] if fits else [f"the window needs {least.width()}x{least.height()}"]
        )

    async def look(name: str) -> None:
        await calm(studio, until)
        # Docks that no longer fit beside the centre become tabs a little later.
        await until(lambda: not any(each.isActive() for each in waiting))
        # What is still being laid out comes to fit in the next turns of the loop; what doesn't fit stays so.
        for _ in range(_TURNS):
            await asyncio.sleep(0)
            if not (left := wrong()):
                return
            await asyncio.sleep(0.02)
        found[name] = left

    for name, panel in tabs(studio):
        await look(name)
        for view in panel.views_to_draw() if panel is not None else ():
            await look(f"{name}: {view}")
    assert found == {}


async def test_that_a_view_without_room_is_scrolled_and_not_squeezed(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    window = studio.window
    studio.contents.services.appearance.apply(ThemeChoice.DARK, 2.0)
    window.resize(960, 620)
    panel = studio.contents.open_view("block", first_blocks(studio)["MapSchema"])
    await calm(studio, until)
    await until(lambda: window.size() == QSize(960, 620))
    assert panel is not None
    holder = next(each for each in window.findChildren(Overflow) if each.widget() is panel)
    assert holder.width() < panel.minimumSizeHint().width() <= panel.width()
    assert holder.horizontalScrollBar().maximum() > 0
    assert list(cut(window)) == []
    studio.contents.services.appearance.apply(ThemeChoice.DARK, 1.0)
    window.resize(SCREEN)
    await until(lambda: holder.horizontalScrollBar().maximum() == 0)
    # It has all the room there is.
    await until(lambda: panel.size() == holder.viewport().size() == holder.size())


async def test_that_a_block_opened_at_usual_size_has_room_for_its_fields_names(
    studio: Studio, until: Until
) -> None:
    await studio.opener.change_file(PROFILE.edit)
    await open_file(studio, until)
    studio.contents.services.selection.open(PROFILE.ref)
    await until(lambda: studio.window.findChildren(FieldRow))
    await calm(studio, until)
    appearance = studio.contents.services.appearance
    before = {label_of(row).width() for row in studio.window.findChildren(FieldRow)}
    appearance.apply(ThemeChoice.DARK, 2.0)
    await calm(studio, until)
    assert {label_of(row).width() for row in studio.window.findChildren(FieldRow)} == {
        2 * width for width in before
    }


async def test_that_the_fields_of_a_new_entry_are_whole_with_large_text(studio: Studio, until: Until) -> None:
    await studio.opener.change_file(WATCH.edit)
    await open_file(studio, until)
    studio.contents.services.appearance.apply(ThemeChoice.DARK, 2.0)
    studio.window.resize(SCREEN)
    studio.contents.services.selection.open(WATCH.ref)
    await calm(studio, until)
    await until(lambda: studio.window.findChildren(LogEditor))
    await asyncio.sleep(0.1)
    [editor] = studio.window.findChildren(LogEditor)
    assert editor.rows
    for row in editor.rows.values():
        assert row.rect().contains(row.input.widget.geometry())
    table = editor.view.table
    assert table.viewport().height() >= table.rowHeight(0)
    assert not table.geometry().intersects(editor.view.remove_button.geometry())


async def test_that_undo_and_what_was_done_are_in_sight_in_a_narrow_changes_panel(
    studio: Studio, until: Until
) -> None:
    await studio.opener.change_file(Edit(ADA, ConfigureAgent(model="gpt-4o")))
    await open_file(studio, until)
    studio.contents.services.appearance.apply(ThemeChoice.DARK, 2.0)
    studio.window.resize(SCREEN)
    studio.contents.services.actions.run("view.changes")
    panel = studio.window.dock("changes").findChild(ChangesPanel)
    assert isinstance(panel, ChangesPanel)
    await until(lambda: panel.rows)
    await calm(studio, until)
    panel.setFixedWidth(440)
    await asyncio.sleep(0.05)
    assert panel.rect().contains(panel.turn_button.mapTo(panel, panel.turn_button.rect().bottomRight()))
    header = panel.view.horizontalHeader()
    what = header.sectionViewportPosition(2)
    assert what < header.sectionViewportPosition(1)
    words = panel.view.fontMetrics().horizontalAdvance("Message added")
    assert what + words < panel.view.viewport().width()
    assert words < header.sectionSize(2)


async def test_that_a_blocks_history_shows_several_versions_with_large_text(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    for count in range(5):
        await studio.opener.insert(0, f"{count}. ")
    services = studio.contents.services
    services.appearance.apply(ThemeChoice.DARK, 2.0)
    studio.window.resize(SCREEN)
    services.selection.open(QUESTIONS)
    await calm(studio, until)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    QTest.mouseClick(panel.views.buttons[3], Qt.MouseButton.LeftButton)
    versions = panel.history.versions
    await until(lambda: versions.rows)
    await calm(studio, until)
    assert versions.view.viewport().height() >= 3 * versions.view.rowHeight(0)


async def test_that_two_agents_stand_beside_the_labels_of_the_matrix_with_large_text(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.contents.services.appearance.apply(ThemeChoice.DARK, 2.0)
    studio.window.resize(SCREEN)
    studio.contents.open_view("sharing")
    await calm(studio, until)
    await until(lambda: any(each.isVisible() for each in studio.window.findChildren(MatrixTable)))
    [table] = [each for each in studio.window.findChildren(MatrixTable) if each.isVisible()]
    await until(lambda: table.horizontalHeader().count() > 1)
    await asyncio.sleep(0.1)
    header = table.horizontalHeader()
    assert header.sectionViewportPosition(1) + header.sectionSize(1) <= table.viewport().width()


def label_of(row: FieldRow) -> ElidedLabel:
    """The label with the name of a field."""
    return row.findChildren(ElidedLabel)[0]
