"""The tabs of a file come back as they were: which, in what order, which in front, of which agent."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QTabBar

from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.ref import Ref, RefKind
from inspector.ui.appearance import Appearance
from inspector.ui.editors.text import TextEditor
from inspector.ui.icons import Icons
from inspector.ui.panels.block import BlockPanel
from inspector.ui.preferences import Preferences
from inspector.ui.safe_text import ElidedLabel
from inspector.ui.selection import PointedPlace
from tests.ui import values
from tests.ui.conftest import Studio, Until, open_window
from tests.ui.file_builders import alter
from tests.ui.open_window import open_file
from tests.ui.world import ONCALL, PERSONA, QUESTIONS, World

RunWindow = Callable[..., Awaitable[Studio]]


@pytest.fixture
def run_window(
    qapp: QApplication,
    qloop: asyncio.AbstractEventLoop,
    appearance: Appearance,
    icons: Icons,
    until: Until,
    world: World,
) -> Iterator[RunWindow]:
    """``await run_window()``: one run of the window on preferences that all runs share, with the file open."""
    runs: list[Studio] = []

    async def run() -> Studio:
        preferences = Preferences(world.folder / "window.json")
        made = open_window(qloop, (appearance, icons, preferences), world)
        runs.append(made)
        await open_file(made, until)
        return made

    yield run
    for made in runs:
        shiboken6.delete(made.window)


async def end(made: Studio) -> None:
    """End a run as the program does."""
    made.window.close()
    await made.contents.workspace.settle()
    await made.bridge.close()
    await made.contents.workspace.close()
    made.window.let_go()


def keys(made: Studio) -> list[object]:
    return list(made.window.centre.keys)


async def test_that_tabs_their_order_and_the_one_in_front_come_back(run_window: RunWindow) -> None:
    first = await run_window()
    for ref in (QUESTIONS, PERSONA, ONCALL):
        first.contents.services.selection.open(ref)
    bar = first.window.centre.tabBar()
    bar.moveTab(3, 1)
    first.window.centre.setCurrentIndex(2)
    shown = keys(first)
    assert shown == [("request", None), ("block", ONCALL), ("block", QUESTIONS), ("block", PERSONA)]
    await end(first)
    second = await run_window()
    assert keys(second) == shown
    assert second.window.centre.current_key == ("block", QUESTIONS)
    await end(second)


async def test_that_a_tab_that_was_dragged_stays_where_it_was_put(
    run_window: RunWindow, until: Until
) -> None:
    first = await run_window()
    first.contents.services.selection.open(QUESTIONS)
    bar = first.window.centre.tabBar()
    start, to = bar.tabRect(1).center(), bar.tabRect(0).center()
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    for step in range(1, 11):
        QTest.mouseMove(bar, start + (to - start - QPoint(20, 0)) * step / 10)
        await asyncio.sleep(0)
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, to - QPoint(20, 0))
    await until(lambda: keys(first) == [("block", QUESTIONS), ("request", None)])
    await end(first)
    second = await run_window()
    assert keys(second) == [("block", QUESTIONS), ("request", None)]
    await end(second)


async def test_that_a_closed_tab_stays_closed(run_window: RunWindow) -> None:
    first = await run_window()
    for ref in (QUESTIONS, PERSONA):
        first.contents.services.selection.open(ref)
    close = first.window.centre.tabBar().tabButton(1, QTabBar.ButtonPosition.RightSide)
    assert isinstance(close, QAbstractButton)
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    await end(first)
    second = await run_window()
    assert keys(second) == [("request", None), ("block", PERSONA)]
    await end(second)


async def test_that_tabs_are_kept_before_the_end_so_that_a_crash_loses_none(
    run_window: RunWindow, until: Until, world: World
) -> None:
    first = await run_window()
    first.contents.services.selection.open(QUESTIONS)
    await until(
        lambda: (
            ["block", str(QUESTIONS), values.ADA]
            in Preferences(world.folder / "window.json").view_of(first.opener.path).get("tabs", [])
        )
    )
    await end(first)


async def test_that_the_agent_that_was_shown_is_shown_again(run_window: RunWindow, until: Until) -> None:
    first = await run_window()
    first.contents.workspace.show_agent(values.LINUS)
    await until(lambda: first.contents.workspace.file.request)
    await end(first)
    second = await run_window()
    agent = second.contents.workspace.file.agent
    assert agent is not None
    assert agent.id == values.LINUS
    await end(second)


async def test_that_a_tab_on_another_agents_block_is_read_for_it(run_window: RunWindow, until: Until) -> None:
    first = await run_window()
    workspace = first.contents.workspace
    workspace.load(values.GRACE)
    await until(lambda: workspace.file.contents.get(values.GRACE))
    first.contents.services.selection.open(ONCALL)
    await end(first)
    second = await run_window()
    await until(lambda: second.contents.workspace.file.contents.get(values.GRACE))
    assert ("block", ONCALL) in keys(second)
    await end(second)


async def test_that_a_tab_on_a_block_that_no_agent_owns_comes_back(
    run_window: RunWindow, until: Until
) -> None:
    first = await run_window()
    rules = Ref(RefKind.BLOCK, "blk_rules")
    made = CreateBlock(CONSTELLATION_OWNER, "rules", content=TextContent("No merge on a Friday."))
    await first.opener.change_file(Edit(rules, made))
    await until(lambda: rules.id in first.contents.workspace.file.blocks)
    first.contents.services.selection.open(rules)
    await end(first)
    second = await run_window()
    await until(lambda: rules.id in second.contents.workspace.file.blocks)
    assert ("block", rules) in keys(second)
    await end(second)


async def test_that_a_tab_on_what_is_gone_does_not_come_back(run_window: RunWindow, until: Until) -> None:
    first = await run_window()
    for ref in (QUESTIONS, PERSONA):
        first.contents.services.selection.open(ref)
    await end(first)

    # Hidden from the window as a row is that a salvage could not save.
    alter(first.opener.path, "DELETE FROM blocks WHERE id = ?", QUESTIONS.id)
    second = await run_window()
    await until(lambda: keys(second) == [("request", None), ("block", PERSONA)])
    await end(second)


async def test_that_every_file_has_tabs_of_its_own(run_window: RunWindow, until: Until) -> None:
    first = await run_window()
    first.contents.services.selection.open(QUESTIONS)
    await open_file(first, until, first.opener.copy("other.constellation"))
    assert keys(first) == [("request", None)]
    await open_file(first, until)
    assert keys(first) == [("request", None), ("block", QUESTIONS)]
    await end(first)


@pytest.mark.parametrize(
    "stored",
    [
        {"tabs": "x", "front": "y", "agent": 3},
        {"tabs": [["no such panel", "", ""], ["block", "nonsense", ""], [1, 2, 3], "x"], "front": 99},
        {"tabs": [["block", "block:blk_none", "agt_none"]], "front": -1, "agent": "agt_none"},
    ],
)
async def test_that_what_is_stored_badly_gives_the_first_tabs(
    run_window: RunWindow, world: World, stored: dict[str, object]
) -> None:
    Preferences(world.folder / "window.json").store_view(world.path, stored)
    made = await run_window()
    assert keys(made) == [("request", None)]
    await end(made)


async def test_that_the_tab_in_front_is_what_is_selected(run_window: RunWindow, until: Until) -> None:
    made = await run_window()
    selection, centre = made.contents.services.selection, made.window.centre
    for ref in (QUESTIONS, PERSONA):
        selection.open(ref)
    bar = centre.tabBar()
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(1).center())
    assert centre.current_key == ("block", QUESTIONS)
    assert selection.ref == QUESTIONS
    request = made.contents.workspace.file.request
    assert request is not None
    selection.select(PERSONA)
    # What shows all of them leaves the selection as it is.
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(0).center())
    assert selection.ref == PERSONA
    centre.setCurrentIndex(2)
    # Pointed at elsewhere, and then back to what stands in the tab: by its tab, and by a click into it.
    selection.select(QUESTIONS)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(2).center())
    assert selection.ref == PERSONA
    made.window.panel("budget").setFocus()
    selection.select(QUESTIONS)
    editor = centre.currentWidget().findChild(TextEditor)
    assert editor is not None
    QTest.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton)
    await until(lambda: selection.ref == PERSONA)
    await end(made)
    again = await run_window()
    await until(lambda: again.contents.services.selection.ref == PERSONA)
    await end(again)


async def test_that_a_tab_on_another_agents_block_says_whose_it_is(
    run_window: RunWindow, until: Until
) -> None:
    made = await run_window()
    workspace, centre = made.contents.workspace, made.window.centre
    made.contents.services.selection.open(PERSONA)
    assert centre.tabText(1) == "persona"
    owner = workspace.file.agent
    other = next(each for each in workspace.file.agents if owner is not None and each.id != owner.id)
    workspace.show_agent(other.id)
    assert owner is not None
    await until(lambda: centre.tabText(1) == f"persona of {owner.name}")
    panel = centre.currentWidget()
    assert any(each.text().startswith(f"of {owner.name}") for each in panel.findChildren(ElidedLabel))
    workspace.show_agent(owner.id)
    await until(lambda: centre.tabText(1) == "persona")
    await end(made)


async def test_that_a_tab_is_not_shown_the_place_of_one_that_came_to_the_front_meanwhile(
    studio: Studio, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_file(studio, until)
    shown: list[str] = []
    monkeypatch.setattr(
        BlockPanel, "show_place", lambda panel, text, _: shown.append(f"{panel.heading} {text}")
    )
    selection = studio.contents.services.selection
    # Both before the loop comes round, as by a key and the click after it.
    for ref, text in ((PERSONA, "first"), (QUESTIONS, "second")):
        selection.select(ref, place=PointedPlace(text, 0))
        selection.open(ref)
    await until(lambda: bool(shown))
    [place] = shown
    assert place.endswith("second")
    assert place.startswith(studio.contents.workspace.file.blocks[QUESTIONS.id].block.label)


async def test_that_who_goes_elsewhere_while_a_tab_opens_is_not_called_back(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.window.activateWindow()
    await until(studio.window.isActiveWindow)
    search, centre = studio.window.top_bar.search, studio.window.centre
    studio.contents.services.selection.open(PERSONA)
    search.setFocus()
    panel = centre.view(("block", PERSONA))
    assert isinstance(panel, BlockPanel)
    await until(lambda: centre.has_in_front(panel))
    assert search.hasFocus()
    # Of a tab that is there, it is another matter.
    studio.contents.services.selection.open(PERSONA)
    await until(lambda: not search.hasFocus())
    focused = QApplication.focusWidget()
    assert focused is not None
    assert centre.has_in_front(focused)
