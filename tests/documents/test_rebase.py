"""An edit that was made for an older version of a text: what comes of it, and that it does not cost the history."""

from __future__ import annotations

from itertools import count, pairwise
from random import Random

import pytest
from hypothesis import given
from loro import ExportMode, Frontiers, LoroDoc

from inspector.documents.document import Document
from inspector.documents.loro_replica import ForkCache, LoroReplica
from inspector.documents.rebase import values_with_both
from inspector.domain.blocks import CompositeSchema, FieldDef, FieldType, MapSchema, SectionDef, TextSchema
from inspector.domain.content import CompositeContent, FieldEntry, MapContent, TextContent
from inspector.domain.edits.base import Version
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.items import InSection
from inspector.domain.edits.text import AppendText, InsertText, SetText, Splice, SpliceText
from inspector.domain.splices import spliced
from tests.documents.builders import UNHURRIED, new, replica, stamp
from tests.documents.random_documents import SEEDS, text_of

FIRST = "abcdefghij"


class Letters:
    """Edits of a text in which every letter is written once."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self._next = count(0x4E00)

    def splices(self, text: str) -> tuple[Splice, ...]:
        """One to three splices that do something."""
        found: list[Splice] = []
        at = 0
        for _ in range(self.chance.randint(1, 3)):
            start = self.chance.randint(at, len(text))
            delete = min(self.chance.choice((0, 1, 4)), len(text) - start)
            letters = "".join(chr(next(self._next)) for _ in range(self.chance.choice((0, 1, 2))))
            if delete or letters:
                found.append(Splice(start, delete, letters))
                at = start + delete
        return tuple(found) or (Splice(0, 0, chr(next(self._next))),)


def only(text: str, letters: str) -> str:
    """The text without what is not among those letters."""
    return "".join(each for each in text if each in letters)


@UNHURRIED
@given(SEEDS)
def test_that_both_sides_are_there_as_each_of_them_wrote_it(seed: int) -> None:
    letters = Letters(seed)
    document = new(TextSchema(), TextContent(FIRST))
    base = document.version
    mine = letters.splices(FIRST)
    my_text = spliced(FIRST, mine)
    for _ in range(letters.chance.randint(1, 4)):
        document.apply(SpliceText(letters.splices(text_of(document))), stamp())
    theirs = text_of(document)
    operation = letters.chance.choice((SpliceText(mine), SetText(my_text)))
    made = document.apply(operation, stamp(), base)
    merged = text_of(document)
    # Nothing that is new is lost or doubled, on either side, and it stands in the order in which it was written.
    for text in (theirs, my_text):
        written = "".join(each for each in text if each not in FIRST)
        assert only(merged, written) == written
    assert len(set(merged)) == len(merged)
    # And nothing that is old comes back to who removed it; a whole text may write a lone letter anew, though.
    gone = {each for each in FIRST if each not in my_text}
    assert not gone & {*merged}
    if isinstance(operation, SpliceText):
        gone |= {each for each in FIRST if each not in theirs}
        assert set(merged) == {*theirs, *my_text} - gone
        assert only(merged, my_text) == "".join(each for each in my_text if each not in gone)
        assert only(merged, theirs) == "".join(each for each in theirs if each not in gone)
    # What the others had done already is no change.
    assert (made is None) == (merged == theirs)


@UNHURRIED
@given(SEEDS)
def test_that_loro_merges_to_the_same_letters(seed: int) -> None:
    letters = Letters(seed)
    document = new(TextSchema(), TextContent(FIRST))
    base, mine = document.version, SpliceText(letters.splices(FIRST))
    other = replica(document)
    for _ in range(3):
        document.apply(SpliceText(letters.splices(text_of(document))), stamp())
    beside = other.apply(mine, stamp())
    assert beside is not None
    other.merge(document.export_updates())
    document.apply(mine, stamp(), base)
    assert sorted(text_of(other)) == sorted(text_of(document))


def test_that_the_change_is_one_of_the_documents_own() -> None:
    document = new(TextSchema(), TextContent("one two three"))
    base = document.version
    for number in range(6):
        document.apply(AppendText(f" {number}"), stamp())
        applied = document.apply(InsertText(0, f"<{number}>"), stamp(), base)
        assert applied is not None
        assert applied.peer == document.peer


def loro_of(document: Document) -> LoroDoc:
    """The document in Loro's own words."""
    found = LoroDoc()  # type: ignore[no-untyped-call]
    found.import_(document.export_snapshot())
    return found


