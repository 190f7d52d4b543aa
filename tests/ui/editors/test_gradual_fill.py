"""A text too long to be shown in one go: it comes slice by slice, and nothing that is done meanwhile is lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.edits.text import Splice, SpliceText
from inspector.ui.appearance import Appearance
from inspector.ui.editors.shadow import LONG_LINE, segmented
from inspector.ui.editors.text import TextEditor

LINES = "".join(f"line {at} with some words\n" for at in range(30_000))
# A line that is shown in segments, characters of two units, and one that a document would lose.
TEXT = f"{LINES}{'word ' * LONG_LINE}\n\U0001f600 and \x00 here\n{LINES}end"
Until = Callable[[Callable[[], object]], Awaitable[None]]


@pytest.fixture
def editor(qloop: object, appearance: Appearance, qtbot: object) -> TextEditor:
    """An editor in sight."""
    made = TextEditor(appearance)
    made.resize(600, 400)
    made.show()
    return made


def shown(editor: TextEditor) -> str:
    return editor.toPlainText()


async def test_that_the_text_comes_slice_by_slice_and_is_all_there(editor: TextEditor, until: Until) -> None:
    editor.load(TEXT)
    assert editor.text == TEXT
    assert editor.line_count == TEXT.count("\n") + 1
    lengths = {len(shown(editor))}
    assert max(lengths) < len(TEXT) // 2
    assert editor.isReadOnly()

    def is_all_there() -> bool:
        lengths.add(len(shown(editor)))
        return not editor.isReadOnly()

    await until(is_all_there)
    assert len(lengths) > 3
    assert shown(editor) == segmented(TEXT)
    assert editor.line_count == TEXT.count("\n") + 1
    assert editor.operation() is None


async def test_that_what_is_typed_meanwhile_is_one_exact_change(editor: TextEditor) -> None:
    editor.load(TEXT)
    QTest.keyClick(editor, Qt.Key.Key_X)
    assert editor.operation() == SpliceText((Splice(0, 0, "x"),))
    assert shown(editor) == segmented(f"x{TEXT}")
    editor.undo_step()
    assert editor.operation() is None


async def test_that_a_place_far_down_is_gone_to_at_once(editor: TextEditor) -> None:
    editor.load(TEXT)
    editor.select_range(len(TEXT) - 3, len(TEXT))
    assert editor.selected_text() == "end"
    editor.replace_range(len(TEXT) - 3, 3, "END")
    assert editor.operation() == SpliceText((Splice(len(TEXT) - 3, 3, "END"),))


async def test_that_what_others_write_meanwhile_is_shown(editor: TextEditor) -> None:
    editor.load(TEXT)
    editor.load(f"theirs\n{TEXT}")
    assert editor.text == f"theirs\n{TEXT}"
    assert shown(editor) == segmented(editor.text)


async def test_that_an_editor_that_may_only_be_read_stays_so(editor: TextEditor, until: Until) -> None:
    editor.load(TEXT)
    editor.setReadOnly(True)
    await until(lambda: shown(editor) == segmented(TEXT))
    assert editor.isReadOnly()
