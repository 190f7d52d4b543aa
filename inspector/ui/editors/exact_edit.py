"""The text widget that keeps every character: what a person does in it becomes exact splices for the store."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.splices import between, changed_stretch, common_ends, composed, joined, spliced, trimmed
from inspector.ui.editors.gradual_fill import GradualFill
from inspector.ui.editors.shadow import (
    ShadowText,
    Steps,
    TextReplacement,
    longer_lines,
    segmented,
    stand_in,
    units_in,
)

_LONG_LINE = 10_000
"""Characters from which a line is wrapped anywhere: looking for spaces takes time that grows with its square."""

_MOST_CHANGES = 60
"""Places of a text that are changed one by one: each of them is laid out by itself."""
_MOST_COMPARED = 100_000
"""Characters of a changed stretch that are compared by words, which takes time on the interface's thread."""


class ExactTextEdit(QPlainTextEdit):
    """Edits one text, of which the widget itself shows a stand-in.

    `edited` tells that a person changed it; `operation` says how it differs from its base. A very long text comes into
    sight slice by slice; until it is all there, nothing can be typed, and whoever selects or changes text waits for it.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shadow = ShadowText("")
        self._base = ""
        self._since_base: tuple[Splice, ...] = ()
        self._since_mark: tuple[Splice, ...] = ()
        self._steps = Steps()
        self._own_change = False
        self._raw: list[TextReplacement] = []
        self._fill = GradualFill(self._append_shown, self._end_filling, self)
        self._is_read_only = False
        # Qt's own undo would bring stand-ins back as typed text.
        self.setUndoRedoEnabled(False)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().contentsChange.connect(self._carry_over)
        self.textChanged.connect(self._stand_in_for_raw)

    @property
    def text(self) -> str:
        return self._shadow.text

    def setReadOnly(self, read_only: bool) -> None:
        """Let the text be changed or only read; while it is still coming it is read."""
        self._is_read_only = read_only
        super().setReadOnly(read_only or self._fill.is_running)

    def show_whole(self) -> None:
        """Have all of the text in the widget now."""
        self._fill.finish()

    @property
    def base_text(self) -> str:
        return self._base

    @property
    def steps(self) -> Steps:
        return self._steps

    def operation(self) -> SpliceText | None:
        """How the text differs from its base, None when it does not."""
        if self._shadow.text == self._base:
            return None
        splices = trimmed(self._since_base, self._base)
        return SpliceText(splices) if splices else None

    def load(self, base: str, splices: Sequence[Splice] = (), *, carries: bool = False) -> None:
        """Show a text, or with `splices` unsaved work on it.

        Cursor and scroll position stay at the text they are at; what can be undone stays while the text is the same.
        With `carries` it is the same text as somebody else has changed it, and steps that stand elsewhere stay too.
        """
        self._base = base
        self._since_base = joined(splices)
        self._since_mark = ()
        self._show(spliced(base, splices) if splices else base, carries=carries)

    def set_mark(self) -> None:
        self._since_mark = ()

    def splices_since_mark(self) -> tuple[Splice, ...]:
        """What was typed since the mark, counted in the text as it was then."""
        return self._since_mark

    def count_from_mark(self, marked: str) -> None:
        """Take the text that the mark was set on as the base."""
        self._base, self._since_base = marked, self._since_mark

    def undo_step(self) -> None:
        self.show_whole()
        if not self.isReadOnly():
            self._put(*self._steps.undo(), remember=False)

    def redo_step(self) -> None:
        self.show_whole()
        if not self.isReadOnly():
            self._put(*self._steps.redo(), remember=False)

    def forget_steps(self) -> None:
        """Let nothing of before be undone."""
        self._steps = Steps()

    def replace_range(self, start: int, delete: int, insert: str, *, goes_on: bool = False) -> None:
        """Replace a stretch, as a step of its own to undo, or with `goes_on` as a key that was typed."""
        if goes_on:
            self._put(self._change(start, delete, insert))
            return
        self._steps.pause()
        self._put(self._change(start, delete, insert))
        self._steps.pause()

    def replace_found(self, found: Sequence[tuple[int, int]], texts: Sequence[str]) -> int:
        """Replace stretches, in ascending order, by a text each, as one step; says how many there were."""
        self.show_whole()
        if self.isReadOnly() or not found:
            return 0
        first, last = found[0][0], found[-1][1]
        exact = tuple(
            Splice(start, end - start, text) for (start, end), text in zip(found, texts, strict=True)
        )
        inside = [Splice(each.start - first, each.delete, each.insert) for each in exact]
        changed = spliced(self._shadow.text[first:last], inside)
        self._steps.pause()
        self._put(self._change(first, last - first, changed), exact=exact)
        self._steps.pause()
        return len(found)

    def select_range(self, start: int, end: int) -> None:
        """Select code points and bring them into sight."""
        self.show_whole()
        cursor = self.textCursor()
        self._select(cursor, start, end)
        self.setTextCursor(cursor)
        self.centerCursor()

    def selected_range(self) -> tuple[int, int]:
        cursor = self.textCursor()
        return self._shadow.point_of(cursor.selectionStart()), self._shadow.point_of(cursor.selectionEnd())

    def selected_text(self) -> str:
        start, end = self.selected_range()
        return self._shadow.text[start:end]

    def _select(self, cursor: QTextCursor, start: int, end: int) -> None:
        cursor.setPosition(self._shadow.unit_of(start))
        cursor.setPosition(self._shadow.unit_of(end), QTextCursor.MoveMode.KeepAnchor)

    def _change(self, start: int, delete: int, insert: str) -> TextReplacement:
        return TextReplacement(start, self._shadow.text[start : start + delete], insert)

    def _show(self, text: str, *, carries: bool = False) -> None:
        old = self._shadow.text
        if text == old:
            return
        self.show_whole()
        changes = _changes(old, text) if old else ()
        self._own_change = True
        try:
            self._choose_wrapping(text)
            for each in reversed(changes):
                # Place by place, so that cursor and scroll position stay where they are in the text.
                self._insert_shown(self._change(each.start, each.delete, each.insert))
                self._shadow.replace(each.start, each.delete, each.insert)
            if not old:
                self._shadow = ShadowText(text)
                self.setPlainText(segmented(self._fill.begin(text)))
                self.setReadOnly(self._is_read_only)
        finally:
            self._own_change = False
        if carries and old:
            self._steps.carry(changes)
        else:
            self._steps = Steps()

    def _choose_wrapping(self, text: str) -> None:
        modes = QTextOption.WrapMode
        long = next(longer_lines(text, _LONG_LINE), None) is not None
        mode = modes.WrapAnywhere if long else modes.WrapAtWordBoundaryOrAnywhere
        if mode != self.wordWrapMode():
            self.setWordWrapMode(mode)

    def _append_shown(self, piece: str) -> None:
        """Show a further slice; the cursor stays where it is, also at the end of what was there."""
        cursor, here = QTextCursor(self.document()), self.textCursor()
        here.setKeepPositionOnInsert(True)
        self._own_change = True
        try:
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(segmented(piece))
        finally:
            self._own_change = False
        if here != self.textCursor():
            self.setTextCursor(here)

    def _end_filling(self) -> None:
        self.setReadOnly(self._is_read_only)

    def _insert_shown(self, change: TextReplacement) -> None:
        cursor = QTextCursor(self.document())
        self._select(cursor, change.start, change.start + len(change.removed))
        cursor.insertText(segmented(change.inserted))

    def _put(self, *changes: TextReplacement, remember: bool = True, exact: Sequence[Splice] = ()) -> None:
        """Make changes of our own: in the widget, in the true text, and in what is remembered of them."""
        changes = tuple(each for each in changes if each.removed != each.inserted)
        if not changes:
            return
        self.show_whole()
        for change in changes:
            self._own_change = True
            try:
                if len(change.inserted) > _LONG_LINE:
                    self._choose_wrapping(change.inserted)
                self._insert_shown(change)
            finally:
                self._own_change = False
            self._record(change, exact)
        if remember:
            self._steps.add(*changes)
        cursor = self.textCursor()
        cursor.setPosition(self._shadow.unit_of(changes[-1].start + len(changes[-1].inserted)))
        self.setTextCursor(cursor)
        self.edited.emit()

    def _record(self, change: TextReplacement, exact: Sequence[Splice] = ()) -> None:
        """Note a change of our own in the true text and in the operation."""
        self._shadow.replace(change.start, len(change.removed), change.inserted)
        self._note(exact or (Splice(change.start, len(change.removed), change.inserted),))

    def _note(self, splices: Sequence[Splice]) -> None:
        self._since_base = composed(self._since_base, splices)
        self._since_mark = composed(self._since_mark, splices)

    def _carry_over(self, unit: int, removed: int, added: int) -> None:
        """Carry what was typed into the widget over to the true text.

        Qt counts the document's last, invisible separator into a change that reaches it, and at times tells of
        more than was changed. What stood there before, as it was shown, is unchanged.
        """
        if self._own_change:
            return
        over = max(0, unit + removed - self._shadow.units)
        removed, added = removed - over, max(0, added - over)
        changed = self._take(unit, unit + removed, self._typed(unit, added))
        if self.document().characterCount() - 1 != self._shadow.units:
            # Half a character came alone: it cannot be read, and the other half then comes as a change of its own.
            changed |= self._take(0, self._shadow.units, self._typed(0, self.document().characterCount()))
        if changed:
            self.edited.emit()

    def _take(self, start: int, end: int, typed: str) -> bool:
        """Take over what now stands where something stood before. A break that is gone changes no text."""
        before = self._shadow.shown(start, end)
        if typed == before:
            return False
        first, last = common_ends(before, typed)
        change = self._shadow.replace_units(
            start + units_in(before[:first]),
            end - units_in(before[len(before) - last :]),
            typed[first : len(typed) - last],
        )
        if stand_in(change.inserted) != change.inserted:
            self._raw.append(change)
        if change.removed == change.inserted:
            return False
        self._note((Splice(change.start, len(change.removed), change.inserted),))
        self._steps.add(change)
        return True

    def _stand_in_for_raw(self) -> None:
        """Show the marks of what was typed and would not be seen, or would be lost, as it is."""
        raw, self._raw = self._raw, []
        for change in raw:
            self._own_change = True
            try:
                cursor = QTextCursor(self.document())
                self._select(cursor, change.start, change.start + len(change.inserted))
                cursor.insertText(stand_in(change.inserted))
            finally:
                self._own_change = False

    def _typed(self, unit: int, added: int) -> str:
        cursor = QTextCursor(self.document())
        cursor.setPosition(unit)
        end = min(unit + added, self.document().characterCount() - 1)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText().replace("\u2029", "\n").replace("\u2028", "\n")


def _changes(old: str, new: str) -> Sequence[Splice]:
    """What leads from one text to another: by words where they are few, else as one stretch."""
    stretch = changed_stretch(old, new)
    if sum(each.delete + len(each.insert) for each in stretch) > _MOST_COMPARED:
        return stretch
    found = between(old, new)
    return found if len(found) <= _MOST_CHANGES else stretch
