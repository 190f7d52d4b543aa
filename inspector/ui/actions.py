"""Every action of the window, once, for menus, tool bars, shortcuts and the command palette."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMenu, QPlainTextEdit, QWidget
from shiboken6 import isValid

from inspector.domain.dataclass import dataclass
from inspector.ui.icons import Icons

Shortcut = str | QKeySequence.StandardKey | None
SEPARATOR = "-"


def _always() -> str:
    return ""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done.

    Attributes:
        id: Stable and dotted (``file.open``): menus, saved shortcuts and tests use it.
        title: In the user's language, as menus and the palette show it.
        run: Does it. A plain function; coroutines are started through the bridge.
        shortcut: A key sequence as text, or the platform's own for a standard one.
        icon: A name that `icons` knows, or nothing.
        why_not: Gives the reason why it cannot be done now, nothing when it can.
        is_on: For a switch: whether it is on.
        hidden: Not in the palette (its place makes sense of it).
        scope: The widget whose focus the shortcut needs; None for the whole window.
        also: Further shortcuts, which no menu shows.
        words: Further words that find it, in the palette and among the shortcuts.
        instead: The window's action that its keys do where it can't be done and the field has nothing to take back.
        is_unsaved: Whether there is unsaved work around the field. Of a draft that was taken up again no step can be
            undone; who presses the keys there means it, and not a change of the file before it.
    """

    id: str
    title: str
    run: Callable[[], None]
    shortcut: Shortcut = None
    icon: str = ""
    why_not: Callable[[], str] = _always
    is_on: Callable[[], bool] | None = None
    hidden: bool = False
    scope: QWidget | None = None
    also: tuple[str, ...] = ()
    words: str = ""
    instead: str = ""
    is_unsaved: Callable[[], bool] = _never


class Actions(QObject):
    """The registry. `changed` tells that actions came, went or may be done differently."""

    changed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._rows: dict[str, Action] = {}
        self._items: dict[str, QAction] = {}
        self.front: FrontActions | None = None
        """Whose actions are those of the view in front."""
        self._listened: QObject | None = None
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.focusObjectChanged.connect(self._follow_focus)

    def add(self, *actions: Action) -> None:
        """Register actions.

        Raises:
            ValueError: an id or a shortcut is taken.
        """
        taken = {(self._rows[id_].scope, _text(item.shortcut())): id_ for id_, item in self._items.items()}
        for action in actions:
            if action.id in self._rows:
                raise ValueError(action.id)
            keys = "" if action.shortcut is None else _text(QKeySequence(action.shortcut))
            other = taken.setdefault((action.scope, keys), action.id)
            if keys and other != action.id:
                raise ValueError(f"{action.id}: {keys} is {other}'s")
            self._rows[action.id] = action
            self._items[action.id] = self._make(action)
        self._refresh(actions)

    def remove(self, prefix: str) -> None:
        """Forget all actions whose id begins so."""
        self.discard([each for each in self._rows if each.startswith(prefix)])

    def discard(self, ids: Iterable[str]) -> None:
        """Forget those of these actions that there are."""
        gone = [each for each in ids if each in self._rows]
        for id_ in gone:
            del self._rows[id_]
            item = self._items.pop(id_)
            item.setEnabled(False)
            item.deleteLater()
        if gone:
            self.changed.emit()

    def row(self, id_: str) -> Action:
        return self._rows[id_]

    def item(self, id_: str) -> QAction:
        """The Qt object of that action, for a menu or a button. Raises KeyError."""
        return self._items[id_]

    def __contains__(self, id_: str) -> bool:
        return id_ in self._rows

    def __iter__(self) -> Iterator[Action]:
        return iter(tuple(self._rows.values()))

    def run(self, id_: str) -> bool:
        """Do it, if it can be done now; says whether it was."""
        if self._rows[id_].why_not():
            return False
        self._rows[id_].run()
        return True

    def shortcut_text(self, id_: str) -> str:
        return self._items[id_].shortcut().toString(QKeySequence.SequenceFormat.NativeText)

    def retitle(self, id_: str, title: str) -> None:
        """Name an action by what it would do now."""
        if title != self._rows[id_].title:
            self._rows[id_] = replace(self._rows[id_], title=title)
            self._items[id_].setText(title.replace("&", "&&"))

    def scope(self, id_: str, widget: QWidget, shortcut: str) -> None:
        """Give an action a shortcut that only holds while a widget has the keyboard."""
        item = self._items[id_]
        self._rows[id_] = replace(self._rows[id_], shortcut=shortcut, scope=widget)
        item.setShortcut(QKeySequence(shortcut))
        item.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._window.removeAction(item)
        widget.addAction(item)

    def refresh(self) -> None:
        """Look again at what can be done and what is on."""
        self._refresh(self._rows.values())

    def _refresh(self, actions: Iterable[Action]) -> None:
        for action in actions:
            item = self._items[action.id]
            item.setEnabled(not action.why_not())
            if action.is_on is not None:
                item.setChecked(action.is_on())
        self.changed.emit()

    def fill(self, menu: QMenu, ids: Iterable[str]) -> None:
        """Put actions into a menu; ids that are not there (yet) are passed over."""
        for id_ in ids:
            if id_ == SEPARATOR:
                menu.addSeparator()
            elif id_ in self._items:
                menu.addAction(self._items[id_])

    def _make(self, action: Action) -> QAction:
        item = QAction(action.title.replace("&", "&&"), self)
        item.setObjectName(action.id)
        item.setCheckable(action.is_on is not None)
        item.setIconVisibleInMenu(True)
        item.setShortcuts(action_keys(action))
        if action.scope is not None:
            item.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        item.triggered.connect(lambda _=False, id_=action.id: self._trigger(id_))
        (action.scope or self._window).addAction(item)
        return item

    def _follow_focus(self, now: QObject | None) -> None:
        """Silence keys of the window while an action of a part has them there: of two, Qt would do neither."""
        rows = self._rows.values()
        scoped = [
            row for row in rows if row.scope and isinstance(now, QWidget) and row.scope.isAncestorOf(now)
        ]
        taken = [keys for row in scoped for keys in action_keys(row)]
        self._listen_to(now if any(row.instead for row in scoped) else None)
        for row in rows:
            # While the window is taken apart, its actions go before the registry.
            if row.scope is None and isValid(self._items[row.id]):
                free = [each for each in action_keys(row) if each not in taken]
                self._items[row.id].setShortcuts(free)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Where a field has nothing to take back, do the action of the part around it, or the window's for that."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            keys = QKeySequence(event.keyCombination())
            for row in tuple(self._rows.values()):
                is_meant = row.instead in self._rows and keys in action_keys(row)
                # A field takes the keys to itself, also where the part around it has what they take back.
                if is_meant and _has_no_step(watched, event) and self._run_around(row):
                    return True
        return False

    def _run_around(self, row: Action) -> bool:
        """Do an action of the part around a field, else the window's; says whether the keys are done with."""
        if self.run(row.id):
            return True
        if row.is_unsaved():
            return True
        back = self._rows.get(_WAYS_BACK.get(row.id, ""))
        # Who takes back all that was typed, key after key, doesn't mean the change of the file before that.
        return (back is not None and not back.why_not()) or self.run(row.instead)

    def _listen_to(self, now: QObject | None) -> None:
        if self._listened is not None and isValid(self._listened):
            self._listened.removeEventFilter(self)
        self._listened = now
        if now is not None:
            now.installEventFilter(self)

    def _trigger(self, id_: str) -> None:
        self.run(id_)
        self.refresh()


