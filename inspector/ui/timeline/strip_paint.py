"""Paints the event strip: how many events there are when, or how large the context was, with marks and times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from inspector.domain.activity import Importance
from inspector.domain.dataclass import dataclass
from inspector.domain.timeline import ContextSize, EventDensity, SizeCourse, TimeBucket, TimeRange, moved
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.timeline.scale import TimeScale
from inspector.ui.timeline.words import COMPRESSED, MARKS, axis_time
from inspector.ui.wording import number, tr_count

_MARK_STEPS = 2.5
_CAPTION_GROUND = 0.75
_BEYOND = MARKS[Importance.HIGH]
_USUAL, _FAR = 0.95, 2
"""The share of figures that a scale is made for, and how many times as much as these is too much for it."""


@dataclass(frozen=True, slots=True)
class StripState:
    """What a strip shows: a scale, figures, the stretch that is chosen, and the stretch whose rows are in sight."""

    scale: TimeScale
    density: EventDensity | None = None
    course: SizeCourse | None = None
    stretch: TimeRange | None = None
    in_sight: TimeRange | None = None


class StripPainter:
    """Paints one state into a rectangle."""

    def __init__(self, appearance: Appearance, painter: QPainter, area: QRect, state: StripState) -> None:
        self._appearance, self._painter, self._state = appearance, painter, state
        self._theme, self._space = appearance.theme, appearance.space
        painter.setFont(appearance.font(TextSize.SMALL))
        self._line = painter.fontMetrics().height()
        self._area = area
        self._plot = area.adjusted(0, self._line, 0, -self._line - self._space(1))

    def paint(self) -> None:
        """Ground, stretch, figures, the band of the rows in sight, times."""
        self._painter.fillRect(self._plot, self._theme.background)
        self._stretch()
        if self._state.course is not None:
            self._sizes(self._state.course)
        elif self._state.density is not None:
            self._events(self._state.density)
        self._band()
        self._times()

    def _x(self, at: datetime) -> float:
        share = min(2.0, max(-1.0, self._state.scale.share(at)))
        return self._plot.left() + self._plot.width() * share

    def _stretch(self) -> None:
        stretch = self._state.stretch
        if stretch is None:
            return
        left, right = self._x(stretch.start), self._x(stretch.end)
        box = QRectF(left, self._plot.top(), max(1.0, right - left), self._plot.height())
        self._painter.fillRect(box, self._theme.selection)
        for x in (left, right):
            self._painter.fillRect(QRectF(x, self._plot.top(), 1, self._plot.height()), self._theme.accent)

    def _events(self, density: EventDensity) -> None:
        counts = [each.count for each in density.buckets]
        most = max(counts, default=0)
        if not most:
            return
        width = density.over.length / len(counts)
        for place, bucket in enumerate(density.buckets):
            if bucket.count:
                left = self._x(moved(density.over.start, width * place))
                right = self._x(moved(density.over.start, width * (place + 1)))
                self._bar(bucket, left, max(1.5, right - left - 0.5), self._plot.height() * 0.92 / most)
        self._highest(tr_count("up to {count} event", "up to {count} events", most))
        self._marks(self._density_marks(density))

    def _bar(self, bucket: TimeBucket, left: float, width: float, scale: float) -> None:
        low, medium, high, critical = bucket.by_importance
        bottom = float(self._plot.bottom() + 1)
        theme = self._theme
        for count, colour in (
            (low, theme.blend(theme.section("activity"), theme.background, 0.55)),
            (medium, theme.section("activity")),
            (high, theme.warning),
            (critical, theme.error),
        ):
            if count:
                height = max(1.0, count * scale)
                self._painter.fillRect(QRectF(left, bottom - height, width, height), colour)
                bottom -= height

    def _density_marks(self, density: EventDensity) -> Iterator[tuple[float, str, QColor]]:
        width = density.over.length / max(1, len(density.buckets))
        for place, bucket in enumerate(density.buckets):
            x = self._x(moved(density.over.start, width * (place + 0.5)))
            if bucket.by_importance[Importance.CRITICAL]:
                yield x, MARKS[Importance.CRITICAL], self._theme.error
            elif bucket.compressions:
                yield x, COMPRESSED, self._theme.accent

    def _highest(self, text: str) -> float:
        """Say what the highest figure is, at its height: above the figures is the place of the marks.

        Gives where the words end.
        """
        width = self._painter.fontMetrics().horizontalAdvance(text) + 2 * self._space(1)
        box = QRectF(self._plot.left(), self._plot.top(), width, self._line)
        self._words(box, text)
        return box.right()

    def _words(self, box: QRectF, text: str) -> None:
        """Write over figures, which shine through a little."""
        ground = QColor(self._theme.background)
        ground.setAlphaF(_CAPTION_GROUND)
        self._painter.fillRect(box, ground)
        self._painter.setPen(self._theme.muted)
        self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _marks(self, marks: Iterator[tuple[float, str, QColor]]) -> None:
        """Paint marks above the figures, as far as each has room. Drawn, as no font is sure to have them."""
        last, size = float("-inf"), self._space(_MARK_STEPS)
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for x, mark, colour in marks:
            if x - last < size * 1.25 or not self._plot.left() <= x <= self._plot.right():
                continue
            last = x
            self._mark(QPointF(x, self._area.top() + self._line / 2), size / 2, mark, colour)
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _mark(self, at: QPointF, half: float, mark: str, colour: QColor) -> None:
        shapes = {
            COMPRESSED: [QPointF(-half, -half), QPointF(half, -half), QPointF(0, half)],
            _BEYOND: [QPointF(-half, half), QPointF(half, half), QPointF(0, -half)],
        }
        diamond = [QPointF(0, -half), QPointF(half, 0), QPointF(0, half), QPointF(-half, 0)]
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(colour)
        self._painter.drawPolygon(QPolygonF([at + each for each in shapes.get(mark, diamond)]))

    def _sizes(self, course: SizeCourse) -> None:
        seen = self._seen(course)
        most = most_of_usual([max(_amounts(each)) for each in seen])
        painter, theme = self._painter, self._theme
        if not most:
            return
        painter.save()
        painter.setClipRect(self._plot)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        estimated = [point for each in seen if not each.reported for point in self._points(each, most)]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.section("messages"), max(1.5, self._space(0.5))))
        painter.drawPolyline(QPolygonF(estimated))
        painter.setPen(QPen(theme.accent, 1, Qt.PenStyle.DashLine))
        for each in seen:
            if each.before is not None:
                x = self._x(each.at)
                painter.drawLine(QPointF(x, self._plot.top()), QPointF(x, self._plot.bottom()))
        painter.setPen(theme.surface)
        painter.setBrush(theme.ok)
        for each in seen:
            if each.reported and each.tokens <= most:
                painter.drawEllipse(self._points(each, most)[-1], self._space(1), self._space(1))
        painter.restore()
        end = self._highest(tr_count("up to {count} token", "up to {count} tokens", most))
        self._beyond([each for each in seen if max(_amounts(each)) > most], end)
        compressed = (each for each in seen if each.before is not None)
        self._marks((self._x(each.at), COMPRESSED, theme.accent) for each in compressed)

    def _beyond(self, sizes: Sequence[ContextSize], end: float) -> None:
        """Mark at the top edge what is larger than the scale, with its figure where there is room behind `end`."""
        painter, theme, half = self._painter, self._theme, self._space(_MARK_STEPS) / 2
        first, last = self._plot.left(), self._plot.left() + self._plot.width()
        for each in (each for each in sizes if first <= self._x(each.at) <= last):
            x, text = self._x(each.at), number(max(_amounts(each)))
            colour = theme.ok if each.reported else theme.section("messages")
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._mark(QPointF(x, self._plot.top() + self._line / 2), half, _BEYOND, colour)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            width = painter.fontMetrics().horizontalAdvance(text) + 2 * self._space(1)
            left = x - half - width
            if left > end:
                self._words(QRectF(left, self._plot.top(), width, self._line), text)
                end = x + half

    def _seen(self, course: SizeCourse) -> list[ContextSize]:
        """Those in sight, with one before and one behind them, so that lines reach the edges."""
        over, sizes = self._state.scale.seen, course.sizes
        inside = [place for place, each in enumerate(sizes) if over.start <= each.at <= over.end]
        if not inside:
            return list(sizes)
        return list(sizes[max(0, inside[0] - 1) : inside[-1] + 2])

    def _points(self, size: ContextSize, most: int) -> list[QPointF]:
        room, x = self._plot.height() * 0.9, self._x(size.at)
        return [QPointF(x, self._plot.bottom() - room * amount / most) for amount in _amounts(size)]

    def _band(self) -> None:
        box = band_box(self._state, self._plot, self._space(1.5))
        if box is not None:
            ground = QColor(self._theme.accent)
            ground.setAlpha(48)
            self._painter.fillRect(box, ground)
            self._painter.setBrush(Qt.BrushStyle.NoBrush)
            self._painter.setPen(self._theme.accent)
            self._painter.drawRect(box)

    def _times(self) -> None:
        """Write three times below: the edges' and the middle's, as far as they have room."""
        seen, metrics = self._state.scale.seen, self._painter.fontMetrics()
        texts = [axis_time(at, seen.length) for at in (seen.start, seen.start + seen.length / 2, seen.end)]
        self._painter.setPen(self._theme.muted)
        box = QRectF(
            self._plot.left(), self._plot.bottom() + 1, self._plot.width(), self._line + self._space(1)
        )
        flags = Qt.AlignmentFlag
        wide = sum(metrics.horizontalAdvance(each) for each in texts) + self._space(6) < box.width()
        for text, side in zip(texts, (flags.AlignLeft, flags.AlignHCenter, flags.AlignRight), strict=True):
            if wide or side is not flags.AlignHCenter:
                self._painter.drawText(box, side | flags.AlignVCenter, text)


def most_of_usual(amounts: Sequence[int]) -> int:
    """The largest amount, without the few that are so large that all others would lie at the bottom beside them."""
    if not amounts:
        return 0
    usual = sorted(amounts)[int((len(amounts) - 1) * _USUAL)]
    return max(each for each in amounts if each <= usual * _FAR) or max(amounts)


def _amounts(size: ContextSize) -> tuple[int, ...]:
    """What a context held: before a compression and after it, else at the moment."""
    return (size.tokens,) if size.before is None else (size.before, size.tokens)


def band_box(state: StripState, plot: QRect, least: float) -> QRectF | None:
    """The band of the rows in sight, at least so wide; None where it is out of what is shown."""
    if state.in_sight is None:
        return None
    left = plot.left() + plot.width() * state.scale.share(state.in_sight.start)
    right = plot.left() + plot.width() * state.scale.share(state.in_sight.end)
    if right < plot.left() or left > plot.right():
        return None
    if right - left < least:
        left, right = (left + right - least) / 2, (left + right + least) / 2
    left, right = max(left, plot.left()), min(right, plot.right())
    return QRectF(left, plot.top(), max(2.0, right - left), plot.height() - 1)
