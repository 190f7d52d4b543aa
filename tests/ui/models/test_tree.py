import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from inspector.ui.models.columns import KEY_ROLE, SORT_ROLE, VALUE_ROLE, Column
from inspector.ui.models.table import RowTable
from inspector.ui.models.tree import RowTree, TreeRow

COLUMNS: tuple[Column[str], ...] = (
    Column("name", "Name", str, tip=lambda value: f"<b>{value}</b>", spoken=lambda value: f"called {value}"),
    Column("size", "Size", lambda value: str(len(value)), right=True, sort=len),
)


def watched(model: QAbstractItemModel) -> QAbstractItemModelTester:
    return QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)


def shape(model: RowTree, parent: QModelIndex | None = None) -> list[object]:
    at = parent or QModelIndex()
    indexes = [model.index(row, 0, at) for row in range(model.rowCount(at))]
    return [(each.data(KEY_ROLE), each.data(VALUE_ROLE), shape(model, each)) for each in indexes]


def wanted(rows: tuple[TreeRow, ...]) -> list[object]:
    return [(row.key, row.value, wanted(row.children)) for row in rows]


def forests() -> st.SearchStrategy[tuple[TreeRow, ...]]:
    """Two levels with keys that are unique in the whole tree, whichever parent they stand under."""
    leaves = st.lists(st.sampled_from("abcdefghij"), unique=True).flatmap(
        lambda keys: st.tuples(
            st.just(keys),
            st.lists(st.sampled_from("xy"), min_size=len(keys), max_size=len(keys)),
            st.lists(st.integers(0, 3), min_size=len(keys), max_size=len(keys)),
        )
    )

    def grow(drawn: tuple[tuple[list[str], list[str], list[int]], list[int]]) -> tuple[TreeRow, ...]:
        (keys, values, places), parents = drawn
        return tuple(
            TreeRow(
                parent,
                f"parent {parent}",
                tuple(
                    TreeRow(k, v) for k, v, place in zip(keys, values, places, strict=True) if place == parent
                ),
            )
            for parent in parents
        )

    return st.tuples(leaves, st.lists(st.integers(0, 3), unique=True)).map(grow)


@settings(deadline=None, max_examples=150)
@given(st.lists(forests(), min_size=2, max_size=5))
def test_that_any_rows_can_follow_any_others(states: list[tuple[TreeRow, ...]]) -> None:
    model = RowTree(COLUMNS)
    _tester = watched(model)
    for rows in states:
        model.set_rows(rows)
        assert shape(model) == wanted(rows)
        assert set(filter(lambda key: isinstance(key, str), model.keys())) == {
            c.key for r in rows for c in r.children
        }


def tree(*keys: str) -> tuple[TreeRow, ...]:
    return (TreeRow("top", "top", tuple(TreeRow(key, key) for key in keys)),)


def test_that_an_index_stays_with_its_row_through_moves_and_inserts() -> None:
    model = RowTree(COLUMNS)
    _tester = watched(model)
    model.set_rows(tree("a", "b", "c"))
    kept = QPersistentModelIndex(model.find("c"))
    model.set_rows(tree("c", "x", "a", "b"))
    assert kept.isValid()
    assert kept.data(KEY_ROLE) == "c"
    assert kept.row() == 0


def test_that_the_same_rows_tell_nobody() -> None:
    model = RowTree(COLUMNS)
    model.set_rows(tree("a", "b"))
    said: list[str] = []
    model.dataChanged.connect(lambda *_: said.append("data"))
    model.rowsInserted.connect(lambda *_: said.append("in"))
    model.rowsRemoved.connect(lambda *_: said.append("out"))
    model.modelReset.connect(lambda: said.append("reset"))
    model.set_rows(tree("a", "b"))
    assert said == []


def test_that_a_changed_value_tells_of_its_row_alone() -> None:
    model = RowTree(COLUMNS)
    model.set_rows((TreeRow("a", "one"), TreeRow("b", "two")))
    said: list[tuple[int, int, int]] = []
    model.dataChanged.connect(lambda top, end, _: said.append((top.row(), end.row(), end.column())))
    model.set_rows((TreeRow("a", "one"), TreeRow("b", "three")))
    assert said == [(1, 1, 1)]


def test_that_neighbours_come_and_go_together() -> None:
    model = RowTree(COLUMNS)
    model.set_rows(tree("a", "z"))
    said: list[tuple[int, int]] = []
    model.rowsInserted.connect(lambda _, first, last: said.append((first, last)))
    model.rowsRemoved.connect(lambda _, first, last: said.append((first, last)))
    model.set_rows(tree("a", *(f"n{number}" for number in range(1000)), "z"))
    model.set_rows(tree("a", "z"))
    assert said == [(1, 1000), (1, 1000)]


def test_that_columns_say_what_cells_show() -> None:
    model = RowTree(COLUMNS)
    model.set_rows((TreeRow("a", "one"),))
    name, size = model.index(0, 0), model.index(0, 1)
    assert name.data() == "one"
    assert name.data(Qt.ItemDataRole.ToolTipRole) == "<qt>&lt;b&gt;one&lt;/b&gt;</qt>"
    assert name.data(Qt.ItemDataRole.AccessibleTextRole) == "called one"
    assert size.data(SORT_ROLE) == 3
    assert size.data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert model.headerData(1, Qt.Orientation.Horizontal) == "Size"


def test_that_a_row_that_only_tells_cannot_be_selected() -> None:
    model = RowTree(COLUMNS)
    model.set_rows((TreeRow("a", "one", enabled=False),))
    assert not model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsSelectable


@pytest.fixture
def table() -> RowTable:
    model = RowTable(COLUMNS, key=str.casefold)
    model.set_values(["bb", "a", "ccc"])
    return model


def test_that_a_table_keeps_the_model_rules(table: RowTable) -> None:
    _tester = watched(table)
    table.set_values(["a", "bb"])
    table.set_values([])
    table.set_values(["x"])
    assert table.values == ("x",)


def test_that_sorting_keeps_indexes_on_their_rows(table: RowTable) -> None:
    _tester = watched(table)
    kept = QPersistentModelIndex(table.find("ccc"))
    table.sort(1, Qt.SortOrder.DescendingOrder)
    assert table.values == ("ccc", "bb", "a")
    assert kept.row() == 0
    table.sort(0)
    assert table.values == ("a", "bb", "ccc")
    assert kept.data(KEY_ROLE) == "ccc"


def test_that_a_table_with_the_same_keys_tells_of_changed_rows_alone(table: RowTable) -> None:
    said: list[int] = []
    resets: list[int] = []
    table.dataChanged.connect(lambda top, *_: said.append(top.row()))
    table.modelReset.connect(lambda: resets.append(1))
    table.set_values(["bb", "A", "ccc"])
    assert (said, resets) == ([1], [])
    assert table.find("nothing").isValid() is False
