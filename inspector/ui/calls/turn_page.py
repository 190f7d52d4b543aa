"""The part of the Run panel with an agent's turn: its stream, its calls with their Requests, and what asks a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.ref import Ref, RefKind
from inspector.domain.replies import CallDelta, TextDelta, ThinkingDelta
from inspector.domain.turns import ToolConsentAsked, ToolStarted, TurnDone, TurnEvent
from inspector.ui.agent_runs import TurnLog, TurnStep
from inspector.ui.calls.stream_text import Streamed, StreamRemark, StreamText
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.turns import (
    error_words,
    event_words,
    message_title,
    step_figure,
    step_price,
    turn_text,
)
from inspector.ui.safe_text import PlainLabel, few_lines, one_line
from inspector.ui.widgets.controls import EDGE_STEPS, EmptyState, arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.front_stack import FrontStack
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import number, tr

_LEAST_STEPS = 66
_BESIDE_STEPS = 110
"""Steps of width from which on the calls stand beside the stream, and not below it."""


class TurnPage(QWidget):
    """It shows one turn, the newest of the shown agent. `answered` carries a call's id and whether it may be made."""

    answered = Signal(str, bool)

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self.services = services
        self._log: TurnLog | None = None
        self._asked: ToolConsentAsked | None = None
        self._calls = 0
        self.text = StreamText(services.appearance, tr("Turn of the agent"))
        self.steps = QTableView()
        self._table = RowTable(_columns(), lambda step: step.run_id, self)
        self.figures = PlainLabel("", tone="muted", wrap=True)
        self.request_button = button(tr("Open the Request"), self.open_request, role="flat")
        self.question = _Notice("warning", services)
        self.allow_button = button(tr("Allow the call"), lambda: self._answer(allowed=True))
        self.deny_button = button(tr("Don't allow"), lambda: self._answer(allowed=False))
        self.failed = _Notice("error", services)
        self.empty = EmptyState(
            tr("No turn yet"),
            tr("Start the agent and send it a message. Each call of the model is shown here as it comes."),
        )
        self._stack = FrontStack()
        self._split = QSplitter()
        self._lay_out()
        services.appearance.changed.connect(self._measure)
        self._measure()

    @property
    def log(self) -> TurnLog | None:
        """The turn that is shown, None while there is none."""
        return self._log

    @property
    def step(self) -> TurnStep | None:
        """The selected call of the turn, the newest where none is selected."""
        rows = self.steps.selectionModel().selectedRows()
        values = self._table.values
        if rows:
            found: TurnStep = values[rows[0].row()]
            return found
        return values[-1] if values else None

    def show_log(self, log: TurnLog | None, sender: str = "", variable: str = "") -> None:
        """Show a turn as far as it came; `sender` is who wrote its message, `variable` where its key is kept."""
        self._log, self._calls = log, 0
        self._ask(None)
        self.text.begin()
        self._stack.setCurrentWidget(self.empty if log is None else self._split)
        if log is not None:
            title = message_title(log.message, sender)
            self.text.take((StreamRemark(title, log.message.content), *self._streamed(log.events)))
            for event in log.events:
                self._follow_question(event)
        self._tell(variable)

    def take(self, events: Sequence[TurnEvent], variable: str = "") -> None:
        """Show events of the shown turn as they come in."""
        self.text.take(tuple(self._streamed(events)))
        for event in events:
            self._follow_question(event)
        self._tell(variable)

    def open_request(self) -> None:
        """Show the Request that the selected call sent."""
        step = self.step
        if step is not None:
            self.services.selection.open(Ref(RefKind.RUN, step.run_id))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_beside = self.width() >= self.services.appearance.space(_BESIDE_STEPS)
        self._split.setOrientation(Qt.Orientation.Horizontal if is_beside else Qt.Orientation.Vertical)

    def _streamed(self, events: Sequence[TurnEvent]) -> Iterator[Streamed]:
        for event in events:
            if isinstance(event, TextDelta | ThinkingDelta):
                yield event
            elif isinstance(event, ToolStarted):
                self._calls += 1
                yield CallDelta(self._calls, event.call_id, event.name, event.arguments)
            elif (words := event_words(event)) is not None:
                yield StreamRemark(*words)

    def _follow_question(self, event: TurnEvent) -> None:
        if isinstance(event, ToolConsentAsked):
            self._ask(event)
        elif self._asked is not None and (
            isinstance(event, TurnDone) or getattr(event, "call_id", "") == self._asked.call_id
        ):
            self._ask(None)

    def _ask(self, asked: ToolConsentAsked | None) -> None:
        self._asked = asked
        self.question.setVisible(asked is not None)
        if asked is not None:
            title = tr("The agent asks to call {name}", name=one_line(asked.name, 60))
            self.question.tell(title, few_lines(asked.arguments), "")

    def _answer(self, *, allowed: bool) -> None:
        if self._asked is not None:
            call_id = self._asked.call_id
            self._ask(None)
            self.answered.emit(call_id, allowed)

    def _tell(self, variable: str) -> None:
        log = self._log
        self._table.set_values(() if log is None else log.steps)
        self.figures.setText("" if log is None else turn_text(log))
        error = None if log is None else log.error
        self.failed.setVisible(error is not None)
        if error is not None:
            words = error_words(error, variable)
            server = tr("The server says: {message}", message=few_lines(words.server)) if words.server else ""
            self.failed.tell(words.title, server, words.advice)
        self.request_button.setEnabled(self.step is not None)

    def _lay_out(self) -> None:
        self.steps.setModel(self._table)
        dress_table(self.steps, self.services.appearance, tr("Calls of the turn"))
        header, modes = self.steps.horizontalHeader(), QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        for place in range(self._table.columnCount()):
            header.setSectionResizeMode(place, modes.ResizeToContents)
        # With large text the figures need more room than there is.
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.steps.activated.connect(lambda _: self.open_request())
        below = QWidget()
        self._foot = FlowLayout(self.request_button)
        foot = QWidget()
        foot.setLayout(self._foot)
        arrange(QVBoxLayout(below), self.steps, foot)
        self._split.addWidget(self.text)
        self._split.addWidget(below)
        self._split.setChildrenCollapsible(False)
        self._split.setStretchFactor(0, 3)
        self._split.setStretchFactor(1, 2)
        self._split.setSizes([600, 400])
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._split)
        self.question.add(self.allow_button, self.deny_button)
        column = QVBoxLayout(self)
        arrange(column, self.question, self.failed, self._stack, self.figures)
        column.setStretchFactor(self._stack, 1)
        self.question.hide()
        self.failed.hide()

    def _measure(self) -> None:
        space = self.services.appearance.space
        self.steps.setMinimumWidth(space(_LEAST_STEPS))
        self.figures.setContentsMargins(space(3), space(1), space(3), space(1))
        self._foot.setContentsMargins(space(EDGE_STEPS), space(1), space(EDGE_STEPS), space(1))


