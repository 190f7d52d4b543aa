"""Saves a restored version, or a part of one, as a new change of the block."""

from __future__ import annotations

from inspector.domain.blocks import Block, Permission
from inspector.domain.edits.base import Edit
from inspector.ui.widgets.banner import Banners, Notice
from inspector.ui.wording import number, tr
from inspector.ui.workspace import Workspace

UNLOCK = "unlock"
"""The key of the notice that asks whether a read-only block may be written."""


def restore(workspace: Workspace, banners: Banners, block: Block, edit: Edit, version: int) -> None:
    """Save what restores a version; a block that is read-only for its agent asks first."""
    reason = tr("From version {version}", version=number(version))
    if block.permission is not Permission.READ_ONLY:
        workspace.apply([edit], reason)
        return

    def unlock() -> None:
        banners.close_notice(UNLOCK)
        workspace.apply([edit], reason, unlock=True)

    text = tr("{label} is read-only for its agent.", label=block.label)
    choices = ((tr("Unlock and restore"), unlock),)
    banners.show_notice(Notice(UNLOCK, text, tr("Restore anyway?"), "warning", choices=choices))
