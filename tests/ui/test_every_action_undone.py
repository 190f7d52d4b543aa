"""Every action that writes the file, done in the window, undone with the keys, redone, and undone from the menu."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from inspector.domain.ref import Ref
from inspector.ui.failures import FailureText
from inspector.ui.history.redacting import RedactionDialog
from inspector.ui.panel import PanelArea
from inspector.ui.panels import PANELS
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.changes import ChangesPanel
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import press_toast, said
from tests.ui.panels.test_layouts import MINE
from tests.ui.undo_block_cases import CASES as OF_BLOCKS
from tests.ui.undo_block_cases import history
from tests.ui.undo_facts import difference
from tests.ui.undo_hands import ASKED, ENTRY, FULL, MESSAGE, NEWEST, SUMMARY, TOLD, Case, Hands
from tests.ui.undo_kept_cases import CASES as KEPT
from tests.ui.undo_kept_cases import REASONS, allow
from tests.ui.undo_other_cases import CASES as OF_OTHERS
from tests.ui.undo_other_cases import allow_edited
from tests.ui.undo_record_cases import CASES as OF_RECORDS
from tests.ui.unwriting_actions import UNWRITING, is_unwriting
from tests.ui.world import ADA, CHECKLIST, NOTES, World

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(60),
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
]
CASES = (*OF_BLOCKS, *OF_RECORDS, *OF_OTHERS)


@pytest.fixture(scope="module")
def full_file(prepared_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in which every writing action has something to do, made once."""
    world = World(tmp_path_factory.mktemp("full"), prepared_file)
    asyncio.run(world.change_file(*FULL))
    asyncio.run(world.change_file(NEWEST))
    return world.path


@pytest.fixture
def world(full_file: Path, tmp_db_dir: Path) -> World:
    """A copy of that file, in place of the one that other tests open."""
    return World(tmp_db_dir, full_file)


@pytest.fixture
def hands(studio: Studio, until: Until) -> Hands:
    """Hands on a window that has no file open yet."""
    return Hands(studio, until)


@pytest.mark.parametrize("case", CASES, ids=[each.name for each in CASES])
async def test_that_what_an_action_writes_is_undone_and_redone_whole(hands: Hands, case: Case) -> None:
    await hands.open_file()
    before = await hands.facts()
    await case.perform(hands)
    assert case.action in hands.did
    after = await hands.facts()
    assert difference(before, after)
    await hands.press_undo_keys()
    await said(hands.studio, hands.until, "Undone")
    assert difference(before, await hands.facts()) == {}
    await hands.do("change.redo")
    await said(hands.studio, hands.until, "Redone")
    assert difference(after, await hands.facts()) == {}
    await hands.do("change.undo")
    await said(hands.studio, hands.until, "Undone")
    assert difference(before, await hands.facts()) == {}


@pytest.mark.parametrize("case", KEPT, ids=[each.name for each in KEPT])
async def test_that_undo_goes_past_what_is_not_undone(hands: Hands, case: Case) -> None:
    await hands.open_file()
    before = await hands.facts()
    await case.perform(hands)
    assert case.action in hands.did
    after = await hands.facts()
    assert difference(before, after)
    await hands.press_undo_keys()
    now = await hands.facts()
    # What goes back is what the person changed before.
    assert list(difference(after, now)) == [f"block {NOTES.id}"]


async def test_that_an_edit_that_was_allowed_goes_back_by_its_notice(hands: Hands) -> None:
    await hands.open_file()
    before = await hands.world.text(ASKED)
    await allow(hands)
    await hands.until(lambda: hands.workspace.file.blocks[ASKED.id].content is not None)
    assert await hands.world.text(ASKED) == f"{before} Ship it."
    press_toast(hands.studio, "Undo")
    await said(hands.studio, hands.until, "Undone")
    await hands.calm()
    assert await hands.world.text(ASKED) == before


async def test_that_an_edit_that_was_changed_and_allowed_is_undone_as_ones_own(hands: Hands) -> None:
    await hands.open_file()
    before = await hands.world.text(ASKED)
    await allow_edited(hands)
    after = await hands.facts()
    assert await hands.world.text(ASKED) == f"Yes. {before} Ship it."
    await hands.press_undo_keys()
    await said(hands.studio, hands.until, "Undone")
    # The agent keeps its answer.
    assert list(difference(after, await hands.facts())) == [f"block {ASKED.id}"]
    assert await hands.world.text(ASKED) == before
    await hands.do("change.redo")
    await said(hands.studio, hands.until, "Redone")
    assert difference(after, await hands.facts()) == {}


async def test_that_what_is_redacted_stays_so_whatever_is_undone(hands: Hands) -> None:
    await hands.open_file()
    page = await history(hands)
    await hands.do("history.redact")
    await hands.until(lambda: page.findChildren(RedactionDialog))
    dialog = page.findChildren(RedactionDialog)[-1]
    await hands.until(dialog.do.isEnabled)
    QTest.mouseClick(dialog.do, Qt.MouseButton.LeftButton)
    await hands.until(lambda: any("redacted" in each.text for each in page.banners.notices))
    await hands.calm()

    async def redacted() -> list[int]:
        versions = await hands.world.engine.history.versions(TOLD.id, "gpt-5-mini")
        return [each.version.seq for each in versions if each.version.redacted is not None]

    gone = await redacted()
    assert gone
    await hands.press_undo_keys()
    await said(hands.studio, hands.until, "Undone: describe design_notes.")
    # What the text was changed together with can't be taken back; what was done before that can.
    step = hands.workspace.file.next_undo
    assert step is not None
    assert all(change.ref != TOLD for change in step.changes)
    await hands.press_undo_keys()
    await hands.until(lambda: hands.workspace.file.next_undo != step)
    await hands.calm()
    assert await redacted() == gone