class _Notice(QFrame):
    """A banner of up to three lines with buttons below."""

    def __init__(self, tone: str, services: PanelServices) -> None:
        super().__init__()
        self._services = services
        self.setProperty("role", "banner")
        self.setProperty("tone", tone)
        self.lines = tuple(
            PlainLabel("", tone=shade, strong=strong, wrap=True)
            for shade, strong in (("", True), ("muted", False), ("", False))
        )
        self._buttons = FlowLayout()
        self._row = QWidget()
        self._row.setLayout(self._buttons)
        self._row.hide()
        self._rows = QVBoxLayout(self)
        arrange(self._rows, *self.lines, self._row)
        services.appearance.changed.connect(self._measure)
        self._measure()

    def add(self, *buttons: QWidget) -> None:
        for each in buttons:
            self._buttons.addWidget(each)
        self._row.show()

    def tell(self, *texts: str) -> None:
        for label, text in zip(self.lines, texts, strict=True):
            label.setText(text)
            label.setVisible(bool(text))

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._rows.setContentsMargins(space(3), space(2), space(3), space(2))
        self._rows.setSpacing(space(1))
        self._buttons.setSpacing(space(2))


def _columns() -> tuple[Column[TurnStep], ...]:
    return (
        Column(
            "number",
            tr("Call"),
            lambda step: number(step.number),
            right=True,
            tip=lambda step: step.model,
            spoken=lambda step: tr("Call {number} of {model}", number=step.number, model=step.model),
        ),
        Column("request", tr("Request"), lambda step: number(step.request_tokens), right=True),
        Column("in", tr("In"), lambda step: step_figure(step, lambda usage: usage.input_tokens), right=True),
        Column(
            "out", tr("Out"), lambda step: step_figure(step, lambda usage: usage.output_tokens), right=True
        ),
        Column("price", tr("Price"), step_price, right=True),
    )
