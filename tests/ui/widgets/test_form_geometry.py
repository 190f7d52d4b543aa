"""Forms keep one width and one edge, and dialogs keep their margins in proportion to the text."""

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.widgets.controls import EDGE_STEPS, FORM_STEPS, text_space
from inspector.ui.widgets.grouped_page import GroupedPage
from inspector.ui.widgets.prompt import FormDialog, FormField


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_that_a_form_stays_at_the_left_of_a_wide_page(
    qtbot: QtBot, appearance: Appearance, scale: float
) -> None:
    appearance.set_scale(scale)
    page, row = GroupedPage(appearance, "Settings"), QLabel("Name")
    page.begin("first", "First")
    page.add(row)
    page.end()
    qtbot.addWidget(page)
    page.resize(4000, 400)
    page.show()
    assert row.x() == page.headings["first"].x() == appearance.space(EDGE_STEPS)
    assert row.width() == appearance.space(FORM_STEPS)


def test_that_the_margins_of_a_dialog_grow_with_its_text(qtbot: QtBot, appearance: Appearance) -> None:
    def margin(scale: float) -> int:
        appearance.set_scale(scale)
        parent = QWidget()
        qtbot.addWidget(parent)
        layout = FormDialog(parent, "New", (FormField("name", "Name"),), "Create", lambda _: None).layout()
        assert layout is not None
        return layout.contentsMargins().left()

    assert margin(2.0) == pytest.approx(2 * margin(1.0), abs=4)


def test_that_a_dialogs_steps_are_those_of_the_window(qtbot: QtBot, appearance: Appearance) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    assert text_space(parent, 4) == pytest.approx(appearance.space(4), abs=2)
