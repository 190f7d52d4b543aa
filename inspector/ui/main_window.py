"""The main window: a frame that is painted first, then bars, tabs and docks around panels it knows nothing about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

# No more than the first paint needs; what stands in the window is made after it, by `window_parts`.
from PySide6.QtCore import QByteArray, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QWidget

from inspector.ui.preferences import Preferences
from inspector.ui.wording import tr

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QCloseEvent,
        QDragEnterEvent,
        QDragLeaveEvent,
        QDragMoveEvent,
        QDropEvent,
        QShowEvent,
    )
    from PySide6.QtWidgets import QDockWidget, QMenuBar, QStackedWidget

    from inspector.ui.actions import Actions
    from inspector.ui.appearance import Appearance
    from inspector.ui.dock_folding import DockFolding
    from inspector.ui.dock_layout import DockSpec
    from inspector.ui.safe_text import PlainLabel
    from inspector.ui.widgets.banner import Banners
    from inspector.ui.widgets.centre import Centre
    from inspector.ui.widgets.drop_frame import DropFrame
    from inspector.ui.widgets.status import StatusLine
    from inspector.ui.widgets.toast import Toast
    from inspector.ui.widgets.top_bar import TopBar
    from inspector.ui.window_docks import WindowDocks

FIRST_SIZE = (1440, 900)
_FRAMED_MILLISECONDS = 300
_GEOMETRY = "window_geometry_1"
_EDGE, _GRIP = 8, 120
"""Pixels of the upper edge that have to be on a screen."""
_WELCOME, _VIEWS = "welcome", "views"


class MainWindow(QMainWindow):
    """The shell. It can be shown at once, is furnished after that and populated with panels later still.

    `closing` asks whoever owns the program to end; the window stays until that is done. `keeping`
    comes before, and whenever the program may end soon. `dropped` carries the path of a file that was let fall on it.
    """

    closing = Signal()
    keeping = Signal()
    dropped = Signal(object)

    # There once the window is furnished.
    appearance: Appearance
    actions_: Actions
    banners: Banners
    centre: Centre
    docks: WindowDocks
    drop_frame: DropFrame
    menu_bar: QMenuBar
    middle: QWidget
    pages: QStackedWidget
    starting: PlainLabel
    status_line: StatusLine
    toast: Toast
    top_bar: TopBar

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self._preferences = preferences
        self.is_furnished = False
        self._populated = self._shows_file = self._may_close = False
        self.go_to: Callable[[], None] = _nothing
        self.show_drafts: Callable[[], None] = _nothing
        self.show_approvals: Callable[[], None] = _nothing
        self.show_sending: Callable[[], None] = _nothing
        self.cancel_work: Callable[[str], None] = _nothing
        self.step_focus: Callable[[bool], bool] = lambda _: False
        self._make_welcome: Callable[[], QWidget] = QWidget
        self._named: dict[str, QWidget] = {}
        self.setWindowTitle(tr("Context Inspector"))
        # Nothing is there yet that could take a file.
        self.setAcceptDrops(False)
        self._first_size = QSize(*FIRST_SIZE).boundedTo(self.screen().availableSize())
        self.resize(self._first_size)
        geometry = preferences.layout(_GEOMETRY)
        self._restored = geometry is not None and self.restoreGeometry(QByteArray(geometry))

    def begin(self) -> None:
        """Take what the window was furnished with into use."""
        self.is_furnished = True
        self._named[_VIEWS] = self.centre

    def populate(self, sides: Iterable[DockSpec], make_welcome: Callable[[], QWidget]) -> None:
        """Have these docks around a file, and a page that is made when there is no file to show."""
        for side in sides:
            self.docks.add(side)
        self.docks.watch_folding()
        self._make_welcome = make_welcome
        self._populated = True
        self.top_bar.show_pickers(False)
        self.docks.layout.hide()

    def show_file(self, shown: bool) -> None:
        """Show docks and tabs, or the welcome page while no file is open."""
        if shown == self._shows_file and self._populated and self.pages.currentWidget() is self._page(shown):
            return
        self._shows_file = shown
        self.pages.setCurrentWidget(self._page(shown))
        self.top_bar.show_pickers(shown)
        if shown:
            self.docks.layout.show()
        else:
            self.docks.layout.hide()

    def dock(self, id_: str) -> QDockWidget:
        return self.docks.layout.docks[id_]

    def panel(self, id_: str) -> QWidget:
        """The panel of a dock, made now if nobody has seen it yet."""
        return self.docks.panel(id_)

    @property
    def folding(self) -> DockFolding | None:
        """Folds the dock that can be folded, None before there are docks."""
        return self.docks.folding

    def hold_panels(self) -> None:
        """Let docks that come into sight wait for their panels, so that the centre is painted first."""
        self.docks.hold_panels()

    def make_panels(self) -> None:
        """Make the panels of docks as soon as they are in sight; those that are now one after the other."""
        self.docks.make_panels()

    @property
    def unmade(self) -> tuple[str, ...]:
        """The ids of docks whose panels nobody has seen, so that they aren't made yet."""
        return self.docks.unmade

    def go_to_panel(self, id_: str) -> None:
        """Show a dock, in front, and give it the keyboard."""
        if self._shows_file and id_ in self.docks.layout.docks:
            self.docks.go_to(id_)

    def toggle_panel(self, id_: str) -> None:
        """Hide a dock that has the keyboard, else go to it."""
        if self.docks.has_keyboard(id_):
            self.dock(id_).hide()
            self.centre.setFocus()
        else:
            self.go_to_panel(id_)

    @property
    def perspective(self) -> str:
        return self.docks.layout.perspective

    def switch_perspective(self, id_: str) -> None:
        """Let the docks stand as they were left in another perspective."""
        self.docks.layout.switch(id_)
        self.actions_.refresh()

    def kept_docks(self) -> Callable[[], None]:
        """Gives what puts the docks back as they stand now, a folded one folded."""
        return self.docks.kept()

    def reset_layout(self) -> None:
        """Put docks, and what is inside them, back into their first places."""
        self.docks.reset()

    def store_layout(self) -> None:
        self._preferences.store_layout(_GEOMETRY, bytes(self.saveGeometry().data()))
        if self.is_furnished:
            self.docks.layout.store()

    def let_go(self) -> None:
        """Close for good: everything that had to end has ended."""
        self._may_close = True
        self.close()
        if self.is_furnished:
            self.appearance.undress(self)

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
        return self.step_focus(next_) or super().focusNextPrevChild(next_)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Show that a file may fall here."""
        self.drop_frame.enter(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self.drop_frame.move_over(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.drop_frame.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Tell which file it is."""
        path = self.drop_frame.take(event)
        if path is not None:
            self.dropped.emit(path)

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

    def _page(self, shows_file: bool) -> QWidget:
        if not self._populated:
            return self.starting
        if not shows_file and _WELCOME not in self._named:
            self._named[_WELCOME] = self._make_welcome()
            self.pages.addWidget(self._named[_WELCOME])
        return self._named[_VIEWS if shows_file else _WELCOME]


def _nothing(*_: object) -> None:
    """What a door leads to before the window is populated."""
