"""Reads what saving a block's draft changes in the next Request of every agent that sees the block."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.changes import Change
from inspector.domain.errors import InspectorError
from inspector.domain.sharing import AgentEffect
from inspector.runtime.session import FileSession
from inspector.ui.file_state import UnsavedEdit
from inspector.ui.panel import PanelServices
from inspector.ui.wording import tr

_SOON_MILLISECONDS = 150


class EffectReader(QObject):
    """Builds the Requests with and without one draft, one agent after the other; the newest draft wins.

    `effects` holds what was read of the draft that was asked for last. `changed` tells that there is more or less.
    """

    changed = Signal()

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self.effects: dict[str, AgentEffect] = {}
        self.is_read = False
        self._asked: tuple[UnsavedEdit, tuple[str, ...]] | None = None
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._start)
        services.bridge.changed.connect(self._note)

    def ask(self, draft: UnsavedEdit, agent_ids: Sequence[str]) -> None:
        """Read what saving this draft does to these agents, in place of whatever is being read."""
        asked = draft, tuple(agent_ids)
        if self._asked is not None and self._asked[0] is draft and self._asked[1] == asked[1]:
            return
        self._forget()
        self._asked = asked
        self._soon.start()
        self.changed.emit()

    def drop(self) -> None:
        """Ask for nothing: there is no draft."""
        if self._asked is not None:
            self._forget()
            self.changed.emit()

    def _forget(self) -> None:
        self._services.bridge.cancel(self._key)
        self._soon.stop()
        self._asked = None
        self.effects, self.is_read = {}, False

    @property
    def _key(self) -> tuple[str, int]:
        return "sharing effects", id(self)

    def _note(self, news: object) -> None:
        if isinstance(news, Change) and self._asked is not None:
            self._services.bridge.cancel(self._key)
            self.is_read = False
            self._soon.start()

    def _start(self) -> None:
        session = self._services.workspace.live.session
        if session is not None and self._asked is not None:
            self._services.bridge.supersede(
                self._key,
                self._read(session, *self._asked),
                name=tr("Counting what saving changes for each agent"),
                on_error=lambda _: session is not self._services.workspace.live.session,
            )

    async def _read(self, session: FileSession, draft: UnsavedEdit, agent_ids: Sequence[str]) -> None:
        service, spec, block_id = session.engine.sharing, self._services.request_spec, draft.edit.target.id
        try:
            content = await service.saved_as(draft.edit, draft.content)
        except InspectorError:
            # It fits the block no more, which saving says.
            content = draft.content
        found: dict[str, AgentEffect] = {}
        for agent_id in agent_ids:
            found[agent_id] = await service.effect_of_draft(agent_id, spec, {block_id: content})
            self.effects = dict(found)
            self.changed.emit()
        self.is_read = True
        self.changed.emit()
