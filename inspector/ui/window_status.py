"""Keeps the window's top bar and status line up to date, with running jobs."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.counts import Method
from inspector.domain.errors import Severity
from inspector.domain.jobs import Job
from inspector.domain.what_if import WhatIf
from inspector.runtime.jobs import Jobs
from inspector.ui.approvals.waiting import WaitingApprovals
from inspector.ui.file_state import What
from inspector.ui.main_window import MainWindow
from inspector.ui.model_choice import ModelChoice
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.cuts import IGNORED, ignored_kinds
from inspector.ui.presentation.names import name_of_layout
from inspector.ui.presentation.turns import running_text
from inspector.ui.presentation.what_if import with_model
from inspector.ui.widgets.banner import Notice
from inspector.ui.widgets.status import StatusValues
from inspector.ui.widgets.top_bar import Option
from inspector.ui.widgets.work_line import ShownJob
from inspector.ui.wording import ago, tr, tr_code

_SHOWN = (
    What.FILE
    | What.AGENTS
    | What.AGENT
    | What.REQUEST
    | What.DRAFTS
    | What.PROBLEMS
    | What.FINDINGS
    | What.WRITTEN
    | What.MOVED
    | What.WHAT_IF
    | What.RUNS
)
_WORST = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: ""}
_BUSY_AFTER_MILLISECONDS = 500
_IDLE_MILLISECONDS = 700
SHOWN_AFTER_MILLISECONDS = 300
"""Long work that is done before that is not worth a look."""


class WindowStatus(QObject):
    """Follows the file and the settings."""

    def __init__(self, services: PanelServices, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._workspace = services.workspace
        self._window = window
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.show_all)
        self._clock = QTimer(self, singleShot=True)
        self._clock.timeout.connect(self.show_all)
        self._idle = QTimer(self, singleShot=True, interval=_IDLE_MILLISECONDS)
        self._idle.timeout.connect(self._workspace.count_others)
        self._late = QTimer(self, singleShot=True, interval=_BUSY_AFTER_MILLISECONDS)
        self._late.timeout.connect(self._soon.start)
        self._workspace.changed.connect(self._follow)
        self._waiting = WaitingApprovals(services, self)
        self._waiting.changed.connect(self._soon.start)
        window.show_approvals = self._show_approvals
        self._models = ModelChoice(services, window)
        window.top_bar.ask_model = self._ask_model
        window.top_bar.what_if.clicked.connect(lambda _=False: self._end_trial())
        services.settings.watch(lambda _: self._soon.start())
        self.show_all()

    def show_all(self) -> None:
        self._window.status_line.tell(self._status())
        self._show_pickers()

    def _follow(self, what: What) -> None:
        if what & What.BUSY:
            self._follow_work(busy=self._workspace.file.busy)
        if what & _SHOWN:
            self._soon.start()

    def _follow_work(self, *, busy: bool) -> None:
        if busy:
            self._late.start()
            self._idle.stop()
        else:
            self._late.stop()
            self._idle.start()
            self._soon.start()

    def _status(self) -> StatusValues:
        file = self._workspace.file
        if file.path is None:
            return StatusValues(is_offline=self._workspace.gate.is_offline)
        request, actor = file.request, file.actor
        ignored = ignored_kinds(self._services.preferences.text(IGNORED))
        problems = [each.severity for each in file.problems]
        # As the panel lists them that a click on the number opens.
        problems += [each.severity for each in file.findings if each.rule not in ignored]
        worst = next((each for each in _WORST if each in problems), Severity.INFO)
        live, tone = self._live()
        return StatusValues(
            live,
            tone,
            self._written(),
            tr("acting as {name} ({kind})", name=actor.name, kind=actor.kind.value) if actor else "",
            tr("building …") if file.busy and not self._late.isActive() else "",
            len(file.draft_refs),
            len(problems),
            _WORST[worst],
            request.tokens if request else None,
            request.limits.usable if request else 0,
            request is None or request.method is Method.EXACT,
            self._services.marks.tone(request.tokens, request.available_tokens) if request else "",
            True,
            self._waiting.count,
            running_text(file.runs),
            self._workspace.gate.is_offline,
        )

    def _live(self) -> tuple[str, str]:
        if self._workspace.file.moved is not None:
            return tr("file moved away"), "error"
        if self._workspace.file.read_only is not None:
            return tr("read only"), "warning"
        return tr("live"), "ok"

    def _written(self) -> str:
        change = self._workspace.file.last_written
        if change is None:
            return ""
        now = self._workspace.now()
        self._clock.start(_clock_milliseconds((now - change.at).total_seconds()))
        if change.actor != self._workspace.file.actor:
            return tr("{name} wrote {ago}", name=change.actor.name, ago=ago(change.at, now))
        if change.own:
            return tr("saved {ago}", ago=ago(change.at, now))
        return tr("you wrote {ago} in another program", ago=ago(change.at, now))

    def _show_pickers(self) -> None:
        file, bar = self._workspace.file, self._window.top_bar
        agent, request = file.drafted_agent, file.request
        bar.agent.tell(
            file.path.name if file.path else "", agent.name if agent else tr("no agent"), strong_first=True
        )
        bar.agent.offer(
            [Option(each.id, each.name) for each in file.agents], file.agent_id, self._workspace.show_agent
        )
        model = request.model if request else file.what_if.model or (agent.model if agent else "")
        layout = request.layout if request else file.what_if.layout or (agent.config.layout if agent else "")
        bar.model.tell(tr("Model"), model or tr("none set"))
        bar.layout_.tell(tr("Layout"), name_of_layout(layout, file.agents) or tr("none set"))
        bar.model.setEnabled(agent is not None)
        layouts = [Option(each, name_of_layout(each, file.agents)) for each in file.layouts]
        bar.layout_.offer(layouts, layout, self._try_layout)
        bar.settings.setEnabled(agent is not None)
        bar.show_what_if(file.what_if != WhatIf())

    def _show_approvals(self) -> None:
        self._services.actions.run("view.consent")

    def _ask_model(self) -> None:
        file, button = self._workspace.file, self._window.top_bar.model
        model = file.request.model if file.request else file.what_if.model or ""
        self._models.ask(button, self._try_model, current=model, left=button.leave)

    def _try_model(self, model: str) -> None:
        self._workspace.try_out(with_model(self._workspace.file, model))

    def _try_layout(self, layout: str) -> None:
        file = self._workspace.file
        if file.drafted_agent is not None:
            self._workspace.try_out(file.what_if.with_layout(file.drafted_agent, layout))

    def _end_trial(self) -> None:
        self._workspace.try_out(WhatIf())


def _clock_milliseconds(age: float) -> int:
    """How long what is said of a moment holds: it is in seconds at first, then in minutes."""
    return 1_000 if age < 60 else 10_000 if age < 3_600 else 60_000


class JobStatus(QObject):
    """Follows the engine's long work, in whatever thread it runs, and says when it was stopped."""

    _changed = Signal(object, bool)

    def __init__(self, jobs: Jobs, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._window = window
        self._late = QTimer(self, singleShot=True, interval=SHOWN_AFTER_MILLISECONDS)
        self._late.timeout.connect(self._show)
        self._changed.connect(self._note)
        window.cancel_work = jobs.cancel
        jobs.watch(self._changed.emit)

    def _note(self, job: Job, ended: bool) -> None:
        if ended and job.cancel.asked:
            text = tr("Cancelled: {work}.", work=tr_code(job.code, job.parameters))
            remark = tr("Nothing was changed.")
            self._window.toast.show_notice(Notice("cancelled", text, remark))
        if not self._jobs.running:
            self._late.stop()
            self._show()
        elif not self._late.isActive():
            if self._window.status_line.work.isVisibleTo(self._window.status_line):
                self._show()
            else:
                self._late.start()

    def _show(self) -> None:
        running = self._jobs.running
        if not running:
            self._window.status_line.work.tell(None)
            return
        oldest = running[0]
        text = tr_code(oldest.code, oldest.parameters)
        shown = ShownJob(oldest.id, text, oldest.progress.percent, len(running) - 1)
        self._window.status_line.work.tell(shown)
