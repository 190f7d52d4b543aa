from inspector.domain.ref import Ref, RefKind
from inspector.ui.selection import SelectedSpan, Selection, SelectionState

A, B, C = (Ref(RefKind.BLOCK, name) for name in "abc")


def test_that_everybody_is_told_once_of_a_selection() -> None:
    said: list[SelectionState] = []
    selection = Selection()
    selection.changed.connect(said.append)
    selection.select(A, SelectedSpan(3, 5))
    selection.select(A, SelectedSpan(3, 5))
    assert said == [SelectionState(A, SelectedSpan(3, 5))]


def test_that_back_and_forward_walk_through_what_was_selected() -> None:
    selection = Selection()
    for ref in (A, B, C):
        selection.select(ref)
    selection.go_back()
    selection.go_back()
    assert selection.ref == A
    assert not selection.can_go_back
    selection.go_forward()
    assert selection.ref == B


def test_that_a_new_selection_forgets_the_way_forward() -> None:
    selection = Selection()
    for ref in (A, B):
        selection.select(ref)
    selection.go_back()
    selection.select(C)
    assert not selection.can_go_forward


def test_that_parts_of_one_thing_are_one_step() -> None:
    selection = Selection()
    selection.select(A)
    selection.select(Ref(RefKind.BLOCK, "a", "field"))
    selection.select(B)
    selection.go_back()
    assert selection.ref == Ref(RefKind.BLOCK, "a", "field")
    assert not selection.can_go_back


def test_that_opening_selects_and_asks_for_the_view() -> None:
    opened: list[Ref] = []
    selection = Selection()
    selection.opened.connect(opened.append)
    selection.open(B)
    assert selection.ref == B
    assert opened == [B]


def test_that_clearing_forgets_everything() -> None:
    selection = Selection()
    selection.select(A)
    selection.select(B)
    selection.clear()
    assert selection.ref is None
    assert not selection.can_go_back
