"""The centre tabs of the window: closable, reorderable, one per open block or view."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import cast

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QMouseEvent, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QTabBar, QTabWidget, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import one_line, safe_tooltip, tooltip_text, without_mnemonic
from inspector.ui.widgets.controls import icon_button, tab_stops
from inspector.ui.widgets.overflow import Overflow
from inspector.ui.wording import number, tr

_TITLE_LENGTH = 32
_END = QTabBar.ButtonPosition.RightSide
_CLOSE_STEPS = 5.5
_TURN_MILLISECONDS = 1
"""With none at all, Qt would go on before the loop has come round."""
_LEAST = QSize(560, 360)
"""Pixels that a view gets before it is scrolled."""


class _Bar(QTabBar):
    """The tabs' own bar, which can say how wide a tab would be that is hidden."""

    def width_of(self, place: int) -> int:
        return self.tabSizeHint(place).width()


class Centre(QTabWidget):
    """The tabs in the centre, each with a key. Where there are too many, those not used for longest are hidden.

    The one in front and those that can't be closed stay; `list_button` leads to all of them.

    `emptied` tells that the last one went, `shown` carries the key of the one in front, `rearranged` tells that
    there are other tabs, or the same in another order or with other titles.
    """

    emptied = Signal()
    shown = Signal(object)
    rearranged = Signal()

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__()
        self._appearance = appearance
        self._icons = icons
        self._pages: dict[Hashable, Overflow] = {}
        self._closable: set[Hashable] = set()
        self._marked: set[Hashable] = set()
        self._recent: list[Hashable] = []
        """The keys, that of the tab in front last."""
        self._bar = _Bar()
        self.setTabBar(self._bar)
        # Its ground goes on beside the bar, under the button at its end.
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setDocumentMode(True)
        self.setMovable(True)
        # Titles are cut to a length already. Where not even two tabs have room, they are scrolled.
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setUsesScrollButtons(True)
        self.setAccessibleName(tr("Open views"))
        self.tabBar().setAccessibleName(tr("Open views"))
        self.tabBar().setExpanding(False)
        self.tabBar().tabMoved.connect(lambda *_: self.rearranged.emit())
        appearance.changed.connect(self._measure)
        self.tabBar().setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tabBar().customContextMenuRequested.connect(self._offer)
        self.tabBar().installEventFilter(self)
        self.list_button = icon_button(icons, "chevron_down", tr("List of open tabs"), self.offer_list)
        self.setCornerWidget(self.list_button, Qt.Corner.TopRightCorner)
        self.list_button.hide()
        self.rearranged.connect(self._show_tabs)
        self.currentChanged.connect(self._come_to)

    @property
    def current_key(self) -> Hashable | None:
        return self._key_of(self.currentIndex())

    @property
    def current_closable(self) -> bool:
        return self.current_key in self._closable

    @property
    def has_others(self) -> bool:
        """Whether a tab that can be closed stands beside the one in front."""
        return any(each != self.current_key for each in self._closable)

    @property
    def keys(self) -> tuple[Hashable, ...]:
        found = (self._key_of(place) for place in range(self.count()))
        return tuple(each for each in found if each is not None)

    def widget(self, index: int) -> QWidget | None:
        """The view at a place, without what scrolls it."""
        page = super().widget(index)
        return page.fill() if isinstance(page, Overflow) else page

    def currentWidget(self) -> QWidget:
        """The view in front, without what scrolls it."""
        view = self.widget(self.currentIndex())
        return super().currentWidget() if view is None else view

    def has_in_front(self, widget: QWidget) -> bool:
        """Whether a widget is in the view in front."""
        return self.count() > 0 and super().currentWidget().isAncestorOf(widget)

    def show_tab(self, key: Hashable) -> None:
        """Bring the tab with that key to the front."""
        self.setCurrentIndex(self.place_of(key))

    def setCurrentIndex(self, index: int) -> None:
        """Go to a tab, which may be hidden."""
        if 0 <= index < self.count():
            self.setTabVisible(index, True)
        super().setCurrentIndex(index)

    def place_of(self, key: Hashable) -> int:
        """The place of the tab with that key, -1 where there is none."""
        page = self._pages.get(key)
        return -1 if page is None else self.indexOf(page)

    def view(self, key: Hashable) -> QWidget | None:
        """The view of the tab with that key, made now if it wasn't yet; None where there is no such tab."""
        page = self._pages.get(key)
        return None if page is None else page.prepare()

    def put(
        self,
        key: Hashable,
        make: Callable[[], QWidget],
        title: str,
        complete: Callable[[QWidget], None] | None = None,
        *,
        closable: bool = True,
        waits: bool = False,
    ) -> None:
        """Add a tab and go to it.

        Its view is made and completed, and then laid out and painted, in three turns of the loop, or at once when it
        is asked for: in one turn, the window would stand still for as long as all of that takes.

        Args:
            key: Finds the tab again.
            make: Gives the view.
            title: In the user's language.
            complete: What else is to be done to the view before it is seen.
            closable: Whether a person can close the tab.
            waits: Whether nothing is made before `begin`, unless it is asked for.
        """
        page = self._pages[key] = Overflow(make, _LEAST, complete)
        self._recent.insert(0, key)
        place = self.addTab(page, "")
        self.rename(key, title)
        page.prepared.connect(lambda view: view.setAccessibleName(self.tabBar().tabData(self.indexOf(page))))
        if closable:
            self._closable.add(key)
            close = icon_button(self._icons, "close", tr("Close {title}", title=one_line(title)))
            close.clicked.connect(lambda _=False: self.close_view(key))
            close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._fit(close)
            self.tabBar().setTabButton(place, _END, close)
        focused = QApplication.focusWidget()
        # A view that is on its way has it in its page.
        has_keyboard = focused is not None and (
            self.has_in_front(focused) or focused is super().currentWidget()
        )
        if has_keyboard:
            # Qt would give it to the next widget of the window meanwhile, which paints its focus and takes it away.
            self.tabBar().setFocus(Qt.FocusReason.OtherFocusReason)
        self.setCurrentIndex(place)
        if has_keyboard:
            self.keep_keyboard(key)
        if not waits:
            self.begin(key)

    def begin(self, key: Hashable) -> None:
        """Have the view of a tab made soon, if the tab is still there."""
        page = self._pages.get(key)
        if page is not None:
            self._in_turns(page, page.make, page.prepare, page.fill)

    def keep_keyboard(self, key: Hashable) -> bool:
        """Keep the keyboard in a tab until its view is there and gets it. Keys before that are the view's.

        Returns: Whether the view is on its way.
        """
        page = self._pages[key]
        if not page.is_filled:
            page.setFocus(Qt.FocusReason.OtherFocusReason)
            page.filled.connect(lambda view: None if self.is_left(key) else _give_keyboard(view))
        return not page.is_filled

    def is_left(self, key: Hashable) -> bool:
        """Whether the keyboard of the window is elsewhere than in that tab."""
        page = self._pages[key]
        # None where nothing in the window has had it yet, which Qt's types don't say.
        place = cast("QWidget | None", self.window().focusWidget())
        return place is not None and place is not page and not page.isAncestorOf(place)

    def once_there(self, key: Hashable, do: Callable[[], object]) -> None:
        """Do something with a view as soon as it stands in its tab, at once if it does."""
        page = self._pages[key]
        if page.is_filled:
            do()
        else:
            page.filled.connect(lambda _: do())

    def rename(self, key: Hashable, title: str, *, marked: bool = False) -> None:
        """Change a tab's title; the mark tells of unsaved work."""
        place = self.place_of(key)
        if place < 0:
            return
        shown = without_mnemonic(one_line(title, _TITLE_LENGTH))
        self.setTabText(place, shown)
        self._marked = (self._marked - {key}) | ({key} if marked else set())
        self.setTabIcon(place, self._dot() if marked else QIcon())
        tip = tr("{title}, unsaved draft", title=title) if marked else title
        self.setTabToolTip(place, tooltip_text(tip))
        self.tabBar().setAccessibleTabName(place, one_line(tip))
        self.tabBar().setTabData(place, one_line(title))
        view = self._pages[key].made
        if view is not None:
            view.setAccessibleName(one_line(title))
        self.rearranged.emit()

    def close_view(self, key: Hashable) -> None:
        """Close the tab with that key."""
        page = self._pages.pop(key, None)
        if page is None:
            return
        self._recent.remove(key)
        self.removeTab(self.indexOf(page))
        if self.count() and self.currentIndex() < 0:
            # All others were hidden.
            self.show_tab(self._recent[-1])
        self._marked.discard(key)
        self._closable.discard(key)
        if page.made is not None:
            page.made.close()
            # One that is made and doesn't stand in its tab yet isn't deleted with it.
            page.made.deleteLater()
        page.deleteLater()
        self.rearranged.emit()
        if not self.count():
            self.emptied.emit()

    def step(self, by: int) -> None:
        """Go to a tab beside the one in front, round the ends."""
        if self.count():
            self.setCurrentIndex((self.currentIndex() + by) % self.count())

    def close_others(self, key: Hashable) -> None:
        """Close every tab that can be closed but one."""
        for each in self.keys:
            if each != key and each in self._closable:
                self.close_view(each)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close a tab by a click with the middle button."""
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent):
            key = self._key_at(event.position().toPoint())
            if event.button() == Qt.MouseButton.MiddleButton and key in self._closable:
                self.close_view(key)
                return True
        return super().eventFilter(watched, event)

    def offer_list(self) -> None:
        """List all tabs in a menu, the one in front checked."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for place in range(self.count()):
            entry = menu.addAction(self.tabText(place))
            entry.setCheckable(True)
            entry.setChecked(place == self.currentIndex())
            entry.triggered.connect(lambda _=False, place=place: self.setCurrentIndex(place))
        below = self.list_button.rect().bottomLeft()
        menu.popup(self.list_button.mapToGlobal(below))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_tabs()

    def _come_to(self, _: int) -> None:
        key = self.current_key
        if key is not None:
            self._recent.remove(key)
            self._recent.append(key)
            self._show_tabs()
        self.shown.emit(key)

    def _show_tabs(self) -> None:
        """Show as many tabs as there is room for: those that stay, then those that were used last."""
        keys = self.keys
        self.list_button.setVisible(len(keys) > 1)
        room = self.width() - self.list_button.sizeHint().width()
        stays = {each for each in keys if each not in self._closable} | {self.current_key}
        shown: set[Hashable] = set()
        recent = self._recent[::-1]
        for key in (*filter(stays.__contains__, recent), *(each for each in recent if each not in stays)):
            room -= self._bar.width_of(self.place_of(key))
            if room < 0 and key not in stays:
                break
            shown.add(key)
        for place, key in enumerate(keys):
            if self.isTabVisible(place) != (key in shown):
                self.setTabVisible(place, key in shown)
        hidden = len(keys) - len(shown)
        tip = (
            tr("List of open tabs ({count} hidden)", count=number(hidden))
            if hidden
            else tr("List of open tabs")
        )
        safe_tooltip(self.list_button, tip)
        self.list_button.setAccessibleName(tip)

    def _in_turns(self, page: Overflow, *steps: Callable[[], object]) -> None:
        """Do one step after the other, each in another turn of the loop, as long as the tab is there."""

        def go() -> None:
            # While a dialog is open, a page that was closed stays for a while.
            if page in self._pages.values():
                steps[0]()
                self._in_turns(page, *steps[1:])

        if steps:
            QTimer.singleShot(_TURN_MILLISECONDS, page, go)

    def _key_of(self, place: int) -> Hashable | None:
        page = super().widget(place)
        return next((key for key, each in self._pages.items() if each is page), None)

    def _key_at(self, at: QPoint) -> Hashable | None:
        place = self.tabBar().tabAt(at)
        return self.keys[place] if place >= 0 else None

    def _offer(self, at: QPoint) -> None:
        key = self._key_at(at)
        if key is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        close = menu.addAction(tr("Close tab"), lambda: self.close_view(key))
        close.setEnabled(key in self._closable)
        others = menu.addAction(tr("Close other tabs"), lambda: self.close_others(key))
        others.setEnabled(any(each != key for each in self._closable))
        menu.popup(self.tabBar().mapToGlobal(at))

    def close_all(self) -> None:
        for key in self.keys:
            self.close_view(key)

    def _measure(self) -> None:
        """Give the buttons on tabs the size that text has now; a tab looks at it only when it gets the button."""
        bar = self.tabBar()
        for place in range(self.count()):
            if self._key_of(place) in self._marked:
                self.setTabIcon(place, self._dot())
            close = bar.tabButton(place, _END)
            if close is not None:
                self._fit(close)
                bar.setTabButton(place, _END, close)
                # Qt hides the one that was there, which is the same.
                close.show()
        self._show_tabs()

    def _dot(self) -> QIcon:
        """The mark of unsaved work, in the colour of warnings; the tool tip says it in words."""
        side, ratio = self._appearance.space(4), self.devicePixelRatioF()
        picture = QPixmap(round(side * ratio), round(side * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._appearance.theme.warning)
            painter.drawEllipse(QPointF(side / 2, side / 2), side / 4, side / 4)
        return QIcon(picture)

    def _fit(self, close: QWidget) -> None:
        side = self._appearance.space(_CLOSE_STEPS)
        close.setFixedSize(side, side)


def _give_keyboard(view: QWidget) -> None:
    """Let the view have the keyboard that the one before had, as Qt does with a page that is there at once."""
    first = next(iter(tab_stops(view)), None)
    if first is not None:
        first.setFocus(Qt.FocusReason.OtherFocusReason)
