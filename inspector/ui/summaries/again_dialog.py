"""A dialog with a summary made anew beside the stored one: the words that differ, the tokens, and what each lost."""

from __future__ import annotations

import asyncio
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.agents import Agent
from inspector.domain.errors import InspectorError, RefusedError
from inspector.domain.redone_summaries import RedoneRun, RedoneSummary
from inspector.domain.summaries import Summary
from inspector.runtime.called_model import CalledModel
from inspector.runtime.session import FileSession
from inspector.ui.bridge import is_gone
from inspector.ui.history.difference_view import DifferenceView
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.difference import ShownDifference
from inspector.ui.presentation.summaries import title_of
from inspector.ui.safe_text import PlainLabel, one_line, window_title
from inspector.ui.summaries.checks import compared_summaries
from inspector.ui.summaries.method import SummaryMethod, fault_text, refusal_text, sum_text, with_earlier
from inspector.ui.summaries.summarise_dialog import lost_lines
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.dialog_of_file import DialogOfFile
from inspector.ui.wording import number, signed, tr, tr_code, tr_count

_WIDTH, _HEIGHT, _SHARE = 120, 42, 0.94
_TITLE_LENGTH = 60


class AgainDialog(DialogOfFile):
    """Shows one summary of the run at a time. *Replace* stores all of them as one change."""

    def __init__(
        self, parent: QWidget, services: PanelServices, session: FileSession, agent: Agent, summary: Summary
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Summarise again")))
        self._services, self._session, self._agent, self._summary = services, session, agent, summary
        self._run: RedoneRun | None = None
        self._shown: RedoneRun | None = None
        """The run whose texts are in sight: that one, or while there is none the one before."""
        self._took = ""
        self._is_refused = False
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self.method = SummaryMethod(services, agent)
        self.choice = QComboBox()
        self.choice.setAccessibleName(tr("Summary of this run"))
        self.choice.setVisible(False)
        self.note = PlainLabel(tr("Summarising … Cancel stops it. No summary is stored yet."), wrap=True)
        self.lost = PlainLabel("", tone="muted", size="small", wrap=True)
        self.difference = DifferenceView(services.appearance)
        self.difference.set_beside(beside=True)
        self.difference.left.setAccessibleName(tr("The stored summary"))
        self.difference.right.setAccessibleName(tr("The new summary"))
        self.do = button(tr("Replace"), self._apply, role="primary")
        self.do.setDefault(True)
        self.do.setEnabled(False)
        self._lay_out()
        self.choice.currentIndexChanged.connect(self._show_one)
        self.finished.connect(lambda _: self._stop())
        self._task: asyncio.Task[Any] | None = None
        self._model: CalledModel | None = None
        self.method.changed.connect(self._begin)
        self.method.asked.connect(self._try)
        self._try()

    @property
    def run(self) -> RedoneRun | None:
        """What came of it, None while it is under way."""
        return self._run

    def _lay_out(self) -> None:
        heads, row, space = QHBoxLayout(), QHBoxLayout(), self._services.appearance.space
        old, new = PlainLabel(tr("Stored"), strong=True), PlainLabel(tr("New"), strong=True)
        heads.addWidget(old, 1)
        heads.addWidget(new, 1)
        arrange(row, None, button(tr("Cancel"), self.reject), self.do, spacing=space(2))
        column = QVBoxLayout(self)
        parts = self.method, self.choice, self.note, heads, self.difference, self.lost, row
        arrange(column, *parts, margins=space(4), spacing=space(2))
        column.setStretch(4, 1)

    def _begin(self) -> None:
        """Try at once where that calls nobody; else wait until the model is to be asked."""
        self._stop()
        self._clear()
        if self.method.is_extractive:
            self._try()
        else:
            self._say(tr("Nothing is sent yet. Ask the model sends the messages behind this summary."))

    def _say(self, text: str) -> None:
        """Say something, and where the texts in sight are of an earlier run, this too."""
        self.note.setText(text if self._shown is self._run or self._shown is None else with_earlier(text))

    def _clear(self) -> None:
        """Have no run to store."""
        self._run = None
        self._is_refused = False
        self._offer(tr("Replace"))
        self.do.setEnabled(False)

    def _try(self) -> None:
        self._stop()
        self._clear()
        session, agent, services = self._session, self._agent, self._services
        try:
            self._model = self.method.model_of(session, agent.id)
        except InspectorError as error:
            self._fail(error)
            return
        self._say(tr("Summarising … Cancel stops it. No summary is stored yet."))
        made_by = session.engine.summaries.written_by(agent, self._model)
        self._task = services.bridge.spawn(
            session.engine.summary_checks.redo(agent, self._summary.id, made_by),
            name=tr("Summarising again"),
            on_done=self._show_run,
            on_error=self._fail,
        )

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _fail(self, error: BaseException) -> bool:
        if isinstance(error, InspectorError):
            self._say(fault_text(error))
            return True
        return False

    def _show_run(self, run: RedoneRun) -> None:
        self._run = run
        if not run.summaries:
            problem = run.problems[0] if run.problems else None
            self._say(tr_code(problem.code, problem.parameters) if problem else "")
            return
        self._shown = run
        self._took = "" if self._model is None else "\n" + sum_text(self._model)
        self.choice.blockSignals(True)
        self.choice.clear()
        for each in run.summaries:
            self.choice.addItem(f"{_depth(each)} · {one_line(title_of(each.old), _TITLE_LENGTH)}")
        self.choice.blockSignals(False)
        self.choice.setVisible(len(run.summaries) > 1)
        edits = len(run.edits)
        self._offer(tr_count("Replace {count} summary", "Replace {count} summaries", edits))
        self.do.setEnabled(bool(edits) and not self._session.read_only)
        self._show_one(0)

    def _show_one(self, place: int) -> None:
        if self._shown is None or not 0 <= place < len(self._shown.summaries):
            return
        one = self._shown.summaries[place]
        self._say(" ".join(self._sentences(one)) + self._took)
        lines = [*lost_lines(one.proposal.losses)]
        self.lost.setText("\n".join((tr("Left out of the new one"), *lines)) if lines else "")
        self._services.bridge.supersede(
            ("summary again", self),
            compared_summaries(self._session, one.old, one.new, self._agent.model),
            name=tr("Comparing"),
            on_done=self._take_difference,
        )

    def _take_difference(self, shown: ShownDifference) -> None:
        self.difference.show_difference(shown)

    def _sentences(self, one: RedoneSummary) -> tuple[str, ...]:
        old, new = one.check.tokens, one.proposal.tokens
        sizes = tr(
            "{old} → {new} tokens ({change}).",
            old=number(old),
            new=number(new),
            change=signed(new - old) or "±0",
        )
        lost = tr(
            "Items of the source left out: {old} before, {new} now.",
            old=number(one.check.losses.count),
            new=number(one.proposal.losses.count),
        )
        same = tr("Nothing would change.") if one.old == one.new else ""
        kept = tr("The stored text stays in the history.") if not same else ""
        return tuple(each for each in (sizes, lost, same, kept) if each)

    def _apply(self) -> None:
        """Store the run that is shown, and close; of one that was refused make another."""
        if self._is_refused:
            self._begin()
            return
        run, services, session = self._run, self._services, self._session
        if run is None or not run.edits:
            return
        self.do.setEnabled(False)
        accept = self.accept

        def replace(_: None) -> None:
            if not is_gone(accept):
                accept()
            text = tr_count("Replaced {count} summary.", "Replaced {count} summaries.", len(run.edits))
            services.workspace.apply(run.edits, tr("summarised again"), text=text)

        services.bridge.spawn(
            session.engine.summary_checks.require_same(run),
            name=tr("Saving"),
            on_done=replace,
            on_error=self._refuse,
        )

    def _refuse(self, error: BaseException) -> bool:
        """Leave the texts of a run that couldn't be stored, and offer to make another of what is there now."""
        self.do.setEnabled(True)
        if not isinstance(error, RefusedError):
            return False
        self._is_refused = True
        self.note.setText(refusal_text(error))
        self._offer(tr("Preview again"))
        return True

    def _offer(self, text: str) -> None:
        self.do.setText(text)
        self.do.setAccessibleName(text)


def offer_again(parent: QWidget, services: PanelServices, summary: Summary) -> None:
    """Make a summary and those above it anew, show them beside the stored ones, and replace those on request."""
    session, agent = services.workspace.live.session, services.workspace.file.agent
    if session is not None and agent is not None:
        AgainDialog(parent, services, session, agent, summary).show()


def _depth(one: RedoneSummary) -> str:
    return tr("Depth {depth}", depth=one.old.depth)
