"""Shows the fields and elements that both sides of a structured draft changed, and what stands there when merged."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.content import Content, FieldEntry, ListItem, LogEntry, TextContent, TreeNode
from inspector.domain.differences.paths import Found, value_at
from inspector.domain.history import ThreeWay
from inspector.domain.resolution import Choice, Place, conflict_places, resolved
from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import column_tooltip, one_line
from inspector.ui.widgets.controls import EmptyState, arrange
from inspector.ui.wording import tr

_MERGED = 4
_MOST_LINES, _PADDING_STEPS = 8, 5


class TableReview(QWidget):
    """A row for each conflict: field, base, theirs, mine, merged. `changed` tells of another choice or row."""

    changed = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._sides: ThreeWay | None = None
        self._places: tuple[Place, ...] = ()
        self._choices: dict[Place, Choice] = {}
        self.rows = QTreeWidget()
        self.rows.setAccessibleName(tr("Conflicts"))
        self.rows.setRootIsDecorated(False)
        # Both versions often begin the same: what differs is to be read, not cut off.
        self.rows.setWordWrap(True)
        self.rows.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.rows.header().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.rows.setAllColumnsShowFocus(True)
        self.rows.setFrameShape(QAbstractItemView.Shape.NoFrame)
        self.rows.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.rows.currentItemChanged.connect(lambda *_: self.changed.emit())
        self._none = EmptyState(tr("No conflicts"), tr("Saving merges both versions."))
        self._none.hide()
        arrange(QVBoxLayout(self), self.rows, self._none)

    @property
    def content(self) -> Content:
        assert self._sides is not None
        return resolved(self._sides, self._choices)

    @property
    def count(self) -> int:
        return len(self._places)

    @property
    def conflicts(self) -> int:
        return len(self._places)

    @property
    def current(self) -> int:
        return max(0, self.rows.currentIndex().row())

    @property
    def undecided(self) -> int:
        return len(self._places) - len(self._choices)

    @property
    def is_touched(self) -> bool:
        """Whether a person decided anything."""
        return bool(self._choices)

    @property
    def has_both(self) -> bool:
        """Whether both sides can stand at one place: a field has one value."""
        return False

    @property
    def place(self) -> str:
        item = self.rows.currentItem()
        return "" if item is None else item.text(0)

    @property
    def is_current_decided(self) -> bool:
        return not self._places or self._places[self.current] in self._choices

    def first_focus(self) -> QWidget:
        return self.rows

    def show_sides(self, sides: ThreeWay, name: str) -> None:
        """Show a row for each conflict; `name` is whoever wrote the other version."""
        self._sides, self._choices = sides, {}
        self._places = tuple(dict.fromkeys(conflict_places(sides)))
        self.rows.clear()
        theirs = one_line(tr("{name}'s version", name=name), 60)
        self.rows.setHeaderLabels([tr("Field"), tr("Before"), theirs, tr("Your draft"), tr("Merged")])
        self.rows.addTopLevelItems([self._item(sides, place) for place in self._places])
        self.rows.setVisible(bool(self._places))
        self._none.setVisible(not self._places)
        header = self.rows.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._tell()
        self.go_to(0)

    def go_to(self, stop: int) -> None:
        """Choose the row of a conflict."""
        item = self.rows.topLevelItem(stop % len(self._places)) if self._places else None
        if item is not None:
            self.rows.setCurrentItem(item)
        self.changed.emit()

    def choose(self, choice: Choice) -> None:
        """Take a side at the current row."""
        if self._places:
            self._choices[self._places[self.current]] = choice
            self._tell()

    def choose_all(self, choice: Choice) -> None:
        self._choices = dict.fromkeys(self._places, choice)
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Make each row as high as its texts are in their columns, up to some lines."""
        metrics, space = self.rows.fontMetrics(), self._appearance.space
        least, most = self._appearance.row_height(), _MOST_LINES * metrics.lineSpacing()
        for at in range(self.rows.topLevelItemCount()):
            item = self.rows.topLevelItem(at)
            if item is None:
                continue
            for column in range(self.rows.columnCount()):
                width = max(1, self.rows.columnWidth(column) - space(_PADDING_STEPS))
                box = QRect(0, 0, width, most)
                height = metrics.boundingRect(box, Qt.TextFlag.TextWordWrap, item.text(column)).height()
                item.setSizeHint(column, QSize(0, max(least, min(most, height) + space(2))))

    def _item(self, sides: ThreeWay, place: Place) -> QTreeWidgetItem:
        values = (value_at(each, place) for each in (sides.base, sides.theirs, sides.mine))
        texts = [_name(sides, place), *map(_shown, values), ""]
        item = QTreeWidgetItem([one_line(each) for each in texts])
        for column, text in enumerate(texts):
            column_tooltip(item, column, text)
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        return item

    def _tell(self) -> None:
        for at, place in enumerate(self._places):
            item, choice = self.rows.topLevelItem(at), self._choices.get(place)
            if item is not None and choice is not None:
                side = tr("theirs") if choice is Choice.THEIRS else tr("mine")
                value = item.text(2 if choice is Choice.THEIRS else 3)
                item.setText(_MERGED, tr("{side}: {value}", side=side, value=value))
            elif item is not None:
                item.setText(_MERGED, tr("not decided"))
        self._fit()
        self.changed.emit()


def _name(sides: ThreeWay, place: Place) -> str:
    """The path in words: an element by what it says, as ids say nothing."""
    names = []
    for at in range(1, len(place) + 1):
        found = (value_at(each, place[:at]) for each in (sides.mine, sides.theirs, sides.base))
        value = next((each for each in found if each is not None), None)
        is_element = isinstance(value, ListItem | LogEntry | TreeNode | FieldEntry)
        names.append(one_line(_first(value), 40) if is_element else place[at - 1])
    return " / ".join(names)


def _first(value: Found) -> str:
    """An element by its first words."""
    fields = value.fields if isinstance(value, LogEntry) else getattr(value, "value", None)
    if isinstance(fields, Mapping):
        return next((each for each in fields.values() if isinstance(each, str)), _listed(fields))
    return _shown(value)


def _shown(value: Found) -> str:
    match value:
        case None:
            return tr("(none)")
        case TextContent(text=text):
            return text
        case ListItem(value=inside) | TreeNode(value=inside):
            return inside if isinstance(inside, str) else _listed(inside)
        case LogEntry(fields=fields):
            return _listed(fields)
        case FieldEntry(value=scalar):
            return str(scalar)
        case tuple():
            return ", ".join(str(each.value) for each in value)
        case bool():
            return tr("yes") if value else tr("no")
    return str(value)


def _listed(fields: Mapping[str, object]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in fields.items())
