"""What is typed in fields and copied from cells, as values."""

import itertools

import pytest

from inspector.domain.blocks import FieldDef, FieldScalar, FieldType
from inspector.domain.content import FieldEntry
from inspector.ui.editors.element_rows import read_table, written_table
from inspector.ui.editors.field_values import FieldFault, read_value

OWNERS = FieldDef("owners", FieldType.LIST)


def elements(*values: FieldScalar) -> tuple[FieldEntry, ...]:
    return tuple(FieldEntry(f"e{at}", value) for at, value in enumerate(values))


@pytest.mark.parametrize(
    ("old", "text", "values"),
    [
        ((1, True, "Sam"), "1\ntrue\nSamX", [1, True, "SamX"]),
        ((1, True, "Sam"), "X1\ntrue\nSam", ["X1", True, "Sam"]),
        (("Noor", "", "Sam"), "Noor\n\nSamX", ["Noor", "", "SamX"]),
        (("Noor", "", "Sam"), "Noor\n\nAda\nSam", ["Noor", "", "Ada", "Sam"]),
        (("Noor",), "Noor\n", ["Noor"]),
        ((2.5,), "2.5\nnew", [2.5, "new"]),
        ((), "one\n\ntwo", ["one", "two"]),
    ],
)
def test_that_elements_that_nobody_typed_in_stay_what_they_are(
    old: tuple[FieldScalar, ...], text: str, values: list[FieldScalar]
) -> None:
    ids = itertools.count()
    read = read_value(OWNERS, text, elements(*old), lambda kind: f"{kind}{next(ids)}")
    assert isinstance(read, tuple)
    assert [(type(each.value), each.value) for each in read] == [(type(each), each) for each in values]


def test_that_a_number_is_written_in_figures_alone() -> None:
    read = read_value(FieldDef("n", FieldType.NUMBER), "1_0", 3, lambda kind: kind)
    assert isinstance(read, FieldFault)


@pytest.mark.parametrize(
    "cell", ["a\rb", "a\nb", "a\r\nb", 'say "x"', '"quoted" start', "tab\tin", "", " lead", "x\u2028y", "\r"]
)
def test_that_a_copied_cell_is_pasted_as_it_was(cell: str) -> None:
    for row in ([cell], [cell, "x"], ["x", cell, "y"]):
        assert read_table(written_table([row, row])) == [row, row]
