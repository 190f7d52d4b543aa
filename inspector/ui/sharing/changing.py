"""Writes other levels of access to blocks as one changeset, said and undone in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QWidget

from inspector.ui.actions import Action
from inspector.ui.presentation.sharing import sharing_done, sharing_edits
from inspector.ui.sharing.level_menu import Level
from inspector.ui.wording import tr
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


def access_actions(
    table: QWidget | None,
    change: Callable[[], None],
    detach: Callable[[], None],
    not_changeable: Callable[[], str],
    not_detachable: Callable[[], str],
) -> tuple[Action, ...]:
    """What is done to what is selected in a table of accesses; Del takes it away while the table has the keyboard.

    Without a table, as one is still to be made, Del isn't taken.
    """
    key = None if table is None else "Del"
    return (
        Action("sharing.level", tr("Change access …"), change, None, "share", not_changeable),
        Action("sharing.detach", tr("Remove access"), detach, key, "delete", not_detachable, scope=table),
    )
