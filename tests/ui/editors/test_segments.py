"""A very long line is shown in segments; text, operation and undo know nothing of them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QTextCursor
from PySide6.QtTest import QTest

from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.splices import spliced
from inspector.ui.editors import shadow
from inspector.ui.editors.shadow import ShadowText, breaks_in, segmented, stand_in
from inspector.ui.editors.text import TextEditor
from inspector.ui.editors.text_search import TextQuery, search
from inspector.ui.exact_text import carried
from tests.ui.editors.test_text import KEYS, PLACES, clipboard, commit, editor, shown
from tests.ui.texts import SPOILT, TEXTS

__all__ = ["clipboard", "editor"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of more than twelve characters are long, segments have at most five."""
    monkeypatch.setattr(shadow, "LONG_LINE", 12)
    monkeypatch.setattr(shadow, "SEGMENT", 5)


def settled(one: TextEditor) -> SpliceText | None:
    """The operation, after making sure that it gives the text and that the widget shows that text."""
    operation = one.operation()
    assert spliced(one.base_text, operation.splices if operation else ()) == one.text
    assert shown(one).replace("\n", "") == stand_in(one.text).replace("\n", "")
    assert shown(one).count("\n") >= one.text.count("\n")
    return operation


def names(one: TextEditor) -> list[str]:
    """What stands beside the lines."""
    document = one.document()
    return [one.line_name(document.findBlockByNumber(place)) for place in range(document.blockCount())]


def test_that_a_long_line_is_cut_behind_spaces_and_anywhere_where_there_are_none(small: None) -> None:
    assert segmented("x" * 13) == "xxxxx\nxxxxx\nxxx"
    assert segmented("aaaa bbbb cccc") == "aaaa \nbbbb \ncccc"
    assert segmented("x" * 12) == "x" * 12
    assert segmented("x" * 12 + "\n" + "y" * 13) == "x" * 12 + "\nyyyyy\nyyyyy\nyyy"


@given(TEXTS.map(lambda text: text * 3))
def test_that_places_in_segments_are_those_of_the_widget(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shadow, "LONG_LINE", 12)
        patch.setattr(shadow, "SEGMENT", 5)
        one, seen = ShadowText(text), segmented(text)
        units = [len(character.encode("utf-16-le")) // 2 for character in seen]
        assert one.units == sum(units)
        assert one.shown(0, one.units) == seen
        breaks = set(breaks_in(text))
        unit = point = 0
        for character, width in zip(seen, units, strict=True):
            is_break = point in breaks and character == "\n" and one.is_break(unit)
            assert one.point_of(unit) == point
            if is_break:
                breaks.discard(point)
            else:
                assert one.unit_of(point) == unit
                point += 1
            unit += width
        assert point == len(text)


def test_that_only_the_lines_of_the_text_are_numbered(small: None, editor: TextEditor) -> None:
    editor.load("one\n" + "x" * 13 + "\ntwo")
    assert names(editor) == ["1", "2", "↪", "↪", "3"]
    assert editor.operation() is None


def test_that_typing_in_a_segment_is_typing_in_the_line(small: None, editor: TextEditor) -> None:
    editor.load("abcdefghijklmnop")
    editor.select_range(7, 7)
    QTest.keyClicks(editor, "Q")
    assert settled(editor) == SpliceText((Splice(7, 0, "Q"),))
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Undo))
    assert settled(editor) is None


@pytest.mark.parametrize(
    ("key", "place", "left"),
    [(Qt.Key.Key_Backspace, 5, "abcdfghijklmnop"), (Qt.Key.Key_Delete, 5, "abcdeghijklmnop")],
)
def test_that_deleting_at_a_break_deletes_the_character_beyond_it(
    small: None, editor: TextEditor, key: Qt.Key, place: int, left: str
) -> None:
    editor.load("abcdefghijklmnop")
    editor.select_range(place, place)
    if key == Qt.Key.Key_Delete:
        QTest.keyClick(editor, Qt.Key.Key_Left)
    QTest.keyClick(editor, key)
    assert editor.text == left
    settled(editor)


