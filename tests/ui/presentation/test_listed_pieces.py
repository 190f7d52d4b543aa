"""What is listed of compared pieces: figures that add up at every level, groups of many, ways to differences."""

from PySide6.QtCore import QModelIndex

from inspector.domain.ref import Ref, RefKind
from inspector.domain.request_comparison import PieceState
from inspector.ui.models.columns import Column
from inspector.ui.models.tree import RowTree, TreeRow
from inspector.ui.presentation.comparison import LARGEST_GROUP, ComparedRow, kept_rows, listed_pieces

MANY = 3 * LARGEST_GROUP + 7


def _piece(number: int) -> TreeRow:
    state = PieceState.CHANGED if number % 100 == 5 else PieceState.KEPT
    row = ComparedRow(
        str(number), f"message {number}", "messages", number, number + 1, state, words=f"message {number}"
    )
    return TreeRow(row.key, row)


def _section(name: str, count: int) -> TreeRow:
    children = tuple(_piece(number) for number in range(count))
    before = sum(each.value.before for each in children)
    return TreeRow(
        f"section:{name}", ComparedRow(f"section:{name}", name, name, before, before + count), children
    )


def test_that_many_pieces_stand_in_groups_whose_figures_add_up() -> None:
    section = _section("messages", MANY)
    listed = listed_pieces([section], only_differences=False)
    (row,) = listed.rows
    assert [len(group.children) for group in row.children] == [LARGEST_GROUP] * 3 + [7]
    assert row.children[1].value.name == "Pieces 401 to 800"
    for figure in ("before", "after"):
        assert sum(getattr(each.value, figure) for each in row.children) == getattr(row.value, figure)
    assert [piece for group in row.children for piece in group.children] == list(section.children)
    assert listed.count == MANY
    # A group is no piece: nothing became of it, and opened it unfolds.
    assert not any(each.value.is_different or each.value.pair for each in row.children)
    assert row.children[0].value.ref == Ref(RefKind.SECTION, "messages")
    assert len({*listed.keys}) == len(listed.keys) == 1 + 4 + MANY


def test_that_few_pieces_stand_under_their_section() -> None:
    section = _section("messages", LARGEST_GROUP)
    listed = listed_pieces([section, _section("core", 0)], only_differences=False)
    assert listed.rows == (section,)
    assert listed.rows == kept_rows([section], only_differences=False)


def test_that_the_places_of_differences_are_those_of_their_rows() -> None:
    listed = listed_pieces([_section("messages", MANY)], only_differences=False)
    found = [listed.keys[place] for place in listed.differing]
    assert found == [str(number) for number in range(5, MANY, 100)]
    few = listed_pieces([_section("messages", MANY)], words="message 105")
    assert [each.key for each in few.rows[0].children] == ["105", "1105"]
    assert len(few.differing) == 2


def test_that_rows_made_elsewhere_are_those_of_the_tree() -> None:
    tree = RowTree([Column("name", "Name", lambda row: row.name)])
    for count in (3, MANY, 0, 5):
        listed = listed_pieces([_section("messages", count)], only_differences=False)
        tree.put(listed.made)
        assert tree.ordered_keys() == listed.keys
        assert tree.rowCount(QModelIndex()) == len(listed.rows)
        for key in listed.keys:
            index = tree.find(key)
            row = tree.row_at(index)
            assert row is not None
            assert row.key == key
