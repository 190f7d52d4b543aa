"""Fills the window once it is painted: workspace, panels, actions, menus and palette."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.runtime.session import SessionFactory
from inspector.ui.actions import Action
from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.commands.agent import AgentCommands
from inspector.ui.commands.block import BlockCommands
from inspector.ui.commands.changes import ChangeCommands
from inspector.ui.commands.controls import control_entries
from inspector.ui.commands.drafts import DraftCommands
from inspector.ui.commands.file import FileCommands
from inspector.ui.commands.help import HelpCommands
from inspector.ui.commands.menus import build_menus
from inspector.ui.commands.quick_open import entries, typed_entries
from inspector.ui.commands.sending import SendingCommands
from inspector.ui.commands.sharing import SharingCommands
from inspector.ui.commands.tour import TourCommands
from inspector.ui.commands.view import ViewCommands
from inspector.ui.commands.what_if import WhatIfCommands
from inspector.ui.dock_layout import DockSpec
from inspector.ui.file_state import What
from inspector.ui.icons import Icons
from inspector.ui.main_window import MainWindow
from inspector.ui.module_loading import import_in_turns
from inspector.ui.notices.changes import ChangeNotices
from inspector.ui.notices.file import FileNotices
from inspector.ui.open_tabs import OpenTabs
from inspector.ui.panel import LazyPanel, Panel, PanelArea, PanelRow, PanelServices
from inspector.ui.preferences import Preferences
from inspector.ui.safe_text import shorten_start, without_mnemonic
from inspector.ui.selection import Selection
from inspector.ui.view_opener import ViewOpener
from inspector.ui.widgets.controls import name_help
from inspector.ui.widgets.dialog_of_file import close_dialogs_of_file
from inspector.ui.widgets.palette import CommandPalette, PaletteEntry
from inspector.ui.window_parts import name_file
from inspector.ui.window_status import JobStatus, WindowStatus
from inspector.ui.wording import tr
from inspector.ui.workspace import Workspace

_LOG = logging.getLogger(__name__)
_REST_MILLISECONDS, _REQUEST_MILLISECONDS = 1500, 300
"""How long what nobody sees yet waits to be made: after the start, and after the first Request was built."""
_PIECE_SECONDS, _PATIENCE_SECONDS = 0.02, 10.0
"""What passes between two pieces of it, and how long it lets other work go first."""
_OPENING_MILLISECONDS, _PAINT_MILLISECONDS = 500, 40
"""How long a start waits for its file before it shows what stands around it, and for its Request to be painted."""
_AREAS = {
    PanelArea.LEFT: Qt.DockWidgetArea.LeftDockWidgetArea,
    PanelArea.RIGHT: Qt.DockWidgetArea.RightDockWidgetArea,
    PanelArea.BOTTOM: Qt.DockWidgetArea.BottomDockWidgetArea,
}


def populate(
    window: MainWindow,
    look: tuple[Appearance, Icons, Preferences],
    bridge: Bridge,
    files: SessionFactory,
    rows: Sequence[PanelRow],
) -> WindowContents:
    """Put the panels of a table into a window."""
    contents = WindowContents(window, look, bridge, files)
    contents.put(rows)
    return contents


class WindowContents(QObject):
    """Everything in the window but its shell. Made once, after the first paint."""

    def __init__(
        self,
        window: MainWindow,
        look: tuple[Appearance, Icons, Preferences],
        bridge: Bridge,
        files: SessionFactory,
    ) -> None:
        super().__init__(window)
        appearance, icons, preferences = look
        self.window = window
        self.workspace = Workspace(bridge, files, preferences)
        self.services = PanelServices(
            self.workspace,
            Selection(self),
            window.actions_,
            bridge,
            appearance,
            icons,
            preferences,
            files.settings,
        )
        self._rows: Sequence[PanelRow] = ()
        self._rest = QTimer(self, singleShot=True, interval=_REST_MILLISECONDS)
        self._rest.timeout.connect(self._load_rest)
        self._welcome: Panel | None = None
        self._opens = QTimer(self, singleShot=True, interval=_OPENING_MILLISECONDS)
        self._opens.timeout.connect(self.show_front)

    def put(self, rows: Sequence[PanelRow]) -> None:
        """Make the panels of a table and connect everything."""
        self._rows = rows
        services, window = self.services, self.window
        self._opener = ViewOpener(services, window.centre, rows, self._make, self)
        self.files = FileCommands(services, window, window.banners)
        ChangeCommands(services)
        BlockCommands(services, window)
        WhatIfCommands(services, window)
        AgentCommands(services, window)
        SharingCommands(services, window)
        self._views = ViewCommands(services, window)
        SendingCommands(services, window, HelpCommands(services, window).show_settings)
        self.tour = TourCommands(services, window, self.files, self.open_view).tour
        sides = [self._side(row) for row in rows if row.place in _AREAS]
        welcome = next(row for row in rows if row.place is PanelArea.WELCOME)
        window.populate(sides, lambda: self._make_welcome(welcome))
        for row in rows:
            if row.place is not PanelArea.WELCOME:
                self._add_view_action(row)
        self.palette = CommandPalette(window, services.appearance, self.palette_entries, self._typed_entries)
        window.go_to = self.palette.summon
        services.actions.add(
            Action(
                "palette.show", tr("Go to anything …"), self.palette.summon, "Ctrl+K", "search", hidden=True
            )
        )
        window.top_bar.search.tell_shortcut(services.actions.shortcut_text("palette.show"))
        self.drafts = DraftCommands(services, window)
        build_menus(window.menu_bar, services.actions, self._fill_recent)
        self._tabs = OpenTabs(self.workspace, window.centre, services.preferences, self.open_view, self)
        self._connect()
        self._status = WindowStatus(services, window, self)
        self._notices = FileNotices(services, window.banners, window.centre, self)
        self._changes = ChangeNotices(services, window.toast, self)
        self._jobs = JobStatus(self.workspace.files.jobs, window, self)
        services.bridge.failed.connect(self._follow_failure)
        window.hold_panels()
        self._opens.start()
        self._rest.start()

    def show_front(self) -> None:
        """Show the welcome page while no file is open, and what stands around one that is.

        A file that opens at once comes without that page, and its Request before the panels around it.
        """
        self._opens.stop()
        self.window.make_panels()
        if self.workspace.file.path is None:
            self.window.show_file(False)
            self._focus_first()

    def _follow_failure(self) -> None:
        if self._opens.isActive():
            self.show_front()

    def make_rest(self) -> None:
        """Make the panels that nobody has seen yet. Their actions and shortcuts are there from then on."""
        self.show_front()
        self._rest.stop()
        for id_ in self.window.unmade:
            self.window.panel(id_)
        QTimer.singleShot(_REST_MILLISECONDS, self, self._bind_icons)

    def open_view(self, id_: str, ref: Ref | None = None) -> Panel | None:
        """The panel in a tab that is brought to the front, made at once; None when no row has that id."""
        return self._opener.open_view(id_, ref)

    def palette_entries(self) -> Iterator[PaletteEntry]:
        """All that the palette finds: actions, things of the file, and the controls in sight that are no actions."""
        titles = set()
        for each in entries(self.services):
            titles.add(each.title)
            yield each
        yield from control_entries(self.window, titles)

    def _make(self, row: PanelRow, ref: Ref | None = None) -> Panel:
        panel = row.make(self.services, ref)
        name_help(panel, row.help)
        return panel

    def _side(self, row: PanelRow) -> DockSpec:
        area = _AREAS[row.place]
        sizes = row.shown, row.size, row.share
        return DockSpec(
            row.id, row.title(), area, lambda: self._make_side(row), *sizes, row.tabbed_with, row.folds
        )

    def _make_welcome(self, row: PanelRow) -> Panel:
        self._welcome = self._make(row)
        return self._welcome

    def _make_side(self, row: PanelRow) -> Panel:
        panel = self._make(row)
        if self.workspace.file.path is not None:
            # It has heard of nothing that was before it.
            panel.follow(What.EVERYTHING)
        return panel

    def _typed_entries(self, words: str) -> Sequence[PaletteEntry]:
        # Loaded later than this, as the panel is.
        from inspector.ui.panels.search import SearchPanel  # noqa: PLC0415

        search = self.window.panel("search")
        return (
            typed_entries(words, search.look_for, search.go_to_id) if isinstance(search, SearchPanel) else ()
        )

    def _add_view_action(self, row: PanelRow) -> None:
        if row.opens:
            return
        window = self.window
        centre = row.place is PanelArea.CENTRE

        def go() -> None:
            if centre:
                self._opener.go_to(row.id)
            else:
                window.toggle_panel(row.id)

        is_on = None if centre else (lambda: window.dock(row.id).isVisible())
        self.services.actions.add(
            Action(
                f"view.{row.id}",
                row.title(),
                go,
                row.shortcut,
                row.icon,
                self._no_file,
                is_on,
                words=row.words(),
            )
        )

    def _no_file(self) -> str:
        return "" if self.workspace.file.path else tr("no file is open")

    def _connect(self) -> None:
        self.workspace.changed.connect(self._follow)
        self.window.centre.shown.connect(self._select_front)
        self.window.centre.tabBarClicked.connect(self._select_clicked)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.focusObjectChanged.connect(self._follow_focus)
        self.services.selection.changed.connect(lambda selected: self._saw(selected.ref))
        self.window.dropped.connect(self.files.take)
        self.window.keeping.connect(self._tabs.keep)

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            close_dialogs_of_file(self.window)
            self._show_file()
        if what & What.AGENT:
            self._select_anew()
        file = self.workspace.file
        is_built = bool(what & What.REQUEST) and (
            file.request is not None or file.request_problem is not None
        )
        # A file without agents has no Request that could be built.
        has_none = bool(what & What.FILE) and not file.agents
        if self._opens.isActive() and (is_built or has_none):
            self._opens.start(_PAINT_MILLISECONDS)
        if self._rest.isActive() and is_built:
            self._rest.start(_REQUEST_MILLISECONDS)

    def _load_rest(self) -> None:
        self.services.bridge.spawn(self._make_rest_soon(), name=tr("Loading panels"))

    async def _make_rest_soon(self) -> None:
        """Import and make what the first Request was shown without, in pieces."""
        # Another window may have them already: then nothing has to be waited for.
        names = [name for row in self._rows for name in row.modules]
        names += [row.make.module for row in self._rows if isinstance(row.make, LazyPanel)]
        await import_in_turns(names)
        loop = asyncio.get_running_loop()
        until = loop.time() + _PATIENCE_SECONDS
        for id_ in self.window.unmade:
            # A thread that computes takes the interpreter from this one, again and again while a panel is made.
            await self.services.bridge.others_done(until - loop.time())
            self.window.panel(id_)
            await asyncio.sleep(_PIECE_SECONDS)
        self._bind_icons()

    def _bind_icons(self) -> None:
        # Menus are opened later: to draw all their icons before would delay the first Request.
        for action in self.services.actions:
            if action.icon:
                self.services.icons.bind(self.services.actions.item(action.id), action.icon)

    def _select_front(self, key: object) -> None:
        """What is done with the selected thing is done with what the tab in front shows."""
        ref = key[1] if isinstance(key, tuple) else None
        if isinstance(ref, Ref) and self._tabs.is_following:
            selected = self.services.selection.ref
            if selected is None or selected.whole != ref:
                self.services.selection.select(ref)

    def _select_clicked(self, place: int) -> None:
        """The one in front is clicked again; another one tells by itself that it comes to the front."""
        if place == self.window.centre.currentIndex():
            self._select_front(self.window.centre.current_key)

    def _follow_focus(self, now: QObject | None) -> None:
        centre = self.window.centre
        if self.palette.gives_back:
            # What is selected is what the palette's action is for.
            return
        if isinstance(now, QWidget) and centre.has_in_front(now):
            self._select_front(centre.current_key)

    def _select_anew(self) -> None:
        self.services.selection.clear()
        self._select_front(self.window.centre.current_key)

    def _saw(self, ref: Ref | None) -> None:
        if ref is not None and ref.kind is RefKind.BLOCK:
            self.workspace.saw(ref.id)

    def _show_file(self) -> None:
        path = self.workspace.file.path
        window = self.window
        self._tabs.leave()
        window.centre.close_all()
        # Of another file: a tab that opens now would go to it.
        self.services.selection.clear()
        name_file(window, path)
        if path is not None:
            _LOG.info("Opened %s", path)
            self.services.preferences.remember(path)
            self.services.preferences.set("window.last_file", str(path))
        window.show_file(path is not None)
        if path is not None:
            for row in self._rows:
                if row.place is PanelArea.CENTRE and row.shown and not row.opens:
                    self.open_view(row.id)
            self._tabs.follow(path)
            self._select_front(self.window.centre.current_key)
            self._focus_first()
        self.services.actions.refresh()

    def _focus_first(self) -> None:
        """Give the keyboard to what is in front, unless somebody is using it already."""
        front = self.window.centre.currentWidget() if self.workspace.file.path else self._welcome
        if isinstance(front, Panel):
            front.first_focus().setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill_recent(self, menu: QMenu) -> None:
        for path in self.services.preferences.recent:
            action = menu.addAction(without_mnemonic(shorten_start(str(path), 100)))
            action.setEnabled(path.exists())
            action.triggered.connect(lambda _=False, path=path: self._open_recent(path))

    def _open_recent(self, path: Path) -> None:
        self.workspace.open(path)
