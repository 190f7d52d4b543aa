"""A dialog of the window that lists the unsaved drafts and saves or discards one, some or all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import PlainLabel, column_tooltip, one_line, window_title
from inspector.ui.widgets.controls import EmptyState, arrange, button, field, name_help
from inspector.ui.wording import number, signed, tr, tr_count, with_unit

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NAME, _KIND, _AGENT, _CHANGE, _AGE, _DO = range(6)
_WIDTH, _HEIGHT, _SHARE = 110, 32, 0.92
_MEASURED_ROWS = 50
_MOST_BUTTONS = 50
"""Rows that get buttons of their own; keys and the buttons below work on every row."""


@dataclass(frozen=True, slots=True)
class ListedDraft:
    """One line: `change` is how many tokens more saving costs, None where nobody can tell."""

    key: Hashable
    name: str
    kind: str
    agent: str
    change: int | None
    exact: bool
    age: str


class DraftsDialog(QDialog):
    """The drafts with a check box each. Enter opens one, Ctrl+S saves it, Delete discards it.

    `open_asked` carries a key, `save_asked` keys and a reason, `discard_asked` keys. `raise_asked` carries the key of
    a draft that is too long for its block's limit, `chosen` that of the current row, None for none.
    """

    open_asked = Signal(object)
    save_asked = Signal(tuple, str)
    discard_asked = Signal(tuple)
    raise_asked = Signal(object)
    chosen = Signal(object)

    def __init__(self, parent: QWidget, appearance: Appearance) -> None:
        super().__init__(parent)
        name_help(self, "Unsaved drafts")
        self.setWindowTitle(window_title(tr("Unsaved drafts")))
        self._appearance = appearance
        self._drafts: dict[Hashable, ListedDraft] = {}
        self._unchecked: set[Hashable] = set()
        self._refused: dict[Hashable, tuple[str, int | None]] = {}
        self._busy, self._why_not = False, ""
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self.rows = _DraftTree(self)
        self._empty = EmptyState(
            tr("No unsaved drafts"), tr("What you edit and haven't saved yet is listed here.")
        )
        self._sum = PlainLabel("", tone="muted")
        self._remark = PlainLabel("", tone="warning", wrap=True)
        self.reason_field = field(tr("Reason (optional)"))
        self.save_button = button("", self.save_checked, role="primary")
        self.discard_button = button("", self.discard_checked)
        self._parts = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        self._lay_out()
        self.rows.currentItemChanged.connect(lambda *_: self.chosen.emit(self.rows.key))
        self.rows.itemChanged.connect(self._note_check)
        self.reason_field.returnPressed.connect(self.save_checked)
        # A row keeps the colours and the height that it was made with.
        appearance.changed.connect(lambda: self._fill(self.rows.key))

    @property
    def checked(self) -> tuple[Hashable, ...]:
        """The keys of the drafts that are checked."""
        return tuple(key for key in self._drafts if key not in self._unchecked)

    @property
    def current(self) -> Hashable | None:
        """The key of the current row, None for none."""
        return self.rows.key

    @property
    def has_refusals(self) -> bool:
        """Whether a draft that is listed was not saved."""
        return bool(set(self._refused) & set(self._drafts))

    def show_drafts(self, drafts: Sequence[ListedDraft], why_not: str = "") -> None:
        """List these drafts; `why_not` says why nothing can be saved."""
        current = self.rows.key
        are_listed = [each.key for each in drafts] == list(self._drafts) and why_not == self._why_not
        self._why_not = why_not
        self._drafts = {each.key: each for each in drafts}
        self._unchecked &= set(self._drafts)
        if are_listed:
            self._refresh()
        else:
            self._fill(current)
        self._tell()

    def show_refusals(self, refused: Sequence[tuple[Hashable, str, int | None]]) -> None:
        """Say below each draft why it was not saved, and offer the limit of characters that would do."""
        self._refused = {key: (why, limit) for key, why, limit in refused}
        self._fill(refused[0][0] if refused else self.rows.key)
        self.rows.show_current()
        self._tell()

    def set_busy(self, *, busy: bool) -> None:
        """Whether a save is on its way."""
        self._busy = busy
        self._tell()

    def save_checked(self) -> None:
        if self.save_button.isEnabled():
            self.save_asked.emit(self.checked, self.reason_field.text().strip())

    def discard_checked(self) -> None:
        if self.discard_button.isEnabled():
            self.discard_asked.emit(self.checked)

    def save_one(self, key: Hashable) -> None:
        if key in self._drafts and not self._busy and not self._why_not:
            self.save_asked.emit((key,), self.reason_field.text().strip())

    def discard_one(self, key: Hashable) -> None:
        if key in self._drafts and not self._busy:
            self.discard_asked.emit((key,))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Save all checked drafts by Ctrl+Return."""
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.save_checked()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.rows.setFocus(Qt.FocusReason.PopupFocusReason)

    def _lay_out(self) -> None:
        foot, buttons, space = QVBoxLayout(), QHBoxLayout(), self._appearance.space
        close = button(tr("Close"), self.reject)
        arrange(buttons, self.discard_button, None, close, self.save_button, spacing=space(2))
        arrange(foot, self._remark, self._sum, self.reason_field, buttons, spacing=space(2))
        foot.setContentsMargins(space(4), space(2), space(4), space(4))
        self._parts.addWidget(self.rows)
        arrange(QVBoxLayout(self), self._parts, self._empty, foot)

    def show_below(self, widget: QWidget) -> None:
        """Show below the rows what of the current one is changed; it is hidden while there is nothing to show."""
        self._parts.addWidget(widget)
        widget.hide()

    def _fill(self, current: Hashable | None) -> None:
        self.rows.blockSignals(True)
        self.rows.clear()
        # With columns that follow their contents, each row that is added would have all of them measured again.
        self.rows.fix_columns(fixed=True)
        items = [self._item(draft) for draft in self._drafts.values()]
        self.rows.addTopLevelItems(items)
        width = 0
        for at, (draft, item) in enumerate(zip(self._drafts.values(), items, strict=True)):
            if at < _MOST_BUTTONS:
                buttons = self._buttons(draft)
                self.rows.setItemWidget(item, _DO, buttons)
                width = max(width, buttons.sizeHint().width())
            why, _ = self._refused.get(draft.key, ("", None))
            if why:
                line = QTreeWidgetItem([f"      ⚠ {one_line(why)}"])
                column_tooltip(line, _NAME, why)
                line.setFlags(Qt.ItemFlag.ItemIsEnabled)
                line.setForeground(_NAME, self._appearance.theme.warning)
                line.setSizeHint(_NAME, QSize(0, self._appearance.row_height()))
                item.addChild(line)
                line.setFirstColumnSpanned(True)
                item.setExpanded(True)
        self.rows.fix_columns(fixed=False)
        self.rows.blockSignals(False)
        self.rows.setColumnWidth(_DO, width + self._appearance.space(3))
        self.rows.go_to(current)

    def _refresh(self) -> None:
        """Say the figures of the same drafts anew; rows, buttons and the keyboard stay where they are."""
        self.rows.blockSignals(True)
        for at, draft in enumerate(self._drafts.values()):
            item = self.rows.topLevelItem(at)
            for column, text in enumerate(_texts(draft)):
                if item is not None and item.text(column) != text:
                    item.setText(column, text)
        self.rows.blockSignals(False)
        self.rows.viewport().update()

    def _item(self, draft: ListedDraft) -> QTreeWidgetItem:
        texts = _texts(draft)
        item = QTreeWidgetItem(list(texts))
        item.setData(_NAME, Qt.ItemDataRole.UserRole, draft.key)
        column_tooltip(item, _NAME, draft.name)
        item.setTextAlignment(_CHANGE, _RIGHT)
        item.setTextAlignment(_AGE, _RIGHT)
        item.setCheckState(
            _NAME, Qt.CheckState.Unchecked if draft.key in self._unchecked else Qt.CheckState.Checked
        )
        spoken = ", ".join(each for each in (*texts[:3], with_unit(texts[_CHANGE] or "?")) if each)
        item.setData(_NAME, Qt.ItemDataRole.AccessibleTextRole, one_line(spoken))
        item.setSizeHint(_NAME, QSize(0, self._appearance.row_height() + self._appearance.space(2)))
        return item

    def _buttons(self, draft: ListedDraft) -> QWidget:
        made, key, name = QWidget(), draft.key, one_line(draft.name, 40)
        _, limit = self._refused.get(key, ("", None))
        save: tuple[str, str, Callable[[], None], bool]
        save = tr("Save"), tr("Save {name}", name=name), lambda: self.save_one(key), not self._why_not
        if limit is not None:
            text = tr("Raise limit to {limit}", limit=number(limit))
            spoken = tr("Raise limit of {name} to {limit}", name=name, limit=number(limit))
            save = text, spoken, lambda: self.raise_asked.emit(key), not self._why_not
        rows: tuple[tuple[str, str, Callable[[], None], bool], ...] = (
            (tr("Open"), tr("Open {name}", name=name), lambda: self.open_asked.emit(key), True),
            save,
            (tr("Discard"), tr("Discard {name}", name=name), lambda: self.discard_one(key), True),
        )
        row = QHBoxLayout(made)
        arrange(row, spacing=4)
        for text, spoken, run, can in rows:
            each = button(text, run, role="link", size="small")
            each.setAccessibleName(spoken)
            each.setEnabled(can)
            row.addWidget(each)
        return made

    def _note_check(self, item: QTreeWidgetItem, column: int) -> None:
        key = item.data(_NAME, Qt.ItemDataRole.UserRole)
        if column == _NAME and key in self._drafts:
            is_on = item.checkState(_NAME) is Qt.CheckState.Checked
            (self._unchecked.discard if is_on else self._unchecked.add)(key)
            self._tell()

    def _tell(self) -> None:
        checked = [self._drafts[key] for key in self.checked]
        total = sum(each.change or 0 for each in checked)
        change = signed(total, is_exact=all(each.exact for each in checked)) or "0"
        words = tr("{checked} of {all} selected", checked=number(len(checked)), all=number(len(self._drafts)))
        self._sum.setText(tr("{words} · {total}", words=words, total=with_unit(change)))
        save = tr_count("Save {count} draft", "Save {count} drafts", len(checked))
        discard = tr_count("Discard {count} draft", "Discard {count} drafts", len(checked))
        for each, text in ((self.save_button, save), (self.discard_button, discard)):
            each.setText(text)
            each.setAccessibleName(text)
        self.save_button.setEnabled(bool(checked) and not self._busy and not self._why_not)
        self.discard_button.setEnabled(bool(checked) and not self._busy)
        fix = tr("Nothing was saved. Fix or deselect what is marked, then save again.")
        remark = fix if self.has_refusals else ""
        self._remark.setText(self._why_not or remark)
        self._remark.setVisible(bool(self._why_not or remark))
        for widget in (self._parts, self._sum, self.reason_field, self.save_button, self.discard_button):
            widget.setVisible(bool(self._drafts))
        self._empty.setVisible(not self._drafts)


