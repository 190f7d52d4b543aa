"""A difference side by side: long lines are wrapped, and both sides are scrolled to the same line."""

import pytest
from PySide6.QtGui import QTextOption
from pytestqt.qtbot import QtBot

from inspector.domain.edits.base import Version
from inspector.domain.splices import spliced
from inspector.runtime.catalogues import shipped_counters
from inspector.runtime.history import compared_texts
from inspector.ui.appearance import Appearance
from inspector.ui.editors.difference_pane import DifferencePane
from inspector.ui.history.difference_view import DifferenceView
from inspector.ui.presentation.difference import shown_difference

PROSE = [f"Line {number} says what was agreed. " * (number % 5 + 1) for number in range(80)]
SHORT = [f"line {number}" for number in range(80)]


def shown_beside(qtbot: QtBot, appearance: Appearance, lines: list[str]) -> DifferenceView:
    view = DifferenceView(appearance)
    qtbot.addWidget(view)
    view.resize(500, 240)
    view.show()
    view.set_beside(beside=True)
    # Every line differs, on one side by much more than on the other.
    changed = [f"{each} {'and more words ' * (place % 3)}" for place, each in enumerate(lines)]
    compared = compared_texts(
        Version("v"), "\n".join(lines), "\n".join(changed), shipped_counters().counter(None)
    )
    view.show_difference(shown_difference(compared))
    return view


def compared(view: DifferenceView, before: str, after: str) -> None:
    counter = shipped_counters().counter(None)
    view.show_difference(shown_difference(compared_texts(Version(before), before, after, counter)))


@pytest.mark.parametrize(
    ("before", "after", "selected", "result"),
    [
        ("alpha beta gamma delta", "alpha delta plus", "gamma", "alpha gamma delta plus"),
        ("alpha beta gamma delta", "alpha delta plus", "beta gamma ", "alpha beta gamma delta plus"),
        ("alpha delta", "alpha beta gamma delta", "gamma ", "alpha beta delta"),
        # Other words stand in their place: each is changed back as a whole.
        ("say old words here", "say newer terms here", "ol", "say old terms here"),
        ("one\ntwo\nthree\nfour", "one\nfour", "two", "one\ntwo\nfour"),
        ("one\ntwo\nfour", "one\nfour", "two", "one\ntwo\nfour"),
        ("a line", "a line\nadded one\nadded two", "added one", "a line\nadded two"),
        ("a line", "a line\nadded one\nadded two", "added two", "a line\nadded one"),
        ("a line\nadded one\nadded two", "a line", "added two", "a line\nadded two"),
        ("one two", "one x\ny two", "x", "one \ny two"),
        ("one\r\ntwo", "one\r\naa\r\nbb\r\ntwo", "aa", "one\r\nbb\r\ntwo"),
        ("", "aa\nbb", "bb", "aa\n"),
    ],
)
def test_that_only_what_is_selected_is_changed_back(
    qtbot: QtBot, appearance: Appearance, before: str, after: str, selected: str, result: str
) -> None:
    view = DifferenceView(appearance)
    qtbot.addWidget(view)
    compared(view, before, after)
    cursor = view.inline.document().find(selected)
    assert cursor.selectedText() == selected
    view.inline.setTextCursor(cursor)
    assert spliced(after, view.selection_back()) == result


def topmost(pane: DifferencePane) -> int:
    return pane.firstVisibleBlock().blockNumber()


def test_that_long_lines_are_wrapped_and_the_same_line_is_topmost_on_both_sides(
    qtbot: QtBot, appearance: Appearance
) -> None:
    view = shown_beside(qtbot, appearance, PROSE)
    assert view.left.wordWrapMode() == QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
    assert not view.left.horizontalScrollBar().maximum()
    for value in (7, 40, 90):
        view.left.verticalScrollBar().setValue(value)
        assert topmost(view.right) == topmost(view.left) > 0
    view.right.verticalScrollBar().setValue(11)
    assert topmost(view.right) == topmost(view.left)


def test_that_short_lines_stand_line_beside_line(qtbot: QtBot, appearance: Appearance) -> None:
    view = shown_beside(qtbot, appearance, SHORT)
    assert view.left.wordWrapMode() == QTextOption.WrapMode.NoWrap
    view.left.verticalScrollBar().setValue(20)
    assert topmost(view.right) == topmost(view.left) == 20
