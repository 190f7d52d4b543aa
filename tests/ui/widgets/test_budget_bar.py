"""The bar of the window: what is kept free stands apart, by what it is kept for."""

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.widgets.budget_bar import BudgetBar, Kept, KeptFor, Segment

SEGMENTS = (Segment("core", "Core Memory", 100), Segment("messages", "Messages", 200))


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
    bar.show_budget(SEGMENTS, 1000, {KeptFor.REPLY: 100, KeptFor.ESTIMATES: 200})
    assert bar.told_at(50) == "Core Memory: 100 tokens (10.0 % of the window)"
    assert bar.told_at(250) == "Messages: 200 tokens (20.0 % of the window)"
    assert bar.told_at(500) == ""
    assert bar.told_at(750).startswith("Kept for what is only estimated")
    assert "200 tokens (20.0 % of the window)" in bar.told_at(750)
    assert bar.told_at(950) == "Kept for the reply: 100 tokens (10.0 % of the window)"
    told = bar.accessibleDescription()
    assert "Kept for the reply 10.0 %" in told
    assert "only estimated" in told


def test_that_what_is_kept_for_estimates_is_drawn_and_unlike_the_reply(bar: BudgetBar) -> None:
    bar.show_budget(SEGMENTS, 1000, {KeptFor.REPLY: 100})
    without = image(bar)
    bar.show_budget(SEGMENTS, 1000, {KeptFor.REPLY: 100, KeptFor.ESTIMATES: 200})
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
    bar.show_budget(SEGMENTS, 1000, {KeptFor.REPLY: reply, KeptFor.ESTIMATES: estimates})
    wanted = {"border": appearance.theme.border, "error": appearance.theme.error}
    assert image(bar).pixelColor(500, 0).name() == wanted[tone].name()


def test_that_a_line_of_the_legend_is_there_only_while_it_says_something(
    qtbot: QtBot, appearance: Appearance
) -> None:
    line = Kept(appearance, KeptFor.ESTIMATES)
    qtbot.addWidget(line)
    assert line.isHidden()
    line.tell("19.6 % kept for what is only estimated")
    assert not line.isHidden()
    assert line.told == "19.6 % kept for what is only estimated"
    line.tell("")
    assert line.isHidden()
