"""Folds a panel below the centre to the one line of its title, and remembers whether it is folded."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.preferences import DETAIL_FOLDED, Preferences
from inspector.ui.widgets.controls import icon_button
from inspector.ui.widgets.dock_title import DockTitle
from inspector.ui.widgets.overflow import Overflow
from inspector.ui.wording import tr

_NO_LIMIT = 16_777_215
"""Qt's own greatest size of a widget, in pixels."""
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


class DockFolding(QObject):
    """Folds one dock. It stays open where a line would leave room to nobody: beside others, as a tab, or floating.

    `height` is that of the open dock at first, in pixels at text scale 1.
    """

    def __init__(
        self,
        window: QMainWindow,
        dock: QDockWidget,
        content: Overflow,
        preferences: Preferences,
        look: tuple[Appearance, Icons],
        height: int,
    ) -> None:
        super().__init__(dock)
        self._window, self._dock, self._content = window, dock, content
        self._preferences = preferences
        self._appearance, self._icons = look
        self._plain_height = float(height)
        """How high the dock was when it was open, at text scale 1."""
        self._is_folded = False
        self.button = icon_button(self._icons, "chevron_down", tr("Fold to a line"), self.toggle)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.fit)
        self._appearance.changed.connect(self._soon.start)
        preferences.changed.connect(self._follow)
        dock.dockLocationChanged.connect(self._soon.start)
        dock.topLevelChanged.connect(self._soon.start)

    @property
    def is_folded(self) -> bool:
        """Whether only the title's line is shown now."""
        return self._is_folded

    @property
    def is_wanted(self) -> bool:
        """Whether a person folded it, even where it can't be folded now."""
        return self._preferences.switch(DETAIL_FOLDED)

    def follow(self, other: QDockWidget) -> None:
        """Look again at what stands beside the dock when another one comes or goes."""
        other.visibilityChanged.connect(self._soon.start)
        other.dockLocationChanged.connect(self._soon.start)

    def toggle(self) -> None:
        """Fold the dock, or open it."""
        self._preferences.set(DETAIL_FOLDED, not self.is_wanted)

    def open(self) -> None:
        """Show all of the dock."""
        self._preferences.set(DETAIL_FOLDED, False)

    def why_not(self) -> str:
        """Why it can't be folded where it stands now, nothing where it can."""
        dock, window = self._dock, self._window
        if not dock.toggleViewAction().isChecked():
            return tr("it is hidden")
        if dock.isFloating() or window.dockWidgetArea(dock) != _BOTTOM:
            return tr("it stands beside the Request, not below it")
        # All docks are the window's own children; looking for them in all that it holds takes long.
        docks = [each for each in window.children() if isinstance(each, QDockWidget)]
        if any(self._is_below(each) for each in docks if each is not dock):
            return tr("other panels stand beside it")
        return ""

    def fit(self) -> None:
        """Let the dock be as a person wants it and its place allows."""
        can_fold = not self.why_not()
        self.button.setVisible(can_fold)
        if self.is_wanted and can_fold:
            self._fold()
        elif self._is_folded:
            self._open()

    def _is_below(self, dock: QDockWidget) -> bool:
        shown = dock.toggleViewAction().isChecked() and not dock.isFloating()
        return shown and self._window.dockWidgetArea(dock) == _BOTTOM

    def _follow(self, name: str) -> None:
        if name == DETAIL_FOLDED:
            if self.is_wanted and not self._is_folded and self._dock.isVisible():
                self._plain_height = self._dock.height() / self._appearance.scale
            self.fit()

    def _fold(self) -> None:
        dock, content = self._dock, self._content
        if not self._is_folded:
            self._keep_keyboard()
        self._is_folded = True
        # Were the content itself hidden, Qt would take the dock for one that can have no width either.
        content.fill().hide()
        content.setFixedHeight(0)
        line = dock.titleBarWidget().sizeHint().height()
        dock.setFixedHeight(line)
        self._window.resizeDocks([dock], [line], Qt.Orientation.Vertical)
        self._show_state("chevron_up", tr("Open"))

    def _open(self) -> None:
        dock = self._dock
        self._is_folded = False
        dock.setMinimumHeight(0)
        dock.setMaximumHeight(_NO_LIMIT)
        self._content.setMinimumHeight(0)
        self._content.setMaximumHeight(_NO_LIMIT)
        self._content.fill().show()
        height = round(self._plain_height * self._appearance.scale)
        if not dock.isFloating():
            self._window.resizeDocks([dock], [height], Qt.Orientation.Vertical)
        self._show_state("chevron_down", tr("Fold to a line"))

    def _keep_keyboard(self) -> None:
        """Take the keyboard from what is folded away, else nobody would have it."""
        focused = QApplication.focusWidget()
        if focused is not None and self._content.isAncestorOf(focused):
            self.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_state(self, icon: str, name: str) -> None:
        self._icons.bind(self.button, icon)
        title = self._dock.titleBarWidget()
        panel = title.heading if isinstance(title, DockTitle) else ""
        self.button.setAccessibleName(f"{name}: {panel}" if panel else name)
