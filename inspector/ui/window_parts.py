"""Makes what stands in the main window around its panels: look, bars, menus, notices, tabs and docks."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMenuBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.runtime.resources import THEME_NAMES, font_files, load_icon, load_theme
from inspector.ui.actions import Actions
from inspector.ui.appearance import Appearance, FontChoice, ThemeChoice
from inspector.ui.icons import Icons
from inspector.ui.main_window import MainWindow
from inspector.ui.preferences import Preferences
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.theme import Theme
from inspector.ui.widgets.banner import Banners
from inspector.ui.widgets.centre import Centre
from inspector.ui.widgets.controls import arrange, step_through
from inspector.ui.widgets.drop_frame import DropFrame
from inspector.ui.widgets.status import StatusLine
from inspector.ui.widgets.toast import Toast
from inspector.ui.widgets.top_bar import TopBar
from inspector.ui.widgets.work_line import JobLine
from inspector.ui.window_docks import WindowDocks
from inspector.ui.wording import tr

Look = tuple[Appearance, Icons, Preferences]


def make_look(application: QApplication, preferences: Preferences) -> tuple[Appearance, Icons]:
    """Theme, text scale and icons as the preferences say."""
    themes = {name: Theme.from_mapping(load_theme(name)) for name in THEME_NAMES}
    appearance = Appearance(application, themes, font_files)
    icons = Icons(appearance, load_icon)
    appearance.apply(
        ThemeChoice(preferences.text("window.theme")),
        preferences.number("window.text_scale"),
        FontChoice(preferences.text("window.fonts")),
    )
    return appearance, icons


def furnished_window(appearance: Appearance, icons: Icons, preferences: Preferences) -> MainWindow:
    """A main window with everything in it but panels, not shown yet."""
    window = MainWindow(preferences)
    furnish(window, (appearance, icons, preferences))
    return window


def furnish(window: MainWindow, look: Look) -> None:
    """Make everything that stands around the panels of a window, which may be on screen already."""
    appearance, icons, _ = look
    appearance.dress(window)
    window.appearance = appearance
    window.docks = WindowDocks(window, *look)
    window.actions_ = Actions(window)
    window.docks.changed.connect(window.actions_.refresh)
    window.banners = Banners(appearance, icons)
    window.centre = Centre(appearance, icons)
    window.top_bar = TopBar(icons, lambda: window.go_to())
    window.status_line = _status_line(window, icons)
    window.menu_bar = QMenuBar()
    window.pages = QStackedWidget()
    window.starting = PlainLabel(tr("Starting …"), tone="muted")
    window.toast = Toast(window.pages, appearance, icons)
    window.middle = QWidget()
    window.drop_frame = DropFrame(window)
    _put_in(window, icons)
    window.step_focus = lambda next_: step_through(_regions(window), next_)
    window.begin()


def name_file(window: MainWindow, path: Path | None) -> None:
    """Have the window's title say which file is open."""
    name = tr("Context Inspector")
    window.setWindowTitle(window_title(f"{path.name} – {name}") if path else name)
    window.setWindowFilePath(str(path) if path else "")


def _regions(window: MainWindow) -> list[QWidget]:
    """The parts of the window in the order in which Tab goes through them."""
    docks = window.docks.regions()
    above = (window.top_bar, *docks.left, window.middle, *docks.right)
    return [*above, *docks.bottom, *docks.bars, window.status_line]


def _put_in(window: MainWindow, icons: Icons) -> None:
    window.setAcceptDrops(True)
    window.setDockOptions(window.dockOptions() & ~QMainWindow.DockOption.AnimatedDocks)
    window.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    icons.bind(_WindowIcon(window), "app", "accent")
    window.setMenuWidget(_head(window.menu_bar))
    window.addToolBar(window.top_bar)
    window.setStatusBar(window.status_line)
    window.starting.setAlignment(Qt.AlignmentFlag.AlignCenter)
    window.pages.addWidget(window.starting)
    window.pages.addWidget(window.centre)
    arrange(QVBoxLayout(window.middle), window.pages, window.banners)
    window.setCentralWidget(window.middle)


def _status_line(window: MainWindow, icons: Icons) -> StatusLine:
    made = StatusLine(
        lambda: window.show_drafts(),
        lambda: window.toggle_panel("problems"),
        lambda: window.go_to_panel("budget"),
        lambda: window.show_approvals(),
        lambda: window.toggle_panel("run"),
        JobLine(icons, lambda key: window.cancel_work(key)),
    )
    made.offline_clicked.connect(lambda: window.show_sending())
    return made


def _head(menus: QMenuBar) -> QWidget:
    """The program's name and the menus. Not the bar's corner widget: with one, Qt styles a bar after its end."""
    head = QFrame()
    head.setProperty("role", "head")
    name = PlainLabel(tr("Context Inspector"), strong=True)
    name.setContentsMargins(12, 0, 4, 0)
    row = QHBoxLayout(head)
    arrange(row, name, menus)
    row.setStretch(1, 1)
    return head


class _WindowIcon:
    """Lets the window's icon be tinted like a button's."""

    def __init__(self, window: QWidget) -> None:
        self.setIcon = window.setWindowIcon
