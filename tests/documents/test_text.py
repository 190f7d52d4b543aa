"""Texts: every operation against a plain str."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loro import LoroDoc

from inspector.documents.document import Document
from inspector.documents.shapes import text as text_shape
from inspector.documents.shapes.text import (
    MOST_SPLICES,
    delta_of,
    fewer,
    insert_text,
    splice_text,
)
from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.text import (
    AppendText,
    InsertText,
    ReplaceMode,
    ReplaceText,
    SetText,
    Splice,
    SpliceText,
)
from inspector.domain.errors import RefusedError
from inspector.domain.splices import spliced
from tests.documents.builders import TEXTS, UNHURRIED, new, replica, stamp


@st.composite
def bodies_and_splices(draw: st.DrawFn) -> tuple[str, tuple[Splice, ...]]:
    body = draw(TEXTS)
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=6)))
    if len(cuts) % 2:
        cuts.pop()
    pairs = zip(cuts[::2], cuts[1::2], strict=True)
    return body, tuple(Splice(start, end - start, draw(TEXTS)) for start, end in pairs)


def text_of(document: Document) -> str:
    content = document.content()
    assert isinstance(content, TextContent)
    return content.text


def in_model(text: str, splices: tuple[Splice, ...]) -> str:
    for splice in reversed(splices):
        text = text[: splice.start] + splice.insert + text[splice.start + splice.delete :]
    return text


@UNHURRIED
@given(TEXTS)
def test_that_a_text_is_kept_as_it_is(text: str) -> None:
    document = new(TextSchema(), TextContent(text))
    assert text_of(document) == text
    assert text_of(replica(document)) == text
    assert document.text_length == len(text)


def test_that_a_hostile_text_is_kept_as_it_is(hostile_text: str) -> None:
    document = new(TextSchema())
    document.apply(SetText(hostile_text), stamp())
    assert text_of(replica(document)) == hostile_text


@UNHURRIED
@given(bodies_and_splices())
def test_that_splices_do_what_they_do_to_a_str(case: tuple[str, tuple[Splice, ...]]) -> None:
    body, splices = case
    document = new(TextSchema(), TextContent(body))
    applied = document.apply(SpliceText(splices), stamp())
    assert text_of(document) == in_model(body, splices) == spliced(body, splices)
    if applied is None:
        assert text_of(document) == body


@UNHURRIED
@given(TEXTS, st.lists(TEXTS, max_size=5))
def test_that_any_text_can_be_set(first: str, others: list[str]) -> None:
    document = new(TextSchema(), TextContent(first))
    for text in others:
        document.apply(SetText(text), stamp())
        assert text_of(document) == text


@UNHURRIED
@given(TEXTS, TEXTS, st.data())
def test_that_an_insertion_counts_code_points(body: str, insert: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(body)))
    document = new(TextSchema(), TextContent(body))
    document.apply(InsertText(at, insert), stamp())
    assert text_of(document) == body[:at] + insert + body[at:]


@UNHURRIED
@given(TEXTS, TEXTS)
def test_that_an_append_comes_last(body: str, more: str) -> None:
    document = new(TextSchema(), TextContent(body))
    document.apply(AppendText(more), stamp())
    assert text_of(document) == body + more


def test_that_a_text_without_likeness_is_set_in_time() -> None:
    old = "".join(chr(0x4E00 + (each * 7919) % 9000) for each in range(30_000))
    new_text = "".join(chr(0x4E00 + (each * 104_729) % 9000) for each in range(30_000))
    document = new(TextSchema(), TextContent(old))
    document.apply(SetText(new_text), stamp())
    assert text_of(document) == new_text


@UNHURRIED
@given(bodies_and_splices(), bodies_and_splices())
def test_that_edits_of_an_older_version_converge_in_both_orders(
    one: tuple[str, tuple[Splice, ...]], other: tuple[str, tuple[Splice, ...]]
) -> None:
    body = one[0]
    theirs = tuple(each for each in other[1] if each.start + each.delete <= len(body))
    left = new(TextSchema(), TextContent(body))
    right = replica(left)
    base = left.version
    orders = ((left, one[1], theirs), (right, theirs, one[1]))
    updates = []
    for document, first, second in orders:
        document.apply(SpliceText(first), stamp())
        document.apply(SpliceText(second), stamp(), base)
        updates.append(document.export_updates(base))
    left.merge(updates[1])
    right.merge(updates[0])
    assert left.content() == right.content()
    assert left.version == right.version


def test_that_two_set_texts_at_once_merge_without_doubling() -> None:
    left = new(TextSchema(), TextContent("one\ntwo\nthree\nfour\n"))
    right = replica(left)
    base = left.version
    left.apply(SetText("one\n2\nthree\nfour\n"), stamp())
    right.apply(SetText("one\ntwo\nthree\nfour\nfive\n"), stamp())
    from_left, from_right = left.export_updates(base), right.export_updates(base)
    left.merge(from_right)
    right.merge(from_left)
    assert text_of(left) == text_of(right) == "one\n2\nthree\nfour\nfive\n"


@pytest.mark.parametrize("lines", [40, 1_000, 2_000])
def test_that_whole_texts_that_change_other_lines_of_a_long_one_merge_to_both(lines: int) -> None:
    def text(*marks: tuple[int, str]) -> str:
        found = dict(marks)
        return "".join(
            f"line {number} says what {number * 7919} lines say{found.get(number % 4, '')}\n"
            for number in range(lines)
        )

    document = new(TextSchema(), TextContent(text()))
    base = document.version
    theirs = document.apply(SetText(text((0, ", theirs"))), stamp())
    mine = document.apply(SetText(text((2, ", mine"))), stamp(), base)
    assert document.content() == TextContent(text((0, ", theirs"), (2, ", mine")))
    # And each has written no more than what is new, so that the rest stays whose it was.
    for made, added in ((theirs, ", theirs"), (mine, ", mine")):
        assert made is not None
        assert made.counter_to - made.counter_from == len(added) * len(range(0, lines, 4))


def test_that_a_set_text_made_for_an_older_version_keeps_what_came_since() -> None:
    document = new(TextSchema(), TextContent("alpha beta gamma"))
    base = document.version
    document.apply(SetText("alpha beta gamma delta"), stamp())
    applied = document.apply(SetText("ALPHA beta gamma"), stamp(), base)
    assert applied is not None
    assert text_of(document) == "ALPHA beta gamma delta"


@pytest.mark.parametrize(
    "operation",
    [
        AppendText(""),
        InsertText(2, ""),
        SetText("same 漢🙂"),
        SpliceText(()),
        SpliceText((Splice(0, 4, "same"), Splice(5, 0, ""))),
    ],
)
def test_that_what_changes_nothing_leaves_no_trace(operation: Operation) -> None:
    document = new(TextSchema(), TextContent("same 漢🙂"))
    version, snapshot = document.version, document.export_snapshot()
    assert document.apply(operation, stamp()) is None
    assert document.version == version
    assert len(document.export_snapshot()) == len(snapshot)
    assert document.export_updates(version) == new_empty_updates(document)


def new_empty_updates(document: Document) -> bytes:
    return replica(document).export_updates(document.version)


@pytest.mark.parametrize(
    ("operation", "code", "numbers"),
    [
        (InsertText(4, "x"), "refused.position", {"start": 4, "length": 3}),
        (InsertText(-1, "x"), "refused.position", {"start": -1, "length": 3}),
        (SpliceText((Splice(2, 2, ""),)), "refused.position", {"end": 4, "length": 3}),
        (SpliceText((Splice(0, -1, ""),)), "refused.position", {}),
        (SpliceText((Splice(1, 1, "a"), Splice(0, 1, "b"))), "refused.splice_order", {"start": 0, "end": 2}),
        (AppendText("\ud800"), "refused.not_unicode", {"position": 0}),
        (SetText("ab\udfff"), "refused.not_unicode", {"position": 2}),
        (SetField("a", 1), "refused.wrong_schema", {"operation": "set_field", "schema": "text"}),
    ],
)
def test_that_a_refused_operation_changes_nothing(
    operation: Operation, code: str, numbers: dict[str, object]
) -> None:
    document = new(TextSchema(), TextContent("a🙂c"))
    version = document.version
    with pytest.raises(RefusedError) as caught:
        document.apply(operation, stamp())
    assert caught.value.code == code
    assert numbers.items() <= dict(caught.value.parameters).items()
    assert document.version == version
    assert text_of(document) == "a🙂c"


def test_that_splices_which_give_together_what_was_there_change_nothing() -> None:
    document = new(TextSchema(), TextContent("aaa"))
    before = document.version
    assert document.apply(SpliceText((Splice(0, 1, ""), Splice(1, 1, "aa"))), stamp()) is None
    assert document.version == before
    assert document.apply(SpliceText((Splice(0, 1, ""), Splice(1, 1, "ab"))), stamp()) is not None


def test_that_a_splice_removes_nothing_that_it_would_write_again() -> None:
    document = new(TextSchema(), TextContent("one two three"))
    other = replica(document)
    document.apply(SpliceText((Splice(0, 13, "one 2 three"),)), stamp())
    other.apply(SpliceText((Splice(0, 3, "eins"),)), stamp())
    document.merge(other.export_updates())
    assert text_of(document) == "eins 2 three"


@given(bodies_and_splices(), st.integers(1, 4))
def test_that_fewer_splices_give_the_same_text(
    given_splices: tuple[str, tuple[Splice, ...]], most: int
) -> None:
    body, splices = given_splices
    less = fewer(splices, body, most)
    assert len(less) <= most
    assert spliced(body, less) == spliced(body, splices)


def test_that_of_many_splices_the_nearest_become_one() -> None:
    splices = (Splice(0, 1, "A"), Splice(8, 1, "B"), Splice(10, 0, "C"))
    assert fewer(splices, "0123456789ab", 2) == [Splice(0, 1, "A"), Splice(8, 2, "B9C")]


def test_that_of_splices_as_near_to_one_another_as_the_others_none_takes_in_many() -> None:
    splices = tuple(Splice(at, 1, "X") for at in range(0, 3_000, 3))
    less = fewer(splices, "abc" * 1_000, 100)
    assert len(less) == 100
    assert max(each.delete for each in less) <= 40


@given(bodies_and_splices())
def test_that_splicing_from_the_middle_gives_the_same_text(
    given_splices: tuple[str, tuple[Splice, ...]],
) -> None:
    body, splices = given_splices
    text = LoroDoc().get_text("text")  # type: ignore[no-untyped-call]
    text.insert(0, body)
    splice_text(text, splices)
    assert text.to_string() == spliced(body, splices)


def test_that_what_is_inserted_at_one_place_keeps_its_order() -> None:
    splices = tuple(Splice(1, 0, letter) for letter in "abcdefghijk")
    text = LoroDoc().get_text("text")  # type: ignore[no-untyped-call]
    text.insert(0, "<>")
    splice_text(text, splices)
    assert text.to_string() == "<abcdefghijk>"


@UNHURRIED
@given(bodies_and_splices(), st.integers(1, 5))
def test_that_what_is_written_in_pieces_is_the_same_text(
    given_splices: tuple[str, tuple[Splice, ...]], longest: int
) -> None:
    body, splices = given_splices
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text_shape, "LONGEST", longest)
        text = LoroDoc().get_text("text")  # type: ignore[no-untyped-call]
        insert_text(text, 0, body)
        assert text.to_string() == body
        splice_text(text, splices)
        assert text.to_string() == spliced(body, splices)


def test_that_many_replacements_go_to_the_document_in_few_rows_and_the_middle_one_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[list[Splice]] = []
    real = delta_of

    def counted(splices: Iterable[Splice]) -> Iterator[object]:
        sent.append(list(splices))
        return real(sent[-1])

    document = new(TextSchema(), TextContent("ab" * 30_000))
    monkeypatch.setattr(text_shape, "delta_of", counted)
    document.apply(ReplaceText("a", "xyz", ReplaceMode.ALL), stamp())
    assert sum(map(len, sent)) == MOST_SPLICES
    # Each row is twice as long as the one before, so that no stretch is cut more often than there are rows.
    assert len(sent) == MOST_SPLICES.bit_length()
    assert [len(row) for row in sent[:4]] == [1, 2, 4, 8]
    assert 20_000 < sent[0][0].start < 40_000
    assert text_of(document) == "xyzb" * 30_000
