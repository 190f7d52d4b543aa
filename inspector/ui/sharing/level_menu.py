"""The menu that chooses what an agent may do with a block."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from inspector.domain.blocks import Permission
from inspector.ui.presentation.card import level_name
from inspector.ui.safe_text import without_mnemonic
from inspector.ui.wording import tr

Level = Permission | None
"""A level, or None for no access."""


def offer_levels(
    parent: QWidget, at: QPoint, current: Collection[Level], choose: Callable[[Level], None]
) -> QMenu:
    """Show the levels at a place of the screen, those of `current` checked; `choose` is called with the choice."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setAccessibleName(tr("Access"))
    for level in (*Permission, None):
        if level is None:
            menu.addSeparator()
        text = tr("no access") if level is None else level_name(level)
        entry = menu.addAction(without_mnemonic(text[:1].upper() + text[1:]))
        entry.setCheckable(True)
        entry.setChecked(level in current)
        entry.triggered.connect(lambda _=False, level=level: choose(level))
        if level in current and menu.activeAction() is None:
            menu.setActiveAction(entry)
    menu.popup(at)
    return menu
