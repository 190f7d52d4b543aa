"""What changes did to texts is read from their operations where that is possible, and is what Loro finds itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from loro import Diff, ExportMode, LoroDoc, LoroText, VersionVector

from inspector.documents import linear_history, text_undo
from inspector.documents.document import Document
from inspector.documents.linear_history import MOST_OPERATIONS, straight_steps
from inspector.documents.loro_replica import LoroReplica
from inspector.documents.shapes.text import splices_of_delta
from inspector.documents.text_edits import spliced
from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Version
from inspector.domain.edits.text import AppendText, InsertText, SetText, Splice, SpliceText
from tests.documents.builders import UNHURRIED, new, replica, stamp
from tests.documents.random_documents import SEEDS

NAME = "text"


class Writer:
    """A text that is written at random, mostly in places that touch one another."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.doc = LoroDoc()  # type: ignore[no-untyped-call]
        self.replica = LoroReplica(self.doc)
        self.text.insert(0, "one 🙂 two")
        self.doc.commit()
        self.versions = [self.replica.version]
        self.texts = [self.text.to_string()]

    @property
    def text(self) -> LoroText:
        return self.replica.doc.get_text(NAME)

    def write(self) -> None:
        """A change of one to four operations."""
        for _ in range(self.chance.randint(1, 4)):
            at = self.chance.randint(0, self.text.len_unicode)
            if self.chance.random() < 0.5:
                self.text.insert(at, self.chance.choice(["a", "漢字", "🙂b"]))
            elif self.text.len_unicode > at:
                self.text.delete(at, min(self.chance.randint(1, 5), self.text.len_unicode - at))
        if self.doc.get_pending_txn_len():
            self.doc.commit()
            self.note()

    def note(self) -> None:
        """Remember where the text has come to."""
        self.versions.append(self.replica.version)
        self.texts.append(self.text.to_string())

    def by_loro(self, before: Version, after: Version) -> Sequence[Splice]:
        """What leads from one version to another, as Loro compares them."""
        frontiers = self.replica.frontiers
        found = self.replica.difference(frontiers(before), frontiers(after)).get_diff()
        texts = (diff for _, diff in found if isinstance(diff, Diff.Text))
        return [splice for diff in texts for splice in splices_of_delta(diff.diff)]


@UNHURRIED
@given(SEEDS)
def test_that_the_operations_tell_what_comparing_the_versions_does(seed: int) -> None:
    writer = Writer(seed)
    for _ in range(8):
        writer.write()
    last = len(writer.versions) - 1
    stops = [*sorted(writer.chance.choices(range(last + 1), k=3)), last]
    versions = [writer.versions[stop] for stop in stops]
    found = straight_steps(writer.replica, {NAME}, versions)
    assert found is not None
    texts, steps = found
    assert texts == {NAME: writer.texts[stops[0]]}
    for (before, after), step in zip(pairwise(stops), steps, strict=True):
        assert spliced(writer.texts[before], step[NAME]) == writer.texts[after]
        assert list(step[NAME]) == writer.by_loro(writer.versions[before], writer.versions[after])


def test_that_where_two_wrote_at_once_the_operations_do_not_tell() -> None:
    writer = Writer(1)
    other = writer.doc.fork()
    other.get_text(NAME).insert(0, "theirs")
    other.commit()
    writer.text.insert(3, "mine")
    writer.doc.commit()
    writer.note()
    mine = straight_steps(writer.replica, {NAME}, writer.versions)
    assert mine is not None
    nothing = VersionVector()  # type: ignore[no-untyped-call]
    writer.replica.import_(other.export(ExportMode.Updates(nothing)))
    writer.note()
    assert straight_steps(writer.replica, {NAME}, writer.versions) is None
    writer.write()
    # What comes after both is told again.
    assert straight_steps(writer.replica, {NAME}, writer.versions[-2:]) is not None


def test_that_neither_marks_nor_too_many_operations_are_followed() -> None:
    writer = Writer(1)
    writer.text.mark(0, 3, "bold", True)
    writer.text.insert(5, "x")
    writer.doc.commit()
    writer.note()
    assert straight_steps(writer.replica, {NAME}, writer.versions) is None
    # A mark that was there before takes up places that the text does not show.
    writer.text.insert(5, "y")
    writer.doc.commit()
    writer.note()
    assert straight_steps(writer.replica, {NAME}, writer.versions[-2:]) is None
    many = Writer(2)
    for _ in range(MOST_OPERATIONS + 1):
        many.text.insert(0, "a")
        many.text.delete(3, 1)
    many.doc.commit()
    many.note()
    assert straight_steps(many.replica, {NAME}, many.versions) is None


def test_that_of_a_long_history_only_a_short_end_is_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(3)
    for _ in range(10):
        writer.write()
    monkeypatch.setattr(linear_history, "FEW", 5)
    assert straight_steps(writer.replica, {NAME}, writer.versions) is None
    writer.text.insert(0, "abc")
    writer.doc.commit()
    writer.note()
    assert straight_steps(writer.replica, {NAME}, writer.versions[-2:]) is not None


def test_that_nothing_is_gone_back_through_to_undo_a_change_in_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a walk")

    document = new(TextSchema(), TextContent("one two three"))
    monkeypatch.setattr(text_undo, "_Walk", refuse)
    before = document.version
    document.apply(AppendText("abc " * 20_000), stamp())
    pasted = document.version
    document.apply(InsertText(3, "!"), stamp())
    document.undo(before, pasted, stamp())
    assert document.content() == TextContent("one! two three")
    there = document.version
    document.apply(SetText("other"), stamp())
    document.undo(there, document.version, stamp())
    assert document.content() == TextContent("one! two three")


def test_that_an_undo_behind_somebody_who_wrote_at_once_is_the_same() -> None:
    mine = new(TextSchema(), TextContent("one two three"))
    theirs = replica(mine)
    base = mine.version
    mine.apply(SpliceText((Splice(4, 3, "2"),)), stamp())
    done = mine.version
    theirs.apply(AppendText("!"), stamp())
    mine.merge(theirs.export_updates(base))
    mine.undo(base, done, stamp())
    assert mine.content() == TextContent("one two three!")


def test_that_a_document_as_of_before_holds_nothing_of_what_came_later() -> None:
    document = new(TextSchema(), TextContent("one"))
    before = document.version
    made = document.apply(AppendText("secret " * 1_000), stamp())
    assert made is not None
    earlier = document.at(before)
    assert not earlier.knows(made.version)
    assert len(earlier.export_snapshot()) < 1_000
    document.discard(made)
    assert not document.knows(made.version)
    assert document.content() == TextContent("one")
    assert document.apply(AppendText("!"), stamp()) is not None
    assert Document.load(TextSchema(), document.export_snapshot()).content() == TextContent("one!")
