"""The tree model when many of its rows get another order at once."""

from PySide6.QtCore import QPersistentModelIndex
from PySide6.QtTest import QAbstractItemModelTester

from inspector.ui.models.columns import Column
from inspector.ui.models.tree import RowTree, TreeRow


def test_that_many_rows_are_put_into_another_order_and_indexes_follow_theirs() -> None:
    model = RowTree([Column("name", "Name", str)])
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    rows = [TreeRow(number, f"row {number}") for number in range(500)]
    model.set_rows(rows)
    kept = QPersistentModelIndex(model.find(3))
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    model.set_rows([*reversed(rows), TreeRow(500, "row 500")])
    assert model.ordered_keys() == (*reversed(range(500)), 500)
    assert kept.row() == 496
    assert kept.data() == "row 3"
    assert not resets
    del tester
