"""The chart of a context's size: few large figures don't press all others down, and are marked at the edge."""

from datetime import UTC, datetime, timedelta

from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter

from inspector.domain.timeline import ContextSize, SizeCourse, TimeRange
from inspector.ui.appearance import Appearance
from inspector.ui.timeline.scale import TimeScale
from inspector.ui.timeline.strip_paint import StripPainter, StripState, most_of_usual

START = datetime(2026, 11, 29, tzinfo=UTC)
WIDE, HIGH = 400, 120


def test_that_a_scale_is_made_for_what_is_usual() -> None:
    assert most_of_usual([]) == 0
    assert most_of_usual([7]) == 7
    assert most_of_usual([1, 2, 3, 4, 5]) == 5
    assert most_of_usual([*range(100), 11_000]) == 99
    assert most_of_usual([0] * 30 + [500]) == 500


def _heights(appearance: Appearance, sizes: tuple[ContextSize, ...], colour: str) -> list[int]:
    """The rows of a painted chart in which a colour is."""
    image = QImage(WIDE, HIGH, QImage.Format.Format_RGB32)
    image.fill(appearance.theme.surface)
    scale = TimeScale.of(TimeRange(START, START + timedelta(hours=100)))
    painter = QPainter(image)
    state = StripState(scale, course=SizeCourse("ada", sizes))
    StripPainter(appearance, painter, QRect(0, 0, WIDE, HIGH), state).paint()
    painter.end()
    return [y for y in range(HIGH) if any(image.pixelColor(x, y).name() == colour for x in range(WIDE))]


def test_that_a_very_large_request_is_marked_at_the_edge(appearance: Appearance) -> None:
    theme = appearance.theme
    usual = tuple(ContextSize(START + timedelta(hours=at), 1000 + at) for at in range(80))
    large = ContextSize(START + timedelta(hours=90), 11_000, reported=True)
    alone = _heights(appearance, usual, theme.section("messages").name())
    assert _heights(appearance, (*usual, large), theme.section("messages").name()) == alone
    marks = _heights(appearance, (*usual, large), theme.ok.name())
    assert marks
    assert max(marks) < HIGH / 3
