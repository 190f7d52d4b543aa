"""A banner in a panel that asks before something leaves this computer for an address that isn't agreed to yet."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.calls import Destination
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.presentation.calls import distance_text
from inspector.ui.safe_text import PlainLabel, few_lines, one_line
from inspector.ui.send_gate import SendGate, SendPermit
from inspector.ui.widgets.controls import LaidOutButton, Picture, arrange, button, pass_clicks
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import tr

_LONGEST = 120
Go = Callable[[SendPermit | None], None]


def _nothing() -> None:
    """What is done for a question that nobody has to hear the end of."""


class SendQuestion(QFrame):
    """One question at a time. `turned` tells that one is asked now, or none any more."""

    turned = Signal()

    def __init__(self, appearance: Appearance, icons: Icons, gate: SendGate) -> None:
        super().__init__()
        self._appearance, self._gate = appearance, gate
        self._destination: Destination | None = None
        self._go: Go | None = None
        self._refused: Callable[[], None] = _nothing
        self._left: QWidget | None = None
        self.setProperty("role", "banner")
        self.setProperty("tone", "warning")
        self.heading = PlainLabel("", strong=True, wrap=True)
        self.figures = PlainLabel("", wrap=True)
        self.note = PlainLabel("", tone="muted", wrap=True)
        self.send_button = button(tr("Send"), self._send)
        self.remember_button = _WrappingButton(
            tr("Send and don't ask again for this address"), self._remember
        )
        self.cancel_button = button(tr("Cancel"), self.cancel)
        self._buttons = FlowLayout(self.send_button, self.remember_button, self.cancel_button)
        choices = QWidget()
        choices.setLayout(self._buttons)
        words, self._row = QVBoxLayout(), QHBoxLayout(self)
        arrange(words, self.heading, self.figures, self.note, choices)
        self._words = words
        mark = Picture(appearance, icons, "warning", 16, "warning")
        arrange(self._row, mark, words)
        self._row.setStretch(1, 1)
        self._row.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
        appearance.changed.connect(self._measure)
        gate.changed.connect(self._follow)
        self._measure()
        self.hide()

    @property
    def is_asking(self) -> bool:
        """Whether an answer is waited for."""
        return self._go is not None

    def before(
        self,
        destination: Destination,
        figures: str,
        go: Go,
        refused: Callable[[], None] = _nothing,
        permit: SendPermit | None = None,
    ) -> None:
        """Do something that sends to a destination, at once where that needs no question.

        Args:
            destination: Where it goes. What the user's working offline refuses is not asked about.
            figures: What would be sent, in words.
            go: Does it, with the permit that an answer gives.
            refused: Hears that the answer is no, also by another question that takes the place of this.
            permit: An answer that was given before.
        """
        self.cancel()
        if self._gate.is_cut_off(destination) or not self._gate.asks(destination, permit):
            go(permit)
            return
        self._destination, self._go, self._refused = destination, go, refused
        self.heading.setText(tr("Send to {origin}?", origin=one_line(destination.origin, _LONGEST)))
        self.tell(figures)
        self.note.setText(distance_text(destination))
        self.setAccessibleName(self.heading.text())
        self._left = QApplication.focusWidget()
        self.show()
        # What is typed on without looking up agrees to nothing.
        self.cancel_button.setFocus(Qt.FocusReason.OtherFocusReason)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        self.turned.emit()

    def cancel(self) -> None:
        """Answer no, as a click on Cancel and Escape do."""
        refused = self._refused
        if self._close():
            refused()

    def tell(self, figures: str) -> None:
        """Say what would be sent now, as it is another since it was asked about."""
        self.figures.setText(few_lines(figures))
        self.setAccessibleDescription(self.figures.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the Escape key say no."""
        if event.key() == Qt.Key.Key_Escape:
            self.cancel()
        else:
            super().keyPressEvent(event)

    def _send(self) -> None:
        self._answer(remember=False)

    def _remember(self) -> None:
        self._answer(remember=True)

    def _answer(self, *, remember: bool) -> None:
        destination, go = self._destination, self._go
        if destination is None or go is None:
            return
        self._close()
        if remember:
            self._gate.remember(destination.origin)
        go(SendPermit(destination.origin))

    def _close(self) -> bool:
        """Take the question away and give the keyboard back; whether one was there."""
        if self._go is None:
            return False
        self._destination, self._go, self._refused = None, None, _nothing
        left, self._left = self._left, None
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self.isAncestorOf(focused)
        self.hide()
        self.turned.emit()
        if left is not None and had_focus:
            left.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def _follow(self) -> None:
        destination = self._destination
        if destination is not None and self._gate.is_cut_off(destination):
            self.cancel()

    def _measure(self) -> None:
        space = self._appearance.space
        self._row.setContentsMargins(space(3), space(2), space(3), space(2))
        self._row.setSpacing(space(2))
        self._words.setSpacing(space(1))
        self._buttons.setSpacing(space(2))


class _WrappingButton(LaidOutButton):
    """A button whose text wraps where it must: with large text it is wider than a narrow panel."""

    def __init__(self, text: str, clicked: Callable[[], None]) -> None:
        row = QHBoxLayout()
        self._label = PlainLabel(text, wrap=True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        arrange(row, self._label)
        row.setContentsMargins(12, 4, 12, 4)
        super().__init__(row, role="", name=text)
        # A click leaves the keyboard where it is, as with other buttons.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(lambda _=False: clicked())
        pass_clicks(self)

    def sizeHint(self) -> QSize:
        """On one line: a label that wraps would rather have two."""
        text = self._label.fontMetrics().horizontalAdvance(self._label.text())
        margins = self.contentsMargins() + self._inner.contentsMargins()
        width = text + margins.left() + margins.right() + 2
        return QSize(width, self.heightForWidth(width))
