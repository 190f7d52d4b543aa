"""The next best cut: the findings that save most, each with its preview and the button that does it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from inspector.domain.lint import Finding
from inspector.ui.appearance import Appearance
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.cuts import IGNORED, CutRow, cut_rows, ignored_kinds
from inspector.ui.presentation.finding_fixes import can_preview
from inspector.ui.safe_text import ElidedLabel, PlainLabel, safe_tooltip
from inspector.ui.widgets.controls import arrange, button, clear, rule
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import tr, tr_count

_MOST = 5
PreviewFinding = Callable[[Finding], None]


class NextCut(QWidget):
    """The best cut; a button shows up to four more. Hidden while there is none."""

    def __init__(self, services: PanelServices, run: PreviewFinding, preview: PreviewFinding) -> None:
        super().__init__()
        self._services = services
        self._run, self._preview = run, preview
        self._is_open = False
        self._shown: tuple[CutRow, ...] = ()
        self._more = button(tr("More cuts"), self._fold, role="link", size="small")
        self._head, self._list = QHBoxLayout(), QVBoxLayout()
        arrange(self._head, PlainLabel(tr("Next best cut"), strong=True), None, self._more)
        arrange(QVBoxLayout(self), rule(), self._head, self._list)
        services.workspace.changed.connect(self._follow)
        services.preferences.changed.connect(self._follow_setting)
        services.appearance.changed.connect(self._measure)
        self._measure()
        self._show()

    @property
    def rows(self) -> tuple[CutRow, ...]:
        """The cuts that are offered, the best first; more of them may be there than are unfolded."""
        return self._shown

    @property
    def best(self) -> Finding | None:
        return self._shown[0].finding if self._shown else None

    def row(self, place: int) -> CutWidget | None:
        """The widget of a cut, None while it is folded away."""
        item = self._list.itemAt(place)
        widget = item.widget() if item is not None else None
        return widget if isinstance(widget, CutWidget) else None

    def _follow(self, what: What) -> None:
        if what & (What.FINDINGS | What.FILE | What.BLOCKS | What.AGENTS):
            self._show()

    def _follow_setting(self, name: str) -> None:
        if name == IGNORED:
            self._show()

    def _fold(self) -> None:
        self._is_open = not self._is_open
        self._fill()

    def _show(self) -> None:
        ignored = ignored_kinds(self._services.preferences.text(IGNORED))
        rows = cut_rows(self._services.workspace.file, ignored, _MOST)
        if rows != self._shown:
            self._shown = rows
            self._fill()
        self.setVisible(bool(rows))

    def _fill(self) -> None:
        clear(self._list)
        others = len(self._shown) - 1
        for row in self._shown if self._is_open else self._shown[:1]:
            self._list.addWidget(self._widget(row))
        text = tr_count("Show {count} more", "Show {count} more", others)
        self._more.setText(tr("Show less") if self._is_open else text)
        self._more.setAccessibleName(tr("More cuts: {text}", text=self._more.text()))
        self._more.setVisible(others > 0)

    def _widget(self, row: CutRow) -> CutWidget:
        finding, file = row.finding, self._services.workspace.file
        preview = partial(self._preview, finding) if can_preview(finding, file) else None
        select = partial(self._services.selection.select, finding.where)
        return CutWidget(self._services.appearance, row, partial(self._run, finding), preview, select)

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._head.setContentsMargins(space(3), space(1.5), space(3), 0)


class CutWidget(QFrame):
    """One cut: its name and saving, why, and its buttons. A click, Return or Space selects what it is of."""

    def __init__(
        self,
        appearance: Appearance,
        row: CutRow,
        run: Callable[[], None],
        preview: Callable[[], None] | None,
        select: Callable[[], None],
    ) -> None:
        super().__init__()
        self._select = select
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("role", "choice")
        self.setAccessibleName(f"{row.name}: {row.saves}. {row.why}")
        name = ElidedLabel(row.name)
        name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        why = PlainLabel(row.why, tone="muted", size="small", wrap=True)
        self.preview_button = button(tr("Preview"), preview or select, size="small")
        self.preview_button.setAccessibleName(tr("Preview: {text}", text=row.tip))
        self.do_button = button(row.do, run, size="small")
        self.do_button.setAccessibleName(row.tip)
        safe_tooltip(self.do_button, row.tip)
        first, whole = QHBoxLayout(), QVBoxLayout(self)
        space = appearance.space
        # Large text leaves no room for both buttons beside each other.
        second = FlowLayout(self.preview_button, self.do_button, spacing=space(1.5))
        arrange(first, name, PlainLabel(row.saves, tone="ok", size="small"), spacing=space(2))
        first.setStretch(0, 1)
        arrange(whole, first, why, second, spacing=space(1))
        self.preview_button.setVisible(preview is not None)
        whole.setContentsMargins(space(3) - space(0.5), space(1), space(3), space(1.5))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._select()
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the keyboard select as a click does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._select()
        else:
            super().keyPressEvent(event)
