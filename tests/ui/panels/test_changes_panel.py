"""The Changes panel: what was done by whom, and undo and redo of a row."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock, InsertArchival, SetLabel, SetPinned
from inspector.domain.edits.rows import ArchiveMessage, ConfigureAgent
from inspector.domain.edits.text import AppendText
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.ui.panels.changes import ChangesPanel
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.panels.test_history_tab import SCOUT
from tests.ui.values import GRACE, NOOR
from tests.ui.world import ADA, NOTES, QUESTIONS, SOMEBODY, STORED

LEFT = Qt.MouseButton.LeftButton


class Changes:
    """The panel in its window, and hands to work in it."""

    def __init__(self, studio: Studio, until: Until, panel: ChangesPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.world = studio.opener
        self.workspace = studio.contents.workspace

    def cell(self, row: int, column: int) -> str:
        return str(self.panel.view.model().index(row, column).data())

    async def calm(self) -> None:
        await self.until(lambda: not self.panel._soon.isActive())  # noqa: SLF001 - what is read soon is not read yet
        await calm(self.studio, self.until)

    async def click(self, row: int) -> None:
        """Click a row."""
        view = self.panel.view
        QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(row, 0)).center())
        await self.calm()

    async def model(self) -> str:
        """The model of the agent that is shown, as it is stored."""
        agent = await self.world.engine.agents.get(ADA.id)
        assert agent is not None
        return agent.model

    async def turn(self) -> None:
        """Press the button under the keyboard, and wait for what comes of it."""
        first = self.panel.rows[0].change.seq
        self.panel.turn_button.setFocus()
        QTest.keyClick(self.panel.turn_button, Qt.Key.Key_Space)
        await self.until(lambda: self.panel.rows[0].change.seq != first)
        await self.calm()


async def shown(studio: Studio, until: Until) -> Changes:
    await open_file(studio, until)
    studio.contents.services.actions.run("view.changes")
    panel = studio.window.dock("changes").findChild(ChangesPanel)
    assert isinstance(panel, ChangesPanel)
    await until(lambda: panel.rows)
    made = Changes(studio, until, panel)
    await made.calm()
    return made


async def test_that_settings_are_undone_and_redone_from_their_row(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    one.workspace.apply([Edit(ADA, ConfigureAgent(model="gpt-4o"))], "try another")
    await until(lambda: one.cell(0, 2) == "Agent settings changed")
    await one.calm()
    assert (one.cell(0, 1), one.cell(0, 3), one.cell(0, 4)) == ("Noor (you)", "Ada", "try another")
    assert not one.panel.turn_button.isEnabled()
    await one.click(0)
    assert one.panel.turn_button.text() == "Undo"
    await one.turn()
    assert await one.model() == "gpt-5-mini"
    assert one.cell(0, 2) == "Undo: Agent settings changed"
    assert one.cell(1, 2) == "Agent settings changed (undone)"
    assert one.panel.turn_button.text() == "Redo"
    await one.turn()
    assert await one.model() == "gpt-4o"
    assert one.cell(0, 2) == "Redo: Agent settings changed"
    await until(lambda: one.panel.turn_button.text() == "Undo")


async def test_that_an_agents_changeset_is_one_row_and_is_undone_whole(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    edits = (Edit(QUESTIONS, AppendText(" More.")), Edit(NOTES, SetLabel("renamed")))
    await one.world.engine.apply([Intent(edit, SCOUT, "tidying") for edit in edits])
    await until(lambda: one.cell(0, 1) == "Ada · agent")
    await one.calm()
    assert one.cell(0, 2) == "Text appended, Renamed"
    assert one.cell(0, 3).endswith("(+1)")
    await one.click(0)
    assert one.panel.turn_button.text() == "Undo all 2 changes"
    assert one.studio.contents.services.selection.ref is not None
    await one.turn()
    assert await one.world.text() == STORED
    state = await one.world.engine.memory.get(NOTES.id)
    assert state is not None
    assert state.block.label != "renamed"
    assert one.cell(0, 1) == "Noor (you)"


async def test_that_changes_are_filtered_by_who_made_them(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await one.world.insert(0, "x")
    await until(lambda: one.cell(0, 1) == "Grace · person")
    await one.calm()
    box = one.panel.actor_box
    box.setFocus()
    place = box.findData(SOMEBODY.id)
    assert place > 0
    for _ in range(place):
        QTest.keyClick(box, Qt.Key.Key_Down)
    await one.calm()
    assert len(one.panel.rows) == 1
    await one.world.insert(0, "y")
    await until(lambda: len(one.panel.rows) == 2)
    one.workspace.apply([Edit(QUESTIONS, SetPinned(True))])
    await one.calm()
    assert {row.change.actor for row in one.panel.rows} == {SOMEBODY}
    for _ in range(place):
        QTest.keyClick(box, Qt.Key.Key_Up)
    await until(lambda: one.panel.rows and one.panel.rows[0].change.actor == NOOR)


async def test_that_nothing_is_offered_to_redo_after_another_change(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    one.workspace.apply([Edit(ADA, ConfigureAgent(model="gpt-4o"))])
    await until(lambda: one.cell(0, 2) == "Agent settings changed")
    await one.calm()
    await one.click(0)
    await one.turn()
    assert one.panel.turn_button.isEnabled()
    one.workspace.apply([Edit(QUESTIONS, SetPinned(True))])
    await until(lambda: one.cell(0, 2) == "Pin changed")
    await one.calm()
    assert one.panel.rows[one.panel.view.currentIndex().row()].is_undone
    assert not one.panel.turn_button.isEnabled()
    assert "redone" in one.panel.turn_button.toolTip()


async def test_that_what_was_changed_is_selected_and_opened_by_its_row(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await one.world.insert(0, "x", NOTES)
    await until(lambda: one.cell(0, 2) == "Text edited")
    await one.calm()
    view = one.panel.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert one.studio.contents.services.selection.ref == NOTES
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert one.studio.window.centre.current_key == ("block", NOTES)


def is_newest(one: Changes, target: Ref) -> bool:
    return one.panel.rows[0].change.ref.id == target.id


async def test_that_an_agent_and_an_archival_entry_open_from_their_rows(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    entry = Ref(RefKind.ARCHIVAL, "arc_new")
    for target, operation in ((ADA, ConfigureAgent(model="gpt-4o")), (entry, InsertArchival(ADA.id, "Zeta"))):
        await one.world.write(target, operation)
        await until(partial(is_newest, one, target))
        await one.calm()
        await one.click(0)
        QTest.keyClick(one.panel.view, Qt.Key.Key_Return)
        await one.calm()
        assert one.studio.contents.services.selection.ref == target
    assert studio.window.centre.current_key == ("archival", None)


async def test_that_a_block_of_another_agent_opens_with_its_agent(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    theirs = Ref(RefKind.BLOCK, "blk_theirs")
    await one.world.engine.apply([Intent(Edit(theirs, CreateBlock(GRACE, "theirs")), SOMEBODY)])
    await until(lambda: one.panel.rows[0].change.ref == theirs)
    await one.calm()
    await one.click(0)
    QTest.keyClick(one.panel.view, Qt.Key.Key_Return)
    await until(lambda: studio.window.centre.current_key == ("block", theirs))
    assert one.workspace.file.agent_id == GRACE


async def test_that_another_file_has_its_own_changes_and_names(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await one.world.insert(0, "x")
    await until(lambda: one.panel.actor_box.findData(SOMEBODY.id) > 0)
    one.panel.actor_box.setCurrentIndex(one.panel.actor_box.findData(SOMEBODY.id))
    one.panel.actor_box.activated.emit(one.panel.actor_box.currentIndex())
    await until(lambda: len(one.panel.rows) == 1)
    path = one.world.folder / "other.constellation"
    one.workspace.create(path)
    await until(lambda: one.workspace.file.path == path)
    await one.calm()
    assert one.panel.actor_box.currentIndex() == 0
    assert one.panel.actor_box.findData(SOMEBODY.id) < 0
    assert not any(row.change.actor == SOMEBODY for row in one.panel.rows)


async def test_that_a_long_journal_is_read_by_pages(studio: Studio, until: Until) -> None:
    world = studio.opener
    engine = await Engine.open(world.path, world.environment)
    for turn in range(420):
        await engine.apply([Intent(Edit(QUESTIONS, SetPinned(bool(turn % 2))), SCOUT)])
    await engine.close()
    one = await shown(studio, until)
    first = len(one.panel.rows)
    assert first == 200
    bar = one.panel.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    await until(lambda: len(one.panel.rows) == 2 * first)
    bar.setValue(bar.maximum())
    await until(lambda: one.panel.rows[-1].entries[-1].change.seq == 1)


async def test_that_the_panel_has_more_room_than_the_detail_beside_it(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    studio.window.go_to_panel("changes")
    await until(lambda: studio.window.dock("changes").width() > studio.window.dock("detail").width())


async def test_that_what_was_done_has_its_share_of_a_wide_panel_until_it_is_dragged(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    header, panel, who, what = one.panel.view.horizontalHeader(), one.panel, 1, 2
    panel.resize(400, panel.height())
    least = header.sectionSize(what)
    panel.resize(1_600, panel.height())
    assert header.sectionSize(what) >= 2 * least
    dragged = header.sectionSize(who) + 7
    header.resizeSection(who, dragged)
    panel.resize(1_700, panel.height())
    assert header.sectionSize(who) == dragged


async def test_that_messages_and_entries_are_named_by_how_they_begin(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    entry = Ref(RefKind.ARCHIVAL, "arc_keys")
    last = (await one.world.engine.conversation.batches(ADA.id))[-1].messages[-1]
    message = Ref(RefKind.MESSAGE, last.id)
    await one.world.write(entry, InsertArchival(ADA.id, "Keys are\nin the vault.", ()))
    await one.world.write(message, ArchiveMessage())
    await until(partial(is_newest, one, message))
    await one.calm()
    assert one.cell(0, 3).startswith("message “")
    assert one.cell(1, 3) == "archival entry “Keys are in the vault.”"
