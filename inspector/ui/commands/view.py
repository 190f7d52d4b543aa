"""Actions on the window itself: theme, text size, tabs and layout."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QKeySequence

from inspector.ui.actions import Action
from inspector.ui.appearance import MAXIMUM_SCALE, MINIMUM_SCALE, FontChoice, ThemeChoice
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.perspectives import PERSPECTIVES, Perspective
from inspector.ui.wording import tr

_SCALE_STEP = 0.125
_LOOKS = frozenset({"window.theme", "window.text_scale", "window.fonts"})


class ViewCommands:
    """Registers the actions of the window."""

    def __init__(self, services: PanelServices, window: MainWindow) -> None:
        self._services = services
        self._window = window
        services.preferences.changed.connect(self._follow)
        keys = QKeySequence.StandardKey
        services.actions.add(
            Action("view.close_tab", tr("Close tab"), self._close_tab, keys.Close, "close", self._no_tab),
            Action(
                "view.next_tab",
                tr("Next tab"),
                lambda: window.centre.step(1),
                "Ctrl+PgDown",
                why_not=self._one_tab,
            ),
            Action(
                "view.previous_tab",
                tr("Previous tab"),
                lambda: window.centre.step(-1),
                "Ctrl+PgUp",
                why_not=self._one_tab,
            ),
            Action(
                "view.close_others",
                tr("Close other tabs"),
                self._close_others,
                why_not=self._no_other_closable,
            ),
            Action(
                "view.list_tabs", tr("List of open tabs"), window.centre.offer_list, why_not=self._one_tab
            ),
            self._theme("look.dark", tr("Dark"), ThemeChoice.DARK),
            self._theme("look.light", tr("Light"), ThemeChoice.LIGHT),
            self._theme("look.system", tr("System"), ThemeChoice.SYSTEM),
            *self._text_sizes(),
            *(self._perspective(each) for each in PERSPECTIVES),
            Action(
                "layout.fold_detail",
                tr("Fold Detail to a line"),
                self._fold_detail,
                "Ctrl+Alt+4",
                why_not=self._not_foldable,
                is_on=self._is_detail_folded,
            ),
            Action("layout.reset", tr("Reset layout"), window.reset_layout),
            Action("program.quit", tr("Quit"), lambda: window.ask_to_close(), keys.Quit),
        )

    def _text_sizes(self) -> tuple[Action, ...]:
        keys, words = QKeySequence.StandardKey, tr("font zoom scale large small bigger smaller")
        return (
            Action(
                "look.larger",
                tr("Increase text size"),
                self._scaler(_SCALE_STEP),
                keys.ZoomIn,
                why_not=self._largest,
                words=words,
            ),
            Action(
                "look.smaller",
                tr("Decrease text size"),
                self._scaler(-_SCALE_STEP),
                keys.ZoomOut,
                why_not=self._smallest,
                words=words,
            ),
            Action(
                "look.normal",
                tr("Reset text size"),
                lambda: self._scale(1.0),
                "Ctrl+0",
                words=words,
            ),
        )

    def _perspective(self, row: Perspective) -> Action:
        window = self._window
        return Action(
            f"perspective.{row.id}",
            tr("Perspective: {name}", name=row.title()),
            lambda: window.switch_perspective(row.id),
            is_on=lambda: window.perspective == row.id,
        )

    def _follow(self, name: str) -> None:
        preferences = self._services.preferences
        if name in _LOOKS:
            choice = ThemeChoice(preferences.text("window.theme"))
            fonts = FontChoice(preferences.text("window.fonts"))
            self._services.appearance.apply(choice, preferences.number("window.text_scale"), fonts)

    def _theme(self, id_: str, title: str, choice: ThemeChoice) -> Action:
        appearance = self._services.appearance

        def switch() -> None:
            self._services.preferences.set("window.theme", choice.value)

        return Action(
            id_,
            tr("Theme: {name}", name=title),
            switch,
            icon="theme",
            is_on=lambda: appearance.choice is choice,
        )

    def _scaler(self, step: float) -> Callable[[], None]:
        return lambda: self._scale(self._services.appearance.scale + step)

    def _scale(self, scale: float) -> None:
        kept = min(MAXIMUM_SCALE, max(MINIMUM_SCALE, scale))
        self._services.preferences.set("window.text_scale", kept)

    def _fold_detail(self) -> None:
        if self._window.folding is not None:
            self._window.folding.toggle()

    def _is_detail_folded(self) -> bool:
        return self._window.folding is not None and self._window.folding.is_folded

    def _not_foldable(self) -> str:
        folding = self._window.folding
        return tr("no file is open") if folding is None else folding.why_not()

    def _largest(self) -> str:
        return tr("this is the largest size") if self._services.appearance.scale >= MAXIMUM_SCALE else ""

    def _smallest(self) -> str:
        return tr("this is the smallest size") if self._services.appearance.scale <= MINIMUM_SCALE else ""

    def _one_tab(self) -> str:
        return "" if self._window.centre.count() > 1 else tr("no other tab is open")

    def _no_tab(self) -> str:
        return "" if self._window.centre.current_closable else tr("this tab can't be closed")

    def _no_other_closable(self) -> str:
        return "" if self._window.centre.has_others else tr("no other tab can be closed")

    def _close_others(self) -> None:
        key = self._window.centre.current_key
        if key is not None:
            self._window.centre.close_others(key)

    def _close_tab(self) -> None:
        key = self._window.centre.current_key
        if key is not None:
            self._window.centre.close_view(key)
