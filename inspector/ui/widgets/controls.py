"""Buttons and fields that all panels of the window use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel, polish_again, safe_tooltip, without_mnemonic

EDGE_STEPS = 3
"""Steps from the edge of a page to its headings, rows of a form and buttons."""
FORM_STEPS = 216
"""Steps that a form is wide at the most, without its margins: what stands right belongs to the name on the left."""
_GRID, _TEXT_HEIGHT = 4, 15
"""Pixels, at text scale 1, of the grid of distances and of a line of text."""
_BUTTON_LENGTH = 60
_HELP = "help"
_BY_TAB = Qt.FocusPolicy.TabFocus


def button(text: str, clicked: Callable[[], None], *, role: str = "", size: str = "") -> QPushButton:
    """A push button. `role` is ``primary``, ``flat``, ``link``, ``row`` or nothing for an ordinary one."""
    made = QPushButton(without_mnemonic(text, _BUTTON_LENGTH))
    made.setProperty("role", role)
    made.setProperty("textSize", size)
    made.setAutoDefault(False)
    # A click leaves the keyboard with what is worked on: a button may be gone or greyed after it.
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.setAccessibleName(text)
    made.clicked.connect(lambda _=False: clicked())
    return made


def icon_button(icons: Icons, icon: str, name: str, clicked: Callable[[], None] | None = None) -> QToolButton:
    """A button that is only an icon; its name is its tool tip and what a screen reader says."""
    made = QToolButton()
    made.setProperty("role", "flat")
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    made.setAccessibleName(name)
    safe_tooltip(made, name)
    icons.bind(made, icon)
    if clicked is not None:
        made.clicked.connect(lambda _=False: clicked())
    return made


def name_help(widget: QWidget, heading: str) -> None:
    """Say which section of the help is about a widget and all that is in it."""
    widget.setProperty(_HELP, heading)


def help_of(widget: QWidget | None) -> str:
    """The heading of the section about a widget or the nearest that it is in, nothing where none is named."""
    while widget is not None:
        heading = widget.property(_HELP)
        if heading:
            return str(heading)
        widget = widget.parentWidget()
    return ""


class LaidOutButton(QPushButton):
    """A button that holds labels in a layout of its own and is as large as they need, at every text scale."""

    def __init__(self, layout: QBoxLayout, *, role: str, name: str) -> None:
        super().__init__()
        self.setProperty("role", role)
        self.setAutoDefault(False)
        self.setAccessibleName(name)
        self._inner = layout
        self.setLayout(layout)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter press it as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return self._inner.totalSizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._inner.totalMinimumSize()

    def hasHeightForWidth(self) -> bool:
        return self._inner.hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        return self._inner.totalHeightForWidth(width)


def pass_clicks(widget: QWidget) -> None:
    """Let clicks on the labels inside a button be clicks on the button."""
    for label in widget.findChildren(PlainLabel):
        label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


class ActionButton(QPushButton):
    """A push button that does an action and is enabled when the action is."""

    def __init__(self, action: QAction, *, role: str = "", text: str = "") -> None:
        name = text or action.text().replace("&&", "&")
        super().__init__(without_mnemonic(name))
        self._action = action
        self.setProperty("role", role)
        self.setAutoDefault(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(name)
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.setEnabled(self._action.isEnabled())


def field(placeholder: str, *, role: str = "") -> QLineEdit:
    """A line of text; the placeholder is also its name."""
    made = QLineEdit()
    made.setPlaceholderText(placeholder)
    made.setAccessibleName(placeholder)
    made.setProperty("role", role)
    made.setClearButtonEnabled(role == "filter")
    return made


def rule() -> QFrame:
    """Make a thin line across a form."""
    made = QFrame()
    made.setProperty("role", "rule")
    made.setFixedHeight(1)
    return made


def text_space(widget: QWidget, steps: float) -> int:
    """Pixels on the 4-pixel grid that follow the size of a widget's text, for dialogs that know no `Appearance`."""
    return round(_GRID * steps * widget.fontMetrics().height() / _TEXT_HEIGHT)


def arrange(
    layout: QBoxLayout, *items: QWidget | QLayout | int | None, margins: int = 0, spacing: int = 0
) -> None:
    """Fill a layout: widgets, layouts, a number for a gap of that many pixels, None for what stretches."""
    layout.setContentsMargins(margins, margins, margins, margins)
    layout.setSpacing(spacing)
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, int):
            layout.addSpacing(item)
        elif isinstance(item, QWidget):
            layout.addWidget(item)
        else:
            layout.addLayout(item)


def tab_stops(region: QWidget) -> list[QWidget]:
    """What in a part of the window gets the keyboard by Tab, row by row as it is read.

    What can be scrolled is read as one, at the place of its scroll area: wherever it is scrolled to, the order stays.
    """
    rows: list[list[tuple[QRect, list[QWidget]]]] = []
    for box, stops in sorted(_stop_groups(region, region), key=lambda found: found[0].top()):
        if rows and box.center().y() <= rows[-1][0][0].bottom():
            rows[-1].append((box, stops))
        else:
            rows.append([(box, stops)])
    groups = (stops for row in rows for _, stops in sorted(row, key=lambda found: found[0].left()))
    return [each for stops in groups for each in stops]


