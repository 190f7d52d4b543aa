"""Seals over cells: which of them are told, and what a write makes of them."""

from __future__ import annotations

import pytest

from inspector.storage.sealing import Seal

ROW = Seal("rows", ("a", "b", "c"))
WHOLE = Seal("rows", ("a", "b", "c"), each=False)
CELLS = {"a": "one", "b": None, "c": 3}


@pytest.mark.parametrize("seal", [ROW, WHOLE])
def test_that_a_whole_row_has_no_damaged_cell(seal: Seal) -> None:
    assert seal.damaged(seal.of(CELLS), CELLS) == ()


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"a": "One"}, ("a",)),
        ({"b": "", "c": 4}, ("b", "c")),
        ({"a": "", "b": "one"}, ("a", "b")),
        ({"c": b"3"}, ("c",)),
    ],
)
def test_that_a_changed_cell_is_named_where_each_has_its_hash(
    changed: dict[str, object], named: tuple[str, ...]
) -> None:
    assert ROW.damaged(ROW.of(CELLS), {**CELLS, **changed}) == named
    assert WHOLE.damaged(WHOLE.of(CELLS), {**CELLS, **changed}) == WHOLE.cells


@pytest.mark.parametrize("stored", ["", "short", ROW.of(CELLS)[:-1], ROW.of(CELLS) + "0", "\ufffd" * 48])
def test_that_a_damaged_seal_is_damage_to_what_is_not_written(stored: str) -> None:
    assert ROW.damaged(stored, CELLS)
    again = ROW.renewed(stored, {"a": "one"})
    assert "a" not in ROW.damaged(again, CELLS)
