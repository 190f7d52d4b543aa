"""The timeline panel: events are listed, filtered, added up, followed and opened by hand."""

import json
import traceback
from dataclasses import replace
from datetime import timedelta

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from inspector.domain.activity import Event, Importance
from inspector.domain.calls import cost_of
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock, InsertArchival
from inspector.domain.edits.rows import AppendMessage, LogEvent, StoreRun
from inspector.domain.edits.text import AppendText, Splice, SpliceText
from inspector.domain.messages import Role, TextPart
from inspector.domain.records import TokenUsage
from inspector.domain.ref import Ref, RefKind
from inspector.domain.timeline import EventFilter, KindTotal, StretchTotals, TimeRange
from inspector.runtime.engine import Engine
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panels import timeline
from inspector.ui.panels.archival import ArchivalPanel
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.messages import MessagesPanel
from inspector.ui.panels.timeline import TimelinePanel
from inspector.ui.presentation.navigator import list_ref
from inspector.ui.timeline.totals import total_rows
from inspector.ui.timeline.words import details_text, event_row
from inspector.ui.widgets.record_rows import RecordRow
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, said
from tests.ui.world import GRACE, QUESTIONS

FIRED = 120
"""Kilns that were fired, one a minute."""
LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def _fired(number: int, agent: str | None = values.ADA) -> LogEvent:
    importance = Importance.CRITICAL if number % 40 == 0 else None
    return LogEvent(agent, "kiln_fired", json.dumps({"kiln": f"<b>kiln</b> {number}"}), importance)


async def _filled(studio: Studio) -> None:
    """The world's file with two hours of events behind what it holds."""
    world = studio.opener
    engine = await Engine.open(world.path, world.environment)
    start = values.NOW + timedelta(hours=1)
    intents = [
        Intent(
            Edit(
                Ref(RefKind.EVENT, f"evt_kiln_{number}"), _fired(number, values.ADA if number % 3 else None)
            ),
            values.NOOR,
            at=start + timedelta(minutes=number),
        )
        for number in range(FIRED)
    ]
    await engine.apply(intents)
    for text in (" One.", " Two."):
        await engine.apply([Intent(Edit(QUESTIONS, AppendText(text)), values.NOOR)])
    await engine.close()


class TimelineTab:
    """A window with the timeline in front, and hands to work on it."""

    def __init__(self, studio: Studio, until: Until, panel: TimelinePanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel

    @property
    def listed(self) -> int:
        return self.panel.rows.model.rowCount()

    @property
    def drawn(self) -> int:
        """How many events the strip shows."""
        density = self.panel.strip.density
        return 0 if density is None else sum(each.count for each in density.buckets)

    def row(self, place: int) -> RecordRow:
        row = self.panel.rows.model.index(place % self.listed).data(VALUE_ROLE)
        assert isinstance(row, RecordRow)
        return row

    async def choose(self, kind: str) -> None:
        """Filter by a kind, as with the mouse."""
        box = self.panel.bar.kinds
        await self.until(lambda: box.findData(kind) >= 0)
        box.setCurrentIndex(box.findData(kind))
        await self.settled()

    async def settled(self) -> None:
        """Wait until the filter has been read, and the last row."""
        await calm(self.studio, self.until)
        await self.until(lambda: self.listed == 0 or self.row(-1).time)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NO_KEYS) -> None:
        QTest.keyClick(self.panel.strip, key, modifiers)


