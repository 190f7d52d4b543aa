"""Which lines a draft added, changed or deleted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.edits.text import Splice
from inspector.domain.splices import changed_stretch, spliced
from inspector.ui.editors.change_marks import ChangeKind, ChangeMarks, change_marks

ADDED, CHANGED, DELETED = ChangeKind.ADDED, ChangeKind.CHANGED, ChangeKind.DELETED
LINES = st.lists(st.sampled_from(["", "a", "bb", "c c"]), max_size=6).map("\n".join)


def by_line(text: str, marks: ChangeMarks) -> list[set[ChangeKind]]:
    """What is marked on each line of a text."""
    found, at = [], 0
    for line in text.split("\n"):
        found.append(set(marks.kinds(at, at + len(line))))
        at += len(line) + 1
    return found


def marked(base: str, *splices: Splice) -> list[set[ChangeKind]]:
    text = spliced(base, splices)
    return by_line(text, change_marks(base, text, splices))


@pytest.mark.parametrize(
    ("splice", "expected"),
    [
        (Splice(1, 0, "x"), [{CHANGED}, set(), set()]),
        (Splice(4, 1, "Y"), [set(), {CHANGED}, set()]),
        (Splice(4, 0, "new\n"), [set(), {ADDED}, set(), set()]),
        (Splice(3, 0, "\nnew"), [set(), {ADDED}, set(), set()]),
        (Splice(11, 0, "\nnew"), [set(), set(), set(), {ADDED}]),
        (Splice(4, 4, ""), [set(), {DELETED}]),
        (Splice(3, 4, ""), [set(), {DELETED}]),
        (Splice(5, 0, "1\n2\n3"), [set(), {CHANGED}, {ADDED}, {ADDED}, set()]),
        (Splice(5, 4, ""), [set(), {CHANGED, DELETED}]),
        (Splice(0, 11, "all new"), [{CHANGED, DELETED}]),
    ],
)
def test_that_each_line_is_marked_by_what_happened_to_it(
    splice: Splice, expected: list[set[ChangeKind]]
) -> None:
    assert marked("one\ntwo\nsix", splice) == expected


def test_that_several_changes_are_marked_each_at_its_line() -> None:
    base = "one\ntwo\nsix\nten"
    found = marked(base, Splice(0, 0, "zero\n"), Splice(5, 1, "W"), Splice(11, 4, ""))
    assert found == [{ADDED}, set(), {CHANGED}, {DELETED}]


@given(base=LINES, text=LINES)
def test_that_lines_without_a_mark_stand_in_the_base(base: str, text: str) -> None:
    splices = changed_stretch(base, text)
    found = by_line(text, change_marks(base, text, splices))
    assert any(found) or base == text or len(base) > len(text)
    plain = [line for line, kinds in zip(text.split("\n"), found, strict=True) if not kinds - {DELETED}]
    rest = iter(base.split("\n"))
    assert all(line in rest for line in plain)


def test_that_going_on_comes_round_to_the_first_change() -> None:
    base = "one\ntwo\nsix"
    splices = (Splice(0, 1, "O"), Splice(8, 1, "S"))
    marks = change_marks(base, spliced(base, splices), splices)
    assert marks.beyond(0, 1) == 8
    assert marks.beyond(8, 1) == 0
    assert marks.beyond(0, -1) == 8
    assert ChangeMarks().beyond(0, 1) is None
