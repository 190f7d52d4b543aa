"""Rows of messages, entries and events: what stands at their right end is never cut."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QStandardItem, QStandardItemModel
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.widgets.record_rows import RecordRow, RecordTable, RecordWidths

LONG = "[30 minutes ago longer]"


@pytest.mark.parametrize("heading", [False, True])
def test_that_a_time_longer_than_its_column_is_whole(
    qtbot: QtBot, appearance: Appearance, heading: bool
) -> None:
    row = RecordRow("words", lead="Ada", time=LONG, note="failed", heading=heading)

    def painted(widest: str) -> QImage:
        model = QStandardItemModel(0, 1)
        model.appendRow(QStandardItem("words"))
        table = RecordTable(appearance, model, lambda _: row, "Rows", RecordWidths(figure="", time=widest))
        model.setParent(table)
        qtbot.addWidget(table)
        table.resize(QSize(700, 120))
        table.show()
        return table.viewport().grab().toImage()

    assert painted("00 Mmm") == painted(LONG)
