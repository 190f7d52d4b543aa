"""Seals over cells: which of them are told, and what a write makes of them."""

from __future__ import annotations

import pytest

from inspector.storage.sealing import Seal, differing

ROW = Seal("rows", ("a", "b", "c"))
WHOLE = Seal("rows", ("a", "b", "c"), each=False)
CELLS = {"a": "one", "b": None, "c": 3}
BYTES = [b"one", None, b"3"]


@pytest.mark.parametrize("seal", [ROW, WHOLE])
def test_that_a_whole_row_has_no_damaged_cell(seal: Seal) -> None:
    assert seal.damaged(seal.of(CELLS), BYTES) == ()


def test_that_a_changed_cell_is_named_where_each_has_its_hash() -> None:
    assert ROW.damaged(ROW.of(CELLS), [b"One", None, b"3"]) == ("a",)
    assert ROW.damaged(ROW.of(CELLS), [b"one", b"", b"4"]) == ("b", "c")
    assert WHOLE.damaged(WHOLE.of(CELLS), [b"One", None, b"3"]) == ROW.cells


def test_that_cells_that_changed_places_are_both_told() -> None:
    assert ROW.damaged(ROW.of({"a": "x", "b": "y", "c": "z"}), [b"y", b"x", b"z"]) == ("a", "b")


@pytest.mark.parametrize("stored", ["", "short", ROW.of(CELLS)[:-1], ROW.of(CELLS)[:16], "\ufffd" * 48])
def test_that_a_seal_that_is_none_stays_damage_to_what_is_not_written(stored: str) -> None:
    assert ROW.damaged(stored, BYTES)
    again = ROW.renewed(stored, {"a": "one"})
    assert set(ROW.damaged(again, BYTES)) & {"b", "c"}


def test_that_what_is_behind_a_seal_is_damage_until_something_is_written() -> None:
    longer = ROW.of(CELLS) + "0"
    assert ROW.damaged(longer, BYTES) == ROW.cells
    assert ROW.damaged(ROW.renewed(longer, {"a": "one"}), BYTES) == ()


def test_that_a_cell_without_a_value_is_not_one_that_is_empty() -> None:
    assert ROW.damaged(ROW.of(CELLS), [b"one", b"", b"3"]) == ("b",)
    assert ROW.damaged(ROW.of({**CELLS, "b": ""}), BYTES) == ("b",)


def test_that_only_what_differs_is_written() -> None:
    assert differing(CELLS, {**CELLS, "b": "two"}) == {"b": "two"}
    assert differing(CELLS, dict(CELLS)) == {}


LATER = Seal("rows", ("a", "b", "c"), fixed=1)


def test_that_a_seal_from_before_a_cell_was_sealed_is_over_the_others_and_stays_so() -> None:
    older = ROW.of(CELLS)[:32]
    assert LATER.damaged(older, [b"one", None, b"anything"]) == ()
    assert LATER.damaged(older, [b"One", None, b"anything"]) == ("a",)
    again = LATER.renewed(older, {"a": "two"})
    assert LATER.damaged(again, [b"two", None, b"anything"]) == ()
    assert LATER.damaged(LATER.of(CELLS), [b"one", None, b"anything"]) == ("c",)
    assert "c =" not in LATER.update


def test_that_a_damaged_cell_that_is_put_back_later_is_damaged_again_until_it_is_meant() -> None:
    damaged: dict[str, bytes | None] = {"a": b"odd"}
    mended = ROW.renewed(ROW.of(CELLS), {"a": "new"}, damaged)
    assert ROW.damaged(mended, [b"new", None, b"3"]) == ()
    back = ROW.renewed(mended, {"a": "odd"}, {"a": b"new"})
    assert ROW.damaged(back, [b"odd", None, b"3"]) == ("a",)
    assert ROW.damaged(ROW.renewed(back, {"c": 4}, {"c": b"3"}), [b"odd", None, b"4"]) == ("a",)
    forth = ROW.renewed(back, {"a": "new"}, damaged)
    assert ROW.damaged(forth, [b"new", None, b"3"]) == ()
    meant = ROW.renewed(back, {"a": "odd"}, damaged)
    assert meant == ROW.of({**CELLS, "a": "odd"})
