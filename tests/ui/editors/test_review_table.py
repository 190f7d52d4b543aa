"""The table of fields that both sides changed: what differs in long texts can be read in it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from inspector.domain.blocks import FieldDef, FieldType, MapSchema
from inspector.domain.content import MapContent
from inspector.domain.differences.conflicts import conflicts
from inspector.domain.differences.contents import diff_contents
from inspector.domain.edits.base import Version
from inspector.domain.history import ThreeWay
from inspector.domain.resolution import Choice
from inspector.ui.appearance import Appearance
from inspector.ui.editors.review_table import TableReview

TITLE = "Smoke test green on linux-arm64, three in a row"


def both(before: str, mine: str, theirs: str) -> ThreeWay:
    schema = MapSchema((FieldDef("title", FieldType.TEXT),))
    base, one, other = (MapContent({"title": text}) for text in (before, mine, theirs))
    found = conflicts(schema, diff_contents(base, other), diff_contents(base, one))
    return ThreeWay(schema, base, other, one, None, Version("1"), conflicts=found)


def test_that_a_row_is_as_high_as_its_longest_text_and_no_higher_than_some_lines(
    appearance: Appearance, qtbot: QtBot
) -> None:
    table = TableReview(appearance)
    qtbot.addWidget(table)
    table.resize(600, 400)
    table.show()

    def height() -> int:
        [item] = [table.rows.topLevelItem(0)]
        assert item is not None
        return table.rows.visualItemRect(item).height()

    table.show_sides(both("Before", "Mine", "Theirs"), "Grace")
    short = height()
    table.show_sides(both(TITLE, f"{TITLE}!", f"{TITLE}, says Grace"), "Grace")
    qtbot.waitUntil(lambda: height() > 2 * short)
    whole = height()
    table.resize(1800, 400)
    qtbot.waitUntil(lambda: height() < whole)
    table.show_sides(both(TITLE, "long " * 5_000, "longer " * 5_000), "Grace")
    table.choose(Choice.MINE)
    qtbot.waitUntil(lambda: short < height() < 300)