def step_through(regions: Sequence[QWidget], next_: bool) -> bool:
    """Give the keyboard to the next or last stop, from region to region; whether anything in them had it before."""
    here, step = QApplication.focusWidget(), 1 if next_ else -1
    at = next((at for at, each in enumerate(regions) if here and each.isAncestorOf(here)), None)
    stops = [] if at is None else _stops_in(regions[at])
    if at is None or here not in stops:
        return False
    place = stops.index(here) + step
    # Most steps stay in their region: only at its end are others read, of a window of some thousand widgets.
    while not 0 <= place < len(stops):
        at = (at + step) % len(regions)
        stops = _stops_in(regions[at])
        place = 0 if next_ else len(stops) - 1
    reason = Qt.FocusReason.TabFocusReason if next_ else Qt.FocusReason.BacktabFocusReason
    stops[place].setFocus(reason)
    return True


def _stops_in(region: QWidget) -> list[QWidget]:
    return [region] if isinstance(region, QTabBar) else tab_stops(region)


def _stop_groups(part: QWidget, region: QWidget) -> Iterator[tuple[QRect, list[QWidget]]]:
    """Where stops of a part are in a region, by themselves or with all others of the scroll area they are in.

    Most of a window is in tabs that are not in front: what is hidden is not gone into.
    """
    for each in part.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if not each.isVisible() or each.isWindow():
            continue
        if isinstance(each, QScrollArea):
            yield _box_in(each, region), _scrolled_stops(each)
            continue
        if _takes_tab(each):
            yield _box_in(each, region), [each]
        yield from _stop_groups(each, region)


def _scrolled_stops(area: QScrollArea) -> list[QWidget]:
    inner = area.widget()
    if inner is None:
        return [area] if _takes_tab(area) else []
    return [*(each for each in (area, inner) if _takes_tab(each)), *tab_stops(inner)]


def _takes_tab(widget: QWidget) -> bool:
    # The line inside a field of figures gives the keyboard back to the field: Tab would never leave it.
    takes = widget.focusPolicy() & _BY_TAB == _BY_TAB and widget.focusProxy() is None
    return takes and widget.isVisible() and widget.isEnabled()


def _box_in(widget: QWidget, region: QWidget) -> QRect:
    return QRect(widget.mapTo(region, QPoint()), widget.size())


def clear(layout: QLayout) -> None:
    """Take everything out of a layout and delete it."""
    while layout.count():
        item = layout.takeAt(0)
        widget = item.widget() if item is not None else None
        below = item.layout() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif below is not None:
            clear(below)


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Change a property that the style sheet looks at."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        polish_again(widget)


class Picture(PlainLabel):
    """One icon of the family, `size` pixels wide at text scale 1, tinted again with every theme."""

    def __init__(
        self, appearance: Appearance, icons: Icons, icon: str, size: int, tone: str = "accent"
    ) -> None:
        super().__init__()
        self._appearance = appearance
        self._icons = icons
        self._picture = (icon, size, tone)
        appearance.changed.connect(self._tint)
        self._tint()

    def _tint(self) -> None:
        icon, size, tone = self._picture
        self.setPixmap(self._icons.pixmap(icon, round(size * self._appearance.scale), tone))


class EmptyState(QWidget):
    """A sentence in the middle, a remark under it, and buttons.

    It may get the keyboard where a list becomes empty, so it has its words as its name.
    """

    def __init__(self, text: str, remark: str = "", *buttons: QWidget) -> None:
        super().__init__()
        self._text = PlainLabel("", strong=True, wrap=True)
        self._remark = PlainLabel("", tone="muted", wrap=True)
        for label in (self._text, self._remark):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout = QVBoxLayout(self)
        arrange(layout, None, self._text, self._remark, margins=16, spacing=8)
        for each in buttons:
            layout.addWidget(each, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(2)
        self.tell(text, remark)

    def tell(self, text: str, remark: str = "") -> None:
        self._text.setText(_sentence(text))
        self._remark.setText(_sentence(remark))
        self.setAccessibleName(" ".join(filter(None, (_sentence(text), _sentence(remark)))))


def _sentence(text: str) -> str:
    # A name in it may have a hundred lines, and the window would have to be as high.
    return " ".join(text.splitlines())


class Segments(QFrame):
    """A row of choices (text, what it means); the first is chosen. `buttons` are in the same order."""

    def __init__(self, name: str, *choices: tuple[str, str]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self.buttons: tuple[QPushButton, ...] = tuple(self._button(text, tip) for text, tip in choices)
        self.chosen = self._group.idToggled
        arrange(QHBoxLayout(self), *self.buttons)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._group.idToggled.connect(self._let_tab_come)
        self.buttons[0].setChecked(True)
        for each in self.buttons:
            each.installEventFilter(self)
        self._frame()

    @property
    def current(self) -> int:
        return self._group.checkedId()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw one frame round the buttons that are there."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._frame()
        return False

    def _frame(self) -> None:
        shown = [each for each in self.buttons if not each.isHidden()]
        for place, each in enumerate(shown):
            is_last = place == len(shown) - 1
            edge = "" if len(shown) == 1 else "first" if place == 0 else "last" if is_last else "middle"
            restyle(each, "edge", edge)

    def choose(self, place: int) -> None:
        self.buttons[place].setChecked(True)

    def _let_tab_come(self, place: int, chosen: bool) -> None:
        """Let Tab come to the chosen one: Qt sees to it only when the choice is made by key or click."""
        policies = Qt.FocusPolicy
        self.buttons[place].setFocusPolicy(policies.StrongFocus if chosen else policies.ClickFocus)

    def _button(self, text: str, tip: str) -> QPushButton:
        made = QPushButton(without_mnemonic(text))
        made.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        made.setCheckable(True)
        made.setAutoDefault(False)
        made.setProperty("role", "segment")
        made.setAccessibleName(text)
        made.setAccessibleDescription(tip)
        safe_tooltip(made, tip)
        self._group.addButton(made, len(self._group.buttons()))
        return made
