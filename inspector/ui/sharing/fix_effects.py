"""What the button of a fix changes for the other agents that see the block it is made in."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.blocks import Block
from inspector.domain.changes import Change
from inspector.domain.edits.base import Edit
from inspector.domain.ref import RefKind
from inspector.domain.sharing import AgentEffect, SharingTable, seen_by
from inspector.runtime.session import FileSession
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.effects import effect_rows, others_text
from inspector.ui.presentation.sharing import names_text
from inspector.ui.wording import tr

_SOON_MILLISECONDS = 250
_MOST_BUILDS = 24
"""Requests of other agents that are built at the most for the fixes of one list."""


class FixEffects(QObject):
    """Works out effects of fixes while nothing else is built. `changed` tells that a remark has become another."""

    changed = Signal()

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._table: SharingTable | None = None
        self._is_asked, self._is_stale = False, True
        self._effects: dict[Hashable, AgentEffect] = {}
        self._wanted: dict[Hashable, tuple[Edit, str]] = {}
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._start)
        services.bridge.changed.connect(self._note)
        services.workspace.changed.connect(self._follow)

    def remark(self, edit: Edit) -> str:
        """What an edit of a block does to the other agents that see it; who they are, until that is worked out."""
        self._is_asked = True
        state = self._services.workspace.file.blocks.get(edit.target.id)
        others = () if state is None else self._others(state.block)
        if not others:
            return ""
        keys = {agent_id: (edit.target.id, edit.operation, agent_id) for agent_id in others}
        for agent_id, key in keys.items():
            if key not in self._effects and len(self._effects) + len(self._wanted) < _MOST_BUILDS:
                self._wanted.setdefault(key, (edit, agent_id))
        if self._wanted:
            self._soon.start()
        names = {each.id: each.name for each in self._services.workspace.file.agents}
        found = {agent_id: self._effects[key] for agent_id, key in keys.items() if key in self._effects}
        if len(found) < len(others):
            return tr("Also changes it for {names}.", names=names_text(others, names))
        return others_text(effect_rows(others, names, found))

    def _others(self, block: Block) -> tuple[str, ...]:
        file = self._services.workspace.file
        table = self._table
        if table is None:
            self._soon.start()
            return ()
        attached = frozenset(agent_id for block_id, agent_id in table.attachments if block_id == block.id)
        all_ = seen_by(block.owner, attached, tuple(each.id for each in file.agents))
        return tuple(each for each in all_ if each != file.agent_id)

    @property
    def _key(self) -> tuple[str, int]:
        return "fix effects", id(self)

    def _note(self, news: object) -> None:
        if isinstance(news, Change):
            self._forget()
            if news.ref.kind in (RefKind.ATTACHMENT, RefKind.FILE):
                self._table = None

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self._forget()
            self._table = None
        if what & What.CONTENTS:
            # The Request may have been there before the blocks that its fixes are made in.
            self._is_stale = True
            self._soon.start()
        if what & What.BUSY and self._services.workspace.file.busy:
            self._services.bridge.cancel(self._key)
            self._soon.start()

    def _forget(self) -> None:
        """Whatever was worked out may be another now; the list is asked for its fixes again."""
        self._services.bridge.cancel(self._key)
        self._effects.clear()
        self._wanted.clear()
        self._is_stale = True
        self._soon.start()

    def _start(self) -> None:
        workspace = self._services.workspace
        session = workspace.live.session
        if session is None or not (self._wanted or (self._is_asked and self._is_stale)):
            return
        if workspace.file.busy:
            # The Request that is shown comes first.
            self._soon.start()
            return
        self._services.bridge.supersede(
            self._key,
            self._read(session),
            name=tr("Counting what fixes change for other agents"),
            on_error=lambda _: session is not workspace.live.session,
        )

    async def _read(self, session: FileSession) -> None:
        if self._table is None:
            self._table = await session.engine.sharing.table()
        if self._is_stale:
            self._is_stale = False
            self.changed.emit()
        spec = self._services.request_spec
        while self._wanted:
            key, (edit, agent_id) = next(iter(self._wanted.items()))
            effect = await session.engine.sharing.effect_of_edit(agent_id, spec, edit)
            self._wanted.pop(key, None)
            self._effects[key] = effect
            if not self._wanted:
                self.changed.emit()
