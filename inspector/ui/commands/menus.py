"""The window's menu bar as a table of actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QMenu, QMenuBar

from inspector.ui.actions import SEPARATOR, Actions
from inspector.ui.wording import tr

FAMILY = ".*"
RECENT = "(recent)"

MENUS: tuple[tuple[Callable[[], str], tuple[str, ...]], ...] = (
    (
        lambda: tr("&File"),
        (
            "file.open",
            RECENT,
            "file.new",
            "file.import",
            "file.sample",
            SEPARATOR,
            "file.save_copy",
            "file.*",
            SEPARATOR,
            "program.quit",
        ),
    ),
    (
        lambda: tr("&Edit"),
        (
            "change.undo",
            "change.redo",
            SEPARATOR,
            "edit.undo",
            "edit.redo",
            SEPARATOR,
            "edit.*",
            SEPARATOR,
            "drafts.*",
            SEPARATOR,
            "changes.*",
            "history.*",
            "sharing.*",
            SEPARATOR,
            "selection.copy_text",
            SEPARATOR,
            "search.*",
            SEPARATOR,
            "block.*",
            SEPARATOR,
            "message.*",
            "archival.*",
            "summary.*",
            SEPARATOR,
            "consent.*",
            "queue.*",
        ),
    ),
    (
        lambda: tr("&View"),
        (
            "palette.show",
            "selection.open",
            "selection.back",
            "selection.forward",
            SEPARATOR,
            "view.*",
            SEPARATOR,
            "navigator.*",
            SEPARATOR,
            "timeline.*",
            SEPARATOR,
            "look.*",
            SEPARATOR,
            "perspective.*",
            "layout.*",
        ),
    ),
    (lambda: tr("&Agent"), ("agent.show", "agent.*")),
    (
        lambda: tr("&Request"),
        (
            "request.*",
            SEPARATOR,
            "send.*",
            "calls.*",
            SEPARATOR,
            "network.*",
            SEPARATOR,
            "what_if.*",
            SEPARATOR,
            "sections.*",
            SEPARATOR,
            "compare.*",
            SEPARATOR,
            "budget.*",
            SEPARATOR,
            "problems.*",
        ),
    ),
    (lambda: tr("&Help"), ("help.show", SEPARATOR, "help.settings", SEPARATOR, "help.*")),
)


def build_menus(bar: QMenuBar, actions: Actions, fill_recent: Callable[[QMenu], None]) -> None:
    """Make the menus; each is filled afresh whenever it opens."""
    for title, ids in MENUS:
        menu = bar.addMenu(title())

        def fill(menu: QMenu = menu, ids: Sequence[str] = ids) -> None:
            menu.clear()
            actions.refresh()
            for id_ in spread(ids, actions):
                if id_ == RECENT:
                    recent = menu.addMenu(tr("Open recent"))
                    fill_recent(recent)
                    recent.setEnabled(not recent.isEmpty())
                else:
                    actions.fill(menu, (id_,))

        menu.aboutToShow.connect(fill)
        fill()


def spread(ids: Sequence[str], actions: Actions) -> list[str]:
    """The ids of a menu with every family written out."""
    named = {id_ for _, each in MENUS for id_ in each}
    found: list[str] = []
    for id_ in ids:
        if id_.endswith(FAMILY):
            prefix = id_.removesuffix("*")
            found += [each.id for each in actions if each.id.startswith(prefix) and each.id not in named]
        else:
            found.append(id_)
    return found
