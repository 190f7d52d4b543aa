"""The text page of a block's tab: colours, marks, lines, finding and replacing, and what of the text is sent."""

import asyncio
import threading

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFont, QGuiApplication, QTextBlock
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.domain.blocks import TextSchema, Viewport
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetSchema
from inspector.domain.edits.text import SetText
from inspector.domain.ref import Ref, RefKind
from inspector.ui.editors import finding
from inspector.ui.editors.change_marks import ChangeKind
from inspector.ui.editors.finding import LOOK_AGAIN_MILLISECONDS
from inspector.ui.editors.text_search import TextMatches, TextQuery, search
from inspector.ui.exact_text import carried
from inspector.ui.panels.request import RequestPanel
from inspector.ui.safe_text import PlainLabel
from tests.ui.conftest import TEST_SECONDS
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.world import CHECKLIST, QUESTIONS, STORED

MARKDOWN = "# Title\n\nSome **bold** words.\n"
LINES = "\n".join(f"line {number}" for number in range(1, 45))
OLD, GONE = Ref(RefKind.BLOCK, "blk_old"), Ref(RefKind.BLOCK, "blk_gone")


def line(one: BlockTab, number: int) -> QTextBlock:
    return one.editor.document().findBlockByNumber(number - 1)


def bold(one: BlockTab, number: int) -> list[tuple[int, int]]:
    """Where a line is bold."""
    found = line(one, number).layout().formats()
    return [(each.start, each.length) for each in found if each.format.fontWeight() == QFont.Weight.Bold]


async def test_that_markdown_is_coloured_and_its_colours_go_with_the_words(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText(MARKDOWN)))
    await one.until(lambda: bold(one, 1) == [(0, 7)])
    await one.until(lambda: bold(one, 3) == [(5, 8)])
    one.type("So: ", at=len("# Title\n\n"))
    assert bold(one, 3) == [(9, 8)]
    one.type("#", at=0)
    await one.until(lambda: bold(one, 1) == [(0, 8)])
    assert one.editor.text == "## Title\n\nSo: Some **bold** words.\n"


async def test_that_no_colour_is_an_edit(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText(MARKDOWN)))
    await one.until(lambda: bold(one, 1))
    assert one.editor.operation() is None
    assert not one.editor.steps.can_undo


async def test_that_unsaved_lines_are_marked_until_they_are_saved(open_tab: OpenTab) -> None:
    one = await open_tab()
    assert not one.editor.line_changes(line(one, 1))
    one.type("x", at=len(STORED))
    QTest.keyClick(one.editor, Qt.Key.Key_Return)
    one.type("y")
    assert one.editor.line_changes(line(one, 2)) == {ChangeKind.CHANGED}
    assert one.editor.line_changes(line(one, 3)) == {ChangeKind.ADDED}
    assert one.editor.margin.words(line(one, 3)).startswith("Added, not saved")
    one.save()
    await one.saved(f"{STORED}x\ny")
    assert not one.editor.line_changes(line(one, 2))


async def test_that_f8_and_a_click_in_the_margin_go_to_a_change(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText(LINES)))
    one.type("x", at=one.editor.point_at(3, 1))
    one.type("x", at=one.editor.point_at(9, 1))
    one.press("F8")
    assert one.editor.cursor_place() == (3, 1)
    one.press("F8")
    assert one.editor.cursor_place() == (9, 1)
    one.press("Shift+F8")
    assert one.editor.cursor_place() == (3, 1)
    one.editor.select_range(0, 0)
    margin = one.editor.margin
    [(_, box)] = [row for row in margin.rows(0, margin.height()) if row[0].blockNumber() == 2]
    QTest.mouseClick(margin, Qt.MouseButton.LeftButton, pos=QPoint(margin.width() - 2, int(box.center().y())))
    assert one.editor.cursor_place() == (3, 1)
    assert one.editor.hasFocus()


