"""Shows the base, both versions and the merged text of a draft; the merged one is edited, conflict by conflict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from inspector.domain.content import TextContent
from inspector.domain.edits.text import Splice
from inspector.domain.history import ThreeWay
from inspector.domain.resolution import Choice, Segment, text_segments
from inspector.domain.splices import between, changed_stretch
from inspector.ui.appearance import Appearance
from inspector.ui.editors.text import TextEditor
from inspector.ui.safe_text import ElidedLabel
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import tr

_PANE_SHARE = (1, 1)
_LINES_ABOVE = 1
"""Lines that stand above a change in every pane, where there are some."""

Stretches = list[tuple[int, int]]
"""From where to where, in code points."""


class _Stop:
    """One change in the merged text, from `start` to `end`; a conflict is decided by a choice or by typing."""

    def __init__(self, at: int, segment: Segment, start: int) -> None:
        self.at = at
        self.segment = segment
        self.words = _words_of(segment)
        self.start = start
        self.end = start + len(segment.text(Choice.MINE))
        self.is_decided = not segment.is_conflict

    def follow(self, start: int, delete: int, insert: int) -> None:
        """Take over a change of the text; one inside of it decides it."""
        if start + delete < self.start or (start + delete == self.start and self.end > self.start):
            self.start += insert - delete
            self.end += insert - delete
        elif start <= self.end:
            self.start, self.end = min(self.start, start), max(self.end, start + delete) + insert - delete
            self.is_decided = True


class TextReview(QWidget):
    """Three panes to read above the merged text. `changed` tells of another choice, text or place."""

    changed = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.base, self.theirs, self.mine = (_pane(appearance, name) for name in _names())
        self.merged = TextEditor(appearance)
        self.merged.setAccessibleName(tr("Merged text"))
        self._their_title = ElidedLabel("", tone="muted", size="small")
        self._segments: tuple[Segment, ...] = ()
        self._stops: list[_Stop] = []
        self._changes: list[_Stop] = []
        self._current = 0
        self._text = self._first = ""
        """The merged text now, and as it was before anything was decided."""
        self._choosing = False
        self._is_placed = True
        self._lay_out(appearance)
        self.merged.edited.connect(self._follow)
        appearance.changed.connect(self._mark_panes)

    @property
    def content(self) -> TextContent:
        return TextContent(self.merged.text)

    @property
    def count(self) -> int:
        """How many conflicts there are, else how many changes."""
        return len(self._stops)

    @property
    def current(self) -> int:
        return self._current

    @property
    def conflicts(self) -> int:
        return sum(each.segment.is_conflict for each in self._stops)

    @property
    def undecided(self) -> int:
        return sum(not each.is_decided for each in self._stops)

    @property
    def is_touched(self) -> bool:
        """Whether a person decided or typed anything."""
        decided = any(each.segment.is_conflict and each.is_decided for each in self._stops)
        return decided or self.merged.operation() is not None

    @property
    def has_both(self) -> bool:
        """Whether both sides can stand at the current place."""
        return True

    def first_focus(self) -> QWidget:
        return self.merged

    def show_sides(self, sides: ThreeWay, name: str) -> None:
        """Show all sides; `name` is whoever wrote the other version."""
        self._their_title.setText(tr("{name}'s version", name=name))
        self._segments = text_segments(sides)
        texts = [
            each.text for each in (sides.base, sides.theirs, sides.mine) if isinstance(each, TextContent)
        ]
        for pane, text in zip((self.base, self.theirs, self.mine), texts, strict=False):
            pane.load(text)
        self._text = self._first = "".join(each.text(Choice.MINE) for each in self._segments)
        self.merged.load(self._text)
        self._begin()
        self.go_to(0)
        self._is_placed = False
        self._place_soon()

    def _begin(self) -> None:
        """Find the places of the changes in the merged text as it is at first, nothing decided."""
        starts = list(accumulate((len(each.text(Choice.MINE)) for each in self._segments), initial=0))
        stops = [_Stop(at, each, starts[at]) for at, each in enumerate(self._segments) if _is_change(each)]
        self._stops = [each for each in stops if each.segment.is_conflict] or stops
        self._changes = stops
        self._mark_panes()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place_soon()

    def go_to(self, stop: int) -> None:
        """Bring a change into sight in every pane."""
        if not self._stops:
            self.changed.emit()
            return
        self._current = stop % len(self._stops)
        found = self._stops[self._current]
        # From the end: the cursor is what comes into sight, and what is read begins at the beginning.
        lines = []
        for pane, texts, words in zip(self._panes, self._texts(), found.words, strict=True):
            start = sum(map(len, texts[: found.at]))
            pane.select_range(start, start)
            lines.append(_cursor_line(pane))
            pane.select_range(start + words[-1][1], start + words[0][0])
        self._align(lines)
        self.merged.select_range(found.end, found.start)
        self.changed.emit()

    def choose(self, choice: Choice) -> None:
        """Put a side, or both, at the current place, as one step that can be undone."""
        if self._stops:
            self._put(self._stops[self._current], choice)
            self.changed.emit()

    def choose_all(self, choice: Choice) -> None:
        for each in self._stops:
            self._put(each, choice)
        self.changed.emit()

    @property
    def place(self) -> str:
        """Where the current change is, in words."""
        if not self._stops:
            return ""
        line = self.merged.text.count("\n", 0, self._stops[self._current].start) + 1
        return tr("line {line}", line=line)

    @property
    def is_current_decided(self) -> bool:
        return not self._stops or self._stops[self._current].is_decided

    def _place_soon(self) -> None:
        """Only panes that are laid out can be scrolled to the first change; where one is later is for the person."""
        if not self._is_placed and self.isVisible():
            self._is_placed = True
            QTimer.singleShot(0, self, lambda: self.go_to(self._current))

    @property
    def _panes(self) -> tuple[TextEditor, ...]:
        return self.base, self.theirs, self.mine

    def _align(self, lines: Sequence[int]) -> None:
        """Have these lines at one height in all panes, as far as they scroll and the cursors stay in sight."""
        ends = [pane.verticalScrollBar().maximum() for pane in self._panes]
        above = max(min(_LINES_ABOVE, *lines), *(line - end for line, end in zip(lines, ends, strict=True)))
        for pane, line in zip(self._panes, lines, strict=True):
            pane.verticalScrollBar().setValue(line - above)
            pane.ensureCursorVisible()

    def _texts(self) -> tuple[list[str], ...]:
        found = self._segments
        return [each.base for each in found], [each.theirs for each in found], [each.mine for each in found]

    def _put(self, stop: _Stop, choice: Choice) -> None:
        before, text = stop.end - stop.start, stop.segment.text(choice)
        self._choosing = True
        try:
            self.merged.replace_range(stop.start, before, text)
        finally:
            self._choosing = False
        self._text = self.merged.text
        for each in self._stops:
            if each.start > stop.start:
                each.start += len(text) - before
                each.end += len(text) - before
        stop.end, stop.is_decided = stop.start + len(text), True
        self._mark()

    def _follow(self) -> None:
        """Keep the places of the changes while the text is typed in."""
        if self._choosing:
            return
        before, self._text = self._text, self.merged.text
        if self._text == self._first:
            # All is undone: nothing is decided any more.
            self._begin()
            self.changed.emit()
            return
        for each in changed_stretch(before, self._text):
            for stop in self._stops:
                stop.follow(each.start, each.delete, len(each.insert))
        self._mark()
        self.changed.emit()

    def _mark(self) -> None:
        self.merged.mark_found([(each.start, each.end) for each in self._stops])

    def _mark_panes(self) -> None:
        for side, (pane, texts) in enumerate(zip(self._panes, self._texts(), strict=True)):
            starts = list(accumulate(map(len, texts), initial=0))
            pane.mark_found(
                [
                    (starts[each.at] + first, starts[each.at] + last)
                    for each in self._changes
                    for first, last in each.words[side]
                ]
            )
        self._mark()

    def _lay_out(self, appearance: Appearance) -> None:
        titles = _titles()
        sides, both = QSplitter(Qt.Orientation.Horizontal), QSplitter(Qt.Orientation.Vertical)
        heads = (
            ElidedLabel(titles[0], tone="muted", size="small"),
            self._their_title,
            ElidedLabel(titles[1], tone="muted", size="small"),
        )
        for head, pane in zip(heads, self._panes, strict=True):
            sides.addWidget(_titled(head, pane, appearance))
        both.addWidget(sides)
        merged_title = ElidedLabel(
            tr("Merged: this is what Save stores. You can edit it."), strong=True, size="small"
        )
        both.addWidget(_titled(merged_title, self.merged, appearance))
        for splitter in (sides, both):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        for at, share in enumerate(_PANE_SHARE):
            both.setStretchFactor(at, share)
        arrange(QHBoxLayout(self), both)


def _cursor_line(pane: TextEditor) -> int:
    """The line, as they are wrapped, in which the cursor stands."""
    cursor = pane.textCursor()
    line = cursor.block().layout().lineForTextPosition(cursor.positionInBlock())
    return cursor.block().firstLineNumber() + (line.lineNumber() if line.isValid() else 0)


def _is_change(segment: Segment) -> bool:
    return segment.is_conflict or not segment.base == segment.theirs == segment.mine


def _words_of(segment: Segment) -> tuple[Stretches, Stretches, Stretches]:
    """Where words of a segment differ: before, in theirs and in mine; all of it where none stands there."""
    base = segment.base
    theirs, mine = between(base, segment.theirs), between(base, segment.mine)
    before = sorted((each.start, each.start + each.delete) for each in (*theirs, *mine))
    return (
        _apart(before) or [(0, len(base))],
        _new_in(theirs) or [(0, len(segment.theirs))],
        _new_in(mine) or [(0, len(segment.mine))],
    )


def _new_in(splices: Iterable[Splice]) -> Stretches:
    """Where what was put in stands in the text after an edit."""
    found, moved = [], 0
    for each in splices:
        start = each.start + moved
        found.append((start, start + len(each.insert)))
        moved += len(each.insert) - each.delete
    return _apart(found)


def _apart(stretches: Iterable[tuple[int, int]]) -> Stretches:
    """Ascending stretches without the empty ones, those that touch as one."""
    found: Stretches = []
    for start, end in stretches:
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        elif start < end:
            found.append((start, end))
    return found


def _names() -> tuple[str, str, str]:
    return tr("The text before both changes"), tr("The other version"), tr("Your draft")


def _titles() -> tuple[str, str]:
    return tr("Before"), tr("Your draft")


def _pane(appearance: Appearance, name: str) -> TextEditor:
    made = TextEditor(appearance)
    made.setReadOnly(True)
    made.setAccessibleName(name)
    return made


def _titled(title: QWidget, page: QWidget, appearance: Appearance) -> QWidget:
    made = QWidget()
    title.setContentsMargins(
        appearance.space(3), appearance.space(1), appearance.space(3), appearance.space(1)
    )
    arrange(QVBoxLayout(made), title, page)
    return made
