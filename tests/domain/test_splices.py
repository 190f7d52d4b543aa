"""Edits of texts: applied, combined, found and rebased, against plain str."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.edits.text import Splice
from inspector.domain.splices import (
    between,
    changed_stretch,
    common_ends,
    composed,
    joined,
    rebased,
    spliced,
    trimmed,
    with_words_again,
)
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


def in_one(edits: list[Splice]) -> tuple[Splice, ...]:
    """Edits one after the other as one."""
    found: tuple[Splice, ...] = ()
    for each in edits:
        found = composed(found, (each,))
    return found


@given(edited())
def test_that_edits_one_after_the_other_are_composed_to_one(case: tuple[str, list[Splice], str]) -> None:
    base, edits, text = case
    found = in_one(edits)
    assert spliced(base, found) == text
    assert all(first.start + first.delete < second.start for first, second in pairwise(found))
    assert all(0 <= each.start <= each.start + each.delete <= len(base) for each in found)
    assert all(each.delete or each.insert for each in found)


@given(st.data())
def test_that_edits_of_many_splices_are_composed(data: st.DataObject) -> None:
    base = data.draw(TEXTS)
    first = data.draw(disjoint(base))
    middle = spliced(base, first)
    second = data.draw(disjoint(middle))
    found = composed(joined(first), second)
    assert spliced(base, found) == spliced(middle, second)
    assert joined(found) == found
    assert composed(first, ()) == composed((), first) == joined(first)


@given(edited())
def test_that_trimmed_splices_still_make_the_same_text(case: tuple[str, list[Splice], str]) -> None:
    base, edits, text = case
    kept = trimmed(in_one(edits), base)
    assert spliced(base, kept) == text
    assert not any(
        each.insert and base.startswith(each.insert[0], each.start) and each.delete for each in kept
    )


def test_that_what_was_typed_and_deleted_again_leaves_no_splice() -> None:
    assert composed((Splice(1, 0, "x"),), (Splice(1, 1, ""),)) == ()


def test_that_a_deleted_and_retyped_stretch_is_trimmed_away() -> None:
    assert trimmed((Splice(1, 3, "bcd"),), "abcde") == ()
    assert trimmed((Splice(0, 5, "abXde"),), "abcde") == (Splice(2, 1, "X"),)


@given(TEXTS, TEXTS)
def test_that_what_leads_from_one_text_to_another_does(before: str, after: str) -> None:
    for found in (between(before, after), changed_stretch(before, after)):
        assert spliced(before, found) == after
        assert bool(found) == (before != after)


def test_that_few_letters_are_compared_by_letters_and_many_by_words() -> None:
    few = "one two three four"
    assert between(few, "one 2 three f0ur") == (Splice(4, 3, "2"), Splice(15, 1, "0"))
    many = "".join(f"line {number}\n" for number in range(20_000))
    changed = many.replace("line 7\n", "lime 7\n").replace("line 19990\n", "line 19990!\n")
    found = between(many, changed)
    assert [(each.delete, each.insert) for each in found] == [(1, "m"), (0, "!")]


@given(TEXTS, TEXTS)
def test_that_common_ends_are_common_and_do_not_overlap(old: str, new: str) -> None:
    first, last = common_ends(old, new)
    assert first + last <= min(len(old), len(new))
    assert old[:first] == new[:first]
    assert old[len(old) - last :] == new[len(new) - last :]
    rest_old, rest_new = old[first : len(old) - last], new[first : len(new) - last]
    assert not (rest_old and rest_new and (rest_old[0] == rest_new[0] or rest_old[-1] == rest_new[-1]))


@given(st.data())
def test_that_two_edits_of_different_places_both_hold_after_rebasing_one(data: st.DataObject) -> None:
    head, middle, tail = data.draw(TEXTS), data.draw(TEXTS), data.draw(TEXTS)
    theirs = data.draw(SHORT)
    mine_head, mine_tail = data.draw(disjoint(head)), data.draw(disjoint(tail))
    # Walls of a letter that nothing else holds keep the places apart.
    before = f"{head}Ω{middle}Ω{tail}"
    after = f"{head}Ω{theirs}Ω{tail}"
    shift = len(head) + len(middle) + 2
    mine = (*mine_head, *(Splice(each.start + shift, each.delete, each.insert) for each in mine_tail))
    expected = f"{spliced(head, mine_head)}Ω{theirs}Ω{spliced(tail, mine_tail)}"
    assert spliced(after, rebased(mine, changed_stretch(before, after))) == expected


@given(st.data())
def test_that_rebasing_loses_no_text_of_either_side(data: st.DataObject) -> None:
    before = data.draw(TEXTS)
    first = data.draw(st.integers(0, len(before)))
    last = data.draw(st.integers(first, len(before)))
    after = f"{before[:first]}«theirs»{before[last:]}"
    mine = data.draw(disjoint(before))
    moved = rebased(mine, changed_stretch(before, after))
    outcome = spliced(after, moved)
    assert "«theirs»" in outcome
    assert "".join(each.insert for each in moved) == "".join(each.insert for each in mine)
    assert all(one.start + one.delete <= two.start for one, two in pairwise(moved))


def test_that_words_that_are_written_again_are_kept() -> None:
    text = "The quick brown fox jumps."
    again = (Splice(0, 26, "The quick red fox jumps."),)
    assert with_words_again(again, text) == (Splice(10, 5, "red"),)
    new = (Splice(0, 26, "Something quick and else."),)
    assert with_words_again(new, text) == new
