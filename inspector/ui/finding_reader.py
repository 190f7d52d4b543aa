"""Keeps the shown agent's findings in the file's state: lint runs off-thread when the Request is another."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import QTimer

from inspector.domain.errors import InspectorError
from inspector.domain.lint import Finding
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.session import FileSession
from inspector.runtime.settings import Settings
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import LiveFile, What
from inspector.ui.wording import tr

_SOON_MILLISECONDS = 250
_KEY = "findings"


class FindingReader:
    """Reads the findings of what is stored, without drafts; typing starts nothing here."""

    def __init__(self, bridge: Bridge, live: LiveFile, settings: Settings) -> None:
        self._bridge = bridge
        self._live = live
        self._settings = settings
        self._read_of: object = None
        """The Request without drafts that the findings are of."""
        self._running = False
        self._soon = QTimer(live, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._read)
        live.changed.connect(self._follow)

    @property
    def is_waiting(self) -> bool:
        """Whether findings are being read, or will be in a moment."""
        return self._running or self._soon.isActive()

    def end(self) -> None:
        """Stop reading, as the file is left."""
        self._soon.stop()
        self._bridge.cancel(_KEY)
        self._read_of, self._running = None, False

    def spec(self, session: FileSession) -> RequestSpec:
        """What the Request that is shown was built by, so that figures are those that stand beside it."""
        request = self._live.state.saved_request
        now = session.engine.surroundings.clock() if request is None else datetime.fromisoformat(request.now)
        spec = RequestSpec(now=now, zone=self._settings.text("time.zone"))
        return self._live.state.what_if.asked(spec)

    def _follow(self, what: What) -> None:
        if (
            what & (What.REQUEST | What.AGENT | What.BUSY)
            and self._live.state.saved_request is not self._read_of
        ):
            self._soon.start()

    def _read(self) -> None:
        state, session = self._live.state, self._live.session
        if session is None or state.busy or self._running or state.saved_request is self._read_of:
            return
        self._read_of = state.saved_request
        if state.saved_request is None:
            self._put(())
            return
        self._running = True

        def done(found: tuple[Finding, ...]) -> None:
            self._running = False
            if self._live.state.agent_id == state.agent_id:
                self._put(found)
            self._soon.start()

        def failed(error: BaseException) -> bool:
            self._running = False
            # Why no Request can be built is told where it is shown.
            return session is not self._live.session or isinstance(error, InspectorError)

        work = session.engine.inspection.lint(state.agent_id, self.spec(session))
        name = tr("Checking the Request")
        self._bridge.supersede(_KEY, work, name=name, on_done=done, on_error=failed)

    def _put(self, found: tuple[Finding, ...]) -> None:
        if found != self._live.state.findings:
            self._live.put(replace(self._live.state, findings=found), What.FINDINGS)
