"""The dialog of the window's own log: lines by level and words, the whole text of one, and copies."""

from __future__ import annotations

import logging

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.appearance import Appearance
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.program_log.keeper import MOST_LINES, LogKeeper, LogLine
from inspector.ui.safe_text import PlainLabel, safe_tooltip, show_controls, window_title
from inspector.ui.widgets.controls import EmptyState, Segments, arrange, button, field, name_help
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import number, tr, tr_count

_WIDTH, _HEIGHT, _SHARE = 120, 36, 0.92
_LOOK_MILLISECONDS = 250
_TIME_STEPS, _LEVEL_STEPS, _SOURCE_STEPS = 20, 20, 40
_LEVELS = (logging.NOTSET, logging.WARNING, logging.ERROR)
"""The least level of each choice, in their order."""


class LogDialog(QDialog):
    """The log above the window, which goes on working. What is logged meanwhile comes in at the end."""

    def __init__(self, parent: QWidget, appearance: Appearance, log: LogKeeper) -> None:
        super().__init__(parent)
        name_help(self, "Log")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Log")))
        # In figures and lines, so that it follows the size of text.
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self._appearance, self._log = appearance, log
        self._seen = -1
        self.levels = Segments(
            tr("Level"),
            (tr("All"), tr("Shows everything that was logged.")),
            (tr("Warnings"), tr("Shows warnings and errors.")),
            (tr("Errors"), tr("Shows errors only.")),
        )
        self.search = field(tr("Filter the log"), role="filter")
        self.follow_box = QCheckBox(tr("Follow"))
        self.follow_box.setChecked(True)
        safe_tooltip(self.follow_box, tr("Scrolls to each new line."))
        self.model = RowTable(_columns(), lambda line: line.number, self)
        self.table = _LinesTable()
        self.text = QPlainTextEdit()
        self._count = PlainLabel("", tone="muted", size="small")
        self._stack = QStackedWidget()
        self._empty = EmptyState("")
        self._lay_out()
        self._connect()
        self.look()
        self.search.setFocus()

    def look(self) -> None:
        """Show what was logged since the last look."""
        if self._seen == self._log.count:
            return
        self._seen = self._log.count
        self._show()

    def copy_selected(self) -> None:
        """Copy the selected lines with their whole texts; all shown ones if none is selected."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        shown = self.model.values
        chosen = [shown[row] for row in rows] or list(shown)
        QGuiApplication.clipboard().setText("\n".join(_as_text(line) for line in chosen))
        self._count.setText(tr_count("Copied {count} line.", "Copied {count} lines.", len(chosen)))

    def _lay_out(self) -> None:
        space = self._appearance.space
        dress_table(self.table, self._appearance, tr("Log"))
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setModel(self.model)
        for column, steps in enumerate((_TIME_STEPS, _LEVEL_STEPS, _SOURCE_STEPS)):
            self.table.setColumnWidth(column, space(steps))
        self.text.setReadOnly(True)
        self.text.setProperty("role", "page")
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("Text of the line"))
        self.text.setFont(self._appearance.font(fixed=True))
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.table)
        halves.addWidget(self.text)
        halves.setStretchFactor(0, 3)
        halves.setStretchFactor(1, 1)
        self._stack.addWidget(halves)
        self._stack.addWidget(self._empty)
        top, bottom = QHBoxLayout(), QHBoxLayout()
        arrange(top, self.levels, self.search, self.follow_box, margins=space(4), spacing=space(3))
        top.setStretch(1, 1)
        self.copy_button = button(tr("Copy"), self.copy_selected)
        arrange(
            bottom, self._count, None, self.copy_button, button(tr("Close"), self.accept), spacing=space(2)
        )
        bottom.setContentsMargins(space(4), space(2), space(4), space(4))
        arrange(QVBoxLayout(self), top, self._stack, bottom)

    def _connect(self) -> None:
        self.levels.chosen.connect(lambda _, on: self._show() if on else None)
        self.search.textChanged.connect(self._show)
        self.follow_box.toggled.connect(self._scroll)
        self.table.selectionModel().selectionChanged.connect(self._show_text)
        self.table.copy_asked.connect(self.copy_selected)
        timer = QTimer(self, interval=_LOOK_MILLISECONDS)
        timer.timeout.connect(self.look)
        timer.start()

    def _show(self, *_: object) -> None:
        lines = self._log.lines
        least, words = _LEVELS[max(0, self.levels.current)], self.search.text().casefold().split()
        shown = [line for line in lines if line.level >= least and _fits(line, words)]
        chosen = self.model.value_at(self.table.currentIndex())
        self.model.set_values(shown)
        if chosen is not None:
            self.table.setCurrentIndex(self.model.find(chosen.number))
        self._stack.setCurrentIndex(0 if shown else 1)
        if not shown:
            self._empty.tell(
                tr("No line matches.") if lines else tr("Nothing logged yet"),
                "" if lines else tr("Opened files, warnings and errors appear here."),
            )
        self.copy_button.setEnabled(bool(shown))
        total = number(len(lines))
        text = tr("{shown} of {total} lines", shown=number(len(shown)), total=total)
        gone = self._log.count - len(lines)
        bound = tr(" · the newest {count} are kept", count=number(MOST_LINES)) if gone else ""
        self._count.setText(text + bound)
        self._scroll()
        self._show_text()

    def _scroll(self, *_: object) -> None:
        if self.follow_box.isChecked():
            self.table.scrollToBottom()

    def _show_text(self, *_: object) -> None:
        line = self.model.value_at(self.table.currentIndex())
        self.text.setPlainText(show_controls(line.text) if line is not None else "")


class _LinesTable(QTableView):
    """Asks for a copy of whole lines: Qt would copy what the current cell shows."""

    copy_asked = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
            event.accept()
        else:
            super().keyPressEvent(event)


def _columns() -> tuple[Column[LogLine], ...]:
    return (
        Column("time", tr("Time"), lambda line: f"{line.at.astimezone():%H:%M:%S}"),
        Column("level", tr("Level"), lambda line: _level(line.level)),
        Column("source", tr("Source"), lambda line: line.source),
        Column("text", tr("Text"), lambda line: line.first_line),
    )


def _level(level: int) -> str:
    if level >= logging.ERROR:
        return tr("Error")
    return tr("Warning") if level >= logging.WARNING else tr("Info")


def _fits(line: LogLine, words: list[str]) -> bool:
    text = f"{line.source} {line.text}".casefold() if words else ""
    return all(word in text for word in words)


def _as_text(line: LogLine) -> str:
    return f"{line.at:%Y-%m-%d %H:%M:%S}Z {_level(line.level)} {line.source}: {show_controls(line.text)}"
