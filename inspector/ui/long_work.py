"""Shows the engine's long work while it goes on, and says when it was stopped."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.jobs import Job
from inspector.runtime.jobs import Jobs
from inspector.ui.main_window import MainWindow
from inspector.ui.widgets.banner import Notice
from inspector.ui.widgets.work_line import WorkShown
from inspector.ui.wording import tr, tr_code

SHOWN_AFTER_MILLISECONDS = 300
"""Work that is done before that is not worth a look."""


class LongWork(QObject):
    """Follows the jobs, in whatever thread they run, and keeps the status bar's line about them."""

    _told = Signal(object, bool)

    def __init__(self, jobs: Jobs, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._window = window
        self._late = QTimer(self, singleShot=True, interval=SHOWN_AFTER_MILLISECONDS)
        self._late.timeout.connect(self._show)
        self._told.connect(self._note)
        window.cancel_work = jobs.cancel
        jobs.watch(self._told.emit)

    def _note(self, job: Job, ended: bool) -> None:
        if ended and job.cancel.asked:
            text = tr("Cancelled: {work}.", work=tr_code(job.code, job.parameters))
            remark = tr("Everything is as it was before.")
            self._window.banners.show_notice(Notice("cancelled", text, remark, passing=True))
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
        shown = WorkShown(oldest.id, text, oldest.progress.percent, len(running) - 1)
        self._window.status_line.work.tell(shown)
