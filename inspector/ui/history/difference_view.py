"""Shows how a version of a block differs from another, inline or side by side, hunk by hunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QWidget

from inspector.domain.differences.hunks import splices_back
from inspector.domain.differences.texts import ChangedRange
from inspector.domain.edits.text import Splice
from inspector.domain.history import VersionComparison
from inspector.ui.appearance import Appearance
from inspector.ui.editors.difference_pane import DifferencePane, SelectedRun, Stretch
from inspector.ui.presentation.difference import ShownDifference
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import tr

_LONG_LINE = 60
"""Characters of a line from which both sides are wrapped: half a window shows hardly more."""


class DifferenceView(QWidget):
    """Three panes, of which one or two are shown. `moved` tells of another hunk or selection.

    `names` are those of the panes for both in one column, for the earlier text and for the later one.
    """

    moved = Signal()

    def __init__(self, appearance: Appearance, names: tuple[str, str, str] | None = None) -> None:
        super().__init__()
        both, left, right = names or (
            tr("Difference of two versions"),
            tr("The chosen version"),
            tr("The version it is compared with"),
        )
        self.inline = DifferencePane(appearance, both)
        self.left = DifferencePane(appearance, left)
        self.right = DifferencePane(appearance, right)
        self._shown: ShownDifference | None = None
        self._wraps = self._is_scrolling = False
        sides = QWidget()
        arrange(QHBoxLayout(sides), self.left, self.right, spacing=1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.inline)
        self._stack.addWidget(sides)
        self._wrap_sides(wraps=False)
        for one, other in ((self.left, self.right), (self.right, self.left)):
            one.verticalScrollBar().valueChanged.connect(partial(self._scroll_other, one, other))
            one.horizontalScrollBar().valueChanged.connect(other.horizontalScrollBar().setValue)
        for pane in self.panes:
            pane.cursorPositionChanged.connect(self.moved)
            pane.selectionChanged.connect(self.moved)

    def _wrap_sides(self, *, wraps: bool) -> None:
        """Wrap the lines of both sides, as long ones need it. Then only the topmost stand beside each other."""
        self._wraps = wraps
        for pane in (self.left, self.right):
            pane.wrap(wraps=wraps)

    def _scroll_other(self, one: DifferencePane, other: DifferencePane, value: int) -> None:
        """Let the other side go along, so that the same line is the topmost of both."""
        if self._is_scrolling:
            return
        self._is_scrolling = True
        try:
            other.verticalScrollBar().setValue(other.row_beside(one) if self._wraps else value)
        finally:
            self._is_scrolling = False

    @property
    def panes(self) -> tuple[DifferencePane, ...]:
        return self.inline, self.left, self.right

    @property
    def comparison(self) -> VersionComparison | None:
        return None if self._shown is None else self._shown.comparison

    @property
    def is_beside(self) -> bool:
        return self._stack.currentIndex() == 1

    @property
    def pane(self) -> DifferencePane:
        """The pane that is worked in."""
        if not self.is_beside:
            return self.inline
        return self.right if self.right.hasFocus() else self.left

    def show_difference(self, shown: ShownDifference) -> None:
        """Show a difference, from its first hunk if it is of another version."""
        was, self._shown = self.comparison, shown
        if shown.comparison != was:
            self._fill()
            if was is None or was.before_version != shown.comparison.before_version:
                self.go_to(0)

    def set_beside(self, *, beside: bool) -> None:
        """Show both versions beside each other, or one column."""
        if beside != self.is_beside:
            hunk = self.hunk
            self._stack.setCurrentIndex(1 if beside else 0)
            self._fill()
            self.go_to(hunk)

    def show_spaces(self, *, shown: bool) -> None:
        """Show a mark for every space, or none."""
        for pane in self.panes:
            pane.show_spaces(shown=shown)

    @property
    def hunk(self) -> int:
        return self.pane.hunk or 0

    def go_to(self, hunk: int) -> None:
        """Bring a hunk into sight, if there are as many."""
        count = 0 if self.comparison is None else len(self.comparison.hunks)
        if 0 <= hunk < count:
            for pane in (self.left, self.right) if self.is_beside else (self.inline,):
                pane.go_to_hunk(hunk)
            self.moved.emit()

    def hunk_back(self) -> tuple[Splice, ...]:
        """The edit that gives the hunk at the cursor what stood there in the chosen version."""
        found = self._changed()
        here = [stretch for (place, _), stretch in found.items() if place == self.hunk]
        return () if self.comparison is None else splices_back(self.comparison.before, here)

    def selection_back(self) -> tuple[Splice, ...]:
        """The edit that gives what is selected what stood there in the chosen version."""
        comparison, runs = self.comparison, dict[Stretch, list[SelectedRun]]()
        for run in self.pane.selected_runs():
            runs.setdefault(run.stretch, []).append(run)
        if comparison is None:
            return ()
        changed = self._changed()
        wanted = [_part_of(changed[key], chosen, comparison) for key, chosen in sorted(runs.items())]
        return splices_back(comparison.before, wanted)

    def _changed(self) -> dict[Stretch, ChangedRange]:
        """All changed stretches, in their order."""
        hunks = () if self.comparison is None else self.comparison.hunks
        return {
            (place, at): stretch
            for place, measured in enumerate(hunks)
            for at, stretch in enumerate(measured.hunk.stretches)
        }

    def _fill(self) -> None:
        if self._shown is None:
            return
        if self.is_beside:
            lines = (*self._shown.left, *self._shown.right)
            self._wrap_sides(wraps=any(each.length > _LONG_LINE for each in lines))
            self.left.show_lines(self._shown.left)
            self.right.show_lines(self._shown.right)
        else:
            self.inline.show_lines(self._shown.inline)


def _part_of(stretch: ChangedRange, runs: Sequence[SelectedRun], compared: VersionComparison) -> ChangedRange:
    """What is selected of a changed stretch. Where other words stand in its place, it is changed back as a whole."""
    spans = [each.span for each in runs if each.span is not None]
    removed = compared.before[stretch.before_start : stretch.before_end]
    added = compared.after[stretch.after_start : stretch.after_end]
    if len(spans) < len(runs) or (removed and added):
        return stretch
    text, first, last = removed or added, min(start for start, _ in spans), max(end for _, end in spans)
    # What parts a word from the next one goes with it, and the end of a line, which isn't shown, with the whole line.
    whole, at = (compared.before, stretch.before_start) if removed else (compared.after, stretch.after_start)
    last += len(text[last:]) - len(text[last:].lstrip(" \t"))
    begins_line = at + first == 0 or whole[at + first - 1] in "\r\n"
    behind = whole[at + last : at + last + 2]
    if begins_line and (not behind or behind[0] in "\r\n"):
        if text[0] in "\r\n":
            # Its lines come each with the end of the one before.
            first -= 2 if text[:first].endswith("\r\n") else min(first, 1)
        elif last < len(text):
            last += 2 if behind == "\r\n" else 1
    if removed:
        return replace(
            stretch, before_start=stretch.before_start + first, before_end=stretch.before_start + last
        )
    return replace(stretch, after_start=stretch.after_start + first, after_end=stretch.after_start + last)
