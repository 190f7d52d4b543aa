"""The centre's tabs: their titles stay readable, however many there are."""

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.widgets.centre import Centre


def test_that_many_tabs_are_scrolled_and_not_cut(qtbot: QtBot, appearance: Appearance, icons: Icons) -> None:
    centre = Centre(appearance, icons)
    qtbot.addWidget(centre)
    centre.resize(600, 300)
    centre.put("request", QWidget(), "Request", closable=False)
    for number in range(12):
        centre.put(number, QWidget(), f"a block of number {number}")
    centre.show()
    qtbot.waitUntil(centre.isVisible)
    bar = centre.tabBar()
    metrics = QFontMetrics(bar.font())
    for place in range(centre.count()):
        assert bar.tabRect(place).width() > metrics.horizontalAdvance(bar.tabText(place)), place
    steps = [each for each in bar.findChildren(QToolButton) if each.parent() is bar and each.isVisible()]
    assert len(steps) >= 2
    assert bar.tabRect(centre.count() - 1).right() <= bar.width()
