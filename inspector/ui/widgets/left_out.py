"""A widget that lists what was left out of a Request, with reasons and fixes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.left_out_row import LeftOutRow, LeftOutWidget
from inspector.ui.wording import number, tr

_SHOWN = 60
_PER_TURN = 6
"""Rows that are made at once. They are a handful of widgets each; others come after those have been painted."""
_LATER_MILLISECONDS = 50


class LeftOutList(QScrollArea):
    """The rows; what has a known key is changed in place.

    Each signal carries a row's key: `run` of the button that was pressed, `chosen` of the row that was selected,
    `opened` of the one whose source is asked for, `unfolded` of a group whose members are, `pointed` of the row
    whose fix somebody is about to make.
    """

    run = Signal(str)
    chosen = Signal(str)
    opened = Signal(str)
    unfolded = Signal(str)
    pointed = Signal(str)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._shown: dict[str, LeftOutWidget] = {}
        self._selected = self._rising = ""
        self._wanted: Sequence[LeftOutRow] = ()
        """What is to be shown, of which the last may still have no widget."""
        self._soon = QTimer(self, singleShot=True, interval=_LATER_MILLISECONDS)
        self._soon.timeout.connect(lambda: self._make_up_to(len(self._shown) + _PER_TURN))
        self._more = PlainLabel("", tone="muted", size="small")
        inner = QWidget()
        self._rows = QVBoxLayout(inner)
        self._rows.setSpacing(0)
        self._rows.addWidget(self._more)
        self._rows.addStretch(1)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.verticalScrollBar().rangeChanged.connect(self._rise)
        appearance.changed.connect(self._measure)
        self._measure()

    def show_rows(self, rows: Sequence[LeftOutRow]) -> None:
        """Show these rows in this order."""
        self._wanted = wanted = rows[:_SHOWN]
        for key in self._shown.keys() - {row.key for row in wanted}:
            self._drop(self._shown.pop(key))
        self._make_up_to(max(len(self._shown), _PER_TURN))
        self._more.setVisible(len(rows) > len(wanted))
        self._more.setText(tr("and {count} more", count=number(len(rows) - len(wanted))))

    def _make_up_to(self, count: int) -> None:
        """Show so many of the rows, and go on later where there are more."""
        for place, row in enumerate(self._wanted[:count]):
            widget = self._shown.get(row.key) or self._make(row.key)
            if self._rows.indexOf(widget) != place:
                self._rows.insertWidget(place, widget)
            widget.tell(row)
        if count < len(self._wanted):
            self._soon.start()

    def _make_all(self) -> None:
        if self._soon.isActive():
            self._soon.stop()
            self._make_up_to(len(self._wanted))

    @property
    def selected(self) -> str:
        """The key of the row that is selected, nothing for none."""
        return self._selected

    def select(self, key: str) -> None:
        """Mark a row as the selected one; nothing marks none."""
        self._selected = key
        for each, widget in self._shown.items():
            widget.mark(chosen=each == key)

    def bring_up(self, key: str) -> None:
        """Scroll a row to the top, so that what came below it is in sight."""
        self._make_all()
        self._rising = key
        widget = self._shown.get(key)
        if widget is not None:
            self.verticalScrollBar().setValue(widget.y())

    def _rise(self) -> None:
        """Rows that came just now have a place only when they are laid out, which makes the page longer."""
        rising, self._rising = self._rising, ""
        if rising:
            self.bring_up(rising)
            self._rising = ""

    def row(self, key: str) -> LeftOutWidget | None:
        self._make_all()
        return self._shown.get(key)

    def button(self, key: str) -> QPushButton | None:
        """The button of a row, None while it has none."""
        widget = self.row(key)
        return widget.button if widget is not None and not widget.button.isHidden() else None

    def _make(self, key: str) -> LeftOutWidget:
        widget = self._shown[key] = LeftOutWidget(self._appearance, key)
        widget.run.connect(self.run)
        widget.opened.connect(self.opened)
        widget.unfolded.connect(self.unfolded)
        widget.pointed.connect(self.pointed)
        widget.chosen.connect(self._choose)
        widget.stepped.connect(self._step)
        widget.mark(chosen=key == self._selected)
        return widget

    def _drop(self, gone: LeftOutWidget) -> None:
        place = self._rows.indexOf(gone)
        if gone.hasFocus() or gone.button.hasFocus():
            self._focus(place + 1 if self._widget_at(place + 1) is not None else place - 1)
        self._rows.removeWidget(gone)
        gone.hide()
        gone.deleteLater()

    def _choose(self, key: str) -> None:
        self.select(key)
        self.chosen.emit(key)

    def _step(self, key: str, by: int) -> None:
        widget = self._shown.get(key)
        if widget is not None:
            self._make_all()
            self._focus(self._rows.indexOf(widget) + by)

    def _widget_at(self, place: int) -> LeftOutWidget | None:
        item = self._rows.itemAt(place) if place >= 0 else None
        widget = item.widget() if item is not None else None
        return widget if isinstance(widget, LeftOutWidget) else None

    def _focus(self, place: int) -> None:
        widget = self._widget_at(place)
        if widget is not None:
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
            self.ensureWidgetVisible(widget, 0, 0)
            self._choose(widget.key)

    def _measure(self) -> None:
        space = self._appearance.space
        self._more.setContentsMargins(space(3), space(2), space(3), space(2))
        self._rows.setContentsMargins(0, 0, 0, 0)
