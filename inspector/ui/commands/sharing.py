"""The action that shows who sees the selected block and lets it be shared."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from inspector.domain.ref import RefKind
from inspector.ui.actions import Action
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.wording import tr


@runtime_checkable
class _ShowsSharing(Protocol):
    """The tab of a block. Its module is loaded after the first Request is painted."""

    def show_sharing(self) -> None: ...


class SharingCommands:
    """Registers sharing for the menus, the palette and the navigator."""

    def __init__(self, services: PanelServices, window: MainWindow) -> None:
        self._services = services
        self._window = window
        share = Action("block.share", tr("Share block …"), self._share, None, "share", self._no_block)
        services.actions.add(share)

    def _no_block(self) -> str:
        ref, blocks = self._services.selection.ref, self._services.workspace.file.blocks
        if ref is None or ref.kind is not RefKind.BLOCK or ref.id not in blocks:
            return tr("no block is selected")
        return "" if blocks[ref.id].block.is_active else tr("the block is deleted")

    def _share(self) -> None:
        ref = self._services.selection.ref
        if ref is not None:
            self._services.selection.open(ref.whole)
            panel = self._window.centre.currentWidget()
            if isinstance(panel, _ShowsSharing):
                panel.show_sharing()
