"""The budget panel: totals, rows that keep their state, and buttons that make the right edit."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLabel

from inspector.domain.agents import ContextConfig
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.edits.text import SetText, Splice, SpliceText
from inspector.domain.errors import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.what_if import WhatIf
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.budget_bar import BudgetBar, ReserveLegend
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, press_toast, said, show_request
from tests.ui.values import made_piece, made_request
from tests.ui.world import ADA, NOTES, PERSONA, QUESTIONS, STORED, Spy

Open = Callable[..., Awaitable[BudgetPanel]]
OUT_NOTES = "block:blk_notes:memory_full"


@pytest.fixture
def budget(studio: Studio, until: Until) -> Open:
    """``await budget()``: the panel with a Request of known figures in the open file, else the engine's."""

    async def opened(*, real: bool = False) -> BudgetPanel:
        await open_file(studio, until)
        if not real:
            show_request(studio, values.request())
        panel = studio.window.panel("budget")
        assert isinstance(panel, BudgetPanel)
        return panel

    return opened


def config_of(studio: Studio) -> ContextConfig | None:
    """How the shown agent's Request is built, as it is stored."""
    agent = studio.contents.workspace.file.agent
    return agent.config if agent else None


def is_pinned(studio: Studio) -> bool:
    return studio.contents.workspace.file.blocks[NOTES.id].block.pinned


def texts(panel: BudgetPanel, parent: QModelIndex | None = None) -> list[list[str]]:
    """What rows say, cell by cell."""
    model = panel.tree.model()
    above = parent or QModelIndex()
    return [
        [str(model.index(row, column, above).data() or "") for column in range(model.columnCount())]
        for row in range(model.rowCount(above))
    ]


def find(panel: BudgetPanel, name: str) -> QModelIndex:
    """The first cell of the row with that name."""
    model = panel.tree.model()
    start = model.index(0, 0)
    flags = Qt.MatchFlag.MatchRecursive | Qt.MatchFlag.MatchExactly
    found = model.match(start, int(Qt.ItemDataRole.DisplayRole), name, 1, flags)
    assert found, name
    return found[0]


def draft(studio: Studio, text: str) -> None:
    edit = Edit(QUESTIONS, SpliceText((Splice(0, 0, text),)))
    studio.contents.workspace.set_draft(edit, TextContent(text + STORED))


async def test_that_totals_and_sections_are_those_of_the_request(budget: Open) -> None:
    panel = await budget()
    assert panel.total_text == "~ 10,554"
    rows = texts(panel)
    assert [row[0] for row in rows[:4]] == ["Tools", "Persona", "Core Memory", "Working Memory"]
    assert rows[0][1:4] == ["1,254", "~", "8.6 %"]
    assert rows[2][1:4] == ["1,054", "=", "7.3 %"]
    figures = [int(row[1].replace(",", "")) for row in rows]
    assert sum(figures) == 10_554


async def test_that_figures_stand_right_and_the_name_left(budget: Open) -> None:
    panel = await budget()
    model = panel.tree.model()
    sides = [model.index(0, column).data(Qt.ItemDataRole.TextAlignmentRole) for column in range(5)]
    right = [bool(side & Qt.AlignmentFlag.AlignRight) for side in sides]
    assert right == [False, True, False, True, True]


async def test_that_memory_is_open_at_first_and_long_sections_are_not(budget: Open) -> None:
    panel = await budget()
    assert panel.tree.isExpanded(find(panel, "Core Memory"))
    assert not panel.tree.isExpanded(find(panel, "Messages"))


def working(request: Request) -> int:
    return next(each.tokens for each in request.sections if each.name == "working")


async def test_that_a_draft_changes_cells_and_keeps_what_is_open_and_selected(
    budget: Open, studio: Studio, until: Until
) -> None:
    panel = await budget(real=True)
    saved = studio.contents.workspace.file.request
    assert saved is not None
    tester = QAbstractItemModelTester(
        panel.tree.model(), QAbstractItemModelTester.FailureReportingMode.Warning
    )
    panel.tree.collapse(find(panel, "Core Memory"))
    panel.tree.expand(find(panel, "Messages"))
    panel.tree.setFocus()
    panel.tree.setCurrentIndex(find(panel, "open_questions"))
    studio.contents.services.selection.select(QUESTIONS)
    resets: list[None] = []
    panel.tree.model().modelReset.connect(lambda: resets.append(None))
    draft(studio, "sixty-three characters more, which the figure follows at once: ")
    await until(lambda: studio.contents.workspace.file.request is not saved)
    request = studio.contents.workspace.file.request
    assert request is not None
    # An event may have come of age since, so only the section is compared.
    more = working(request) - working(saved)
    assert more > 0
    row = find(panel, "open_questions")
    assert row.siblingAtColumn(4).data() == f"+{more}"
    assert find(panel, "Working Memory").siblingAtColumn(4).data() == f"+{more}"
    assert not panel.tree.isExpanded(find(panel, "Core Memory"))
    assert panel.tree.isExpanded(find(panel, "Messages"))
    assert panel.tree.currentIndex() == row
    assert not resets
    del tester


