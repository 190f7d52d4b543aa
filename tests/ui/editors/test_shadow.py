"""Where the code points of a text stand in a widget's UTF-16 units, and steps of undo."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.ui.editors.shadow import ShadowText, Steps, TextReplacement, stand_in
from tests.ui.texts import TEXTS


def naive_units(text: str) -> list[int]:
    """The unit at which each code point begins, and the end."""
    starts, unit = [], 0
    for character in text:
        starts.append(unit)
        unit += len(character.encode("utf-16-le")) // 2
    return [*starts, unit]


def naive_points(text: str) -> list[int]:
    """The code point that each unit belongs to, and the end."""
    points = []
    for place, character in enumerate(text):
        points += [place] * (len(character.encode("utf-16-le")) // 2)
    return [*points, len(text)]


@given(TEXTS)
def test_that_units_and_points_are_those_of_utf_16(text: str) -> None:
    shadow = ShadowText(text)
    assert [shadow.unit_of(point) for point in range(len(text) + 1)] == naive_units(text)
    assert [shadow.point_of(unit) for unit in range(shadow.units + 1)] == naive_points(text)


@given(st.data())
def test_that_the_places_stay_right_after_replacements(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    shadow = ShadowText(text)
    for _ in range(data.draw(st.integers(0, 5))):
        start = data.draw(st.integers(0, len(text)))
        delete = data.draw(st.integers(0, len(text) - start))
        insert = data.draw(TEXTS)
        change = shadow.replace(start, delete, insert)
        assert change == TextReplacement(start, text[start : start + delete], insert)
        text = text[:start] + insert + text[start + delete :]
        assert shadow.text == text
        assert [shadow.unit_of(point) for point in range(len(text) + 1)] == naive_units(text)
        assert shadow.units == naive_units(text)[-1]


@given(TEXTS)
def test_that_a_stand_in_is_as_long_as_the_text_and_keeps_its_lines(text: str) -> None:
    shown = stand_in(text)
    assert naive_units(shown) == naive_units(text)
    assert [place for place, each in enumerate(shown) if each == "\n"] == [
        place for place, each in enumerate(text) if each == "\n"
    ]


def test_that_what_a_widget_loses_has_a_visible_mark() -> None:
    assert stand_in("a\r\nb\u2028c\ufeff\x00\u202e") == "a↵\nb¤c¤¤↔"


def test_that_a_stand_in_keeps_what_a_widget_keeps() -> None:
    assert stand_in("tab\t, hard\u00a0space, 漢字, 😀") == "tab\t, hard\u00a0space, 漢字, 😀"


def test_that_typing_that_goes_on_is_one_step_and_a_new_line_ends_it() -> None:
    steps = Steps()
    for place, letter in enumerate("ab\nc"):
        steps.add(TextReplacement(place, "", letter))
    assert steps.undo() == (TextReplacement(3, "c", ""),)
    assert [each.removed for each in steps.undo()] == ["\n", "b", "a"]
    assert not steps.can_undo


def test_that_a_pause_begins_a_step() -> None:
    steps = Steps()
    steps.add(TextReplacement(0, "", "a"))
    steps.pause()
    steps.add(TextReplacement(1, "", "b"))
    assert steps.undo() == (TextReplacement(1, "b", ""),)
    assert steps.can_undo


def test_that_deleting_backwards_and_forwards_goes_on() -> None:
    for places in ((5, 4, 3), (3, 3, 3)):
        steps = Steps()
        for place in places:
            steps.add(TextReplacement(place, "x", ""))
        steps.undo()
        assert not steps.can_undo


def test_that_changes_made_together_are_taken_back_together_and_in_reverse() -> None:
    steps = Steps()
    steps.add(TextReplacement(0, "word", ""), TextReplacement(3, "", "word"))
    assert steps.undo() == (TextReplacement(3, "word", ""), TextReplacement(0, "", "word"))
    assert steps.redo() == (TextReplacement(0, "word", ""), TextReplacement(3, "", "word"))


def test_that_a_new_change_forgets_what_was_undone() -> None:
    steps = Steps()
    steps.add(TextReplacement(0, "", "a"))
    steps.undo()
    steps.add(TextReplacement(0, "", "b"))
    assert not steps.can_redo
    assert steps.redo() == ()
