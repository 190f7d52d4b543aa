"""The problems panel: what a problem says can be read."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QTextLayout
from PySide6.QtWidgets import QTableView

from inspector.domain.changes import Health
from tests.ui.conftest import Studio, Until

LONG = Health("import.label_numbered", None, (("label", "many words " * 20),))

FREE = 14
"""Pixels of a cell beside its text, at text scale 1."""


async def problems(studio: Studio, until: Until) -> QTableView:
    studio.furniture.workspace.open(Path("harbor.constellation"))
    await until(lambda: studio.furniture.workspace.request)
    dock = studio.window.dock("problems")
    dock.show()
    view = dock.findChild(QTableView)
    assert view is not None
    return view


def lines(view: QTableView, column: int) -> int:
    """How many lines the text of the first row takes in its column, as the view's own layout breaks it."""
    layout = QTextLayout(view.model().index(0, column).data(), view.font())
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
    studio.furniture.services.appearance.set_scale(scale)
    studio.opener.doors.tell(LONG)
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
