"""The problems panel: everything about the file and the Request that a person should see, with its fix."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHeaderView, QStackedLayout, QStyle, QTableView, QWidget

from inspector.domain.lint import LintRule
from inspector.domain.ref import Ref
from inspector.ui.actions import Action
from inspector.ui.appearance import TextSize
from inspector.ui.costs.finding_buttons import FindingButtons
from inspector.ui.costs.fix_runner import FixRunner
from inspector.ui.file_state import What
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.cuts import IGNORED, ignored_kinds, stored_kinds
from inspector.ui.presentation.problem_rows import ProblemRow, heading_note, problem_rows
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.controls import EmptyState, button
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import tr, tr_count, with_unit

_KIND, _WHAT, _WHERE, _SAVES, _FIX, _NO_END = 0, 1, 2, 3, 4, 100_000
_WIDE_STEPS, _HIGH_STEPS = 200, 40
_WIDTHS = {_KIND: 22, _WHERE: 32, _SAVES: 18, _FIX: 50}
"""Steps of the columns; the text has what is left."""
_TEXT_STEPS, _MARK_STEPS = 50, 10
"""Steps below which the text takes the room of the place, of what is saved, and of the kind but for its mark."""
_NAME_LENGTH = 80
_LEFT = Qt.AlignmentFlag.AlignLeft
_SHOWN = What.PROBLEMS | What.FINDINGS | What.BLOCKS | What.AGENTS | What.FILE


class ProblemsPanel(Panel):
    """The list in groups, the worst first. A row selects what it is about; a finding has a button for its fix."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._runner = FixRunner(services)
        self._is_narrow = False
        self._model = RowTable(self._columns(), lambda row: row.key, self)
        self.view = QTableView()
        self.view.setModel(self._model)
        dress_table(self.view, services.appearance, tr("Problems"))
        self.view.setWordWrap(True)
        self.view.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._restore = button(tr("Show ignored findings"), self._show_ignored, role="link", size="small")
        self._high = QTimer(self, singleShot=True, interval=0)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(
            EmptyState(tr("No problems"), tr("Problems in the file or the Request appear here."))
        )
        self._stack.addWidget(self.view)
        self._connect()
        self._add_actions()
        self._measure()
        self._fill()

    def header(self) -> tuple[QWidget, ...]:
        return (self._restore,)

    def follow(self, what: What) -> None:
        if what & _SHOWN:
            self._fill()

    def first_focus(self) -> QWidget:
        return self.view

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._high.start()

    def sizeHint(self) -> QSize:
        """Wide: beside another panel it gets its part by what each would like to have."""
        space = self.services.appearance.space
        return QSize(space(_WIDE_STEPS), space(_HIGH_STEPS))

    @property
    def rows(self) -> tuple[ProblemRow, ...]:
        return self._model.values

    def buttons(self, key: str) -> FindingButtons | None:
        """The buttons of a row that is in sight, None while it has none."""
        found = self.view.indexWidget(self._model.find(key).siblingAtColumn(self._button_column))
        return found if isinstance(found, FindingButtons) else None

    def _columns(self) -> tuple[Column[ProblemRow], ...]:
        look, icons = self.services.appearance, self.services.icons

        def picture(row: ProblemRow) -> object:
            severity = row.severity.value if row.severity is not None else ""
            return icons.icon(severity, severity) if severity else None

        def font(row: ProblemRow) -> QFont:
            return look.font(TextSize.NORMAL, bold=row.severity is None)

        def alignment(row: ProblemRow) -> object:
            is_above = self._is_narrow and row.finding is not None
            return _LEFT | (Qt.AlignmentFlag.AlignTop if is_above else Qt.AlignmentFlag.AlignVCenter)

        return (
            Column(
                "severity",
                tr("Kind"),
                lambda row: "" if self._is_narrow and row.kind else row.kind or row.what,
                spoken=lambda row: row.kind or row.what,
                roles={
                    int(Qt.ItemDataRole.DecorationRole): picture,
                    int(Qt.ItemDataRole.FontRole): font,
                },
            ),
            Column(
                "what",
                tr("What"),
                lambda row: row.what,
                tip=lambda row: row.what,
                roles={int(Qt.ItemDataRole.TextAlignmentRole): alignment},
            ),
            Column(
                "where", tr("Where"), lambda row: one_line(row.where, _NAME_LENGTH), tip=lambda row: row.place
            ),
            Column("saves", tr("Saves"), lambda row: row.saves, right=True, spoken=_spoken_saving),
            Column("fix", "", lambda _: "", spoken=lambda row: row.tip),
        )

    def _connect(self) -> None:
        header, look = self.view.horizontalHeader(), self.services.appearance
        header.setSectionResizeMode(_WHAT, QHeaderView.ResizeMode.Stretch)
        header.setStretchLastSection(False)
        self._high.timeout.connect(self._fit_rows)
        for signal in (
            header.sectionResized,
            look.changed,
            self._model.dataChanged,
            self._model.modelReset,
            self._model.rowsInserted,
            self.view.verticalScrollBar().valueChanged,
            self.view.verticalScrollBar().rangeChanged,
        ):
            signal.connect(lambda *_: self._high.start())
        self.view.selectionModel().currentRowChanged.connect(self._choose)
        self.view.activated.connect(self._open)
        look.changed.connect(self._measure)
        self.services.preferences.changed.connect(self._follow_setting)

    def _add_actions(self) -> None:
        def no_fix() -> str:
            row = self._current
            return "" if row is not None and row.do else tr("no finding with a fix is selected in Problems")

        def no_finding() -> str:
            row = self._current
            return "" if row is not None and row.finding else tr("no finding is selected in Problems")

        self.services.actions.add(
            Action("problems.fix", tr("Fix the selected finding"), self._run_current, why_not=no_fix),
            Action(
                "problems.ignore",
                tr("Ignore findings of this kind"),
                self._ignore_current,
                why_not=no_finding,
            ),
            Action("problems.restore_ignored", tr("Show ignored findings"), self._show_ignored),
        )

    def _measure(self) -> None:
        header, space = self.view.horizontalHeader(), self.services.appearance.space
        for column, steps in _WIDTHS.items():
            header.resizeSection(column, space(steps))
        self.view.setIconSize(QSize(space(4), space(4)))
        self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """With little room the place gives way, which the text names too, then what is saved and the kind's word."""
        has_findings = any(row.finding is not None for row in self.rows)
        hidden = set() if has_findings else {_SAVES, _FIX}
        was_narrow = self._is_narrow
        space = self.services.appearance.space
        for column in (_WHERE, _SAVES):
            taken = sum(space(steps) for each, steps in _WIDTHS.items() if each not in hidden)
            if self.width() - taken < space(_TEXT_STEPS):
                hidden.add(column)
        self._is_narrow = has_findings and _SAVES in hidden
        if self._is_narrow:
            hidden.add(_FIX)
        if self._is_narrow != was_narrow:
            for place in range(len(self.rows)):
                for column in (_WHAT, _FIX):
                    # Nothing stands there then, and the next look makes the buttons anew in their place.
                    self.view.setIndexWidget(self._model.index(place, column), QWidget())
            self._high.start()
        for column in _WIDTHS:
            self.view.setColumnHidden(column, column in hidden)
        steps = _MARK_STEPS if self._is_narrow else _WIDTHS[_KIND]
        self.view.horizontalHeader().resizeSection(_KIND, space(steps))

    def _fit_rows(self) -> None:
        """Make every row as high as its text is at the width that there is, and give those in sight their buttons."""
        if not self.isVisible():
            return
        appearance, style = self.services.appearance, self.view.style()
        metrics = QFontMetrics(appearance.font())
        free = 2 * (appearance.space() + style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
        self.view.clearSpans()
        measured = [each for each in (_WHAT, _WHERE) if not self.view.isColumnHidden(each)]
        for place, row in enumerate(self.rows):
            is_heading = row.severity is None
            if is_heading:
                self.view.setSpan(place, 0, 1, len(_WIDTHS) + 1)
            heights = [
                metrics.boundingRect(
                    QRect(0, 0, self.view.columnWidth(column) - free, _NO_END),
                    Qt.TextFlag.TextWordWrap,
                    self._model.index(place, column).data(),
                ).height()
                for column in (() if is_heading else measured)
            ]
            height = max(heights, default=metrics.height()) + appearance.space(2)
            self.view.setRowHeight(place, height)
        self._add_buttons()

    def _add_buttons(self) -> None:
        bar = self.view.verticalScrollBar()
        first = self.view.rowAt(0) if bar.value() >= 0 else 0
        last = self.view.rowAt(self.view.viewport().height() - 1)
        for place in range(max(0, first), len(self.rows) if last < 0 else last + 1):
            row, index = self.rows[place], self._model.index(place, self._button_column)
            there = self.view.indexWidget(index)
            if row.finding is None:
                continue
            made = there if isinstance(there, FindingButtons) and there.row == row else None
            if made is None:
                made = FindingButtons(self.services, row, self._run, self._ignore, below=self._is_narrow)
                self.view.setIndexWidget(index, made)
            self._make_room(place, made)

    @property
    def _button_column(self) -> int:
        """Where the buttons stand: in a column of their own, without room for it below the text."""
        return _WHAT if self._is_narrow else _FIX

    def _make_room(self, place: int, buttons: FindingButtons) -> None:
        """Let the column be as wide as its buttons, the row as high; below the text they add to it."""
        header = self.view.horizontalHeader()
        least = buttons.sizeHint().height() + self.services.appearance.space()
        if self._is_narrow:
            height = buttons.heightForWidth(header.sectionSize(_WHAT))
            self.view.setRowHeight(place, self.view.rowHeight(place) + height)
        else:
            self.view.setRowHeight(place, max(self.view.rowHeight(place), least))
            # The padding of the cell is not theirs.
            wide = buttons.sizeHint().width() + 2 * self.services.appearance.space()
            if wide > header.sectionSize(_FIX):
                header.resizeSection(_FIX, wide)

    def _fill(self) -> None:
        ignored = self._ignored
        rows = problem_rows(self.services.workspace.file, ignored)
        self._model.set_values(rows)
        self._fit_columns()
        self._stack.setCurrentIndex(1 if rows else 0)
        self.set_heading(tr("Problems"), heading_note(rows))
        count = sum(each.rule in ignored for each in self.services.workspace.file.findings)
        text = tr_count("Show {count} ignored finding", "Show {count} ignored findings", count)
        self._restore.setText(text)
        self._restore.setAccessibleName(text)
        self._restore.setVisible(count > 0)

    def _follow_setting(self, name: str) -> None:
        if name == IGNORED:
            self._fill()

    @property
    def _ignored(self) -> frozenset[LintRule]:
        return ignored_kinds(self.services.preferences.text(IGNORED))

    @property
    def _current(self) -> ProblemRow | None:
        found = self._model.value_at(self.view.currentIndex())
        return found if isinstance(found, ProblemRow) else None

    def _run_current(self) -> None:
        row = self._current
        if row is not None:
            self._run(row.key)

    def _ignore_current(self) -> None:
        row = self._current
        if row is not None:
            self._ignore(row.key)

    def _run(self, key: str) -> None:
        row = self._model.value_at(self._model.find(key))
        if isinstance(row, ProblemRow) and row.finding is not None:
            # The button is gone after it.
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            self._runner.run(row.finding)

    def _ignore(self, key: str) -> None:
        row = self._model.value_at(self._model.find(key))
        if isinstance(row, ProblemRow) and row.finding is not None:
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            kinds = self._ignored | {row.finding.rule}
            # It takes the button away that is being pressed.
            store = partial(self.services.preferences.set, IGNORED, stored_kinds(kinds))
            QTimer.singleShot(0, self, store)

    def _show_ignored(self) -> None:
        self.services.preferences.set(IGNORED, "")

    def _choose(self, index: QModelIndex) -> None:
        row = self._model.value_at(index)
        if isinstance(row, ProblemRow) and row.ref is not None and self.view.hasFocus():
            self.services.selection.select(row.ref)
        self.services.actions.refresh()

    def _open(self, index: QModelIndex) -> None:
        row = self._model.value_at(index)
        if isinstance(row, ProblemRow) and row.ref is not None:
            self.services.selection.open(row.ref)


def _spoken_saving(row: ProblemRow) -> str:
    return tr("saves {tokens}", tokens=with_unit(row.saves)) if row.saves else ""
