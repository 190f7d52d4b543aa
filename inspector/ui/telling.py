"""Tells the window's bars what the workspace knows: pickers, status line, banners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from PySide6.QtCore import QObject, QTimer

from inspector.domain.changes import FileMoved
from inspector.domain.counts import Method
from inspector.domain.health import Severity
from inspector.ui.failures import Failure
from inspector.ui.known import WhatIf
from inspector.ui.main_window import MainWindow
from inspector.ui.models.fixes import stands
from inspector.ui.panel import Services
from inspector.ui.widgets.banner import FAILURE, Notice, failure_notice
from inspector.ui.widgets.status import Status
from inspector.ui.widgets.top_bar import Option
from inspector.ui.wording import ago, tr, tr_code, tr_count
from inspector.ui.workspace import Mended

_WORST = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: ""}
_MENDED = "mended"
_CLOCK_MILLISECONDS = 5_000
_BUSY_AFTER_MILLISECONDS = 500
_IDLE_MILLISECONDS = 700


class Telling(QObject):
    """Keeps what is always on screen up to date."""

    def __init__(self, services: Services, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._window = window
        self._busy = self._moved = self._replaced = False
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.tell)
        self._clock = QTimer(self, interval=_CLOCK_MILLISECONDS)
        self._clock.timeout.connect(self.tell)
        self._idle = QTimer(self, singleShot=True, interval=_IDLE_MILLISECONDS)
        self._idle.timeout.connect(services.workspace.count_others)
        self._late = QTimer(self, singleShot=True, interval=_BUSY_AFTER_MILLISECONDS)
        self._late.timeout.connect(self._soon.start)
        self._listen()
        self.tell()

    def tell(self) -> None:
        """Say everything as it is now."""
        self._window.status_line.tell(self._status())
        self._tell_pickers()

    def _listen(self) -> None:
        workspace, bridge = self._services.workspace, self._services.bridge
        for signal in (
            workspace.agents_changed,
            workspace.agent_changed,
            workspace.request_changed,
            workspace.drafts_changed,
            workspace.problems_changed,
            workspace.written,
        ):
            signal.connect(self._tell_soon)
        workspace.file_changed.connect(self._file_changed)
        workspace.drafts_changed.connect(self._tell_restored)
        workspace.blocks_changed.connect(self._name_restored)
        workspace.moved.connect(self._tell_moved)
        workspace.mended.connect(self._tell_mended)
        self._window.top_bar.what_if.clicked.connect(lambda _=False: self._end_trial())
        workspace.busy_changed.connect(self._note_busy)
        bridge.failed.connect(self._tell_failure)
        self._services.settings.watch(lambda _: self._soon.start())

    def _tell_soon(self) -> None:
        self._soon.start()

    def _status(self) -> Status:
        workspace = self._services.workspace
        if workspace.path is None:
            return Status()
        request, actor = workspace.request, workspace.actor
        problems = workspace.problems
        worst = next(
            (each for each in _WORST if any(problem.severity is each for problem in problems)), Severity.INFO
        )
        live, tone = self._live()
        return Status(
            live,
            tone,
            self._written(),
            tr("acting as {name} ({kind})", name=actor.name, kind=actor.kind.value) if actor else "",
            tr("building …") if self._busy and not self._late.isActive() else "",
            len(workspace.drafts),
            len(problems),
            _WORST[worst],
            request.tokens if request else None,
            request.limits.usable if request else 0,
            request is None or request.method is Method.EXACT,
            self._services.marks.tone(request.tokens, request.available_tokens) if request else "",
            True,
        )

    def _live(self) -> tuple[str, str]:
        if self._moved:
            return tr("file moved away"), "error"
        if self._services.workspace.read_only:
            return tr("read only"), "warning"
        return tr("live"), "ok"

    def _written(self) -> str:
        change = self._services.workspace.last_written
        now = self._services.workspace.now() or datetime.now(UTC)
        return (
            ""
            if change is None
            else tr("{name} wrote {ago}", name=change.actor.name, ago=ago(change.at, now))
        )

    def _tell_pickers(self) -> None:
        workspace, bar = self._services.workspace, self._window.top_bar
        agent, request, path = workspace.agent, workspace.request, workspace.path
        file = path.name if path else ""
        bar.agent.tell(file, agent.name if agent else tr("no agent"), strong_first=True)
        bar.agent.offer(
            [Option(each.id, each.name) for each in workspace.agents],
            agent.id if agent else "",
            workspace.show_agent,
        )
        model = request.model if request else workspace.what_if.model or (agent.model if agent else "")
        layout = (
            request.layout if request else workspace.what_if.layout or (agent.config.layout if agent else "")
        )
        bar.model.tell(tr("Model"), model or tr("none set"))
        bar.layout_.tell(tr("Layout"), layout or tr("none set"))
        models = dict.fromkeys([*([agent.model] if agent and agent.model else []), *workspace.models])
        bar.model.offer([Option(each, each) for each in models], model, self._try_model)
        bar.layout_.offer([Option(each, each) for each in workspace.layouts], layout, self._try_layout)
        bar.show_what_if(workspace.what_if != WhatIf())

    def _try_model(self, model: str) -> None:
        workspace = self._services.workspace
        own = workspace.agent is not None and workspace.agent.model == model
        workspace.try_out(replace(workspace.what_if, model=None if own else model))
        self._soon.start()

    def _try_layout(self, layout: str) -> None:
        workspace = self._services.workspace
        own = workspace.agent is not None and workspace.agent.config.layout == layout
        workspace.try_out(replace(workspace.what_if, layout=None if own else layout))
        self._soon.start()

    def _end_trial(self) -> None:
        self._services.workspace.try_out(WhatIf())
        self._soon.start()

    def _tell_mended(self, mended: Mended) -> None:
        text = tr("{name} was changed.", name=mended.name)
        choices = ((tr("Undo"), lambda: self._take_back(mended)),)
        self._window.banners.show_notice(
            Notice(_MENDED, text, mended.told, "ok", choices=choices, passing=True)
        )

    def _take_back(self, mended: Mended) -> None:
        """Set things back as they were, unless somebody has set them otherwise meanwhile."""
        workspace, banners = self._services.workspace, self._window.banners
        banners.close_notice(_MENDED)
        target = mended.edit.target.id
        agent = next((each for each in workspace.agents if each.id == target), None)
        state = workspace.block(target)
        block = state.block if state else None
        # What it was before is no harm either: the change is not read again yet, or was taken back.
        if not any(stands(each, agent, block) for each in (mended.edit, mended.back)):
            text = tr("The settings of {name} were changed again meanwhile.", name=mended.name)
            banners.show_notice(Notice(_MENDED, text, tr("Nothing was taken back."), "warning"))
            return
        workspace.apply([mended.back], tr("Taken back: {told}", told=mended.told))

    def _file_changed(self) -> None:
        self._moved = False
        banners, workspace = self._window.banners, self._services.workspace
        banners.close_notice("moved")
        banners.close_notice("read_only")
        banners.close_notice("restored")
        banners.close_notice("copied")
        banners.close_notice(_MENDED)
        for notice in banners.notices:
            # What a rule or the world refused was of the file that is left, or of the way here.
            if notice.key.startswith(FAILURE) and notice.tone != "error":
                banners.close_notice(notice.key)
        reason = workspace.read_only
        if reason is not None:
            text = tr("This file is open for reading only.")
            told = tr_code(reason.code, reason.parameters)
            banners.show_notice(Notice("read_only", text, told, "warning"))
        self._soon.start()

    def _tell_restored(self) -> None:
        restored = self._restored()
        if not restored:
            self._window.banners.close_notice("restored")
            return
        text = tr_count(
            "{count} unsaved draft of last time is back.",
            "{count} unsaved drafts of last time are back.",
            len(restored),
        )
        self._window.banners.show_notice(Notice("restored", text, self._labels_of(restored), "info"))

    def _name_restored(self) -> None:
        """Drafts come back before the blocks are read that they are on; then the banner, if it is there, names them."""
        there = next((each for each in self._window.banners.notices if each.key == "restored"), None)
        if there is not None and there.remark != self._labels_of(self._restored()):
            self._tell_restored()

    def _restored(self) -> list[str]:
        drafts = self._services.workspace.drafts
        return [id_ for id_ in drafts.block_ids if (work := drafts.get(id_)) is not None and work.restored]

    def _labels_of(self, block_ids: Sequence[str]) -> str:
        states = (self._services.workspace.block(id_) for id_ in block_ids)
        return ", ".join(state.block.label for state in states if state is not None)

    def _tell_moved(self, moved: FileMoved) -> None:
        self._moved, self._replaced = True, moved.what == "replaced"
        self._show_moved()
        self._soon.start()

    def _show_moved(self) -> None:
        path = self._services.workspace.path

        def again() -> None:
            if path is not None:
                self._services.workspace.open(path)

        happened = (
            tr("Another file has taken this file's place.")
            if self._replaced
            else tr("The file was moved or deleted while it was open.")
        )
        self._window.banners.show_notice(
            Notice(
                "moved",
                happened,
                tr("Nothing more is written to it. Your drafts are kept."),
                "error",
                choices=(
                    (tr("Open again"), again),
                    (tr("Save a copy …"), lambda: self._window.actions_.item("file.save_copy").trigger()),
                ),
                closable=False,
            )
        )

    def _tell_failure(self, failure: Failure) -> None:
        if self._moved and failure.code == "file.moved":
            # The one banner on it says so already, and what can be done; it is told once more.
            self._show_moved()
            return
        self._window.banners.show_notice(failure_notice(failure))

    def _note_busy(self, busy: bool) -> None:
        self._busy = busy
        if busy:
            self._late.start()
            self._idle.stop()
        else:
            self._late.stop()
            self._idle.start()
            self._soon.start()
