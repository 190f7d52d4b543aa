"""The line of the search panel that says in which sent Requests something stood, and opens the first and the last."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from inspector.domain.search import SentOnce, SentText
from inspector.ui.safe_text import ElidedLabel, safe_tooltip, without_mnemonic
from inspector.ui.search.words import sent_count, sent_place
from inspector.ui.widgets.controls import button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import moment, tr


class SentLine(QWidget):
    """Hidden until there is something to say. `opened` carries the `SentOnce` whose button was pressed."""

    opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._ends: list[SentOnce | None] = [None, None]
        self.note = ElidedLabel("", tone="info", size="small")
        self.first, self.last = (
            button("", partial(self._open, place), role="link", size="small") for place in (0, 1)
        )
        self.first.setAccessibleName(tr("Open the first Request"))
        self.last.setAccessibleName(tr("Open the last Request"))
        self._flow = FlowLayout(self.note, self.first, self.last)
        self.setLayout(self._flow)
        self.hide()

    def show_sent(self, found: SentText | None, what: str, now: datetime) -> None:
        """Say in which Requests something was, and what that is; None takes the line away."""
        self.setVisible(found is not None)
        self.note.setText("" if found is None else sent_count(found, what))
        first = None if found is None else found.first
        last = None if found is None or found.count < 2 else found.last
        self._ends = [first, last]
        if first is not None:
            _name(self.first, tr("First {when}", when=moment(first.at, now)), first)
        if last is not None:
            _name(self.last, tr("Last {when}", when=moment(last.at, now)), last)
        self.first.setVisible(first is not None)
        self.last.setVisible(last is not None)

    def set_spacing(self, spacing: int) -> None:
        self._flow.setSpacing(spacing)

    def _open(self, place: int) -> None:
        end = self._ends[place]
        if end is not None:
            self.opened.emit(end)


def _name(link: QPushButton, text: str, end: SentOnce) -> None:
    link.setText(without_mnemonic(text))
    link.setAccessibleName(text)
    tip = tr("Open this Request: {place}", place=sent_place(end))
    link.setAccessibleDescription(tip)
    safe_tooltip(link, tip)
