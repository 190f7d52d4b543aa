"""The line below a block's text: how many of its tokens the Request has, and where the cursor is."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from inspector.ui.appearance import Appearance
from inspector.ui.editors.shadow import hidden_name
from inspector.ui.editors.text import TextEditor
from inspector.ui.safe_text import ElidedLabel, safe_tooltip
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.wording import number, tr, tr_count


class TextFoot(QFrame):
    """Follows an editor's cursor. `asked` tells that another line is wanted."""

    asked = Signal()

    def __init__(self, editor: TextEditor, appearance: Appearance) -> None:
        super().__init__()
        self._editor, self._appearance = editor, appearance
        self.setProperty("role", "dock_title")
        self._note = ElidedLabel("", tone="muted", size="small")
        self._selected = ElidedLabel("", tone="muted", size="small")
        self._place = button("", self.asked.emit, role="flat", size="small")
        safe_tooltip(self._place, tr("Go to line …"))
        self._row = QHBoxLayout(self)
        arrange(self._row, self._note, self._selected, self._place)
        self._row.setStretch(0, 1)
        editor.cursorPositionChanged.connect(self._tell)
        editor.selectionChanged.connect(self._tell)
        appearance.changed.connect(self._measure)
        self._measure()
        self._tell()

    @property
    def place(self) -> str:
        return self._place.text()

    @property
    def selected(self) -> str:
        return self._selected.original

    @property
    def note(self) -> str:
        return self._note.original

    def say(self, text: str) -> None:
        """Say something about the text as a whole."""
        if text != self._note.original:
            self._note.setText(text)

    def _tell(self) -> None:
        line, column = self._editor.cursor_place()
        text = tr("Line {line}, column {column}", line=number(line), column=number(column))
        if text != self._place.text():
            self._place.setText(text)
            self._place.setAccessibleName(tr("{place}: go to line", place=text))
        start, end = self._editor.selected_range()
        lines = self._editor.text.count("\n", start, end) + 1
        parts = [tr_count("{count} character selected", "{count} characters selected", end - start)]
        if lines > 1:
            parts.append(tr_count("{count} line", "{count} lines", lines))
        said = ", ".join(parts) if start != end else self._hidden_at(start)
        if said != self._selected.original:
            self._selected.setText(said)

    def _hidden_at(self, place: int) -> str:
        """What a mark stands for that the cursor is before, else behind."""
        text = self._editor.text
        around = (text[place : place + 1], text[max(0, place - 1) : place])
        return next((name for name in map(hidden_name, filter(None, around)) if name), "")

    def _measure(self) -> None:
        space = self._appearance.space
        self._row.setContentsMargins(space(3), 0, space(2), 0)
        self._row.setSpacing(space(4))