def test_that_what_came_at_one_place_stands_before_what_comes_late() -> None:
    document = new(TextSchema(), TextContent("ab"))
    base = document.version
    document.apply(InsertText(1, "1"), stamp())
    document.apply(InsertText(2, "2"), stamp())
    document.apply(InsertText(1, "x"), stamp(), base)
    assert text_of(document) == "a12xb"


def test_that_what_was_written_into_a_stretch_that_goes_stays() -> None:
    document = new(TextSchema(), TextContent("keep this away"))
    base = document.version
    document.apply(InsertText(7, "NEW"), stamp())
    document.apply(SetText("keep away"), stamp(), base)
    assert text_of(document) == "keep NEWaway"


def test_that_what_is_gone_already_changes_nothing() -> None:
    document = new(TextSchema(), TextContent("keep this away"))
    base = document.version
    shorter = SpliceText((Splice(4, 5, ""),))
    document.apply(shorter, stamp())
    there = document.version
    assert document.apply(shorter, stamp(), base) is None
    assert document.version == there


def test_that_it_is_the_same_whoever_wrote_at_once_or_marked_the_text() -> None:
    at_once, many, marked = (new(TextSchema(), TextContent("middle")) for _ in range(3))
    bases = [each.version for each in (at_once, many, marked)]
    other = replica(at_once)
    other.apply(InsertText(0, "theirs "), stamp())
    at_once.apply(AppendText(" mine"), stamp())
    at_once.merge(other.export_updates())
    # Backwards, so that no two of them are one operation.
    for _ in range(500):
        many.apply(InsertText(0, "."), stamp())
    foreign = loro_of(marked)
    foreign.get_text("text").mark(0, 3, "bold", True)
    foreign.get_text("text").insert(0, "theirs ")
    foreign.commit()
    marked.merge(foreign.export(ExportMode.Snapshot()))
    outcomes = ("theirs middle mine late", "." * 500 + "middle late", "theirs middle late")
    for document, base, outcome in zip((at_once, many, marked), bases, outcomes, strict=True):
        document.apply(AppendText(" late"), stamp(), base)
        assert text_of(document) == outcome


def test_that_a_list_set_as_a_whole_is_merged_beside_texts() -> None:
    fields = MapSchema((FieldDef("tags", FieldType.LIST),))
    schema = CompositeSchema((SectionDef("notes", TextSchema()), SectionDef("facts", fields)))
    tags = tuple(FieldEntry(each, each) for each in "ab")
    document = new(
        schema, CompositeContent({"notes": TextContent("text"), "facts": MapContent({"tags": tags})})
    )
    base = document.version
    document.apply(InSection("notes", AppendText(" more")), stamp())
    document.apply(InSection("facts", SetField("tags", ("a", "b", "theirs"))), stamp())
    document.apply(InSection("facts", SetField("tags", ("mine", "a"))), stamp(), base)
    document.apply(InSection("notes", InsertText(0, "late ")), stamp(), base)
    content = document.content()
    assert isinstance(content, CompositeContent)
    facts = content.sections["facts"]
    assert isinstance(facts, MapContent)
    there = facts.fields["tags"]
    assert isinstance(there, tuple)
    assert [each.value for each in there] == ["mine", "a", "theirs"]
    assert content.sections["notes"] == TextContent("late text more")


