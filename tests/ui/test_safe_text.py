import unicodedata

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.safe_text import (
    ElidedLabel,
    PlainLabel,
    Question,
    QuestionButton,
    breakable,
    count_hidden,
    few_lines,
    hidden_at,
    one_line,
    safe_message,
    safe_tooltip,
    shorten_start,
    show_controls,
    tooltip_text,
    window_title,
    without_mnemonic,
)

MARKUP = (
    "<b>bold</b>",
    '<img src="file:///dev/zero">',
    "<table>" * 20,
    '<a href="file:///etc/passwd">x</a>',
    "a<br>b & c &amp; d",
    "</qt><h1>out</h1>",
)
# Zero-width and direction marks, embeddings, isolates, every C0 and C1 control but tab and line feed, tags.
HIDDEN = [
    *(chr(code) for code in range(0x200B, 0x2010)),
    *(chr(code) for code in range(0x202A, 0x202F)),
    *(chr(code) for code in range(0x2066, 0x206A)),
    *(chr(code) for code in range(0x20) if code not in (9, 10)),
    "\x7f",
    *(chr(code) for code in range(0x80, 0xA0, 4)),
    *(chr(code) for code in range(0xE0061, 0xE0066)),
    "\ufeff",
    "\u2028",
]


def test_that_the_table_of_hidden_characters_has_sixty() -> None:
    assert len(set(HIDDEN)) == 60


@pytest.mark.parametrize("character", HIDDEN, ids=lambda each: f"U+{ord(each):04X}")
def test_that_a_hidden_character_is_shown_by_a_visible_mark(character: str) -> None:
    shown = show_controls(f"a{character}b")
    assert character not in shown
    assert shown[0] == "a"
    assert shown[-1] == "b"
    assert all(unicodedata.category(each) not in ("Cc", "Cf", "Zl", "Zp") for each in shown)
    assert count_hidden(f"a{character}b") == 1
    assert hidden_at(f"a{character}b") == (1,)


@pytest.mark.parametrize("text", ["plain", "tab\tand\nline", "日本語", "é", "❤️", "عربي"])
def test_that_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert show_controls(text) == text


@pytest.mark.parametrize("text", MARKUP)
def test_that_a_label_shows_markup_as_it_is_written(qtbot: QtBot, text: str) -> None:
    label = PlainLabel(text)
    qtbot.addWidget(label)
    assert label.text() == text
    assert label.textFormat() == Qt.TextFormat.PlainText
    label.setText("other")
    label.setText(text)
    assert label.original == text


def test_that_a_label_cannot_be_made_rich(qtbot: QtBot) -> None:
    label = PlainLabel("<b>x</b>")
    qtbot.addWidget(label)
    with pytest.raises(ValueError, match="RichText"):
        label.setTextFormat(Qt.TextFormat.RichText)
    assert label.textFormat() == Qt.TextFormat.PlainText


@pytest.mark.parametrize("text", MARKUP)
def test_that_a_tool_tip_reads_exactly_as_the_text(qapp: QApplication, text: str) -> None:
    document = QTextDocument()
    document.setHtml(tooltip_text(text))
    assert document.toPlainText().replace("\u200b", "") == text


def test_that_a_tool_tip_keeps_lines_and_is_bounded(qapp: QApplication) -> None:
    document = QTextDocument()
    document.setHtml(tooltip_text("one\ntwo"))
    assert document.toPlainText() == "one\ntwo"
    assert len(tooltip_text("x" * 1_000_000)) < 3_000
    assert tooltip_text("") == ""


def test_that_actions_and_widgets_take_safe_tool_tips(qtbot: QtBot) -> None:
    widget, action = QWidget(), QAction()
    qtbot.addWidget(widget)
    for target in (widget, action):
        safe_tooltip(target, "<b>x</b>")
        assert target.toolTip() == "<qt>&lt;b&gt;x&lt;/b&gt;</qt>"


def test_that_an_ampersand_in_a_menu_is_no_mnemonic(qtbot: QtBot) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    assert menu.addAction(without_mnemonic("R&D")).text() == "R&&D"


def test_that_a_title_keeps_the_mark_of_a_changed_document(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setWindowTitle(window_title("odd[*]name"))
    assert widget.windowTitle() == "odd[*][*]name"


def test_that_an_elided_label_offers_all_of_its_text(qtbot: QtBot) -> None:
    label = ElidedLabel("harbor/glossary-of-terms <b>")
    qtbot.addWidget(label)
    label.resize(40, 20)
    label.show()
    assert "&lt;b&gt;" in label.toolTip()
    label.resize(QSize(900, 20))
    assert label.toolTip() == ""


def test_that_one_line_stays_one_short_line() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert len(one_line("x" * 10_000, 50)) == 50


@pytest.mark.parametrize("text", MARKUP)
def test_that_a_message_is_plain_and_stops_nothing(qtbot: QtBot, text: str) -> None:
    answers: list[str] = []
    parent = QWidget()
    qtbot.addWidget(parent)
    question = Question(
        text, text, text, text, (QuestionButton("go", text, primary=True), QuestionButton("no", "No"))
    )
    box = safe_message(parent, question, answers.append)
    assert box.isVisible()
    assert all(
        each.textFormat() == Qt.TextFormat.PlainText for each in box.findChildren(QLabel) if each.text()
    )
    box.buttons()[0].click()
    qtbot.waitUntil(lambda: bool(answers))
    assert answers[0] in ("go", "no")


@pytest.mark.parametrize(
    "text", ["x" * 4_000, "-" * 4_000, "/" * 4_000, "\ufdfd" * 400, "a/" * 9 + "9" * 3_000]
)
def test_that_no_word_makes_a_label_that_wraps_wider_than_a_line(qtbot: QtBot, text: str) -> None:
    label = PlainLabel(text, wrap=True)
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() < 80 * label.fontMetrics().averageCharWidth()
    assert label.text().replace("\u200b", "") == text
    assert label.original == text


def test_that_paths_and_sentences_get_no_places_to_break() -> None:
    for text in (
        "/home/noor/harbor/agents/of/the/release/team/and-their/memory/harbor.constellation",
        "one word after another, however many there are of them, up to the end of the line",
    ):
        assert breakable(text) == text


def test_that_one_line_is_one_and_says_that_something_was_cut() -> None:
    assert one_line("a\n b\t\x00") == "a b ␀"
    assert one_line("word " * 100, 20) == "word word word word…"
    assert len(one_line("\x9b" * 100, 20)) == 20
    assert without_mnemonic("R&D " * 100, 9) == "R&&D R&&D …"


def test_that_a_notice_keeps_to_a_few_lines() -> None:
    assert few_lines("a\nb") == "a\nb"
    assert few_lines("line\n" * 100, 3) == "line\nline\n…"
    assert len(few_lines("x" * 9_000)) == 600


def test_that_a_path_is_cut_at_its_start() -> None:
    assert shorten_start("/a/b/c.constellation", 16) == "…c.constellation"
    assert shorten_start("/a/b", 16) == "/a/b"


def test_that_hidden_characters_are_counted_alike_with_and_without_others_beyond_ascii() -> None:
    text = "".join(map(chr, range(0x80))) * 2
    assert count_hidden(text) == count_hidden(text + "é") == len(hidden_at(text)) > 0