async def _opened(studio: Studio, until: Until, agent: str = "") -> TimelineTab:
    await _filled(studio)
    await open_file(studio, until)
    if agent:
        studio.contents.services.selection.open(list_ref(agent, "activity"))
    else:
        studio.contents.services.actions.run("view.activity")
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, TimelinePanel)
    made = TimelineTab(studio, until, panel)
    await until(lambda: made.listed > FIRED // 2)
    await made.settled()
    return made


async def _scroll_without_asking(tab: TimelineTab) -> None:
    """Rows that come into sight and aren't the current one let no action be asked again whether it can be done."""
    asked: list[str] = []
    changed = tab.studio.contents.services.actions.changed
    changed.connect(lambda: asked.append("".join(traceback.format_stack())))
    tab.panel.rows.table.scrollToTop()
    await tab.until(lambda: tab.row(0).time)
    # Others may ask meanwhile: a panel that has just been imported, a window that becomes the active one.
    assert not [each for each in asked if timeline.__file__ in each]
    tab.panel.rows.go_to_end()


async def test_that_events_are_filtered_followed_and_added_up(studio: Studio, until: Until) -> None:
    tab = await _opened(studio, until)
    panel, world = tab.panel, studio.opener
    assert tab.listed > FIRED
    assert panel.bar.count_note.text() == f"{tab.listed} events"
    await tab.choose("kiln_fired")
    assert tab.listed == FIRED
    # Markup in an event is text, and newest stands last.
    assert tab.row(-1).text == f'kiln_fired: {{"kiln": "<b>kiln</b> {FIRED - 1}"}}'
    assert panel.rows.is_at_end
    await until(lambda: tab.drawn == FIRED)

    await _scroll_without_asking(tab)

    # At the end, what comes is followed; elsewhere nothing moves, and it is said.
    await world.write(Ref(RefKind.EVENT, "evt_next"), _fired(1))
    await until(lambda: tab.listed == FIRED + 1)
    assert panel.rows.is_at_end
    assert not panel.rows.new_button.isVisible()
    panel.rows.table.scrollToTop()
    await world.write(Ref(RefKind.EVENT, "evt_later"), _fired(2))
    await until(lambda: tab.listed == FIRED + 2)
    assert panel.rows.table.rowAt(0) == 0
    assert panel.rows.new_button.text() == "1 new event ↓"
    QTest.mouseClick(panel.rows.new_button, LEFT)
    assert panel.rows.is_at_end
    assert not panel.rows.new_button.isVisible()

    # A stretch from the keyboard: all that is shown.
    studio.contents.services.actions.run("timeline.sum_visible")
    await until(lambda: "counting" not in panel.totals.sentence.text())
    assert panel.totals.sentence.text().startswith(f"{FIRED + 2} events · ")
    assert [(row.name, row.count) for row in panel.totals.model.values] == [("Kiln fired", str(FIRED + 2))]
    panel.strip.setFocus()
    tab.press(Qt.Key.Key_Escape)
    assert panel.strip.stretch is None

    await narrowed(tab)
    await found_by_keys(tab)
    await remembered(tab)


async def test_that_an_event_that_the_filter_keeps_back_moves_nothing(studio: Studio, until: Until) -> None:
    tab = await _opened(studio, until)
    await tab.choose("kiln_fired")
    table = tab.panel.rows.table
    table.setFocus()
    table.selectRow(FIRED // 2)
    await tab.settled()
    table.scrollToTop()
    await tab.settled()
    listed = tab.panel.bar.kinds
    assert listed.findData("kiln_sold") < 0
    sold = LogEvent(values.ADA, "kiln_sold", "{}", None)
    await studio.opener.write(Ref(RefKind.EVENT, "evt_sold"), sold)
    # A kind that is new is offered at once.
    await until(lambda: listed.findData("kiln_sold") >= 0)
    assert listed.currentData() == "kiln_fired"
    await tab.settled()
    assert table.rowAt(0) == 0
    assert table.currentIndex().row() == FIRED // 2
    assert not tab.panel.rows.new_button.isVisible()


async def test_that_the_course_of_sizes_follows_runs_and_messages(studio: Studio, until: Until) -> None:
    tab = await _opened(studio, until)
    tab.panel.views.choose(2)
    rows = tab.panel.size_table.model()
    await until(lambda: rows.rowCount() > 0)
    before = rows.rowCount()
    usage = TokenUsage(input_tokens=4_321, output_tokens=5)
    run = StoreRun(values.ADA, "turn", "gpt-5-mini", "x", "{}", usage=usage)
    await studio.opener.write(Ref(RefKind.RUN, "run_sized"), run)
    await until(lambda: rows.rowCount() == before + 1)
    said_ = AppendMessage(values.ADA, "bat_sized", Role.USER, (TextPart("Is the kiln cold?"),))
    await studio.opener.write(Ref(RefKind.MESSAGE, "msg_sized"), said_)
    await until(lambda: rows.rowCount() == before + 2)


async def test_that_runs_cost_what_their_caches_cost_and_unpriced_ones_are_said(
    studio: Studio, until: Until
) -> None:
    tab = await _opened(studio, until)
    million = TokenUsage(input_tokens=1_000_000, output_tokens=0, cache_read_tokens=990_000)
    runs = [("gpt-5-mini", million), ("gpt-5-mini", TokenUsage()), ("my-own-model", million)]
    await studio.opener.engine.apply(
        [
            Intent(
                Edit(
                    Ref(RefKind.RUN, f"run_{place}"),
                    StoreRun(values.ADA, "turn", model, "x", "{}", usage=usage),
                ),
                values.NOOR,
            )
            for place, (model, usage) in enumerate(runs)
        ]
    )
    await tab.settled()
    studio.contents.services.actions.run("timeline.sum_visible")
    await until(lambda: "counting" not in tab.panel.totals.sentence.text())
    facts = studio.opener.engine.models.resolve("gpt-5-mini")
    cost = cost_of(million, facts)
    assert cost is not None
    assert f" · ${cost:,.4f}, 2 runs without a price · " in tab.panel.totals.sentence.text()
    costs = {row.key: row.more for row in tab.panel.totals.model.values if row.more}
    assert f"${cost:,.4f}, 1 run without a price" in costs["run gpt-5-mini"]
    assert "$" not in costs["run my-own-model"]


async def test_that_the_keyboard_begins_with_the_newest_event(studio: Studio, until: Until) -> None:
    tab = await _opened(studio, until)
    rows = tab.panel.rows
    table, last = rows.table, tab.listed - 1
    studio.window.activateWindow()
    table.setFocus(Qt.FocusReason.TabFocusReason)
    assert table.currentIndex().row() >= last - 1
    assert rows.is_at_end
    for keys, row in (("Ctrl+Home", 0), ("Ctrl+End", last), ("Up", last - 1), ("Ctrl+End", last)):
        QTest.keySequence(table, QKeySequence(keys))
        assert table.currentIndex().row() == row
        assert table.viewport().rect().intersects(table.visualRect(table.currentIndex()))
    assert rows.is_at_end
    await until(lambda: tab.panel.event_now is not None)
    event = tab.panel.event_now
    assert event is not None
    assert studio.contents.services.selection.ref == Ref(RefKind.EVENT, event.id)


async def narrowed(tab: TimelineTab) -> None:
    """Importance, words, and nothing at all."""
    panel, until = tab.panel, tab.until
    importances = panel.bar.importances
    importances.setCurrentIndex(importances.findData(int(Importance.CRITICAL)))
    await tab.settled()
    assert tab.listed == FIRED // 40
    QTest.keyClicks(panel.bar.words_field, "kiln</b> 80")
    await until(lambda: tab.listed == 1)
    QTest.keyClicks(panel.bar.words_field, " frost")
    await until(lambda: tab.listed == 0)
    panel.bar.clear_button.click()
    await until(lambda: tab.listed > FIRED)


async def found_by_keys(tab: TimelineTab) -> None:
    """Words are found among what is listed, one after the other; where a filter hides them all, it goes."""
    panel, finding, until = tab.panel, tab.panel.finding, tab.until
    tab.studio.window.activateWindow()
    panel.rows.table.setFocus()
    # It is looked for from the current event on.
    QTest.keyClick(panel.rows.table, Qt.Key.Key_Home)
    QTest.keySequence(panel, QKeySequence("Ctrl+F"))
    assert QApplication.focusWidget() is finding.bar.words_field
    QTest.keyClicks(finding.bar.words_field, "kiln</b> 11")
    await until(lambda: finding.bar.note.endswith(" of 11"))
    notes = []
    for keys in ("F3", "F3", "Shift+F3"):
        notes.append(finding.bar.note)
        QTest.keySequence(panel, QKeySequence(keys))
    assert notes == ["1 of 11", "2 of 11", "3 of 11"]
    assert finding.bar.note == "2 of 11"
    await until(lambda: panel.event_now is not None and panel.event_now.id == "evt_kiln_110")
    for _ in range(2):
        QTest.keySequence(panel, QKeySequence("Shift+F3"))
    assert finding.bar.note == "11 of 11"
    await tab.choose("memory_modified")
    await until(lambda: "11 hidden by the filters" in finding.bar.note)
    QTest.keyClick(finding.bar.words_field, Qt.Key.Key_Return)
    await until(lambda: finding.bar.note == "1 of 11")
    assert panel.bar.wanted.passes_all
    QTest.keyClick(finding.bar.words_field, Qt.Key.Key_Escape)
    assert not finding.bar.isVisible()
    assert QApplication.focusWidget() is panel.rows.table


async def remembered(tab: TimelineTab) -> None:
    """The filters of a file are there again when it is opened again, and not in another file."""
    studio, until, panel = tab.studio, tab.until, tab.panel
    await tab.choose("kiln_fired")
    panel.strip.choose(panel.strip.scale.seen)
    studio.contents.services.actions.run("timeline.list_stretch")
    QTest.keyClicks(panel.bar.words_field, "kiln</b> 11")
    await until(lambda: tab.listed == 11)
    wanted = panel.bar.wanted
    assert wanted.until is not None
    for path, expected in (("other.constellation", EventFilter()), ("", wanted)):
        world = studio.opener
        studio.contents.workspace.open(world.copy(path) if path else world.path)
        await calm(studio, until)
        studio.contents.services.actions.run("view.activity")
        shown = studio.window.centre.currentWidget()
        assert isinstance(shown, TimelinePanel)
        await until(shown.rows.model.rowCount)
        assert shown.bar.wanted == expected
        assert shown.bar.clear_button.isEnabled() is not expected.passes_all
        assert path or shown.rows.model.rowCount() == 11


async def test_that_the_strip_zooms_pans_and_goes_by_keys_and_mouse(studio: Studio, until: Until) -> None:
    tab = await _opened(studio, until, values.ADA)
    panel, strip = tab.panel, tab.panel.strip
    assert panel.bar.agents.currentData() == values.ADA
    assert all(tab.row(place).note != "system" for place in range(-3, 0))
    whole = strip.scale.seen
    strip.setFocus()
    tab.press(Qt.Key.Key_Plus)
    near = strip.scale.seen
    assert near.length < whole.length
    tab.press(Qt.Key.Key_Home)
    assert strip.scale.seen.start == whole.start
    tab.press(Qt.Key.Key_Right)
    assert strip.scale.seen.start > whole.start
    tab.press(Qt.Key.Key_End)
    assert strip.scale.seen.end == whole.end
    for _ in range(8):
        tab.press(Qt.Key.Key_Minus)
    assert strip.scale.is_whole

    # The wheel keeps the moment under the pointer.
    at = QPointF(strip.width() * 0.75, strip.height() / 2)
    here = strip.scale.at(_share(tab, at.x()))
    turned = QWheelEvent(
        at, strip.mapToGlobal(at), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, NO_KEYS,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(strip, turned)
    assert strip.scale.seen.length < whole.length
    assert abs(strip.scale.at(_share(tab, at.x())) - here) < timedelta(seconds=1)

    # Dragging marks a stretch; selecting a row moves nothing.
    seen = strip.scale.seen
    middle = strip.height() // 2
    QTest.mousePress(strip, LEFT, NO_KEYS, QPoint(40, middle))
    QTest.mouseMove(strip, QPoint(140, middle))
    QTest.mouseRelease(strip, LEFT, NO_KEYS, QPoint(140, middle))
    assert strip.stretch is not None
    panel.rows.select(panel.rows.model.keys[5])
    assert strip.scale.seen == seen
    await calm(studio, until)

    # The context's size, as chart and as table.
    panel.views.choose(2)
    await until(lambda: panel.size_table.rows.rowCount() > 0)
    assert "Ada" in panel.remark.text()
    sizes = panel.size_table.rows.values
    assert sizes[0].at > sizes[-1].at
    assert sizes[0].tokens >= sizes[-1].tokens


def _share(tab: TimelineTab, x: float) -> float:
    side = tab.studio.contents.services.appearance.space(3)
    return (x - side) / (tab.panel.strip.width() - 2 * side)


async def test_that_an_event_is_opened_where_it_belongs(studio: Studio, until: Until) -> None:
    tab = await _opened(studio, until)
    panel, services = tab.panel, studio.contents.services
    await tab.choose("memory_modified")
    panel.rows.table.setFocus()
    QTest.keyClick(panel.rows.table, Qt.Key.Key_End)
    await until(lambda: panel.event_now is not None and services.selection.ref is not None)
    event = panel.event_now
    assert event is not None
    assert services.selection.ref == Ref(RefKind.EVENT, event.id)
    assert '"block_id"' in panel.rows.details.toPlainText()
    QTest.keyClick(panel.rows.table, Qt.Key.Key_Return)
    await until(lambda: isinstance(studio.window.centre.currentWidget(), BlockPanel))
    block = studio.window.centre.currentWidget()
    assert isinstance(block, BlockPanel)
    await until(lambda: block.history.bar.title.text().startswith("Version "))
    assert "(current)" in block.history.bar.title.text()

    # The one before: an earlier version.
    services.actions.run("view.activity")
    panel.rows.table.setFocus()
    QTest.keyClick(panel.rows.table, Qt.Key.Key_Up)
    await until(lambda: panel.event_now is not None and panel.event_now.id != event.id)
    QTest.keyClick(panel.rows.table, Qt.Key.Key_Return)
    await until(lambda: studio.window.centre.currentWidget() is block)
    await until(lambda: "(current)" not in block.history.bar.title.text())

    # A message's event goes to the message.
    services.actions.run("view.activity")
    await tab.choose("message_received")
    panel.rows.table.setFocus()
    QTest.keyClick(panel.rows.table, Qt.Key.Key_End)
    await until(lambda: panel.event_now is not None and panel.event_now.kind == "message_received")
    QTest.keyClick(panel.rows.table, Qt.Key.Key_Return)
    await until(lambda: isinstance(studio.window.centre.currentWidget(), MessagesPanel))
    ref = services.selection.ref
    assert ref is not None
    assert ref.kind is RefKind.MESSAGE
    await calm(studio, until)
    # From elsewhere: an event that the filter keeps back is shown all the same.
    services.selection.open(Ref(RefKind.EVENT, "evt_kiln_7"))
    await until(lambda: panel.event_now is not None and panel.event_now.id == "evt_kiln_7")


def test_that_rare_events_and_the_systems_words_are_said_as_they_are() -> None:
    month = TimeRange(values.NOW, values.NOW + timedelta(days=30))
    rows = total_rows(StretchTotals(month, (KindTotal("often", 3_600), KindTotal("once", 1))))
    assert [row.pace for row in rows] == ["5.0", "<0.1"]
    event = Event("evt_1", 1, None, "system", '{"text": "queue: gave up"}', Importance.LOW, values.NOW)
    assert event_row(event, {}, values.NOW).text == "queue: gave up"
    changed = replace(event, kind="memory_modified")
    assert "Memory modified · low" in details_text(changed, {})
    assert "memory_modified" not in details_text(changed, {})
    more = event_row(replace(event, details='{"text": "a", "b": 1}'), {}, values.NOW)
    assert more.text.startswith("system: ")


async def _enter_last(tab: TimelineTab, kind: str) -> None:
    """Press Return on the newest event of a kind."""
    tab.studio.contents.services.actions.run("view.activity")
    await tab.choose(kind)
    tab.panel.rows.table.setFocus()
    QTest.keyClick(tab.panel.rows.table, Qt.Key.Key_End)
    await tab.until(lambda: tab.panel.event_now is not None and tab.panel.event_now.kind == kind)
    QTest.keyClick(tab.panel.rows.table, Qt.Key.Key_Return)


async def test_that_an_event_leads_to_another_agents_block_and_entry(studio: Studio, until: Until) -> None:
    tab = await _opened(studio, until)
    workspace, selection = studio.contents.workspace, studio.contents.services.selection
    islands, entry = Ref(RefKind.BLOCK, "blk_islands"), Ref(RefKind.ARCHIVAL, "arc_islands")
    await studio.opener.write(islands, CreateBlock(GRACE.id, "islands", content=TextContent("Far away")))
    await studio.opener.write(entry, InsertArchival(GRACE.id, "An island"))
    await calm(studio, until)
    assert workspace.file.agent_id != GRACE.id
    await _enter_last(tab, "memory_modified")
    await until(lambda: isinstance(studio.window.centre.currentWidget(), BlockPanel))
    assert workspace.file.agent_id == GRACE.id
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    await until(lambda: panel.heading == "islands")
    await calm(studio, until)

    workspace.show_agent(values.ADA)
    await calm(studio, until)
    await _enter_last(tab, "archival_operation")
    await until(lambda: selection.ref == entry)
    assert isinstance(studio.window.centre.currentWidget(), ArchivalPanel)
    assert workspace.file.agent_id == GRACE.id
    await calm(studio, until)


async def test_that_an_event_of_nothing_else_keeps_the_keyboard(studio: Studio, until: Until) -> None:
    tab = await _opened(studio, until)
    await _enter_last(tab, "kiln_fired")
    await said(studio, until, "This event has no page of its own. Its details are below the list.")
    assert studio.window.centre.currentWidget() is tab.panel
    assert QApplication.focusWidget() is tab.panel.rows.table
    action = studio.contents.services.actions.row("selection.open")
    assert action.why_not() == "it is shown in the tab in front"


async def test_that_an_edit_made_in_the_window_says_what_was_done_and_by_whom(
    studio: Studio, until: Until
) -> None:
    tab = await _opened(studio, until)
    await studio.opener.write(QUESTIONS, SpliceText((Splice(0, 0, "First. "),)), values.NOOR)
    await until(lambda: tab.row(-1).text.startswith("Text edited"))
    row = tab.row(-1)
    assert (row.text, row.note) == ("Text edited: open_questions", values.NOOR.name)
    tab.panel.rows.select(tab.panel.rows.model.keys[-1])
    # What the model reads of it stands in its details.
    assert "Memory splice_text: open_questions" in tab.panel.rows.details.toPlainText()


async def test_that_a_kind_and_an_agent_are_folded_away_remembered_and_found_again(
    studio: Studio, until: Until
) -> None:
    tab = await _opened(studio, until)
    panel, actions = tab.panel, studio.contents.services.actions
    everything = tab.listed

    def buttons() -> dict[str, QPushButton]:
        return {
            each.text(): each
            for each in panel.bar.findChildren(QPushButton)
            if each.text().startswith("Unfold")
        }

    fired = next(row for row in range(tab.listed) if tab.row(row).text.startswith("kiln_fired"))
    panel.rows.table.selectRow(fired)
    await until(lambda: not actions.row("timeline.fold_kind").why_not())
    actions.run("timeline.fold_kind")
    await tab.settled()
    await until(lambda: tab.listed == everything - FIRED)
    assert list(buttons()) == ["Unfold Kiln fired"]
    # A word that only folded events have is said to be hidden, and Enter shows it.
    actions.run("edit.find")
    QTest.keyClicks(panel.finding.bar.words_field, "kiln_fired")
    await until(lambda: "hidden by the filters" in panel.finding.bar.note)
    QTest.keyClick(panel.finding.bar.words_field, Qt.Key.Key_Return)
    await until(lambda: tab.listed == everything)
    assert not buttons()
    panel.finding.bar.leave()
    await tab.settled()

    panel.rows.table.selectRow(tab.listed - 1)
    await until(lambda: panel.event_now is not None)
    event = panel.event_now
    assert event is not None
    actions.run("timeline.fold_agent")
    await until(lambda: len(buttons()) == 1)
    await tab.settled()
    rest = tab.listed
    assert rest < everything
    studio.window.centre.close_view(studio.window.centre.current_key)
    actions.run("view.activity")
    again = studio.window.centre.currentWidget()
    assert isinstance(again, TimelinePanel)
    await until(lambda: again.rows.model.rowCount() == rest)
    [unfold] = [each for each in again.bar.findChildren(QPushButton) if each.text().startswith("Unfold")]
    QTest.mouseClick(unfold, LEFT)
    await until(lambda: again.rows.model.rowCount() == everything)
