"""A widget for one thing that is left out: name and tokens, the reason, and the button that includes it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import ElidedLabel, PlainLabel, safe_tooltip, without_mnemonic
from inspector.ui.widgets.controls import arrange, button, restyle, rule
from inspector.ui.wording import tr

_GAP_STEPS = 1
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


@dataclass(frozen=True, slots=True)
class LeftOutRow:
    """One row. Without `do` there is no button; `tip` says in full what it does.

    `unfold` is the words of the link that lists a group's members, `can_open` whether its source can be read.
    `inner` rows are members of the group above them.
    """

    key: str
    name: str
    figures: str
    why: str
    do: str = ""
    tip: str = ""
    unfold: str = ""
    can_open: bool = False
    inner: bool = False


class LeftOutWidget(QFrame):
    """A line, the reason and the button; without one the reason has its room. Signals as `LeftOutList` has them.

    A reason that is longer than a line makes the row higher.
    """

    run = Signal(str)
    chosen = Signal(str)
    opened = Signal(str)
    unfolded = Signal(str)
    pointed = Signal(str)
    stepped = Signal(str, int)

    def __init__(self, appearance: Appearance, key: str) -> None:
        super().__init__()
        self.key = key
        self._appearance = appearance
        self._shown_row: LeftOutRow | None = None
        self.setProperty("role", "choice")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._name = ElidedLabel("", strong=True)
        self._figures = PlainLabel("", tone="muted", size="small")
        self.why = PlainLabel("", tone="muted", size="small", wrap=True)
        self.button = button("", lambda: self.run.emit(key), size="small")
        self.open_button = button(tr("Open"), lambda: self.opened.emit(key), role="link", size="small")
        self.unfold_button = button("", lambda: self.unfolded.emit(key), role="link", size="small")
        self.button.installEventFilter(self)
        self._lay_out()
        appearance.changed.connect(self._measure)
        self._measure()

    def tell(self, row: LeftOutRow) -> None:
        """Say what it says now."""
        if row == self._shown_row:
            return
        self._shown_row = row
        self._name.setText(row.name)
        self._figures.setText(row.figures)
        self.why.setText(row.why)
        safe_tooltip(self.why, row.why)
        self.button.setVisible(bool(row.do))
        self.button.setText(without_mnemonic(row.do))
        self.tell_effect(row.tip)
        self.unfold_button.setVisible(bool(row.unfold))
        self.unfold_button.setText(row.unfold)
        self.unfold_button.setAccessibleName(f"{row.unfold}: {row.name}")
        self.open_button.setVisible(row.can_open)
        self.open_button.setAccessibleName(tr("Open {name}", name=row.name))
        self.setAccessibleName(f"{row.name} {row.figures}: {row.why}")
        self._measure()

    def tell_effect(self, tip: str) -> None:
        """Say in the button's tool tip what it does."""
        self.button.setAccessibleName(tip)
        safe_tooltip(self.button, tip)

    def mark(self, *, chosen: bool) -> None:
        """Show that the row is selected, or is not."""
        restyle(self, "chosen", "true" if chosen else "false")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # While it is about to be shown, Qt would lay out nothing again for another height.
        if self.isVisible() and event.size().width() != event.oldSize().width():
            self.setFixedHeight(self._height())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.setFixedHeight(self._height())

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.chosen.emit(self.key)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._open()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go to the next row, Return opens its source, Space selects it."""
        key = Qt.Key(event.key())
        if key in _STEPS:
            self.stepped.emit(self.key, _STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        elif key == Qt.Key.Key_Space:
            self.chosen.emit(self.key)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell that the button is about to be pressed, so that what it does can be worked out."""
        if watched is self.button and event.type() in (QEvent.Type.Enter, QEvent.Type.FocusIn):
            self.pointed.emit(self.key)
        return super().eventFilter(watched, event)

    def _open(self) -> None:
        row = self._shown_row
        if row is not None and row.unfold:
            self.unfolded.emit(self.key)
        elif row is not None and row.can_open:
            self.opened.emit(self.key)

    def _lay_out(self) -> None:
        self._name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._head, self._foot, self._words = QHBoxLayout(), QHBoxLayout(), QVBoxLayout()
        arrange(self._head, self._name, self._figures, None, self.unfold_button, self.open_button)
        arrange(self._foot, self.button, None)
        arrange(self._words, self._head, self.why, self._foot, None)
        arrange(QVBoxLayout(self), self._words, rule())
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _height(self) -> int:
        """A line, those of the reason and a button's."""
        space = self._appearance.space
        head = (self._name, self.open_button, self.unfold_button)
        for each in (*head, self.why, self.button):
            # Before, it has not the style sheet's padding.
            each.ensurePolished()
        margins = self._words.contentsMargins()
        room = self.contentsRect().width() - margins.left() - margins.right()
        line, foot = self.why.fontMetrics().lineSpacing(), self.button.sizeHint().height()
        reason = max(line, self.why.heightForWidth(max(room, 1)))
        row = self._shown_row
        below = reason + foot if row is None or row.do else max(reason, line + foot)
        return (
            max(each.sizeHint().height() for each in head)
            + below
            + 4 * space(_GAP_STEPS)
            + 2 * space(1.5)
            + 1
        )

    def _measure(self) -> None:
        space = self._appearance.space
        inner = self._shown_row is not None and self._shown_row.inner
        edge = space(0.5)
        self._words.setContentsMargins(space(6 if inner else 3) - edge, space(1.5), space(3), space(1.5))
        self._words.setSpacing(space(_GAP_STEPS))
        self._head.setSpacing(space(1.5))
        self.setFixedHeight(self._height())
