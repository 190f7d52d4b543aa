"""The head of the budget: one line of figures, two where there is little room."""

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import ElidedLabel
from inspector.ui.widgets.budget_bar import ReservePurpose
from inspector.ui.widgets.budget_total import BudgetTotal


@pytest.fixture
def total(qtbot: QtBot, appearance: Appearance) -> BudgetTotal:
    """With figures, and much room."""
    made = BudgetTotal(appearance)
    qtbot.addWidget(made)
    made.tell("~ 10,851", "of 14,800 tokens")
    made.tell_kept(ReservePurpose.REPLY, "7.5 % reply reserve")
    made.show()
    made.resize(1600, made.sizeHint().height())
    return made


def lines(total: BudgetTotal) -> list[float]:
    """Where the letters of each label stand."""
    found = []
    for label in total.findChildren(QLabel):
        if label.text() and label.isVisible():
            # A label's text stands in the middle of what its margins leave.
            room, metrics = label.contentsRect(), QFontMetrics(label.font())
            top = room.top() + (room.height() - metrics.height()) / 2
            found.append(label.mapTo(total, label.rect().topLeft()).y() + top + metrics.ascent())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.75, 1.0, 1.5, 2.0])
def test_that_all_figures_stand_on_one_line(total: BudgetTotal, appearance: Appearance, scale: float) -> None:
    appearance.set_scale(scale)
    total.resize(1600, total.sizeHint().height())
    found = lines(total)
    assert len(found) == 3
    assert max(found) - min(found) <= 1


def test_that_what_is_kept_stands_below_where_there_is_little_room(total: BudgetTotal) -> None:
    total.resize(240, total.height())
    total.resize(240, total.sizeHint().height())
    first, second, third = lines(total)
    assert abs(first - second) <= 1
    assert third > first + 10


def test_that_what_the_figure_is_of_stands_below_where_it_would_be_cut(total: BudgetTotal) -> None:
    total.tell("~ 10,851", "of 14,800 tokens · $0.0027 a call")
    total.resize(280, total.height())
    total.resize(280, total.sizeHint().height())
    first, second, third = lines(total)
    assert third > second > first + 10
    of = next(each for each in total.findChildren(ElidedLabel) if each.text().startswith("of 14,800"))
    assert of.width() >= of.sizeHint().width()


def test_that_without_a_figure_there_is_a_dash(total: BudgetTotal) -> None:
    total.tell("", "no Request")
    assert total.text == "–"


def test_that_figures_below_one_another_take_no_more_height_than_they_need(
    qtbot: QtBot, total: BudgetTotal
) -> None:
    page, rest = QWidget(), QWidget()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    for each in (total, rest):
        column.addWidget(each)
    page.resize(240, 800)
    page.show()
    qtbot.waitUntil(lambda: total.height() == total.sizeHint().height())
    assert rest.height() > 600
