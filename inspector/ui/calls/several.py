"""Model calls of one draft to several models, one after another; their records are read side by side at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from inspector.ui.call_maker import CallDraft, CallMaker, PreparedSend
from inspector.ui.send_gate import SendPermit


class SeveralCalls(QObject):
    """A run over drafts. `ready` carries each call once it is prepared; whoever sends it says so with `go_on`.

    `ended` carries the ids of the records once no draft is left, or an empty tuple where one couldn't be prepared.
    """

    ready = Signal(object)
    ended = Signal(object)

    def __init__(self, parent: QObject, calls: CallMaker, on_error: Callable[[BaseException], bool]) -> None:
        super().__init__(parent)
        self._calls, self._on_error = calls, on_error
        self._left: list[CallDraft] = []
        self._records: list[str] = []
        self.is_running = False
        self.secrets_seen = False
        self.permits: dict[str, SendPermit] = {}
        """What a person agreed to in this run, by origin."""

    def begin(self, drafts: Sequence[CallDraft], *, secrets_seen: bool) -> None:
        """Prepare the first of these drafts; `secrets_seen` says that the warning about secrets was read."""
        self._left, self._records = list(drafts), []
        self.is_running, self.secrets_seen = True, secrets_seen
        self.permits.clear()
        self._next()

    def go_on(self, run_id: str) -> None:
        """Prepare the next one after a call that ended, with the id of its record if it has one."""
        if self.is_running:
            self._records += [run_id] if run_id else []
            self._next()

    def stop(self) -> None:
        """Prepare none of the drafts that are left."""
        self._left.clear()

    def leave(self) -> None:
        """End without telling anybody: another file is open, or nothing may be sent."""
        self.is_running = False
        self._left.clear()

    def _next(self) -> None:
        if self._left:
            self._calls.prepare(self._left.pop(0), self._take, self._fail)
            return
        self.is_running = False
        self.ended.emit(tuple(self._records))

    def _take(self, made: PreparedSend) -> None:
        if self.is_running:
            self.ready.emit(made)

    def _fail(self, error: BaseException) -> bool:
        self.leave()
        self.ended.emit(())
        return self._on_error(error)
