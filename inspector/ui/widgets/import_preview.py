"""A dialog of the window that previews an import before it is applied."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from inspector.domain.errors import Problem, Severity
from inspector.domain.exchange import ImportPlan
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.wording import number, tr, tr_code, tr_count

_TONES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "muted"}
_LISTED = 200
_WIDTH, _HEIGHT, _SHARE = 84, 32, 0.92


class ImportPreview(QDialog):
    """Agents with their counts, what needs attention, what is kept as metadata; then Import or Cancel."""

    def __init__(
        self, parent: QWidget, source_name: str, plan: ImportPlan, go_on: Callable[[], None]
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Import {file}", file=source_name)))
        # In figures and lines, so that it follows the size of text.
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        page = QWidget()
        column = QVBoxLayout(page)
        sentence = tr_count(
            "{format}: creates {count} agent.",
            "{format}: creates {count} agents.",
            len(plan.agents),
            format=tr_code(f"format.{plan.source_format}"),
        )
        arrange(
            column,
            PlainLabel(source_name, strong=True),
            PlainLabel(sentence, tone="muted", wrap=True),
            8,
            margins=16,
            spacing=4,
        )
        column.addLayout(_agents(plan))
        for heading, lines in _remarks(plan):
            column.addSpacing(8)
            column.addWidget(PlainLabel(heading, strong=True))
            for text, tone in lines:
                column.addWidget(PlainLabel(text, tone=tone, wrap=True))
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setAccessibleName(tr("What the import creates"))
        self.do = button(tr("Import …"), self.accept, role="primary")
        self.do.setDefault(True)
        self.do.setEnabled(bool(plan.intents))
        row = QHBoxLayout()
        arrange(row, None, button(tr("Cancel"), self.reject), self.do, spacing=8)
        row.setContentsMargins(16, 8, 16, 16)
        arrange(QVBoxLayout(self), scroll, row)
        self.accepted.connect(go_on)


def _agents(plan: ImportPlan) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    heads = (
        tr("Agent"),
        tr("Model"),
        tr("Blocks"),
        tr("Shared"),
        tr("Messages"),
        tr("In context"),
        tr("Tools"),
    )
    for column, head in enumerate(heads):
        grid.addWidget(_cell(head, "muted", right=column > 1), 0, column)
    for row, agent in enumerate(plan.agents[:_LISTED], start=1):
        counts = (agent.blocks, agent.shared_blocks, agent.messages, agent.messages_in_context, agent.tools)
        grid.addWidget(_cell(agent.name), row, 0)
        grid.addWidget(_cell(agent.model), row, 1)
        for column, count in enumerate(counts, start=2):
            grid.addWidget(_cell(number(count), right=True), row, column)
    grid.setColumnStretch(0, 1)
    return grid


def _remarks(plan: ImportPlan) -> list[tuple[str, list[tuple[str, str]]]]:
    found = []
    if plan.problems:
        found.append((tr("Notes"), [_problem(each) for each in plan.problems[:_LISTED]]))
    if plan.kept_in_metadata:
        kept = [(path, "muted") for path in plan.kept_in_metadata[:_LISTED]]
        found.append((tr("Other fields, kept as metadata"), kept))
    return found


def _problem(problem: Problem) -> tuple[str, str]:
    text = tr_code(problem.code, problem.parameters)
    return (f"{text} ({problem.where})" if problem.where else text, _TONES[problem.severity])


def _cell(text: str, tone: str = "", *, right: bool = False) -> PlainLabel:
    label = PlainLabel(text, tone=tone)
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    return label
