"""A save that was refused: whoever looks elsewhere by then learns of it too, and can go there."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from inspector.domain.content import TextContent
from inspector.domain.errors import FileError, Problem, Refusal, RefusedError
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.problems import ProblemsPanel
from inspector.ui.widgets.banner import Notice
from tests.ui.panels.block_tab import ID, BlockTab, OpenTab, words
from tests.ui.world import PERSONA, QUESTIONS, STORED

TOO_LONG = RefusedError(Refusal("refused.char_limit", {"characters": 12, "limit": 10}))
LOCKED = RefusedError(Refusal("refused.locked", {"label": "open_questions"}))


def notices(one: BlockTab) -> tuple[Notice, ...]:
    """What the window tells above all tabs."""
    return one.studio.window.banners.notices


def problems(one: BlockTab) -> list[Problem]:
    return [each for each in one.workspace.file.problems if each.code == "drafts.refused"]


async def refused_elsewhere(one: BlockTab, error: RefusedError | FileError, *, close: bool) -> None:
    """Save, and go to another tab, or close this one, before the answer is there."""
    one.saving.errors = iter([error])
    one.saving.gate.clear()
    one.type("Now: ", at=0)
    one.save()
    await asyncio.sleep(0.02)
    centre = one.studio.window.centre
    if close:
        centre.close_view(("block", QUESTIONS))
    else:
        one.studio.contents.open_view("request")
    await asyncio.sleep(0.02)
    one.saving.gate.set()
    await one.until(lambda: notices(one))


def show(one: BlockTab) -> BlockPanel:
    """Press the button of the window's notice."""
    banners = one.studio.window.banners
    [go] = [each for each in banners.findChildren(QAbstractButton) if each.text() == "Show block"]
    QTest.mouseClick(go, Qt.MouseButton.LeftButton)
    panel = one.studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    return panel


@pytest.mark.parametrize("close", [False, True])
async def test_that_it_is_told_in_the_window_and_the_tab_tells_it_when_it_is_shown(
    open_tab: OpenTab, close: bool
) -> None:
    one = await open_tab()
    failed: list[object] = []
    one.studio.bridge.failed.connect(failed.append)
    await refused_elsewhere(one, TOO_LONG, close=close)
    [notice] = notices(one)
    assert notice.text.startswith("Saving open_questions failed: ")
    assert "Your draft is kept" in notice.remark
    assert failed == []
    panel = show(one)
    assert notices(one) == ()
    await one.until(lambda: panel.page.editor.text == f"Now: {STORED}")
    assert [each.text for each in panel.banners.notices] == [notice.text]


@pytest.mark.parametrize("close", [False, True])
async def test_that_a_locked_block_asks_when_it_is_shown_and_then_saves_unlocked(
    open_tab: OpenTab, close: bool
) -> None:
    one = await open_tab()
    await refused_elsewhere(one, LOCKED, close=close)
    panel = show(one)
    await one.until(lambda: "Save your edit anyway?" in words(panel.banners))
    [unlock] = [
        each for each in panel.banners.findChildren(QAbstractButton) if each.text() == "Unlock and save"
    ]
    QTest.mouseClick(unlock, Qt.MouseButton.LeftButton)
    await one.until(lambda: one.content == TextContent(f"Now: {STORED}"))
    await one.until(lambda: not panel.work.is_dirty)
    assert problems(one) == []
    assert panel.banners.notices == ()


async def test_that_it_is_among_the_problems_until_it_is_tried_again(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.saving.errors = iter([TOO_LONG])
    one.type("Now: ", at=0)
    one.save()
    await one.until(lambda: problems(one))
    # The tab is in front: it tells it alone.
    assert notices(one) == ()
    [problem] = problems(one)
    assert problem.where == str(QUESTIONS)
    assert problem.parameters["label"] == "open_questions"
    assert problem.parameters["why"]
    said = one.studio.window.panel("problems")
    assert isinstance(said, ProblemsPanel)
    assert said.note == "1 problem"
    one.save()
    assert problems(one) == []
    await one.saved(f"Now: {STORED}")
    assert said.note == ""


async def test_that_it_is_over_when_the_draft_is_discarded_or_another_file_is_shown(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    await refused_elsewhere(one, TOO_LONG, close=False)
    one.workspace.drop_draft(ID)
    assert notices(one) == ()
    assert problems(one) == []
    show_again = one.studio.contents.services.selection
    show_again.open(QUESTIONS)
    await refused_elsewhere(one, TOO_LONG, close=False)
    await one.workspace.close()
    assert notices(one) == ()
    assert one.workspace.file.problems == ()


async def test_that_each_block_has_its_own_notice(open_tab: OpenTab) -> None:
    one = await open_tab()
    await refused_elsewhere(one, TOO_LONG, close=False)
    one.studio.contents.services.selection.open(PERSONA)
    [notice] = notices(one)
    assert notice.text.startswith("Saving open_questions")
    show(one)
    assert notices(one) == ()


async def test_that_what_the_world_refused_is_told_in_the_window_wherever_one_is(open_tab: OpenTab) -> None:
    one = await open_tab()
    await refused_elsewhere(one, FileError("file.read_only", path="harbor"), close=True)
    [notice] = notices(one)
    assert notice.text.startswith("Saving open_questions failed: ")
    assert problems(one) == []
    assert ID in one.workspace.file.drafts