async def test_that_a_change_is_turned_back_and_forth_in_its_list(hands: Hands) -> None:
    await hands.open_file()
    before = await hands.facts()
    await hands.select(TOLD)
    await hands.do("block.pin")
    after = await hands.facts()
    await hands.view("changes")
    panel = hands.window.dock("changes").findChild(ChangesPanel)
    assert isinstance(panel, ChangesPanel)
    for expected in (before, after, before):
        await hands.until(lambda: panel.rows and panel.rows[0].change.ref == TOLD)
        panel.view.setFocus()
        panel.view.selectRow(0)
        await hands.do("changes.turn")
        assert difference(expected, await hands.facts()) == {}


SAVES = {
    "BlockPanel": {
        "text of a block",
        "items of a block",
        "raw content of a block",
        "settings of a block",
        "place of a block",
        "schema of a block",
    },
    "MessagesPanel": {"message"},
    "SummariesPanel": {"summary"},
    "ArchivalPanel": {"archival entry", "new archival entry"},
    "AgentPanel": {"settings of an agent", "tool rules of an agent", "tools of an agent"},
    "LayoutsPanel": {"layout", "new layout"},
}
"""What is saved in each tab that has a save of its own."""


async def test_that_every_action_of_the_window_is_undone_above_or_said_to_write_nothing(hands: Hands) -> None:
    found: set[str] = set()
    saving: set[str] = set()

    def note() -> None:
        found.update(each.id for each in hands.actions)

    hands.actions.changed.connect(note)
    await hands.open_file()
    for row in PANELS:
        if row.place is not PanelArea.CENTRE:
            hands.window.go_to_panel(row.id)
        elif f"view.{row.id}" in hands.actions:
            await hands.view(row.id)
        saving |= await _saving_in_front(hands)
    for ref in (TOLD, CHECKLIST, ADA, MINE):
        panel = await hands.open(ref)
        saving |= await _saving_in_front(hands)
        for place in range(len(panel.views.buttons)) if isinstance(panel, BlockPanel) else ():
            panel.views.choose(place)
            await hands.calm()
    note()
    undone, kept = {each.action for each in CASES}, set(REASONS)
    assert [each for each in sorted(found - undone - kept) if not is_unwriting(each)] == []
    # Nothing stays in the lists that there is no more.
    named = {id_ for ids in UNWRITING.values() for id_ in ids}
    assert sorted((undone | kept | named) - found) == []
    assert sorted(named & (undone | kept)) == []
    assert saving == set(SAVES)
    assert {each.what for each in CASES if each.action == "edit.save"} == set().union(*SAVES.values())
    assert {each.action for each in KEPT} <= kept


_LEFT = (
    # They end the walk, or leave the test's own folders.
    "file.",
    "program.quit",
    "view.close_",
    "help.tour",
    # They are the undo itself.
    "change.",
    "changes.",
    # They ask a provider.
    "send.",
    # They dress the whole window anew.
    "look.",
    "perspective.",
    "layout.",
)


async def test_that_what_is_said_to_write_nothing_leaves_the_file_as_it_is(hands: Hands) -> None:
    await hands.open_file()
    before = await hands.facts()
    failures: list[FailureText] = []
    hands.studio.bridge.failed.connect(failures.append)
    done: set[str] = set()
    centre = (f"view.{row.id}" for row in PANELS if row.place is PanelArea.CENTRE)
    for view in [each for each in centre if each in hands.actions]:
        await hands.view(view.removeprefix("view."))
        await _run_unwriting(hands, done, front=view)
    for ref in (TOLD, ADA, MINE, MESSAGE, SUMMARY, ENTRY):
        await hands.open(ref)
        await _run_unwriting(hands, done, front=ref)
    # The others need something that is found, marked or unsaved.
    assert len(done & {id_ for ids in UNWRITING.values() for id_ in ids}) > 60
    assert [each.happened for each in failures if each.fault] == []
    assert difference(before, await hands.facts()) == {}


async def _run_unwriting(hands: Hands, done: set[str], front: Ref | str) -> None:
    """Run what writes nothing and was not run yet, each with the same tab in front."""
    ids = [each.id for each in hands.actions if is_unwriting(each.id) and not each.id.startswith(_LEFT)]
    for id_ in ids:
        if id_ in done or id_ not in hands.actions or not hands.actions.run(id_):
            continue
        done.add(id_)
        await hands.calm()
        for dialog in hands.dialogs(QDialog):
            dialog.reject()
        if (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        if isinstance(front, Ref):
            await hands.open(front)
        else:
            await hands.view(front.removeprefix("view."))


async def _saving_in_front(hands: Hands) -> set[str]:
    """The tab in front, by the name of its class, if it has a save of its own."""
    await hands.calm()
    return {type(hands.front).__name__} if "edit.save" in hands.actions else set()
