"""Fixes of the budget that are made in a shared block say what they change for other agents."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.agents import Tool
from inspector.domain.counts import Method
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import AttachBlock
from inspector.domain.edits.rows import ConfigureAgent, PutTool
from inspector.domain.errors import Severity
from inspector.domain.lint import Finding, LintRule
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix
from inspector.runtime.session import FileSession
from inspector.ui.costs.fix_runner import FixRunner
from inspector.ui.costs.left_out_fixes import LeftOutFixes
from inspector.ui.panels.budget import BudgetPanel
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, said, texts
from tests.ui.values import GRACE, LINUS
from tests.ui.world import ADA, Spy

RETRO = Ref(RefKind.BLOCK, "blk_old")
KEY = f"block:{RETRO.id}:archival_type"


def panel_of(studio: Studio) -> BudgetPanel:
    panel = studio.window.panel("budget")
    assert isinstance(panel, BudgetPanel)
    return panel


def words(studio: Studio) -> str:
    """What the block's row says in the list of what is left out."""
    row = panel_of(studio).left_out.row(KEY)
    assert row is not None
    return texts(row)


async def memory_tokens(studio: Studio, agent_id: str) -> int:
    """The tokens of an agent's Request but for its activity: every change adds a line to that."""
    request = await studio.opener.engine.context.request(agent_id)
    return sum(section.tokens for section in request.sections if section.name != "activity")


async def test_that_a_fix_on_a_shared_block_says_what_it_changes_for_the_others(
    studio: Studio, until: Until
) -> None:
    await studio.opener.change_file(Edit(RETRO, AttachBlock(GRACE)), Edit(RETRO, AttachBlock(LINUS)))
    await open_file(studio, until)
    await until(lambda: "Also changes Grace +" in words(studio))
    before = [await memory_tokens(studio, each) for each in (GRACE, LINUS)]
    remark = words(studio)
    button = panel_of(studio).left_out.button(KEY)
    assert button is not None
    assert "Also changes Grace" in button.toolTip()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    await said(studio, until, "retro_3.9")
    await calm(studio, until)
    after = [await memory_tokens(studio, each) for each in (GRACE, LINUS)]
    changes = [late - early for late, early in zip(after, before, strict=True)]
    assert f"Also changes Grace +{changes[0]}, Linus +{changes[1]}" in remark


async def test_that_the_remark_comes_also_where_the_request_is_there_before_the_blocks(
    studio: Studio, until: Until
) -> None:
    await studio.opener.change_file(Edit(RETRO, AttachBlock(GRACE)))
    held: list[Spy] = []

    def hold(session: FileSession) -> None:
        held.append(Spy(session, "contents"))
        held[0].gate.clear()

    studio.opener.prepare = hold
    studio.contents.workspace.open(studio.opener.path)
    await until(lambda: studio.contents.workspace.file.request)
    assert not studio.contents.workspace.file.blocks
    held[0].gate.set()
    await until(lambda: "Also changes Grace +" in words(studio))
    await calm(studio, until)


async def test_that_a_fix_on_a_block_of_one_agent_says_nothing_of_others(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    await calm(studio, until)
    assert "Also" not in words(studio)


async def test_that_a_fix_of_settings_keeps_what_another_program_set_at_the_same_moment(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    file = studio.contents.workspace.file
    assert file.agent is not None
    assert file.request is not None
    fix = next(each.fix for each in file.request.left_out if each.fix and each.fix.action.startswith("raise"))
    theirs = replace(file.agent.config, include_schemas=not file.agent.config.include_schemas)
    before = studio.contents.workspace.file.saved
    await studio.opener.write_elsewhere(ADA, ConfigureAgent(config=theirs))
    assert LeftOutFixes(studio.contents.services).run(fix)
    await until(lambda: studio.contents.workspace.file.saved is not before)
    await calm(studio, until)
    agent = await studio.opener.engine.agents.get(ADA.id)
    assert agent is not None
    assert agent.config.include_schemas == theirs.include_schemas
    assert agent.config != theirs


async def test_that_a_tool_that_is_taken_away_leaves_the_one_that_another_program_added_at_the_same_moment(
    studio: Studio, until: Until
) -> None:
    git = Ref(RefKind.TOOL, "git")
    await studio.opener.change_file(
        Edit(git, PutTool(Tool("git", "Reads.", "{}"))), Edit(ADA, ConfigureAgent(tools=("deploy", "git")))
    )
    await open_file(studio, until)
    fix = Fix("drop_tool", git, "git", {"name": "git"})
    finding = Finding(LintRule.UNUSED_TOOL, Severity.INFO, git, 10, Method.EXACT, fix)
    before = studio.contents.workspace.file.saved
    await studio.opener.write_elsewhere(ADA, ConfigureAgent(tools=("deploy", "git", "search")))
    FixRunner(studio.contents.services).run(finding)
    await until(lambda: studio.contents.workspace.file.saved is not before)
    await calm(studio, until)
    agent = await studio.opener.engine.agents.get(ADA.id)
    assert agent is not None
    assert agent.tools == ("deploy", "search")
