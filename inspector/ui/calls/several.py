"""Model calls of one draft to several models, side by side; their records are read together at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from inspector.domain.keys import KeyState
from inspector.domain.replies import ReplyEvent
from inspector.runtime.side_by_side import SideGate
from inspector.ui.call_maker import CallDraft, PreparedSend, SentCall
from inspector.ui.calls.send_question import Go, SendQuestion
from inspector.ui.presentation.calls import call_leaving_text
from inspector.ui.safe_text import one_line
from inspector.ui.send_gate import SendPermit
from inspector.ui.wording import tr
from inspector.ui.workspace import Workspace

_LONGEST = 60


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

    def __init__(
        self, workspace: Workspace, question: SendQuestion, on_error: Callable[[BaseException], bool]
    ) -> None:
        super().__init__(question)
        self._calls, self._keys = workspace.calls, workspace.keys
        self._question, self._on_error = question, on_error
        self._left: list[CallDraft] = []
        self._waiting: list[tuple[PreparedSend, SendPermit | None]] = []
        self._records: list[str] = []
        self._gate = SideGate()
        self._open = 0
        self._permits: dict[str, SendPermit] = {}
        """What a person agreed to in this run, by origin."""
        self.is_running = False
        self.secrets_seen = False

    def begin(self, drafts: Sequence[CallDraft], *, secrets_seen: bool) -> None:
        """Prepare these drafts; `secrets_seen` says that the warning about secrets was read."""
        self._left, self._waiting, self._records = list(drafts), [], []
        self._gate, self._open = SideGate(), 0
        self._permits.clear()
        self.is_running, self.secrets_seen = True, secrets_seen
        self._next()

    def send(self, made: PreparedSend, permit: SendPermit | None = None) -> None:
        """Make a call that was `ready`, once those behind it may be made too."""
        if self.is_running:
            self._waiting.append((made, permit))
            self._next()

    def ask(self, made: PreparedSend, send: Go) -> None:
        """Let a call that is ready be made once a person has agreed to where it goes; each origin is asked about once.

        With a no, nothing of the run is sent.
        """
        destination = made.call.destination
        place = None if destination.is_custom else self._calls.key_place(destination)
        if place is None:
            self._ask(made, send)
            return

        def done(state: KeyState) -> None:
            if not self.is_running:
                return
            if state.source is None:
                # Nobody is asked about what lacks its key: the call itself says so, and sends nothing.
                send(None)
            else:
                self._ask(made, send)

        self._keys.tell_state(place, self, done)

    def stop(self) -> None:
        """Make none of the calls that wait; whoever stops the running ones ends the run."""
        self._gate.stop()

    def leave(self) -> None:
        """End without telling anybody: another file is open, or nothing may be sent."""
        self.is_running = False
        self._left.clear()
        self._gate.stop()

    def _ask(self, made: PreparedSend, send: Go) -> None:
        def go(permit: SendPermit | None) -> None:
            if permit is not None:
                self._permits[permit.origin] = permit
            send(permit)

        call = made.call
        model = one_line(call.model, _LONGEST)
        figures = tr("{model}: {figures}", model=model, figures=call_leaving_text(call))
        permit = self._permits.get(call.destination.origin)
        self._question.before(call.destination, figures, go, self._refuse, permit)

    def _refuse(self) -> None:
        self.leave()
        self.ended.emit(())

    def _next(self) -> None:
        if self._left:
            self._calls.prepare(self._left.pop(0), self._take, self._fail)
            return
        waiting, self._waiting = self._waiting, []
        self._open = len(waiting)
        self._records = [""] * len(waiting)
        for place, (made, permit) in enumerate(waiting):
            self._begin(place, made, permit)

    def _begin(self, place: int, made: PreparedSend, permit: SendPermit | None) -> None:
        def came(events: Sequence[ReplyEvent]) -> None:
            if self.is_running:
                self.came.emit(place, events)

        def done(sent: SentCall) -> None:
            if self.is_running:
                self._done(place, sent)

        self.begun.emit(made)
        self._calls.send_beside(made, self._gate, came, done, permit)

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
