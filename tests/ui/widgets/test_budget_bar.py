"""The bar of the window: what is kept free stands apart, by what it is kept for."""

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.widgets.budget_bar import BarSegment, BudgetBar, ReserveLegend, ReservePurpose

SEGMENTS = (BarSegment("core", "Core Memory", 100), BarSegment("messages", "Messages", 200))


@pytest.fixture
def bar(qtbot: QtBot, appearance: Appearance) -> BudgetBar:
    """A thousand pixels for a thousand tokens."""
    made = BudgetBar(appearance)
    qtbot.addWidget(made)
    made.resize(1000, 16)
    return made


def image(bar: BudgetBar) -> QImage:
    return bar.grab().toImage()


def test_that_the_bar_tells_at_every_place_what_stands_there(bar: BudgetBar) -> None:
    bar.show_budget(SEGMENTS, 1000, {ReservePurpose.REPLY: 100, ReservePurpose.ESTIMATES: 200})
    assert bar.text_at(50) == "Core Memory: 100 tokens (10.0 % of the context window)"
    assert bar.text_at(250) == "Messages: 200 tokens (20.0 % of the context window)"
    assert bar.text_at(500) == ""
    assert bar.text_at(750).startswith("Safety margin")
    assert "200 tokens (20.0 % of the context window)" in bar.text_at(750)
    assert bar.text_at(950) == "Reply reserve: 100 tokens (10.0 % of the context window)"
    text = bar.accessibleDescription()
    assert "Reply reserve 10.0 %" in text
    assert "Safety margin" in text


def test_that_what_is_kept_for_estimates_is_drawn_and_unlike_the_reply(bar: BudgetBar) -> None:
    bar.show_budget(SEGMENTS, 1000, {ReservePurpose.REPLY: 100})
    without = image(bar)
    bar.show_budget(SEGMENTS, 1000, {ReservePurpose.REPLY: 100, ReservePurpose.ESTIMATES: 200})
    drawn = image(bar)
    assert [drawn.pixel(x, 8) for x in range(690)] == [without.pixel(x, 8) for x in range(690)]
    box = (720, 2, 64, 12)
    assert drawn.copy(*box) != without.copy(*box)
    # The patterns repeat every 8 pixels.
    assert drawn.copy(*box) != drawn.copy(box[0] + 200, *box[1:])
    assert drawn.copy(*box) == drawn.copy(box[0] + 64, *box[1:])


@pytest.mark.parametrize(
    ("reply", "estimates", "tone"), [(400, 300, "border"), (400, 301, "error"), (701, 0, "error")]
)
def test_that_the_border_warns_when_less_is_free_than_is_kept_for_whatever(
    bar: BudgetBar, appearance: Appearance, reply: int, estimates: int, tone: str
) -> None:
    bar.show_budget(SEGMENTS, 1000, {ReservePurpose.REPLY: reply, ReservePurpose.ESTIMATES: estimates})
    wanted = {"border": appearance.theme.border, "error": appearance.theme.error}
    assert image(bar).pixelColor(500, 0).name() == wanted[tone].name()


def test_that_a_line_of_the_legend_is_there_only_while_it_says_something(
    qtbot: QtBot, appearance: Appearance
) -> None:
    line = ReserveLegend(appearance, ReservePurpose.ESTIMATES)
    qtbot.addWidget(line)
    assert line.isHidden()
    line.tell("19.6 % safety margin")
    assert not line.isHidden()
    assert line.text == "19.6 % safety margin"
    line.tell("")
    assert line.isHidden()
