"""From the timeline to what was sent: an event's Request, a run's figure in the chart, and the way back to now."""

import json
from datetime import timedelta
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import LogEvent, StoreRun
from inspector.domain.edits.text import SetText
from inspector.domain.records import TEST_CALL, TokenUsage
from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.request import RequestPanel
from inspector.ui.panels.timeline import TimelinePanel
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.world import QUESTIONS

LEFT = Qt.MouseButton.LeftButton
HOUR = timedelta(hours=1)


async def _sent(studio: Studio, until: Until) -> list[str]:
    """Three runs, an hour apart, with an event behind each; the last one is a test call. Gives what they sent."""
    workspace, engine = studio.contents.workspace, studio.opener.engine
    texts = []
    for number, kind in enumerate(("turn", "turn", TEST_CALL), 1):
        await studio.opener.write(QUESTIONS, SetText(f"Question {number}"))
        await until(partial(_has, studio, f"Question {number}"))
        await calm(studio, until)
        request = workspace.file.saved_request
        assert request is not None
        usage = TokenUsage(input_tokens=1_000 * number)
        account = engine.context.manifest_text(request)
        run = StoreRun(values.ADA, kind, request.model, request.text, account, usage=usage)
        about = LogEvent(values.ADA, "kiln_fired", json.dumps({"run_id": "run_1"} if number == 2 else {}))
        at = values.NOW + number * HOUR
        pairs = (
            (Ref(RefKind.RUN, f"run_{number}"), run, at),
            (Ref(RefKind.EVENT, f"evt_{number}"), about, at + HOUR / 2),
        )
        await engine.apply(
            [Intent(Edit(ref, operation), values.NOOR, at=when) for ref, operation, when in pairs]
        )
        texts.append(request.text)
    await until(lambda: len(workspace.file.sent.runs) == 2)
    return texts


def _has(studio: Studio, words: str) -> bool:
    saved = studio.contents.workspace.file.saved_request
    return saved is not None and words in saved.text


async def _at_event(studio: Studio, until: Until, name: str) -> TimelinePanel:
    studio.contents.services.selection.open(Ref(RefKind.EVENT, name))
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, TimelinePanel)
    await until(lambda: panel.event_now is not None and panel.event_now.id == name)
    panel.rows.table.setFocus()
    return panel


async def _shown(studio: Studio, until: Until, text: str) -> RequestPanel:
    """Wait until the Request tab is in front and shows that text."""
    await until(lambda: isinstance(studio.window.centre.currentWidget(), RequestPanel))
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, RequestPanel)
    await until(lambda: panel.view.rows is not None and panel.view.rows.request.text == text)
    return panel


async def test_that_the_timeline_leads_to_the_request_that_was_sent(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    first, second, _ = await _sent(studio, until)

    # The Request before an event, by its key; it can only be read, and says when it was sent.
    panel = await _at_event(studio, until, "evt_1")
    QTest.keySequence(panel, "Ctrl+Alt+R")
    request = await _shown(studio, until, first)
    assert not request.states.is_present
    assert request.states.banner.title.text().startswith("As it was sent 20")
    assert "read-only" in request.states.banner.title.text()
    QTest.mouseClick(request.states.banner.last_button, LEFT)
    await _shown(studio, until, second)
    assert not request.states.banner.last_button.isVisible()

    # An event that names its run opens it; a test call is no Request of the agent.
    await _at_event(studio, until, "evt_2")
    QTest.keyClick(panel.rows.table, Qt.Key.Key_Return)
    await _shown(studio, until, first)
    await _at_event(studio, until, "evt_3")
    QTest.keySequence(panel, "Ctrl+Alt+R")
    await _shown(studio, until, second)
    await chart_leads_there(studio, until, panel, first)

    QTest.mouseClick(request.states.banner.back_button, LEFT)
    await until(lambda: request.view.rows is not None and "Question 3" in request.view.rows.request.text)
    assert request.states.is_present


async def chart_leads_there(studio: Studio, until: Until, panel: TimelinePanel, first: str) -> None:
    """A figure in the table and a dot in the chart open what their run sent."""
    studio.contents.services.actions.run("view.activity")
    panel.views.choose(2)
    rows = panel.size_table.rows
    await until(lambda: any(each.reported for each in rows.values))
    places = [place for place, each in enumerate(rows.values) if each.reported]
    assert [rows.values[place].tokens for place in places] == [2_000, 1_000]
    panel.size_table.setFocus()
    panel.size_table.setCurrentIndex(rows.index(places[-1], 0))
    QTest.keyClick(panel.size_table, Qt.Key.Key_Return)
    await _shown(studio, until, first)

    studio.contents.services.actions.run("request.with_drafts")
    studio.contents.services.actions.run("view.activity")
    panel.views.choose(1)
    side = studio.contents.services.appearance.space(3)
    share = panel.strip.scale.share(rows.values[places[-1]].at)
    at = QPoint(side + round((panel.strip.width() - 2 * side) * share), panel.strip.height() // 2)
    QTest.mouseDClick(panel.strip, LEFT, pos=at)
    await _shown(studio, until, first)


def _says_why(panel: RequestPanel) -> str:
    return panel.states.why_none()[1]


async def test_that_a_run_that_cant_be_read_says_so_and_an_event_before_all_runs_has_none(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    said: list[str] = []
    studio.bridge.noticed.connect(said.append)
    ref = Ref(RefKind.EVENT, "evt_first")
    await studio.opener.write(ref, LogEvent(values.ADA, "kiln_fired", "{}"))
    panel = await _at_event(studio, until, "evt_first")
    QTest.keySequence(panel, "Ctrl+Alt+R")
    await until(lambda: said)
    assert said == ["No Request was sent before this."]
    run = StoreRun(values.ADA, "turn", "gpt-4o", "a text", "{}")
    await studio.opener.engine.apply([Intent(Edit(Ref(RefKind.RUN, "run_broken"), run), values.NOOR)])
    await calm(studio, until)
    for name in ("run_broken", "run_gone"):
        studio.contents.services.selection.open(Ref(RefKind.RUN, name))
        request = studio.window.centre.currentWidget()
        assert isinstance(request, RequestPanel)
        await calm(studio, until)
        await until(partial(_says_why, request))
        assert request.view.isHidden()
        assert not request.states.is_present
