"""The problems panel: everything about the file and the Request that a person should see."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QShowEvent
from PySide6.QtWidgets import QHeaderView, QStackedLayout, QStyle, QTableView, QWidget

from inspector.domain.errors import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.ui.file_state import What
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.widgets.controls import EmptyState
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import tr, tr_code, tr_count

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_DRAFT = "draft"
_WHAT, _WHERE, _NO_END = 1, 2, 100_000
_WIDE_STEPS, _HIGH_STEPS, _KIND_STEPS, _WHERE_STEPS = 200, 40, 22, 32
_WORDS = {
    Severity.ERROR: lambda: tr("error"),
    Severity.WARNING: lambda: tr("warning"),
    Severity.INFO: lambda: tr("note"),
}


class ProblemsPanel(Panel):
    """The list, the worst first. A row selects what it is about."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        icons = services.icons
        columns: tuple[Column[Problem], ...] = (
            Column(
                "severity",
                tr("Kind"),
                lambda each: _WORDS[each.severity](),
                roles={
                    Qt.ItemDataRole.DecorationRole: lambda each: icons.icon(
                        each.severity.value, each.severity.value
                    )
                },
            ),
            Column("what", tr("What"), _problem_text, tip=_problem_text),
            Column("where", tr("Where"), self._where, tip=lambda each: each.where),
        )
        self._model = RowTable(columns, _key, self)
        self._view = QTableView()
        self._view.setModel(self._model)
        dress_table(self._view, services.appearance, tr("Problems"))
        header = self._view.horizontalHeader()
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setStretchLastSection(False)
        self._view.setWordWrap(True)
        self._view.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._high = QTimer(self, singleShot=True, interval=0)
        self._high.timeout.connect(self._fit_rows)
        for signal in (
            header.sectionResized,
            services.appearance.changed,
            self._model.dataChanged,
            self._model.modelReset,
        ):
            signal.connect(lambda *_: self._high.start())
        self._view.selectionModel().currentRowChanged.connect(self._choose)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(
            EmptyState(tr("No problems"), tr("Problems in the file or the Request appear here."))
        )
        self._stack.addWidget(self._view)
        services.appearance.changed.connect(self._measure)
        self._measure()
        self._fill()

    def follow(self, what: What) -> None:
        if what & What.PROBLEMS:
            self._fill()

    def first_focus(self) -> QWidget:
        return self._view

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._high.start()

    def sizeHint(self) -> QSize:
        """Wide: beside another panel it gets its part by what each would like to have."""
        space = self.services.appearance.space
        return QSize(space(_WIDE_STEPS), space(_HIGH_STEPS))

    def _measure(self) -> None:
        header, space = self._view.horizontalHeader(), self.services.appearance.space
        header.resizeSection(0, space(_KIND_STEPS))
        header.resizeSection(2, space(_WHERE_STEPS))

    def _fit_rows(self) -> None:
        """Make every row as high as its text is at the width that there is."""
        if not self.isVisible():
            return
        appearance, style = self.services.appearance, self._view.style()
        metrics = QFontMetrics(appearance.font())
        free = 2 * (appearance.space() + style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
        for row in range(self._model.rowCount()):
            heights = [
                metrics.boundingRect(
                    QRect(0, 0, self._view.columnWidth(column) - free, _NO_END),
                    Qt.TextFlag.TextWordWrap,
                    self._model.index(row, column).data(),
                ).height()
                for column in (_WHAT, _WHERE)
            ]
            self._view.setRowHeight(row, max(heights) + appearance.space(2))

    def _fill(self) -> None:
        problems = sorted(self.services.workspace.file.problems, key=lambda each: _RANK[each.severity])
        self._model.set_values(problems)
        self._stack.setCurrentIndex(1 if problems else 0)
        note = tr_count("{count} problem", "{count} problems", len(problems)) if problems else ""
        self.set_heading(tr("Problems"), note)

    def _where(self, problem: Problem) -> str:
        ref = Ref.read(problem.where)
        state = self.services.workspace.file.blocks.get(ref.id) if ref and ref.kind is RefKind.BLOCK else None
        return state.block.label if state else problem.where

    def _choose(self, index: QModelIndex) -> None:
        problem = self._model.value_at(index)
        ref = Ref.read(problem.where) if isinstance(problem, Problem) else None
        if ref is not None and self._view.hasFocus():
            # A draft that was left is named as a part of its block, which has no such part.
            self.services.selection.select(ref.whole if _DRAFT in problem.parameters else ref)


def _problem_text(problem: Problem) -> str:
    return tr_code(problem.code, problem.parameters)


def _key(problem: Problem) -> tuple[str, str, str]:
    return (problem.code, problem.where, repr(sorted(problem.parameters.items())))
