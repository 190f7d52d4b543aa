"""The Compare tab, what was sent last, and past moments: chosen by keys, with figures that add up."""

import json
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import ConfigureAgent, StoreRun
from inspector.domain.edits.text import SetText
from inspector.domain.ref import Ref, RefKind
from inspector.domain.request_comparison import ComparedRequests, RequestSide, RequestSideKind
from inspector.domain.requests import Diff
from inspector.ui.compare.moment_bar import MomentBar
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.compare import ComparePanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.presentation.cache_words import place_text
from inspector.ui.presentation.comparison import delta_text, settings_text
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, toast_text
from tests.ui.panels.request_tab import open_request
from tests.ui.world import NOTES, QUESTIONS, STORED

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
ENTER = Qt.Key.Key_Return


async def send(studio: Studio, until: Until, name: str = "run_1", manifest: str | None = None) -> str:
    """Store a call of what would be sent now, as a program that runs the agent does; gives its text."""
    workspace, engine = studio.contents.workspace, studio.opener.engine
    request = workspace.file.saved_request
    assert request is not None
    account = engine.context.manifest_text(request) if manifest is None else manifest
    run = StoreRun(values.ADA, "turn", request.model, request.text, account)
    before = len(workspace.file.sent.runs)
    await engine.apply([Intent(Edit(Ref(RefKind.RUN, name), run), values.NOOR)])
    await until(lambda: len(workspace.file.sent.runs) > before)
    await calm(studio, until)
    return request.text


async def change(studio: Studio, until: Until, text: str) -> None:
    """Somebody else writes a block, and the Request follows."""
    workspace = studio.contents.workspace
    await studio.opener.write(QUESTIONS, SetText(text))
    await until(lambda: workspace.file.saved_request and text in workspace.file.saved_request.text)
    await calm(studio, until)


def press(widget: QWidget, keys: str) -> None:
    QTest.keySequence(widget, QKeySequence(keys))


async def look(studio: Studio, until: Until) -> ComparePanel:
    """Go to the tab by its key and wait until two Requests are compared."""
    press(studio.window, "Alt+9")
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, ComparePanel)
    await compared(studio, until, panel)
    return panel


async def compared(studio: Studio, until: Until, panel: ComparePanel) -> None:
    await until(lambda: panel.compared is not None)
    await calm(studio, until)
    await until(lambda: not panel.tree.visibleRegion().isEmpty())


async def give_keyboard(studio: Studio, until: Until, place: QWidget) -> None:
    """Let a widget have the keyboard: without a screen, Qt gives it to nobody when a menu closes."""
    studio.window.activateWindow()
    await until(studio.window.isActiveWindow)
    place.setFocus()


def figures(panel: ComparePanel) -> list[int]:
    """The changes of all sections that are shown."""
    model = panel.tree.model
    rows = (model.row_at(model.index(place, 0)) for place in range(model.rowCount()))
    return [row.value.delta for row in rows if row is not None]


def choose_by_keys(place: QWidget, title: str) -> None:
    """Open a side's menu by Space, and go to an entry by its first letters."""
    place.setFocus()
    QTest.keyClick(place, Qt.Key.Key_Space)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    while menu.activeAction() is None or not menu.activeAction().text().startswith(title):
        QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, ENTER)


def offers(place: QWidget) -> list[str]:
    """What a side's menu offers; what can't be chosen in parentheses."""
    QTest.keyClick(place, Qt.Key.Key_Space)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    texts = [
        each.text() if each.isEnabled() else f"({each.text()})" for each in menu.actions() if each.text()
    ]
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    return texts


def selected_everywhere(studio: Studio, panel: ComparePanel) -> None:
    """The current piece is the selection, by F8 as by an arrow key; a section's row selects nothing."""
    row, selection = panel.tree.current, studio.contents.services.selection
    assert row is not None
    assert (row.name, row.state) == ("open_questions", "changed")
    assert selection.ref == row.ref
    press(panel.tree.view, "Up")
    assert selection.ref == row.ref
    selection.select(NOTES)
    press(panel.tree.view, "Down")
    assert selection.ref == row.ref


