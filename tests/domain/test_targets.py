"""What each operation can be aimed at."""

from __future__ import annotations

import pytest

from inspector.domain.edits.access import TARGETS, is_aimed_right
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import DeleteRow, InsertArchival
from inspector.domain.edits.consent import SetPartner
from inspector.domain.edits.registry import CONTENT_OPERATIONS, OPERATIONS
from inspector.domain.edits.text import SetText
from inspector.domain.ref import Ref, RefKind


def test_that_every_operation_has_targets() -> None:
    assert set(OPERATIONS.values()) == set(TARGETS)
    assert all(TARGETS.values())


def test_that_contents_belong_to_blocks_alone() -> None:
    assert {TARGETS[each] for each in CONTENT_OPERATIONS.values()} == {frozenset({RefKind.BLOCK})}


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        (SetText("x"), RefKind.BLOCK),
        (InsertArchival("agt", "x"), RefKind.ARCHIVAL),
        (DeleteRow(), RefKind.MESSAGE),
        (SetPartner("p"), RefKind.CONSTELLATION),
    ],
)
def test_that_an_operation_fits_the_kind_that_it_is_for_and_no_other(
    operation: Operation, kind: RefKind
) -> None:
    assert is_aimed_right(Edit(Ref(kind, "x"), operation))
    other = RefKind.ARCHIVAL if kind is RefKind.BLOCK else RefKind.BLOCK
    assert not is_aimed_right(Edit(Ref(other, "x"), operation))
