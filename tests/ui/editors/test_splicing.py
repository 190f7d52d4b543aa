"""What was done to a text, as replacements counted in its base."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.edits.text import Splice
from inspector.ui.editors.splicing import BaseSplices, carried_over, common_ends, difference, spliced, trimmed
from tests.ui.texts import TEXTS

SHORT = st.text("ab\n😀", max_size=4)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Splice], str]:
    """A base, replacements one after the other, each counted in what the one before gave, and the outcome."""
    base = draw(TEXTS)
    text, edits = base, []
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(text)))
        edit = Splice(start, draw(st.integers(0, len(text) - start)), draw(SHORT))
        text = text[: edit.start] + edit.insert + text[edit.start + edit.delete :]
        edits.append(edit)
    return base, edits, text


@st.composite
def disjoint(draw: st.DrawFn, text: str) -> tuple[Splice, ...]:
    """Ascending replacements of a text that do not overlap and do not touch."""
    made, at = [], 0
    while at <= len(text) and draw(st.booleans()):
        start = draw(st.integers(at, len(text)))
        delete = draw(st.integers(0, len(text) - start))
        made.append(Splice(start, delete, draw(SHORT)))
        at = start + delete + 1
    return tuple(made)


@given(edited())
def test_that_the_splices_make_the_present_text_of_the_base(case: tuple[str, list[Splice], str]) -> None:
    base, edits, text = case
    splicing = BaseSplices(len(base))
    for edit in edits:
        splicing.replace(edit.start, edit.delete, edit.insert)
    assert spliced(base, splicing.splices()) == text


@given(edited())
def test_that_splices_ascend_and_do_not_overlap(case: tuple[str, list[Splice], str]) -> None:
    base, edits, _ = case
    splicing = BaseSplices(len(base))
    for edit in edits:
        splicing.replace(edit.start, edit.delete, edit.insert)
    found = splicing.splices()
    assert all(first.start + first.delete < second.start for first, second in itertools.pairwise(found))
    assert all(0 <= each.start <= each.start + each.delete <= len(base) for each in found)
    assert all(each.delete or each.insert for each in found)


@given(st.data())
def test_that_splices_applied_at_once_are_those_applied_one_by_one(data: st.DataObject) -> None:
    base = data.draw(TEXTS)
    splices = data.draw(disjoint(base))
    at_once, one_by_one = BaseSplices(len(base)), BaseSplices(len(base))
    at_once.apply(splices)
    for each in reversed(splices):
        one_by_one.replace(each.start, each.delete, each.insert)
    assert at_once.splices() == one_by_one.splices()
    assert spliced(base, at_once.splices()) == spliced(base, splices)


@given(edited())
def test_that_trimmed_splices_still_make_the_same_text(case: tuple[str, list[Splice], str]) -> None:
    base, edits, text = case
    splicing = BaseSplices(len(base))
    for edit in edits:
        splicing.replace(edit.start, edit.delete, edit.insert)
    kept = trimmed(splicing.splices(), base)
    assert spliced(base, kept) == text
    assert not any(
        each.insert and base.startswith(each.insert[0], each.start) and each.delete for each in kept
    )


def test_that_what_was_typed_and_deleted_again_leaves_no_splice() -> None:
    splicing = BaseSplices(3)
    splicing.replace(1, 0, "x")
    splicing.replace(1, 1, "")
    assert splicing.splices() == ()


def test_that_a_deleted_and_retyped_stretch_is_trimmed_away() -> None:
    assert trimmed((Splice(1, 3, "bcd"),), "abcde") == ()
    assert trimmed((Splice(0, 5, "abXde"),), "abcde") == (Splice(2, 1, "X"),)


@given(TEXTS, TEXTS)
def test_that_the_difference_of_two_texts_makes_one_of_the_other(before: str, after: str) -> None:
    assert spliced(before, difference(before, after)) == after
    assert bool(difference(before, after)) == (before != after)


@given(TEXTS, TEXTS)
def test_that_common_ends_are_common_and_do_not_overlap(old: str, new: str) -> None:
    first, last = common_ends(old, new)
    assert first + last <= min(len(old), len(new))
    assert old[:first] == new[:first]
    assert old[len(old) - last :] == new[len(new) - last :]
    rest_old, rest_new = old[first : len(old) - last], new[first : len(new) - last]
    assert not (rest_old and rest_new and (rest_old[0] == rest_new[0] or rest_old[-1] == rest_new[-1]))


@given(st.data())
def test_that_two_edits_of_different_places_both_hold_after_carrying_one_over(data: st.DataObject) -> None:
    head, middle, tail = data.draw(TEXTS), data.draw(TEXTS), data.draw(TEXTS)
    theirs = data.draw(SHORT)
    mine_head, mine_tail = data.draw(disjoint(head)), data.draw(disjoint(tail))
    # Walls of a letter that nothing else holds keep the places apart.
    before = f"{head}Ω{middle}Ω{tail}"
    after = f"{head}Ω{theirs}Ω{tail}"
    shift = len(head) + len(middle) + 2
    mine = (*mine_head, *(Splice(each.start + shift, each.delete, each.insert) for each in mine_tail))
    expected = f"{spliced(head, mine_head)}Ω{theirs}Ω{spliced(tail, mine_tail)}"
    assert spliced(after, carried_over(mine, before, after)) == expected


@given(st.data())
def test_that_carrying_over_loses_no_text_of_either_side(data: st.DataObject) -> None:
    before = data.draw(TEXTS)
    first = data.draw(st.integers(0, len(before)))
    last = data.draw(st.integers(first, len(before)))
    after = f"{before[:first]}«theirs»{before[last:]}"
    mine = data.draw(disjoint(before))
    moved = carried_over(mine, before, after)
    outcome = spliced(after, moved)
    assert "«theirs»" in outcome
    assert "".join(each.insert for each in moved) == "".join(each.insert for each in mine)
    assert all(one.start + one.delete <= two.start for one, two in itertools.pairwise(moved))
