"""Saves the open tabs of a file and restores them in the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer

from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref, RefKind
from inspector.ui.file_state import What
from inspector.ui.preferences import Preferences
from inspector.ui.widgets.centre import Centre
from inspector.ui.workspace import Workspace

_KEEP_MILLISECONDS = 400
_MOST = 40

OpenView = Callable[[str, Ref | None], object]
"""Shows a centre panel by its row's id, on a thing or on none."""


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab: the panel's id, what it is on, and the agent that has to be read for it."""

    view: str
    ref: Ref | None = None
    owner: str = ""

    def as_stored(self) -> list[str]:
        return [self.view, str(self.ref) if self.ref else "", self.owner]


class OpenTabs(QObject):
    """Keeps the tabs of the file that is followed: which there are, their order, the one in front, the agent."""

    def __init__(
        self,
        workspace: Workspace,
        centre: Centre,
        preferences: Preferences,
        open_view: OpenView,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._centre = centre
        self._preferences = preferences
        self._open_view = open_view
        self._path: Path | None = None
        self._view: dict[str, Any] = {}
        self._awaited: dict[str, list[Ref]] = {}
        self._soon = QTimer(self, singleShot=True, interval=_KEEP_MILLISECONDS)
        self._soon.timeout.connect(self.keep)
        centre.rearranged.connect(self._changed)
        centre.shown.connect(self._changed)
        workspace.changed.connect(self._follow)

    @property
    def is_following(self) -> bool:
        """Whether the tabs are those of a file, not on the way to them."""
        return self._path is not None

    def leave(self) -> None:
        """Keep the tabs of the file that is followed, and follow none."""
        self.keep()
        self._path = None
        self._awaited.clear()

    def follow(self, path: Path) -> None:
        """Put back the tabs of a file and keep them from here on."""
        view = self._preferences.view_of(path)
        tabs = _tabs(view)
        agent = view.get("agent")
        if isinstance(agent, str):
            self._workspace.show_agent(agent)
        agent_ids = {each.id for each in self._workspace.file.agents}
        for tab in tabs:
            if not tab.owner or self._reader_of(tab) in agent_ids:
                self._restore(tab)
        self._arrange(tabs)
        front = view.get("front")
        place = front if isinstance(front, int) and 0 <= front < len(tabs) else -1
        if place >= 0:
            self._centre.show_tab(_key(tabs[place]))
        else:
            self._centre.setCurrentIndex(0)
        self._path = path
        self._changed()

    def keep(self) -> None:
        self._soon.stop()
        if self._path is not None:
            self._preferences.store_view(self._path, self._view)

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            # The tabs are still those of the file that is left; whoever shows the other one says so.
            return
        if what & What.CONTENTS:
            self._drop_unknown()
        elif what & What.AGENT:
            self._changed()

    def _changed(self, *_: object) -> None:
        """Note the tabs now: when they are stored, the file may be closed and nothing known of it any more."""
        if self._path is None:
            return
        self._view = {
            "tabs": [self._tab(key).as_stored() for key in self._centre.keys[:_MOST]],
            "front": self._centre.currentIndex(),
            "agent": self._workspace.file.agent_id,
        }
        self._soon.start()

    def _tab(self, key: object) -> Tab:
        view, ref = key if isinstance(key, tuple) else (str(key), None)
        state = (
            self._workspace.file.blocks.get(ref.id)
            if isinstance(ref, Ref) and ref.kind is RefKind.BLOCK
            else None
        )
        return Tab(view, ref, state.block.owner if state else "")

    def _restore(self, tab: Tab) -> None:
        made = self._open_view(tab.view, tab.ref)
        reader = self._reader_of(tab)
        if made is not None and reader and tab.ref is not None:
            self._awaited.setdefault(reader, []).append(tab.ref)
            shown = self._workspace.file.agent
            # The shown agent is being read already.
            if shown is None or shown.id != reader:
                self._workspace.load(reader)

    def _reader_of(self, tab: Tab) -> str:
        """The agent with whose contents the block of a tab is read: a block that no agent owns comes with any's."""
        return self._workspace.file.agent_id if tab.owner == CONSTELLATION_OWNER else tab.owner

    def _drop_unknown(self) -> None:
        """Close tabs on what is not there any more, now that it would have been read."""
        file = self._workspace.file
        awaited = [self._awaited.pop(owner) for owner in [*self._awaited] if owner in file.contents]
        gone = {ref for refs in awaited for ref in refs if ref.id not in file.blocks}
        for key in self._centre.keys:
            if isinstance(key, tuple) and key[1] in gone:
                self._centre.close_view(key)
        self._changed()

    def _arrange(self, tabs: Iterable[Tab]) -> None:
        bar = self._centre.tabBar()
        place = 0
        for tab in tabs:
            before = self._centre.place_of(_key(tab))
            if before >= 0:
                bar.moveTab(before, place)
                place += 1


def _key(tab: Tab) -> tuple[str, Ref | None]:
    return tab.view, tab.ref


def _tabs(view: Mapping[str, Any]) -> list[Tab]:
    stored = view.get("tabs")
    found = [_tab(each) for each in stored[:_MOST]] if isinstance(stored, list) else []
    return [tab for tab in found if tab is not None]


def _tab(stored: object) -> Tab | None:
    """A stored tab, None where it is none that could be read."""
    if not isinstance(stored, list) or len(stored) != 3 or not all(isinstance(each, str) for each in stored):
        return None
    view, text, owner = stored
    ref = Ref.read(text)
    return None if text and ref is None else Tab(view, ref, owner)