@UNHURRIED
@given(SEEDS)
def test_that_a_trail_gives_what_the_whole_history_does(seed: int) -> None:
    letters = Letters(seed)
    document = new(TextSchema(), TextContent(FIRST))
    versions = [document.version]
    for _ in range(6):
        base = letters.chance.choice(versions)
        document.apply(SpliceText(letters.splices(text_of(versioned(document, base)))), stamp(), base)
        versions.append(document.version)
    present, trail = LoroReplica(loro_of(document)), ForkCache()
    for version in letters.chance.choices(versions, k=8):
        fork = trail.fork(present, present.frontiers(version))
        assert fork.version == version
        assert fork.doc.get_text("text").to_string() == text_of(document.at(version))
        # It is the caller's own.
        fork.doc.get_text("text").insert(0, "?")
        fork.doc.commit()


def versioned(document: Document, version: Version) -> Document:
    """The document as it was."""
    return document.at(version)


def test_that_late_edits_one_after_the_other_go_through_the_history_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = new(TextSchema(), TextContent(FIRST))
    versions = [document.version]
    for number in range(20):
        document.apply(AppendText(str(number)), stamp())
        versions.append(document.version)
    anew: list[str] = []
    fork = LoroReplica.fork

    def counted(replica: LoroReplica, frontiers: Frontiers) -> LoroReplica:
        anew.append(replica.version)
        return fork(replica, frontiers)

    monkeypatch.setattr(LoroReplica, "fork", counted)
    for before, _ in pairwise(versions):
        document.apply(InsertText(0, "x"), stamp(), before)
    assert len(anew) == 1
    # Only what is before that costs it again.
    document.apply(InsertText(0, "x"), stamp(), versions[0])
    assert len(anew) == 2


@pytest.mark.parametrize(
    "late", ["The quick red fox jumps.", "Completely different words now!", "", "THE end."]
)
@pytest.mark.parametrize("others", ["", "Something else."])
@pytest.mark.parametrize("back", ["undo", "restore"])
def test_that_what_was_taken_back_meanwhile_is_as_if_it_had_never_been_gone(
    late: str, others: str, back: str
) -> None:
    first = "The quick brown fox jumps."
    document = new(TextSchema(), TextContent(first))
    base = document.version
    document.apply(SetText(others), stamp())
    if back == "undo":
        document.undo(base, document.version, stamp())
    else:
        document.apply(RestoreVersion(base), stamp())
    assert text_of(document) == first
    document.apply(SetText(late), stamp(), base)
    assert text_of(document) == late


def test_that_a_late_restore_of_what_was_put_back_meanwhile_changes_nothing() -> None:
    document = new(TextSchema(), TextContent("hello"))
    first = document.version
    document.apply(SetText(""), stamp())
    empty = document.version
    document.undo(first, empty, stamp())
    assert document.apply(RestoreVersion(first), stamp(), empty) is None
    assert text_of(document) == "hello"


def test_that_what_came_beside_a_taking_back_stays() -> None:
    document = new(TextSchema(), TextContent("The quick brown fox jumps."))
    base = document.version
    document.apply(SetText(""), stamp())
    document.undo(base, document.version, stamp())
    document.apply(AppendText(" Then it sleeps."), stamp())
    document.apply(SetText("The quick red fox jumps."), stamp(), base)
    assert text_of(document) == "The quick red fox jumps. Then it sleeps."


@pytest.mark.parametrize(
    ("first", "both"),
    [
        ("teh cat sat on teh mat", "the cat sat on the mat"),
        ("Deadline: Monday", "Deadline: Tuesday"),
        ("", "same text\n"),
        ("some text", ""),
        ("one\ntwo\n", "one\nand a half\ntwo\n"),
    ],
)
def test_that_who_saves_late_what_stands_there_already_changes_nothing(first: str, both: str) -> None:
    document = new(TextSchema(), TextContent(first))
    base = document.version
    document.apply(SetText(both), stamp())
    assert document.apply(SetText(both), stamp(), base) is None
    assert text_of(document) == both


