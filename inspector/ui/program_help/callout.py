"""A widget that points at another one: a frame around it, and words with buttons beside it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange, button, icon_button
from inspector.ui.wording import tr

_WIDTH_STEPS, _GAP_STEPS, _SHARE = 90, 3, 0.55


class Callout(QFrame):
    """Stands above a window, beside what it points at; the window goes on working.

    `next_asked`, `back_asked` and `ended` tell of its buttons and keys: Right, Left, Escape.
    """

    next_asked = Signal()
    back_asked = Signal()
    ended = Signal()

    def __init__(self, window: QWidget, appearance: Appearance, icons: Icons) -> None:
        super().__init__(window)
        self.setProperty("role", "toast")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._window, self._appearance = window, appearance
        self._find: Callable[[], QWidget | None] = lambda: None
        self.around = QFrame(window)
        self.around.setProperty("role", "pointed")
        self.around.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._title = PlainLabel("", strong=True, wrap=True)
        self._text = PlainLabel("", wrap=True)
        self._place = PlainLabel("", tone="muted", size="small")
        self.back_button = button(tr("Back"), self.back_asked.emit)
        self.next_button = button(tr("Next"), self.next_asked.emit, role="primary")
        close = icon_button(icons, "close", tr("End the tour"), self.ended.emit)
        self._head, self._foot, self._body = QHBoxLayout(), QHBoxLayout(), QVBoxLayout(self)
        arrange(self._head, self._title, close)
        self._head.setStretch(0, 1)
        arrange(self._foot, self._place, None, self.back_button, self.next_button)
        arrange(self._body, self._head, self._text, self._foot)
        self.leave()
        for each in (self.back_button, self.next_button, close):
            each.installEventFilter(self)
        appearance.changed.connect(self.place)

    def point_at(
        self, find: Callable[[], QWidget | None], title: str, text: str, number: tuple[int, int]
    ) -> None:
        """Show words beside what `find` gives; in the window's middle where it gives nothing that can be seen.

        Args:
            find: Looks for the widget again whenever the window is laid out anew.
            title: The first words, strong.
            text: What is said about it.
            number: Which of how many callouts this is.
        """
        self._find = find
        step, steps = number
        self._title.setText(title)
        self._text.setText(text)
        self._place.setText(tr("{step} of {steps}", step=step, steps=steps))
        self.setAccessibleName(f"{title} {text}")
        self.back_button.setEnabled(step > 1)
        last = tr("Done") if step == steps else tr("Next")
        self.next_button.setText(last)
        self.next_button.setAccessibleName(last)
        # Only meanwhile: every event of the window would go through it else.
        self._window.installEventFilter(self)
        self.show()
        self.place()
        self.next_button.setFocus(Qt.FocusReason.OtherFocusReason)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def leave(self) -> None:
        """Take the callout and its frame away."""
        self._window.removeEventFilter(self)
        self.hide()
        self.around.hide()

    def place(self) -> None:
        """Stand beside what is pointed at, where there is most room, and inside the window."""
        if self.isHidden():
            return
        space = self._appearance.space
        self._body.setContentsMargins(space(4), space(3), space(3), space(3))
        for each in (self._head, self._foot, self._body):
            each.setSpacing(space(2))
        room = self._window.rect().adjusted(space(2), space(2), -space(2), -space(2))
        width = min(space(_WIDTH_STEPS), round(room.width() * _SHARE))
        self.resize(width, max(self.heightForWidth(width), self.sizeHint().height()))
        at = self._find()
        seen = at is not None and at.isVisible()
        self.around.setVisible(seen)
        if at is None or not seen:
            self.move(room.center() - self.rect().center())
        else:
            corner = at.mapTo(self._window, QPoint(0, 0))
            target = QRect(corner, at.size()).intersected(self._window.rect())
            self.around.setGeometry(target)
            self.around.raise_()
            self.move(self._beside(target, room))
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size, and take the keys that a button would go to its neighbour with."""
        if watched is self._window:
            if event.type() == QEvent.Type.Resize:
                self.place()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._take_key(watched, Qt.Key(event.key()))
        return super().eventFilter(watched, event)

    def _take_key(self, watched: QObject, key: Qt.Key) -> bool:
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(watched, QAbstractButton):
            watched.click()
        elif key == Qt.Key.Key_Right:
            self.next_asked.emit()
        elif key == Qt.Key.Key_Left and self.back_button.isEnabled():
            self.back_asked.emit()
        elif key == Qt.Key.Key_Escape:
            self.ended.emit()
        else:
            return False
        return True

    def _beside(self, target: QRect, room: QRect) -> QPoint:
        """Where to stand: beside the target, else below or above it, else in its upper right corner."""
        gap = self._appearance.space(_GAP_STEPS)
        wide, high = self.width() + gap, self.height() + gap
        top = max(room.top(), min(target.top() + gap, room.bottom() - self.height()))
        left = max(room.left(), min(target.left() + gap, room.right() - self.width()))
        if room.right() - target.right() >= wide:
            return QPoint(target.right() + gap, top)
        if target.left() - room.left() >= wide:
            return QPoint(target.left() - wide, top)
        if room.bottom() - target.bottom() >= high:
            return QPoint(left, target.bottom() + gap)
        if target.top() - room.top() >= high:
            return QPoint(left, target.top() - high)
        return QPoint(max(room.left(), min(room.right(), target.right()) - wide), top)
