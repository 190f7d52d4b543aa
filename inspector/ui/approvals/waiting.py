"""Counts the consent requests that wait for a person, for the status bar."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.changes import Change
from inspector.domain.consent import ConsentState
from inspector.domain.ref import RefKind
from inspector.runtime.session import FileSession
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.wording import tr

_KINDS = frozenset({RefKind.CONSENT, RefKind.FILE})
_SOON_MILLISECONDS = 60
_LONGEST_MILLISECONDS = 3_600_000
_Found = tuple[int, int | None]


class WaitingApprovals(QObject):
    """`changed` tells that `count` is another. It counts again when a request's time is over."""

    changed = Signal()

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self.count = 0
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._read)
        self._over = QTimer(self, singleShot=True)
        self._over.timeout.connect(self._read)
        services.workspace.changed.connect(self._follow)
        services.bridge.changed.connect(self._note)

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self._take((0, None))
            self._soon.start()

    def _note(self, news: object) -> None:
        if isinstance(news, Change) and news.ref.kind in _KINDS:
            self._soon.start()

    def _read(self) -> None:
        session = self._services.workspace.live.session
        if session is not None:
            self._services.bridge.supersede(
                ("waiting", self), _waiting(session), name=tr("Counting approvals"), on_done=self._take
            )

    def _take(self, found: _Found) -> None:
        count, milliseconds = found
        if milliseconds is not None:
            self._over.start(min(milliseconds, _LONGEST_MILLISECONDS))
        else:
            self._over.stop()
        if count != self.count:
            self.count = count
            self.changed.emit()


async def _waiting(session: FileSession) -> _Found:
    """How many requests wait, and the milliseconds until the first of them is over."""
    requests, _ = await session.engine.agents.consent_requests(ConsentState.PENDING)
    now = session.engine.surroundings.clock()
    waiting = [each for each in requests if each.state_at(now) is ConsentState.PENDING]
    ends = [each.expires_at for each in waiting if each.expires_at is not None]
    return len(waiting), int((min(ends) - now).total_seconds() * 1_000) + 1_000 if ends else None
