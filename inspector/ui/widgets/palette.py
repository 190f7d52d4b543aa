"""The command palette widget: finds an action or a block by a few letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.safe_text import PlainLabel, one_line
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import tr

_SHOWN = 200
_WORST_SCORE = 55.0
_RECENT_BONUS, _DISABLED_MALUS = 5.0, 10.0
_LOOSEST = 2.5
"""Over how many letters for each of a word's the letters of one that isn't written out may stand."""
_RECENT_KEPT = 20
_ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
_HEAD_ROLE = Qt.ItemDataRole.UserRole + 2
"""The kind, on the first line of it."""
_SPANS_ROLE = Qt.ItemDataRole.UserRole + 3
"""Where what was typed stands in the title."""
_HEAD_STEPS, _CHROME_STEPS = 24, 15


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One line of the palette. With `why_not` it is listed, and cannot be done. `kind` heads lines of one sort.

    `words` find it and aren't shown.
    """

    id: str
    title: str
    run: Callable[[], None]
    note: str = ""
    shortcut: str = ""
    why_not: str = ""
    kind: str = ""
    words: str = ""


def rank(entries: Sequence[PaletteEntry], words: str, recent: Sequence[str] = ()) -> list[PaletteEntry]:
    """The entries that have all of the words, those whose title has words that begin so first.

    Without words the recent ones come first, then all as they come.
    """
    places = {id_: place for place, id_ in enumerate(recent)}
    if not words.strip():

        def order(each: PaletteEntry) -> tuple[int, bool]:
            return places.get(each.id, len(places)), bool(each.why_not)

        return sorted(entries, key=order)[:_SHOWN]
    from rapidfuzz import fuzz, process, utils

    found = process.extract(
        words,
        [" ".join((each.title, each.note, each.words)) for each in entries],
        scorer=fuzz.WRatio,
        processor=utils.default_process,
        limit=4 * _SHOWN,
        score_cutoff=_WORST_SCORE,
    )
    wanted = words.casefold().split()
    fits = {match[2]: _fit(entries[match[2]], wanted) for match in found}

    def worth(match: tuple[str, float, int]) -> tuple[int, float]:
        entry = entries[match[2]]
        malus = _DISABLED_MALUS if entry.why_not else 0.0
        return fits[match[2]], match[1] - malus + (_RECENT_BONUS if entry.id in places else 0.0)

    fitting = (match for match in found if fits[match[2]])
    return [entries[match[2]] for match in sorted(fitting, key=worth, reverse=True)][:_SHOWN]


def _fit(entry: PaletteEntry, words: Sequence[str]) -> int:
    """How well an entry has the words, by the one that it has worst; 0 where it doesn't have all of them."""
    title = entry.title.casefold()
    text = f"{title} {entry.note} {entry.words}".casefold()
    return min((_word_fit(title, text, word) for word in words), default=0)


def _word_fit(title: str, text: str, word: str) -> int:
    if any(_begins_word(title, at) for at in _places(title, word)):
        return 3
    return 2 if word in text else 1 if _letters_of(title, word) else 0


def _places(plain: str, word: str) -> Iterator[int]:
    at = plain.find(word)
    while at >= 0:
        yield at
        at = plain.find(word, at + 1)


def _begins_word(plain: str, at: int) -> bool:
    return at == 0 or not plain[at - 1].isalnum()


def _letters_of(plain: str, word: str) -> list[int]:
    """Where the letters of a word stand in their order, near one another and from the beginning of a word on."""
    for first in _places(plain, word[0]):
        if not _begins_word(plain, first):
            continue
        letters = [first]
        for letter in word[1:]:
            at = plain.find(letter, letters[-1] + 1, first + round(_LOOSEST * len(word)))
            if at < 0:
                break
            letters.append(at)
        else:
            return letters
    return []


def by_kind(entries: Sequence[PaletteEntry], recent: Sequence[str] = ()) -> list[tuple[str, PaletteEntry]]:
    """Entries under the heads of their kinds; recent ones stand by themselves.

    The kind of the best one comes first, then small ones: a few actions would be far below many messages. What can't
    be done stands last under its head.
    """
    heads: dict[str, list[PaletteEntry]] = {}
    for entry in entries:
        heads.setdefault(tr("Recent") if entry.id in recent else entry.kind, []).append(entry)
    first = next(iter(heads), "")
    order = sorted(heads, key=lambda head: (head != first, len(heads[head])))
    return [(head, entry) for head in order for entry in sorted(heads[head], key=_is_disabled)]


