"""A bar to go through an agent's past by: a slider over its moments, steps, and a date to type."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSlider

from inspector.domain.errors import InspectorError
from inspector.domain.past_requests import JournalMoment
from inspector.domain.request_comparison import RequestSide, RequestSideKind
from inspector.domain.typed_times import read_period
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import PlainLabel, safe_tooltip
from inspector.ui.widgets.controls import arrange, field, icon_button
from inspector.ui.wording import local_time, number, tr, tr_error

_SOON_MILLISECONDS = 120
_PAGE = 10
_FIELD_STEPS = 38


class MomentBar(QFrame):
    """Knows the moments at which something changed that the shown agent sees.

    `chosen` carries a `RequestSide` of the past, a moment after the slider rests. Arrow keys on the slider go from
    change to change, Page Up and Page Down by ten, Home and End to the ends.
    """

    chosen = Signal(object)

    def __init__(self, services: PanelServices, name: str) -> None:
        super().__init__()
        self._services = services
        self._moments: Sequence[JournalMoment] = ()
        self._asked: int | None = None
        """The change up to which the side goes that is shown, None where it has none yet."""
        self._wanted = ""
        """A time that was asked for before the moments were read."""
        self.setProperty("role", "dock_title")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("{name}: past moment", name=name))
        self.slider.setPageStep(_PAGE)
        safe_tooltip(self.slider, tr("Drag through the changes, oldest on the left"))
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self.back_button = icon_button(services.icons, "back", tr("Earlier change"), lambda: self.step(-1))
        self.forward_button = icon_button(services.icons, "forward", tr("Later change"), lambda: self.step(1))
        self.date_field = field(tr("Date, such as 2026-11-20 09:30"))
        self.date_field.setAccessibleName(tr("{name}: date", name=name))
        self._place = PlainLabel("", tone="muted", size="small")
        self._row = QHBoxLayout(self)
        arrange(self._row, self.back_button, self.slider, self.forward_button, self.date_field, self._place)
        self._row.setStretchFactor(self.slider, 1)
        self.slider.valueChanged.connect(self._slid)
        self._soon.timeout.connect(self._tell)
        self.date_field.returnPressed.connect(self._go_to_date)
        services.appearance.changed.connect(self._measure)
        self._measure()
        self._show_place()

    @property
    def moments(self) -> Sequence[JournalMoment]:
        """All moments that can be gone to, oldest first; empty until they are read."""
        return self._moments

    @property
    def note(self) -> str:
        """What stands beside the date."""
        return self._place.original

    def is_at(self, side: RequestSide) -> bool:
        """Whether a side is the moment that is shown, or soon will be as the slider has just been moved."""
        moment = self._current
        return moment is not None and (self._soon.isActive() or moment.seq == side.seq)

    def begin(self, side: RequestSide | None = None) -> None:
        """Read the moments, and go to that of a side of the past. Without one, stay or go to the last but one."""
        self._asked = None if side is None else side.seq
        self._services.workspace.sides.moments(self, self._take, self._fail)

    def go_to(self, typed: str) -> None:
        """Read the moments, and go to the newest one before a time as it could be typed."""
        self._wanted = typed
        self.begin()

    def forget(self) -> None:
        """Another agent or file is shown."""
        self._soon.stop()
        self._moments, self._wanted = (), ""
        self._set_range(0)

    def step(self, by: int) -> None:
        """Go some moments on, or back."""
        self.slider.setValue(self.slider.value() + by)

    def _take(self, moments: tuple[JournalMoment, ...]) -> None:
        was = self._current
        up_to = self._asked if self._asked is not None else was.seq if was is not None else None
        self._asked = None
        self._moments = moments
        if not moments:
            self._set_range(0)
            self._place.setText(tr("Nothing is recorded of this agent's past."))
            return
        places = [place for place, each in enumerate(moments) if up_to is not None and each.seq <= up_to]
        wanted, self._wanted = self._wanted, ""
        self._set_range(0 if wanted else places[-1] if places else max(0, len(moments) - 2))
        if wanted:
            self.date_field.setText(wanted)
            self._go_to_date()
        self._soon.start()

    def _fail(self, error: BaseException) -> bool:
        if not isinstance(error, InspectorError):
            return False
        self.forget()
        self._place.setText(tr_error(error))
        return True

    @property
    def _current(self) -> JournalMoment | None:
        place = self.slider.value()
        return self._moments[place] if place < len(self._moments) else None

    def _set_range(self, place: int) -> None:
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(0, len(self._moments) - 1))
        self.slider.setValue(place)
        self.slider.blockSignals(False)
        self._show_place()

    def _slid(self, _: int) -> None:
        self._show_place()
        self._soon.start()

    def _show_place(self) -> None:
        moment = self._current
        self.date_field.setEnabled(moment is not None)
        place = self.slider.value()
        self.back_button.setEnabled(moment is not None and place > 0)
        self.forward_button.setEnabled(moment is not None and place < len(self._moments) - 1)
        if moment is None:
            self._place.setText("")
            return
        self.date_field.setText(f"{local_time(moment.at):%Y-%m-%d %H:%M:%S}")
        text = tr("change {place} of {count}", place=number(place + 1), count=number(len(self._moments)))
        self._place.setText(text)
        self._place.set_tone("muted")
        self.slider.setAccessibleDescription(f"{self.date_field.text()}, {text}")

    def _tell(self) -> None:
        moment = self._current
        if moment is not None:
            self.chosen.emit(RequestSide(RequestSideKind.PAST, at=moment.at, seq=moment.seq))

    def _go_to_date(self) -> None:
        typed = _typed(self.date_field.text(), self._services.workspace.now())
        if typed is None:
            self._place.setText(tr("Type a date, such as 20 Nov 09:30 or yesterday"))
            self._place.set_tone("error")
            return
        before, is_second = typed
        place = bisect_left([each.at for each in self._moments], before) - 1
        if place < 0:
            first = local_time(self._moments[0].at) if self._moments else None
            self._place.setText(
                tr("Nothing yet. The first change is from {first:%Y-%m-%d %H:%M}.", first=first)
            )
            self._place.set_tone("error")
            return
        self.slider.setValue(place)
        self._show_place()
        second = timedelta(seconds=1)
        if not is_second or before - self._moments[place].at > second:
            asked = local_time(before - second if is_second else before)
            text = tr("newest change before {at:%Y-%m-%d %H:%M:%S}", at=asked)
            self._place.setText(text)
            self.slider.setAccessibleDescription(f"{self.date_field.text()}, {text}")
        self._soon.start()

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._row.setContentsMargins(space(3), space(1), space(3), space(1))
        self._row.setSpacing(space(2))
        self.date_field.setFixedWidth(space(_FIELD_STEPS))


def _typed(text: str, now: datetime) -> tuple[datetime, bool] | None:
    """Before which moment a typed date asks for the newest change, and whether it names a second; None for no date.

    A day, month or year is meant to its end, a second too. Dates are local unless they have a zone of their own.
    """
    try:
        start, end = read_period(text, now.astimezone().replace(tzinfo=None))
        before = start.replace(microsecond=0) + timedelta(seconds=1) if end is None else end
        return before.astimezone(UTC), end is None
    except (OverflowError, OSError, ValueError):
        return None
