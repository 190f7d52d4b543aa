"""Drafts of an older version, beside what has come since."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from inspector.documents.stamp import EditStamp
from inspector.documents.three_way import ConcurrentDraft, three_way
from inspector.domain.blocks import (
    TASK_LIST,
    TextSchema,
)
from inspector.domain.content import (
    TextContent,
)
from inspector.domain.differences.conflicts import MergeSide
from inspector.domain.differences.contents import texts_of
from inspector.domain.edits.items import (
    InsertItem,
    RemoveItem,
    UpdateItem,
)
from inspector.domain.edits.text import SetText, Splice, SpliceText
from inspector.domain.errors import RefusedError
from tests.documents.builders import UNHURRIED, new, stamp
from tests.documents.random_documents import ANY_SCHEMA, SEEDS, Life
from tests.documents.random_operations import SCHEMAS, any_operation


def test_that_both_sides_of_a_late_draft_and_their_merge_are_shown() -> None:
    document = new(TextSchema(), TextContent("one two three"))
    base = document.version
    document.apply(SpliceText((Splice(0, 3, "ONE"),)), stamp())
    before = document.version
    sides = three_way(document, ConcurrentDraft(SetText("one two THREE!"), base, document.version), stamp())
    assert sides.base == TextContent("one two three")
    assert sides.theirs == TextContent("ONE two three")
    assert sides.mine == TextContent("one two THREE!")
    assert sides.merged == TextContent("ONE two THREE!")
    assert [(span.start, span.end, span.side) for span in sides.spans[""]] == [
        (0, 3, MergeSide.THEIRS),
        (3, 8, MergeSide.BASE),
        (8, 14, MergeSide.MINE),
    ]
    assert document.version == before


@UNHURRIED
@given(ANY_SCHEMA, SEEDS)
def test_that_a_three_way_view_is_what_saving_gives_and_changes_nothing(kind: str, seed: int) -> None:
    life = Life(SCHEMAS[kind], seed, steps=8)
    index = life.chance.randrange(len(life.versions))
    base, content = life.versions[index], life.contents[index]
    operation = any_operation(life.chance, life.document.schema, content)
    stored = life.document.version
    try:
        sides = three_way(life.document, ConcurrentDraft(operation, base, stored), _counting())
    except RefusedError:
        return
    assert (life.document.version, life.document.content()) == (stored, life.contents[-1])
    assert (sides.base, sides.theirs) == (content, life.contents[-1])
    alone = life.document.at(base)
    alone.apply(operation, _counting())
    assert sides.mine == alone.content()
    if sides.merged is None:
        with pytest.raises(RefusedError) as caught:
            life.document.apply(operation, _counting(), base)
        assert caught.value.refusal == sides.refusal
        return
    life.document.apply(operation, _counting(), base)
    assert sides.merged == life.document.content()
    for name, text in texts_of(sides.merged).items():
        ends = [0, *(span.end for span in sides.spans.get(name, ()))]
        assert [span.start for span in sides.spans.get(name, ())] == ends[:-1]
        assert ends[-1] == len(text)


def test_that_a_draft_on_what_is_gone_has_no_merged_content() -> None:
    document = new(TASK_LIST)
    document.apply(InsertItem({"title": "a"}, id="i"), stamp())
    base = document.version
    document.apply(RemoveItem("i"), stamp())
    sides = three_way(
        document, ConcurrentDraft(UpdateItem("i", {"done": True}), base, document.version), stamp()
    )
    assert sides.merged is None
    assert sides.refusal is not None
    assert sides.refusal.code == "refused.no_longer_there"


def _counting() -> EditStamp:
    numbers = iter(range(1000))
    return replace(stamp(), new_id=lambda: f"new{next(numbers)}")