def _texts(draft: ListedDraft) -> tuple[str, ...]:
    change = "" if draft.change is None else signed(draft.change, is_exact=draft.exact) or "0"
    return tuple(one_line(each) for each in (draft.name, draft.kind, draft.agent, change, draft.age))


class _DraftTree(QTreeWidget):
    """The rows; its keys do what the buttons of the current row do."""

    def __init__(self, dialog: DraftsDialog) -> None:
        super().__init__()
        self._dialog = dialog
        self.setAccessibleName(tr("Unsaved drafts"))
        self.setHeaderLabels([tr("Draft"), tr("Kind"), tr("Agent"), tr("Tokens"), tr("Edited"), ""])
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setIndentation(0)
        self.setAllColumnsShowFocus(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setFrameShape(QAbstractItemView.Shape.NoFrame)
        self.headerItem().setTextAlignment(_CHANGE, _RIGHT)
        self.headerItem().setTextAlignment(_AGE, _RIGHT)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setResizeContentsPrecision(_MEASURED_ROWS)
        self.fix_columns(fixed=False)
        self.itemDoubleClicked.connect(lambda *_: self._open())

    def fix_columns(self, *, fixed: bool) -> None:
        """Have columns follow their contents, or keep their widths while rows are put in."""
        modes, header = QHeaderView.ResizeMode, self.header()
        for column in (_KIND, _AGENT, _CHANGE, _AGE):
            header.setSectionResizeMode(column, modes.Fixed if fixed else modes.ResizeToContents)
        header.setSectionResizeMode(_NAME, modes.Stretch)
        header.setSectionResizeMode(_DO, modes.Fixed)

    @property
    def key(self) -> Hashable | None:
        """The key of the current draft."""
        item = self.currentItem()
        found: Hashable | None = None if item is None else item.data(_NAME, Qt.ItemDataRole.UserRole)
        return found

    def go_to(self, key: Hashable | None) -> None:
        """Choose a draft's row, else the first one."""
        items = [
            item for at in range(self.topLevelItemCount()) if (item := self.topLevelItem(at)) is not None
        ]
        found = (item for item in items if item.data(_NAME, Qt.ItemDataRole.UserRole) == key)
        chosen = next(found, items[0] if items else None)
        if chosen is not None:
            self.setCurrentItem(chosen)

    def show_current(self) -> None:
        """Have the current row in sight, and why it was refused, which stands below it."""
        current = self.currentItem()
        line = None if current is None else current.child(0)
        if line is not None:
            self.scrollToItem(line)
        if current is not None:
            self.scrollToItem(current)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_current()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, item = self.key, self.currentItem()
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if key is None or item is None:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Space:
            is_on = item.checkState(_NAME) is Qt.CheckState.Checked
            item.setCheckState(_NAME, Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not control:
            self._open()
        elif event.key() == Qt.Key.Key_S and control:
            self._dialog.save_one(key)
        elif event.key() == Qt.Key.Key_Delete:
            self._dialog.discard_one(key)
        else:
            super().keyPressEvent(event)

    def _open(self) -> None:
        if self.key is not None:
            self._dialog.open_asked.emit(self.key)
