"""The docks of the main window, each with a panel that is made when it is first seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.dock_folding import DockFolding
from inspector.ui.dock_layout import DockLayout, DockSpec
from inspector.ui.icons import Icons
from inspector.ui.preferences import Preferences
from inspector.ui.safe_text import without_mnemonic
from inspector.ui.widgets.dock_title import DockTitle
from inspector.ui.widgets.overflow import Overflow

_LEAST_DOCK = QSize(380, 200)
"""Pixels that a panel of a dock gets before it is scrolled."""
_LEFT, _RIGHT, _BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)


class DockRegions(NamedTuple):
    """The docks that are in sight and don't float, by where they stand, and the bars of those that are tabs."""

    left: list[QDockWidget]
    right: list[QDockWidget]
    bottom: list[QDockWidget]
    bars: list[QWidget]


class WindowDocks(QObject):
    """Makes the docks of a window and their panels, finds them, and has them stand where they were left.

    `changed` comes when one is shown or hidden.
    """

    changed = Signal()

    def __init__(
        self, window: QMainWindow, appearance: Appearance, icons: Icons, preferences: Preferences
    ) -> None:
        super().__init__(window)
        self._window = window
        self._appearance, self._icons, self._preferences = appearance, icons, preferences
        self.layout = DockLayout(window, appearance, preferences)
        self._contents: dict[str, Overflow] = {}
        """What stands in each dock, by its id."""
        self._makes_panels = True
        self.folding: DockFolding | None = None
        """Folds the dock that can be folded, None before there are docks."""

    def add(self, side: DockSpec) -> None:
        """Make one dock; its panel comes when the dock is seen."""
        dock = QDockWidget(without_mnemonic(side.title), self._window)
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
        self.layout.add(side, dock)
        if side.folds:
            look = self._appearance, self._icons
            self.folding = DockFolding(self._window, dock, content, self._preferences, look, side.size)
            title.add((self.folding.button,))
        dock.visibilityChanged.connect(self._tell_change)

    def watch_folding(self) -> None:
        """Have the dock that can be folded follow all others, once they are there."""
        for dock in self.layout.docks.values():
            if self.folding is not None:
                self.folding.follow(dock)

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

    def go_to(self, id_: str) -> None:
        """Show a dock, in front, and give it the keyboard."""
        dock = self.layout.docks[id_]
        if self.folding is not None and self.layout.sides[id_].folds:
            self.folding.open()
        self.layout.reveal(id_)
        dock.raise_()
        panel = self.panel(id_)
        first = getattr(panel, "first_focus", None)
        wanted = first() if first else panel
        # An empty panel shows something else in its place.
        seen = wanted if wanted.isVisibleTo(panel) else panel
        seen.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def has_keyboard(self, id_: str) -> bool:
        """Whether a dock is in sight and what has the keyboard is in it."""
        dock, focused = self.layout.docks[id_], QApplication.focusWidget()
        return dock.isVisible() and focused is not None and dock.isAncestorOf(focused)

    def kept(self) -> Callable[[], None]:
        """Gives what puts the docks back as they stand now, a folded one folded."""
        put_back, folding = self.layout.kept(), self.folding
        was_folded = folding is not None and folding.is_wanted

        def all_back() -> None:
            put_back()
            if folding is not None and was_folded and not folding.is_wanted:
                folding.toggle()

        return all_back

    def reset(self) -> None:
        """Put docks, and what is inside them, back into their first places."""
        if self.folding is not None:
            self.folding.open()
        self.layout.reset()
        # In one that isn't made yet, nothing was moved.
        for content in self._contents.values():
            inside = getattr(content.fill(), "reset_layout", None) if content.is_filled else None
            if inside is not None:
                inside()

    def regions(self) -> DockRegions:
        """The docks in sight, by where they stand."""
        docks = [dock for dock in self.layout.docks.values() if dock.isVisible() and not dock.isFloating()]
        left, right, bottom = (
            [dock for dock in docks if self._window.dockWidgetArea(dock) == area]
            for area in (_LEFT, _RIGHT, _BOTTOM)
        )
        return DockRegions(left, right, bottom, [each for each in self.layout.tab_bars() if each.isVisible()])

    def _tell_change(self) -> None:
        self.changed.emit()
        QTimer.singleShot(0, self, self._name_once)

    def _name_once(self) -> None:
        """Let the heading of a dock go while its tab says the same."""
        for id_, dock in self.layout.docks.items():
            title = dock.titleBarWidget()
            if isinstance(title, DockTitle):
                beside = self._window.tabifiedDockWidgets(dock)
                is_tab = any(each.toggleViewAction().isChecked() for each in beside)
                title.set_tab(self.layout.sides[id_].title if is_tab and not dock.isFloating() else "")