async def test_that_a_click_on_a_row_selects_its_piece_with_its_span(budget: Open, studio: Studio) -> None:
    panel = await budget()
    index = find(panel, "persona")
    panel.tree.scrollTo(index)
    point = panel.tree.visualRect(index).center()
    QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=point)
    selected = studio.contents.services.selection.selected
    assert selected.ref == PERSONA
    assert selected.span is not None
    request = studio.contents.workspace.file.request
    assert request is not None
    assert request.text[selected.span.start :].startswith("<persona>")


async def test_that_a_double_click_opens_a_piece_and_folds_a_section(budget: Open, studio: Studio) -> None:
    panel = await budget()
    opened: list[Ref] = []
    studio.contents.services.selection.opened.connect(opened.append)
    section = find(panel, "Core Memory")
    assert panel.tree.isExpanded(section)
    panel.tree.doubleClicked.emit(section)
    assert not panel.tree.isExpanded(section)
    panel.tree.doubleClicked.emit(find(panel, "persona"))
    assert opened == [PERSONA]


async def test_that_a_selection_elsewhere_is_selected_here(budget: Open, studio: Studio) -> None:
    panel = await budget()
    studio.contents.services.selection.select(QUESTIONS)
    assert panel.tree.currentIndex().data() == "open_questions"
    studio.contents.services.selection.select(Ref(RefKind.SECTION, "summary"))
    assert panel.tree.currentIndex().data(VALUE_ROLE).section == "summary"
    studio.contents.services.selection.select(Ref(RefKind.BLOCK, "blk_old"))
    assert not panel.tree.currentIndex().isValid()


