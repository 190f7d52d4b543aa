"""A conflict begins at one height in the panes that are compared, however much stands above it in each."""

from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.differences.conflicts import conflicts
from inspector.domain.differences.contents import diff_contents
from inspector.domain.edits.base import Version
from inspector.domain.history import ThreeWay
from inspector.ui.appearance import Appearance
from inspector.ui.editors.review_text import TextReview
from inspector.ui.editors.text import TextEditor

BEGIN = "the last filler\n"
"""The line above the conflict."""


def sides(above: str) -> ThreeWay:
    """One side writes a long line anew and the other changes its last word; theirs has `above` in front as well."""
    before = "".join(("filler\n" * 40, BEGIN, "a kiln " * 20, "is cold\n", "more\n" * 40))
    mine = before.replace("a kiln " * 20 + "is cold", "anew and warm")
    theirs = above + before.replace("is cold", "is hot")
    schema, (base, one, other) = TextSchema(), (TextContent(each) for each in (before, mine, theirs))
    found = conflicts(schema, diff_contents(base, other), diff_contents(base, one))
    return ThreeWay(schema, base, other, one, None, Version("1"), conflicts=found)


def height(pane: TextEditor) -> int:
    """Where the line above the conflict stands in a pane, in pixels."""
    found = pane.document().find(BEGIN.strip())
    assert isinstance(found, QTextCursor)
    return pane.cursorRect(found).top()


def test_that_a_conflict_begins_at_one_height_in_all_panes(qtbot: QtBot, appearance: Appearance) -> None:
    review = TextReview(appearance)
    qtbot.addWidget(review)
    review.resize(900, 500)
    review.show()
    review.show_sides(sides("theirs\n" * 7), "Grace")
    qtbot.waitUntil(lambda: review.mine.verticalScrollBar().value() > 0)
    review.go_to(0)
    assert height(review.base) == height(review.theirs) == height(review.mine)
    assert 0 < height(review.mine) < review.mine.viewport().height()
