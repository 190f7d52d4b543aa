"""The budget's table: sorted by its headings, flat or by section, filtered, and remembered."""

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest

from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.preferences import Preferences
from inspector.ui.presentation.budget_order import FLAT, SORT
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file, show_request
from tests.ui.values import made_piece, made_request


async def opened(studio: Studio, until: Until) -> BudgetPanel:
    """The panel with a Request of known figures."""
    await open_file(studio, until)
    show_request(studio, values.request())
    panel = studio.window.panel("budget")
    assert isinstance(panel, BudgetPanel)
    return panel


def names(panel: BudgetPanel, parent: QModelIndex | None = None) -> list[str]:
    """The names in the first column."""
    model = panel.tree.model()
    above = parent or QModelIndex()
    return [str(model.index(row, 0, above).data()) for row in range(model.rowCount(above))]


def tokens(panel: BudgetPanel) -> list[int]:
    """The figures of the rows at the top."""
    model = panel.tree.model()
    return [int(model.index(row, 1).data().replace(",", "")) for row in range(model.rowCount())]


def click_heading(panel: BudgetPanel, column: int) -> None:
    """Click into a heading."""
    head = panel.tree.header()
    at = QPoint(head.sectionViewportPosition(column) + 6, head.height() // 2)
    QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)


async def test_that_a_heading_sorts_one_way_the_other_and_back_to_the_order_of_sending(
    studio: Studio, until: Until
) -> None:
    panel = await opened(studio, until)
    sent = names(panel)
    click_heading(panel, 1)
    assert tokens(panel) == sorted(tokens(panel), reverse=True)
    assert panel.tree.model().headerData(1, Qt.Orientation.Horizontal) == "Tokens ↓"
    click_heading(panel, 1)
    assert tokens(panel) == sorted(tokens(panel))
    click_heading(panel, 1)
    assert names(panel) == sent
    click_heading(panel, 0)
    assert names(panel) == sorted(sent, key=str.casefold)


async def test_that_sorting_keeps_what_is_open_and_selected(studio: Studio, until: Until) -> None:
    panel = await opened(studio, until)
    model = panel.table.model
    core = model.find("section:core")
    assert panel.tree.isExpanded(core)
    panel.tree.setCurrentIndex(model.index(0, 0, core))
    name = panel.tree.currentIndex().data()
    click_heading(panel, 1)
    assert panel.tree.isExpanded(model.find("section:core"))
    assert panel.tree.currentIndex().data() == name


async def test_that_the_flat_list_has_every_piece_and_its_figures_add_up(
    studio: Studio, until: Until
) -> None:
    panel = await opened(studio, until)
    whole, sections = sum(tokens(panel)), names(panel)
    QTest.mouseClick(panel.table.form.buttons[1], Qt.MouseButton.LeftButton)
    assert sum(tokens(panel)) == whole
    assert len(names(panel)) > len(sections)
    # It is opened to see what costs most; sections come back in the order of sending.
    assert tokens(panel) == sorted(tokens(panel), reverse=True)
    QTest.mouseClick(panel.table.form.buttons[0], Qt.MouseButton.LeftButton)
    assert names(panel) == sections
    # An order that was asked for stays in both.
    click_heading(panel, 0)
    QTest.mouseClick(panel.table.form.buttons[1], Qt.MouseButton.LeftButton)
    assert names(panel) == sorted(names(panel), key=str.casefold)
    QTest.mouseClick(panel.table.form.buttons[0], Qt.MouseButton.LeftButton)
    assert names(panel) == sorted(names(panel), key=str.casefold)


async def test_that_the_choice_is_remembered(studio: Studio, until: Until) -> None:
    panel = await opened(studio, until)
    click_heading(panel, 1)
    QTest.mouseClick(panel.table.form.buttons[1], Qt.MouseButton.LeftButton)
    kept = Preferences(studio.contents.services.preferences.path)
    assert (kept.text(SORT), kept.switch(FLAT)) == ("-tokens", True)


async def test_that_a_filter_leaves_what_fits_and_its_end_brings_all_back(
    studio: Studio, until: Until
) -> None:
    panel = await opened(studio, until)
    before = names(panel)
    model = panel.table.model
    panel.tree.collapse(model.find("section:core"))
    panel.table.filter_field.setFocus()
    QTest.keyClicks(panel.table.filter_field, "PERS")
    assert set(names(panel)) == {"Persona", "Core Memory"}
    core = model.find("section:core")
    assert names(panel, core) == ["persona"]
    assert panel.tree.isExpanded(core)
    panel.table.filter_field.clear()
    assert names(panel) == before
    assert not panel.tree.isExpanded(model.find("section:core"))


async def test_that_rows_keep_their_order_under_the_pointer(studio: Studio, until: Until) -> None:
    panel = await opened(studio, until)
    show_request(
        studio, made_request({"core": [made_piece("a", "x\n", tokens=9), made_piece("b", "y\n", tokens=5)]})
    )
    click_heading(panel, 1)
    core = panel.table.model.find("section:core")
    assert names(panel, core) == ["a", "b"]
    panel.tree.viewport().setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    show_request(
        studio, made_request({"core": [made_piece("a", "x\n", tokens=1), made_piece("b", "y\n", tokens=5)]})
    )
    assert names(panel, core) == ["a", "b"]
    panel.tree.viewport().setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QCoreApplication.sendEvent(panel.tree.viewport(), QEvent(QEvent.Type.Leave))
    show_request(
        studio, made_request({"core": [made_piece("a", "x\n", tokens=2), made_piece("b", "y\n", tokens=5)]})
    )
    assert names(panel, panel.table.model.find("section:core")) == ["b", "a"]


async def test_that_messages_are_open_at_first_where_they_are_the_largest(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    panel = studio.window.panel("budget")
    assert isinstance(panel, BudgetPanel)
    messages = made_piece("long", "x\n", tokens=900)
    panel.table.forget()
    show_request(studio, made_request({"core": ["text\n"], "messages": [messages]}))
    assert panel.tree.isExpanded(panel.table.model.find("section:messages"))
