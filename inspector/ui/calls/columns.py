"""A widget that shows replies of stored model calls side by side, a column for each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QToolButton, QVBoxLayout, QWidget

from inspector.domain.replies import TextDelta
from inspector.domain.stored_calls import StoredCall
from inspector.ui.appearance import Appearance
from inspector.ui.calls.stream_text import StreamText, deltas_of
from inspector.ui.icons import Icons
from inspector.ui.presentation.calls import failure_words
from inspector.ui.presentation.stored_calls import figures, provider_name
from inspector.ui.safe_text import ElidedLabel, PlainLabel
from inspector.ui.widgets.controls import EDGE_STEPS, arrange, icon_button
from inspector.ui.wording import tr

MOST_COLUMNS = 6


class ReplyColumn(QWidget):
    """One call: model and address, figures, and the reply."""

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__()
        self._appearance = appearance
        self.call: StoredCall | None = None
        self.title = ElidedLabel(strong=True)
        self.figures = PlainLabel("", tone="muted", size="small", wrap=True)
        self.whole: QToolButton = icon_button(icons, "chevron_right", tr("Show this reply alone"))
        self.whole.setCheckable(True)
        self.text = StreamText(appearance, tr("Reply"))
        self._head = QHBoxLayout()
        arrange(self._head, self.title, self.whole)
        self._head.setStretch(0, 1)
        self._rows = QVBoxLayout(self)
        arrange(self._rows, self._head, self.figures, self.text)
        self._rows.setStretch(2, 1)
        appearance.changed.connect(self._measure)
        self._measure()

    def show_call(self, call: StoredCall, now: datetime) -> None:
        """Show a call; one that is shown already stays where it was scrolled to."""
        if call == self.call:
            return
        self.call = call
        self.title.setText(f"{call.model} · {provider_name(call)}")
        self.figures.setText(figures(call, now))
        self.text.setAccessibleName(tr("Reply of {model}", model=call.model))
        self.text.begin()
        reply = call.reply
        if reply is not None:
            self.text.take(deltas_of(reply.parts))
        if reply is not None and reply.failure is not None:
            words = failure_words(reply.failure, "")
            lines = (words.title, words.server)
            self.text.take((TextDelta("\n\n".join(each for each in lines if each)),))
        if call.is_summary and call.message:
            # A test sent the agent's Request, which other panels show; this was sent by nothing else.
            self.text.take((TextDelta("\n\n" + tr("Sent for the summary:") + "\n\n" + call.message),))
        self.text.verticalScrollBar().setValue(0)

    def _measure(self) -> None:
        space = self._appearance.space
        self._head.setContentsMargins(space(EDGE_STEPS), space(1), space(EDGE_STEPS), 0)
        self.figures.setContentsMargins(space(EDGE_STEPS), 0, space(EDGE_STEPS), space(1))


class ReplyColumns(QSplitter):
    """As many columns as calls were given, up to `MOST_COLUMNS`. They scroll together; one can be shown alone."""

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._appearance, self._icons = appearance, icons
        self._columns: list[ReplyColumn] = []
        self._is_scrolling = False
        self.setChildrenCollapsible(False)

    @property
    def shown(self) -> tuple[ReplyColumn, ...]:
        """The columns that can be seen, from left to right."""
        return tuple(each for each in self._columns if not each.isHidden())

    def show_calls(self, calls: Sequence[StoredCall], now: datetime) -> None:
        """Show these calls in their order."""
        wanted = calls[:MOST_COLUMNS]
        while len(self._columns) < len(wanted):
            self._add()
        for place, column in enumerate(self._columns):
            column.whole.setChecked(False)
            column.setVisible(place < len(wanted))
            column.whole.setVisible(len(wanted) > 1)
            if place < len(wanted):
                column.show_call(wanted[place], now)
        self._count = len(wanted)
        self.setSizes([1_000] * len(self._columns))

    def _add(self) -> None:
        column = ReplyColumn(self._appearance, self._icons)
        bar = column.text.verticalScrollBar()
        bar.valueChanged.connect(lambda value: self._scroll(column, value))
        column.whole.toggled.connect(lambda on: self._show_alone(column, alone=on))
        self._columns.append(column)
        self.addWidget(column)

    def _show_alone(self, column: ReplyColumn, *, alone: bool) -> None:
        for place, each in enumerate(self._columns):
            each.setVisible(place < self._count and (not alone or each is column))

    def _scroll(self, moved: ReplyColumn, value: int) -> None:
        """Let the other columns follow, by the share of their own length."""
        if self._is_scrolling:
            return
        self._is_scrolling = True
        whole = moved.text.verticalScrollBar().maximum()
        for each in self.shown:
            bar = each.text.verticalScrollBar()
            if each is not moved:
                bar.setValue(round(bar.maximum() * value / whole) if whole else 0)
        self._is_scrolling = False