async def test_that_a_click_in_the_bar_selects_its_section(budget: Open, studio: Studio) -> None:
    panel = await budget()
    QTest.mouseClick(panel.bar, Qt.MouseButton.LeftButton, pos=QPoint(4, panel.bar.height() // 2))
    assert studio.contents.services.selection.ref == Ref(RefKind.SECTION, "tools")


async def test_that_what_is_left_out_is_listed_with_reason_and_button(budget: Open) -> None:
    panel = await budget()
    row = panel.left_out.row(OUT_NOTES)
    assert row is not None
    words = [label.text() for label in row.findChildren(QLabel)]
    assert words[0] == "design_notes"
    assert words[1] == "· 2,310 tokens"
    assert panel.left_out.button(OUT_NOTES) is not None


async def test_that_the_pin_button_pins_and_the_limit_button_raises_the_limit(
    budget: Open, studio: Studio, until: Until
) -> None:
    panel = await budget()
    pin = panel.left_out.button(OUT_NOTES)
    limit = panel.left_out.button("message:bat_1:history_full")
    assert pin is not None
    assert limit is not None
    agent = studio.contents.workspace.file.agent
    assert agent is not None
    limits = replace(agent.config.limits, history_tokens=27_000)
    QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
    QTest.mouseClick(limit, Qt.MouseButton.LeftButton)
    await until(lambda: is_pinned(studio) and config_of(studio) == replace(agent.config, limits=limits))
    written = studio.contents.workspace.file.last_written
    assert written is not None
    assert written.actor == values.NOOR


async def test_that_a_fix_is_told_with_a_button_that_takes_it_back(
    budget: Open, studio: Studio, until: Until
) -> None:
    panel = await budget()
    limit = panel.left_out.button("message:bat_1:history_full")
    agent = studio.contents.workspace.file.agent
    assert limit is not None
    assert agent is not None
    QTest.mouseClick(limit, Qt.MouseButton.LeftButton)
    await said(studio, until, "History budget of Ada raised to 27,000 tokens.")
    await until(lambda: config_of(studio) != agent.config)
    press_toast(studio, "Undo")
    await until(lambda: config_of(studio) == agent.config)
    await said(studio, until, "Undone: History budget of Ada raised to 27,000 tokens.")
    await calm(studio, until)
    show_request(studio, values.request())
    pin = panel.left_out.button(OUT_NOTES)
    assert pin is not None
    QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
    await said(studio, until, "design_notes pinned.")
    await until(lambda: is_pinned(studio))
    press_toast(studio, "Undo")
    await until(lambda: not is_pinned(studio))


async def test_that_settings_that_were_changed_again_are_not_taken_back(
    budget: Open, studio: Studio, until: Until
) -> None:
    panel = await budget()
    limit = panel.left_out.button("message:bat_1:history_full")
    agent = studio.contents.workspace.file.agent
    assert limit is not None
    assert agent is not None
    QTest.mouseClick(limit, Qt.MouseButton.LeftButton)
    await said(studio, until, "History budget of Ada raised to 27,000 tokens.")
    config = replace(agent.config, max_messages_cap=7)
    await studio.opener.write(ADA, ConfigureAgent(config=config))
    await until(lambda: config_of(studio) == config)
    press_toast(studio, "Undo")
    await said(studio, until, "Can't undo configure_agent: others have changed all of it since.")
    await calm(studio, until)
    assert config_of(studio) == config


async def test_that_while_something_is_tried_a_fix_changes_that_and_nothing_stored(
    budget: Open, studio: Studio, until: Until
) -> None:
    panel = await budget()
    workspace, bar = studio.contents.workspace, studio.window.top_bar
    builds = Spy(studio.opener.engine.context, "try_out")
    agent = workspace.file.agent
    assert agent is not None
    workspace.try_out(WhatIf(model="claude-sonnet-5"))
    await until(lambda: builds.calls and bar.what_if.isVisible())
    await calm(studio, until)
    show_request(studio, values.request())
    for key in ("message:bat_1:history_full", OUT_NOTES):
        fix = panel.left_out.button(key)
        assert fix is not None
        QTest.mouseClick(fix, Qt.MouseButton.LeftButton)
    await until(lambda: builds.calls[-1].args[1].pinned == {NOTES})
    tried = builds.calls[-1].args[1].agent
    assert tried.model == "claude-sonnet-5"
    assert tried.config.limits == replace(agent.config.limits, history_tokens=27_000)
    assert workspace.file.last_written is None
    assert studio.window.toast.notice is None
    QTest.mouseClick(bar.what_if, Qt.MouseButton.LeftButton)
    await until(lambda: workspace.file.what_if == WhatIf())
    assert workspace.file.what_if == WhatIf()
    await until(lambda: not bar.what_if.isVisible())


async def test_that_a_file_open_for_reading_offers_no_buttons(budget: Open, studio: Studio) -> None:
    problem = Problem("file.read_only", Severity.WARNING, "", {})
    studio.opener.prepare = lambda session: setattr(session, "read_only", problem)
    panel = await budget()
    assert panel.left_out.row(OUT_NOTES) is not None
    assert panel.left_out.button(OUT_NOTES) is None


async def test_that_a_row_left_out_is_changed_in_place(budget: Open, studio: Studio) -> None:
    panel = await budget()
    before = panel.left_out.row(OUT_NOTES)
    request = studio.contents.workspace.file.request
    assert request is not None
    show_request(studio, with_tokens(request, 9_999))
    after = panel.left_out.row(OUT_NOTES)
    assert after is before
    assert after is not None
    assert "· 9,999 tokens" in [label.text() for label in after.findChildren(QLabel)]
    show_request(studio, replace(request, left_out=()))
    assert panel.left_out.row(OUT_NOTES) is None


def with_tokens(request: Request, tokens: int) -> Request:
    """The first candidate left out takes that many tokens."""
    first, *others = request.left_out
    return replace(request, left_out=(replace(first, tokens=tokens), *others))


async def test_that_a_click_on_what_is_left_out_selects_it(budget: Open, studio: Studio) -> None:
    panel = await budget()
    row = panel.left_out.row(OUT_NOTES)
    assert row is not None
    QTest.mouseClick(row, Qt.MouseButton.LeftButton, pos=QPoint(4, 4))
    assert studio.contents.services.selection.ref == Ref(RefKind.BLOCK, "blk_notes")


async def test_that_without_a_request_there_are_no_figures(budget: Open, studio: Studio) -> None:
    panel = await budget()
    show_request(studio, None)
    assert panel.total_text == "–"
    assert panel.tree.model().rowCount() == 0
    assert panel.left_out.row(OUT_NOTES) is None
    assert "nothing" not in [each.text() for each in panel.findChildren(QLabel)]


async def test_that_it_says_why_no_request_can_be_built_until_one_can(
    budget: Open, studio: Studio, until: Until
) -> None:
    panel = await budget(real=True)
    workspace = studio.contents.workspace
    text = "far too much " * 20_000
    workspace.set_draft(Edit(PERSONA, SetText(text)), TextContent(text))
    await until(lambda: workspace.file.request_problem is not None)
    labels = [each.text() for each in panel.findChildren(PlainLabel) if each.isVisibleTo(panel)]
    assert any("persona must be sent, but it needs" in each for each in labels)
    (request,) = studio.window.findChildren(RequestPanel)
    said = [each.text() for each in request.findChildren(PlainLabel)]
    assert any("persona must be sent, but it needs" in each for each in said)
    saved = workspace.file.saved_request
    assert saved is not None
    request.states.segments.choose(1)
    await until(lambda: request.view.rows is not None and request.view.rows.request is saved)
    assert request.view.isVisible()
    workspace.drop_draft(PERSONA.id)
    await until(lambda: workspace.file.request is not None)
    labels = [each.text() for each in panel.findChildren(PlainLabel) if each.isVisibleTo(panel)]
    assert not any("must be sent" in each for each in labels)


async def test_that_what_is_kept_for_estimates_is_in_the_bar_and_its_legend(
    budget: Open, studio: Studio
) -> None:
    panel = await budget()
    request = studio.contents.workspace.file.request
    assert request is not None
    legend = [each for each in panel.findChildren(ReserveLegend) if each.isVisible()]
    assert [each.text for each in legend] == ["8.3 % reply reserve"]
    show_request(studio, replace(request, margin_tokens=1_460))
    legend = [each for each in panel.findChildren(ReserveLegend) if each.isVisible()]
    assert [each.text for each in legend] == [
        "8.3 % reply reserve",
        "10.1 % safety margin",
    ]
    assert "10.1 %" in panel.bar.accessibleDescription()


async def test_that_the_bar_tells_a_screen_reader_the_shares(budget: Open) -> None:
    panel = await budget()
    assert isinstance(panel.bar, BudgetBar)
    assert "Core Memory 7.3 %" in panel.bar.accessibleDescription()


async def test_that_a_total_near_or_past_the_limit_is_coloured(budget: Open, studio: Studio) -> None:
    panel = await budget()
    total = next(label for label in panel.findChildren(QLabel) if label.text() == "~ 10,554")
    assert total.property("tone") == ""
    request = studio.contents.workspace.file.request
    assert request is not None
    for window, tone in ((13_000, "warning"), (11_000, "error")):
        limits = replace(request.limits, max_tokens=window)
        show_request(studio, replace(request, limits=limits))
        assert total.property("tone") == tone


@pytest.mark.parametrize("scale", [0.75, 1.0, 1.25, 2.0])
async def test_that_figures_of_five_digits_and_nearly_the_whole_window_are_not_cut_off(
    budget: Open, studio: Studio, until: Until, scale: float
) -> None:
    panel = await budget()
    studio.contents.services.appearance.set_scale(scale)
    draft(studio, "now there is a draft")
    await calm(studio, until)
    request = studio.contents.workspace.file.request
    assert request is not None
    most = made_piece("most", "text\n", tokens=99_999)
    large = replace(made_request({"all": [most]}), limits=replace(request.limits, max_tokens=100_099))
    show_request(studio, large)
    assert texts(panel) == [["All", "99,999", "=", "99.9 %", "+99,999", "", ""]]
    for column in range(1, 7):
        # Which of them there is room for is another thing.
        panel.tree.setColumnHidden(column, False)
        assert panel.tree.sizeHintForColumn(column) <= panel.tree.columnWidth(column), column


async def test_that_a_narrow_panel_gives_up_shares_before_names_and_drafts_while_there_are_some(
    budget: Open, studio: Studio, until: Until
) -> None:
    panel = await budget()
    assert not panel.tree.isColumnHidden(3)
    panel.resize(260, 500)
    assert [panel.tree.isColumnHidden(column) for column in range(5)] == [False, False, False, True, True]
    draft(studio, "seven characters more: ")
    await until(lambda: not panel.tree.isColumnHidden(4))
    widths = [panel.tree.columnWidth(column) for column in range(5)]
    assert sum(widths) <= panel.tree.viewport().width()
    assert widths[0] > 60


async def test_that_the_filters_words_are_whole_with_large_text(
    budget: Open, studio: Studio, until: Until
) -> None:
    panel = await budget()
    table = panel.table
    table.resize(900, 600)
    await until(lambda: table.form.y() < table.filter_field.geometry().bottom())
    studio.contents.services.appearance.set_scale(2.0)
    table.resize(420, 600)
    await until(lambda: table.form.y() > table.filter_field.geometry().bottom())
    least = table.filter_field.fontMetrics().horizontalAdvance(table.filter_field.placeholderText())
    assert table.filter_field.width() > least
