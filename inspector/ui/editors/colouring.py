"""Colours the lines of an editor that are in sight, worked out away from the interface's thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextLayout

from inspector.runtime.pausing import in_pauses
from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.editors.colours import ColouredSpan, ColouredText, coloured
from inspector.ui.editors.text import TextEditor
from inspector.ui.wording import tr

_SCROLLED_MILLISECONDS, _TYPED_MILLISECONDS = 20, 150
_AROUND = 2_000
"""Characters around what is in sight that are coloured with it."""
_UNKNOWN = -1
_STATES = 2**31 - 1


class Colouring(QObject):
    """Keeps the lines in sight coloured. While somebody types, the colours of the line move with its words."""

    def __init__(self, editor: TextEditor, appearance: Appearance, bridge: Bridge) -> None:
        super().__init__(editor)
        self._editor, self._appearance, self._bridge = editor, appearance, bridge
        self._quiet: Sequence[tuple[int, int]] = ()
        self._last: ColouredText | None = None
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._begin)
        self._change: tuple[int, int, int] | None = None
        editor.document().contentsChange.connect(self._note)
        editor.textChanged.connect(self._follow)
        editor.sight_changed.connect(self._see)
        appearance.changed.connect(self._dress)

    def show_quiet(self, stretches: Sequence[tuple[int, int]]) -> None:
        """Show these stretches as what is not the text's own."""
        if stretches != self._quiet:
            self._quiet, self._last = stretches, None
            self._soon.start(0)

    def _see(self) -> None:
        if not self._soon.isActive():
            self._soon.start(_SCROLLED_MILLISECONDS)

    def _dress(self) -> None:
        self._last = None
        self._see()

    def _begin(self) -> None:
        """Colour what is in sight, unless that has been done."""
        editor, last = self._editor, self._last
        if not editor.isVisible() or not editor.text:
            return
        first, end = editor.points_in_sight()
        if last is not None and last.text is editor.text and last.start <= first and end <= last.end:
            self._apply(last)
            return
        first, end = max(0, first - _AROUND), min(len(editor.text), end + _AROUND)
        work = partial(coloured, editor.text, first, end, self._quiet)
        self._bridge.supersede(
            ("colours", self), in_pauses(work), name=tr("Colouring the text"), on_done=self._take
        )

    def _take(self, result: ColouredText) -> None:
        if result.text == self._editor.text:
            self._last = result
            self._apply(result)

    def _apply(self, result: ColouredText) -> None:
        at, spans, theme = 0, result.spans, self._appearance.theme.name
        for block, start in self._editor.blocks_in_sight():
            unit, end = block.position(), start + block.length()
            while at < len(spans) and spans[at].end <= start:
                at += 1
            own = tuple(_within(spans, at, start, end))
            state = hash((theme, tuple((each.start - start, each.end - start, each.token) for each in own)))
            state %= _STATES
            if block.userState() != state:
                block.setUserState(state)
                self._dress_block(block, [self._range(each, unit) for each in own])

    def _dress_block(self, block: QTextBlock, formats: list[QTextLayout.FormatRange]) -> None:
        if formats or block.layout().formats():
            block.layout().setFormats(formats)
            self._editor.document().markContentsDirty(block.position(), block.length())

    def _range(self, span: ColouredSpan, unit: int) -> QTextLayout.FormatRange:
        style = self._appearance.theme.code_style(span.token)
        look = QTextCharFormat()
        look.setForeground(style.colour)
        look.setFontWeight(700 if style.bold else 400)
        look.setFontItalic(style.italic)
        start = self._editor.unit_of(span.start) - unit
        made = QTextLayout.FormatRange()
        for name, value in (
            ("start", max(0, start)),
            ("length", self._editor.unit_of(span.end) - unit - max(0, start)),
            ("format", look),
        ):
            setattr(made, name, value)
        return made

    def _note(self, unit: int, removed: int, added: int) -> None:
        # Within this signal the document must not be touched.
        self._change = unit, removed, added

    def _follow(self) -> None:
        """Let the colours of a line go with its words, until it is coloured anew."""
        change, self._change = self._change, None
        if change is not None:
            self._move(*change)
        self._soon.start(_TYPED_MILLISECONDS)

    def _move(self, unit: int, removed: int, added: int) -> None:
        block = self._editor.document().findBlock(unit)
        formats = block.layout().formats() if block.isValid() else []
        if not formats or unit + added >= block.position() + block.length():
            return
        place, by = unit - block.position(), added - removed
        for each in formats:
            if each.start >= place + removed:
                each.start += by
            elif each.start + each.length >= place:
                each.length = max(0, each.length + by)
        block.setUserState(_UNKNOWN)
        self._dress_block(block, formats)


def _within(spans: Sequence[ColouredSpan], at: int, start: int, end: int) -> Iterator[ColouredSpan]:
    """The spans from a place on that a line has, cut to it."""
    while at < len(spans) and spans[at].start < end:
        each = spans[at]
        low, high = max(each.start, start), min(each.end, end)
        if low < high:
            yield ColouredSpan(low, high, each.token)
        at += 1
