"""Model calls of one draft to several models, side by side; their records are read together at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from inspector.domain.replies import ReplyEvent
from inspector.runtime.side_by_side import SideGate
from inspector.ui.call_maker import CallDraft, CallMaker, PreparedSend, SentCall


class SeveralCalls(QObject):
    """A run over drafts. `ready` carries each call once it is prepared; whoever may send it gives it to `send`.

    Nothing is sent before all of them may be. Then the calls run at the same time, as far as `SideGate` lets them:
    `begun` carries one that is sent, `came` its place among them and events of it, `done` its place and how it ended.
    One that fails keeps no other from going on. `ended` carries the ids of the records once no call is left, or an
    empty tuple where one couldn't be prepared.
    """

    ready = Signal(object)
    begun = Signal(object)
    came = Signal(int, object)
    done = Signal(int, object)
    ended = Signal(object)

    def __init__(self, parent: QObject, calls: CallMaker, on_error: Callable[[BaseException], bool]) -> None:
        super().__init__(parent)
        self._calls, self._on_error = calls, on_error
        self._left: list[CallDraft] = []
        self._waiting: list[PreparedSend] = []
        self._records: list[str] = []
        self._gate = SideGate()
        self._open = 0
        self.is_running = False
        self.secrets_seen = False

    def begin(self, drafts: Sequence[CallDraft], *, secrets_seen: bool) -> None:
        """Prepare these drafts; `secrets_seen` says that the warning about secrets was read."""
        self._left, self._waiting, self._records = list(drafts), [], []
        self._gate, self._open = SideGate(), 0
        self.is_running, self.secrets_seen = True, secrets_seen
        self._next()

    def send(self, made: PreparedSend) -> None:
        """Make a call that was `ready`, once those behind it may be made too."""
        self._waiting.append(made)
        self._next()

    def stop(self) -> None:
        """Make none of the calls that wait; whoever stops the running ones ends the run."""
        self._gate.stop()

    def leave(self) -> None:
        """End without telling anybody: another file is open, or nothing may be sent."""
        self.is_running = False
        self._left.clear()
        self._gate.stop()

    def _next(self) -> None:
        if self._left:
            self._calls.prepare(self._left.pop(0), self._take, self._fail)
            return
        waiting, self._waiting = self._waiting, []
        self._open = len(waiting)
        self._records = [""] * len(waiting)
        for place, made in enumerate(waiting):
            self._begin(place, made)

    def _begin(self, place: int, made: PreparedSend) -> None:
        def came(events: Sequence[ReplyEvent]) -> None:
            if self.is_running:
                self.came.emit(place, events)

        def done(sent: SentCall) -> None:
            if self.is_running:
                self._done(place, sent)

        self.begun.emit(made)
        self._calls.send_beside(made, self._gate, came, done)

    def _done(self, place: int, sent: SentCall) -> None:
        self._records[place] = sent.run_id
        self._open -= 1
        self.done.emit(place, sent)
        if not self._open:
            self.is_running = False
            self.ended.emit(tuple(filter(None, self._records)))

    def _take(self, made: PreparedSend) -> None:
        if self.is_running:
            self.ready.emit(made)

    def _fail(self, error: BaseException) -> bool:
        self.leave()
        self.ended.emit(())
        return self._on_error(error)
