"""The Search panel: typing, sides, F4 from hit to hit into the editors, ids, Requests, and what it says if not."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentRequest
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock, DeleteRow, InsertArchival, SetPermission
from inspector.domain.edits.rows import AppendMessage, EnqueueMessage, SetWakeup, StoreRun
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.messages import Role, TextPart
from inspector.domain.records import SUMMARY_CALL
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import FoundState, Hit, MatchSpan, Snippet
from inspector.ui.editors.text import TextEditor
from inspector.ui.panels.agent import AgentPanel
from inspector.ui.panels.approvals import ApprovalsPanel
from inspector.ui.panels.archival import ArchivalPanel
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.calls import CallsPanel
from inspector.ui.panels.messages import MessagesPanel
from inspector.ui.panels.queue import QueuePanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.panels.search import SearchPanel
from inspector.ui.search.found_list import FoundGroup
from inspector.ui.search.hit_rows import HitRow, TextStretch, context_line, fitted
from inspector.ui.search.page import SearchPage
from inspector.ui.search.words import hit_name
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, said, texts
from tests.ui.panels.test_history_tab import SCOUT
from tests.ui.values import NOOR, NOW
from tests.ui.world import ADA, GRACE, NOTES, QUESTIONS

EVIL = "<b>quokka</b> <img src=x onerror=1>\u202e quokka"


def focused() -> QWidget:
    """What has the keyboard."""
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


class Search:
    """The panel in its window, and hands to work in it."""

    def __init__(self, studio: Studio, until: Until, panel: SearchPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.page: SearchPage = panel.page
        self.engine = studio.opener.engine

    async def calm(self) -> None:
        await calm(self.studio, self.until)

    async def type(self, text: str) -> None:
        """Type a query in place of the last one."""
        self.page.field.setFocus()
        self.page.field.selectAll()
        QTest.keyClick(self.page.field, Qt.Key.Key_Delete)
        QTest.keyClicks(self.page.field, text)
        await self.calm()

    async def press(self, keys: str) -> None:
        """Press keys wherever the keyboard is."""
        QTest.keySequence(focused(), QKeySequence(keys))
        await self.calm()

    @property
    def rows(self) -> list[HitRow]:
        return [self.page.row(key) for key in range(len(self.panel.found.rows))]

    @property
    def front(self) -> QWidget:
        return self.studio.window.centre.currentWidget()

    def selected(self) -> str:
        """The selected text of the editor that has the keyboard."""
        editor = QApplication.focusWidget()
        assert isinstance(editor, TextEditor)
        start, end = editor.selected_range()
        return editor.text[start:end]


async def shown(studio: Studio, until: Until) -> Search:
    """The panel with three quokkas of Ada's and one of Grace's in the file."""
    await open_file(studio, until)
    edits = (
        Edit(NOTES, SetText("First line.\nA quokka sat here.")),
        Edit(QUESTIONS, SetText("A wombat. " * 50)),
        Edit(Ref(RefKind.ARCHIVAL, "arc_q"), InsertArchival(ADA.id, "An old Quokka")),
        Edit(Ref(RefKind.MESSAGE, "msg_q"), AppendMessage(ADA.id, "bat_q", Role.USER, (TextPart(EVIL),))),
        Edit(
            Ref(RefKind.BLOCK, "blk_q"),
            CreateBlock(GRACE.id, "islands", content=TextContent("Where a quokka lives")),
        ),
    )
    await studio.opener.engine.apply([Intent(edit, NOOR) for edit in edits])
    await calm(studio, until)
    QTest.keySequence(focused(), QKeySequence("Ctrl+Shift+F"))
    panel = studio.window.panel("search")
    assert isinstance(panel, SearchPanel)
    assert panel.isVisible()
    made = Search(studio, until, panel)
    await made.calm()
    return made


async def test_that_hits_are_gone_through_from_anywhere(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    assert QApplication.focusWidget() is one.page.field
    assert not one.studio.contents.services.actions.run("search.next")
    await one.type("quokka")
    groups = [each.kind for each in one.panel.found.rows if isinstance(each, FoundGroup)]
    assert groups[:3] == ["block", "archival", "message"]
    assert [row.name for row in one.rows[:3]] == ["Blocks · 2", *(row.name for row in one.rows[1:3])]
    assert {row.name for row in one.rows[1:3]} == {"design_notes", "islands"}
    assert [row.owner for row in one.rows if row.name == "islands"] == ["Grace"]
    marked = [[each.text for each in row.line if each.marked] for row in one.rows if not row.heading]
    assert all(marked[:4])
    assert all(row.figure for row in one.rows[1:3])

    opened: dict[str, str] = {}
    for place in range(1, 5):
        await one.press("F4")
        await one.until(lambda: isinstance(QApplication.focusWidget(), TextEditor))
        await one.until(lambda: one.selected().casefold() == "quokka")
        hit = one.panel.found.hit
        assert hit is not None
        opened[hit.ref.id] = type(one.front).__name__
        assert one.page.note.original.startswith(f"{place} of ")
    assert opened == {
        NOTES.id: "BlockPanel",
        "blk_q": "BlockPanel",
        "arc_q": "ArchivalPanel",
        "msg_q": "MessagesPanel",
    }
    assert isinstance(one.front, MessagesPanel)
    assert one.panel.isVisible()
    await one.press("Shift+F4")
    assert one.page.note.original.startswith("3 of ")

    # In the view that is in front the same words are selected: here as the model reads them.
    await one.type("quokka block:design")
    await one.press("F4")
    panel = one.front
    assert isinstance(panel, BlockPanel)
    panel.views.choose(1)
    await one.press("F4")
    assert focused() is panel.rendered.editor
    assert one.selected() == "quokka"

    # The agent of a hit is shown, and the next hit of another agent takes one back.
    workspace = one.studio.contents.workspace
    await one.type("islands")
    await one.press("Return")
    await one.until(lambda: isinstance(one.front, BlockPanel))
    assert workspace.file.agent_id == GRACE.id


async def test_that_sides_ids_and_requests_are_within_reach(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await one.type("quokka")
    facets = one.page.facets
    message = next(at for at, row in enumerate(facets.rows) if row.value == "message")
    facets.setFocus()
    facets.setCurrentIndex(facets.model().index(message, 0))
    QTest.keyClick(facets, Qt.Key.Key_Space)
    await one.calm()
    assert one.page.field.text() == "quokka kind:message"
    assert [row.name for row in one.rows] == ["Messages · 1", "User"]
    # A side that is chosen still says what its other values would give.
    assert {row.value for row in facets.rows if row.value} >= {"message", "block", "archival"}
    assert [row.value for row in facets.rows if row.on] == ["message"]
    # Untrusted text stays text: its markup is read, its direction mark is seen.
    assert "<b>quokka</b>" in one.rows[1].text
    assert "\u202e" not in one.rows[1].text
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in one.page.findChildren(QLabel))
    QTest.keyClick(facets, Qt.Key.Key_Space)
    await one.calm()
    assert one.page.field.text() == "quokka"

    await one.type("role:robot")
    assert "know the role robot (character 1)" in one.page.fault_note.original
    await one.type("ro")
    assert one.page.field.offered == ("role:",)
    await one.type("wombat tokens:>100")
    assert [row.name for row in one.rows] == ["Blocks · 1", "open_questions"]

    QGuiApplication.clipboard().setText(" msg_q ")
    one.page.field.setFocus()
    one.page.field.selectAll()
    await one.press("Ctrl+V")
    await one.until(lambda: isinstance(one.front, MessagesPanel))
    assert one.studio.contents.services.selection.ref == Ref(RefKind.MESSAGE, "msg_q")
    # What Return does is said before it is pressed, with hits and without.
    said_of_id = "Return goes to message msg_q."
    labels = [each.text() for each in one.page.findChildren(QLabel) if each.isVisible()]
    assert said_of_id in " ".join(labels).replace("\u200b", "")
    assert "Nothing matches" not in labels
    await one.type("design_notes")
    assert not one.page.named_note.isVisible()
    await one.type(NOTES.id)
    assert one.page.named_note.isVisible() == bool(one.rows)

    await ask_where_sent(one)


async def ask_where_sent(one: Search) -> None:
    """Ask of a hit in which Requests it was, before and after one was sent."""
    await one.type("quokka kind:block agent:Ada")
    await one.press("Down")
    assert QApplication.focusWidget() is one.page.table
    assert one.studio.contents.services.selection.ref == NOTES
    actions = one.studio.contents.services.actions
    actions.run("search.sent")
    await one.until(lambda: "No Request was sent" in one.page.sent.note.original)
    account = f'{{"source": {{"id": "{NOTES.id}"}}}}'
    run = StoreRun(ADA.id, "turn", "gpt-4o", "A quokka sat here.", account)
    await one.engine.apply([Intent(Edit(Ref(RefKind.RUN, "run_q"), run), SCOUT)])
    actions.run("search.sent")
    await one.until(lambda: "“quokka”: in 1 of 1 sent Requests" in one.page.sent.note.original)
    await words_that_nothing_has(one)
    await one.type("quokka kind:block agent:Ada")
    await one.press("Down")
    actions.run("search.sent")
    await one.until(lambda: "“quokka”: in 1 of 1 sent Requests" in one.page.sent.note.original)
    # What is said of it leads there, by the keyboard as by the mouse.
    line = one.page.sent
    assert not line.last.isVisible()
    assert "run_q" in line.first.toolTip()
    await _press_sent(one, line.first, "run_q")
    one.studio.contents.services.selection.select(NOTES)
    await one.engine.apply([Intent(Edit(Ref(RefKind.RUN, "run_r"), run), SCOUT)])
    one.page.table.setFocus()
    actions.run("search.sent")
    await one.until(lambda: line.last.isVisible())
    await _press_sent(one, line.last, "run_r", by_mouse=True)


async def words_that_nothing_has(one: Search) -> None:
    """The button asks for what is typed, also where the file has it nowhere, and for a hit where nothing is."""
    await one.type("a Quokka SAT")
    QTest.mouseClick(one.page.sent_button, Qt.MouseButton.LeftButton)
    await one.until(lambda: "“a Quokka SAT”: in 1 of 1" in one.page.sent.note.original)
    await one.type("zebra-unsent")
    assert one.page.sent_button.isEnabled()
    QTest.mouseClick(one.page.sent_button, Qt.MouseButton.LeftButton)
    await one.until(lambda: "“zebra-unsent”: in none of 1 sent" in one.page.sent.note.original)
    await one.type("block:design_notes")
    await one.press("Down")
    QTest.mouseClick(one.page.sent_button, Qt.MouseButton.LeftButton)
    await one.until(lambda: ": in 1 of 1" in one.page.sent.note.original)
    assert one.page.sent.note.original.startswith("design_notes")


async def _press_sent(one: Search, link: QPushButton, run: str, *, by_mouse: bool = False) -> None:
    assert link.focusPolicy() & Qt.FocusPolicy.TabFocus
    if by_mouse:
        QTest.mouseClick(link, Qt.MouseButton.LeftButton)
    else:
        link.setFocus()
        QTest.keyClick(link, Qt.Key.Key_Space)
    await one.until(lambda: one.studio.contents.services.selection.ref == Ref(RefKind.RUN, run))
    assert isinstance(one.front, RequestPanel)
    await one.calm()


async def test_that_a_query_that_cannot_be_searched_for_says_why_beside_no_other_count(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    page = one.page
    await one.type("quokka")
    assert page.note.original
    assert not all(row.quiet for row in one.rows)
    # At once, as who types fast does: the beginnings of it aren't searched for.
    page.type("role:robot")
    await one.calm()
    assert page.fault_note.isVisible()
    assert "know the role robot" in page.fault_note.original
    # The hits of before are still there, as what they are.
    assert one.rows
    assert all(row.quiet for row in one.rows if not row.heading)
    assert page.note.original == ""
    assert [row.name for row in one.rows if row.heading and "·" in row.name] == []
    await one.type("platypus")
    assert not one.rows
    assert "Nothing matches" in texts(page)
    await one.type("role:robot")
    assert "know the role robot" in texts(page)
    assert "Nothing matches" not in texts(page)
    await one.type("quokka")
    assert not page.fault_note.isVisible()
    assert page.note.original


async def test_that_tools_versions_and_the_palette_lead_on(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await one.type("tool:deploy")
    await one.press("Return")
    await one.until(lambda: isinstance(one.front, AgentPanel))
    await one.engine.edit(NOTES.id, SetText("Gone."))
    await one.type("kind:version quokka")
    assert [row.name for row in one.rows] == ["Past versions · 1", "design_notes, version 2"]
    await one.press("Return")
    await one.until(lambda: isinstance(one.front, BlockPanel))
    assert isinstance(one.front, BlockPanel)
    await one.until(lambda: "Version 2" in "".join(each.text() for each in one.front.findChildren(QLabel)))

    palette = one.studio.contents.palette
    palette.summon()
    QTest.keyClicks(focused(), "quokka in hiding")
    assert palette.shown[-1].title == "Search for “quokka in hiding”"
    for _ in palette.shown:
        QTest.keyClick(focused(), Qt.Key.Key_Down)
    QTest.keyClick(focused(), Qt.Key.Key_Return)
    await one.calm()
    assert one.page.field.text() == "quokka in hiding"
    palette.summon()
    QTest.keyClicks(focused(), "blk_nothing1")
    assert [each.title for each in palette.shown[:2]] == [
        "Go to blk_nothing1",
        "Search for “blk_nothing1”",
    ]
    QTest.keyClick(focused(), Qt.Key.Key_Return)
    await said(one.studio, one.until, "Nothing in this file has that id.")

    # Another file: nothing of the last one stays.
    await one.type("quokka")
    assert one.rows
    await open_file(one.studio, one.until, one.studio.opener.copy("second.constellation"))
    assert (one.page.field.text(), one.rows) == ("", [])


async def _with_rows_of_an_agent(one: Search) -> None:
    """A run, a queued message, a wakeup and a request for approval, each of its own id."""
    request = one.studio.contents.workspace.file.saved_request
    assert request is not None
    account = one.engine.context.manifest_text(request)
    edits = (
        Edit(Ref(RefKind.RUN, "run_first1"), StoreRun(ADA.id, "turn", request.model, request.text, account)),
        Edit(Ref(RefKind.RUN, "run_later1"), StoreRun(ADA.id, "turn", request.model, request.text, account)),
        Edit(QUESTIONS, SetPermission(Permission.HUMAN)),
        Edit(Ref(RefKind.QUEUE, "que_asked1"), EnqueueMessage(None, ADA.id, "Hi")),
        Edit(Ref(RefKind.ARCHIVAL, "arc_gone1"), InsertArchival(ADA.id, "Once.")),
        Edit(Ref(RefKind.ARCHIVAL, "arc_gone1"), DeleteRow()),
        Edit(Ref(RefKind.WAKEUP, "wak_asked1"), SetWakeup(ADA.id, "Look", NOW + timedelta(hours=4))),
    )
    await one.engine.apply([Intent(edit, NOOR) for edit in edits])


async def test_that_ids_of_runs_queues_and_approvals_lead_to_them(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await _with_rows_of_an_agent(one)
    asked = Intent(Edit(QUESTIONS, AppendText("!")), Actor(ActorKind.AGENT, ADA.id, "Ada"), "Please")
    made = await one.engine.consent.request(asked, wait=timedelta(hours=5))
    assert isinstance(made, ConsentRequest)
    await one.calm()
    contents = studio.contents

    async def go(id_: str, pasted: bool) -> QWidget:
        contents.open_view("budget")
        contents.services.selection.select(NOTES)
        if pasted:
            QGuiApplication.clipboard().setText(id_)
            one.page.field.setFocus()
            one.page.field.selectAll()
            await one.press("Ctrl+V")
        else:
            contents.palette.summon()
            QTest.keyClicks(focused(), id_)
            await one.press("Return")
        selection = contents.services.selection
        await until(lambda: selection.ref is not None and selection.ref.id == id_)
        await one.calm()
        return one.front

    for pasted in (True, False):
        await _see_where_ids_lead(one, go, made.id, pasted=pasted)


async def _see_where_ids_lead(
    one: Search, go: Callable[[str, bool], Awaitable[QWidget]], asked: str, *, pasted: bool
) -> None:
    queue = await go("que_asked1", pasted)
    assert isinstance(queue, QueuePanel)
    await one.until(lambda: queue.browser.key == ("pending", "que_asked1"))
    # What is gone to by its id is listed even if a filter keeps it back.
    queue.browser.set_filter("dead", "words")
    assert await go("wak_asked1", pasted) is queue
    await one.until(lambda: queue.browser.key == ("wakeup", "wak_asked1"))
    approvals = await go(asked, pasted)
    assert isinstance(approvals, ApprovalsPanel)
    await one.until(lambda: approvals.browser.key == asked)
    sent = await go("run_first1", pasted)
    assert isinstance(sent, RequestPanel)
    # It isn't what was sent last.
    await one.until(lambda: sent.states.banner.last_button.isVisible())
    one.studio.contents.services.actions.run("request.with_drafts")
    entry = await go("arc_gone1", pasted)
    assert isinstance(entry, ArchivalPanel)
    # A deleted entry is listed with those that are deleted.
    await one.until(lambda: (entry.browser.state, entry.browser.key) == ("deleted", "arc_gone1"))
    entry.browser.set_filter("all", "words")


async def test_that_the_id_of_a_call_for_a_summary_leads_to_it_among_the_test_calls(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    run = Edit(Ref(RefKind.RUN, "run_sum1"), StoreRun(GRACE.id, SUMMARY_CALL, "gpt-4o", "Sum up.", "{}"))
    other = Edit(Ref(RefKind.RUN, "run_sum2"), StoreRun(GRACE.id, SUMMARY_CALL, "gpt-4o", "Again.", "{}"))
    await one.engine.apply([Intent(run, NOOR), Intent(other, NOOR)])
    await one.type("run_sum1")
    assert one.studio.contents.workspace.file.agent_id == ADA.id
    await one.press("Return")
    await until(lambda: isinstance(one.front, CallsPanel))
    calls = one.front
    assert isinstance(calls, CallsPanel)
    await until(lambda: [each.id for each in calls.chosen] == ["run_sum1"])
    assert studio.contents.workspace.file.agent_id == GRACE.id


def test_that_an_event_is_called_by_its_kind_in_words() -> None:
    event = Ref(RefKind.EVENT, "evt_1")
    title = Snippet("memory_modified", ())
    hit = Hit(event, ADA.id, None, FoundState.ACTIVE, NOW, 0.0, title, title)
    assert hit_name(hit) == "Memory modified"


def test_that_a_line_shows_its_first_marked_word() -> None:
    text = "x" * 100 + " needle\nand more"
    line = context_line(Snippet(text, (MatchSpan(101, 107),), cut_after=True))
    assert [each.text for each in line if each.marked] == ["needle"]
    assert line[0].text == "…"
    assert "".join(each.text for each in line).endswith(" and more…")


def _fits(panel: SearchPanel) -> bool:
    place = panel.parentWidget()
    return place is not None and panel.page.minimumSizeHint().width() <= place.width()


async def test_that_a_narrow_panel_stands_its_parts_below_one_another(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await one.type("quokka")
    page = one.page
    wide = page.table.rowHeight(0)
    assert page.facets.isVisible()
    assert not page.sides_button.isVisible()
    studio.contents.services.appearance.set_scale(2.0)
    studio.window.resize(1280, 800)
    await asyncio.sleep(0.3)
    studio.window.go_to_panel("search")
    await until(lambda: page.sides_button.isVisible())
    # No tool is beyond its edge, nor is the panel wider than its place.
    panel = one.panel
    await until(lambda: _fits(panel))
    for each in (page.field, page.sent_button, page.sides_button, page.help_button):
        corner = each.mapTo(panel, QPoint(0, 0))
        assert panel.rect().contains(QRect(corner, each.size()))
    assert not page.facets.isVisible()
    assert page.table.rowHeight(1) >= 4 * wide - 4
    # The heading of the first hits has no empty line above it.
    assert 2 * page.table.rowHeight(0) == page.table.rowHeight(1)
    QTest.mouseClick(page.sides_button, Qt.MouseButton.LeftButton)
    assert page.facets.isVisible()
    assert page.facets.y() < page.table.y()
    studio.contents.services.appearance.set_scale(1.0)
    await asyncio.sleep(0.3)
    studio.window.go_to_panel("search")
    await until(lambda: not page.sides_button.isVisible())
    assert page.facets.isVisible()
    assert {page.table.rowHeight(0), page.table.rowHeight(1)} == {wide}


def test_that_marked_words_are_whole_where_there_is_room(qapp: QApplication) -> None:
    line = tuple(
        TextStretch(text, at % 2 == 1) for at, text in enumerate(("cut a ", "release", "/4.2, ", "Wave", " "))
    )
    metrics = QFontMetrics(qapp.font())
    whole = sum(metrics.horizontalAdvance(each.text) for each in line)
    for room in range(whole + 40):
        shown = [each for each, _ in fitted(line, metrics, room)]
        assert sum(width for _, width in fitted(line, metrics, room)) <= room
        texts = {each.text for each in line}
        # What stands before the first marked word may be shortened, and the last stretch that is there.
        assert all(each.text in texts for each in shown[1:-1])
    assert [each.text for each, _ in fitted(line, metrics, 4 * whole)] == [each.text for each in line]


@pytest.mark.usefixtures("zone")
async def test_that_a_day_has_the_messages_that_are_listed_with_it(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    # Half past midnight in Berlin, where it is winter now.
    at = datetime(2026, 7, 14, 22, 30, tzinfo=UTC)
    written = AppendMessage(ADA.id, "bat_s", Role.USER, (TextPart("aardvark night"),))
    await one.engine.apply([Intent(Edit(Ref(RefKind.MESSAGE, "msg_s"), written), NOOR, at=at)])
    await one.type("aardvark kind:message on:2026-07-15")
    assert [row.name for row in one.rows] == ["Messages · 1", "User"]
    await one.type("aardvark kind:message on:2026-07-14")
    assert not one.rows


def _wallabies(letter: str, count: int) -> list[Edit]:
    """So many messages of Ada's with the same word."""
    return [
        Edit(
            Ref(RefKind.MESSAGE, f"msg_{letter}{number}"),
            AppendMessage(ADA.id, f"bat_{letter}{number}", Role.USER, (TextPart(f"wallaby {number}"),)),
        )
        for number in range(count)
    ]