async def test_that_control_g_goes_to_a_line_and_column(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.press("Ctrl+G")
    bar = one.panel.page.line_bar
    assert bar.note == "of 2"
    QTest.keyClicks(bar.place_field, "two")
    QTest.keyClick(bar.place_field, Qt.Key.Key_Return)
    assert bar.note == "Type a line number, such as 12 or 12:5"
    bar.place_field.selectAll()
    QTest.keyClicks(bar.place_field, "2:5")
    QTest.keyClick(bar.place_field, Qt.Key.Key_Return)
    assert one.panel.page.foot.place == "Line 2, column 5"
    assert one.editor.hasFocus()
    assert not bar.isVisible()
    one.press("Ctrl+G")
    QTest.keyClick(bar.place_field, Qt.Key.Key_Escape)
    assert one.editor.hasFocus()


async def test_that_the_foot_counts_what_is_selected(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.editor.select_range(0, 0)
    QTest.keyClick(one.editor, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    assert one.panel.page.foot.selected == "27 characters selected"
    QTest.keyClick(one.editor, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert one.panel.page.foot.selected.endswith(", 2 lines")
    QTest.keyClick(one.editor, Qt.Key.Key_Right)
    assert one.panel.page.foot.selected == ""


async def test_that_hidden_characters_have_marks_and_the_foot_names_the_one_at_the_cursor(
    open_tab: OpenTab,
) -> None:
    text = "Pay \u202eeid\u202c to\u200b me\x07"
    one = await open_tab(Edit(QUESTIONS, SetText(text)))
    assert line(one, 1).text() == "Pay ↔eid↔ to¤ me¤"
    foot = one.panel.page.foot
    for mark, name in (
        ("\u202e", "U+202E right-to-left override"),
        ("\u200b", "U+200B zero width space"),
        ("\x07", "U+0007 control character"),
    ):
        one.editor.select_range(text.index(mark), text.index(mark))
        assert foot.selected == name
        QTest.keyClick(one.editor, Qt.Key.Key_Right)
        assert foot.selected == name
    one.editor.select_range(0, 0)
    assert foot.selected == ""
    assert one.editor.text == text


async def test_that_the_switches_of_the_find_bar_narrow_what_is_found(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText("cat Cat concat\n")))
    one.press("Ctrl+F")
    bar = one.panel.page.find_bar
    QTest.keyClicks(bar.words_field, "cat")
    assert bar.note == "1 of 3"
    QTest.mouseClick(bar.word_button, Qt.MouseButton.LeftButton)
    assert bar.note == "1 of 2"
    QTest.mouseClick(bar.case_button, Qt.MouseButton.LeftButton)
    assert bar.note == "1 of 1"


async def test_that_a_pattern_replaces_with_its_groups_as_one_step(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText("a=1 b=2\nc=3\n")))
    one.press("Ctrl+H")
    bar = one.panel.page.find_bar
    QTest.mouseClick(bar.pattern_button, Qt.MouseButton.LeftButton)
    QTest.keyClicks(bar.words_field, r"(\w)=(\d)")
    await one.until(lambda: bar.note == "1 of 3")
    QTest.keyClick(bar.words_field, Qt.Key.Key_Tab)
    QTest.keyClicks(bar.replacement_field, r"\2:\1")
    QTest.keyClick(bar.replacement_field, Qt.Key.Key_Return)
    await one.until(lambda: one.editor.text == "1:a b=2\nc=3\n")
    await one.until(lambda: bar.note == "1 of 2")
    bar.replace_all.emit()
    await one.until(lambda: one.editor.text == "1:a 2:b\n3:c\n")
    assert bar.note == "2 replaced"
    one.editor.setFocus()
    one.press("Ctrl+Z")
    assert one.editor.text == "1:a b=2\nc=3\n"


async def test_that_a_pattern_ends_at_the_end_of_a_line_of_two_characters(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText("name: Ada\r\nname: Noor\r\nend\r\n")))
    one.press("Ctrl+H")
    bar = one.panel.page.find_bar
    QTest.mouseClick(bar.pattern_button, Qt.MouseButton.LeftButton)
    QTest.keyClicks(bar.words_field, "name: (.*)$")
    await one.until(lambda: bar.note == "1 of 2")
    QTest.keyClick(bar.words_field, Qt.Key.Key_Tab)
    QTest.keyClicks(bar.replacement_field, r"\1 = name")
    QTest.keyClick(bar.replacement_field, Qt.Key.Key_Return)
    await one.until(lambda: one.editor.text == "Ada = name\r\nname: Noor\r\nend\r\n")
    await one.until(lambda: bar.note == "1 of 1")
    bar.replace_all.emit()
    await one.until(lambda: one.editor.text == "Ada = name\r\nNoor = name\r\nend\r\n")


async def test_that_a_slow_search_goes_on_to_the_next_place_after_a_replacement(
    open_tab: OpenTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText("a=1 b=2\nc=3\n")))
    one.press("Ctrl+H")
    bar = one.panel.page.find_bar
    QTest.mouseClick(bar.pattern_button, Qt.MouseButton.LeftButton)
    QTest.keyClicks(bar.words_field, r"(\w)=(\d)")
    await one.until(lambda: bar.note == "1 of 3")
    begun: list[str] = []
    may_end = threading.Event()

    def search_slowly(text: str, query: TextQuery) -> TextMatches:
        begun.append(text)
        may_end.wait(TEST_SECONDS)
        return search(text, query)

    monkeypatch.setattr(finding, "search", search_slowly)
    bar.replace_one.emit()
    await one.until(lambda: begun)
    # Until the changed text asks for another search.
    await asyncio.sleep(2 * LOOK_AGAIN_MILLISECONDS / 1000)
    may_end.set()
    await one.until(lambda: bar.note == "1 of 2")
    assert one.editor.text[slice(*one.editor.selected_range())] == "b=2"


