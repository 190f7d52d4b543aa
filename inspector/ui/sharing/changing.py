"""Writes other levels of access to blocks as one changeset, said and undone in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.ui.presentation.sharing import sharing_done, sharing_edits
from inspector.ui.sharing.level_menu import Level
from inspector.ui.workspace import Workspace


def set_access(
    workspace: Workspace, cells: Sequence[tuple[str, str]], level: Level, labels: Mapping[str, str]
) -> None:
    """Give agents a level on blocks, or with None take it away; `cells` are pairs of block and agent id."""
    if not cells:
        return
    names = {each.id: each.name for each in workspace.file.agents}
    text = sharing_done(cells, level, labels, names)
    workspace.apply(sharing_edits(cells, level), text.removesuffix("."), text=text)
