"""The words of one compared piece: its text on both sides, inline or side by side, hunk by hunk."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from inspector.domain.errors import InspectorError
from inspector.domain.history import VersionComparison
from inspector.domain.request_comparison import PieceState
from inspector.ui.history.difference_view import DifferenceView
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.comparison import ComparedRow, delta_text, state_tip, state_words
from inspector.ui.presentation.difference import ShownDifference, shown_difference
from inspector.ui.safe_text import ElidedLabel
from inspector.ui.widgets.controls import EmptyState, Segments, arrange, icon_button
from inspector.ui.wording import tr, tr_count, tr_error, with_unit

_SIDE_BY_SIDE = 1


class WordPane(QWidget):
    """Follows the selected row. Texts are compared off the interface's thread; the newest choice wins."""

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self._services = services
        self._row: ComparedRow | None = None
        self.title = ElidedLabel("", strong=True)
        self.why = ElidedLabel("", tone="muted", size="small")
        self.form = Segments(
            tr("Form of the difference"),
            (tr("Inline"), tr("Show both texts in one column")),
            (tr("Side by side"), tr("Show the left Request's text on the left")),
        )
        icons = services.icons
        self._back = icon_button(icons, "back", tr("Previous change in this piece"), lambda: self._go(-1))
        self._forward = icon_button(icons, "forward", tr("Next change in this piece"), lambda: self._go(1))
        names = (tr("Words that differ"), tr("The left Request's text"), tr("The right Request's text"))
        self.difference = DifferenceView(services.appearance, names)
        self._empty = EmptyState(tr("Select a piece to see its text."))
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.difference)
        head, self._head = QFrame(), QHBoxLayout()
        head.setProperty("role", "dock_title")
        head.setLayout(self._head)
        names_column = QVBoxLayout()
        arrange(names_column, self.title, self.why, spacing=2)
        arrange(self._head, names_column, self._back, self._forward, self.form)
        self._head.setStretch(0, 1)
        arrange(QVBoxLayout(self), head, self._stack)
        self.form.chosen.connect(self._change_form)
        self.difference.moved.connect(self._follow_hunk)
        services.appearance.changed.connect(self._measure)
        self._measure()
        self._follow_hunk()

    @property
    def row(self) -> ComparedRow | None:
        return self._row

    @property
    def is_shown(self) -> bool:
        """Whether the words of the row are there."""
        return self._stack.currentWidget() is self.difference

    def show_row(self, row: ComparedRow | None) -> None:
        """Show the words of a row's piece, or that there are none to show."""
        self._row = row
        self._stack.setCurrentWidget(self._empty)
        self._empty.tell(
            tr("Comparing words …") if row and row.pair else tr("Select a piece to see its text.")
        )
        self._follow_hunk()
        if row is None or row.pair is None:
            self._services.workspace.sides.leave_words()
            self.title.setText("" if row is None else row.name)
            self.why.setText("")
            return
        delta = with_unit(delta_text(row.delta))
        self.title.setText(f"{state_words(row.state, moved=row.is_moved)} · {delta} · {row.name}")
        self.why.setText(" ".join(state_tip(row).splitlines()))
        self._services.workspace.sides.words(row.pair, self._lay_out, self._fail)

    def _lay_out(self, comparison: VersionComparison) -> None:
        work = asyncio.to_thread(shown_difference, comparison)
        name = tr("Comparing words")
        self._services.bridge.supersede(("word lines", self), work, name=name, on_done=self._show)

    def _show(self, shown: ShownDifference) -> None:
        row = self._row
        if row is None or row.pair is None:
            return
        texts = ["" if each is None else each.text for each in (row.pair.before, row.pair.after)]
        if texts == [shown.comparison.before, shown.comparison.after]:
            self.difference.show_difference(shown)
            self._stack.setCurrentWidget(self.difference)
            self._follow_hunk()
            # It has its size only once it is shown.
            QTimer.singleShot(0, self, lambda: self.difference.go_to(0))

    def _fail(self, error: BaseException) -> bool:
        if not isinstance(error, InspectorError):
            return False
        self._empty.tell(tr("Can't compare the words of this piece."), tr_error(error))
        return True

    def _change_form(self, *_: object) -> None:
        self.difference.set_beside(beside=self.form.current == _SIDE_BY_SIDE)

    def _go(self, by: int) -> None:
        self.difference.go_to(self.difference.hunk + by)

    def _follow_hunk(self) -> None:
        comparison = self.difference.comparison if self.is_shown else None
        count = len(comparison.hunks) if comparison is not None else 0
        self._back.setEnabled(self.difference.hunk > 0 and count > 1)
        self._forward.setEnabled(self.difference.hunk < count - 1)
        if self._row is not None and self._row.state in (PieceState.CHANGED, PieceState.RESPELLED) and count:
            self.why.setText(tr_count("{count} change in its words", "{count} changes in its words", count))

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._head.setContentsMargins(space(3), space(1), space(3), space(1))
        self._head.setSpacing(space(2))
