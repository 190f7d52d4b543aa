"""The attachments of one block, read again whenever its sharing changes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from inspector.domain.blocks import Attachment, Block
from inspector.domain.changes import Change
from inspector.domain.ref import RefKind
from inspector.domain.sharing import SharableBlock, seen_by
from inspector.ui.panel import PanelServices
from inspector.ui.wording import tr


class BlockSharing(QObject):
    """With whom a block is shared. `changed` tells that it was read."""

    changed = Signal()

    def __init__(self, services: PanelServices, block_id: str, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._id = block_id
        self.is_read = False
        self.attachments: tuple[Attachment, ...] = ()
        services.bridge.changed.connect(self._note)
        self.read()

    def read(self) -> None:
        """Read again who sees the block."""
        session = self._services.workspace.live.session
        if session is not None and self._id:
            self._services.bridge.supersede(
                ("attachments", id(self)),
                session.engine.sharing.attachments(self._id),
                name=tr("Reading who sees the block"),
                on_done=self._take,
                on_error=lambda _: session is not self._services.workspace.live.session,
            )

    @property
    def block(self) -> SharableBlock | None:
        """The block without its content, None while it has not been read."""
        state = self._services.workspace.file.blocks.get(self._id)
        return None if state is None else sharable(state.block)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that see the block, by id; none do while it is deleted."""
        file = self._services.workspace.file
        state = file.blocks.get(self._id)
        if state is None or not state.block.is_active:
            return ()
        attached = frozenset(each.agent_id for each in self.attachments)
        return seen_by(state.block.owner, attached, tuple(each.id for each in file.agents))

    def _note(self, news: object) -> None:
        if isinstance(news, Change) and (
            news.ref.kind is RefKind.FILE or (news.ref.kind is RefKind.ATTACHMENT and news.ref.id == self._id)
        ):
            self.read()

    def _take(self, found: tuple[Attachment, ...]) -> None:
        self.is_read = True
        self.attachments = found
        self.changed.emit()


def sharable(block: Block) -> SharableBlock:
    """A block without its content."""
    return SharableBlock(block.id, block.owner, block.label, block.permission)
