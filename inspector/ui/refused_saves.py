"""Tells in the window of saves that were refused while the block's own tab, which tells it too, was not in front."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from inspector.domain.ref import Ref, RefKind
from inspector.ui.failures import failure_of
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import Services
from inspector.ui.widgets.banner import failure_notice
from inspector.ui.wording import tr

_KEY = "refused:"


class RefusedSaves(QObject):
    """Hears of each refusal. What it tells goes when it holds no more, and when the tab comes to the front."""

    def __init__(self, services: Services, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._window = window
        services.workspace.save_refused.connect(self._hear)
        for signal in (
            services.workspace.problems_changed,
            services.workspace.file_changed,
            window.centre.shown,
        ):
            signal.connect(lambda *_: self._sweep())

    def _hear(self, block_id: str) -> None:
        workspace, ref = self._services.workspace, Ref(RefKind.BLOCK, block_id)
        error, state = workspace.refusal(block_id), workspace.block(block_id)
        if error is None or self._is_in_front(block_id):
            return
        label = state.block.label if state else block_id
        notice = failure_notice(failure_of(error, doing=tr("Saving {label}", label=label)))
        choices = ((tr("Show block"), lambda: self._services.selection.open(ref)),)
        self._window.banners.show_notice(replace(notice, key=f"{_KEY}{block_id}", choices=choices))

    def _sweep(self) -> None:
        banners, workspace = self._window.banners, self._services.workspace
        for key in [each.key for each in banners.notices if each.key.startswith(_KEY)]:
            block_id = key.removeprefix(_KEY)
            if workspace.refusal(block_id) is None or self._is_in_front(block_id):
                banners.close_notice(key)

    def _is_in_front(self, block_id: str) -> bool:
        key = self._window.centre.current_key
        return isinstance(key, tuple) and key[1] == Ref(RefKind.BLOCK, block_id)
