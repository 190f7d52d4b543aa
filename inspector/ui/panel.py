"""What a panel is: a widget that shows values of the workspace, and the table row that says where it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.runtime.settings import Settings
from inspector.ui.actions import Actions
from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.icons import Icons
from inspector.ui.marks import Marks, marks_of
from inspector.ui.preferences import Preferences
from inspector.ui.selection import Selection
from inspector.ui.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Services:
    """All that a panel may use. Panels know no engine and no other panel."""

    workspace: Workspace
    selection: Selection
    actions: Actions
    bridge: Bridge
    appearance: Appearance
    icons: Icons
    preferences: Preferences
    settings: Settings

    @property
    def marks(self) -> Marks:
        """From which share of the window the budget warns."""
        return marks_of(self.settings)


class Panel(QWidget):
    """Base of all panels.

    A panel registers its actions and connects to the workspace's signals in its constructor. Its heading stands
    in the dock's title bar or on the tab; `header` widgets stand at the title bar's right end.
    """

    heading_changed = Signal()

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.services = services
        self._heading = ""
        self._heading_note = ""
        self._marked = False

    @property
    def heading(self) -> str:
        """What stands in the title bar or on the tab; nothing: the row's own title."""
        return self._heading

    @property
    def note(self) -> str:
        """What stands beside the heading, in the quiet colour."""
        return self._heading_note

    @property
    def marked(self) -> bool:
        """Whether the tab carries the mark of unsaved work."""
        return self._marked

    def set_heading(self, heading: str, note: str = "", *, marked: bool = False) -> None:
        """Change what the title bar or the tab says."""
        if (heading, note, marked) != (self._heading, self._heading_note, self._marked):
            self._heading, self._heading_note, self._marked = heading, note, marked
            self.heading_changed.emit()

    def header(self) -> tuple[QWidget, ...]:
        """Widgets for the right end of the title bar. Asked for once."""
        return ()

    def first_focus(self) -> QWidget:
        """What gets the keyboard when the panel is gone to."""
        return self


class Place(StrEnum):
    """Where a panel stands at first. A centre panel is a tab, the others are docks."""

    LEFT = "left"
    RIGHT = "right"
    BOTTOM = "bottom"
    CENTRE = "centre"
    WELCOME = "welcome"


@dataclass(frozen=True, slots=True)
class PanelRow:
    """One row of the panel table.

    Attributes:
        id: Stable: saved layouts, the action ``view.ID`` and screenshots use it.
        title: Gives the name in the user's language.
        place: Where it stands at first.
        make: Makes it; the Ref is what a centre panel was opened on, None otherwise.
        icon: A name of the icon family.
        shortcut: Goes to the panel.
        shown: Whether it is there in the first layout (docks) or opens with a file (tabs).
        opens: For a centre panel: kinds of thing of which each gets a tab of its own.
        size: First width (left, right) or height (bottom) in pixels at text scale 1.
        share: First share of the width among the bottom panels.
    """

    id: str
    title: Callable[[], str]
    place: Place
    make: Callable[[Services, Ref | None], Panel]
    icon: str = ""
    shortcut: str | None = None
    shown: bool = True
    opens: frozenset[RefKind] = field(default_factory=frozenset)
    size: int = 0
    share: int = 1
