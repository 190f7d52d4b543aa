"""Model calls of one draft to several models, one after another; their records are read side by side at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from inspector.domain.keys import KeyState
from inspector.ui.call_maker import CallDraft, PreparedSend
from inspector.ui.calls.send_question import Go, SendQuestion
from inspector.ui.presentation.calls import call_leaving_text
from inspector.ui.safe_text import one_line
from inspector.ui.send_gate import SendPermit
from inspector.ui.wording import tr
from inspector.ui.workspace import Workspace

_LONGEST = 60


class SeveralCalls(QObject):
    """A run over drafts. `ready` carries each call once it is prepared; whoever sends it says so with `go_on`.

    `ended` carries the ids of the records once no draft is left, or an empty tuple where one couldn't be prepared.
    """

    ready = Signal(object)
    ended = Signal(object)

    def __init__(
        self, workspace: Workspace, question: SendQuestion, on_error: Callable[[BaseException], bool]
    ) -> None:
        super().__init__(question)
        self._calls, self._keys = workspace.calls, workspace.keys
        self._question, self._on_error = question, on_error
        self._left: list[CallDraft] = []
        self._records: list[str] = []
        self._permits: dict[str, SendPermit] = {}
        """What a person agreed to in this run, by origin."""
        self.is_running = False
        self.secrets_seen = False

    def begin(self, drafts: Sequence[CallDraft], *, secrets_seen: bool) -> None:
        """Prepare the first of these drafts; `secrets_seen` says that the warning about secrets was read."""
        self._left, self._records = list(drafts), []
        self._permits.clear()
        self.is_running, self.secrets_seen = True, secrets_seen
        self._next()

    def ask(self, made: PreparedSend, send: Go) -> None:
        """Send a call that is ready, once a person has agreed to where it goes; each origin is asked about once.

        With a no, no further model is asked, and the records so far are the run's.
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
        self.stop()
        self.go_on("")

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
