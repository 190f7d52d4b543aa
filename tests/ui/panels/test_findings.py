"""Findings in the problems panel: grouped, fixed with one click and undone, ignored, and secrets never shown."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.errors import Problem, Severity
from inspector.domain.lint import LintRule
from inspector.domain.ref import Ref, RefKind
from inspector.ui.costs.finding_buttons import FindingButtons
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.problems import ProblemsPanel
from inspector.ui.presentation.cuts import IGNORED
from inspector.ui.presentation.problem_rows import ProblemRow
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.large_file import LARGE, large_edits
from tests.ui.open_window import calm, open_file, press_toast, said

POLICY = (
    "After the freeze only fixes with a number go into a release branch, and whoever merges one writes down why it "
    "could not wait for the next version."
)
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
FIRST, SECOND, KEYS = (Ref(RefKind.BLOCK, f"blk_{name}") for name in ("first", "second", "keys"))


def blocks() -> tuple[Edit, ...]:
    """A policy that stands in two blocks, and a key in a third."""
    texts = {
        FIRST: f"Policy.\n{POLICY}",
        SECOND: f"Own words.\n{POLICY}\nMore own words.",
        KEYS: f"The key is {SECRET} for now.",
    }
    return tuple(
        Edit(ref, CreateBlock(values.ADA, ref.id.removeprefix("blk_"), content=TextContent(text)))
        for ref, text in texts.items()
    )


async def opened(studio: Studio, until: Until) -> ProblemsPanel:
    """The panel in sight, with all findings in it."""
    await studio.opener.change_file(*large_edits(), *blocks())
    await open_file(studio, until)
    studio.window.resize(1440, 1100)
    studio.contents.services.actions.run("view.problems")
    panel = studio.window.panel("problems")
    assert isinstance(panel, ProblemsPanel)
    await until(lambda: panel.rows)
    return panel


def row_of(panel: ProblemsPanel, rule: LintRule, where: Ref | None = None) -> ProblemRow:
    """The row of the finding of that kind."""
    found = [
        row for row in panel.rows if row.finding and row.finding.rule is rule and where in (None, row.ref)
    ]
    assert found, [row.what for row in panel.rows]
    return found[0]


async def buttons_of(panel: ProblemsPanel, until: Until, row: ProblemRow) -> FindingButtons:
    """The buttons of a row, scrolled to."""
    place = panel.rows.index(row)

    def has_buttons() -> bool:
        # Rows grow to what stands in them when they come into sight.
        panel.view.scrollTo(panel.view.model().index(place, 1))
        return panel.buttons(row.key) is not None

    await until(has_buttons)
    found = panel.buttons(row.key)
    assert found is not None
    return found


async def test_that_findings_stand_in_groups_with_what_they_save(studio: Studio, until: Until) -> None:
    panel = await opened(studio, until)
    headings = [row.what for row in panel.rows if row.severity is None]
    assert [each.split(" · ")[0] for each in headings] == ["Secrets", "Tokens to save"]
    assert headings[1].endswith("tokens")
    large = row_of(panel, LintRule.LARGE_MESSAGE)
    assert int(large.saves.strip("~").replace(",", "")) > 15_000
    assert panel.note == f"{sum(row.finding is not None for row in panel.rows)} findings"


async def test_that_a_duplicate_is_removed_with_one_click_and_undone(studio: Studio, until: Until) -> None:
    panel = await opened(studio, until)
    row = row_of(panel, LintRule.DUPLICATE_TEXT)
    assert row.ref == SECOND
    assert row.do == "Remove duplicate"
    QTest.mouseClick((await buttons_of(panel, until, row)).fix_button, Qt.MouseButton.LeftButton)
    await said(studio, until, "Duplicate text removed from second.")
    assert await studio.opener.text(SECOND) == "Own words.\nMore own words."
    await until(lambda: row.key not in {each.key for each in panel.rows})
    press_toast(studio, "Undo")
    await until(lambda: row.key in {each.key for each in panel.rows})
    assert POLICY in await studio.opener.text(SECOND)


async def test_that_the_preview_of_a_duplicate_takes_it_out_of_the_draft(
    studio: Studio, until: Until
) -> None:
    finding = row_of(await opened(studio, until), LintRule.DUPLICATE_TEXT).finding
    assert finding is not None
    studio.contents.services.selection.open(SECOND)
    block = studio.window.centre.currentWidget()
    assert isinstance(block, BlockPanel)
    block.page.editor.select_range(0, 0)
    QTest.keyClicks(block.page.editor, "Mine. ")
    await until(lambda: studio.contents.workspace.file.drafts)
    await calm(studio, until)
    request, budget = studio.contents.workspace.file.request, studio.window.panel("budget")
    assert request is not None
    assert isinstance(budget, BudgetPanel)
    budget.preview(finding)
    await until(lambda: budget.cut_preview.rows)
    assert budget.cut_preview.total_text.startswith(f"~{request.tokens:,} → ~")
    [row] = budget.cut_preview.rows
    # With the end of its line.
    assert row.before - row.after == finding.tokens + 1


async def test_that_a_large_message_is_archived_from_its_row_by_keyboard(
    studio: Studio, until: Until
) -> None:
    panel = await opened(studio, until)
    row = row_of(panel, LintRule.LARGE_MESSAGE)
    request = studio.contents.workspace.file.request
    before = request.tokens if request else 0
    buttons = await buttons_of(panel, until, row)
    buttons.fix_button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(buttons.fix_button, Qt.Key.Key_Space)
    await said(studio, until, "Message archived")
    await until(lambda: (now := studio.contents.workspace.file.request) and now.tokens < before - 15_000)
    assert panel.view.hasFocus() or not studio.window.isActiveWindow()


async def test_that_a_secret_is_never_shown_and_can_be_removed(studio: Studio, until: Until) -> None:
    panel = await opened(studio, until)
    row = row_of(panel, LintRule.SECRET)
    assert row.ref == KEYS
    shown = " ".join((row.what, row.where, row.tip, row.do, row.kind))
    assert SECRET not in shown
    QTest.mouseClick((await buttons_of(panel, until, row)).fix_button, Qt.MouseButton.LeftButton)
    await said(studio, until, "Secret removed from keys.")
    assert await studio.opener.text(KEYS) == "The key is [removed] for now."


async def test_that_a_click_selects_the_place_of_a_finding(studio: Studio, until: Until) -> None:
    panel = await opened(studio, until)
    row = row_of(panel, LintRule.LARGE_MESSAGE)
    await buttons_of(panel, until, row)
    place = panel.rows.index(row)
    index = panel.view.model().index(place, 1)
    panel.view.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtTop)
    panel.view.setFocus()
    shown = panel.view.visualRect(index)
    point = QPoint(shown.left(), max(shown.top(), 0)) + QPoint(8, 8)
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert studio.contents.services.selection.ref == LARGE


async def test_that_an_ignored_kind_stays_away_until_it_is_shown_again(studio: Studio, until: Until) -> None:
    panel = await opened(studio, until)
    row = row_of(panel, LintRule.DUPLICATE_TEXT)
    QTest.mouseClick((await buttons_of(panel, until, row)).ignore_button, Qt.MouseButton.LeftButton)
    await until(lambda: row.key not in {each.key for each in panel.rows})
    assert studio.contents.services.preferences.text(IGNORED) == "duplicate_text"
    (restore,) = panel.header()
    assert not restore.isHidden()
    QTest.mouseClick(restore, Qt.MouseButton.LeftButton)
    await until(lambda: row.key in {each.key for each in panel.rows})


@pytest.mark.parametrize("read_only", [False, True])
async def test_that_a_read_only_file_shows_findings_without_a_fix(
    studio: Studio, until: Until, read_only: bool
) -> None:
    problem = Problem("file.read_only", Severity.WARNING, "", {})
    if read_only:
        studio.opener.prepare = lambda session: setattr(session, "read_only", problem)
    panel = await opened(studio, until)
    assert bool(row_of(panel, LintRule.DUPLICATE_TEXT).do) is not read_only


async def test_that_what_another_took_away_is_not_written_twice(studio: Studio, until: Until) -> None:
    panel = await opened(studio, until)
    row = row_of(panel, LintRule.DUPLICATE_TEXT)
    buttons = await buttons_of(panel, until, row)
    await studio.opener.insert(0, "Meanwhile. ", SECOND)
    QTest.mouseClick(buttons.fix_button, Qt.MouseButton.LeftButton)
    await calm(studio, until)
    await until(lambda: not studio.contents.workspace.findings.is_waiting)
    text = await studio.opener.text(SECOND)
    assert text.startswith("Meanwhile. Own words.\n")


async def test_that_a_column_that_is_too_narrow_for_a_button_grows_to_it(
    studio: Studio, until: Until
) -> None:
    panel = await opened(studio, until)
    studio.window.resize(2400, 1100)
    header = panel.view.horizontalHeader()
    await until(lambda: not panel.view.isColumnHidden(header.count() - 1))
    buttons = await buttons_of(panel, until, row_of(panel, LintRule.DUPLICATE_TEXT))
    column = panel.view.indexAt(buttons.geometry().center()).column()
    assert column == header.count() - 1
    header.resizeSection(column, 20)
    await until(lambda: header.sectionSize(column) > 20)
    await calm(studio, until)
    shown = [found for row in panel.rows if (found := panel.buttons(row.key)) is not None]
    widest = max(shown, key=lambda each: each.sizeHint().width())
    await until(lambda: widest.width() >= widest.sizeHint().width())
