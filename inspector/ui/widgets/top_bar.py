"""The bar under the window's menus: agent, file, model and layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QActionGroup, QCursor
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from inspector.domain.dataclass import dataclass
from inspector.ui.icons import Icons
from inspector.ui.safe_text import ElidedLabel, PlainLabel, one_line, safe_tooltip, without_mnemonic
from inspector.ui.widgets.controls import LaidOutButton, arrange, icon_button, pass_clicks
from inspector.ui.wording import tr

_MOST_SHOWN, _MOST_QUIET = 40, 22
"""Characters of a name that stand in the bar, and of what is said beside it."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen."""

    id: str
    title: str


class Picker(QToolButton):
    """A button that says what is chosen and offers the rest in a menu, or asks in a way of its own."""

    def __init__(self, name: str, ask: Callable[[], None] | None = None) -> None:
        super().__init__()
        self._name = name
        self._options: Sequence[Option] = ()
        self._chosen: Callable[[str], None] = lambda _: None
        self.setProperty("role", "control")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if ask is None:
            self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            self.setMenu(QMenu(self))
            self.menu().aboutToHide.connect(self.leave)
        else:
            self.clicked.connect(lambda _=False: ask())
        self._strong = PlainLabel(strong=True)
        self._quiet = PlainLabel(tone="muted")
        self._arrow = PlainLabel("▾", tone="muted")
        row = QHBoxLayout(self)
        arrange(row, self._quiet, self._strong, self._arrow, spacing=6)
        row.setContentsMargins(10, 5, 10, 5)
        pass_clicks(self)
        self._offered: tuple[tuple[Option, ...], str] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def tell(self, quiet: str, strong: str, *, strong_first: bool = False) -> None:
        """Say what is chosen; a tip has all of it where that is long."""
        self._quiet.setText(one_line(quiet, _MOST_QUIET))
        self._strong.setText(one_line(strong, _MOST_SHOWN))
        is_cut = len(quiet) > _MOST_QUIET or len(strong) > _MOST_SHOWN
        safe_tooltip(self, f"{strong}\n{quiet}" if is_cut else "")
        row = self.layout()
        if isinstance(row, QHBoxLayout) and strong_first:
            row.removeWidget(self._strong)
            row.insertWidget(0, self._strong)
        self.setAccessibleName(tr("{name}: {chosen}", name=self._name, chosen=strong or tr("none")))
        self.updateGeometry()

    def offer(self, options: Sequence[Option], chosen: str, choose: Callable[[str], None]) -> None:
        """Offer these, with the chosen one marked."""
        # Told at every new Request, and made anew only when there is another choice.
        if (tuple(options), chosen) == self._offered:
            return
        self._offered = (tuple(options), chosen)
        menu = self.menu()
        menu.clear()
        group = QActionGroup(menu)
        for option in options:
            action = menu.addAction(without_mnemonic(option.title, 2 * _MOST_SHOWN))
            action.setCheckable(True)
            action.setChecked(option.id == chosen)
            group.addAction(action)
            action.triggered.connect(lambda _=False, id_=option.id: choose(id_))
        self.setEnabled(bool(options))

    def leave(self) -> None:
        """Look at rest again, once what it opened is gone."""
        QTimer.singleShot(0, self, self._leave)

    def _leave(self) -> None:
        """Look as if the pointer were elsewhere, if it is: while a menu is open, Qt doesn't tell."""
        if not self.rect().contains(self.mapFromGlobal(QCursor.pos())):
            self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
            self.update()

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.totalSizeHint() if layout is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        """As much: what is shown of the choice is never cut off."""
        return self.sizeHint()


class TopBar(QToolBar):
    """The bar under the menus of the window."""

    def __init__(self, icons: Icons, go_to: Callable[[], None]) -> None:
        super().__init__(tr("Agent, model and search"))
        self.setObjectName("top_bar")
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.agent = Picker(tr("Agent"))
        self.ask_model: Callable[[], None] = lambda: None
        self.model = Picker(tr("Model"), lambda: self.ask_model())
        self.layout_ = Picker(tr("Layout"))
        self.what_if = icon_button(icons, "restore", tr("Back to the agent's own settings"))
        self.what_if_label = PlainLabel(tr("what if"), tone="warning", size="small")
        self.search = _SearchButton(go_to)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.settings = icon_button(icons, "settings", tr("Settings of this agent"))
        gear = QWidget()
        arrange(QHBoxLayout(gear), self.settings)
        self._pickers = [self.addWidget(each) for each in (self.agent, gear, self.model, self.layout_)]
        # In a widget of its own, for a tool bar enlarges its buttons' icons; and it takes the height that there is.
        self.settings.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.what_if.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        trial = QWidget()
        arrange(QHBoxLayout(trial), self.what_if_label, self.what_if, spacing=6)
        self._trial = self.addWidget(trial)
        self.addWidget(space)
        self.addWidget(self.search)
        self.show_pickers(False)
        self.show_what_if(False)

    def show_pickers(self, visible: bool) -> None:
        for action in self._pickers:
            action.setVisible(visible)

    def show_what_if(self, visible: bool) -> None:
        """Whether the Request is built with other settings than the agent's."""
        self._trial.setVisible(visible)


class _SearchButton(LaidOutButton):
    """Looks like a field and opens the palette."""

    def __init__(self, clicked: Callable[[], None]) -> None:
        self._key = PlainLabel(size="small")
        self._key.setProperty("role", "key")
        row = QHBoxLayout()
        arrange(
            row, ElidedLabel(tr("Go to block, message, action …"), tone="muted"), None, self._key, spacing=12
        )
        row.setContentsMargins(10, 4, 6, 4)
        super().__init__(row, role="search", name=tr("Go to block, message, action …"))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        pass_clicks(self)
        self.clicked.connect(lambda _=False: clicked())

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() * 5 // 4, hint.height())

    def tell_shortcut(self, text: str) -> None:
        self._key.setText(text)
        self.updateGeometry()
