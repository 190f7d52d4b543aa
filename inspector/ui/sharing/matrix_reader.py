"""Reads the sharing matrix of the file, filters and sorts it, all away from the interface's thread."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.changes import Change
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.ref import RefKind
from inspector.domain.sharing import SharingTable
from inspector.runtime.session import FileSession
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.sharing_matrix import MatrixQuery, SharingMatrix, matrix_of
from inspector.ui.sharing.costs import CostReader
from inspector.ui.wording import tr

_SOON_MILLISECONDS = 80
_READ = frozenset({RefKind.BLOCK, RefKind.ATTACHMENT, RefKind.AGENT, RefKind.FILE})


class MatrixReader(QObject):
    """Follows the file while it is not paused. `read` carries each new `SharingMatrix`."""

    read = Signal(object)

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._table = SharingTable()
        self._query = MatrixQuery()
        self._is_stale = self._is_paused = True
        self._costs = CostReader(services, self)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._start)
        self._costs.changed.connect(self._soon.start)
        services.bridge.changed.connect(self._note)
        services.workspace.changed.connect(self._follow)

    @property
    def has_blocks(self) -> bool:
        """Whether the file has any, also such as the query leaves away."""
        return bool(self._table.blocks)

    def ask(self, query: MatrixQuery) -> None:
        """List these blocks from now on."""
        self._query = query
        self._soon.start()

    def resume(self) -> None:
        """Follow the file again: somebody looks."""
        self._is_paused = False
        self._soon.start()

    def pause(self) -> None:
        """Read nothing for a matrix that nobody sees."""
        self._is_paused = True
        self._costs.want(())

    def _note(self, news: object) -> None:
        if isinstance(news, Change) and news.ref.kind in _READ and news.kind not in CONTENT_OPERATIONS:
            self._is_stale = True
            self._soon.start()

    def _follow(self, what: What) -> None:
        if what & (What.FILE | What.AGENTS):
            self._is_stale = True
            self._soon.start()

    def _start(self) -> None:
        session = self._services.workspace.live.session
        if session is not None and not self._is_paused:
            self._services.bridge.supersede(
                ("sharing matrix", id(self)),
                self._read(session),
                name=tr("Reading who sees which block"),
                on_done=self._take,
                on_error=lambda _: session is not self._services.workspace.live.session,
            )

    async def _read(self, session: FileSession) -> SharingMatrix:
        if self._is_stale:
            table = await session.engine.sharing.table()
            self._table, self._is_stale = table, False
        agents, costs = self._services.workspace.file.agents, dict(self._costs.costs)
        return await asyncio.to_thread(matrix_of, self._table, agents, costs, self._query)

    def _take(self, matrix: SharingMatrix) -> None:
        self._costs.want(() if self._is_paused else [agent_id for agent_id, _ in matrix.agents])
        self.read.emit(matrix)
