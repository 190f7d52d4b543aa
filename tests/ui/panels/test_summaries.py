"""The summaries panel: the tree down to the messages, warnings, coverage, loss check, edits, and runs tried first."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import EditMessage, EditSummary
from inspector.domain.errors import Refusal, RefusedError
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import SummaryDetails
from inspector.domain.summary_findings import covering
from inspector.ui.failures import failure_of
from inspector.ui.panels.messages import MessagesPanel
from inspector.ui.panels.summaries import SummariesPanel
from inspector.ui.presentation.summaries import SummaryRowKind
from inspector.ui.safe_text import ElidedLabel
from inspector.ui.summaries.again_dialog import AgainDialog
from inspector.ui.summaries.page import COVERAGE, HISTORY, LOSSES
from inspector.ui.summaries.summarise_dialog import SummaryPreview
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file
from tests.ui.panels.summaries_tab import (
    CONVERSATION,
    FIRST,
    LEFT,
    OpenSummaries,
    SummariesTab,
    open_summaries,
    stored,
)

SUMMARY, MESSAGE = SummaryRowKind.SUMMARY, SummaryRowKind.MESSAGE
RIGHT, RETURN = Qt.Key.Key_Right, Qt.Key.Key_Return


@pytest.fixture
def summaries(studio: Studio, until: Until) -> OpenSummaries:
    """``await summaries(*edits)``: Ada's summaries in front, in a file with these edits."""

    async def opened(*edits: Edit, folded: bool = True) -> SummariesTab:
        return await open_summaries(studio, until, edits, folded=folded)

    return opened


