"""Counters count in decimals: exactly, and the same in whatever order their changes come together."""

from __future__ import annotations

import random
from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loro import LoroDoc

from inspector.documents.decimal_counter import DecimalCounter
from inspector.documents.document import Document
from inspector.domain.blocks import FieldDef, FieldType, MapSchema
from inspector.domain.content import MapContent
from inspector.domain.decimals import added, decimal_of, number_of
from inspector.domain.edits.fields import ClearField, Increment, SetField
from inspector.domain.errors import RefusedError
from tests.documents.builders import UNHURRIED, new, replica, stamp

SCHEMA = MapSchema((FieldDef("count", FieldType.COUNTER),))
STEPS = st.decimals(-1000, 1000, places=3).map(float)


def counted(document: Document) -> object:
    content = document.content()
    assert isinstance(content, MapContent)
    return content.fields.get("count")


@UNHURRIED
@given(st.lists(STEPS, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_that_fractions_add_up_as_they_are_written(steps: list[float], chance: random.Random) -> None:
    left = new(SCHEMA)
    right = replica(left)
    base = left.version
    for step in steps:
        chance.choice((left, right)).apply(Increment("count", step), stamp())
    updates = left.export_updates(base), right.export_updates(base)
    left.merge(updates[1])
    right.merge(updates[0])
    expected = float(sum(Decimal(repr(step)) for step in steps))
    assert (counted(left) or 0) == (counted(right) or 0) == expected
    assert (counted(replica(left)) or 0) == expected


@UNHURRIED
@given(st.lists(STEPS, min_size=1, max_size=8), STEPS)
def test_that_setting_a_counter_back_gives_exactly_what_it_was(steps: list[float], was: float) -> None:
    document = new(SCHEMA)
    document.apply(SetField("count", was), stamp())
    for step in steps:
        document.apply(Increment("count", step), stamp())
    document.apply(SetField("count", was), stamp())
    assert counted(document) == was
    document.apply(ClearField("count"), stamp())
    assert counted(document) is None
    assert counted(replica(document)) is None


def test_that_changes_of_three_writers_give_one_sum_in_every_order() -> None:
    start = new(SCHEMA)
    updates = []
    for steps in ((0.1, 0.2), (1e9, -0.7), (-1e9, 0.4)):
        writer = replica(start)
        base = writer.version
        for step in steps:
            writer.apply(Increment("count", step), stamp())
        updates.append(writer.export_updates(base))
    for order in permutations(updates):
        reader = replica(start)
        for update in order:
            reader.merge(update)
        assert counted(reader) == 0


def test_that_what_an_older_document_has_behind_the_point_still_counts() -> None:
    doc = LoroDoc()  # type: ignore[no-untyped-call]
    old = doc.get_counter("counter:" + b"count".hex())
    for step in (0.1, 0.2, -2.5):
        old.increment(step)
    tally = DecimalCounter(doc, "", b"count".hex())
    assert number_of(tally.value) == -2.2
    tally.add(decimal_of(2.3))
    assert number_of(tally.value) == 0.1
    tally.clear()
    assert tally.value == 0


@pytest.mark.parametrize("step", [0.9e16, 2.0**53, -(2.0**53)])
def test_that_a_counter_stays_where_one_more_still_counts(step: float) -> None:
    document = new(SCHEMA)
    document.apply(SetField("count", step / 2), stamp())
    with pytest.raises(RefusedError) as caught:
        document.apply(Increment("count", step), stamp())
    assert caught.value.code == "refused.range"
    assert counted(document) == step / 2


def test_that_numbers_are_added_as_they_are_written() -> None:
    assert added(0.1, 0.2) == 0.3
    assert added(2.3, -2.0, 0) == 0.3
    assert type(added(0.5, 0.5)) is int