async def test_that_a_pattern_that_cannot_be_used_is_told_and_nothing_waits_for_it(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText(f"{'a' * 80}!\n")))
    one.press("Ctrl+F")
    bar = one.panel.page.find_bar
    QTest.mouseClick(bar.pattern_button, Qt.MouseButton.LeftButton)
    QTest.keyClicks(bar.words_field, "(a|aa)+")
    QTest.keyClicks(bar.words_field, "$")
    one.type("b", at=0)
    assert one.editor.text.startswith("ba")
    await one.until(lambda: bar.note == "Stopped: this pattern takes too long")
    bar.words_field.selectAll()
    QTest.keyClicks(bar.words_field, "(")
    await one.until(lambda: bar.note.startswith("Invalid pattern: missing )"))
    bar.words_field.selectAll()
    QTest.keyClicks(bar.words_field, "b")
    await one.until(lambda: bar.note == "1 of 1")


async def test_that_a_viewport_is_a_band_in_the_margin_and_said_below(open_tab: OpenTab) -> None:
    viewport = SetSchema(TextSchema(Viewport(30, 6)))
    one = await open_tab(Edit(QUESTIONS, SetText(LINES)), Edit(QUESTIONS, viewport))
    sent = one.editor.margin.sent
    assert sent is not None
    assert (sent.first, sent.last, sent.section) == (30, 35, "working")
    foot = one.panel.page.foot
    await one.until(
        lambda: "tokens sent (lines 30–35 of 44)" in foot.note and " of " in foot.note.split("(")[0]
    )
    assert "sent" in one.panel.figures
    assert one.editor.margin.words(line(one, 30)) == "In the Request"
    assert one.editor.margin.words(line(one, 29)) == "Not in the Request"
    one.panel.views.choose(1)
    assert "[Showing lines 30-35 of 44]\nline 30\n" in one.panel.rendered.editor.text


async def test_that_a_text_that_is_sent_whole_has_a_band_from_end_to_end(open_tab: OpenTab) -> None:
    one = await open_tab()
    assert one.panel.page.foot.note == "Sent whole"
    one.type("more ", at=0)
    QTest.keyClick(one.editor, Qt.Key.Key_Return)
    assert one.editor.margin.words(line(one, 3)) == "In the Request"


