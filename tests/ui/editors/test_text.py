"""The text editor: what a person does becomes exactly that operation, and nothing else becomes one."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeySequence,
    QTextCursor,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.splices import spliced
from inspector.ui.appearance import Appearance
from inspector.ui.editors.shadow import segmented
from inspector.ui.editors.text import TextEditor
from inspector.ui.editors.text_search import TextQuery, search_and_replace
from inspector.ui.exact_text import carried, copy_text
from tests.ui.texts import SPOILT, TEXTS

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def editor(qtbot: QtBot, appearance: Appearance) -> TextEditor:
    """An editor on screen with the keyboard."""
    made = TextEditor(appearance)
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    made.setFocus()
    return made


@pytest.fixture
def clipboard(qapp: QApplication) -> Iterator[None]:
    """A clipboard that is empty before and after."""
    QGuiApplication.clipboard().clear()
    yield
    QGuiApplication.clipboard().clear()


def shown(editor: TextEditor) -> str:
    """What the widget itself holds, every character of it."""
    cursor = QTextCursor(editor.document())
    cursor.select(QTextCursor.SelectionType.Document)
    return cursor.selectedText().replace("\u2029", "\n")


def settled(editor: TextEditor) -> SpliceText | None:
    """The operation, after making sure that it gives the text and that the widget shows that text."""
    operation = editor.operation()
    splices = operation.splices if operation else ()
    assert spliced(editor.base_text, splices) == editor.text
    assert shown(editor) == segmented(editor.text)
    return operation


def put_cursor(editor: TextEditor, start: int, end: int | None = None) -> None:
    """Select code points."""
    editor.select_range(start, start if end is None else end)


def commit(editor: TextEditor, text: str, preedit: str = "") -> None:
    """What an input method sends."""
    event = QInputMethodEvent(preedit, [])
    if text:
        event.setCommitString(text)
    QApplication.sendEvent(editor, event)


def drop(
    editor: TextEditor,
    place: int,
    text: str,
    action: Qt.DropAction = Qt.DropAction.CopyAction,
    kind: type[QDropEvent] = QDropEvent,
) -> bool:
    """Let text fall before a character; says whether it was taken."""
    cursor = QTextCursor(editor.document())
    cursor.setPosition(place)
    data = QMimeData()
    data.setText(text)
    point = QPointF(editor.cursorRect(cursor).center())
    press = (data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(editor.viewport(), QDragEnterEvent(point.toPoint(), action, *press))
    QApplication.sendEvent(editor.viewport(), QDragMoveEvent(point.toPoint(), action, *press))
    event = kind(point, action, *press)
    if isinstance(event, OwnDrop):
        event.origin = editor
    event.ignore()
    QApplication.sendEvent(editor.viewport(), event)
    return event.isAccepted()


@settings(max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=TEXTS)
def test_that_opening_any_text_makes_no_operation(editor: TextEditor, text: str) -> None:
    editor.load(text)
    assert settled(editor) is None
    assert editor.text == text


@settings(max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=TEXTS, data=st.data())
def test_that_one_typed_character_is_the_whole_operation(
    editor: TextEditor, text: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(text)))
    editor.load(text)
    put_cursor(editor, place)
    QTest.keyClicks(editor, "q")
    assert settled(editor) == SpliceText((Splice(place, 0, "q"),))
    assert editor.text == f"{text[:place]}q{text[place:]}"
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Undo))
    assert settled(editor) is None
    assert editor.text == text


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(before=TEXTS, after=TEXTS)
def test_that_another_text_takes_the_place_of_the_one_shown(
    editor: TextEditor, before: str, after: str
) -> None:
    editor.load(before)
    editor.load(after)
    assert settled(editor) is None
    assert editor.text == after


KEYS = (
    (Qt.Key.Key_Backspace, Qt.KeyboardModifier.NoModifier),
    (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier),
    (Qt.Key.Key_Backspace, CONTROL),
    (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier),
    (Qt.Key.Key_Return, SHIFT),
    (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier),
    (Qt.Key.Key_Z, CONTROL),
    (Qt.Key.Key_Z, CONTROL | SHIFT),
    (Qt.Key.Key_X, CONTROL),
    (Qt.Key.Key_A, CONTROL),
    (Qt.Key.Key_Left, SHIFT),
    (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier),
    (Qt.Key.Key_Home, CONTROL),
    (Qt.Key.Key_End, CONTROL | SHIFT),
    (Qt.Key.Key_Q, Qt.KeyboardModifier.NoModifier),
)

PLACES = st.integers(0, 400)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=TEXTS, data=st.data())
def test_that_the_operation_tells_of_whatever_is_done_with_keys_and_words(
    editor: TextEditor, text: str, data: st.DataObject
) -> None:
    # Another text in between forgets the steps and the cursor of the example before.
    editor.load(f"{text}.")
    editor.load(text)
    put_cursor(editor, 0)
    for _ in range(data.draw(st.integers(1, 10))):
        doing = data.draw(st.sampled_from(("key", "key", "key", "commit", "paste", "select", "replace")))
        if doing == "key":
            QTest.keyClick(editor, *data.draw(st.sampled_from(KEYS)))
        elif doing == "commit":
            commit(editor, data.draw(st.sampled_from(("é", "漢字", "😀", "👩\u200d🚀"))))
        elif doing == "paste":
            pasted = QMimeData()
            pasted.setText(data.draw(st.sampled_from(SPOILT)))
            editor.insertFromMimeData(pasted)
        elif doing == "select":
            # Drawn without looking at the editor: what is drawn must not hang on what a widget does.
            places = sorted(data.draw(st.tuples(PLACES, PLACES)))
            put_cursor(editor, *(place % (len(editor.text) + 1) for place in places))
        else:
            words = TextQuery(data.draw(st.sampled_from(("a", "\n", "\r\n", "x y"))))
            result = search_and_replace(editor.text, words, data.draw(st.sampled_from(SPOILT)))
            editor.replace_found(result.found, result.texts)
        settled(editor)
    while editor.steps.can_undo:
        editor.undo_step()
    assert settled(editor) is None
    assert editor.text == text


def test_that_what_an_input_method_puts_in_place_of_the_same_text_keeps_its_marks(editor: TextEditor) -> None:
    editor.load("👩\u200d🚀!")
    put_cursor(editor, 0, 3)
    commit(editor, "👩\u200d🚀")
    assert settled(editor) is None
    assert editor.text == "👩\u200d🚀!"


def test_that_typing_over_a_selection_replaces_it(editor: TextEditor) -> None:
    editor.load("one two\r\nthree")
    put_cursor(editor, 4, 7)
    QTest.keyClicks(editor, "2")
    assert settled(editor) == SpliceText((Splice(4, 3, "2"),))


def test_that_deleting_everything_is_one_deletion(editor: TextEditor) -> None:
    text = "first\r\n\u2028second 😀\n"
    editor.load(text)
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.SelectAll))
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    assert settled(editor) == SpliceText((Splice(0, len(text), ""),))
    assert editor.text == ""


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.NoModifier, SHIFT])
def test_that_enter_makes_a_line_break_with_shift_too(
    editor: TextEditor, modifier: Qt.KeyboardModifier
) -> None:
    editor.load("ab")
    put_cursor(editor, 1)
    QTest.keyClick(editor, Qt.Key.Key_Return, modifier)
    QTest.keyClicks(editor, "x")
    assert settled(editor) == SpliceText((Splice(1, 0, "\nx"),))


def test_that_enter_with_control_is_left_to_others(editor: TextEditor) -> None:
    editor.load("ab")
    QTest.keyClick(editor, Qt.Key.Key_Return, CONTROL)
    assert settled(editor) is None


@pytest.mark.parametrize("pasted", SPOILT)
def test_that_pasted_text_arrives_unchanged(editor: TextEditor, clipboard: None, pasted: str) -> None:
    editor.load("ab")
    put_cursor(editor, 1)
    copy_text(pasted)
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Paste))
    assert settled(editor) == SpliceText((Splice(1, 0, pasted),))


def test_that_copied_text_is_the_true_text(editor: TextEditor, clipboard: None) -> None:
    editor.load("a\r\n\u00a0\u2028\ufeff😀b")
    put_cursor(editor, 1, 7)
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Copy))
    assert carried(QGuiApplication.clipboard().mimeData()) == "\r\n\u00a0\u2028\ufeff😀"
    assert settled(editor) is None


def test_that_text_of_other_programs_is_pasted_too(editor: TextEditor, clipboard: None) -> None:
    editor.load("ab")
    QGuiApplication.clipboard().setText("x\r\n\u00a0")
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Paste))
    assert settled(editor) == SpliceText((Splice(0, 0, "x\r\n\u00a0"),))


def test_that_cut_text_comes_back_by_pasting(editor: TextEditor, clipboard: None) -> None:
    editor.load("a\r\nb")
    put_cursor(editor, 0, 3)
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Cut))
    assert settled(editor) == SpliceText((Splice(0, 3, ""),))
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Paste))
    assert settled(editor) is None


def test_that_a_committed_word_is_one_insertion(editor: TextEditor) -> None:
    editor.load("a\rb")
    put_cursor(editor, 2)
    commit(editor, "", preedit="かん")
    assert settled(editor) is None
    commit(editor, "漢字😀")
    assert settled(editor) == SpliceText((Splice(2, 0, "漢字😀"),))


def test_that_a_composition_that_is_given_up_changes_nothing(editor: TextEditor) -> None:
    editor.load("a\rb")
    put_cursor(editor, 1)
    commit(editor, "", preedit="か")
    commit(editor, "")
    assert settled(editor) is None


def test_that_an_emoji_is_deleted_whole(editor: TextEditor) -> None:
    editor.load("a😀b")
    put_cursor(editor, 2)
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    assert settled(editor) == SpliceText((Splice(1, 1, ""),))


def test_that_a_carriage_return_can_be_deleted_by_itself(editor: TextEditor) -> None:
    editor.load("a\r\nb")
    put_cursor(editor, 1)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    assert settled(editor) == SpliceText((Splice(1, 1, ""),))
    assert editor.text == "a\nb"


def test_that_undo_and_redo_go_all_the_way(editor: TextEditor) -> None:
    editor.load("start\r\n")
    put_cursor(editor, 5)
    QTest.keyClicks(editor, " here")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.keyClicks(editor, "now")
    done = editor.text
    for _ in range(5):
        QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Undo))
    assert settled(editor) is None
    for _ in range(5):
        QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Redo))
    assert editor.text == done
    settled(editor)


def test_that_undo_stays_after_the_same_text_was_loaded(editor: TextEditor) -> None:
    editor.load("a")
    QTest.keyClicks(editor, "b")
    editor.load(editor.text)
    assert settled(editor) is None
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Undo))
    assert settled(editor) == SpliceText((Splice(0, 1, ""),))


def test_that_text_from_elsewhere_drops_in_unchanged(editor: TextEditor) -> None:
    editor.load("hello world")
    assert drop(editor, 5, "\r\n\u2028")
    assert settled(editor) == SpliceText((Splice(5, 0, "\r\n\u2028"),))


class OwnDrop(QDropEvent):
    """A drop that came from an editor."""

    origin: TextEditor

    def source(self) -> TextEditor:
        return self.origin


@pytest.mark.parametrize(
    ("place", "text"), [(0, "\r\nbone twoc"), (10, "one twoc\r\nb"), (4, "one \r\nbtwoc")]
)
def test_that_a_selection_is_moved_by_dragging_it(editor: TextEditor, place: int, text: str) -> None:
    editor.load("one two\r\nbc")
    put_cursor(editor, 7, 10)
    drop(editor, 11 if place == 10 else place, "is not looked at", Qt.DropAction.MoveAction, OwnDrop)
    assert editor.text == text
    settled(editor)
    editor.undo_step()
    assert settled(editor) is None


def test_that_a_selection_that_is_dropped_on_itself_stays(editor: TextEditor) -> None:
    editor.load("one two three")
    put_cursor(editor, 4, 7)
    drop(editor, 5, "two", Qt.DropAction.MoveAction, OwnDrop)
    assert settled(editor) is None


def test_that_a_read_only_editor_takes_neither_keys_nor_drops_nor_paste(editor: TextEditor) -> None:
    editor.load("fixed")
    editor.setReadOnly(True)
    QTest.keyClicks(editor, "x")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    commit(editor, "漢")
    drop(editor, 2, "y")
    data = QMimeData()
    data.setText("z")
    editor.insertFromMimeData(data)
    assert editor.replace_found([(0, 5)], ["changed"]) == 0
    assert settled(editor) is None
    assert editor.text == "fixed"


def test_that_replacing_all_is_one_step_and_exact_splices(editor: TextEditor) -> None:
    text = "cat, Cat\r\nand CAT\u2028"
    editor.load(text)
    assert editor.replace_found([(0, 3), (5, 8), (14, 17)], ["dog"] * 3) == 3
    assert editor.text == "dog, dog\r\nand dog\u2028"
    assert settled(editor) == SpliceText((Splice(0, 3, "dog"), Splice(5, 3, "dog"), Splice(14, 3, "dog")))
    editor.undo_step()
    assert settled(editor) is None


def test_that_unsaved_work_is_shown_on_its_base(editor: TextEditor) -> None:
    editor.load("one two three", (Splice(0, 3, "1"), Splice(8, 5, "3")))
    assert editor.text == "1 two 3"
    assert settled(editor) == SpliceText((Splice(0, 3, "1"), Splice(8, 5, "3")))


def test_that_the_cursor_stays_at_its_words_when_text_comes_in_above(editor: TextEditor) -> None:
    editor.load("alpha\nbeta\ngamma")
    put_cursor(editor, 8)
    editor.load("new line\nalpha\nbeta\ngamma")
    assert editor.selected_range() == (17, 17)
    assert settled(editor) is None


def test_that_what_is_typed_after_a_mark_is_counted_in_the_text_at_the_mark(editor: TextEditor) -> None:
    editor.load("abc")
    put_cursor(editor, 3)
    QTest.keyClicks(editor, "d")
    editor.set_mark()
    QTest.keyClicks(editor, "e")
    assert editor.splices_since_mark() == (Splice(4, 0, "e"),)
    assert settled(editor) == SpliceText((Splice(3, 0, "de"),))


def test_that_marks_of_hidden_characters_have_a_ground(editor: TextEditor, appearance: Appearance) -> None:
    def grounds() -> int:
        image = editor.viewport().grab().toImage()
        plain = appearance.theme.background
        wanted = appearance.theme.blend(appearance.theme.warning, plain, 0.3)
        near = (wanted.red(), wanted.green(), wanted.blue())
        spots = (
            image.pixelColor(x, y) for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)
        )
        return sum(abs(each.red() - near[0]) + abs(each.green() - near[1]) < 6 for each in spots)

    editor.load("plain words\nand more\n")
    assert grounds() == 0
    editor.load("hidden\r\n\u202ewords\u200b\n")
    # Away from them: the line of the cursor has another ground.
    put_cursor(editor, len(editor.text))
    assert grounds() > 20


def test_that_a_long_line_is_wrapped_without_looking_for_spaces(editor: TextEditor) -> None:
    modes = type(editor.wordWrapMode())
    editor.load("x" * 20_000)
    assert editor.wordWrapMode() == modes.WrapAnywhere
    editor.load("short lines\n" * 2_000)
    assert editor.wordWrapMode() == modes.WrapAtWordBoundaryOrAnywhere
    assert settled(editor) is None


def test_that_edited_is_told_for_changes_of_a_person_only(editor: TextEditor, qtbot: QtBot) -> None:
    said: list[None] = []
    editor.edited.connect(lambda: said.append(None))
    editor.load("abc")
    editor.load("abcd")
    assert not said
    QTest.keyClicks(editor, "x")
    assert len(said) == 1