def _found_ids(one: Search) -> list[str]:
    return [each.ref.id for each in one.panel.found.rows if isinstance(each, Hit)]


async def test_that_back_from_the_first_hit_is_the_last_of_all(studio: Studio, until: Until) -> None:
    await studio.opener.change_file(*_wallabies("w", 150))
    one = await shown(studio, until)
    await one.type("wallaby kind:message")
    await one.press("F4")
    assert one.page.note.original.startswith("1 of 150")
    await one.press("Shift+F4")
    await until(lambda: one.page.note.original.startswith("150 of 150"))
    await one.press("F4")
    assert one.page.note.original.startswith("1 of 150")
    await one.type("wallaby kind:message on:today")
    await one.type("wallaby kind:message")
    await one.press("Shift+F4")
    await until(lambda: one.page.note.original.startswith("150 of 150"))


async def test_that_a_hit_is_listed_once_though_others_wrote_meanwhile(studio: Studio, until: Until) -> None:
    await studio.opener.change_file(*_wallabies("w", 150))
    one = await shown(studio, until)
    await one.type("wallaby kind:message")
    await one.press("F4")
    first = one.panel.found.hit
    assert first is not None
    assert len(_found_ids(one)) == 100
    await one.engine.apply([Intent(each, NOOR) for each in _wallabies("x", 20)])
    await one.calm()
    bar = one.page.table.verticalScrollBar()
    bar.setValue(bar.maximum())
    await one.calm()
    bar.setValue(0)
    bar.setValue(bar.maximum())
    await one.calm()
    found = _found_ids(one)
    assert len(found) == len(set(found)) == 170
    assert one.page.note.original.endswith("of 170 hits")
    assert one.panel.found.hit is not None
    assert one.panel.found.hit.ref == first.ref

    await one.type("wallaby kind:message ")
    assert len(_found_ids(one)) == 100
    gone = Ref(RefKind.MESSAGE, _found_ids(one)[0])
    await one.engine.apply([Intent(Edit(gone, DeleteRow()), NOOR)])
    await one.calm()
    await one.press("Shift+F4")
    await until(lambda: one.page.note.original.startswith("169 of 169"))
    assert len(set(_found_ids(one))) == 169


async def test_that_a_side_is_ticked_as_it_is_typed_and_goes_beside_an_open_quote(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    facets = one.page.facets

    async def tick(value: str) -> None:
        at = next(at for at, row in enumerate(facets.rows) if row.value == value)
        facets.setFocus()
        facets.setCurrentIndex(facets.model().index(at, 0))
        QTest.keyClick(facets, Qt.Key.Key_Space)
        await one.calm()

    await one.type("quokka kind:blocks,message")
    assert {row.value for row in facets.rows if row.on} == {"block", "message"}
    await tick("block")
    assert one.page.field.text() == "quokka kind:message"
    await one.type('"a quokka')
    await tick("block")
    assert one.page.field.text() == '"a quokka" kind:block'
    assert {row.name for row in one.rows if not row.heading} == {"design_notes", "islands"}
