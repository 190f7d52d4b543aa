"""The window's menu bar as a table of actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QMenu, QMenuBar

from inspector.ui.actions import SEPARATOR, Actions
from inspector.ui.wording import tr

FAMILY = "*"
RECENT = "(recent)"


@dataclass(frozen=True)
class Submenu:
    """Actions that stand together under one entry of a menu, so that no menu is taller than a small screen."""

    title: Callable[[], str]
    ids: tuple[str, ...]


Entry = str | Submenu
"""An action's id, a family of them, a separator, or a menu of its own."""

MENUS: tuple[tuple[Callable[[], str], tuple[Entry, ...]], ...] = (
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
            Submenu(lambda: tr("Unsaved drafts"), ("drafts.*",)),
            Submenu(lambda: tr("Changes and history"), ("changes.*", "history.*")),
            Submenu(lambda: tr("Sharing"), ("sharing.*",)),
            SEPARATOR,
            "selection.copy_text",
            SEPARATOR,
            Submenu(lambda: tr("Search"), ("search.*",)),
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
            Submenu(lambda: tr("Go to"), ("selection.open", "selection.back", "selection.forward")),
            Submenu(
                lambda: tr("Tabs"),
                (
                    "view.next_tab",
                    "view.previous_tab",
                    "view.list_tabs",
                    SEPARATOR,
                    "view.close_tab",
                    "view.close_others",
                ),
            ),
            SEPARATOR,
            "view.*",
            SEPARATOR,
            "navigator.*",
            Submenu(lambda: tr("Timeline view"), ("timeline.*",)),
            SEPARATOR,
            Submenu(lambda: tr("Theme and text size"), ("look.*",)),
            Submenu(lambda: tr("Perspective"), ("perspective.*",)),
            "layout.*",
        ),
    ),
    (lambda: tr("&Agent"), ("agent.show", "agent.*")),
    (
        lambda: tr("&Request"),
        (
            "request.rebuild",
            "request.find",
            SEPARATOR,
            Submenu(
                lambda: tr("Show as"),
                ("request.as_*", SEPARATOR, "request.cache_marks"),
            ),
            Submenu(
                lambda: tr("Point in time"),
                (
                    "request.last_sent",
                    "request.now",
                    "request.with_drafts",
                    "request.past",
                    SEPARATOR,
                    "request.earlier",
                    "request.later",
                ),
            ),
            Submenu(
                lambda: tr("Go to and fold"),
                ("request.next_message", "request.previous_message", SEPARATOR, "request.*", "sections.*"),
            ),
            Submenu(lambda: tr("Copy and save"), ("request.copy*", SEPARATOR, "request.save*")),
            Submenu(lambda: tr("Compare"), ("compare.*",)),
            SEPARATOR,
            Submenu(lambda: tr("Test call"), ("send.*", "calls.*")),
            "network.*",
            SEPARATOR,
            Submenu(lambda: tr("What-if"), ("what_if.*",)),
            Submenu(lambda: tr("Budget"), ("budget.*",)),
            Submenu(lambda: tr("Problems"), ("problems.*",)),
        ),
    ),
    (lambda: tr("&Help"), ("help.show", SEPARATOR, "help.settings", SEPARATOR, "help.*")),
)


def build_menus(bar: QMenuBar, actions: Actions, fill_recent: Callable[[QMenu], None]) -> None:
    """Make the menus; each is filled afresh whenever it opens."""
    for title, entries in MENUS:
        menu = bar.addMenu(title())

        def fill(menu: QMenu = menu, entries: Sequence[Entry] = entries) -> None:
            menu.clear()
            actions.refresh()
            families = _families(actions)
            for entry in entries:
                if isinstance(entry, Submenu):
                    below = menu.addMenu(entry.title())
                    actions.fill(below, _spread(entry.ids, families))
                    below.menuAction().setVisible(not below.isEmpty())
                elif entry == RECENT:
                    recent = menu.addMenu(tr("Open recent"))
                    fill_recent(recent)
                    recent.setEnabled(not recent.isEmpty())
                else:
                    actions.fill(menu, _spread((entry,), families))

        menu.aboutToShow.connect(fill)
        fill()


def spread(entries: Sequence[Entry], actions: Actions) -> list[str]:
    """The ids of a menu, those of its submenus too, with every family written out."""
    return list(_spread(entries, _families(actions)))


def _spread(entries: Iterable[Entry], families: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for id_ in _flat(entries):
        yield from families.get(id_, ()) if id_.endswith(FAMILY) else (id_,)


def _families(actions: Actions) -> Mapping[str, Sequence[str]]:
    """The actions of each family. Of several that fit an action, it is in the one that says most of its id."""
    named = set(_flat(entry for _, each in MENUS for entry in each))
    families: dict[str, list[str]] = {id_: [] for id_ in sorted(named, key=len) if id_.endswith(FAMILY)}
    prefixes = tuple((id_.removesuffix(FAMILY), ids) for id_, ids in reversed(families.items()))
    for action in actions:
        if action.id not in named:
            fitting = next((ids for prefix, ids in prefixes if action.id.startswith(prefix)), None)
            if fitting is not None:
                fitting.append(action.id)
    return families


def _flat(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        yield from (entry,) if isinstance(entry, str) else entry.ids
