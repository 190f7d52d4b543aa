"""Keeps in the file's state what the shown agent sent last, and what the Request reads of the prompt cache of that."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer

from inspector.domain.caching import CacheAccount
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError
from inspector.domain.request_comparison import SentRequests
from inspector.domain.requests import Request
from inspector.runtime.comparing import sent_requests
from inspector.runtime.session import FileSession
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import FileState, LiveFile, What
from inspector.ui.wording import tr

_SOON_MILLISECONDS = 300
_KEY = "sent requests"


@dataclass(frozen=True, slots=True)
class _Read:
    sent: SentRequests
    cache: CacheAccount | None


class SentReader:
    """Reads a moment after the Request was built; what was stored is read again only where something was written."""

    def __init__(self, bridge: Bridge, live: LiveFile) -> None:
        self._bridge = bridge
        self._live = live
        self._stored_of: Request | None = None
        """The Request without drafts at which the sent ones were read."""
        self._read_of: Request | None = None
        self._soon = QTimer(live, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._read)
        live.changed.connect(self._follow)

    def end(self) -> None:
        """Stop reading, as the file is left."""
        self._soon.stop()
        self._bridge.cancel(_KEY)
        self._stored_of = self._read_of = None

    def _follow(self, what: What) -> None:
        state = self._live.state
        if what & (What.REQUEST | What.AGENT | What.BUSY) and (
            state.request is not self._read_of or state.saved_request is not self._stored_of
        ):
            self._soon.start()

    def _read(self) -> None:
        state, session = self._live.state, self._live.session
        if session is None or not state.agent_id or state.busy:
            return
        earlier = state.sent if state.saved_request is self._stored_of and state.saved_request else None
        self._stored_of, self._read_of = state.saved_request, state.request

        def done(read: _Read) -> None:
            now = self._live.state
            if session is not self._live.session or now.agent_id != state.agent_id:
                return
            if read.sent is not now.sent or read.cache != now.cache:
                self._live.put(replace(now, sent=read.sent, cache=read.cache), What.SENT)

        def failed(error: BaseException) -> bool:
            # What was not read is not shown; why the file can't be read is told where that is shown.
            return session is not self._live.session or isinstance(error, InspectorError)

        work = _read_all(session, state, earlier)
        self._bridge.supersede(_KEY, work, name=tr("Reading what was sent"), on_done=done, on_error=failed)


async def _read_all(session: FileSession, state: FileState, earlier: SentRequests | None) -> _Read:
    sent = earlier if earlier is not None else await sent_requests(session.engine, state.agent_id, state.sent)
    if state.request is None or sent.last is None:
        return _Read(sent, None)
    return _Read(sent, await session.engine.inspection.cache(state.request, sent.last))
