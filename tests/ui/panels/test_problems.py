"""The problems panel: what a problem says can be read."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QTextLayout
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView

from inspector.domain.changes import Health
from inspector.domain.lint import LintRule
from inspector.ui.presentation.cuts import IGNORED, stored_kinds
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file

SHORT = Health("file.damaged", None, (("path", "x"),))
LONG = Health("import.label_numbered", None, (("label", "many words " * 20),))

LAST = 1
FREE = 14
"""Pixels of a cell beside its text, at text scale 1."""


async def problems(studio: Studio, until: Until) -> QTableView:
    # Their rows are measured alike, and others would stand between those that are looked at.
    studio.contents.services.preferences.set(IGNORED, stored_kinds(LintRule))
    await open_file(studio, until)
    studio.window.toggle_panel("problems")
    view = studio.window.dock("problems").findChild(QTableView)
    assert view is not None
    return view


def lines(view: QTableView, column: int, row: int = 0) -> int:
    """How many lines the text of a row takes in its column, as the view's own layout breaks it."""
    layout = QTextLayout(view.model().index(row, column).data(), view.font())
    layout.beginLayout()
    count = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(view.columnWidth(column) - FREE)
        count += 1
    layout.endLayout()
    return count


@pytest.mark.parametrize("scale", [1.0, 2.0])
async def test_that_a_row_is_as_high_as_its_text_at_every_width(
    studio: Studio, until: Until, scale: float
) -> None:
    view = await problems(studio, until)
    studio.contents.services.appearance.set_scale(scale)
    studio.opener.engine.database.feed.publish(LONG)
    height = QFontMetrics(view.font()).lineSpacing()
    seen = set()
    for width in (2400, 1440, 1280):
        view.window().resize(round(width * scale), round(900 * scale))
        await until(view.isVisible)
        await until(lambda: 0 <= view.rowHeight(0) - lines(view, 1) * height < 3 * height)
        seen.add(lines(view, 1))
    assert len(seen) > 1
    assert "many words" in view.model().index(0, 1).data(Qt.ItemDataRole.ToolTipRole)


async def test_that_it_gets_a_fair_part_of_the_room_when_it_is_first_shown(
    studio: Studio, until: Until
) -> None:
    await problems(studio, until)
    detail = studio.window.dock("detail")
    dock = studio.window.dock("problems")
    await until(lambda: dock.isVisible() and dock.width() > 0.7 * detail.width())


async def test_that_rows_are_measured_only_in_sight_and_at_once_when_they_come_into_it(
    studio: Studio, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = await problems(studio, until)
    dock = studio.window.dock("problems")
    # Once shown with something in it, its columns have their widths: what comes later moves none of them.
    studio.opener.engine.database.feed.publish(SHORT)
    await until(lambda: view.isVisible() and view.columnWidth(1) > 100)
    await asyncio.sleep(0.05)
    dock.hide()
    measured: list[int] = []
    set_height = view.setRowHeight

    def setting(row: int, height: int) -> None:
        measured.append(row)
        set_height(row, height)

    monkeypatch.setattr(view, "setRowHeight", setting)
    studio.opener.engine.database.feed.publish(LONG)
    await until(lambda: view.model().rowCount() == 2)
    await asyncio.sleep(0.05)
    assert measured == []
    height = QFontMetrics(view.font()).lineSpacing()
    assert view.rowHeight(LAST) < 2 * height
    dock.show()
    # Everything is in place in the next turn of the loop: nobody sees it otherwise.
    await until(lambda: measured)
    assert lines(view, 1, LAST) > 1
    await until(lambda: 0 <= view.rowHeight(LAST) - lines(view, 1, LAST) * height < 3 * height)


async def test_that_the_status_bar_opens_the_problems_and_closes_them_again(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    dock = studio.window.dock("problems")
    dock.hide()
    studio.window.activateWindow()
    number = studio.window.status_line.problems_button
    QTest.mouseClick(number, Qt.MouseButton.LeftButton)
    await until(dock.isVisible)
    QTest.mouseClick(number, Qt.MouseButton.LeftButton)
    assert not dock.isVisible()
