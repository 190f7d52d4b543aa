"""A widget with a read-only text that grows at its end while a reply streams in."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from inspector.domain.dataclass import dataclass
from inspector.domain.messages import Part, TextPart, ThinkingPart, ToolCallPart
from inspector.domain.replies import CallDelta, ReplyEvent, TextDelta, ThinkingDelta
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.safe_text import one_line, show_controls
from inspector.ui.wording import number, tr

MOST_SHOWN = 200_000
"""Characters of a reply that are shown; the record and a copy have all of it."""
_LONGEST_LINE = 4_000
"""A paragraph of more is laid out anew at each piece that comes, so it is shown in several."""
_GOES_ON = " ↩\n"


@dataclass(frozen=True, slots=True)
class StreamRemark:
    """A stretch that stands for itself: a heading and a text below it. `tone` is a purpose of the theme."""

    title: str
    text: str = ""
    tone: str = ""


Streamed = ReplyEvent | StreamRemark


class StreamText(QPlainTextEdit):
    """Text, thinking and tool calls, each in its tone. It stays where it was scrolled to unless that was the end."""

    def __init__(self, appearance: Appearance, name: str) -> None:
        super().__init__()
        self._appearance = appearance
        self._kind: object = None
        self._shown: list[Streamed] = []
        self._count = self._in_line = 0
        self._is_at_end = True
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setProperty("role", "page")
        self.setAccessibleName(name)
        appearance.changed.connect(self._dress)
        self.verticalScrollBar().valueChanged.connect(self._note_place)
        self.verticalScrollBar().rangeChanged.connect(self._stay_at_end)
        self._dress()

    def begin(self) -> None:
        """Show nothing, and take what comes from here on."""
        self.clear()
        self._kind, self._count, self._in_line = None, 0, 0
        self._shown = []
        self._is_at_end = True

    def take(self, events: Sequence[Streamed]) -> None:
        """Show events as they come in."""
        is_at_end = self._is_at_end
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if self._count < MOST_SHOWN:
            self._shown.extend(events)
        cursor.beginEditBlock()
        for kind, text in _stretches(events):
            self._head(cursor, kind)
            self._put(cursor, text, self._look(kind[0]))
        cursor.endEditBlock()
        if is_at_end:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _note_place(self, value: int) -> None:
        self._is_at_end = value >= self.verticalScrollBar().maximum() - 1

    def _stay_at_end(self, _least: int, most: int) -> None:
        # What appears beside or below the text makes it smaller while it grows.
        if self._is_at_end:
            self.verticalScrollBar().setValue(most)

    def add(self, text: str) -> None:
        """Show more text at the end."""
        self.take((TextDelta(text),))

    def _head(self, cursor: QTextCursor, kind: tuple[str, object]) -> None:
        """Begin another kind of content on a line of its own, under its name where it has one."""
        if kind == self._kind:
            return
        self._kind, self._in_line = kind, 0
        if self._count:
            cursor.insertText("\n\n", self._look("text"))
        if kind[0] == "thinking":
            cursor.insertText(tr("Thinking") + "\n", self._look("head"))
        elif kind[0] == "call":
            cursor.insertText(tr("Tool call") + "\n", self._look("head"))
        elif isinstance(kind[1], StreamRemark):
            title = show_controls(one_line(kind[1].title))
            self._count += len(title)
            look = self._look("head")
            if kind[1].tone:
                look.setForeground(self._look(kind[1].tone).foreground())
            cursor.insertText(title + "\n", look)

    def _put(self, cursor: QTextCursor, text: str, look: QTextCharFormat) -> None:
        room = MOST_SHOWN - self._count
        if room <= 0 or not text:
            return
        self._count += len(text)
        for line in show_controls(text[:room]).splitlines(keepends=True):
            rest = line
            while self._in_line + len(rest) > _LONGEST_LINE:
                part = rest[: max(1, _LONGEST_LINE - self._in_line)]
                cursor.insertText(part + _GOES_ON, look)
                rest, self._in_line = rest[len(part) :], 0
            cursor.insertText(rest, look)
            self._in_line = 0 if rest.endswith("\n") else self._in_line + len(rest)
        if len(text) > room:
            note = tr("Shown up to {count} characters. A copy has all of it.", count=number(MOST_SHOWN))
            cursor.insertText(f"\n\n{note}", self._look("head"))

    def _look(self, kind: str) -> QTextCharFormat:
        theme, look = self._appearance.theme, QTextCharFormat()
        colours = {
            "head": theme.muted,
            "thinking": theme.muted,
            "call": theme.accent,
            "warning": theme.warning,
            "error": theme.error,
        }
        look.setForeground(QColor(colours.get(kind, theme.text)))
        if kind == "head":
            look.setFontWeight(600)
        return look

    def _dress(self) -> None:
        self.setFont(self._appearance.font(TextSize.NORMAL, fixed=True))
        self.document().setDocumentMargin(self._appearance.space(2))
        if self._shown:
            # Its colours are those of the theme that it came in under.
            place, shown = self.verticalScrollBar().value(), self._shown
            self.begin()
            self.take(shown)
            self.verticalScrollBar().setValue(place)


def _stretches(events: Sequence[Streamed]) -> list[tuple[tuple[str, object], str]]:
    """What came in as texts by kind; neighbours of one kind are one."""
    found: list[tuple[tuple[str, object], list[str]]] = []
    for event in events:
        if isinstance(event, TextDelta):
            kind, text = ("text", 0), event.text
        elif isinstance(event, ThinkingDelta):
            kind, text = ("thinking", 0), event.text
        elif isinstance(event, CallDelta):
            name = f"{event.name} " if event.name else ""
            kind, text = ("call", event.index), f"{name}{event.arguments}"
        elif isinstance(event, StreamRemark):
            found.append((("remark", event), [event.text]))
            continue
        else:
            continue
        if not found or found[-1][0] != kind:
            found.append((kind, []))
        found[-1][1].append(text)
    return [(kind, "".join(texts)) for kind, texts in found]


def deltas_of(parts: Sequence[Part]) -> tuple[ReplyEvent, ...]:
    """The events in which a whole reply could have come."""
    events: list[ReplyEvent] = []
    for place, part in enumerate(parts):
        if isinstance(part, TextPart):
            events.append(TextDelta(part.text))
        elif isinstance(part, ThinkingPart):
            events.append(ThinkingDelta(part.text))
        elif isinstance(part, ToolCallPart):
            events.append(CallDelta(place, part.id, part.name, part.arguments))
    return tuple(events)
