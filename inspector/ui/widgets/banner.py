"""A widget for banners below the centre of the window, where they push no text away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel, few_lines, safe_tooltip
from inspector.ui.widgets.controls import Picture, arrange, button, icon_button
from inspector.ui.wording import tr, tr_count

if TYPE_CHECKING:
    from inspector.ui.failures import FailureText

_MOST = 3
_WORDS_STEPS = 70
FAILURE = "failure:"
"""How the keys of notices of failures begin."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What a banner says. One with the key of another takes its place.

    `tone` is ``error``, ``warning``, ``info`` or ``ok``; `choices` are button texts with what they do.
    """

    key: str
    text: str
    remark: str = ""
    tone: str = "info"
    details: str = ""
    choices: tuple[tuple[str, Callable[[], None]], ...] = ()
    closable: bool = True


def tell_readers(shown: QWidget) -> None:
    """Have screen readers say what has come into sight."""
    # What they are told by takes PySide long to load, and the window's first paint doesn't wait for it.
    from PySide6.QtGui import QAccessible, QAccessibleEvent  # noqa: PLC0415

    QAccessible.updateAccessibility(QAccessibleEvent(shown, QAccessible.Event.Alert))


def failure_notice(failure: FailureText) -> Notice:
    """The banner for a failure: what happened, what it means for the data, what to do."""
    return Notice(
        key=f"{FAILURE}{failure.happened}",
        text=failure.happened,
        remark=f"{failure.meaning} {failure.advice}",
        tone="error" if failure.fault else "warning",
        details=failure.details,
    )


class Banner(QFrame):
    """One notice below the centre of the window. `turn` shows the next of those that wait behind it."""

    def __init__(
        self,
        notice: Notice,
        appearance: Appearance,
        icons: Icons,
        close: Callable[[], None],
        turn: Callable[[], None],
    ) -> None:
        super().__init__()
        self.notice = notice
        self._appearance = appearance
        self.setProperty("role", "banner")
        self.setProperty("tone", notice.tone)
        self.setAccessibleName(notice.text)
        mark = Picture(appearance, icons, notice.tone, 16, notice.tone)
        words = QVBoxLayout()
        sentence, remark = few_lines(notice.text), few_lines(notice.remark)
        text = PlainLabel(sentence, strong=True, wrap=True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        arrange(words, text, spacing=2)
        if remark:
            words.addWidget(PlainLabel(remark, tone="muted", wrap=True))
        self._buttons = QWidget()
        self._choices = QHBoxLayout(self._buttons)
        arrange(self._choices, *(button(label, run) for label, run in notice.choices))
        if notice.details or (sentence, remark) != (notice.text, notice.remark):
            self._choices.addWidget(button(tr("Copy details"), self._copy))
        # Never shown here: without a parent it would be a window of its own for a moment, and take the focus.
        if self._choices.count() == 0:
            self._buttons.hide()
        self._body = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._body.addLayout(words, 1)
        self._body.addWidget(self._buttons, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.others = button("", turn, role="flat", size="small")
        self.others.hide()
        self._row = QHBoxLayout(self)
        arrange(self._row, mark)
        self._row.addLayout(self._body, 1)
        self._row.addWidget(self.others)
        if notice.closable:
            self._row.addWidget(icon_button(icons, "close", tr("Close this notice"), close))
        appearance.changed.connect(self._measure)
        self._measure()

    def tell_others(self, count: int) -> None:
        """Say how many notices wait behind this one."""
        text = tr_count("{count} more notice", "{count} more notices", count)
        self.others.setText(f"+{count}")
        self.others.setAccessibleName(text)
        safe_tooltip(self.others, text)
        self.others.setVisible(count > 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _measure(self) -> None:
        space = self._appearance.space
        self._row.setContentsMargins(space(3), space(1.5), space(2), space(1.5))
        for layout in (self._row, self._body, self._choices):
            layout.setSpacing(space(2))
        self._fold()

    def _fold(self) -> None:
        """Where the buttons would leave too little room for the words, they stand below."""
        room = self.width() - self._buttons.sizeHint().width()
        below = room < self._appearance.space(_WORDS_STEPS)
        directions = QBoxLayout.Direction
        self._body.setDirection(directions.TopToBottom if below else directions.LeftToRight)
        # Above the buttons, words that stretch would take half of the window.
        self._body.setStretch(0, 0 if below else 1)

    def _copy(self) -> None:
        notice = self.notice
        QGuiApplication.clipboard().setText("\n".join((notice.text, notice.remark, notice.details)))


class Banners(QWidget):
    """The newest notice, with a button to the others. The oldest closable gives way to the fourth.

    It stands below what it speaks of: when it comes or goes, the text above stays where it is.
    """

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__()
        self._appearance = appearance
        self._icons = icons
        self._shown: dict[str, Banner] = {}
        self._layout = QVBoxLayout(self)
        arrange(self._layout)
        self.hide()

    @property
    def notices(self) -> tuple[Notice, ...]:
        return tuple(banner.notice for banner in self._shown.values())

    def show_notice(self, notice: Notice) -> None:
        """Show a notice, in place of the one with its key and of any that says the same."""
        said = (notice.text, notice.remark)
        for each in self.notices:
            if each.key == notice.key or (each.text, each.remark) == said:
                self.close_notice(each.key)
        close = partial(self.close_notice, notice.key)
        banner = Banner(notice, self._appearance, self._icons, close, self._turn)
        self._shown[notice.key] = banner
        self._layout.insertWidget(0, banner)
        for key in [key for key, each in self._shown.items() if each.notice.closable][:-_MOST]:
            self.close_notice(key)
        self._show_newest()
        tell_readers(banner)

    def close_notice(self, key: str) -> None:
        """Take a notice away, if it is there."""
        banner = self._shown.pop(key, None)
        if banner is not None:
            self._layout.removeWidget(banner)
            banner.hide()
            banner.deleteLater()
        self._show_newest()

    def _turn(self) -> None:
        """Show the next older notice, after the oldest the newest."""
        key = next(reversed(self._shown))
        self._shown = {key: self._shown.pop(key), **self._shown}
        had_focus = any(each.others.hasFocus() for each in self._shown.values())
        self._show_newest()
        if had_focus:
            next(reversed(self._shown.values())).others.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_newest(self) -> None:
        """Let one stand there, so that many take no more room than one."""
        newest = next(reversed(self._shown.values()), None)
        for banner in self._shown.values():
            banner.setVisible(banner is newest)
        if newest is not None:
            newest.tell_others(len(self._shown) - 1)
        self.setVisible(newest is not None)
