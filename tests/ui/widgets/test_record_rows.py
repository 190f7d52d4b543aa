"""Rows of messages, entries and events: what stands at their right end is never cut."""

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
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


def entered_by_keyboard(qtbot: QtBot, appearance: Appearance, rows: int) -> RecordTable:
    """A list into which the keyboard has just come: its first row has the ring, none is selected."""
    model = QStandardItemModel(0, 1)
    for number in range(rows):
        model.appendRow(QStandardItem(f"row {number}"))
    table = RecordTable(appearance, model, lambda _: None, "Rows")
    model.setParent(table)
    qtbot.addWidget(table)
    table.resize(QSize(700, 400))
    table.show()
    table.activateWindow()
    table.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: table.currentIndex().row() == 0)
    assert not table.selectionModel().hasSelection()
    return table


def selected(table: RecordTable) -> list[int]:
    return [index.row() for index in table.selectionModel().selectedRows()]


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("key", [Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Home, Qt.Key.Key_PageUp])
def test_that_a_key_selects_the_row_that_has_the_ring(
    qtbot: QtBot, appearance: Appearance, key: Qt.Key, rows: int
) -> None:
    table = entered_by_keyboard(qtbot, appearance, rows)
    QTest.keyClick(table, key)
    assert selected(table) == [0]
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert selected(table) == [min(1, rows - 1)]


@pytest.mark.parametrize("rows", [1, 3])
def test_that_end_selects_the_last_row(qtbot: QtBot, appearance: Appearance, rows: int) -> None:
    table = entered_by_keyboard(qtbot, appearance, rows)
    QTest.keyClick(table, Qt.Key.Key_End)
    assert selected(table) == [rows - 1]


def test_that_enter_selects_the_row_that_has_the_ring_and_opens_it(
    qtbot: QtBot, appearance: Appearance
) -> None:
    table = entered_by_keyboard(qtbot, appearance, 3)
    opened: list[list[int]] = []
    table.entered.connect(lambda: opened.append(selected(table)))
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert opened == [[0]]
