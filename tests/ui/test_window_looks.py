"""The window as it is seen and reached: names, the keyboard's way, themes, sizes, nothing cut off."""

import asyncio
import gc

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf
from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.safe_text import ElidedLabel, PlainLabel
from inspector.ui.widgets.banner import Notice
from inspector.ui.widgets.prompt import FormDialog
from inspector.ui.widgets.rows_view import dress_table
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file
from tests.ui.world import CHECKLIST

FOCUSABLE = (QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit, QComboBox, QTabBar)


def nameless(window: QWidget) -> list[str]:
    found = []
    for widget in window.findChildren(QWidget):
        if widget.isHidden():
            continue
        if isinstance(widget, FOCUSABLE) and widget.focusPolicy() != Qt.FocusPolicy.NoFocus:
            inner = isinstance(widget.parent(), QComboBox | QAbstractScrollArea)
            if not widget.accessibleName() and not inner:
                found.append(
                    f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}"
                )
    return found


async def test_that_whatever_takes_the_keyboard_has_a_name(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    assert nameless(studio.window) == []
    await open_file(studio, until)
    studio.contents.services.selection.select(CHECKLIST)
    studio.window.go_to_panel("problems")
    await asyncio.sleep(0.05)
    assert nameless(studio.window) == []


async def test_that_tab_reaches_every_panel(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.window.activateWindow()
    studio.window.go_to_panel("navigator")
    reached: set[str] = set()
    for _ in range(60):
        focused = QApplication.focusWidget()
        assert focused is not None
        for dock in studio.window.findChildren(QDockWidget):
            if dock.isAncestorOf(focused):
                reached.add(dock.objectName())
        if studio.window.centre.isAncestorOf(focused):
            reached.add("centre")
        studio.window.focusNextChild()
    assert {"dock_navigator", "dock_budget", "centre"} <= reached


def cut_off(root: QWidget) -> list[str]:
    """Labels that are shown in less room than their text needs, and may not be elided."""
    found = []
    for label in root.findChildren(PlainLabel):
        if not label.isVisible() or isinstance(label, ElidedLabel) or not label.text():
            continue
        needed = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
        narrow = not label.wordWrap() and label.width() < label.fontMetrics().horizontalAdvance(label.text())
        seen = label.visibleRegion().boundingRect()
        clipped = not seen.isEmpty() and seen.width() + 1 < label.width()
        if label.height() + 1 < needed or narrow or clipped:
            found.append(f"{label.text()!r} {label.size().toTuple()} needs {needed}")
    return found


LOOKS = [(scale, QSize(*size)) for scale in (1.0, 2.0) for size in ((1280, 800), (1920, 1080))]


@pytest.mark.slow
async def test_that_no_text_is_cut_off(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance
) -> None:
    async def look(scale: float, size: QSize) -> None:
        appearance.set_scale(scale)
        studio.window.resize(size)
        await asyncio.sleep(0.1)
        assert cut_off(studio.window) == [], (scale, size)

    for scale, size in LOOKS:
        await look(scale, size)
    await open_file(studio, until)
    studio.contents.services.selection.select(CHECKLIST)
    for scale, size in LOOKS:
        await look(scale, size)
        assert studio.window.width() == size.width()


async def test_that_both_themes_paint_at_both_sizes(
    qloop: asyncio.AbstractEventLoop,
    studio: Studio,
    until: Until,
    appearance: Appearance,
) -> None:
    await open_file(studio, until)
    pictures = {}
    for choice in (ThemeChoice.DARK, ThemeChoice.LIGHT):
        appearance.set_choice(choice)
        for size in (QSize(1440, 900), QSize(1280, 800)):
            studio.window.resize(size)
            await asyncio.sleep(0.02)
            picture = studio.window.grab().toImage()
            assert picture.size() == size
            assert picture.pixelColor(QPoint(3, size.height() // 2)) == appearance.theme.surface
            pictures[choice, size.width()] = picture
    assert pictures[ThemeChoice.DARK, 1280] != pictures[ThemeChoice.LIGHT, 1280]


async def test_that_a_tab_keeps_its_button_through_themes_and_sizes_of_text(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance
) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.open(CHECKLIST)
    bar = studio.window.centre.tabBar()
    for choice, scale in ((ThemeChoice.LIGHT, 1.0), (ThemeChoice.DARK, 2.0), (ThemeChoice.LIGHT, 1.0)):
        appearance.apply(choice, scale)
        await asyncio.sleep(0.02)
        close = bar.tabButton(1, QTabBar.ButtonPosition.RightSide)
        assert isinstance(close, QAbstractButton)
        assert close.isVisible()
        assert close.width() >= close.iconSize().width() > 0
        assert bar.tabRect(1).contains(close.geometry())


async def test_that_at_1280_no_view_needs_a_scroll_bar_across(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    studio.window.resize(1280, 800)
    await open_file(studio, until)
    wide = [
        type(area).__name__
        for area in studio.window.findChildren(QAbstractScrollArea)
        if area.isVisible() and area.horizontalScrollBar().isVisible()
    ]
    assert wide == []


@pytest.mark.slow
async def test_that_closed_views_and_dialogs_leave_nothing_that_a_new_theme_could_touch(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance
) -> None:
    await open_file(studio, until)
    actions, selection = studio.contents.services.actions, studio.contents.services.selection
    for number in range(6):
        for block_id in ("blk_persona", "blk_questions", "blk_oncall"):
            selection.open(Ref(RefKind.BLOCK, block_id))
        actions.run("block.rename")
        studio.window.banners.show_notice(
            Notice("n", "text", "remark", details="d", choices=(("Do", lambda: None),))
        )
        await asyncio.sleep(0.02)
        for prompt in studio.window.findChildren(FormDialog):
            prompt.reject()
        studio.window.banners.close_notice("n")
        for key in studio.window.centre.keys[1:]:
            studio.window.centre.close_view(key)
        await asyncio.sleep(0.02)
        gc.collect()
        appearance.apply((ThemeChoice.LIGHT, ThemeChoice.DARK)[number % 2], 1 + number / 10)
    assert studio.window.centre.count() == 1


@pytest.mark.parametrize("scale", [0.75, 1.0, 2.0])
async def test_that_nothing_moves_down_when_something_is_tried(
    studio: Studio, until: Until, scale: float
) -> None:
    studio.contents.services.appearance.set_scale(scale)
    workspace, bar = studio.contents.workspace, studio.window.top_bar
    await open_file(studio, until)
    before = bar.height()
    workspace.try_out(WhatIf(model="claude-sonnet-5"))
    await until(lambda: bar.what_if.isVisible())
    await asyncio.sleep(0.05)
    assert bar.height() == before


@pytest.mark.parametrize("scale", [1.0, 2.0])
async def test_that_heads_stand_over_the_text_of_their_columns(
    studio: Studio, until: Until, appearance: Appearance, scale: float
) -> None:
    await open_file(studio, until)
    appearance.set_scale(scale)
    table = QTableWidget(1, 1, studio.window)
    dress_table(table, appearance, "table")
    table.setHorizontalHeaderLabels(["I"])
    table.setItem(0, 0, QTableWidgetItem("I"))
    table.resize(400, 200)
    table.show()
    await asyncio.sleep(0)
    head, cells = table.horizontalHeader(), table.viewport()
    head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    assert abs(_first_ink(head, head.height()) - _first_ink(cells, table.rowHeight(0))) <= 1


def _first_ink(widget: QWidget, height: int) -> int:
    """The first column of pixels with a mark on the ground that the left edge has, but for lines at the ends."""
    image = widget.grab(QRect(0, 0, 100, height)).toImage()
    rows = range(4, image.height() - 4)
    return next(
        (x for x in range(image.width()) if any(image.pixel(x, y) != image.pixel(0, y) for y in rows)), -100
    )
