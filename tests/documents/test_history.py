"""Going back in a document's history."""

from __future__ import annotations

import pytest
from hypothesis import given
from loro import LoroDoc

from inspector.documents.document import Document
from inspector.domain.blocks import (
    PARTNER_PROFILE,
    TASK_LIST,
    FieldDef,
    FieldType,
    ListSchema,
    MapSchema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    ListContent,
    MapContent,
    TextContent,
    TreeContent,
)
from inspector.domain.differences.contents import nodes_of
from inspector.domain.edits.fields import Increment, SetField
from inspector.domain.edits.history import RestoreVersion, TakeBack
from inspector.domain.edits.items import (
    AddNode,
    InsertItem,
    MoveItem,
    MoveNode,
    RemoveItem,
    UpdateItem,
)
from inspector.domain.edits.text import AppendText, SetText, Splice, SpliceText
from inspector.domain.errors import RefusedError
from tests.documents.builders import UNHURRIED, new, replica, stamp
from tests.documents.random_documents import ANY_SCHEMA, SEEDS, Life, text_of
from tests.documents.random_operations import SCHEMAS


@UNHURRIED
@given(ANY_SCHEMA, SEEDS)
def test_that_any_version_can_be_restored_exactly(kind: str, seed: int) -> None:
    life = Life(SCHEMAS[kind], seed)
    for _ in range(5):
        index = life.chance.randrange(len(life.versions))
        life.note(life.document.apply(RestoreVersion(life.versions[index]), stamp()))
        assert life.document.content() == life.contents[index]
        life.step()
    assert [life.document.content_at(each) for each in life.versions] == life.contents
    assert list(life.document.contents_at(life.versions)) == life.contents


@UNHURRIED
@given(ANY_SCHEMA, SEEDS)
def test_that_going_back_converges_in_every_replica(kind: str, seed: int) -> None:
    life = Life(SCHEMAS[kind], seed, steps=6)
    others = [replica(life.document) for _ in range(2)]
    start = life.document.version
    for other in others:
        if life.changes:
            back = life.chance.choice(life.changes)
            other.apply(TakeBack(back.before, back.version), stamp())
        other.apply(RestoreVersion(life.chance.choice(life.versions)), stamp())
    updates = [other.export_updates(start) for other in others]
    for other in others:
        for update in updates:
            other.merge(update)
    assert others[0].content() == others[1].content()
    assert others[0].version == others[1].version


@UNHURRIED
@given(ANY_SCHEMA, SEEDS)
def test_that_taking_the_newest_back_again_and_again_leads_to_the_beginning(kind: str, seed: int) -> None:
    life = Life(SCHEMAS[kind], seed)
    for change, content in zip(reversed(life.changes), reversed(life.contents[:-1]), strict=True):
        life.document.apply(RestoreVersion(change.before), stamp())
        assert life.document.content() == content


@pytest.mark.parametrize("attempt", range(5))
def test_that_a_field_that_somebody_set_since_stays_when_an_earlier_set_is_taken_back(attempt: int) -> None:
    document = new(TASK_LIST)
    document.apply(InsertItem({"title": "a"}, id="i"), stamp())
    mine = document.apply(UpdateItem("i", {"title": "b"}), stamp())
    assert mine is not None
    other = replica(document)
    other.apply(UpdateItem("i", {"title": "c"}), stamp())
    assert other.apply(TakeBack(mine.before, mine.version), stamp()) is None, attempt
    content = other.content()
    assert isinstance(content, ListContent)
    assert content.items[0].value["title"] == "c"  # type: ignore[index]


@pytest.mark.parametrize("attempt", range(5))
def test_that_a_node_that_somebody_moved_since_stays_there(attempt: int) -> None:
    document = new(TreeSchema())
    for name in "abc":
        document.apply(AddNode(name, id=name), stamp())
    mine = document.apply(MoveNode("a", "b"), stamp())
    assert mine is not None
    other = replica(document)
    other.apply(MoveNode("a", "c"), stamp())
    other.apply(TakeBack(mine.before, mine.version), stamp())
    content = other.content()
    assert isinstance(content, TreeContent)
    assert [(node.id, parent) for node, parent in nodes_of(content)] == [
        ("b", None),
        ("c", None),
        ("a", 1),
    ], attempt


