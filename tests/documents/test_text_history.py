"""What changes did to texts is what Loro finds when it compares the versions, and is found without going back."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given
from loro import Diff, ExportMode, LoroDoc, LoroText

from inspector.documents.document import Document
from inspector.documents.loro_replica import LoroReplica
from inspector.documents.shapes.text import splices_of_delta
from inspector.documents.text_history import TextHistory
from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Version
from inspector.domain.edits.text import AppendText, InsertText, SetText, Splice, SpliceText
from inspector.domain.splices import spliced
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

    def by_loro(self, before: Version, after: Version) -> tuple[Splice, ...]:
        """What leads from one version to another, as Loro compares them."""
        frontiers = self.replica.frontiers
        found = self.doc.diff(frontiers(before), frontiers(after)).get_diff()
        texts = (diff for _, diff in found if isinstance(diff, Diff.Text))
        return tuple(splice for diff in texts for splice in splices_of_delta(diff.diff))

    def write_at_once(self) -> None:
        """A change of somebody who does not know the last one."""
        other = self.replica.fork(self.replica.frontiers(self.versions[-2])).doc
        text = other.get_text(NAME)
        text.insert(self.chance.randint(0, text.len_unicode), "theirs")
        other.commit()
        self.doc.import_(other.export(ExportMode.Snapshot()))
        self.note()


@UNHURRIED
@given(SEEDS)
def test_that_the_steps_are_what_comparing_the_versions_finds(seed: int) -> None:
    writer = Writer(seed)
    for _ in range(8):
        writer.write()
        if writer.chance.random() < 0.2 and len(writer.versions) > 1:
            writer.write_at_once()
    last = len(writer.versions) - 1
    stops = [*sorted(writer.chance.choices(range(last + 1), k=3)), last]
    start = writer.replica.fork(writer.replica.frontiers(writer.versions[stops[0]]))
    history = TextHistory(writer.replica, start, {"": writer.text})
    assert history.texts() == {"": writer.texts[stops[0]]}
    for before, after in pairwise(stops):
        step = history.go(writer.versions[after]).get("", ())
        assert step == writer.by_loro(writer.versions[before], writer.versions[after])
        assert history.texts() == {"": writer.texts[after]} == {"": spliced(writer.texts[before], step)}


def test_that_a_step_back_is_told_too() -> None:
    writer = Writer(1)
    for _ in range(8):
        writer.write()
    history = TextHistory(writer.replica, LoroReplica(writer.doc.fork()), {"": writer.text})
    step = history.go(writer.versions[1])[""]
    assert spliced(writer.texts[-1], step) == writer.texts[1] == history.texts()[""]


def test_that_a_change_is_undone_whatever_came_after_it() -> None:
    document = new(TextSchema(), TextContent("one two three"))
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
