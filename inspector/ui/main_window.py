"""The main window: docks, tabs, bars and menus around panels it knows nothing about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
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
    QVBoxLayout,
    QWidget,
)

from inspector.ui.actions import Actions
from inspector.ui.appearance import Appearance
from inspector.ui.dock_layout import DockLayout, DockSpec
from inspector.ui.icons import Icons
from inspector.ui.preferences import Preferences
from inspector.ui.safe_text import PlainLabel, window_title, without_mnemonic
from inspector.ui.widgets.banner import Banners
from inspector.ui.widgets.centre import Centre
from inspector.ui.widgets.controls import arrange, tab_stops
from inspector.ui.widgets.dock_title import DockTitle
from inspector.ui.widgets.status import StatusLine
from inspector.ui.widgets.toast import Toast
from inspector.ui.widgets.top_bar import TopBar
from inspector.ui.widgets.work_line import JobLine
from inspector.ui.wording import tr

FIRST_SIZE = (1440, 900)
_GEOMETRY = "window_geometry_1"
_LEFT, _RIGHT, _BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)
_WELCOME, _VIEWS = "welcome", "views"


class MainWindow(QMainWindow):
    """The shell. It can be shown at once and is populated with panels later.

    `closing` asks whoever owns the program to end; the window stays until that is done. `dropped` carries the
    path of a file that was let fall on it.
    """

    closing = Signal()
    dropped = Signal(object)

    def __init__(self, appearance: Appearance, icons: Icons, preferences: Preferences) -> None:
        super().__init__()
        self._appearance = appearance
        self._icons = icons
        self._preferences = preferences
        self._layout = DockLayout(self, appearance, preferences)
        self._populated = self._shows_file = self._may_close = False
        self.actions_ = Actions(self)
        self.banners = Banners(appearance, icons)
        self.centre = Centre(appearance, icons)
        self.go_to: Callable[[], None] = _nothing
        self.show_drafts: Callable[[], None] = _nothing
        self.cancel_work: Callable[[str], None] = _nothing
        self.top_bar = TopBar(icons, lambda: self.go_to())
        self.status_line = StatusLine(
            lambda: self.show_drafts(),
            lambda: self.go_to_panel("problems"),
            lambda: self.go_to_panel("budget"),
            JobLine(icons, lambda key: self.cancel_work(key)),
        )
        self.menu_bar = QMenuBar()
        self._middle = QWidget()
        self._pages = QStackedWidget()
        self.toast = Toast(self._pages, appearance, icons)
        self._starting = PlainLabel(tr("Starting …"), tone="muted")
        self._named: dict[str, QWidget] = {_VIEWS: self.centre}
        self._drop_frame = QFrame(self)
        self._build()

    def populate(self, sides: Iterable[DockSpec], welcome: QWidget) -> None:
        """Put the docks in their first places, then in those of last time."""
        for side in sides:
            self._add_dock(side)
        self._pages.addWidget(welcome)
        self._named[_WELCOME] = welcome
        self._populated = True
        self.show_file(False)

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
        return self._layout.sides[id_].panel

    def go_to_panel(self, id_: str) -> None:
        """Show a dock, in front, and give it the keyboard."""
        dock = self._layout.docks.get(id_)
        if dock is not None and self._shows_file:
            self._layout.reveal(id_)
            dock.raise_()
            panel = self.panel(id_)
            first = getattr(panel, "first_focus", None)
            (first() if first else panel).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle_panel(self, id_: str) -> None:
        """Hide a dock that has the keyboard, else go to it."""
        dock = self._layout.docks[id_]
        focused = QApplication.focusWidget()
        if dock.isVisible() and focused is not None and dock.isAncestorOf(focused):
            dock.hide()
            self.centre.setFocus()
        else:
            self.go_to_panel(id_)

    def reset_layout(self) -> None:
        self._layout.reset()
        for side in self._layout.sides.values():
            inside = getattr(side.panel, "reset_layout", None)
            if inside is not None:
                inside()

    def store_layout(self) -> None:
        self._preferences.store_layout(_GEOMETRY, bytes(self.saveGeometry().data()))
        self._layout.store()

    def let_go(self) -> None:
        """Close for good: everything that had to end has ended."""
        self._may_close = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask for the end and wait for it; what is unsaved is kept as drafts, so nothing is asked."""
        if self._may_close:
            event.accept()
            return
        event.ignore()
        self.ask_to_close()

    def ask_to_close(self) -> None:
        """Remember where everything stands and ask for the end."""
        self.store_layout()
        self.closing.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Keep inside the screen: only now it is known how wide the frame around the window is."""
        super().showEvent(event)
        if self.size() == self._first_size:
            QTimer.singleShot(0, self, self._stay_on_screen)

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Go on in the order in which things are seen: head, left, centre, right, bottom, status bar."""
        regions = (self.top_bar, *self._docks_at(_LEFT), self._middle, *self._docks_at(_RIGHT))
        ring: list[QWidget] = []
        for region in (*regions, *self._docks_at(_BOTTOM), self.status_line):
            ring += [each for each in tab_stops(region) if each not in ring]
        here = QApplication.focusWidget()
        if here not in ring:
            return super().focusNextPrevChild(next_)
        reason = Qt.FocusReason.TabFocusReason if next_ else Qt.FocusReason.BacktabFocusReason
        ring[(ring.index(here) + (1 if next_ else -1)) % len(ring)].setFocus(reason)
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
        if geometry is not None:
            self.restoreGeometry(QByteArray(geometry))

    def _docks_at(self, area: Qt.DockWidgetArea) -> list[QDockWidget]:
        docks = (dock for dock in self._layout.docks.values() if dock.isVisible() and not dock.isFloating())
        return [dock for dock in docks if self.dockWidgetArea(dock) == area]

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
        name = _VIEWS if shows_file else _WELCOME
        return self._named.get(name, self._starting)

    def _add_dock(self, side: DockSpec) -> None:
        dock = QDockWidget(without_mnemonic(side.title), self)
        dock.setObjectName(f"dock_{side.id}")
        dock.setAccessibleName(side.title)
        title = DockTitle(self._icons, lambda: dock.setFloating(not dock.isFloating()), dock.hide)
        dock.setTitleBarWidget(title)
        dock.setWidget(side.panel)
        header = getattr(side.panel, "header", None)
        title.add(header() if header else ())
        self._layout.add(side, dock)

        def tell() -> None:
            heading = getattr(side.panel, "heading", "") or side.title
            title.tell(heading, getattr(side.panel, "note", ""))
            dock.setWindowTitle(without_mnemonic(side.title))

        changed = getattr(side.panel, "heading_changed", None)
        if changed is not None:
            changed.connect(tell)
        tell()
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


def _accept_copy(event: QDropEvent) -> None:
    """Take what falls as a copy: told that it was moved, the program it comes from would delete the file."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def _dropped_file(event: QDropEvent) -> Path | None:
    urls = event.mimeData().urls()
    return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None


def _nothing(*_: object) -> None:
    """What a door leads to before the window is populated."""
