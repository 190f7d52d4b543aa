"""The main window: docks, tabs, bars and menus around panels it knows nothing about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMenuBar,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.actions import Actions
from inspector.ui.appearance import Appearance
from inspector.ui.dock_folding import DockFolding
from inspector.ui.dock_layout import DockLayout, DockSpec
from inspector.ui.icons import Icons
from inspector.ui.preferences import Preferences
from inspector.ui.safe_text import PlainLabel, window_title, without_mnemonic
from inspector.ui.widgets.banner import Banners
from inspector.ui.widgets.centre import Centre
from inspector.ui.widgets.controls import arrange, tab_stops
from inspector.ui.widgets.dock_title import DockTitle
from inspector.ui.widgets.overflow import Overflow
from inspector.ui.widgets.status import StatusLine
from inspector.ui.widgets.toast import Toast
from inspector.ui.widgets.top_bar import TopBar
from inspector.ui.widgets.work_line import JobLine
from inspector.ui.wording import tr

FIRST_SIZE = (1440, 900)
_FRAMED_MILLISECONDS = 300
_GEOMETRY = "window_geometry_1"
_LEAST_DOCK = QSize(380, 200)
"""Pixels that a panel of a dock gets before it is scrolled."""
_EDGE, _GRIP = 8, 120
"""Pixels of the upper edge that have to be on a screen."""
_LEFT, _RIGHT, _BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)
_WELCOME, _VIEWS = "welcome", "views"


class MainWindow(QMainWindow):
    """The shell. It can be shown at once and is populated with panels later.

    `closing` asks whoever owns the program to end; the window stays until that is done. `keeping`
    comes before, and whenever the program may end soon. `dropped` carries the path of a file that was let fall on it.
    """

    closing = Signal()
    keeping = Signal()
    dropped = Signal(object)

    def __init__(self, appearance: Appearance, icons: Icons, preferences: Preferences) -> None:
        super().__init__()
        self._appearance = appearance
        appearance.dress(self)
        self._icons = icons
        self._preferences = preferences
        self._layout = DockLayout(self, appearance, preferences)
        self._contents: dict[str, Overflow] = {}
        """What stands in each dock, by its id."""
        self._makes_panels = True
        self.folding: DockFolding | None = None
        """Folds the dock that can be folded, None before there are docks."""
        self._populated = self._shows_file = self._may_close = self._restored = False
        self.actions_ = Actions(self)
        self.banners = Banners(appearance, icons)
        self.centre = Centre(appearance, icons)
        self.go_to: Callable[[], None] = _nothing
        self.show_drafts: Callable[[], None] = _nothing
        self.show_approvals: Callable[[], None] = _nothing
        self.show_sending: Callable[[], None] = _nothing
        self.cancel_work: Callable[[str], None] = _nothing
        self.top_bar = TopBar(icons, lambda: self.go_to())
        self.status_line = StatusLine(
            lambda: self.show_drafts(),
            lambda: self.toggle_panel("problems"),
            lambda: self.go_to_panel("budget"),
            lambda: self.show_approvals(),
            lambda: self.toggle_panel("run"),
            JobLine(icons, lambda key: self.cancel_work(key)),
        )
        self.status_line.offline_clicked.connect(lambda: self.show_sending())
        self.menu_bar = QMenuBar()
        self._middle = QWidget()
        self._pages = QStackedWidget()
        self.toast = Toast(self._pages, appearance, icons)
        self._make_welcome: Callable[[], QWidget] = QWidget
        self._starting = PlainLabel(tr("Starting …"), tone="muted")
        self._named: dict[str, QWidget] = {_VIEWS: self.centre}
        self._drop_frame = QFrame(self)
        self._build()

    def populate(self, sides: Iterable[DockSpec], make_welcome: Callable[[], QWidget]) -> None:
        """Have these docks around a file, and a page that is made when there is no file to show."""
        for side in sides:
            self._add_dock(side)
        for dock in self._layout.docks.values():
            if self.folding is not None:
                self.folding.follow(dock)
        self._make_welcome = make_welcome
        self._populated = True
        self.top_bar.show_pickers(False)
        self._layout.hide()

    def show_file(self, shown: bool) -> None:
        """Show docks and tabs, or the welcome page while no file is open."""
        if shown == self._shows_file and self._populated and self._pages.currentWidget() is self._page(shown):
            return
        self._shows_file = shown
        self._pages.setCurrentWidget(self._page(shown))
        self.top_bar.show_pickers(shown)
        if shown:
            self._layout.show()
        else:
            self._layout.hide()

    def name_file(self, path: Path | None) -> None:
        name = tr("Context Inspector")
        self.setWindowTitle(window_title(f"{path.name} – {name}") if path else name)
        self.setWindowFilePath(str(path) if path else "")

    def dock(self, id_: str) -> QDockWidget:
        return self._layout.docks[id_]

    def panel(self, id_: str) -> QWidget:
        """The panel of a dock, made now if nobody has seen it yet."""
        return self._contents[id_].fill()

    def hold_panels(self) -> None:
        """Let docks that come into sight wait for their panels, so that the centre is painted first."""
        self._makes_panels = False

    def make_panels(self) -> None:
        """Make the panels of docks as soon as they are in sight; those that are now one after the other."""
        self._makes_panels = True
        seen = [each for each in self._contents.values() if each.isVisible() and not each.is_filled]
        if seen:
            seen[0].fill()
        if seen[1:]:
            QTimer.singleShot(0, self, self.make_panels)

    @property
    def unmade(self) -> tuple[str, ...]:
        """The ids of docks whose panels nobody has seen, so that they aren't made yet."""
        return tuple(id_ for id_, content in self._contents.items() if not content.is_filled)

    def go_to_panel(self, id_: str) -> None:
        """Show a dock, in front, and give it the keyboard."""
        dock = self._layout.docks.get(id_)
        if dock is not None and self._shows_file:
            if self.folding is not None and self._layout.sides[id_].folds:
                self.folding.open()
            self._layout.reveal(id_)
            dock.raise_()
            panel = self.panel(id_)
            first = getattr(panel, "first_focus", None)
            wanted = first() if first else panel
            # An empty panel shows something else in its place.
            seen = wanted if wanted.isVisibleTo(panel) else panel
            seen.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle_panel(self, id_: str) -> None:
        """Hide a dock that has the keyboard, else go to it."""
        dock = self._layout.docks[id_]
        focused = QApplication.focusWidget()
        if dock.isVisible() and focused is not None and dock.isAncestorOf(focused):
            dock.hide()
            self.centre.setFocus()
        else:
            self.go_to_panel(id_)

    @property
    def perspective(self) -> str:
        return self._layout.perspective

    def switch_perspective(self, id_: str) -> None:
        """Let the docks stand as they were left in another perspective."""
        self._layout.switch(id_)
        self.actions_.refresh()

    def kept_docks(self) -> Callable[[], None]:
        """Gives what puts the docks back as they stand now, a folded one folded."""
        put_back, folding = self._layout.kept(), self.folding
        was_folded = folding is not None and folding.is_wanted

        def all_back() -> None:
            put_back()
            if folding is not None and was_folded and not folding.is_wanted:
                folding.toggle()

        return all_back

    def reset_layout(self) -> None:
        """Put docks, and what is inside them, back into their first places."""
        if self.folding is not None:
            self.folding.open()
        self._layout.reset()
        # In one that isn't made yet, nothing was moved.
        for content in self._contents.values():
            inside = getattr(content.fill(), "reset_layout", None) if content.is_filled else None
            if inside is not None:
                inside()

    def store_layout(self) -> None:
        self._preferences.store_layout(_GEOMETRY, bytes(self.saveGeometry().data()))
        self._layout.store()

    def let_go(self) -> None:
        """Close for good: everything that had to end has ended."""
        self._may_close = True
        self.close()
        self._appearance.undress(self)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask for the end and wait for it; what is unsaved is kept as drafts, so nothing is asked."""
        if self._may_close:
            event.accept()
            return
        event.ignore()
        self.ask_to_close()

    def ask_to_close(self) -> None:
        """Remember where everything stands and ask for the end."""
        self.keep()
        self.closing.emit()

    def keep(self) -> None:
        """Remember where everything stands: the program may end at once, as when the desktop's session ends."""
        self.keeping.emit()
        self.store_layout()

    def showEvent(self, event: QShowEvent) -> None:
        """Keep inside the screen: only now it is known how wide the frame around the window is."""
        super().showEvent(event)
        was_restored, self._restored = self._restored, False
        if self.size() == self._first_size or (was_restored and not self._can_be_moved()):
            # A window manager puts its frame around the window a while after it is shown.
            for milliseconds in (0, _FRAMED_MILLISECONDS):
                QTimer.singleShot(milliseconds, self, self._stay_on_screen)

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Go on in the order in which things are seen: head, left, centre, right, bottom, status bar."""
        here, step = QApplication.focusWidget(), 1 if next_ else -1
        regions = self._tab_regions()
        at = next((at for at, each in enumerate(regions) if here and each.isAncestorOf(here)), None)
        stops = [] if at is None else _stops_in(regions[at])
        if at is None or here not in stops:
            return super().focusNextPrevChild(next_)
        place = stops.index(here) + step
        # Most steps stay in their region: only at its end are others read, of a window of some thousand widgets.
        while not 0 <= place < len(stops):
            at = (at + step) % len(regions)
            stops = _stops_in(regions[at])
            place = 0 if next_ else len(stops) - 1
        reason = Qt.FocusReason.TabFocusReason if next_ else Qt.FocusReason.BacktabFocusReason
        stops[place].setFocus(reason)
        return True

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Show that a file may fall here."""
        if _dropped_file(event) is not None:
            _accept_copy(event)
            self._drop_frame.setGeometry(self.rect())
            self._drop_frame.show()
            self._drop_frame.raise_()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if _dropped_file(event) is not None:
            _accept_copy(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drop_frame.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Tell which file it is."""
        self._drop_frame.hide()
        path = _dropped_file(event)
        if path is not None:
            _accept_copy(event)
            self.dropped.emit(path)

    def _build(self) -> None:
        self.name_file(None)
        self.setAcceptDrops(True)
        self._drop_frame.setProperty("role", "drop")
        self._drop_frame.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._drop_frame.hide()
        self.setDockOptions(self.dockOptions() & ~QMainWindow.DockOption.AnimatedDocks)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._icons.bind(_WindowIcon(self), "app", "accent")
        self.setMenuWidget(self._head())
        self.addToolBar(self.top_bar)
        self.setStatusBar(self.status_line)
        self._starting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages.addWidget(self._starting)
        self._pages.addWidget(self.centre)
        arrange(QVBoxLayout(self._middle), self._pages, self.banners)
        self.setCentralWidget(self._middle)
        self._first_size = QSize(*FIRST_SIZE).boundedTo(self.screen().availableSize())
        self.resize(self._first_size)
        geometry = self._preferences.layout(_GEOMETRY)
        self._restored = geometry is not None and self.restoreGeometry(QByteArray(geometry))

    def _tab_regions(self) -> list[QWidget]:
        """The parts of the window in the order in which Tab goes through them."""
        regions = (self.top_bar, *self._docks_at(_LEFT), self._middle, *self._docks_at(_RIGHT))
        bars = (each for each in self._layout.tab_bars() if each.isVisible())
        return [*regions, *self._docks_at(_BOTTOM), *bars, self.status_line]

    def _docks_at(self, area: Qt.DockWidgetArea) -> list[QDockWidget]:
        docks = (dock for dock in self._layout.docks.values() if dock.isVisible() and not dock.isFloating())
        return [dock for dock in docks if self.dockWidgetArea(dock) == area]

    def _can_be_moved(self) -> bool:
        """Whether enough of the upper edge is on a screen to take the window by it."""
        edge = QRect(self.frameGeometry().topLeft(), QSize(self.width(), _EDGE))
        seen = (screen.availableGeometry().intersected(edge) for screen in QGuiApplication.screens())
        return any(each.width() >= min(_GRIP, self.width()) and each.height() == _EDGE for each in seen)

    def _stay_on_screen(self) -> None:
        room, frame = self.screen().availableGeometry(), self.frameGeometry()
        if self.isMaximized() or self.isFullScreen() or room.contains(frame):
            return
        around = frame.size() - self.size()
        self.resize(self.size().boundedTo(room.size() - around))
        frame = self.frameGeometry()
        left = max(room.left(), min(frame.left(), room.right() + 1 - frame.width()))
        top = max(room.top(), min(frame.top(), room.bottom() + 1 - frame.height()))
        self.move(left, top)

    def _head(self) -> QWidget:
        """The program's name and the menus. Not the bar's corner widget: with one, Qt styles a bar after its end."""
        head = QFrame()
        head.setProperty("role", "head")
        name = PlainLabel(tr("Context Inspector"), strong=True)
        name.setContentsMargins(12, 0, 4, 0)
        row = QHBoxLayout(head)
        arrange(row, name, self.menu_bar)
        row.setStretch(1, 1)
        return head

    def _page(self, shows_file: bool) -> QWidget:
        if not self._populated:
            return self._starting
        if not shows_file and _WELCOME not in self._named:
            self._named[_WELCOME] = self._make_welcome()
            self._pages.addWidget(self._named[_WELCOME])
        return self._named[_VIEWS if shows_file else _WELCOME]

    def _add_dock(self, side: DockSpec) -> None:
        dock = QDockWidget(without_mnemonic(side.title), self)
        dock.setObjectName(f"dock_{side.id}")
        dock.setAccessibleName(side.title)
        title = DockTitle(self._icons, lambda: dock.setFloating(not dock.isFloating()), dock.hide)
        dock.setTitleBarWidget(title)
        content = self._contents[side.id] = Overflow(side.make, _LEAST_DOCK)
        title.tell(side.title, "")

        def take_in(panel: QWidget) -> None:
            header = getattr(panel, "header", None)
            title.add(header() if header else ())

            def tell() -> None:
                title.tell(getattr(panel, "heading", "") or side.title, getattr(panel, "note", ""))

            changed = getattr(panel, "heading_changed", None)
            if changed is not None:
                changed.connect(tell)
            tell()

        content.filled.connect(take_in)
        content.seen.connect(lambda: content.fill() if self._makes_panels else None)
        dock.setWidget(content)
        self._layout.add(side, dock)
        if side.folds:
            look = self._appearance, self._icons
            self.folding = DockFolding(self, dock, content, self._preferences, look, side.size)
            title.add((self.folding.button,))
        dock.visibilityChanged.connect(self._docks_changed)

    def _docks_changed(self) -> None:
        self.actions_.refresh()
        QTimer.singleShot(0, self, self._name_docks_once)

    def _name_docks_once(self) -> None:
        """Let the heading of a dock go while its tab says the same."""
        for id_, dock in self._layout.docks.items():
            title = dock.titleBarWidget()
            if isinstance(title, DockTitle):
                is_tab = any(each.toggleViewAction().isChecked() for each in self.tabifiedDockWidgets(dock))
                title.set_tab(self._layout.sides[id_].title if is_tab and not dock.isFloating() else "")


class _WindowIcon:
    """Lets the window's icon be tinted like a button's."""

    def __init__(self, window: QWidget) -> None:
        self.setIcon = window.setWindowIcon


def _stops_in(region: QWidget) -> list[QWidget]:
    return [region] if isinstance(region, QTabBar) else tab_stops(region)


def _accept_copy(event: QDropEvent) -> None:
    """Take what falls as a copy: told that it was moved, the program it comes from would delete the file."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def _dropped_file(event: QDropEvent) -> Path | None:
    urls = event.mimeData().urls()
    return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None


def _nothing(*_: object) -> None:
    """What a door leads to before the window is populated."""