def test_that_an_item_that_came_back_can_still_be_taken_further_back() -> None:
    document = new(TASK_LIST)
    first = document.apply(InsertItem({"title": "a"}, id="i"), stamp())
    second = document.apply(UpdateItem("i", {"title": "b"}), stamp())
    assert first is not None
    assert second is not None
    present = document.content()
    back_second = document.undo(second.before, second.version, stamp())
    back_first = document.undo(first.before, first.version, stamp())
    assert back_first is not None
    assert back_second is not None
    assert document.content() == ListContent()
    document.undo(back_first.before, back_first.version, stamp())
    document.undo(back_second.before, back_second.version, stamp())
    assert document.content() == present


def test_that_items_that_come_back_keep_their_ids_and_values() -> None:
    document = new(TASK_LIST)
    for name in "abc":
        document.apply(InsertItem({"title": name}, id=name), stamp())
    full, content = document.version, document.content()
    for name in "ba":
        document.apply(RemoveItem(name), stamp())
    document.apply(MoveItem("c"), stamp())
    document.apply(RestoreVersion(full), stamp())
    assert document.content() == content


def test_that_what_others_wrote_after_the_base_of_a_restore_stays() -> None:
    document = new(TextSchema(), TextContent("one two three"))
    old = document.version
    document.apply(SpliceText((Splice(4, 4, ""),)), stamp())
    base = document.version
    document.apply(AppendText(" four"), stamp())
    document.apply(RestoreVersion(old), stamp(), base)
    assert text_of(document) == "one two three four"
    document.apply(RestoreVersion(old), stamp())
    assert text_of(document) == "one two three"


def test_that_what_a_restore_brings_back_must_fit_the_schema_of_now() -> None:
    document = new(MapSchema((FieldDef("mood"), FieldDef("age", FieldType.NUMBER))))
    document.apply(SetField("mood", "low"), stamp())
    old = document.version
    document.apply(SetField("mood", "high"), stamp())
    stricter = MapSchema((FieldDef("mood", choices=("high",)), FieldDef("age", FieldType.NUMBER)))
    changed = Document.load(stricter, document.export_snapshot())
    version, content = changed.version, changed.content()
    with pytest.raises(RefusedError) as caught:
        changed.apply(RestoreVersion(old), stamp())
    assert caught.value.code == "refused.choice"
    assert (changed.version, changed.content()) == (version, content)


def test_that_a_change_without_anything_left_is_no_change() -> None:
    document = new(PARTNER_PROFILE)
    mine = document.apply(SetField("name", "a"), stamp())
    assert mine is not None
    assert document.apply(TakeBack(mine.before, mine.version), stamp()) is not None
    assert document.apply(TakeBack(mine.before, mine.version), stamp()) is None
    assert document.apply(RestoreVersion(document.version), stamp()) is None


def test_that_counters_of_several_writers_add_up_and_only_ones_own_is_taken_back() -> None:
    one = new(PARTNER_PROFILE)
    other = replica(one)
    start = one.version
    mine = one.apply(Increment("energy_level", 3), stamp())
    theirs = other.apply(Increment("energy_level", 4), stamp())
    assert mine is not None
    assert theirs is not None
    one.merge(other.export_updates(start))
    assert one.content() == MapContent({"energy_level": 12})
    one.apply(TakeBack(mine.before, mine.version), stamp())
    assert one.content() == MapContent({"energy_level": 9})


def test_that_two_whole_texts_set_at_once_are_merged_and_not_doubled() -> None:
    body = "The first line.\nThe second line.\nThe third line.\n"
    one = new(TextSchema(), TextContent(body))
    other = replica(one)
    base = one.version
    one.apply(SetText(body.replace("first", "1st")), stamp())
    other.apply(SetText(body.replace("third", "3rd")), stamp())
    one.merge(other.export_updates(base))
    assert text_of(one) == "The 1st line.\nThe second line.\nThe 3rd line.\n"


def test_that_a_foreign_element_does_not_hinder_going_back() -> None:
    document = new(ListSchema())
    document.apply(InsertItem("a", id="a"), stamp())
    old = document.version
    doc = LoroDoc()  # type: ignore[no-untyped-call]
    doc.import_(document.export_snapshot())
    doc.get_movable_list("items").insert(0, "no map")
    doc.commit()
    changed = Document.load(
        ListSchema(), document.export_snapshot(), [Document(ListSchema(), doc).export_updates()]
    )
    changed.apply(InsertItem("b", id="b", before="a"), stamp())
    changed.apply(RestoreVersion(old), stamp())
    assert changed.content() == document.content()