def test_that_what_both_changed_alike_stands_there_once_beside_what_only_one_did() -> None:
    document = new(TextSchema(), TextContent("teh cat sat on teh mat"))
    base = document.version
    document.apply(SetText("the cat sat on the mat, purring"), stamp())
    document.apply(SetText("the big cat sat on the mat"), stamp(), base)
    assert text_of(document) == "the big cat sat on the mat, purring"


def test_that_who_appends_the_same_words_late_appends_them() -> None:
    document = new(TextSchema(), TextContent("list:"))
    base = document.version
    document.apply(AppendText(" milk"), stamp())
    document.apply(AppendText(" milk"), stamp(), base)
    assert text_of(document) == "list: milk milk"


def test_that_a_few_letters_alike_do_not_make_a_new_text_an_old_one() -> None:
    document = new(TextSchema(), TextContent("one two three"))
    base = document.version
    document.apply(SpliceText((Splice(0, 13, "uno two dos tres quattro"),)), stamp())
    document.apply(SetText("one three"), stamp(), base)
    assert text_of(document) == "uno two dos tres quattro"


PREFS = CompositeSchema(
    (SectionDef("notes", TextSchema()), SectionDef("facts", MapSchema((FieldDef("likes", FieldType.LIST),))))
)


def likes(*values: str) -> InSection:
    return InSection("facts", SetField("likes", values))


@pytest.mark.parametrize(
    ("base", "theirs", "mine", "both"),
    [
        ("tea cake", "tea", "tea juice", "tea juice"),
        ("tea cake", "x", "tea juice", "x juice"),
        ("tea cake", "tea cake water", "tea cake milk", "tea cake water milk"),
        ("tea cake", "water tea cake", "tea", "water tea"),
        ("tea cake", "tea cake", "juice", "juice"),
        ("a b c d", "a d", "a b c e", "a e"),
        ("a b c d", "d a b c", "a b X d", "d a b X"),
        ("a b", "", "a b c", "c"),
        ("", "a", "b", "a b"),
        ("a b c", "a c", "", ""),
        ("a b c", "a b c d", "a b c d", "a b c d"),
        ("a b", "x a b y y", "x a b y z", "x a b y y z"),
        ("a", "a b", "a b b", "a b b"),
    ],
)
def test_that_a_list_that_is_set_late_keeps_what_both_did(
    base: str, theirs: str, mine: str, both: str
) -> None:
    document = new(PREFS)
    document.apply(likes(*base.split()), stamp())
    then = document.version
    document.apply(likes(*theirs.split()), stamp())
    document.apply(likes(*mine.split()), stamp(), then)
    content = document.content()
    assert isinstance(content, CompositeContent)
    facts = content.sections["facts"]
    assert isinstance(facts, MapContent)
    there = facts.fields.get("likes", ())
    assert isinstance(there, tuple)
    assert [each.value for each in there] == both.split()


@UNHURRIED
@given(SEEDS)
def test_that_of_a_list_that_is_set_late_nothing_that_either_wrote_is_lost(seed: int) -> None:
    letters = Letters(seed)
    base = tuple(FieldEntry(each, each) for each in "abcdef")
    theirs = list(base)
    for at in sorted(letters.chance.choices(range(6), k=2), reverse=True):
        theirs[at : at + letters.chance.randint(0, 1)] = [FieldEntry(f"new{at}", f"T{at}")]
    mine = spliced("abcdef", letters.splices("abcdef"))
    merged = values_with_both(base, tuple(mine), tuple(theirs))
    assert {each.value for each in theirs if each.id.startswith("new")} <= set(merged)
    assert set(mine) - set("abcdef") <= set(merged)
    assert {*"abcdef"} & {*merged} <= {*mine} & {each.value for each in theirs}
    assert values_with_both(base, tuple(mine), base) == tuple(mine)
