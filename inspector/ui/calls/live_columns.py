"""A widget that shows replies of running model calls side by side as they come, a column for each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter

from inspector.domain.replies import ReplyEvent
from inspector.ui.appearance import Appearance
from inspector.ui.call_maker import PreparedSend, SentCall
from inspector.ui.calls.columns import ReplyColumn
from inspector.ui.calls.stream_text import StreamRemark
from inspector.ui.exact_text import document_text
from inspector.ui.icons import Icons
from inspector.ui.presentation.calls import ended_text, failure_words, usage_text
from inspector.ui.presentation.request_output import form_name
from inspector.ui.wording import tr

_LEAST_STEPS = 36
"""Steps of width of a column at least."""


class LiveColumns(QScrollArea):
    """Columns in the order in which their calls were begun. They scroll sideways where the room is small."""

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__()
        self._appearance, self._icons = appearance, icons
        self.columns: list[ReplyColumn] = []
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self.setWidget(self._splitter)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        appearance.changed.connect(self._measure)

    def clear(self) -> None:
        """Show no call any more: others begin."""
        for each in self.columns:
            each.setParent(None)
            each.deleteLater()
        self.columns.clear()

    def add(self, made: PreparedSend) -> None:
        """Show a call from its first event on, right of the others."""
        column = ReplyColumn(self._appearance, self._icons)
        column.whole.hide()
        form = made.call.destination.form
        name = tr("Offline") if form is None else made.call.destination.name
        if form is not None and not made.call.destination.is_custom:
            name = form_name(form)
        column.title.setText(f"{made.call.model} · {name}")
        column.figures.setText(tr("Waiting …"))
        column.text.setAccessibleName(tr("Reply of {model}", model=made.call.model))
        self.columns.append(column)
        self._splitter.addWidget(column)
        self._splitter.setSizes([1_000] * len(self.columns))
        self._measure()

    def _measure(self) -> None:
        for each in self.columns:
            each.setMinimumWidth(self._appearance.space(_LEAST_STEPS))

    def take(self, place: int, events: Sequence[ReplyEvent]) -> None:
        """Show events of a call as they come in."""
        if place < len(self.columns):
            self.columns[place].text.take(events)

    def end(self, place: int, sent: SentCall) -> None:
        """Show how a call ended, and what it took."""
        if place >= len(self.columns):
            return
        column, call, reply = self.columns[place], sent.sent.call, sent.reply
        ended = ended_text(reply) if reply.failure is None else ""
        parts = (ended, usage_text(call, reply, sent.cost))
        column.figures.setText(" ".join(each for each in parts if each))
        if reply.failure is not None:
            words = failure_words(reply.failure, call.key_variable)
            lines = "\n\n".join(each for each in (words.server, words.advice) if each)
            column.text.take((StreamRemark(words.title, lines, "error"),))

    def texts(self) -> str:
        """All replies as one text, each under its model."""
        shown = (f"{each.title.text()}\n\n{document_text(each.text.document())}" for each in self.columns)
        return "\n\n".join(shown)