def _is_disabled(entry: PaletteEntry) -> bool:
    return bool(entry.why_not)


def matched(title: str, words: str) -> list[tuple[int, int]]:
    """Where the words stand in a title, as spans; of one that doesn't stand there, the letters near one another."""
    plain = title.casefold()
    if len(plain) != len(title):
        # Some letters fold to two: their places would be others.
        return []
    marks: set[int] = set()
    for word in words.casefold().split():
        starts = [*_places(plain, word)]
        at_word = [at for at in starts if _begins_word(plain, at)]
        if starts:
            start = (at_word or starts)[0]
            marks.update(range(start, start + len(word)))
        else:
            marks.update(_letters_of(plain, word))
    spans: list[tuple[int, int]] = []
    for at in sorted(marks):
        if spans and spans[-1][1] == at:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    return spans


class CommandPalette(QFrame):
    """A field with a list under it, above everything else in the window."""

    def __init__(
        self,
        window: QWidget,
        appearance: Appearance,
        entries: Callable[[], Iterable[PaletteEntry]],
        typed: Callable[[str], Sequence[PaletteEntry]] = lambda _: (),
    ) -> None:
        super().__init__(window)
        self.setProperty("role", "overlay")
        self.setAccessibleName(tr("Go to anything"))
        self._window = window
        self._appearance = appearance
        self._gather, self._typed = entries, typed
        self._entries: Sequence[PaletteEntry] = ()
        self._recent: list[str] = []
        self._came_from: QWidget | None = None
        self.gives_back = False
        """Whether the keyboard is just going back to where it was: nobody went anywhere."""
        self._field = QLineEdit()
        self._field.setPlaceholderText(tr("Go to block, message, action …"))
        self._field.setAccessibleName(tr("Type a name or a few words"))
        self._field.textChanged.connect(self._search)
        self._field.installEventFilter(self)
        self._model = QStandardItemModel(self)
        self._list = QListView()
        self._list.setAccessibleName(tr("Results"))
        self._list.setModel(self._model)
        self._list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._list.setUniformItemSizes(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setItemDelegate(_EntryDelegate(appearance, self._list))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.clicked.connect(lambda _: self._choose())
        self._nothing = PlainLabel(tr("Nothing found. Try fewer letters."), tone="muted")
        arrange(QVBoxLayout(self), self._field, self._nothing, self._list, margins=8, spacing=8)
        self.hide()

    @property
    def shown(self) -> tuple[PaletteEntry, ...]:
        return tuple(self._model.item(row).data(_ENTRY_ROLE) for row in range(self._model.rowCount()))

    def summon(self) -> None:
        """Show the palette and type into it."""
        self._came_from = QApplication.focusWidget()
        self._entries = tuple(self._gather())
        self._field.clear()
        self._search("")
        self.show()
        self.raise_()
        # Its keys work in a floating panel too, which is a window of its own that has the keyboard then.
        self._window.activateWindow()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Hide it and give the keyboard back to where it was."""
        came_from, self._came_from = self._came_from, None
        self.gives_back = True
        # First: what is hidden with the keyboard gives it to whatever comes next, which may select something.
        if came_from is not None and came_from.isVisible():
            came_from.window().activateWindow()
            came_from.setFocus(Qt.FocusReason.PopupFocusReason)
        self.hide()
        self.gives_back = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the field's arrow keys move in the list."""
        if watched is self._field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(event)
        if watched is self._field and event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        keys = Qt.Key
        steps = {keys.Key_Down: 1, keys.Key_Up: -1, keys.Key_PageDown: 10, keys.Key_PageUp: -10}
        if event.key() in steps:
            row = self._list.currentIndex().row() + steps[keys(event.key())]
            self._mark(max(0, min(self._model.rowCount() - 1, row)))
            return True
        if event.key() in (keys.Key_Return, keys.Key_Enter):
            self._choose()
            return True
        if event.key() == keys.Key_Escape:
            self.dismiss()
            return True
        return False

    def _search(self, words: str) -> None:
        self._model.clear()
        ranked, typed = rank(self._entries, words, self._recent), self._typed(words)
        begun = words.strip().casefold()
        # An id is gone to before what only looks like it, and a name is taken as a name.
        is_id = len(typed) > 1 and not any(each.title.casefold().startswith(begun) for each in ranked)
        first, last = (typed, ()) if is_id else ((), typed)
        grouped = by_kind(ranked, () if words.strip() else self._recent)
        before = ""
        for head, entry in (*_with_heads(first), *grouped, *_with_heads(last)):
            item = QStandardItem(one_line(entry.title))
            item.setData(entry, _ENTRY_ROLE)
            item.setData("" if head == before else head, _HEAD_ROLE)
            item.setData(matched(one_line(entry.title), words), _SPANS_ROLE)
            before = head
            spoken = ", ".join(
                each
                for each in (entry.title, entry.note or entry.kind, entry.shortcut, entry.why_not)
                if each
            )
            item.setData(one_line(spoken), Qt.ItemDataRole.AccessibleTextRole)
            self._model.appendRow(item)
        self._nothing.setVisible(not self._model.rowCount())
        self._list.setVisible(self._model.rowCount() > 0)
        self._mark(0)
        self._place()

    def _mark(self, row: int) -> None:
        index = self._model.index(row, 0)
        self._list.setCurrentIndex(index)
        self._list.scrollTo(index)

    def _choose(self) -> None:
        entry = self._list.currentIndex().data(_ENTRY_ROLE)
        if not isinstance(entry, PaletteEntry) or entry.why_not:
            return
        self._recent = [entry.id, *(each for each in self._recent if each != entry.id)][:_RECENT_KEPT]
        self.dismiss()
        entry.run()

    def _place(self) -> None:
        window = self._window
        width = min(window.width() - self._appearance.space(8), self._appearance.space(150))
        rows = max(1, self._model.rowCount()) * self._appearance.row_height()
        wanted = min(rows + self._appearance.space(_CHROME_STEPS), self._appearance.space(110))
        height = min(window.height() - self._appearance.space(24), wanted)
        self.setGeometry((window.width() - width) // 2, self._appearance.space(12), width, height)


class _EntryDelegate(QStyledItemDelegate):
    """Paints a title with its note, and at the end the shortcut or why it cannot be done."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, self._appearance.row_height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry: PaletteEntry = index.data(_ENTRY_ROLE)
        theme, space = self._appearance.theme, self._appearance.space
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Highlight))
        rect = option.rect.adjusted(space(2), 0, -space(2), 0)
        small = self._appearance.font(TextSize.SMALL)
        painter.setFont(small)
        painter.setPen(theme.muted)
        head = QRect(rect.left(), rect.top(), space(_HEAD_STEPS) - space(2), rect.height())
        _draw(painter, head, index.data(_HEAD_ROLE) or "")
        rect.setLeft(rect.left() + space(_HEAD_STEPS))
        remark = one_line(entry.why_not or entry.shortcut, 80)
        width = painter.fontMetrics().horizontalAdvance(remark)
        painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, remark)
        room = QRect(rect.left(), rect.top(), rect.width() - width - space(4), rect.height())
        painter.setPen(theme.muted if entry.why_not else theme.text)
        used = self._draw_title(painter, room, one_line(entry.title), index.data(_SPANS_ROLE) or [])
        painter.setFont(small)
        painter.setPen(theme.muted)
        _draw(painter, room.adjusted(used + space(2), 0, 0, 0), one_line(entry.note))

    def _draw_title(
        self, painter: QPainter, room: QRect, title: str, spans: Sequence[tuple[int, int]]
    ) -> int:
        """Draw a title with what was typed in bold; gives its width."""
        edges = [0, *(edge for span in spans for edge in span), len(title)]
        used = 0
        for place, (start, end) in enumerate(pairwise(edges)):
            painter.setFont(self._appearance.font(bold=place % 2 == 1))
            used += _draw(painter, room.adjusted(used, 0, 0, 0), title[start:end])
        return used


def _with_heads(entries: Iterable[PaletteEntry]) -> Iterator[tuple[str, PaletteEntry]]:
    return ((entry.kind, entry) for entry in entries)


def _draw(painter: QPainter, rect: QRect, text: str) -> int:
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, rect.width()))
    painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
    return metrics.horizontalAdvance(shown)
