"""The archival panel: entries are added, found, edited, deleted and brought back by hand."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QKeySequence, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow, InsertArchival, UpdateArchival
from inspector.domain.ref import Ref, RefKind
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panels.archival import ArchivalPanel
from inspector.ui.presentation.navigator import list_ref
from inspector.ui.widgets import record_rows
from inspector.ui.widgets.record_rows import RecordRow
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.world import Spy

LEFT = Qt.MouseButton.LeftButton
STORED = "The signing key lies in the vault."
ENTRIES = tuple(
    Edit(Ref(RefKind.ARCHIVAL, id_), InsertArchival(values.ADA, text, tags))
    for id_, text, tags in (("arc_key", STORED, ("keys", "ci")), ("arc_old", "The old runner is gone.", ()))
)


class ArchivalTab:
    """A window with the archival entries in front, and hands to work on them."""

    def __init__(self, studio: Studio, until: Until, panel: ArchivalPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.world, self.browser = studio.opener, panel.browser

    @property
    def rows(self) -> list[RecordRow]:
        model = self.browser.model
        return [model.index(row).data(VALUE_ROLE) for row in range(model.rowCount())]

    @property
    def texts(self) -> list[str]:
        return [row.text for row in self.rows]

    @property
    def editor(self) -> Any:
        page = self.browser.page.page
        assert page is not None
        return page.editor

    async def click(self, text: str) -> None:
        """Click the row of an entry."""
        await self.until(lambda: any(text in row.text for row in self.rows))
        at = next(place for place, row in enumerate(self.rows) if text in row.text)
        box = self.browser.table.visualRect(self.browser.model.index(at))
        QTest.mouseClick(self.browser.table.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, box.center())
        await self.until(lambda: self.browser.key is not None and self.browser.page.page is not None)

    async def press(self, button: str) -> None:
        """Press a button by its name."""
        await self.until(lambda: self._button(button) is not None)
        QTest.mouseClick(self._button(button), LEFT)

    def _button(self, name: str) -> Any:
        found = (each for each in self.panel.findChildren(QWidget) if each.accessibleName() == name)
        return next((each for each in found if each.isVisible() and each.isEnabled()), None)

    async def stored(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """What the file holds."""
        await calm(self.studio, self.until)
        entries, _ = await self.world.engine.blocks.archival_entries(values.ADA)
        return {entry.id: (entry.content, entry.tags) for entry in entries}


OpenArchival = Callable[..., Awaitable[ArchivalTab]]


@pytest.fixture
def archival(studio: Studio, until: Until) -> OpenArchival:
    """``await archival()``: the world's file with two entries of Ada's in it, which are in front."""

    async def opened() -> ArchivalTab:
        await studio.opener.change_file(*ENTRIES)
        await open_file(studio, until)
        studio.contents.services.selection.open(list_ref(values.ADA, "archival"))
        panel = studio.window.centre.currentWidget()
        assert isinstance(panel, ArchivalPanel)
        tab = ArchivalTab(studio, until, panel)
        await until(lambda: len(tab.rows) == len(ENTRIES))
        return tab

    return opened


async def test_that_entries_are_listed_newest_first_and_read_whole(archival: OpenArchival) -> None:
    tab = await archival()
    assert tab.texts == ["The old runner is gone.", STORED]
    await tab.click(STORED)
    assert tab.editor.text == STORED
    assert tab.editor.isReadOnly()
    assert tab.panel.tags_field.text() == "keys, ci"
    assert tab.studio.contents.services.selection.ref == Ref(RefKind.ARCHIVAL, "arc_key")


async def test_that_a_new_entry_is_saved_and_found(archival: OpenArchival) -> None:
    tab = await archival()
    await tab.press("New entry")
    await tab.until(lambda: tab.editor.hasFocus())
    QTest.keyClicks(tab.editor, "Tags are signed twice.")
    QTest.keyClicks(tab.panel.tags_field, "release, signing")
    assert tab.rows[0].note == "unsaved edit"
    assert len(await tab.stored()) == len(ENTRIES)
    QTest.keySequence(tab.editor, QKeySequence(QKeySequence.StandardKey.Save))
    await tab.until(lambda: tab.rows[0].note == "")
    assert ("Tags are signed twice.", ("release", "signing")) in (await tab.stored()).values()
    tab.browser.table.setFocus()
    QTest.keySequence(tab.browser.table, QKeySequence("Ctrl+F"))
    QTest.keyClicks(tab.browser.words_field, "signed twice")
    await tab.until(lambda: tab.texts == ["Tags are signed twice."])


async def test_that_an_entry_without_text_is_not_saved(archival: OpenArchival) -> None:
    tab = await archival()
    await tab.press("New entry")
    await tab.press("Save")
    await tab.until(lambda: "Enter the text" in tab.browser.page.state_note.text())
    assert len(await tab.stored()) == len(ENTRIES)
    await tab.press("Discard")
    await tab.until(lambda: len(tab.rows) == len(ENTRIES))


async def test_that_an_edited_entry_keeps_its_tags(archival: OpenArchival) -> None:
    tab = await archival()
    await tab.click(STORED)
    await tab.press("Edit")
    QTest.keyClicks(tab.editor, "Now: ")
    await tab.press("Save")
    await tab.until(lambda: f"Now: {STORED}" in tab.texts and not tab.browser.page.is_editing)
    assert (await tab.stored())["arc_key"] == (f"Now: {STORED}", ("keys", "ci"))


async def test_that_an_entry_that_is_deleted_while_it_is_edited_stays_in_sight_until_it_is_restored(
    archival: OpenArchival,
) -> None:
    tab = await archival()
    ref = Ref(RefKind.ARCHIVAL, "arc_key")
    await tab.click(STORED)
    await tab.press("Edit")
    QTest.keyClicks(tab.editor, "Mine. ")
    await tab.world.write(ref, DeleteRow())
    await tab.until(lambda: "This entry is deleted." in tab.browser.page.state_note.text())
    assert f"Mine. {STORED}" in tab.texts
    save = tab.studio.contents.services.actions.row("edit.save")
    assert "This entry is deleted." in save.why_not()
    await tab.press("Restore")
    await tab.until(lambda: tab.browser.page.state_note.text() == "")
    await tab.press("Save")
    await tab.until(lambda: not tab.browser.page.is_editing)
    assert (await tab.stored())["arc_key"][0] == f"Mine. {STORED}"


async def test_that_an_entry_that_someone_else_changed_is_merged_or_reviewed_before_it_is_saved(
    archival: OpenArchival,
) -> None:
    tab = await archival()
    ref, review = Ref(RefKind.ARCHIVAL, "arc_key"), tab.panel.review
    await tab.click(STORED)
    await tab.press("Edit")
    QTest.keyClicks(tab.editor, "Mine. ")
    QTest.keyClicks(tab.panel.tags_field, ", mine")
    await tab.world.write(ref, UpdateArchival(f"{STORED} Theirs.", ("keys", "theirs")))
    await tab.until(lambda: "Saving merges both" in tab.browser.page.state_note.text())
    await tab.press("Save")
    await tab.until(lambda: not tab.browser.page.is_editing)
    both = f"Mine. {STORED} Theirs."
    assert (await tab.stored())["arc_key"] == (both, ("keys", "theirs", "mine"))
    assert not review.is_open
    await tab.press("Edit")
    tab.editor.replace_range(0, len("Mine"), "Ours")
    await tab.world.write(ref, UpdateArchival(both.replace("Mine", "Hers")))
    await tab.press("Save")
    await tab.until(lambda: review.is_open)
    assert (await tab.stored())["arc_key"][0].startswith("Hers.")
    await tab.press("Take mine")
    await tab.press("Save")
    await tab.until(lambda: not tab.browser.page.is_editing)
    assert (await tab.stored())["arc_key"] == (both.replace("Mine", "Ours"), ("keys", "theirs", "mine"))
    assert not review.is_open


async def test_that_a_deleted_entry_is_listed_as_deleted_and_comes_back(archival: OpenArchival) -> None:
    tab = await archival()
    await tab.click("The old runner")
    QTest.keyClick(tab.browser.table, Qt.Key.Key_Delete)
    await tab.until(lambda: tab.texts == [STORED])
    tab.browser.states.setFocus()
    QTest.keyClick(tab.browser.states, Qt.Key.Key_Down)
    await tab.click("The old runner")
    await tab.press("Restore")
    await tab.until(lambda: not tab.rows)
    assert len(await tab.stored()) == len(ENTRIES)
    await tab.world.engine.edits.undo(values.NOOR)
    await tab.until(lambda: tab.texts == ["The old runner is gone."])


async def test_that_the_words_of_an_entry_reach_its_date(
    archival: OpenArchival, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await archival()
    await tab.until(lambda: STORED in tab.texts)
    drawn: dict[str, QRect] = {}

    def note(painter: QPainter, room: QRect, text: str, *, right: bool = False) -> None:
        drawn[text] = QRect(room)

    monkeypatch.setattr(record_rows, "_draw", note)
    tab.browser.table.grab()
    date = next(row.time for row in tab.rows if row.text == STORED)
    gap = tab.studio.contents.services.appearance.space(3)
    assert 0 <= drawn[date].left() - drawn[STORED].right() <= 2 * gap


async def test_that_the_entry_that_is_read_stays_in_sight_where_the_list_becomes_lower(
    archival: OpenArchival,
) -> None:
    tab = await archival()
    await tab.world.change_file(
        *(
            Edit(Ref(RefKind.ARCHIVAL, f"arc_{at}"), InsertArchival(values.ADA, f"Entry {at}."))
            for at in range(40)
        )
    )
    await tab.until(lambda: len(tab.rows) == len(ENTRIES) + 40)
    await tab.click("Entry 10.")
    table = tab.browser.table
    await tab.until(lambda: table.viewport().rect().contains(table.visualRect(table.currentIndex())))
    table.scrollTo(table.currentIndex(), table.ScrollHint.PositionAtBottom)
    window = tab.studio.window
    window.resizeDocks(
        [window.dock("detail")], [window.dock("detail").height() + 120], Qt.Orientation.Vertical
    )
    high = table.height()
    await tab.until(lambda: table.height() < high)
    await tab.until(lambda: table.viewport().rect().contains(table.visualRect(table.currentIndex())))


async def test_that_what_is_typed_while_a_new_entry_is_saved_changes_that_entry(
    archival: OpenArchival,
) -> None:
    tab = await archival()
    await tab.press("New entry")
    await calm(tab.studio, tab.until)
    QTest.keyClicks(tab.editor, "First.")
    await calm(tab.studio, tab.until)
    writing = Spy(tab.world.engine, "apply")
    writing.gate.clear()
    QTest.keySequence(tab.editor, QKeySequence(QKeySequence.StandardKey.Save))
    await tab.until(lambda: writing.calls)
    QTest.keyClicks(tab.editor, " Second.")
    writing.gate.set()
    await calm(tab.studio, tab.until)
    assert tab.editor.text == "First. Second."
    QTest.keySequence(tab.editor, QKeySequence(QKeySequence.StandardKey.Save))
    await tab.until(lambda: not tab.studio.contents.workspace.file.records)
    await calm(tab.studio, tab.until)
    found = [content for content, _ in (await tab.stored()).values() if content.startswith("First.")]
    assert found == ["First. Second."]
