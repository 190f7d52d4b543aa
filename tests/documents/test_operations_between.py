"""The smallest operations between two contents, done by a real document."""

import itertools
import random
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from inspector.documents.document import Document, EditStamp
from inspector.domain.blocks import (
    PARTNER_PROFILE,
    TASK_LIST,
    CompositeSchema,
    ListSchema,
    LogSchema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    FieldEntry,
    FieldItem,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.differences.contents import nodes_of
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import Increment
from inspector.domain.edits.items import EditParts, InsertItem, MoveItem, RemoveItem, UpdateItem
from inspector.domain.errors import RefusedError
from inspector.domain.merging import merged
from inspector.domain.operations_between import operation_between

Places = dict[str, tuple[str, str | None]]
_NUMBERS = itertools.count()


def new_id() -> str:
    return f"n{next(_NUMBERS)}"


STAMP = EditStamp("Ada", datetime(2026, 11, 20, tzinfo=UTC), new_id)


def shuffled_list(content: ListContent, chance: random.Random) -> ListContent:
    items = list(content.items)
    for _ in range(4):
        place = chance.randrange(len(items) + 1)
        match chance.randrange(4):
            case 0 if items:
                items.pop(place - 1)
            case 1:
                items.insert(place, ListItem(new_id(), "new"))
            case 2 if items:
                items.insert(chance.randrange(len(items)), items.pop(place - 1))
            case 3 if items:
                items[place - 1] = ListItem(items[place - 1].id, f"changed {chance.random()}")
    return ListContent(tuple(items))


def places_of(content: TreeContent) -> Places:
    rows = list(nodes_of(content))
    return {node.id: (str(node.value), None if at is None else rows[at][0].id) for node, at in rows}


def tree_of(places: Places, above: str | None = None) -> tuple[TreeNode, ...]:
    return tuple(
        TreeNode(id_, value, tree_of(places, id_))
        for id_, (value, parent) in places.items()
        if parent == above
    )


def under(places: Places, id_: str) -> Iterator[str]:
    yield id_
    for each, (_, parent) in places.items():
        if parent == id_:
            yield from under(places, each)


def shuffled_tree(content: TreeContent, chance: random.Random) -> TreeContent:
    places = places_of(content)
    for _ in range(4):
        id_ = chance.choice(list(places) or [""])
        match chance.randrange(5):
            case 0:
                for each in list(under(places, id_)) if id_ else ():
                    del places[each]
            case 1 if id_:
                parent = places.pop(id_)[1]
                places = {each: (value, parent if at == id_ else at) for each, (value, at) in places.items()}
            case 2:
                places[new_id()] = ("new", chance.choice([None, *places]))
            case 3 if id_:
                places[id_] = (f"changed {chance.random()}", places[id_][1])
            case 4 if id_:
                free = [None, *(each for each in places if each not in set(under(places, id_)))]
                rows = [(each, place) for each, place in places.items() if each != id_]
                rows.insert(chance.randrange(len(rows) + 1), (id_, (places[id_][0], chance.choice(free))))
                places = dict(rows)
    return TreeContent(tree_of(places))


@pytest.mark.parametrize("seed", range(60))
def test_that_the_operations_between_two_lists_or_trees_lead_from_one_to_the_other(seed: int) -> None:
    chance = random.Random(seed)
    rows = ListContent(tuple(ListItem(new_id(), str(place)) for place in range(8)))
    roots = TreeContent(tuple(TreeNode(new_id(), "r", (TreeNode(new_id(), "c"),)) for _ in range(4)))
    lists, trees = (
        Document.create(schema, content, STAMP)
        for schema, content in ((ListSchema(), rows), (TreeSchema(), roots))
    )
    for _ in range(4):
        for document, shuffled in ((lists, shuffled_list), (trees, shuffled_tree)):
            before = document.content()
            after = shuffled(before, chance)  # type: ignore[arg-type]
            operation = operation_between(document.schema, before, after)
            if operation is not None:
                document.apply(operation, STAMP)
            assert document.content() == after


def items(*titles: str) -> tuple[ListItem, ...]:
    return tuple(ListItem(each, {"title": each, "done": False}) for each in titles)


def test_that_only_what_differs_is_named() -> None:
    one, two, three = items("one", "two", "three")
    done = ListItem("three", {"title": "three", "done": True})
    new = ListItem("four", {"title": "four"})

    def found(*after: ListItem) -> Operation | None:
        return operation_between(TASK_LIST, ListContent((one, two, three)), ListContent(after))

    assert found(one, two, three) is None
    assert found(one, two, done) == UpdateItem("three", {"done": True})
    assert found(one, three) == RemoveItem("two")
    assert found(three, one, two) == MoveItem("three", "one")
    assert found(one, new, two, three) == InsertItem({"title": "four"}, "two", "four")
    assert found(done, one, two) == EditParts((MoveItem("three", "one"), UpdateItem("three", {"done": True})))


def test_that_a_counter_counts_what_others_count_too() -> None:
    before, after = (MapContent({"name": "Noor", "energy_level": level}) for level in (5, 8))
    operation = operation_between(PARTNER_PROFILE, before, after)
    assert operation == Increment("energy_level", 3)


def test_that_an_entry_of_a_log_is_not_changed() -> None:
    before, after = (LogContent((LogEntry("e", None, None, {"text": each}),)) for each in ("a", "b"))
    with pytest.raises(RefusedError, match="entry_is_kept"):
        operation_between(LogSchema(), before, after)


def test_that_sections_are_edited_each_by_its_own_schema_and_as_one() -> None:
    schema = CompositeSchema((SectionDef("plan", TextSchema()), SectionDef("tasks", ListSchema())))
    before = CompositeContent({"plan": TextContent("Cut 4.2"), "tasks": ListContent((ListItem("1", "one"),))})
    after = CompositeContent(
        {"plan": TextContent("Cut 4.3"), "tasks": ListContent((ListItem("2", "two"), ListItem("1", "one")))}
    )
    document = Document.create(schema, before, STAMP)
    operation = operation_between(schema, before, after)
    assert operation is not None
    document.apply(operation, STAMP)
    assert document.content() == after


def test_that_several_operations_are_done_all_or_none() -> None:
    document = Document.create(TASK_LIST, ListContent(items("one", "two")), STAMP)
    before = document.content()
    with pytest.raises(RefusedError):
        document.apply(EditParts((RemoveItem("one"), RemoveItem("gone"))), STAMP)
    assert document.content() == before


def test_that_several_operations_made_for_an_earlier_version_leave_what_came_since() -> None:
    document = Document.create(PARTNER_PROFILE, MapContent({"name": "Noor"}), STAMP)
    base = document.version
    mine = operation_between(
        PARTNER_PROFILE,
        document.content(),
        MapContent({**_fields(document), "preferences": (FieldEntry("p", "tea"),), "current_focus": "4.2"}),
    )
    theirs = operation_between(
        PARTNER_PROFILE,
        document.content(),
        MapContent({**_fields(document), "preferences": (FieldEntry("q", "quiet"),)}),
    )
    assert mine is not None
    assert theirs is not None
    document.apply(theirs, STAMP)
    document.apply(mine, STAMP, base)
    fields = _fields(document)
    assert fields["current_focus"] == "4.2"
    preferences = fields["preferences"]
    assert isinstance(preferences, tuple)
    assert {each.value for each in preferences} == {"tea", "quiet"}


def _fields(document: Document) -> dict[str, FieldItem]:
    content = document.content()
    assert isinstance(content, MapContent)
    return dict(content.fields)


def test_that_a_merge_keeps_what_both_did_and_mine_where_both_changed_one_thing() -> None:
    one, two, three = items("one", "two", "three")
    mine = ListContent((ListItem("one", {"title": "mine", "done": False}), three))
    theirs = ListContent((ListItem("one", {"title": "theirs", "done": True}), two, three, *items("four")))
    found = merged(TASK_LIST, ListContent((one, two, three)), theirs, mine)
    assert found == ListContent((ListItem("one", {"title": "mine", "done": True}), three, *items("four")))


def test_that_a_merge_joins_the_texts_of_sections_by_word() -> None:
    base, theirs, mine = (
        CompositeContent({"plan": TextContent(text)})
        for text in ("Cut 4.2 today", "Cut 4.2 tomorrow", "Please cut 4.2 today")
    )
    schema = CompositeSchema((SectionDef("plan", TextSchema()),))
    assert merged(schema, base, theirs, mine) == CompositeContent(
        {"plan": TextContent("Please cut 4.2 tomorrow")}
    )
