"""The Request tab in tests: opened on the world's file, and clicked at its characters."""

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from inspector.ui.panels.request import RequestPanel
from inspector.ui.widgets.request_heads import HeadSpot
from inspector.ui.widgets.request_view import RequestView
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm

LEFT = Qt.MouseButton.LeftButton
OpenRequest = Callable[[], Awaitable[RequestPanel]]


async def open_request(studio: Studio, until: Until) -> RequestPanel:
    """Open the world's file, and wait until its Request is shown."""
    workspace, centre = studio.contents.workspace, studio.window.centre
    before = centre.currentWidget()
    workspace.open(studio.opener.path)
    await until(lambda: workspace.file.request and centre.currentWidget() is not before)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, RequestPanel)
    await calm(studio, until)
    await until(lambda: panel.view.rows is not None and panel.view.rows.request is workspace.file.request)
    return panel


def point_of(view: RequestView, text: str, at: int = 0) -> QPoint:
    """Where a character of a text is on screen, scrolled to if it must be."""
    rows = view.rows
    assert rows is not None
    offset = rows.request.text.index(text) + at
    row = rows.row_of_offset(offset)
    assert row is not None
    if view.box_of_row(row) is None:
        view.verticalScrollBar().setValue(row)
    box, place = view.box_of_row(row), rows.place(row)
    assert box is not None
    left = view.text_left + view.x_of(place, offset - place.start)
    return QPoint(round(left) + 2, round(box.center().y()))


def click(view: RequestView, text: str, at: int = 0) -> None:
    QTest.mouseClick(view.viewport(), LEFT, pos=point_of(view, text, at))


def double_click(view: RequestView, text: str, at: int = 0) -> None:
    """As a person does it: press, release, and the second press."""
    point = point_of(view, text, at)
    QTest.mouseClick(view.viewport(), LEFT, pos=point)
    QTest.mouseDClick(view.viewport(), LEFT, pos=point)


def click_spot(view: RequestView, piece_id: str, spot: HeadSpot) -> None:
    """Click on what the head of a piece offers."""
    assert view.rows is not None
    rows = view.rows.rows_of_piece(piece_id)
    assert rows is not None
    if view.spot_center(piece_id, spot) is None:
        view.verticalScrollBar().setValue(rows[0])
    point = view.spot_center(piece_id, spot)
    assert point is not None
    QTest.mouseClick(view.viewport(), LEFT, pos=point.toPoint())


def kinds_of(view: RequestView, piece_id: str) -> list[str]:
    """The kinds of a piece's rows."""
    assert view.rows is not None
    rows = view.rows.rows_of_piece(piece_id)
    assert rows is not None
    return [view.rows.place(row).kind.name for row in rows]