async def test_that_the_tree_goes_down_to_the_messages_and_each_says_what_it_lost(
    summaries: OpenSummaries,
) -> None:
    tab = await summaries()
    await tab.until(lambda: all(row.tokens for row in tab.rows))
    deepest = max(int(row.depth) for row in tab.rows)
    assert deepest >= 1
    assert [int(row.depth) for row in tab.rows] == sorted((int(row.depth) for row in tab.rows), reverse=True)
    assert all(row.kind is SUMMARY and row.note == "extractive" and not row.marked for row in tab.rows)
    while not any(row.kind is MESSAGE for row in tab.rows):
        # Right opens a row, then goes to the first one under it.
        tab.press_key(RIGHT)
        await tab.calm()
    under = [row for row in tab.rows if row.kind is MESSAGE]
    assert [row.title.split(": ")[0] for row in under] == ["user", "assistant"] * (len(under) // 2)
    facts = tab.panel.reader.list.facts
    assert facts is not None
    lowest = covering(facts, FIRST)[-1]
    tab.studio.contents.services.selection.open(Ref(RefKind.SUMMARY, lowest.id))
    assert tab.current == lowest.id
    tab.press_key(RIGHT)
    await tab.click("user: How did the signer do in build 0")
    assert tab.studio.contents.services.selection.ref == Ref(RefKind.MESSAGE, "msg_0_0")
    assert tab.current == lowest.id
    tab.page.go_to(LOSSES)
    table = tab.page.losses
    await tab.until(lambda: "isn't in the summary" in table.note.text() or "aren't" in table.note.text())
    lost = {each.text: each for each in table.model.values}
    item = next(each for each in lost.values() if each.ref is not None and each.ref.id.startswith("msg_"))
    assert item.text not in tab.editor.text
    row = table.view.visualRect(table.model.find((item.kind, item.text)))
    QTest.mouseClick(table.view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, row.center())
    assert isinstance(tab.studio.window.centre.currentWidget(), MessagesPanel)
    assert tab.studio.contents.services.selection.ref == item.ref
    await tab.until(lambda: tab.run("message.covering"))
    await tab.until(lambda: tab.studio.window.centre.currentWidget() is tab.panel)
    assert tab.current == lowest.id


async def test_that_broken_chains_are_shown_with_their_warnings(summaries: OpenSummaries) -> None:
    last = FIRST + len(CONVERSATION) - 1
    tab = await summaries(
        *CONVERSATION,
        stored("sum_a", FIRST, FIRST + 3, 4),
        stored("sum_over", FIRST + 2, FIRST + 5, 2, content="It was cut off in the…"),
        stored("sum_gap", FIRST + 10, FIRST + 11, 2, previous_summary_id="sum_nowhere"),
        stored("sum_x", depth=1, children=("sum_y",)),
        stored("sum_y", depth=1, children=("sum_x", "sum_lost")),
        Edit(Ref(RefKind.MESSAGE, "msg_0_0"), EditMessage((TextPart("Another question, in /new/path.md."),))),
        folded=False,
    )
    notes = {row.summary_id: row.note for row in tab.rows}
    assert notes == {
        "sum_x": "circle",
        "sum_a": "stale · overlap",
        "sum_over": "overlap · gap after it · part left out · cut off",
        "sum_gap": "missing link",
    }
    assert all(row.marked for row in tab.rows)
    await tab.click("What sum_x says")
    assert "links form a circle" in tab.page.record.state_note.text()
    tab.press_key(RIGHT)
    await tab.click("What sum_y says")
    tab.press_key(RIGHT)
    await tab.until(lambda: any(row.kind is SummaryRowKind.MISSING for row in tab.rows))
    assert [row.kind for row in tab.rows[1:4]] == [SUMMARY, SummaryRowKind.REPEATED, SummaryRowKind.MISSING]
    strip = tab.panel.strip
    said = strip.accessibleDescription()
    assert "Gap: in no summary: 4" in said
    assert "Overlap: in several summaries: 2" in said
    tab.page.go_to(COVERAGE)
    kinds = [(each.kind.value, each.first, each.last) for each in tab.page.coverage.model.values]
    assert ("gap", FIRST + 6, FIRST + 9) in kinds
    assert ("overlap", FIRST + 2, FIRST + 3) in kinds
    assert kinds[-1] == ("open", FIRST + 12, last)
    row = kinds.index(("covered", FIRST + 10, FIRST + 11))
    tab.page.coverage.view.activated.emit(tab.page.coverage.model.index(row, 0))
    assert tab.current == "sum_gap"
    x = strip.width() * (FIRST + 0.5) / last
    QTest.mouseClick(strip, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(round(x), 4))
    assert tab.current == "sum_a"


async def test_that_a_deleted_source_marks_what_was_made_of_it_and_what_it_was_made_of(
    summaries: OpenSummaries,
) -> None:
    tab = await summaries(
        *CONVERSATION,
        stored("sum_a", FIRST, FIRST + 3, 4),
        stored("sum_up", depth=1, children=("sum_a",), messages=4),
        stored("sum_top", depth=2, children=("sum_up",), messages=4),
        folded=False,
    )
    assert [row.note for row in tab.rows] == [""]
    # An empty column of warnings would take the room of titles.
    assert tab.panel.tree.view.isColumnHidden(6)
    assert tab.panel.count_note.text() == "3 summaries · 4 of 48 messages in summaries"
    await tab.world.write(Ref(RefKind.SUMMARY, "sum_up"), DeleteRow())
    await tab.until(lambda: len(tab.rows) == 2)
    notes = {row.summary_id: row.note for row in tab.rows}
    assert notes == {"sum_top": "source deleted · overlap", "sum_a": "overlap"}
    assert not tab.panel.tree.view.isColumnHidden(6)
    assert all(row.marked for row in tab.rows)
    assert tab.panel.count_note.text().endswith("2 with warnings")
    await tab.click("What sum_top says")
    assert "1 source summary is deleted (sum_up)." in tab.page.record.state_note.text()
    await tab.calm()


async def test_that_a_summary_is_edited_with_its_history_and_taken_back(summaries: OpenSummaries) -> None:
    ref = Ref(RefKind.SUMMARY, "sum_a")
    details = SummaryDetails(decisions=("Ship it.",))
    tab = await summaries(
        *CONVERSATION,
        stored("sum_a", FIRST, FIRST + 3, 4, content="Old words.", details=details),
        folded=False,
    )
    await tab.click("Old words.")
    await tab.press("Edit")
    QTest.keyClicks(tab.editor, "New and ")
    assert tab.panel.marked
    await tab.press("Save")
    await tab.until(lambda: not tab.page.record.is_editing and "New and Old words." in tab.rows[0].title)
    store = tab.world.engine.summaries.store
    found = await store.get("sum_a")
    assert found is not None
    assert (found.content, found.details) == ("New and Old words.", details)
    tab.page.go_to(HISTORY)
    history = tab.page.history
    await tab.until(lambda: len(history.model.values) == 2)
    assert [history.model.index(row, 0).data() for row in range(2)] == ["2", "1"]
    await tab.until(lambda: history.difference.comparison is not None)
    comparison = history.difference.comparison
    assert comparison is not None
    assert comparison.before.startswith("Old words.")
    assert comparison.after.startswith("New and Old words.")
    tab.run("change.undo")
    await tab.until(lambda: tab.rows[0].title == "Old words.")
    tab.run("summary.edit")
    QTest.keyClicks(tab.editor, "Mine. ")
    await tab.world.write(ref, EditSummary("Theirs."))
    await tab.press("Save")
    await tab.until(lambda: tab.panel.review.is_open)
    found = await store.get("sum_a")
    assert found is not None
    assert found.content == "Theirs."
    await tab.press("Discard")
    await tab.until(lambda: tab.rows[0].title == "Theirs.")
    tab.run("summary.delete")
    await tab.until(lambda: not tab.rows)
    tab.run("change.undo")
    await tab.until(lambda: [row.title for row in tab.rows] == ["Theirs."])


async def test_that_a_summary_that_is_deleted_while_it_is_edited_says_how_to_keep_the_edit(
    summaries: OpenSummaries,
) -> None:
    tab = await summaries(
        *CONVERSATION, stored("sum_a", FIRST, FIRST + 3, 4, content="Old words."), folded=False
    )
    await tab.click("Old words.")
    await tab.press("Edit")
    QTest.keyClicks(tab.editor, "Mine. ")
    await tab.world.write(Ref(RefKind.SUMMARY, "sum_a"), DeleteRow())
    await tab.until(lambda: "This summary is deleted." in tab.page.record.state_note.text())
    save = tab.studio.contents.services.actions.row("edit.save")
    assert "This summary is deleted." in save.why_not()
    tab.run("summary.restore")
    await tab.until(lambda: not save.why_not())
    await tab.press("Save")
    await tab.until(lambda: [row.title for row in tab.rows] == ["Mine. Old words."])


async def test_that_summaries_are_made_after_a_look_as_one_change(summaries: OpenSummaries) -> None:
    tab = await summaries(*CONVERSATION, folded=False)
    assert not tab.rows
    assert tab.panel.empty.isVisible()
    await tab.press("Summarise now …")
    await tab.until(lambda: tab.studio.window.findChild(SummaryPreview))
    preview = tab.studio.window.findChild(SummaryPreview)
    assert preview is not None
    preview.by_request.setChecked(False)
    preview.keep.setValue(5)
    await tab.until(lambda: preview.tried is not None and preview.tried.done.proposals)
    tried = preview.tried
    assert tried is not None
    assert tried.done.plan.kept == 6
    assert "The newest 6 messages are kept" in preview.note.text()
    assert tried.requests is not None
    assert tried.requests[1].tokens < tried.requests[0].tokens
    assert f"about {tried.requests[1].tokens:,} tokens" in preview.note.text()
    assert (await tab.world.engine.summaries.store.of_agent(values.ADA))[0] == ()
    texts = {each.draft.content for each in tried.done.proposals}
    QTest.mouseClick(preview.do, LEFT)
    await tab.until(lambda: tab.rows)
    await tab.calm()
    found, _ = await tab.world.engine.summaries.store.of_agent(values.ADA)
    assert {each.content for each in found} == texts
    await tab.until(lambda: tab.studio.contents.workspace.file.request is not None)
    tab.run("change.undo")
    await tab.until(lambda: not tab.rows)
    await tab.calm()
    batches = await tab.world.engine.conversation.batches(values.ADA)
    assert not any(each.is_archived for batch in batches for each in batch.messages)


async def test_that_a_run_that_was_overtaken_stays_in_sight_and_is_tried_again(
    summaries: OpenSummaries,
) -> None:
    tab = await summaries(*CONVERSATION, folded=False)
    await tab.press("Summarise now …")
    await tab.until(lambda: tab.studio.window.findChild(SummaryPreview))
    preview = tab.studio.window.findChild(SummaryPreview)
    assert preview is not None
    preview.by_request.setChecked(False)
    preview.keep.setValue(6)
    await tab.until(lambda: preview.tried is not None and preview.tried.done.proposals)
    proposed = preview.text.text
    other = stored("sum_other", FIRST, FIRST + 3, 4)
    await tab.world.write(other.target, other.operation)
    QTest.mouseClick(preview.do, LEFT)
    await tab.until(lambda: preview.do.text() == "Preview again" and preview.do.isEnabled())
    assert preview.isVisible()
    assert preview.text.text == proposed
    assert "have changed since this preview. Nothing was stored.\nPreview again" in preview.note.text()
    assert not tab.studio.window.banners.isVisible()
    QTest.mouseClick(preview.do, LEFT)
    await tab.until(lambda: preview.tried is not None and preview.tried.done.proposals)
    assert preview.do.text().startswith("Create")
    QTest.mouseClick(preview.do, LEFT)
    await tab.until(lambda: len(tab.panel.reader.list.present) > 1)
    await tab.until(lambda: tab.studio.window.findChild(SummaryPreview) is None)
    await tab.calm()


@pytest.mark.parametrize(
    ("action", "kind"), [("summary.now", SummaryPreview), ("summary.again", AgainDialog)]
)
async def test_that_a_preview_goes_with_the_file_that_it_is_about(
    summaries: OpenSummaries, action: str, kind: type[QDialog]
) -> None:
    tab = await summaries()
    other = tab.world.copy("other.constellation")
    failures: list[object] = []
    tab.studio.bridge.failed.connect(failures.append)
    await tab.until(lambda: tab.current)
    assert tab.run(action)
    await tab.until(lambda: tab.studio.window.findChild(kind))
    await open_file(tab.studio, tab.until, other)
    await tab.until(lambda: tab.studio.window.findChild(kind) is None)
    assert failures == []


async def test_that_a_closed_preview_still_says_what_was_stored_and_promises_no_draft(
    summaries: OpenSummaries,
) -> None:
    failure = failure_of(
        RefusedError(Refusal("refused.summary_overtaken", {"what": "sum_a"})), doing="Saving"
    )
    assert "draft" not in failure.meaning + failure.advice
    tab = await summaries(*CONVERSATION, folded=False)
    tab.run("summary.now")
    await tab.until(lambda: tab.studio.window.findChild(SummaryPreview))
    preview = tab.studio.window.findChild(SummaryPreview)
    assert preview is not None
    preview.by_request.setChecked(False)
    await tab.until(lambda: preview.tried is not None and preview.tried.done.proposals)
    QTest.mouseClick(preview.do, LEFT)
    preview.reject()
    await tab.until(lambda: tab.rows)
    await tab.calm()
    tab.run("change.undo")
    await tab.until(lambda: not tab.rows)


async def test_that_a_summary_made_again_from_old_sources_is_not_lost(summaries: OpenSummaries) -> None:
    tab = await summaries()
    await tab.until(lambda: tab.current)
    first = next(each for each in tab.panel.reader.list.present if each.depth == 0)
    ref = Ref(RefKind.SUMMARY, first.id)
    await tab.world.write(ref, EditSummary("A person's words."))
    tab.studio.contents.services.selection.open(ref)
    await tab.until(lambda: tab.current == first.id and "A person's words." in tab.editor.text)
    tab.run("summary.again")
    await tab.until(lambda: tab.studio.window.findChild(AgainDialog))
    dialog = tab.studio.window.findChild(AgainDialog)
    assert dialog is not None
    await tab.until(lambda: dialog.run is not None and dialog.difference.comparison is not None)
    await tab.world.write(ref, EditSummary("Newer words."))
    QTest.mouseClick(dialog.do, LEFT)
    await tab.until(lambda: dialog.do.text() == "Preview again")
    assert dialog.isVisible()
    assert "Nothing was stored." in dialog.note.text()
    QTest.mouseClick(dialog.do, LEFT)
    await tab.until(lambda: dialog.run is not None and dialog.run.summaries[0].old.content == "Newer words.")
    await tab.until(lambda: dialog.do.isEnabled())
    QTest.mouseClick(dialog.do, LEFT)
    await tab.until(lambda: "Newer words." not in tab.editor.text)
    await tab.calm()


async def test_that_a_summary_is_made_again_beside_the_old_one(summaries: OpenSummaries) -> None:
    tab = await summaries()
    await tab.until(lambda: tab.current)
    facts = tab.panel.reader.list.facts
    assert facts is not None
    first = next(each for each in facts.summaries if each.depth == 0 and each.covers is not None)
    await tab.world.write(Ref(RefKind.SUMMARY, first.id), EditSummary("A person's words."))
    tab.studio.contents.services.selection.open(Ref(RefKind.SUMMARY, first.id))
    await tab.until(lambda: tab.current == first.id and "A person's words." in tab.editor.text)
    tab.run("summary.again")
    await tab.until(lambda: tab.studio.window.findChild(AgainDialog))
    dialog = tab.studio.window.findChild(AgainDialog)
    assert dialog is not None
    await tab.until(lambda: dialog.run is not None and dialog.difference.comparison is not None)
    run = dialog.run
    assert run is not None
    assert run.summaries[0].old.id == first.id
    assert [each.old.depth for each in run.summaries] == [0, 1]
    assert dialog.difference.is_beside
    # Prose is read whole.
    assert all(not pane.horizontalScrollBar().maximum() for pane in dialog.difference.panes[1:])
    assert "left out" in dialog.note.text()
    store = tab.world.engine.summaries.store
    stored_now = await store.get(first.id)
    assert stored_now is not None
    assert stored_now.content == "A person's words."
    QTest.mouseClick(dialog.do, LEFT)
    await tab.until(lambda: "A person's words." not in tab.editor.text)
    versions = await store.history(first.id)
    assert [each.summary.content for each in versions[-2:]] == ["A person's words.", first.content]
    await tab.calm()
    tab.run("change.undo")
    await tab.until(lambda: "A person's words." in tab.editor.text)


async def test_that_many_summaries_are_listed_without_a_row_for_each_message(
    summaries: OpenSummaries, studio: Studio
) -> None:
    many = [stored(f"sum_{at}", FIRST + at, FIRST + at, 1) for at in range(200)]
    tab = await summaries(*many, folded=False)
    assert len(tab.rows) == 200
    assert not tab.panel.reader.opened.messages
    await tab.until(lambda: len(tab.panel.reader.list.counts) == 200)
    studio.contents.services.selection.open(Ref(RefKind.SUMMARY, "sum_150"))
    await tab.until(lambda: tab.current == "sum_150")
    assert isinstance(studio.window.centre.currentWidget(), SummariesPanel)


async def test_that_the_figures_of_a_summary_are_read_whole_below_a_long_title(
    summaries: OpenSummaries,
) -> None:
    long = stored("sum_long", FIRST, FIRST + 3, 4, content="Words of a summary that goes on and on. " * 9)
    short = stored("sum_b", FIRST + 4, FIRST + 7, 4, content="B.")
    tab = await summaries(*CONVERSATION, long, short, folded=False)
    await tab.click("Words of a summary")

    def note() -> ElidedLabel:
        labels = tab.page.record.findChildren(ElidedLabel)
        return next(each for each in labels if each.text().startswith("depth 0"))

    def title() -> ElidedLabel:
        labels = tab.page.record.findChildren(ElidedLabel)
        return next(each for each in labels if each.text().startswith(("Words", "B.")))

    await tab.until(lambda: note().width() >= note().sizeHint().width())
    assert note().y() > title().y()
    tab.panel.setMinimumWidth(tab.panel.services.appearance.space(500))
    await tab.click("B.")
    await tab.until(lambda: title().text() == "B." and note().width() >= note().sizeHint().width())
    assert note().geometry().center().y() == title().geometry().center().y()


async def test_that_no_column_of_the_tree_is_cut_beside_the_pages(summaries: OpenSummaries) -> None:
    tab = await summaries()
    tab.panel.setMinimumWidth(tab.panel.services.appearance.space(400))
    await tab.calm()
    view, head = tab.panel.tree.view, tab.panel.tree.view.header()
    assert tab.panel.page.x() > tab.panel.tree.width() > 0
    assert head.length() <= view.viewport().width()
    shown = {head.visualIndex(at) for at in range(head.count()) if not head.isSectionHidden(at)}
    assert len(shown) == head.count()
