"""Summarising leaves no hole: what is told already goes too, and what gets no smaller stops nothing."""

from __future__ import annotations

import json

import pytest

from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import AppendMessage, ArchiveMessage
from inspector.domain.errors import RefusedError
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import RefKind
from inspector.domain.summaries import PositionRange
from inspector.domain.summarising import FoldOptions, SummaryDraft, SummarySource
from inspector.runtime.engine import Engine
from tests.conversation.builders import ADA, do, people, turns
from tests.conversation.scripted_summariser import Scripted, state
from tests.fixtures import NOOR

KEEP_FOUR = FoldOptions(chunk_size=8, keep=4)


async def test_that_what_is_told_already_is_archived_with_what_is_summarised(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 9)
    await opened.summaries.summarise(ADA, Scripted(), FoldOptions(chunk_size=8, keep=12))
    rows = [row for batch in await opened.conversation.batches(ADA) for row in batch.messages]
    for row in rows[8:20]:
        await do(opened, RefKind.MESSAGE, row.id, ArchiveMessage(archived=False))
    options = FoldOptions(chunk_size=8, keep=4)
    tried = await opened.summaries.summarise(ADA, Scripted(), options, dry=True)
    assert [each.position for each in tried.plan.covered] == list(range(9, 21))
    (folded,) = (await opened.summaries.summarise(ADA, Scripted(), options)).folded
    assert folded.summary.covers == PositionRange(25, 32)
    assert set(folded.archived) == {row.id for row in (*rows[8:20], *rows[24:32])}
    request = await opened.context.request(ADA)
    assert [each.id for each in request.messages] == [row.id for row in rows[32:]], "no hole in it"
    events, _ = await opened.conversation.recent_events(1)
    assert json.loads(events[0].details)["messages_archived"] == 20
    await opened.edits.undo(NOOR)
    rows = [row for batch in await opened.conversation.batches(ADA) for row in batch.messages]
    assert [row.position for row in rows if row.is_archived] == [*range(1, 9), *range(21, 25)]


async def test_that_what_is_told_already_is_archived_without_a_summary_of_its_own(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 4)
    await opened.summaries.summarise(ADA, Scripted(), FoldOptions(chunk_size=4, keep=4))
    rows = [row for batch in await opened.conversation.batches(ADA) for row in batch.messages]
    for row in rows[:12]:
        await do(opened, RefKind.MESSAGE, row.id, ArchiveMessage(archived=False))
    before = await state(opened)
    options = FoldOptions(chunk_size=4, keep=8)
    tried = await opened.summaries.summarise(ADA, Scripted(), options, dry=True)
    assert (tried.put_away, await state(opened)) == (None, before)
    done = await opened.summaries.summarise(ADA, Scripted(), options)
    assert done.put_away is not None
    assert done.proposals == ()
    assert set(done.put_away.archived) == {row.id for row in rows[:8]}
    assert (await state(opened))[1] == 8
    await opened.edits.undo(NOOR)
    assert (await state(opened))[1] == 0


async def test_that_a_summary_that_went_meanwhile_leaves_its_messages(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 5)
    options = FoldOptions(chunk_size=8, keep=12)
    (told,) = (await opened.summaries.summarise(ADA, Scripted(), options)).folded
    for message_id in told.archived:
        await do(opened, RefKind.MESSAGE, message_id, ArchiveMessage(archived=False))
    before: list[tuple[object, ...]] = []

    async def then(_: SummarySource) -> SummaryDraft:
        await do(opened, RefKind.SUMMARY, told.summary.id, DeleteRow())
        before.append(await state(opened))
        return SummaryDraft("Of what was.")

    with pytest.raises(RefusedError) as caught:
        await opened.summaries.summarise(ADA, Scripted(then), KEEP_FOUR)
    assert caught.value.code == "refused.summary_overtaken"
    assert await state(opened) == before[0]


async def test_that_a_cycle_that_never_ended_is_not_summarised_out_of_what_is_sent(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 2)
    await do(opened, RefKind.MESSAGE, "", AppendMessage(ADA, "open", Role.USER, (TextPart("And?"),)))
    await turns(opened, 2, first=3)
    assert (await opened.summaries.plan(ADA)).chunks == ()
    plan = await opened.summaries.plan(ADA, KEEP_FOUR)
    assert [each.position for chunk in plan.chunks for each in chunk] == [*range(1, 14)]


async def test_that_what_comes_out_no_smaller_is_joined_with_what_follows(opened: Engine) -> None:
    async def then(source: SummarySource) -> SummaryDraft:
        small = len(source.messages) < 8
        return SummaryDraft(source.text if small else "Short.")

    await people(opened)
    await turns(opened, 6)
    options = FoldOptions(chunk_size=4, fan_in=9, keep=4)
    done = await opened.summaries.summarise(ADA, Scripted(then), options)
    assert [each.summary.covers for each in done.folded] == [PositionRange(1, 8), PositionRange(9, 16)]
    assert [each.code for each in done.problems] == ["summary.messages_stay"], "nothing follows the last"
    facts = done.problems[0].parameters
    assert (facts["first"], facts["last"], facts["messages"]) == (17, 20, 4)
    batches = await opened.conversation.batches(ADA)
    there = [row.position for batch in batches for row in batch.messages if not row.is_archived]
    assert there == list(range(17, 25))


async def test_that_what_comes_out_no_smaller_stays_and_the_rest_is_summarised(opened: Engine) -> None:
    async def then(source: SummarySource) -> SummaryDraft:
        stubborn = source.messages and source.messages[0].position == 1
        return SummaryDraft(source.text if stubborn else "Short.")

    await people(opened)
    await turns(opened, 21)
    scripted = Scripted(then)
    done = await opened.summaries.summarise(ADA, scripted, FoldOptions(chunk_size=20, fan_in=9, keep=4))
    assert [each.code for each in done.problems] == ["summary.messages_stay"]
    assert [len(each.messages) for each in scripted.sources] == [20, 40, 20, 20], "it is not joined for ever"
    assert [each.summary.covers for each in done.folded] == [PositionRange(41, 60), PositionRange(61, 80)]
