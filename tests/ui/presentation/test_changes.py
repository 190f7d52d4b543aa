"""The words of changes: the passing notice, the Edit menu and the Changes panel name every operation."""

import pytest

from inspector.domain.changes import ChangeRole
from inspector.domain.edits.registry import CONTENT_OPERATIONS, OPERATIONS
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.wording import catalogue
from inspector.ui.file_state import FileState
from inspector.ui.presentation.changes import name_of_ref
from inspector.ui.presentation.journal_words import operation_names


@pytest.mark.parametrize("op", sorted(OPERATIONS))
def test_that_every_operation_has_words(op: str) -> None:
    assert f"operation.{op}" in catalogue()
    if op not in CONTENT_OPERATIONS:
        # Those on content are all called an edit of the block.
        assert {f"change.{op}", f"saved.{op}"} <= set(catalogue())


def test_that_ids_which_nobody_gave_are_no_names() -> None:
    assert name_of_ref(Ref(RefKind.MESSAGE, "msg_01m83x"), FileState()) == "message"
    assert name_of_ref(Ref(RefKind.ARCHIVAL, "arc_01m83x"), FileState()) == "archival entry"
    assert name_of_ref(Ref(RefKind.AGENT, "agt_01m83x"), FileState()) == "an agent"
    assert name_of_ref(Ref(RefKind.TOOL, "deploy"), FileState()) == "tool deploy"


def test_that_what_is_undone_is_named_once() -> None:
    assert operation_names(["take_back"], ChangeRole.UNDONE) == "Undone"
    assert operation_names(["take_back", "take_back"], ChangeRole.REDONE) == "Redone"
    assert operation_names(["set_label"], ChangeRole.UNDONE).startswith("Undo: ")
    assert (
        operation_names(["take_back", "set_pinned"], ChangeRole.UNDONE)
        == "Undo: Content changed, Pin changed"
    )
