"""The budget's next best cut: previewed without writing, made, and undone, on the real window."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import ArchiveMessage
from inspector.domain.errors import Problem, Severity
from inspector.domain.lint import LintRule
from inspector.domain.ref import Ref, RefKind
from inspector.ui.costs.next_cut import CutWidget
from inspector.ui.file_state import What
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.navigator import NavigatorPanel
from inspector.ui.presentation.cuts import IGNORED
from tests.ui.conftest import Studio, Until
from tests.ui.large_file import LARGE, open_large
from tests.ui.open_window import calm, open_file, press_toast, said, texts
from tests.ui.world import QUESTIONS


def tokens(studio: Studio) -> int:
    """What the Request that is shown takes."""
    request = studio.contents.workspace.file.request
    return request.tokens if request else 0


def best(panel: BudgetPanel) -> CutWidget:
    """The widget of the best cut."""
    row = panel.cuts.row(0)
    assert row is not None
    return row


async def test_that_the_largest_message_is_the_next_best_cut_and_is_archived_with_one_click(
    studio: Studio, until: Until
) -> None:
    panel = await open_large(studio, until)
    before = tokens(studio)
    (first, *_) = panel.cuts.rows
    assert first.finding.where == LARGE
    assert first.finding.tokens > 15_000
    QTest.mouseClick(best(panel).do_button, Qt.MouseButton.LeftButton)
    await said(studio, until, "Message archived: user: Build log line")
    # The change itself is one more event of the recent activity.
    await until(lambda: tokens(studio) < before - first.finding.tokens + 100)
    assert panel.total_text.endswith(f"{tokens(studio):,}")
    await until(lambda: all(each.finding.where != LARGE for each in panel.cuts.rows))
    press_toast(studio, "Undo")
    await until(lambda: tokens(studio) >= before)
    await said(studio, until, "Undone: Message archived")
    await until(lambda: panel.cuts.rows and panel.cuts.rows[0].finding.where == LARGE)


async def test_that_a_preview_shows_before_and_after_and_writes_nothing(studio: Studio, until: Until) -> None:
    panel = await open_large(studio, until)
    before, cut = tokens(studio), panel.cuts.rows[0].finding
    QTest.mouseClick(best(panel).preview_button, Qt.MouseButton.LeftButton)
    preview = panel.cut_preview
    await until(lambda: preview.rows)
    assert preview.isVisible()
    assert preview.total_text == f"~{before:,} → ~{before - cut.tokens:,} tokens (−{cut.tokens:,})"
    assert [(each.name[:10], each.after) for each in preview.rows] == [("user: Buil", 0)]
    assert sum(each.after - each.before for each in preview.rows) == -cut.tokens
    assert studio.contents.workspace.file.last_written is None
    assert tokens(studio) == before
    QTest.keyClick(preview.do_button, Qt.Key.Key_Escape)
    assert not preview.isVisible()
    assert panel.tree.isVisible()
    QTest.mouseClick(best(panel).preview_button, Qt.MouseButton.LeftButton)
    await until(lambda: preview.rows)
    QTest.keyClick(preview.do_button, Qt.Key.Key_Space)
    await said(studio, until, "Message archived")
    await until(lambda: tokens(studio) < before - cut.tokens + 100)
    assert not preview.isVisible()


async def test_that_a_preview_has_the_drafts_in_it_and_follows_what_is_typed(
    studio: Studio, until: Until
) -> None:
    panel = await open_large(studio, until)
    saved, cut = tokens(studio), panel.cuts.rows[0].finding
    QTest.mouseClick(best(panel).preview_button, Qt.MouseButton.LeftButton)
    preview = panel.cut_preview
    await until(lambda: preview.rows)
    studio.contents.services.selection.open(QUESTIONS)
    block = studio.window.centre.currentWidget()
    assert isinstance(block, BlockPanel)
    editor = block.page.editor
    editor.setFocus()
    editor.select_range(0, 0)
    QTest.keyClicks(editor, "A few more words to ask about. ")
    await until(lambda: tokens(studio) > saved)
    await calm(studio, until)

    def says_what_the_budget_says() -> bool:
        whole = tokens(studio)
        return preview.total_text == f"~{whole:,} → ~{whole - cut.tokens:,} tokens (−{cut.tokens:,})"

    await until(says_what_the_budget_says)
    assert editor.hasFocus()
    QTest.mouseClick(preview.close_button, Qt.MouseButton.LeftButton)
    QTest.mouseClick(best(panel).preview_button, Qt.MouseButton.LeftButton)
    assert not says_what_the_budget_says()
    await until(says_what_the_budget_says)


async def test_that_a_preview_that_ends_by_itself_leaves_the_focus_where_it_is(
    studio: Studio, until: Until
) -> None:
    panel = await open_large(studio, until)
    QTest.mouseClick(best(panel).preview_button, Qt.MouseButton.LeftButton)
    await until(lambda: panel.cut_preview.rows)
    navigator = studio.window.panel("navigator")
    assert isinstance(navigator, NavigatorPanel)
    tree = navigator.first_focus()
    tree.setFocus()
    await studio.opener.write(LARGE, ArchiveMessage())
    await until(lambda: not panel.cut_preview.isVisible())
    assert tree.hasFocus()


async def test_that_a_preview_says_whom_else_a_cut_changes_the_block_for(
    studio: Studio, until: Until
) -> None:
    rules = Ref(RefKind.BLOCK, "blk_rules")
    create = CreateBlock(CONSTELLATION_OWNER, "rules", content=TextContent("Sign every build."))
    await studio.opener.change_file(Edit(rules, create))
    panel = await open_large(studio, until)
    await until(lambda: rules.id in studio.contents.workspace.file.blocks)
    finding = panel.cuts.rows[0].finding
    panel.preview(finding)
    assert "Every agent" not in texts(panel.cut_preview)
    panel.preview(replace(finding, where=rules))
    assert "Every agent sees this block: it changes for Grace" in texts(panel.cut_preview)
    panel.close_preview()
    await calm(studio, until)


async def test_that_the_preview_ends_when_another_takes_the_message_away(
    studio: Studio, until: Until
) -> None:
    panel = await open_large(studio, until)
    QTest.mouseClick(best(panel).preview_button, Qt.MouseButton.LeftButton)
    await until(lambda: panel.cut_preview.rows)
    studio.contents.services.actions.run("budget.cut")
    await until(lambda: not panel.cut_preview.isVisible())
    await calm(studio, until)


async def test_that_a_click_on_a_cut_selects_what_it_is_of(studio: Studio, until: Until) -> None:
    panel = await open_large(studio, until)
    QTest.mouseClick(best(panel), Qt.MouseButton.LeftButton)
    assert studio.contents.services.selection.ref == LARGE


async def test_that_an_ignored_kind_is_not_offered(studio: Studio, until: Until) -> None:
    panel = await open_large(studio, until)
    studio.contents.services.preferences.set(IGNORED, LintRule.LARGE_MESSAGE.value)
    assert all(each.finding.rule is not LintRule.LARGE_MESSAGE for each in panel.cuts.rows)


async def test_that_a_read_only_file_is_offered_no_cut(studio: Studio, until: Until) -> None:
    problem = Problem("file.read_only", Severity.WARNING, "", {})
    studio.opener.prepare = lambda session: setattr(session, "read_only", problem)
    panel = await open_large(studio, until)
    assert panel.cuts.rows == ()
    assert not panel.cuts.isVisible()


async def test_that_another_file_and_no_agent_leave_no_cut_behind(studio: Studio, until: Until) -> None:
    panel = await open_large(studio, until)
    workspace = studio.contents.workspace
    workspace.create(studio.opener.folder / "new.constellation")
    await until(lambda: workspace.file.path and workspace.file.path.name == "new.constellation")
    assert panel.cuts.rows == ()
    assert workspace.file.findings == ()


async def test_that_findings_are_read_once_for_a_request_and_not_for_drafts(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    news: list[What] = []
    studio.contents.workspace.changed.connect(news.append)
    await until(lambda: not studio.contents.workspace.findings.is_waiting)
    await calm(studio, until)
    assert sum(bool(each & What.FINDINGS) for each in news) <= 1


async def test_that_large_text_puts_the_buttons_of_a_cut_below_each_other_in_a_narrow_budget(
    studio: Studio, until: Until
) -> None:
    panel = await open_large(studio, until)
    studio.contents.services.appearance.set_scale(2.0)
    await calm(studio, until)
    beside = best(panel).preview_button.sizeHint().width() + best(panel).do_button.sizeHint().width()
    assert best(panel).minimumSizeHint().width() < beside
