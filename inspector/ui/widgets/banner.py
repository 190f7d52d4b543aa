"""Banners above the centre: what a person must know, without stopping anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from inspector.ui.failures import Failure
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange, button, icon_button
from inspector.ui.wording import tr

_MOST = 3
_PASSING_MILLISECONDS = 4_000


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
    passing: bool = False
    """Goes away by itself after some seconds."""


def failure_notice(failure: Failure) -> Notice:
    """The banner for a failure: what happened, what it means for the data, what to do."""
    return Notice(
        key=f"failure:{failure.happened}",
        text=failure.happened,
        remark=f"{failure.meaning} {failure.advice}",
        tone="error" if failure.fault else "warning",
        details=failure.details,
    )


class Banner(QFrame):
    """One notice."""

    def __init__(self, notice: Notice, icons: Icons, close: Callable[[], None]) -> None:
        super().__init__()
        self.notice = notice
        self.setProperty("role", "banner")
        self.setProperty("tone", notice.tone)
        self.setAccessibleName(notice.text)
        mark = PlainLabel()
        mark.setPixmap(icons.pixmap(notice.tone, 16, notice.tone))
        words = QVBoxLayout()
        text = PlainLabel(notice.text, strong=True, wrap=True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        arrange(words, text, spacing=2)
        if notice.remark:
            words.addWidget(PlainLabel(notice.remark, tone="muted", wrap=True))
        row = QHBoxLayout(self)
        arrange(row, mark, spacing=8)
        row.setContentsMargins(12, 6, 8, 6)
        row.addLayout(words, 1)
        for label, run in notice.choices:
            row.addWidget(button(label, run))
        if notice.details:
            row.addWidget(button(tr("Copy details"), self._copy))
        if notice.closable:
            row.addWidget(icon_button(icons, "close", tr("Close this notice"), close))

    def _copy(self) -> None:
        notice = self.notice
        QGuiApplication.clipboard().setText("\n".join((notice.text, notice.remark, notice.details)))


class Banners(QWidget):
    """All notices, the newest on top; at most three, the oldest closable one gives way."""

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._shown: dict[str, Banner] = {}
        self._layout = QVBoxLayout(self)
        arrange(self._layout)
        self.hide()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is shown, the oldest first."""
        return tuple(banner.notice for banner in self._shown.values())

    def show_notice(self, notice: Notice) -> None:
        """Show a notice, in place of the one with its key."""
        self.close_notice(notice.key)
        banner = Banner(notice, self._icons, lambda: self.close_notice(notice.key))
        self._shown[notice.key] = banner
        self._layout.insertWidget(0, banner)
        for key in [key for key, each in self._shown.items() if each.notice.closable][:-_MOST]:
            self.close_notice(key)
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(banner, QAccessible.Event.Alert))
        if notice.passing:
            QTimer.singleShot(_PASSING_MILLISECONDS, banner, lambda: self._pass(banner))

    def close_notice(self, key: str) -> None:
        """Take a notice away, if it is there."""
        banner = self._shown.pop(key, None)
        if banner is not None:
            self._layout.removeWidget(banner)
            banner.hide()
            banner.deleteLater()
        self.setVisible(bool(self._shown))

    def _pass(self, banner: Banner) -> None:
        if self._shown.get(banner.notice.key) is banner:
            self.close_notice(banner.notice.key)
