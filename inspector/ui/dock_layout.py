"""Where the window's docks stand: first layout, saved layout, and tabs where room is short.

What there is room for depends on the window's size and on the size of text. How docks were left is kept for each
perspective and each way of standing by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.perspectives import Perspective, perspective_of
from inspector.ui.preferences import Preferences
from inspector.ui.wording import tr

_NAME = "window_state_3"
PERSPECTIVE = "window.perspective"
_LEFT, _RIGHT, _BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)
_CENTRE_WIDTH, _CENTRE_HEIGHT, _BARS_HEIGHT = 420, 260, 120
"""Pixels at text scale 1 that the centre needs, and that the bars above and below it take."""
_FOLDED_SHARE = 0.35
_SETTLE_MILLISECONDS = 120
_ROUNDING = 4


@dataclass(frozen=True, slots=True)
class DockSpec:
    """A dock as the window knows it: where it stands at first, how large, and what makes the panel inside.

    `tabbed_with` is the dock that it is a tab beside at first; one that `folds` can be shown as a line.
    """

    id: str
    title: str
    area: Qt.DockWidgetArea
    make: Callable[[], QWidget]
    shown: bool = True
    size: int = 0
    share: int = 1
    tabbed_with: str = ""
    folds: bool = False


class DockArrangement(StrEnum):
    """How docks stand around the centre."""

    AROUND = "around"
    """Each in its own area."""
    NARROW = "narrow"
    """Those beside the centre are tabs of one area."""
    SMALL = "small"
    """All are tabs of one area."""


def standing_for(sides: Iterable[DockSpec], width: int, height: int, scale: float) -> DockArrangement:
    """How docks can stand in a window of that size."""
    shown = [side for side in sides if side.shown]
    beside = sum(side.size for side in shown if side.area != _BOTTOM)
    below = max((side.size for side in shown if side.area == _BOTTOM), default=0)
    low = (below + _CENTRE_HEIGHT + _BARS_HEIGHT) * scale > height
    narrow = (beside + _CENTRE_WIDTH) * scale > width
    return DockArrangement.SMALL if low else DockArrangement.NARROW if narrow else DockArrangement.AROUND


class DockLayout(QObject):
    """Puts the docks of a window into their places while it shows a file."""

    def __init__(self, window: QMainWindow, appearance: Appearance, preferences: Preferences) -> None:
        super().__init__(window)
        self._window = window
        self._appearance = appearance
        self._preferences = preferences
        self._docks: dict[str, QDockWidget] = {}
        self._sides: dict[str, DockSpec] = {}
        self._perspective = perspective_of(preferences.text(PERSPECTIVE))
        self._placed: dict[str, DockSpec] = {}
        """The docks as they stand in this perspective at first."""
        self._standing: DockArrangement | None = None
        self._revealed: set[str] = set()
        """Docks that were shown by hand since the start; their widths are a person's."""
        self._grown: dict[str, tuple[int, int]] = {}
        """How high the docks below the centre became for one of them, and how high they were."""
        self._lowered: frozenset[str] = frozenset()
        """The docks that gave that height back when they were closed."""
        self._scale = appearance.scale
        self._plain_sizes: dict[DockArrangement, dict[str, float]] = {}
        """The docks' sizes at text scale 1, by how they stand."""
        self._left_sizes: dict[str, int] = {}
        """How large docks came out after the last change of scale; other sizes since are a person's."""
        self._settled = QTimer(self, singleShot=True, interval=_SETTLE_MILLISECONDS)
        self._settled.timeout.connect(self._note_sizes)
        self._soon = QTimer(self, singleShot=True, interval=_SETTLE_MILLISECONDS)
        self._soon.timeout.connect(self._fit)
        self._at_rest: QByteArray | None = None
        """How docks stood last in a window that kept its size: a smaller one has squeezed them when it is noticed."""
        self._rest_size = QSize()
        self._rest = QTimer(self, singleShot=True, interval=_SETTLE_MILLISECONDS)
        self._rest.timeout.connect(self._note_rest)
        appearance.changed.connect(self._follow_scale)
        window.installEventFilter(self)
        window.setDockNestingEnabled(True)
        window.setDocumentMode(True)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomLeftCorner, _BOTTOM)
        window.setCorner(Qt.Corner.BottomRightCorner, _RIGHT)

    @property
    def docks(self) -> Mapping[str, QDockWidget]:
        return self._docks

    @property
    def sides(self) -> Mapping[str, DockSpec]:
        return self._sides

    @property
    def standing(self) -> DockArrangement | None:
        return self._standing

    @property
    def perspective(self) -> str:
        return self._perspective.id

    def add(self, side: DockSpec, dock: QDockWidget) -> None:
        self._sides[side.id], self._docks[side.id] = side, dock
        self._placed[side.id] = placed_in(self._perspective, side)
        # Its room goes to others in the same turn of the loop, after this.
        dock.installEventFilter(self)
        dock.visibilityChanged.connect(lambda _shown: self._rest_soon())
        dock.visibilityChanged.connect(
            lambda shown: shown or QTimer.singleShot(0, self, partial(self._give_back, side.id))
        )

    def switch(self, id_: str) -> None:
        """Keep how the docks stand, and show those of another perspective as they were left there."""
        if id_ == self.perspective:
            return
        self.store()
        self._perspective = perspective_of(id_)
        self._preferences.set(PERSPECTIVE, self.perspective)
        self._placed = {each.id: placed_in(self._perspective, each) for each in self._sides.values()}
        self._plain_sizes.clear()
        self._revealed.clear()
        self._grown.clear()
        self._lowered = frozenset()
        if self._standing is not None:
            self.show()

    def show(self) -> None:
        """Show the docks as they were left, at first in their first places."""
        self._place(self._wanted())

    def reveal(self, id_: str) -> None:
        """Show a dock; one below the centre gets its share of the room at first, then the width it had."""
        dock, side = self._docks[id_], self._placed[id_]
        group = (dock, *self._window.tabifiedDockWidgets(dock))
        had_room = any(each.isVisible() for each in group)
        width, others = dock.width(), [self._docks[each] for each in self._below()]
        left = sum(each.width() for each in others) - width
        had_others, low = bool(others), max((each.height() for each in others), default=0)
        is_new = not side.shown and id_ not in self._revealed
        dock.show()
        if not self._is_below(id_) or dock.isFloating():
            return
        has_lowered, self._lowered = id_ in self._lowered, self._lowered - {id_}
        if is_new:
            self._revealed.add(id_)
            shares = {each: 100 * self._placed[each].share for each in self._below()}
            docks = [self._docks[each] for each in shares]
            self._window.resizeDocks(docks, list(shares.values()), Qt.Orientation.Horizontal)
        elif not had_room and others:
            sizes = [max(each.minimumSizeHint().width(), left // len(others)) for each in others]
            self._window.resizeDocks([dock, *others], [width, *sizes], Qt.Orientation.Horizontal)
        height = round(side.size * self._appearance.scale)
        if (is_new or has_lowered) and height > dock.height():
            if had_others:
                self._grown[id_] = height, low
            self._window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    def _give_back(self, id_: str) -> None:
        """Once a dock is closed that others grew higher for, they are as low as before; not where a person drew."""
        if not self._docks[id_].isHidden():
            return
        height, before = self._grown.pop(id_, (0, 0))
        others = [self._docks[each] for each in self._below()]
        if others and abs(others[0].height() - height) <= _ROUNDING:
            self._window.resizeDocks([others[0]], [before], Qt.Orientation.Vertical)
            self._lowered |= {id_}

    def _below(self) -> list[str]:
        """The docks that are seen below the centre."""
        return [id_ for id_, dock in self._docks.items() if self._is_below(id_) and dock.isVisible()]

    def tab_bars(self) -> list[QTabBar]:
        """The bars of docks that are tabs of one area."""
        return self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)

    def hide(self) -> None:
        """Keep how the docks stand and hide them."""
        self.store()
        self._standing = None
        for dock in self._docks.values():
            dock.hide()

    def store(self) -> None:
        """Keep how the docks stand, for the next time they stand this way."""
        if self._standing is not None:
            self._preferences.store_layout(self._name(), bytes(self._window.saveState().data()))

    def kept(self) -> Callable[[], None]:
        """Gives what puts the docks back as they stand now, as long as they stand the same way."""
        before, state = (self._standing, self.perspective), self._window.saveState()

        def put_back() -> None:
            if self._standing is not None and (self._standing, self.perspective) == before:
                self._window.restoreState(state)

        return put_back

    def reset(self) -> None:
        """Put every dock of this perspective back into its first place, now and for every way of standing."""
        self._preferences.forget_layouts(self._names())
        if self._standing is not None:
            self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look again at what there is room for when the window has another size."""
        if event.type() == QEvent.Type.Resize and self._standing is not None:
            if watched is self._window:
                self._begin_fitting()
            else:
                self._rest_soon()
        return super().eventFilter(watched, event)

    def _wanted(self) -> DockArrangement:
        window = self._window
        return standing_for(self._placed.values(), window.width(), window.height(), self._appearance.scale)

    def _fit(self) -> None:
        wanted = self._wanted()
        if self._standing is not None and wanted is not self._standing:
            # What was done to them a moment ago, before text got another size, isn't noted yet.
            noted = None if self._rest.isActive() else self._at_rest
            state = self._window.saveState() if noted is None else noted
            self._preferences.store_layout(self._name(), bytes(state.data()))
            self._place(wanted)
        self._rest_size = self._window.size()
        self._rest.start()

    def _begin_fitting(self) -> None:
        """The window has another size, and its docks may have been squeezed already."""
        if self._rest.isActive():
            # What a person has just drawn or closed isn't noted yet.
            self._rest.stop()
            self._at_rest = None
        self._soon.start()

    def _rest_soon(self) -> None:
        """Note how docks stand after what was done to them, unless it was another size of the window that did it."""
        if self._standing is not None and self._window.size() == self._rest_size:
            self._rest.start()

    def _note_rest(self) -> None:
        if self._standing is not None:
            self._at_rest = self._window.saveState()

    def _place(self, standing: DockArrangement) -> None:
        self._standing, self._at_rest = standing, None
        self._scale = self._appearance.scale
        self._first_places(standing)
        state = self._preferences.layout(self._name())
        if state is not None:
            self._window.restoreState(QByteArray(state))
        for bar in self.tab_bars():
            bar.setAccessibleName(tr("Panels"))
            bar.setExpanding(False)
        self._rest_size = self._window.size()
        self._rest.start()

    def _first_places(self, standing: DockArrangement) -> None:
        for dock in self._docks.values():
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        front: QDockWidget | None = None
        for side in self._placed.values():
            dock, area = self._docks[side.id], _area_in(side, standing)
            if standing is not DockArrangement.AROUND and area == _LEFT and front is not None:
                # At once, and not only when all are there: below each other they could need more than the screen.
                self._window.tabifyDockWidget(front, dock)
            else:
                across = Qt.Orientation.Horizontal if area == _BOTTOM else Qt.Orientation.Vertical
                self._window.addDockWidget(area, dock, across)
                front = dock if area == _LEFT else front
            if side.tabbed_with and area == _BOTTOM:
                self._window.tabifyDockWidget(self._docks[side.tabbed_with], dock)
            dock.setVisible(side.shown)
        if front is not None:
            front.raise_()
        for area in (_LEFT, _RIGHT, _BOTTOM):
            self._size(area, standing)

    def _size(self, area: Qt.DockWidgetArea, standing: DockArrangement) -> None:
        """Give the docks of an area their first size: as large as text is, if that leaves enough to the centre."""
        there = [
            side
            for side in self._placed.values()
            if _area_in(side, standing) == area and side.shown and side.size
        ]
        docks = [self._docks[side.id] for side in there]
        scale = self._appearance.scale
        if area == _BOTTOM:
            self._window.resizeDocks(
                docks, [round(side.size * scale) for side in there], Qt.Orientation.Vertical
            )
            self._window.resizeDocks(docks, [side.share * 100 for side in there], Qt.Orientation.Horizontal)
            return
        widths = [round(side.size * scale) for side in there]
        if standing is not DockArrangement.AROUND and widths:
            widths = [min(max(widths), round(_FOLDED_SHARE * self._window.width()))] * len(widths)
        self._window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)

    def _follow_scale(self) -> None:
        """Keep docks as large as their text when text gets another size, or fold them."""
        before, self._scale = self._scale, self._appearance.scale
        if self._standing is None or before == self._scale:
            return
        if not self._settled.isActive() and self._sizes() != self._left_sizes:
            self._plain_sizes[self._standing] = {id_: size / before for id_, size in self._sizes().items()}
        if self._wanted() is not self._standing:
            self._fit()
        plain = self._plain_sizes.get(self._standing, {})
        for orientation in (Qt.Orientation.Horizontal, Qt.Orientation.Vertical):
            across = orientation == Qt.Orientation.Horizontal
            ids = [id_ for id_ in self._sizes() if id_ in plain and self._is_below(id_) != across]
            sizes = [round(plain[id_] * self._scale) for id_ in ids]
            self._window.resizeDocks([self._docks[id_] for id_ in ids], sizes, orientation)
        self._settled.start()

    def _is_below(self, id_: str) -> bool:
        return self._window.dockWidgetArea(self._docks[id_]) == _BOTTOM

    def _sizes(self) -> dict[str, int]:
        """Widths of docks beside the centre, heights of those below it."""
        shown = [id_ for id_, dock in self._docks.items() if dock.isVisible() and not dock.isFloating()]
        return {
            id_: self._docks[id_].height() if self._is_below(id_) else self._docks[id_].width()
            for id_ in shown
        }

    def _note_sizes(self) -> None:
        self._left_sizes = self._sizes()

    def _name(self) -> str:
        """Layouts of other sets of panels are not taken: the first places then hold for new ones."""
        return ":".join((self._names(), str(self._standing), *sorted(self._docks)))

    def _names(self) -> str:
        """How the names of this perspective's layouts begin."""
        return f"{_NAME}:{self.perspective}"


def placed_in(perspective: Perspective, side: DockSpec) -> DockSpec:
    """A dock as it stands in a perspective at first."""
    if not perspective.places:
        return side
    place = perspective.places.get(side.id)
    if place is None:
        return replace(side, shown=False)
    return replace(side, shown=True, area=place.area, size=place.size, share=place.share)


def _area_in(side: DockSpec, standing: DockArrangement) -> Qt.DockWidgetArea:
    if standing is DockArrangement.AROUND or (standing is DockArrangement.NARROW and side.area == _BOTTOM):
        return side.area
    return _LEFT
