"""Summaries by a model in the window: nothing is sent before it's asked for, and tried ones stand beside the old."""

from __future__ import annotations

from PySide6.QtTest import QTest

from inspector.domain.edits.base import Edit
from inspector.domain.ref import Ref, RefKind
from inspector.domain.wire.values import WireForm
from inspector.ui.summaries.again_dialog import AgainDialog
from inspector.ui.summaries.method import SummaryMethod
from inspector.ui.summaries.summarise_dialog import SummaryPreview
from tests.providers.provider_server import Answer, ProviderServer, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.panels.summaries_tab import CONVERSATION, FIRST, LEFT, SummariesTab, open_summaries, stored

SUMMARY = "They spoke of the release."
EARLIER = "Below is the earlier preview. It isn't stored."


async def opened(
    studio: Studio, until: Until, server: ProviderServer, *edits: Edit, folded: bool
) -> SummariesTab:
    """The summaries tab of a file whose Send panel last sent to this server."""
    said = Said(thinking=(), text=(SUMMARY,), calls=(), input=700, output=9)
    server.answer = Answer([STREAMS[WireForm.OPENAI](said)])
    kept = {"provider": "address", "address": server.base, "form": "openai"}
    studio.contents.services.preferences.store_panel_view(studio.opener.path, "send", kept)
    return await open_summaries(studio, until, edits, folded=folded)


def choose(method: SummaryMethod, server: ProviderServer) -> None:
    method.provider.setCurrentIndex(method.provider.findData(server.base))


async def test_that_a_model_is_asked_only_on_request_and_its_summaries_are_stored_as_they_were_tried(
    studio: Studio, until: Until
) -> None:
    async with serving() as server:
        tab = await opened(studio, until, server, *CONVERSATION, folded=False)
        tab.run("summary.now")
        await until(lambda: studio.window.findChild(SummaryPreview))
        preview = studio.window.findChild(SummaryPreview)
        assert preview is not None
        await until(lambda: preview.tried is not None)
        preview.by_request.setChecked(False)
        preview.keep.setValue(6)
        choose(preview.method, server)
        await until(lambda: "Nothing is sent yet" in preview.note.text())
        assert preview.tried is None
        assert not preview.do.isEnabled()
        assert server.asked == []
        QTest.mouseClick(preview.method.ask_button, LEFT)
        await until(lambda: preview.tried is not None and preview.tried.done.proposals)
        asked = len(server.asked)
        assert asked > 0
        assert SUMMARY in preview.text.text
        assert f"{700 * asked:,} tokens in" in preview.note.text()
        QTest.mouseClick(preview.do, LEFT)
        await until(lambda: tab.rows)
        await tab.calm()
        found, _ = await tab.world.engine.summaries.store.of_agent(values.ADA)
        assert {each.content for each in found} == {SUMMARY}
        assert len(server.asked) == asked


async def test_that_texts_of_a_model_stay_in_sight_until_others_have_come(
    studio: Studio, until: Until
) -> None:
    async with serving() as server:
        tab = await opened(studio, until, server, *CONVERSATION, folded=False)
        tab.run("summary.now")
        await until(lambda: studio.window.findChild(SummaryPreview))
        preview = studio.window.findChild(SummaryPreview)
        assert preview is not None
        preview.by_request.setChecked(False)
        preview.keep.setValue(6)
        choose(preview.method, server)
        await until(lambda: "Nothing is sent yet" in preview.note.text())
        QTest.mouseClick(preview.method.ask_button, LEFT)
        await until(lambda: preview.tried is not None and SUMMARY in preview.text.text)
        assert EARLIER not in preview.note.text()
        other = stored("sum_other", FIRST, FIRST + 3, 4)
        await tab.world.write(other.target, other.operation)
        QTest.mouseClick(preview.do, LEFT)
        await until(lambda: preview.do.text() == "Preview again" and preview.do.isEnabled())
        QTest.mouseClick(preview.do, LEFT)
        await until(lambda: "Nothing is sent yet" in preview.note.text())
        assert EARLIER in preview.note.text()
        assert SUMMARY in preview.text.text
        assert not preview.do.isEnabled()
        QTest.mouseClick(preview.method.ask_button, LEFT)
        await until(lambda: preview.tried is not None)
        assert EARLIER not in preview.note.text()
        preview.reject()
        await tab.calm()


async def test_that_a_failed_call_says_what_to_do_and_another_method_can_be_chosen(
    studio: Studio, until: Until
) -> None:
    async with serving() as server:
        tab = await opened(studio, until, server, *CONVERSATION, folded=False)
        body = b'{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}'
        server.answer = Answer([body], status=401, kind="application/json")
        tab.run("summary.now")
        await until(lambda: studio.window.findChild(SummaryPreview))
        preview = studio.window.findChild(SummaryPreview)
        assert preview is not None
        preview.by_request.setChecked(False)
        preview.keep.setValue(6)
        choose(preview.method, server)
        await until(lambda: "Nothing is sent yet" in preview.note.text())
        QTest.mouseClick(preview.method.ask_button, LEFT)
        await until(lambda: "The key was refused" in preview.note.text())
        assert "Incorrect API key provided" in preview.note.text()
        assert not preview.do.isEnabled()
        preview.method.provider.setCurrentIndex(0)
        await until(lambda: preview.tried is not None and preview.tried.done.proposals)
        preview.reject()
        await tab.calm()


async def test_that_a_summary_by_a_model_stands_beside_the_stored_one_before_it_replaces_it(
    studio: Studio, until: Until
) -> None:
    async with serving() as server:
        long = stored("sum_long", FIRST, FIRST + 3, 4)
        tab = await opened(studio, until, server, *CONVERSATION, long, folded=False)
        tab.studio.contents.services.selection.open(Ref(RefKind.SUMMARY, "sum_long"))
        await until(lambda: tab.current == "sum_long")
        tab.run("summary.again")
        await until(lambda: studio.window.findChild(AgainDialog))
        dialog = studio.window.findChild(AgainDialog)
        assert dialog is not None
        choose(dialog.method, server)
        assert "Nothing is sent yet" in dialog.note.text()
        assert server.asked == []
        QTest.mouseClick(dialog.method.ask_button, LEFT)
        await until(lambda: dialog.run is not None and dialog.difference.comparison is not None)
        assert dialog.run is not None
        assert dialog.run.summaries[0].new.content == SUMMARY
        dialog.method.model.setText("other")
        assert dialog.run is None
        assert dialog.note.text().endswith(EARLIER)
        assert not dialog.do.isEnabled()
        QTest.mouseClick(dialog.method.ask_button, LEFT)
        await until(lambda: dialog.run is not None)
        assert EARLIER not in dialog.note.text()
        QTest.mouseClick(dialog.do, LEFT)
        await until(lambda: SUMMARY in tab.editor.text)
        await tab.calm()
