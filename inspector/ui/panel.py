"""The base of all panels, and the table row that says where a panel stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.settings import Settings
from inspector.ui.actions import Actions
from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import What
from inspector.ui.icons import Icons
from inspector.ui.preferences import Preferences
from inspector.ui.selection import Selection
from inspector.ui.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Marks:
    """Shares of what is usable, past which a figure has the tone of a warning or of an error."""

    warning: float
    error: float

    def tone(self, tokens: int, usable: int) -> str:
        """The tone of a figure, nothing where all is well. With nothing usable, any token is too much."""
        if usable <= 0:
            return "error" if tokens else ""
        share = tokens / usable
        return "error" if share > self.error else "warning" if share > self.warning else ""


def marks_of(settings: Settings) -> Marks:
    """The marks as they are set."""
    return Marks(settings.number("budget.warning_share"), settings.number("budget.error_share"))


@dataclass(frozen=True, slots=True)
class PanelServices:
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
        return marks_of(self.settings)


class Panel(QWidget):
    """The base class of all panels.

    A panel registers its actions in its constructor and hears of changes by `follow`. Its heading stands
    in the dock's title bar or on the tab; `header` widgets stand at the title bar's right end.
    """

    heading_changed = Signal()

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self.services = services
        self._heading = ""
        self._heading_note = ""
        self._marked = False
        services.workspace.changed.connect(self.follow)

    @property
    def heading(self) -> str:
        """What stands in the title bar or on the tab; nothing: the row's own title."""
        return self._heading

    @property
    def note(self) -> str:
        return self._heading_note

    @property
    def marked(self) -> bool:
        return self._marked

    def set_heading(self, heading: str, note: str = "", *, marked: bool = False) -> None:
        if (heading, note, marked) != (self._heading, self._heading_note, self._marked):
            self._heading, self._heading_note, self._marked = heading, note, marked
            self.heading_changed.emit()

    def follow(self, what: What) -> None:
        """Show what of the workspace's file is another now."""

    def header(self) -> tuple[QWidget, ...]:
        """Widgets for the right end of the title bar. Asked for once."""
        return ()

    def show_place(self, text: str, offset: int) -> None:
        """Bring the character into sight that stands at an offset of a text that shows what the panel is on."""

    def views_to_draw(self) -> Iterator[str]:
        """Show each of the panel's further views, one after the other, and give its name for a picture."""
        return iter(())

    def reset_layout(self) -> None:
        """Put what a person has moved inside the panel back into its first place."""

    def first_focus(self) -> QWidget:
        """What gets the keyboard when the panel is gone to."""
        return self


class PanelArea(StrEnum):
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
        shows: For a centre panel: kinds of thing that its one tab shows. The navigator's list of its id opens it.
        size: First width (left, right) or height (bottom) in pixels at text scale 1.
        share: First share of the width among the bottom panels.
        tabbed_with: The panel that it is a tab beside, at first.
        load: Imports what `make` needs, where that is not loaded from the start. Any thread may call it.
    """

    id: str
    title: Callable[[], str]
    place: PanelArea
    make: Callable[[PanelServices, Ref | None], Panel]
    icon: str = ""
    shortcut: str | None = None
    shown: bool = True
    opens: frozenset[RefKind] = field(default_factory=frozenset)
    shows: frozenset[RefKind] = field(default_factory=frozenset)
    size: int = 0
    share: int = 1
    tabbed_with: str = ""
    load: Callable[[], None] | None = None
