"""The base of all panels, and the table row that says where a panel stands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from enum import StrEnum
from importlib import import_module

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.settings import Settings
from inspector.ui.actions import Action, Actions, FrontActions
from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import What
from inspector.ui.icons import Icons
from inspector.ui.preferences import Preferences
from inspector.ui.selection import PointedPlace, Selection, SelectionState
from inspector.ui.wording import tr
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

    @property
    def request_spec(self) -> RequestSpec:
        """What is asked of the build of any agent's Request now."""
        return RequestSpec(now=self.workspace.now(), zone=self.settings.text("time.zone"))


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
        self._front: FrontActions | None = None
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

    def complete(self) -> None:
        """Do what takes long of being made, in a turn of the loop of its own; it is done before the panel is seen."""

    def follow(self, what: What) -> None:
        """Show what of the workspace's file is another now."""

    def act(self, *rows: Action) -> None:
        """Have these actions while the panel is in sight, for a centre tab whose ids others have too."""
        self._front = FrontActions(self.services.actions, self.services.icons, *rows)

    def act_from_now(self, *rows: Action) -> None:
        """Have these in place of those of the same ids that `act` was given."""
        if self._front is not None:
            self._front.put(*rows)

    def came(self) -> None:
        """Do what waits for the panel to come into sight; a window that is only uncovered does not count."""

    def went(self) -> None:
        """Do what is to be done when another tab hides the panel."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            if self._front is not None:
                self._front.come()
            self.came()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            if self._front is not None:
                self._front.go()
            self.went()

    def not_writable(self) -> str:
        """Why nothing of the file can be changed, for a greyed action; empty where it can be."""
        return tr("the file is read-only") if self.services.workspace.file.read_only else ""

    def offer_menu(self, view: QAbstractItemView, ids: Sequence[str]) -> None:
        """Open a menu of these actions where a view is asked for one."""

        def offer(at: QPoint) -> None:
            menu = QMenu(view)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.services.actions.refresh()
            self.services.actions.fill(menu, ids)
            menu.popup(view.viewport().mapToGlobal(at))

        view.customContextMenuRequested.connect(offer)

    def follow_selection(self) -> None:
        """Hear, by `reveal`, of what is selected or opened elsewhere, until the panel is gone."""
        self.services.selection.changed.connect(self._follow_selected)
        self.services.selection.opened.connect(self._follow_opened)

    def reveal(self, ref: Ref | None, *, opened: bool = False) -> None:
        """Bring into sight what was selected elsewhere; `opened` says that it was asked for by name."""

    def reveal_at(self, ref: Ref, place: PointedPlace | None) -> None:
        """Bring into sight what was asked for by name, and the character of it that was pointed at."""
        self.reveal(ref, opened=True)

    def _follow_selected(self, selected: SelectionState) -> None:
        self.reveal(selected.ref)

    def _follow_opened(self, ref: Ref) -> None:
        self.reveal(ref, opened=True)

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
class LazyPanel:
    """Makes a panel of a module, by its full name, that is loaded when it is first wanted, or before by any thread."""

    module: str
    name: str

    @property
    def is_loaded(self) -> bool:
        return self.module in sys.modules

    def __call__(self, services: PanelServices, ref: Ref | None) -> Panel:
        made: Panel = getattr(import_module(self.module), self.name)(services, ref)
        return made


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
        folds: Whether it folds to a line while it stands alone below the centre.
        help: The heading of its section in the help.
        words: Gives further words that find it in the palette.
        modules: Full names of further modules that the panel needs later, imported when the window has time.
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
    folds: bool = False
    help: str = ""
    words: Callable[[], str] = str
    modules: tuple[str, ...] = ()