def goes_on(compared: ComparedRequests) -> None:
    """A Request that begins as the whole left one has no token of the left one's to name."""
    tokens = compared.before.tokens
    place = place_text(replace(compared, first_token=tokens))
    assert place.startswith(f"First difference: after all {tokens:,} tokens of the left Request")


async def test_the_story_of_two_requests_that_are_compared_by_keys(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    panel = await look(studio, until)
    left, _ = panel.sides
    assert left.side.kind is RequestSideKind.PAST
    offered = offers(left)
    assert "(Last sent: nothing was sent yet)" in offered
    assert "(With drafts: nothing is unsaved)" in offered
    assert "(Compiled by the source: no compiled prompt came with this agent)" in offered
    await send(studio, until)
    await until(lambda: left.side.kind is RequestSideKind.SENT)
    await change(studio, until, STORED.replace("arm64", "riscv"))
    await until(lambda: panel.summary.place.original.endswith("in block open_questions."))
    await calm(studio, until)
    found = panel.compared
    assert found is not None
    assert sum(figures(panel)) == found.diff.delta == found.after.tokens - found.before.tokens
    assert "1 changed" in panel.summary.tokens.original
    assert "The text of that piece changed." in panel.summary.cost.original
    await give_keyboard(studio, until, panel.tree.view)
    press(panel.tree.view, "F8")
    selected_everywhere(studio, panel)
    goes_on(found)
    await until(lambda: panel.words.is_shown)
    parts = [part for line in panel.words.difference.inline.lines for part in line.parts]
    assert {part.text for part in parts if part.stretch is not None} == {"arm64", "riscv"}
    await calm(studio, until)
    for _ in found.diff.changes:
        press(panel.tree.view, "F8")
    assert "No further difference" in toast_text(studio)
    for _ in found.diff.changes:
        press(panel.tree.view, "Shift+F8")
    await filtered_by_hand(panel, found)
    studio.contents.services.actions.run("compare.swap")
    await until(lambda: panel.compared is not None and panel.compared.before is not found.before)
    assert panel.compared is not None
    assert panel.compared.diff.delta == -found.diff.delta
    press(panel.tree.view, "F8")
    panel.tree.view.setFocus()
    QTest.keyClick(panel.tree.view, ENTER)
    assert isinstance(studio.window.centre.currentWidget(), BlockPanel)
    await turn_by_turn(studio, until)


async def test_that_the_words_of_a_piece_are_in_sight_in_a_small_window(studio: Studio, until: Until) -> None:
    studio.window.resize(1280, 800)
    await open_file(studio, until)
    panel = await look(studio, until)
    await send(studio, until)
    await change(studio, until, STORED.replace("arm64", "riscv"))
    await until(lambda: panel.summary.place.original.endswith("in block open_questions."))
    await calm(studio, until)
    press(panel.tree.view, "F8")
    await until(lambda: panel.words.is_shown)
    shown = panel.words.difference.inline
    assert shown.visibleRegion().boundingRect() == shown.rect()
    assert shown.height() > 4 * shown.fontMetrics().lineSpacing()
    assert studio.contents.services.actions.row("compare.swap").icon == "swap"


def test_that_a_layout_is_named_by_its_agent() -> None:
    diff = Diff((), 1, 1, (("layout", "standard", f"letta {values.ADA}"), ("model", "a", "")))
    assert settings_text(diff, [values.agent(values.ADA)]) == "layout: standard → letta Ada · model: a → –"
    assert (
        settings_text(Diff((), 1, 1, (("max_tokens", "16000", "280000"),)), ())
        == "max tokens: 16,000 → 280,000"
    )


async def turn_by_turn(studio: Studio, until: Until) -> None:
    """Each turn is compared with the one before it, and every Request can be held against one."""
    workspace = studio.contents.workspace
    for number in (2, 3):
        await change(studio, until, f"Question {number}?")
        await send(studio, until, f"run_{number}")
    panel = await look(studio, until)
    left, right = panel.sides
    await give_keyboard(studio, until, panel.tree.view)
    runs = workspace.file.sent.runs
    shown = []
    for keys in ("Alt+Up", "Alt+Up", "Alt+Down"):
        press(panel.tree.view, keys)
        await compared(studio, until, panel)
        shown.append((left.side.name, right.side.name))
    oldest, newest = (runs[0].id, runs[1].id), (runs[1].id, "")
    assert shown == [oldest, oldest, newest]
    press(panel.tree.view, "Alt+Down")
    assert (left.side.kind, right.side.kind) == (RequestSideKind.SENT, RequestSideKind.NOW)
    assert studio.contents.services.actions.row("compare.newer_turn").why_not() == "no further turn was sent"
    # Several against one: the oldest is the base.
    panel.choose(RequestSide(RequestSideKind.SENT, runs[0].id, runs[0].started_at), right.side)
    QTest.mouseClick(panel.list_button, Qt.MouseButton.LeftButton)
    rows, model = panel.list, panel.list.rows
    cells = [[str(model.index(row, column).data()) for column in range(4)] for row in range(4)]
    assert [each[1] for each in cells] == [runs[0].model] * 4
    await until(lambda: all("…" not in str(model.index(row, 2).data()) for row in range(4)))
    place = rows.visualRect(model.index(1, 0)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    await until(lambda: panel.compared is not None and panel.compared.after.text.count("Question 2?"))
    await calm(studio, until)
    assert panel.compared is not None
    change_shown = str(model.index(1, 3).data())
    assert change_shown == delta_text(panel.compared.diff.delta)
    assert str(model.index(0, 3).data()) == "left"
    assert studio.contents.services.preferences.switch("compare.list")
    studio.contents.services.actions.run("compare.list")
    assert not rows.isVisible()


async def filtered_by_hand(panel: ComparePanel, found: ComparedRequests) -> None:
    """Show all pieces, then those that some words leave, then differences again: what is selected stays."""
    panel.only_button.click()
    assert panel.tree.current is not None
    assert panel.tree.current.name == "open_questions"
    assert sum(figures(panel)) == found.diff.delta
    assert panel.tree.model.rowCount() == len(found.after.sections)
    panel.filter_field.setFocus()
    QTest.keyClicks(panel.filter_field, "open_questions changed")
    assert panel.tree.model.rowCount() == 1
    panel.filter_field.clear()
    panel.only_button.click()


def typed_by_hand(bar: MomentBar) -> None:
    """Type dates: what is no moment of the file leads to the newest change before it, and says so."""
    last, count = bar.moments[-1].at.astimezone(), len(bar.moments)

    def go(text: str) -> str:
        bar.slider.setValue(0)
        bar.date_field.setFocus()
        bar.date_field.setText(text)
        QTest.keyClick(bar.date_field, ENTER)
        return bar.note

    assert go("someday") == "Type a date, such as 20 Nov 09:30 or yesterday"
    assert go(f"{last:%Y-%m-%d %H:%M:%S}") == f"change {count} of {count}"
    later = last.replace(microsecond=0) + timedelta(hours=1)
    for form in ("%Y-%m-%d %H:%M:%S", "%d %b %Y %H:%M:%S", "%B %d, %Y %H:%M:%S"):
        assert go(f"{later:{form}}") == f"newest change before {later:%Y-%m-%d %H:%M:%S}"
        assert bar.slider.value() == bar.slider.maximum()
        assert bar.note in bar.slider.accessibleDescription()
    ended = last.replace(hour=0, minute=0, second=0) + timedelta(days=1)
    assert go(f"{last:%d %b %Y}") == f"newest change before {ended:%Y-%m-%d} 00:00:00"
    assert bar.slider.value() == bar.slider.maximum()
    assert go("1 Jan 1999").startswith("Nothing yet. The first change is from ")


async def test_that_other_sides_are_chosen_by_keys_and_what_is_broken_says_so(
    studio: Studio, until: Until, tmp_path: Path
) -> None:
    await open_file(studio, until)
    panel = await look(studio, until)
    left, right = panel.sides
    choose_by_keys(left, "A past moment")
    await until(lambda: left.side.at is not None)
    await compared(studio, until, panel)
    bar = panel.moments[0]
    assert bar.isVisible()
    at = left.side.seq
    bar.slider.setFocus()
    QTest.keyClick(bar.slider, Qt.Key.Key_Home)
    await until(lambda: left.side.seq != at)
    await until(lambda: "didn't exist" in panel.message or panel.compared is not None)
    QTest.keyClick(bar.slider, Qt.Key.Key_End)
    await until(lambda: left.side.seq == bar.moments[-1].seq)
    await until(lambda: panel.compared is not None)
    await calm(studio, until)
    assert panel.compared is not None
    assert sum(each.delta for each in panel.compared.diff.changes) == panel.compared.diff.delta
    typed_by_hand(bar)
    broken = tmp_path / "broken.json"
    broken.write_text('{"model": "gpt-5", "messages": [', encoding="utf-8")
    recorded = tmp_path / "recorded.json"
    recorded.write_text(
        '{"model": "gpt-5-mini", "messages": [{"role": "system", "content": "You are Ada."},'
        ' {"role": "user", "content": "Is step 9 done?"}]}',
        encoding="utf-8",
    )
    right.take_file(str(broken))
    await until(lambda: "broken.json" in panel.message)
    assert panel.compared is None
    right.take_file(str(recorded))
    await compared(studio, until, panel)
    assert panel.compared is not None
    assert sum(each.delta for each in panel.compared.diff.changes) == panel.compared.diff.delta
    states = {pair.state.value for pair in panel.compared.pairs}
    assert "removed" in states
    await damaged(studio, until, left)


async def test_that_every_side_follows_what_it_is_made_of(
    studio: Studio, until: Until, tmp_path: Path
) -> None:
    await open_file(studio, until)
    panel, engine = await look(studio, until), studio.opener.engine
    model = RequestSide(RequestSideKind.MODEL, "claude-sonnet-5-5")
    panel.choose(model, RequestSide(RequestSideKind.AGENT, values.GRACE))
    await until(lambda: panel.compared is not None and panel.compared.after.agent_id == values.GRACE)
    # Neither side is Now: the shown agent's block shows in the one, the other agent's persona in the other.
    await change(studio, until, "Something else entirely.")
    await until(lambda: panel.compared and "Something else entirely." in panel.compared.before.text)
    persona = ConfigureAgent(persona="Speaks in rhymes.")
    await engine.apply([Intent(Edit(Ref(RefKind.AGENT, values.GRACE), persona), values.NOOR)])
    await until(lambda: panel.compared and "Speaks in rhymes." in panel.compared.after.text)

    def is_left(text: str) -> bool:
        return panel.compared is not None and text in panel.compared.before.text

    # A file that was written anew is read anew once it is chosen again.
    path = tmp_path / "messages.json"
    sides = RequestSide(RequestSideKind.IMPORTED, str(path)), RequestSide(RequestSideKind.NOW)
    for text in ("short", "a much longer one"):
        path.write_text(json.dumps([{"role": "user", "content": text}]), encoding="utf-8")
        panel.choose(*sides)
        await until(partial(is_left, text))


async def test_that_an_older_request_is_one_choice_away(
    studio: Studio, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_file(studio, until)
    panel = await look(studio, until)
    left, bar = panel.sides[0], panel.moments[0]
    choose_by_keys(left, "A week ago")
    await until(lambda: bar.note.startswith("Nothing yet. The first change is from "))
    assert bar.slider.value() == 0
    later = bar.moments[-1].at + timedelta(days=1)
    monkeypatch.setattr(studio.contents.workspace, "now", lambda: later)
    choose_by_keys(left, "End of yesterday")
    await until(lambda: bar.note.startswith("newest change before "))
    await until(lambda: left.side.seq == bar.moments[-1].seq)
    await compared(studio, until, panel)


async def test_that_the_slider_goes_with_a_past_moment_when_the_sides_are_swapped(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    panel = await look(studio, until)
    left, right = panel.sides
    choose_by_keys(left, "A past moment")
    await until(lambda: left.side.seq is not None)
    panel.moments[0].step(-5)
    place = panel.moments[0].slider.value()
    await until(lambda: left.side.seq == panel.moments[0].moments[place].seq)
    for bar, side in ((panel.moments[1], right), (panel.moments[0], left)):
        studio.contents.services.actions.run("compare.swap")
        await until(bar.isVisible)
        await until(partial(_is_at, bar, place))
        await calm(studio, until)
        assert side.side.seq == bar.moments[place].seq
        assert bar.note.startswith(f"change {place + 1} of ")


def _is_at(bar: MomentBar, place: int) -> bool:
    return bar.slider.value() == place


async def damaged(studio: Studio, until: Until, left: QWidget) -> None:
    """The record of what was sent last is broken, which the sides and the Request say."""
    await send(studio, until, manifest="{}")
    file = studio.contents.workspace.file
    assert file.sent.last is None
    assert any("its record is damaged" in each for each in offers(left))


async def test_that_the_request_goes_back_in_time_and_to_what_was_sent(
    studio: Studio, until: Until, tmp_path: Path
) -> None:
    panel = await open_request(studio, until)
    states, workspace = panel.states, studio.contents.workspace
    press(studio.window, "Ctrl+Shift+T")
    await until(lambda: states.request is not None)
    await calm(studio, until)
    assert states.banner.title.original.startswith("Request as of 20")
    assert states.banner.title.original.endswith("read-only")
    assert states.banner.verdict.original == "Nothing had been sent by then."
    assert QApplication.focusWidget() is states.bar.slider
    past = states.request
    assert panel.view.rows is not None
    assert panel.view.rows.request is past
    QTest.keyClick(states.bar.slider, Qt.Key.Key_Home)
    await until(lambda: states.request is not past)
    await calm(studio, until)
    assert not panel.view.isVisible() or panel.view.rows is not None
    QTest.mouseClick(states.banner.back_button, Qt.MouseButton.LeftButton)
    assert states.request is workspace.file.request
    assert not states.banner.isVisible()
    states.segments.choose(0)
    assert states.why_none()[0] == "Nothing was sent yet"
    text = await send(studio, until)
    await until(lambda: states.request is not None)
    assert states.request is not None
    assert states.request.text == text
    assert states.banner.title.original.startswith("As it was sent")
    states.segments.choose(3)
    await calm(studio, until)
    QTest.keyClick(states.bar.slider, Qt.Key.Key_End)
    await until(
        lambda: states.banner.verdict.original.startswith(
            ("Equals what was sent", "Changed since the last send")
        )
    )
    await costs_since(studio, until)
    await saved_as_files(studio, until, panel, tmp_path)


async def costs_since(studio: Studio, until: Until) -> None:
    """The budget tells what each section takes more than when it was sent, and what the cache does with it."""
    workspace = studio.contents.workspace
    await change(studio, until, "Another question?")
    budget = studio.window.panel("budget")
    assert isinstance(budget, BudgetPanel)
    await until(lambda: workspace.file.cache is not None)
    model = budget.tree.model()
    assert model is not None
    sections = {
        str(model.index(row, 0).data()): [str(model.index(row, column).data() or "") for column in (5, 6)]
        for row in range(model.rowCount())
    }
    assert sections["Core Memory"][0] == ""
    assert sections["Working Memory"][0].startswith("−")
    assert {each[1] for each in sections.values()} <= {"read", "part", "written", "new"}
    studio.contents.services.actions.run("budget.since_sent")
    assert budget.tree.isColumnHidden(5)
    assert not studio.contents.services.preferences.switch("budget.since_sent")


async def saved_as_files(studio: Studio, until: Until, panel: RequestPanel, folder: Path) -> None:
    """What is shown is written as text and as a report; nothing is replaced."""
    panel.states.go_to_now()
    request = panel.states.request
    assert request is not None
    for name in ("request.txt", "request.json", "report.html"):
        panel.files.save(folder / name, is_report=name == "report.html")
        await until((folder / name).exists)
        await calm(studio, until)
    assert (folder / "request.txt").read_text(encoding="utf-8") == request.text
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")
    assert "Read it through before you share it." in toast_text(studio)
    before = (folder / "request.txt").read_bytes()
    panel.files.save(folder / "request.txt")
    await calm(studio, until)
    assert (folder / "request.txt").read_bytes() == before
