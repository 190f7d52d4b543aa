"""The budget panel says how its figures were found, and why a piece is in."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFontMetrics

from inspector.domain.calibration import Correction
from inspector.domain.content import TextContent
from inspector.domain.counts import Method, RequestBand, Tokenizer
from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.requests import Piece, Request, TextRun
from inspector.runtime.wording import word
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.safe_text import ElidedLabel
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file, show_request
from tests.ui.values import made_piece, made_request
from tests.ui.world import QUESTIONS

Open = Callable[[], Awaitable[BudgetPanel]]
RECONSTRUCTED = Tokenizer("claude_4_8", Method.RECONSTRUCTED, 0.024, 0.02)
ESTIMATED = Tokenizer("other", Method.ESTIMATE, 0.12, 0.1)
CHANGE = 4


@pytest.fixture
def budget(studio: Studio, until: Until) -> Open:
    """``await budget()``: the panel with the world's file open."""

    async def opened() -> BudgetPanel:
        await open_file(studio, until)
        panel = studio.window.panel("budget")
        assert isinstance(panel, BudgetPanel)
        return panel

    return opened


def counted(piece: Piece, method: Method) -> Piece:
    """A piece whose figure was found that way."""
    runs = tuple(TextRun(each.text, each.sent, each.tokens, method) for each in piece.runs)
    return replace(piece, runs=runs)


def request_of(tokenizer: Tokenizer, *methods: Method) -> Request:
    """One section for each method, of a hundred tokens."""
    made = {
        method.value: [counted(made_piece(f"piece_{method}", "text\n", tokens=100), method)]
        for method in methods
    }
    return replace(made_request(made), tokenizer=tokenizer)


def cell(panel: BudgetPanel, row: int, column: int, role: Qt.ItemDataRole) -> str:
    """What the first piece of a section says there."""
    model = panel.tree.model()
    return str(model.index(0, column, model.index(row, 0)).data(role))


def tips(panel: BudgetPanel) -> list[str]:
    """How the first piece of each section was counted."""
    rows = range(panel.tree.model().rowCount(QModelIndex()))
    return [
        cell(panel, row, 2, Qt.ItemDataRole.ToolTipRole).removeprefix("<qt>").removesuffix("</qt>")
        for row in rows
    ]


def legend(panel: BudgetPanel) -> str:
    [label] = panel.header()
    assert isinstance(label, ElidedLabel)
    return label.original


async def test_that_the_tip_of_a_piece_tells_its_rule_with_its_figures(budget: Open, studio: Studio) -> None:
    panel = await budget()
    facts = {"messages": 38, "depth": 1}
    piece = replace(made_piece("sum", "text\n", rule="summary_of_left_out"), parameters=facts)
    show_request(studio, made_request({"summary": [piece]}))
    tip = cell(panel, 0, 0, Qt.ItemDataRole.ToolTipRole)
    assert word("rule.summary_of_left_out", facts) in tip
    assert "38 messages" in tip
    assert "?" not in tip
    # Another figure is another tip, though all else is the same.
    show_request(studio, made_request({"summary": [replace(piece, parameters={"messages": 39, "depth": 1})]}))
    assert "39 messages" in cell(panel, 0, 0, Qt.ItemDataRole.ToolTipRole)


async def test_that_reconstructed_counts_are_marked_as_such_and_their_band_is_told(
    budget: Open, studio: Studio
) -> None:
    panel = await budget()
    show_request(studio, request_of(RECONSTRUCTED, Method.RECONSTRUCTED))
    assert panel.total_text == "≈ 100"
    assert legend(panel) == "≈ reconstructed, ~ estimate"
    assert cell(panel, 0, 2, Qt.ItemDataRole.DisplayRole) == "≈"
    assert tips(panel) == ["Reconstructed with claude_4_8, ±2.4 % for 95 % of texts"]


async def test_that_a_part_that_no_tokenizer_counts_is_told_without_the_band_of_the_others(
    budget: Open, studio: Studio
) -> None:
    panel = await budget()
    show_request(studio, request_of(RECONSTRUCTED, Method.RECONSTRUCTED, Method.ESTIMATE))
    assert panel.total_text == "~ 200"
    assert tips(panel)[1] == "Estimate: not counted by claude_4_8"
    show_request(studio, request_of(values.EXACT, Method.EXACT, Method.ESTIMATE))
    assert tips(panel) == [
        "Exact, counted with o200k_base",
        "Estimate: how the provider counts this part is unknown",
    ]


async def test_that_the_legend_is_that_of_the_request_that_is_shown(budget: Open, studio: Studio) -> None:
    panel = await budget()
    show_request(studio, request_of(RECONSTRUCTED, Method.RECONSTRUCTED))
    show_request(studio, request_of(ESTIMATED, Method.ESTIMATE))
    assert panel.total_text == "~ 100"
    assert legend(panel) == "= exact, ~ estimate"
    assert tips(panel) == ["Estimated with other, ±12 % for 95 % of texts"]
    show_request(studio, request_of(values.EXACT, Method.EXACT))
    assert panel.total_text == "100"


async def test_that_a_column_with_nothing_in_it_leaves_its_room_to_a_long_name(
    budget: Open, studio: Studio, until: Until
) -> None:
    panel = await budget()
    request = made_request({"core": ["text\n"]})
    show_request(studio, request)
    assert not panel.tree.isColumnHidden(CHANGE)
    name = "A Section With Quite A Long Name"
    section = replace(request.sections[0], title=name)
    show_request(studio, replace(request, sections=(section,)))
    needed = QFontMetrics(panel.tree.font()).horizontalAdvance(name)
    assert panel.tree.isColumnHidden(CHANGE)
    assert panel.tree.columnWidth(0) > needed
    studio.contents.workspace.set_draft(Edit(QUESTIONS, SpliceText((Splice(0, 0, "x"),))), TextContent("x"))
    await until(lambda: not panel.tree.isColumnHidden(CHANGE))


async def test_that_the_tip_of_the_total_says_where_the_bill_likely_lies(
    budget: Open, studio: Studio
) -> None:
    panel = await budget()
    band = RequestBand("claude", "tools", 0.9, 1.2, 2, 18, 0.95, "bills")
    show_request(studio, replace(request_of(ESTIMATED, Method.ESTIMATE), band=band))
    assert "Likely bill: 88 to 122 tokens" in panel.total_tip
    show_request(studio, replace(request_of(ESTIMATED, Method.ESTIMATE), band=replace(band, high=None)))
    assert "Likely bill: 88 tokens or more" in panel.total_tip
    found = Correction("claude-sonnet-5", "claude", 4, 1.25, 1.2, 1.3)
    show_request(studio, replace(request_of(ESTIMATED, Method.ESTIMATE), band=band, correction=found))
    assert "the last 4 calls to claude-sonnet-5 were charged: about 125 tokens" in panel.total_tip
    show_request(
        studio, replace(request_of(values.EXACT, Method.EXACT), correction=replace(found, ratio=1.0))
    )
    assert panel.total_tip == ""
    show_request(studio, request_of(values.EXACT, Method.EXACT))
    assert panel.total_tip == ""
