"""Replacing, lines, patches and regular expressions, as pure computations on a text."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.documents.text_edits import TextOperation, splices_of
from inspector.domain.content import text_lines
from inspector.domain.edits.text import PatchText, ReplaceLines, ReplaceMode, ReplaceText
from inspector.domain.errors import RefusedError
from inspector.domain.patterns import unrolled_size
from inspector.domain.splices import spliced
from tests.documents.builders import TEXTS, UNHURRIED

LINES = st.lists(
    st.sampled_from(["a", "b", "", "- c", "+ d", "@@", "漢🙂", "e\r", "\\ f", "--- g"]), max_size=12
)


def done(operation: TextOperation, text: str) -> str:
    return spliced(text, splices_of(operation, len(text), lambda: text))


def refused(operation: TextOperation, text: str) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        done(operation, text)
    return caught.value


@UNHURRIED
@given(TEXTS, st.text("ab漢", min_size=1, max_size=2), TEXTS)
def test_that_replacing_does_what_it_does_to_a_str(body: str, find: str, replace: str) -> None:
    if find not in body:
        error = refused(ReplaceText(find, replace), body)
        assert (error.code, error.parameters["find"]) == ("refused.text_not_found", find)
        return
    assert done(ReplaceText(find, replace), body) == body.replace(find, replace, 1)
    assert done(ReplaceText(find, replace, ReplaceMode.ALL), body) == body.replace(find, replace)


def test_that_the_nth_occurrence_is_replaced() -> None:
    assert done(ReplaceText("a", "X", ReplaceMode.NTH, 2), "a-a-a") == "a-X-a"
    error = refused(ReplaceText("a", "X", ReplaceMode.NTH, 4), "a-a-a")
    assert error.code == "refused.occurrence_not_found"
    assert (error.parameters["nth"], error.parameters["found"]) == (4, 3)
    assert refused(ReplaceText("a", "X", ReplaceMode.NTH, 0), "a").code == "refused.nth"


def test_that_nothing_cannot_be_found() -> None:
    for mode in ReplaceMode:
        assert refused(ReplaceText("", "x", mode), "abc").code == "refused.nothing_to_find"


def test_that_a_pattern_replaces_all_matches_with_its_groups() -> None:
    operation = ReplaceText(r"(\w+)@(\w+)", r"\2 at \1", ReplaceMode.REGEX)
    assert done(operation, "a@b, 漢🙂c@d") == "b at a, 漢🙂d at c"
    assert done(ReplaceText("x*", "-", ReplaceMode.REGEX), "abc") == "-a-b-c-"


@pytest.mark.parametrize("pattern", ["(", "[a", "(?P<n", "a**", "(?:" * 300])
def test_that_a_malformed_pattern_is_refused(pattern: str) -> None:
    error = refused(ReplaceText(pattern, "", ReplaceMode.REGEX), "aaa")
    assert (error.code, bool(error.parameters["why"])) == ("refused.regex", True)


def test_that_a_replacement_without_its_group_is_refused() -> None:
    assert refused(ReplaceText("a", r"\7", ReplaceMode.REGEX), "aaa").code == "refused.regex"


def test_that_a_pattern_that_never_ends_is_stopped() -> None:
    error = refused(ReplaceText("(a+)+b|a", "", ReplaceMode.REGEX), "a" * 30_000)
    assert error.code == "refused.regex_time"


@pytest.mark.parametrize(
    "pattern",
    ["(?:(?:a{1000}){1000}){1000}", "a{1000000000}", "(?:ab{900}){900,}", "(?:(?:[ab]{500}){5,9}){10}"],
)
def test_that_a_pattern_that_would_take_all_memory_is_refused(pattern: str) -> None:
    assert refused(ReplaceText(pattern, "", ReplaceMode.REGEX), "aaa").code == "refused.regex_size"


def test_that_a_long_pattern_is_refused() -> None:
    assert refused(ReplaceText("a" * 1001, "", ReplaceMode.REGEX), "aaa").code == "refused.regex_length"


@pytest.mark.parametrize(
    ("pattern", "size"), [("abc", 3), ("a{3}", 3), ("(ab){2}c", 7), ("a{,9}", 1), ("a{x}", 4), (r"\{2}", 3)]
)
def test_that_repetitions_count_as_what_they_unroll_to(pattern: str, size: int) -> None:
    assert unrolled_size(pattern) == size


def test_that_a_replacement_cannot_multiply_a_text_beyond_memory() -> None:
    body = "a" * 20_000
    for operation in (
        ReplaceText("a", "b" * 10_000, ReplaceMode.ALL),
        ReplaceText("a", "b" * 10_000, ReplaceMode.REGEX),
        ReplaceText("(a+)", r"\1" * 1000, ReplaceMode.REGEX),
    ):
        assert refused(operation, body).code == "refused.inserts_too_much"


@pytest.mark.parametrize(
    ("first", "last", "text", "result"),
    [
        (1, 1, "A", "A\ntwo\r\nthree"),
        (2, 2, "B", "one\nB\r\nthree"),
        (2, 2, "B\n", "one\nB\nthree"),
        (3, 3, "C", "one\ntwo\r\nC"),
        (2, 3, "x\ny", "one\nx\ny"),
        (1, 2, "", "three"),
        (1, 3, "all", "all"),
        (2, 2, "\n", "one\n\nthree"),
    ],
)
def test_that_whole_lines_are_replaced(first: int, last: int, text: str, result: str) -> None:
    assert done(ReplaceLines(first, last, text), "one\ntwo\r\nthree") == result


def test_that_an_empty_text_is_one_empty_line() -> None:
    assert done(ReplaceLines(1, 1, "a"), "") == "a"


@pytest.mark.parametrize(("first", "last"), [(0, 1), (2, 1), (1, 4), (4, 4)])
def test_that_lines_outside_the_text_are_refused(first: int, last: int) -> None:
    error = refused(ReplaceLines(first, last, "x"), "one\ntwo\nthree\n")
    assert error.code == "refused.lines"
    assert dict(error.parameters) == {"first": first, "last": last, "lines": 3}


def unified(old: list[str], new: list[str], context: int) -> str:
    """A diff as the usual tools write it: told where a line has no end."""
    rows = difflib.unified_diff(old, new, "a", "b", n=context)
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


@UNHURRIED
@given(LINES, LINES, st.booleans(), st.booleans(), st.integers(0, 3))
def test_that_a_patch_leads_from_one_text_to_the_other(
    old: list[str], new: list[str], old_ends: bool, new_ends: bool, context: int
) -> None:
    before = "\n".join(old) + ("\n" if old and old_ends else "")
    after = "\n".join(new) + ("\n" if new and new_ends else "")
    diff = unified(text_lines(before), text_lines(after), context)
    if diff:
        assert done(PatchText(diff), before) == after


def test_that_a_hunk_is_found_where_its_lines_stand() -> None:
    patch = PatchText("@@ -1,2 +1,2 @@\n b\n-c\n+C\n")
    assert done(patch, "x\ny\nb\nc\n") == "x\ny\nb\nC\n"
    error = refused(patch, "x\nb\nc\nb\nc\n")
    assert (error.code, error.parameters["places"]) == ("refused.patch_does_not_fit", 2)


def test_that_a_diff_need_not_know_the_end_of_the_text() -> None:
    assert done(PatchText("@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), "a\nb") == "a\nc"
    assert done(PatchText("@@ -1,2 +1,3 @@\n a\n b\n+c\n"), "a\nb") == "a\nb\nc"


def test_that_one_hunk_that_does_not_fit_refuses_the_whole_patch() -> None:
    error = refused(PatchText("@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-x\n+X\n"), "a\nb\nc\n")
    assert error.code == "refused.patch_does_not_fit"
    assert (error.parameters["hunk"], error.parameters["line"]) == (2, 3)


@pytest.mark.parametrize(
    "diff",
    ["", "nothing", "@@ -1 +1 @@\n", "@@ -1,2 +1 @@\n-a\n", "@@ -1 +1 @@\n*a\n", "@@ -1 +1 @@\n-a\n+b\nrest"],
)
def test_that_what_is_no_diff_is_refused(diff: str) -> None:
    assert refused(PatchText(diff), "a\nb\n").code == "refused.patch"


@pytest.mark.parametrize("nth", [4, 10**23])
def test_that_an_occurrence_beyond_the_last_is_told_however_far(nth: int) -> None:
    error = refused(ReplaceText("a", "b", ReplaceMode.NTH, nth), "aaa")
    assert error.code == "refused.occurrence_not_found"
    assert (error.parameters["nth"], error.parameters["found"]) == (nth, 3)
