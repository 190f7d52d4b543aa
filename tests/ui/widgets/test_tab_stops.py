"""The order of Tab in a form that scrolls."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.widgets.controls import tab_stops

PLACES = {
    "first": (10, 10),
    "at its right": (400, 30),
    "under it": (10, 60),
    "out of sight": (10, 300),
    "right of that": (400, 305),
    "last": (10, 500),
}


def form() -> QScrollArea:
    inside = QWidget()
    inside.resize(500, 600)
    for name, place in reversed(PLACES.items()):
        QPushButton(name, inside).setGeometry(*place, 90, 20)
    return scrolled(inside)


def scrolled(inside: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    area.resize(500, 200)
    area.setWidget(inside)
    return area


def order(region: QWidget) -> list[str]:
    return [each.text() for each in tab_stops(region) if isinstance(each, QPushButton)]


def test_that_a_form_is_read_row_by_row_wherever_it_is_scrolled_to(qtbot: QtBot) -> None:
    region, inner = QWidget(), form()
    qtbot.addWidget(region)
    outer = scrolled(inner)
    outer.setParent(region)
    below = QPushButton("below the form", region)
    below.setGeometry(10, 210, 90, 20)
    region.show()
    for value in (0, 100, inner.verticalScrollBar().maximum()):
        inner.verticalScrollBar().setValue(value)
        assert order(region) == [*PLACES, "below the form"]
        assert tab_stops(region)[:2] == [outer, inner]
