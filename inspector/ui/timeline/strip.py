"""A widget over the event rows: what happened when, to zoom, pan, mark a stretch and go to a moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from enum import Enum, auto

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.domain.timeline import EventDensity, SizeCourse, TimeRange
from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.timeline.scale import TimeScale
from inspector.ui.timeline.strip_paint import StripPainter, StripState, band_box
from inspector.ui.timeline.words import full_moment
from inspector.ui.wording import tr, tr_count

_ZOOM, _PAN, _STEP = 0.8, 0.15, 0.02
_SIDE_STEPS, _HEIGHT_STEPS, _LEAST_STEPS, _NEAR_STEPS = 3, 30, 18, 1.5


class _Drag(Enum):
    STRETCH = auto()
    BAND = auto()


class EventStrip(QWidget):
    """Shows events or sizes by time, and takes the pointer and keys.

    `scaled` tells that another stretch is shown, `stretched` carries the chosen one or None, `went` a moment that
    the rows are to go to, `sent` that of a run whose Request is to be shown.
    """

    scaled = Signal()
    stretched = Signal(object)
    went = Signal(object)
    sent = Signal(object)

    def __init__(self, appearance: Appearance, whole: TimeRange) -> None:
        super().__init__()
        self._appearance = appearance
        self._state = StripState(TimeScale.of(whole))
        self._density: EventDensity | None = None
        self._course: SizeCourse | None = None
        self._drag: _Drag | None = None
        self._from = self._grip = 0.0
        self._pointer: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(tr("Events over time"))
        appearance.changed.connect(self.updateGeometry)
        appearance.changed.connect(self.update)

    @property
    def scale(self) -> TimeScale:
        return self._state.scale

    @property
    def stretch(self) -> TimeRange | None:
        """The stretch that is chosen."""
        return self._state.stretch

    @property
    def density(self) -> EventDensity | None:
        return self._density

    def sizeHint(self) -> QSize:
        return QSize(self._appearance.space(60), self._appearance.space(_HEIGHT_STEPS))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._appearance.space(30), self._appearance.space(_LEAST_STEPS))

    def show_whole(self, whole: TimeRange, *, anew: bool = False) -> None:
        """The file reaches from here to there; `anew` shows all of it."""
        scale = TimeScale.of(whole) if anew else self.scale.grown(whole)
        if anew:
            self._density = self._course = None
            self._put(StripState(self.scale))
        if scale != self.scale:
            self._scale_to(scale)

    def show_density(self, density: EventDensity) -> None:
        self._density = density
        self._choose_figures()
        count = sum(each.count for each in density.buckets)
        self.setAccessibleDescription(
            tr(
                "{events} from {start} to {end}",
                events=tr_count("{count} event", "{count} events", count),
                start=full_moment(density.over.start),
                end=full_moment(density.over.end),
            )
        )

    def show_sizes(self, course: SizeCourse | None) -> None:
        """Show how large a context was; None shows events again."""
        self._course = course
        name = tr("Events over time") if course is None else tr("Context size over time")
        self.setAccessibleName(name)
        self._choose_figures()

    def show_in_sight(self, in_sight: TimeRange | None) -> None:
        """The rows in sight are of this stretch."""
        if in_sight != self._state.in_sight:
            self._put(replace(self._state, in_sight=in_sight))

    def choose(self, stretch: TimeRange | None) -> None:
        """Choose a stretch, or none."""
        if stretch != self._state.stretch:
            self._put(replace(self._state, stretch=stretch))
            self.stretched.emit(stretch)

    def zoom(self, factor: float) -> None:
        """Show `factor` times as much, around the pointer, else around the rows in sight, else the middle."""
        self._scale_to(self.scale.zoomed(factor, self._fixed_share()))

    def zoom_in(self) -> None:
        self.zoom(_ZOOM**2)

    def zoom_out(self) -> None:
        self.zoom(_ZOOM**-2)

    def fit(self) -> None:
        """Show the chosen stretch, else all."""
        stretch = self._state.stretch
        self._scale_to(TimeScale.of(self.scale.whole) if stretch is None else self.scale.fitted(stretch))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            StripPainter(self._appearance, painter, self._area, self._state).paint()
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(self._appearance.theme.accent)
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; with Shift or sideways, pan."""
        delta = event.angleDelta()
        self._pointer = self._share(event.position().x())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(delta.x()) > abs(delta.y()):
            self._scale_to(self.scale.panned(-(delta.x() or delta.y()) / 120 * _PAN))
        elif delta.y():
            self.zoom(_ZOOM ** (delta.y() / 120))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the band, or begin a stretch."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        self._from = x
        box = band_box(self._state, self._area, self._appearance.space(1.5))
        near = self._appearance.space(_NEAR_STEPS)
        if box is not None and box.left() - near <= x <= box.right() + near:
            self._drag, self._grip = _Drag.BAND, x - box.left()
        else:
            self._drag = _Drag.STRETCH

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        self._pointer = self._share(x)
        if self._drag is _Drag.BAND:
            self.went.emit(self._moment(x - self._grip))
        elif self._drag is _Drag.STRETCH and abs(x - self._from) > self._appearance.space(1):
            start, end = sorted((self._moment(self._from), self._moment(x)))
            self._put(replace(self._state, stretch=TimeRange(start, end)))
        elif self._drag is None:
            safe_tooltip(self, self._tip(self._pointer))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tell of a stretch that was dragged over; a click goes to its moment."""
        drag, self._drag = self._drag, None
        if drag is _Drag.STRETCH:
            if abs(event.position().x() - self._from) > self._appearance.space(1):
                self.stretched.emit(self._state.stretch)
            else:
                self.went.emit(self._moment(self._from))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for the Request of the run whose figure is nearest, where sizes are shown."""
        near = self._appearance.space(_NEAR_STEPS)
        at = self._nearest_run(event.position().x(), near)
        if at is None:
            self.mousePressEvent(event)
        else:
            self.sent.emit(at)

    def _nearest_run(self, x: float, near: float) -> datetime | None:
        area, sizes = self._area, () if self._course is None else self._course.sizes
        away = {
            each.at: abs(area.left() + area.width() * self.scale.share(each.at) - x)
            for each in sizes
            if each.reported
        }
        at = min(away, key=lambda each: away[each], default=None)
        return at if at is not None and away[at] <= near else None

    def leaveEvent(self, event: object) -> None:
        self._pointer = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom, pan, mark a stretch and let it go by keys."""
        key, keys = event.key(), Qt.Key
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and key in (keys.Key_Left, keys.Key_Right):
            self._stretch_by(_STEP if key == keys.Key_Right else -_STEP)
            return
        run = self._by_key().get(key)
        if run is None:
            super().keyPressEvent(event)
        else:
            run()

    def _by_key(self) -> dict[int, Callable[[], None]]:
        keys, scale = Qt.Key, self.scale
        return {
            keys.Key_Plus: self.zoom_in,
            keys.Key_Equal: self.zoom_in,
            keys.Key_Minus: self.zoom_out,
            keys.Key_Left: lambda: self._scale_to(scale.panned(-_PAN)),
            keys.Key_Right: lambda: self._scale_to(scale.panned(_PAN)),
            keys.Key_Home: lambda: self._go_to_end(scale.whole.start, -1.0),
            keys.Key_End: lambda: self._go_to_end(scale.whole.end, 1.0),
            keys.Key_F: self.fit,
            keys.Key_Escape: lambda: self.choose(None),
        }

    def _go_to_end(self, at: datetime, side: float) -> None:
        reach = self.scale.whole.length / self.scale.seen.length
        self._scale_to(self.scale.panned(side * reach))
        self.went.emit(at)

    def _stretch_by(self, share: float) -> None:
        """Grow or shrink the stretch at its end; without one, begin it at the rows in sight."""
        stretch = self._state.stretch
        if stretch is None:
            start = self.scale.at(self._fixed_share())
            stretch = TimeRange(start, start)
        end = max(stretch.start, min(stretch.end + self.scale.seen.length * share, self.scale.whole.end))
        self.choose(TimeRange(stretch.start, end) if end > stretch.start else None)

    @property
    def _area(self) -> QRect:
        side = self._appearance.space(_SIDE_STEPS)
        return self.rect().adjusted(side, self._appearance.space(1), -side, 0)

    def _share(self, x: float) -> float:
        return min(1.0, max(0.0, (x - self._area.left()) / max(1, self._area.width())))

    def _moment(self, x: float) -> datetime:
        return self.scale.at(self._share(x))

    def _fixed_share(self) -> float:
        if self._pointer is not None:
            return self._pointer
        if self._state.in_sight is not None:
            share = self.scale.share(self._state.in_sight.start)
            if 0 <= share <= 1:
                return share
        return 0.5

    def _tip(self, share: float) -> str:
        when, density = full_moment(self.scale.at(share)), self._density
        if density is None or not density.buckets:
            return when
        place = int((self.scale.at(share) - density.over.start) / density.over.length * len(density.buckets))
        if not 0 <= place < len(density.buckets):
            return when
        events = tr_count("{count} event", "{count} events", density.buckets[place].count)
        return tr("{when}: {events}", when=when, events=events)

    def _choose_figures(self) -> None:
        course = self._course
        density = self._density if course is None else None
        self._put(replace(self._state, course=course, density=density))

    def _scale_to(self, scale: TimeScale) -> None:
        if scale != self.scale:
            self._put(replace(self._state, scale=scale))
            self.scaled.emit()

    def _put(self, state: StripState) -> None:
        self._state = state
        self.update()