def test_that_what_is_copied_across_segments_has_no_breaks(
    small: None, editor: TextEditor, clipboard: None
) -> None:
    editor.load("abcdefghijklmnop")
    editor.select_range(2, 12)
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Copy))
    assert carried(QGuiApplication.clipboard().mimeData()) == "cdefghijkl"


def test_that_words_are_found_across_a_break(small: None, editor: TextEditor) -> None:
    editor.load("abcdefghijklmnop")
    assert search(editor.text, TextQuery("def")).found == [(3, 6)]
    editor.select_range(3, 6)
    assert editor.selected_text() == "def"
    editor.replace_range(3, 3, "X")
    assert settled(editor) == SpliceText((Splice(3, 3, "X"),))


def test_that_a_long_line_that_is_pasted_comes_in_segments(small: None, editor: TextEditor) -> None:
    editor.load("ab")
    editor.select_range(1, 1)
    pasted = QMimeData()
    pasted.setText("x" * 14)
    editor.insertFromMimeData(pasted)
    assert settled(editor) == SpliceText((Splice(1, 0, "x" * 14),))
    assert editor.document().blockCount() == 3


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=TEXTS.map(lambda text: text * 2), data=st.data())
def test_that_whatever_is_done_in_segments_the_operation_tells_of_it(
    small: None, editor: TextEditor, text: str, data: st.DataObject
) -> None:
    editor.load(f"{text}.")
    editor.load("")
    editor.load(text)
    for _ in range(data.draw(st.integers(1, 10))):
        doing = data.draw(st.sampled_from(("key", "key", "key", "commit", "paste", "select")))
        if doing == "key":
            QTest.keyClick(editor, *data.draw(st.sampled_from(KEYS)))
        elif doing == "commit":
            commit(editor, data.draw(st.sampled_from(("é", "😀", "a\u200db", "long words\u00a0here"))))
        elif doing == "paste":
            pasted = QMimeData()
            pasted.setText(data.draw(st.sampled_from((*SPOILT, "y" * 15))))
            editor.insertFromMimeData(pasted)
        else:
            places = sorted(data.draw(st.tuples(PLACES, PLACES)))
            editor.select_range(*(place % (len(editor.text) + 1) for place in places))
        settled(editor)
    while editor.steps.can_undo:
        editor.undo_step()
    assert settled(editor) is None
    assert editor.text == text


def test_that_a_line_of_200_kilobytes_is_no_longer_than_a_segment_to_the_widget(editor: TextEditor) -> None:
    editor.load("word " * 40_000)
    block = editor.document().begin()
    longest = 0
    while block.isValid():
        longest = max(longest, block.length())
        block = block.next()
    assert longest <= shadow.SEGMENT + 1
    cursor = QTextCursor(editor.document())
    cursor.setPosition(100_000)
    editor.setTextCursor(cursor)
    QTest.keyClicks(editor, "x")
    operation = editor.operation()
    assert operation is not None
    assert [each.insert for each in operation.splices] == ["x"]


@pytest.mark.parametrize("through", ["method", "key"])
def test_that_hidden_characters_show_their_marks_as_soon_as_they_are_typed(
    editor: TextEditor, through: str
) -> None:
    editor.load("ab")
    editor.select_range(1, 1)
    if through == "method":
        commit(editor, "", preedit="\u200b")
        commit(editor, "x\u200b\u202ey")
    else:
        for character in "x\u200b\u202ey":
            QTest.sendKeyEvent(
                QTest.KeyAction.Click, editor, Qt.Key.Key_unknown, character, Qt.KeyboardModifier.NoModifier
            )
    typed = "x\u200b\u202ey" if through == "method" else editor.text[1:-1]
    assert shown(editor) == stand_in(f"a{typed}b")
    assert editor.text == f"a{typed}b"
    assert editor.selected_range() == (1 + len(typed), 1 + len(typed))
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Undo))
    while editor.steps.can_undo:
        editor.undo_step()
    assert shown(editor) == "ab"
