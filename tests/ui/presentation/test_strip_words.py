"""What the timeline's strip says beside its figures."""

from datetime import timedelta

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter

from inspector.domain.timeline import ContextSize, EventDensity, SizeCourse, TimeBucket, TimeRange
from inspector.ui.appearance import Appearance
from inspector.ui.timeline.scale import TimeScale
from inspector.ui.timeline.strip_paint import StripPainter, StripState
from tests.ui.values import NOW

DAY = TimeRange(NOW, NOW + timedelta(days=1))
AREA = QRect(0, 0, 400, 80)


class _Heard(StripPainter):
    """A painter whose words can be read."""

    said: str = ""

    def _highest(self, text: str) -> float:
        self.said = text
        return 0.0


@pytest.mark.parametrize(("count", "words"), [(1, "up to 1 event"), (1_200, "up to 1,200 events")])
def test_that_the_most_events_are_said_by_their_number(
    appearance: Appearance, count: int, words: str
) -> None:
    density = EventDensity(DAY, (TimeBucket((count, 0, 0, 0)),), is_whole=True)
    assert _said(appearance, StripState(TimeScale.of(DAY), density)) == words


@pytest.mark.parametrize(("tokens", "words"), [(1, "up to 1 token"), (2, "up to 2 tokens")])
def test_that_the_largest_size_is_said_by_its_number(appearance: Appearance, tokens: int, words: str) -> None:
    course = SizeCourse("agt", (ContextSize(NOW, tokens),), 1)
    assert _said(appearance, StripState(TimeScale.of(DAY), course=course)) == words


def _said(appearance: Appearance, state: StripState) -> str:
    image = QImage(AREA.size(), QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    heard = _Heard(appearance, painter, AREA, state)
    heard.paint()
    painter.end()
    return heard.said
