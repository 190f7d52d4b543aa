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
