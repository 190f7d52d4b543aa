"""A widget for one passing notice at the lower edge of the window's centre; it lies above what is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel, few_lines
from inspector.ui.widgets.banner import Notice, tell_readers
from inspector.ui.widgets.controls import Picture, arrange, button, icon_button
from inspector.ui.wording import tr

_MILLISECONDS = 10_000
_ONE_LINE = 75
"""Characters up to which a notice stands in one line."""
_ABOVE_STEPS = 7


class Toast(QFrame):
    """Shows the newest notice over `place` for some seconds; while the pointer is on it, it stays."""

    def __init__(self, place: QWidget, appearance: Appearance, icons: Icons) -> None:
        super().__init__(place)
        self.setProperty("role", "toast")
        self._place, self._appearance, self._icons = place, appearance, icons
        self._notice: Notice | None = None
        # Another one for each notice: Qt tells the size of children only once they can be seen.
        self._body = QWidget(self)
        self._timer = QTimer(self, singleShot=True, interval=_MILLISECONDS)
        self._timer.timeout.connect(self.dismiss)
        place.installEventFilter(self)
        appearance.changed.connect(self._fit)
        self.hide()

    @property
    def notice(self) -> Notice | None:
        return self._notice

    @property
    def is_passing(self) -> bool:
        """Whether it goes away by itself as things are."""
        return self._timer.isActive()

    def show_notice(self, notice: Notice) -> None:
        """Show a notice in place of the one that is there."""
        self._notice = notice
        words = " ".join(each for each in (notice.text, notice.remark) if each)
        text = PlainLabel(few_lines(words), wrap=len(words) > _ONE_LINE)
        mark = Picture(self._appearance, self._icons, notice.tone, 16, notice.tone)
        choices = [button(label, partial(self._choose, run), role="link") for label, run in notice.choices]
        close = icon_button(self._icons, "close", tr("Close this notice"), self.dismiss)
        self._body.hide()
        self._body.deleteLater()
        self._body = QWidget(self)
        arrange(QHBoxLayout(self._body), mark, text, *choices, close)
        self._body.show()
        self.setAccessibleName(words)
        self._fit()
        self.show()
        self.raise_()
        tell_readers(self)
        if self.underMouse():
            self._timer.stop()
        else:
            self._timer.start()

    def dismiss(self) -> None:
        """Take the notice away before its time."""
        self._timer.stop()
        self._notice = None
        self.hide()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Stay while somebody reads it."""
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        if self._notice is not None:
            self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the lower edge of a place that has another size."""
        if watched is self._place and event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def _choose(self, run: Callable[[], None]) -> None:
        self.dismiss()
        run()

    def _fit(self) -> None:
        row, space = self._body.layout(), self._appearance.space
        if row is None:
            return
        row.setContentsMargins(space(3), space(1.5), space(2), space(1.5))
        row.setSpacing(space(2))
        hint = row.totalSizeHint()
        width = min(hint.width(), max(1, self._place.width() - space(8)))
        height = row.totalHeightForWidth(width) if row.hasHeightForWidth() else hint.height()
        # At the end of the line: editors have their buttons and faults at its beginning. Above the line below them.
        left = self._place.width() - width - space(4)
        self.setGeometry(left, self._place.height() - height - space(_ABOVE_STEPS), width, height)
        self._body.setGeometry(self.rect())
