"""Reads what blocks cost each agent in its Request, while somebody looks and nothing else is built."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.changes import Change
from inspector.domain.sharing import AgentCosts
from inspector.runtime.session import FileSession
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.wording import tr

_SOON_MILLISECONDS = 200


class CostReader(QObject):
    """Keeps the costs of some agents. Old figures stay until new ones are there; `changed` tells of those."""

    changed = Signal()

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self.costs: dict[str, AgentCosts] = {}
        self._wanted: tuple[str, ...] = ()
        self._fresh: set[str] = set()
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._start)
        services.bridge.changed.connect(self._note)
        services.workspace.changed.connect(self._follow)

    def want(self, agent_ids: Sequence[str]) -> None:
        """Read the costs of these agents, and again with every change, until none are wanted."""
        self._wanted = tuple(agent_ids)
        if not self._wanted:
            self._services.bridge.cancel(self._key)
        elif not set(self._wanted) <= self._fresh:
            self._soon.start()

    @property
    def _key(self) -> tuple[str, int]:
        return "sharing costs", id(self)

    def _note(self, news: object) -> None:
        # A line of activity, if nothing else, may stand in any agent's Request.
        if isinstance(news, Change):
            self._fresh.clear()
            if self._wanted:
                self._services.bridge.cancel(self._key)
                self._soon.start()

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self.costs.clear()
            self._fresh.clear()
        if what & What.BUSY and self._wanted:
            # The Request that is shown comes first.
            if self._services.workspace.file.busy:
                self._services.bridge.cancel(self._key)
            else:
                self._soon.start()

    def _start(self) -> None:
        workspace = self._services.workspace
        session = workspace.live.session
        left = [each for each in self._wanted if each not in self._fresh]
        if session is not None and left and not workspace.file.busy:
            self._services.bridge.supersede(
                self._key,
                self._read(session, left),
                name=tr("Counting what blocks cost each agent"),
                on_error=lambda _: session is not workspace.live.session,
            )

    async def _read(self, session: FileSession, agent_ids: Sequence[str]) -> None:
        for agent_id in agent_ids:
            costs = await session.engine.sharing.costs(agent_id, self._services.request_spec)
            if session is not self._services.workspace.live.session:
                return
            self.costs[agent_id] = costs
            self._fresh.add(agent_id)
            self.changed.emit()
