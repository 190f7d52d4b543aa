"""The title bar widget of a dock, with a remark, actions and a menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from inspector.ui.icons import Icons
from inspector.ui.safe_text import ElidedLabel
from inspector.ui.widgets.controls import icon_button
from inspector.ui.wording import tr

_ALMOST_ALL = 1_000
"""The share of the room beside the name that the remark gets."""


class DockTitle(QFrame):
    """What stands on top of a dock; dragging it moves the dock."""

    def __init__(self, icons: Icons, float_: Callable[[], None], close: Callable[[], None]) -> None:
        super().__init__()
        self.setProperty("role", "dock_title")
        self._heading = ElidedLabel(strong=True)
        self._note = ElidedLabel(tone="muted")
        self._menu = QMenu(self)
        self._menu.addAction(tr("Float"), float_)
        self._menu.addAction(tr("Hide"), close)
        self._more: QToolButton = icon_button(icons, "more", tr("Move panel"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.setMenu(self._menu)
        self._tab = ""
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 4, 6, 4)
        self._row.setSpacing(8)
        self._row.addWidget(self._heading)
        # Where there is little room, the name stays and the remark gives way.
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row.addWidget(self._note, _ALMOST_ALL)
        self._row.addStretch(1)
        self._end = QHBoxLayout()
        self._end.setSpacing(2)
        self._end.addWidget(self._more)
        self._row.addLayout(self._end)

    @property
    def heading(self) -> str:
        """What the dock is called, whether that is seen or stands on a tab."""
        return self._heading.original

    def tell(self, heading: str, note: str) -> None:
        self._heading.setText(heading)
        self._show_heading()
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self._more.setAccessibleName(tr("Move the panel {name}", name=heading))

    def set_tab(self, name: str) -> None:
        """Leave out a heading that a tab above shows already; no name where the dock is no tab."""
        self._tab = name
        self._show_heading()

    def _show_heading(self) -> None:
        self._heading.setVisible(self._heading.original != self._tab)

    def add(self, widgets: Sequence[QWidget]) -> None:
        """Put widgets at the right end, before those that are there."""
        for place, widget in enumerate(widgets):
            self._end.insertWidget(place, widget)

    def minimumSizeHint(self) -> QSize:
        """As high as it needs, and hardly any width: a dock may be made narrow."""
        return QSize(48, super().minimumSizeHint().height())
