"""What the window says of one thing is the same everywhere, and of the file that is open."""

from dataclasses import replace
from datetime import timedelta

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from inspector.domain.agents import ContextConfig
from inspector.domain.counts import Method
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetLabel
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.limits import LimitOverrides
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Piece, Source, SourceKind, TextRun
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.detail import DetailPanel
from inspector.ui.panels.request import RequestPanel
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, show_request, texts
from tests.ui.values import made_request
from tests.ui.world import ADA, QUESTIONS


def budget_of(studio: Studio) -> BudgetPanel:
    panel = studio.window.panel("budget")
    assert isinstance(panel, BudgetPanel)
    return panel


def card_rows(studio: Studio) -> dict[str, str]:
    panel = studio.window.panel("detail")
    assert isinstance(panel, DetailPanel)
    return {} if panel.card is None else {row.name: row.text for row in panel.card.rows}


async def test_that_a_new_file_shows_nothing_of_the_one_before(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    budget = budget_of(studio)
    assert budget.total_text
    studio.contents.workspace.create(studio.opener.folder / "new.constellation")
    path = studio.opener.folder / "new.constellation"
    await until(lambda: studio.contents.workspace.file.path == path)
    await calm(studio, until)
    assert budget.total_text == "–"
    assert budget.tree.model().rowCount() == 0
    rows = [each.text() for each in budget.left_out.findChildren(QLabel) if each.isVisible() and each.text()]
    assert rows == []


async def test_that_what_a_fix_lets_in_is_selected_and_its_card_says_that_it_is_in(
    studio: Studio, until: Until
) -> None:
    config = ContextConfig(limits=LimitOverrides(history_tokens=60))
    await studio.opener.change_file(Edit(ADA, ConfigureAgent(config=config)))
    await open_file(studio, until)
    budget, selection = budget_of(studio), studio.contents.services.selection
    request = studio.contents.workspace.file.request
    assert request is not None
    before = {at.piece.id for at in request.placed()}
    buttons = budget.left_out.findChildren(QPushButton)
    do = next(each for each in buttons if each.text().startswith("Raise history budget"))
    QTest.mouseClick(do, Qt.MouseButton.LeftButton)
    await until(lambda: selection.ref is not None and selection.ref.kind is RefKind.MESSAGE)
    await calm(studio, until)
    request = studio.contents.workspace.file.request
    assert request is not None
    [came_in] = [at.piece for at in request.placed() if at.piece.source.ref == selection.ref]
    assert came_in.id not in before
    await until(lambda: "Why it's in" in card_rows(studio))
    front = studio.window.centre.currentWidget()
    assert isinstance(front, RequestPanel)
    await until(lambda: front.view.selected_piece == came_in.id)
    assert front.view.rows is not None
    rows = front.view.rows.rows_of_piece(came_in.id)
    assert rows is not None
    assert front.view.box_of_row(rows[0]) is not None


async def test_that_a_card_gives_the_tokens_of_each_section_that_the_row_gives(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    source = Source(SourceKind.TOOL, "deploy", "deploy", values.ADA)
    request = made_request({"core": ["text\n"], "tools": ["all of it\n"], "hints": ["deploy\n"]})
    pieces = {
        "tools": Piece(
            "tool:deploy", "tools", source, "tool", (TextRun("all of it\n", True, 764, Method.EXACT),)
        ),
        "hints": Piece(
            "hint:deploy", "hints", source, "tool", (TextRun("deploy\n", True, 27, Method.EXACT),)
        ),
    }
    sections = tuple(
        replace(each, pieces=(pieces[each.name],)) if each.name in pieces else each
        for each in request.sections
    )
    show_request(studio, replace(request, sections=sections))
    studio.contents.services.selection.select(Ref(RefKind.TOOL, "deploy"))
    titles = {each.name: each.title or each.name for each in sections}
    wanted = f"764 in {titles['tools']}, 27 in {titles['hints']} (791 together)"
    await until(lambda: card_rows(studio).get("Tokens", "").startswith(wanted))


async def test_that_own_saves_are_told_apart_from_others_and_time_goes_on(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    line = studio.window.status_line
    studio.contents.workspace.edit(QUESTIONS.id, SetLabel("riddles"))
    await until(lambda: "saved just now" in texts(line))
    assert "Noor wrote" not in texts(line)
    environment = studio.opener.environment
    later = environment.clock() + timedelta(seconds=12)
    object.__setattr__(environment, "clock", lambda: later)
    # Nothing happens; the line goes on by itself.
    await until(lambda: "saved 12 s ago" in texts(line))
    await studio.opener.write(QUESTIONS, SetLabel("puzzles"))
    await until(lambda: "Grace wrote" in texts(line))
