"""Goes to the part of a content that was pointed at, in the editor that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QScrollArea, QWidget

from inspector.ui.editors.composite import CompositeEditor
from inspector.ui.editors.list import ListEditor
from inspector.ui.editors.log import LogEditor
from inspector.ui.editors.map import MapEditor
from inspector.ui.editors.section_text import SectionText
from inspector.ui.editors.text import TextEditor
from inspector.ui.editors.text_page import TextPage
from inspector.ui.editors.tree import TreeEditor


def show_part(view: QWidget, parts: Sequence[str], place: Callable[[str], int], length: int = 0) -> None:
    """Bring a part into sight and give it the keyboard; in a text put the cursor on the character.

    Args:
        view: The editor of the content.
        parts: The names of the parts around the character, from the outside in.
        place: Gives the offset of the character in a text.
        length: How many characters from there are to be selected.
    """
    if isinstance(view, TextPage):
        show_character(view.editor, place, length)
    elif isinstance(view, SectionText):
        show_character(view.page.editor, place, length)
    elif isinstance(view, ListEditor | LogEditor):
        view.view.choose([each for each in parts if view.model.row_of(each) >= 0][-1:])
        view.view.table.setFocus()
    elif isinstance(view, TreeEditor):
        view.choose([*parts[-1:]])
        view.view.setFocus()
    elif isinstance(view, MapEditor):
        _show_field(view, parts, place, length)
    elif isinstance(view, CompositeEditor):
        _show_section(view, parts, place, length)


def show_character(editor: TextEditor, place: Callable[[str], int], length: int = 0) -> None:
    """Put the cursor on a character and give the editor the keyboard; select so many from there."""
    at = max(0, place(editor.text))
    editor.flash(at)
    if length:
        editor.select_range(at, min(len(editor.text), at + length))
    editor.setFocus()


def _show_field(view: MapEditor, parts: Sequence[str], place: Callable[[str], int], length: int) -> None:
    row = next((view.rows[each] for each in reversed(parts) if each in view.rows), None)
    if row is None:
        return
    _scroll_to(row)
    widget = row.input.widget
    if isinstance(widget, TextEditor):
        show_character(widget, place, length)
    widget.setFocus()


def _show_section(
    view: CompositeEditor, parts: Sequence[str], place: Callable[[str], int], length: int
) -> None:
    frame = next((view.sections[each] for each in parts if each in view.sections), None)
    if frame is None:
        return
    if frame.editor.isHidden():
        frame.fold()
    _scroll_to(frame)
    show_part(frame.editor, parts[1:], place, length)


def _scroll_to(widget: QWidget) -> None:
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget)
        above = above.parentWidget()