_WAYS_BACK = {"edit.undo": "edit.redo", "edit.redo": "edit.undo"}


def _has_no_step(field: QObject, event: QKeyEvent) -> bool:
    """Whether a field has nothing of its own to undo or redo, as the key asks."""
    is_undo = event.matches(QKeySequence.StandardKey.Undo)
    if isinstance(field, QLineEdit):
        return not (field.isUndoAvailable() if is_undo else field.isRedoAvailable())
    steps = getattr(field, "steps", None)
    if steps is None or (isinstance(field, QPlainTextEdit) and field.isReadOnly()):
        return True
    # Who takes back all that was typed, key after key, doesn't mean the change of the file before that.
    return not (steps.can_undo or steps.can_redo)


def _text(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.PortableText)


def action_keys(action: Action) -> list[QKeySequence]:
    """All shortcuts of an action, the one that menus show first."""
    keys = () if action.shortcut is None else (action.shortcut,)
    return [QKeySequence(each) for each in (*keys, *action.also)]


class FrontActions:
    """The actions of one view. Several views may have actions of the same ids; the one in front has them now."""

    def __init__(self, actions: Actions, icons: Icons, *rows: Action) -> None:
        self._actions = actions
        self._icons = icons
        self._rows = rows

    def come(self) -> None:
        """Register them, in place of those of the view that was in front before: Qt shows one, then hides the other."""
        before = self._actions.front
        if before is not None and before is not self:
            before.go()
        self._actions.front = self
        self._actions.discard([row.id for row in self._rows])
        self._actions.add(*self._rows)
        for row in self._rows:
            if row.icon:
                self._icons.bind(self._actions.item(row.id), row.icon)

    def put(self, *rows: Action) -> None:
        """Have these in place of those of the same ids, as a part of the view was made meanwhile."""
        ids = {row.id for row in rows}
        self._rows = (*(row for row in self._rows if row.id not in ids), *rows)
        if self._actions.front is self:
            self.come()

    def go(self) -> None:
        """Take away those that are still this view's."""
        if self._actions.front is self:
            self._actions.front = None
        own = (row for row in self._rows if row.id in self._actions)
        self._actions.discard([row.id for row in own if self._actions.row(row.id) is row])
