"""The pages on one summary: its text to read and edit, the loss check, the coverage, and its history."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from inspector.domain.summaries import Summary
from inspector.ui.editors.record_page import RecordPage
from inspector.ui.panel import PanelServices
from inspector.ui.summaries.checks import LossTable, SummaryHistory
from inspector.ui.summaries.coverage import CoverageTable
from inspector.ui.widgets.controls import EmptyState, arrange
from inspector.ui.wording import number, tr

TEXT, LOSSES, COVERAGE, HISTORY = range(4)


class SummaryPage(QWidget):
    """Four pages behind tabs; what no one looks at is not read. `turned` tells that another one is in front."""

    turned = Signal()

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self._summary: Summary | None = None
        empty = EmptyState(tr("Select a summary to read it"))
        self.record = RecordPage(services.appearance, services.icons, empty, tr("Summary"))
        self.losses = LossTable(services)
        self.coverage = CoverageTable(services.appearance)
        self.history = SummaryHistory(services)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName(tr("Pages of the summary"))
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self._stack = QStackedWidget()
        for title, page in (
            (tr("Summary"), self.record),
            (tr("Loss check"), self.losses),
            (tr("Coverage"), self.coverage),
            (tr("History"), self.history),
        ):
            self.tabs.addTab(title)
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        arrange(column, self.tabs, self._stack)
        column.setStretch(1, 1)
        self.tabs.currentChanged.connect(self._turn)
        self.losses.checked.connect(self._count_losses)

    @property
    def is_text(self) -> bool:
        """Whether the text is in front."""
        return self.tabs.currentIndex() == TEXT

    def go_to(self, page: int) -> None:
        self.tabs.setCurrentIndex(page)

    def show_summary(self, summary: Summary | None) -> None:
        """Check another summary and read its history, if that is what is looked at."""
        if summary != self._summary:
            self._summary = summary
            self._count_losses(0)
            self._read()

    def _turn(self, page: int) -> None:
        self._stack.setCurrentIndex(page)
        self._read()
        self.turned.emit()

    def _read(self) -> None:
        page = self.tabs.currentIndex()
        if page == LOSSES:
            self.losses.show_summary(self._summary)
        elif page == HISTORY:
            self.history.show_summary(self._summary)

    def _count_losses(self, count: int) -> None:
        title = tr("Loss check ({count})", count=number(count)) if count else tr("Loss check")
        self.tabs.setTabText(LOSSES, title)