async def test_that_rendered_is_a_stretch_of_the_request(open_tab: OpenTab) -> None:
    one = await open_tab(block=CHECKLIST)
    one.panel.views.choose(1)
    request = one.workspace.file.request
    assert request is not None
    assert one.panel.rendered.editor.text in request.text
    assert one.panel.rendered.note.original.startswith("Sent as below: ")


async def test_that_rendered_says_why_a_block_is_left_out_and_what_it_would_be(open_tab: OpenTab) -> None:
    one = await open_tab(block=OLD)
    one.panel.views.choose(1)
    shown = one.panel.rendered
    await one.until(lambda: shown.editor.text == "<retro_3.9>\nWhat went well: …\n</retro_3.9>")
    assert shown.note.original.startswith("Not sent. Archival")
    assert shown.note.original.endswith("It would look like this:")


async def test_that_rendered_shows_a_deleted_block_by_its_text(open_tab: OpenTab) -> None:
    one = await open_tab(block=GONE)
    one.panel.views.choose(1)
    assert one.panel.rendered.editor.text == "Merge on Friday."
    assert "deleted" in one.panel.rendered.note.original


async def test_that_hidden_characters_show_in_rendered_and_are_copied_exactly(open_tab: OpenTab) -> None:
    text = "safe \u202etxet\u202c \ufeffend"
    one = await open_tab(Edit(QUESTIONS, SetText(text)))
    one.panel.views.choose(1)
    shown = one.panel.rendered.editor
    assert text in shown.text
    assert "\u202e" not in shown.toPlainText()
    QTest.keySequence(shown, "Ctrl+A")
    QTest.keySequence(shown, "Ctrl+C")
    assert text in carried(QGuiApplication.clipboard().mimeData())
    # What Python made must not outlive it.
    QGuiApplication.clipboard().clear()


async def test_that_lines_stand_as_far_apart_in_the_editor_as_in_the_request(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText(LINES)))
    rows = [box for _, box in one.editor.margin.rows(0, 200)]
    one.studio.window.centre.setCurrentIndex(0)
    [request] = one.studio.window.findChildren(RequestPanel)
    box = request.view.box_of_row(request.view.verticalScrollBar().value() + 1)
    assert box is not None
    assert (
        {each.height() for each in rows[:-1]}
        == {box.height()}
        == {one.studio.contents.services.appearance.line_pitch()}
    )


async def test_that_the_request_behind_the_tab_shows_what_was_typed_once_it_is_in_front(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    [panel] = one.studio.window.findChildren(RequestPanel)
    one.type("typed meanwhile ", at=0)
    await one.until(lambda: (now := one.workspace.file.request) and "typed meanwhile" in now.text)
    await one.calm()
    assert panel.view.rows is not None
    assert "typed meanwhile" not in panel.view.rows.request.text
    one.studio.window.centre.setCurrentIndex(0)
    await one.until(lambda: panel.view.rows and "typed meanwhile" in panel.view.rows.request.text)


async def test_that_figures_which_grow_stand_below_the_views_and_none_is_cut(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.studio.window.resize(1440, 900)
    head = one.panel.head
    await one.until(lambda: head.width() > 0)
    QApplication.clipboard().setText("a\u202eb\u200b" * 30)
    one.editor.paste()
    await one.until(lambda: "of them hidden" in head.numbers.text)
    await one.until(lambda: "+" in head.numbers.text)
    labels = [each for each in head.numbers.findChildren(PlainLabel) if each.text()]
    await one.until(lambda: all(each.width() >= each.sizeHint().width() for each in labels))
    assert len(labels) == 3


class _Requests(QObject):
    """Counts how often a widget is asked to lay out."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


async def test_that_a_head_at_rest_is_not_laid_out_again_and_again(open_tab: OpenTab) -> None:
    one = await open_tab()
    await one.calm()
    for width in (1440, 1000):
        one.studio.window.resize(width, 900)
        await asyncio.sleep(0.2)
        counted = _Requests()
        one.panel.head.installEventFilter(counted)
        for _ in range(50):
            await asyncio.sleep(0)
        assert counted.count == 0
