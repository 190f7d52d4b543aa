"""The summariser job: all of a summary with what it brings about, or nothing."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable

import pytest

from inspector.domain.agents import ContextConfig
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import (
    AppendMessage,
    ArchiveMessage,
    ConfigureAgent,
    EditMessage,
    EditSummary,
)
from inspector.domain.errors import InputError, InspectorError, RefusedError
from inspector.domain.limits import Hysteresis, LimitOverrides, RecursiveSummarization, Truncate
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import RefKind
from inspector.domain.rules import OutRule
from inspector.domain.summaries import ChainEnd, PositionRange
from inspector.domain.summarising import FoldOptions, SummaryDraft, SummarySource
from inspector.runtime.engine import Engine
from inspector.runtime.settings import EXTRACTIVE, SUMMARIES_TIMEOUT, SUMMARIES_WITHOUT_MODEL
from tests.conversation.builders import ADA, do, people, stored, turns
from tests.conversation.scripted_summariser import Scripted, state
from tests.fixtures import NOOR, ROOT, OpenEngine

KEEP_FOUR = FoldOptions(chunk_size=8, keep=4)


async def test_that_summaries_take_the_place_of_old_messages(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 6)
    done = await opened.summaries.summarise(ADA, Scripted(), KEEP_FOUR)
    assert [(each.source.covers, each.source.depth) for each in done.proposals] == [
        (PositionRange(1, 8), 0),
        (PositionRange(9, 16), 0),
        (PositionRange(17, 20), 0),
    ]
    ids = [each.summary.id for each in done.folded]
    chain = await opened.summaries.store.chain(ids[-1])
    assert ([each.id for each in chain.summaries], chain.end) == (ids[::-1], ChainEnd.BEGINNING)
    batches = await opened.conversation.batches(ADA)
    archived = [row.position for batch in batches for row in batch.messages if row.is_archived]
    assert archived == list(range(1, 21))
    request = await opened.context.request(ADA)
    assert "What was said in 8 messages" in request.text
    assert "What was said in 4 messages" in request.text
    sent = {message.id for message in request.messages}
    assert sent == {row.id for row in batches[-1].messages}, "no message is both kept and summarised"
    assert (await opened.summaries.store.coverage(ADA)).is_sound
    again = await opened.summaries.summarise(ADA, Scripted(), KEEP_FOUR)
    assert again.proposals == ()


async def test_that_storing_archiving_and_logging_are_one_transaction_and_one_undo(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 3)
    before = await state(opened)
    (folded,) = (await opened.summaries.summarise(ADA, Scripted(), KEEP_FOUR)).folded
    sql = "SELECT kind, changeset, at FROM changes WHERE changeset IS NOT NULL ORDER BY seq"
    rows = await asyncio.to_thread(stored, opened.path, sql)
    assert [row[0] for row in rows] == ["store_summary", *["archive_message"] * 8]
    assert {row[1:] for row in rows} == {(folded.changeset, rows[0][2])}
    events, _ = await opened.conversation.recent_events(1)
    details = json.loads(events[0].details)
    assert (events[0].kind, events[0].agent_id) == ("context_compressed", ADA)
    assert (details["messages_archived"], details["summary_created"]) == (8, folded.summary.id)
    assert events[0].importance.label == "high"
    await opened.edits.undo(NOOR)
    after = await state(opened)
    present = await opened.summaries.store.get(folded.summary.id)
    assert present is not None
    assert present.is_deleted
    assert after[1] == before[1] == 0, "every message is back"
    await opened.edits.redo(NOOR)
    assert (await state(opened))[1] == 8
    there, _ = await opened.summaries.store.of_agent(ADA)
    assert [each.id for each in there] == [folded.summary.id]


async def test_that_a_dry_run_makes_the_same_summaries_and_stores_nothing(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 9)
    agent = await opened.agents.get(ADA)
    assert agent is not None
    before = await state(opened)
    options = FoldOptions(chunk_size=4, fan_in=3, keep=4)
    tried = await opened.summaries.summarise(ADA, opened.summaries.extractive(agent), options, dry=True)
    assert await state(opened) == before
    assert tried.folded == ()
    done = await opened.summaries.summarise(ADA, opened.summaries.extractive(agent), options)
    assert [each.draft for each in tried.proposals] == [each.draft for each in done.proposals]
    assert [each.source.depth for each in done.proposals] == [0, 0, 0, 0, 1, 0, 0, 0, 1, 0]
    plan = await opened.summaries.plan(ADA, options)
    assert plan.chunks == ()


async def test_that_what_is_left_out_of_the_request_is_what_is_summarised(opened: Engine) -> None:
    await people(opened, Truncate(8))
    await turns(opened, 5)
    request = await opened.context.request(ADA)
    sent = {message.id for message in request.messages}
    plan = await opened.summaries.plan(ADA)
    told = {message.id for chunk in plan.chunks for message in chunk}
    everything = {row.id for batch in await opened.conversation.batches(ADA) for row in batch.messages}
    assert told == everything - sent
    assert told


async def test_that_a_batch_in_progress_is_never_summarised(opened: Engine) -> None:
    await people(opened, Truncate(0))
    await turns(opened, 3)
    await do(opened, RefKind.MESSAGE, "", AppendMessage(ADA, "open", Role.USER, (TextPart("And?"),)))
    for options in (FoldOptions(), FoldOptions(keep=0)):
        plan = await opened.summaries.plan(ADA, options)
        assert {message.batch_id for chunk in plan.chunks for message in chunk} == {
            "bat_1",
            "bat_2",
            "bat_3",
        }


async def test_that_only_what_is_due_is_summarised_when_so_asked(opened: Engine) -> None:
    limits = LimitOverrides(history_tokens=700)
    config = ContextConfig(limits=limits, strategy=Hysteresis(high=0.9, low=0.4))
    await people(opened)
    await do(opened, RefKind.AGENT, ADA, ConfigureAgent(config=config))
    await turns(opened, 9)
    request = await opened.context.request(ADA)
    due = {row.source.id for row in request.left_out if row.rule == OutRule.SUMMARY_DUE}
    assert due
    plan = await opened.summaries.plan(ADA, FoldOptions(only_due=True))
    assert {message.batch_id for chunk in plan.chunks for message in chunk} == due
    await opened.summaries.summarise(ADA, Scripted(), FoldOptions(only_due=True))
    after = await opened.context.request(ADA)
    assert not [row for row in after.left_out if row.rule == OutRule.SUMMARY_DUE]
    assert "What was said in" in after.text


async def test_that_messages_reach_the_summariser_in_their_order_with_only_the_one_before(
    opened: Engine,
) -> None:
    await people(opened)
    await turns(opened, 8)
    scripted = Scripted()
    await opened.summaries.summarise(ADA, scripted, FoldOptions(chunk_size=4, fan_in=9, keep=4))
    positions = [message.position for source in scripted.sources for message in source.messages]
    assert positions == list(range(1, 29))
    before = [None if source.previous is None else source.previous.covers for source in scripted.sources]
    assert before == [None, *(PositionRange(4 * at + 1, 4 * at + 4) for at in range(6))]


async def _fail(_: SummarySource) -> SummaryDraft:
    raise InputError("summary.no_model", agent="Ada")


async def _break(_: SummarySource) -> SummaryDraft:
    raise ConnectionError("the line is dead")


async def _nothing(_: SummarySource) -> SummaryDraft:
    return SummaryDraft("  ")


@pytest.mark.parametrize(
    ("then", "error"),
    [(_fail, InspectorError), (_break, ConnectionError), (_nothing, InputError)],
)
async def test_that_a_failed_call_archives_nothing(
    opened: Engine, then: Callable[[SummarySource], Awaitable[SummaryDraft]], error: type[Exception]
) -> None:
    await people(opened)
    await turns(opened, 4)
    before = await state(opened)
    with pytest.raises(error):
        await opened.summaries.summarise(ADA, Scripted(then), KEEP_FOUR)
    assert await state(opened) == before
    assert opened.jobs.running == ()


async def test_that_a_failure_later_leaves_what_was_whole(opened: Engine) -> None:
    async def second(source: SummarySource) -> SummaryDraft:
        if source.previous is not None:
            raise ConnectionError("the line is dead")
        return SummaryDraft("The first.")

    await people(opened)
    await turns(opened, 7)
    with pytest.raises(ConnectionError):
        await opened.summaries.summarise(ADA, Scripted(second), KEEP_FOUR)
    assert (await state(opened))[:3] == (1, 8, 1)
    rest = await opened.summaries.summarise(ADA, Scripted(), KEEP_FOUR)
    assert [each.source.covers for each in rest.proposals] == [
        PositionRange(9, 16),
        PositionRange(17, 24),
    ]
    assert (await opened.summaries.store.coverage(ADA)).is_sound


async def test_that_a_model_that_takes_too_long_archives_nothing(opened: Engine) -> None:
    ended = asyncio.Event()

    async def slow(_: SummarySource) -> SummaryDraft:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()
        return SummaryDraft("Too late.")

    await people(opened)
    await turns(opened, 4)
    opened.settings.set(SUMMARIES_TIMEOUT, 1.0)
    before = await state(opened)
    with pytest.raises(InputError) as caught:
        await opened.summaries.summarise(ADA, Scripted(slow), KEEP_FOUR)
    assert caught.value.code == "summary.timed_out"
    assert ended.is_set()
    assert await state(opened) == before


async def test_that_a_cancelled_job_archives_nothing(opened: Engine) -> None:
    asked = asyncio.Event()

    async def waiting(_: SummarySource) -> SummaryDraft:
        asked.set()
        await asyncio.sleep(3600)
        return SummaryDraft("Never.")

    await people(opened)
    await turns(opened, 4)
    before = await state(opened)
    work = asyncio.ensure_future(opened.summaries.summarise(ADA, Scripted(waiting), KEEP_FOUR))
    await asked.wait()
    (job,) = opened.jobs.running
    assert job.code == "job.summarise"
    opened.jobs.cancel(job.id)
    with pytest.raises(asyncio.CancelledError):
        await work
    assert await state(opened) == before
    assert opened.jobs.running == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "at", "whole"),
    [("call", 1, 0), ("call", 2, 1), ("transaction", 1, 0), ("transaction", 5, 0), ("transaction", 9, 1)],
)
async def test_that_a_killed_program_leaves_whole_summaries_or_none(
    engine: OpenEngine, place: str, at: int, whole: int
) -> None:
    async with engine() as opened:
        await people(opened)
        await turns(opened, 7)
        path = opened.path
    words = [sys.executable, "-m", "tests.conversation.dying_summariser", str(path), place, str(at)]
    done = await asyncio.to_thread(
        subprocess.run, words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == -9, done.stderr
    async with engine(path) as opened:
        assert (await state(opened))[:3] == (whole, 8 * whole, whole)
        assert (await opened.summaries.store.coverage(ADA)).is_sound
        await opened.summaries.summarise(ADA, Scripted(), KEEP_FOUR)
        assert (await state(opened))[:3] == (3, 24, 3)


async def _edited(engine: Engine, ids: list[str]) -> None:
    await do(engine, RefKind.MESSAGE, ids[2], EditMessage((TextPart("Something else."),)))


async def _archived(engine: Engine, ids: list[str]) -> None:
    await do(engine, RefKind.MESSAGE, ids[0], ArchiveMessage())


async def _deleted(engine: Engine, ids: list[str]) -> None:
    await do(engine, RefKind.MESSAGE, ids[7], DeleteRow())


async def _summarised(engine: Engine, ids: list[str]) -> None:
    other = Scripted()
    await engine.summaries.summarise(ADA, other, FoldOptions(chunk_size=4, keep=8))
    assert other.sources[0].messages[0].id == ids[0]
    for message_id in ids[:8]:
        await do(engine, RefKind.MESSAGE, message_id, ArchiveMessage(archived=False))


@pytest.mark.parametrize("meanwhile", [_edited, _archived, _deleted, _summarised])
async def test_that_what_changed_in_the_meantime_is_not_archived_unseen(
    opened: Engine, meanwhile: Callable[[Engine, list[str]], Awaitable[None]]
) -> None:
    await people(opened)
    await turns(opened, 4)
    ids = [row.id for batch in await opened.conversation.batches(ADA) for row in batch.messages]
    before: list[tuple[object, ...]] = []

    async def then(_: SummarySource) -> SummaryDraft:
        await meanwhile(opened, ids)
        before.append(await state(opened))
        return SummaryDraft("Of what was.")

    with pytest.raises(RefusedError) as caught:
        await opened.summaries.summarise(ADA, Scripted(then), KEEP_FOUR)
    assert caught.value.code == "refused.summary_overtaken"
    assert await state(opened) == before[0]


async def test_that_a_message_that_comes_back_between_is_not_passed_over(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 4)
    batches = await opened.conversation.batches(ADA)
    for message in batches[1].messages:
        await do(opened, RefKind.MESSAGE, message.id, DeleteRow())

    async def then(_: SummarySource) -> SummaryDraft:
        await do(opened, RefKind.MESSAGE, batches[1].messages[0].id, RestoreRow())
        return SummaryDraft("Without it.")

    with pytest.raises(RefusedError):
        await opened.summaries.summarise(ADA, Scripted(then), KEEP_FOUR)


async def test_that_a_child_that_was_edited_is_read_again(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 6)

    async def then(source: SummarySource) -> SummaryDraft:
        if source.children:
            await do(opened, RefKind.SUMMARY, source.children[0].id, EditSummary("By hand."))
        return SummaryDraft(f"Of {source.message_count} messages there is this much to say.")

    options = FoldOptions(chunk_size=4, fan_in=2, keep=4)
    with pytest.raises(RefusedError):
        await opened.summaries.summarise(ADA, Scripted(then), options)
    assert (await state(opened))[:3] == (3, 12, 3)


async def test_that_a_deeper_one_that_is_not_smaller_is_passed_over_and_told(opened: Engine) -> None:
    async def then(source: SummarySource) -> SummaryDraft:
        return SummaryDraft("It says more than before. " * 40 if source.children else "This much.")

    await people(opened)
    await turns(opened, 6)
    options = FoldOptions(chunk_size=4, fan_in=2, keep=4)
    done = await opened.summaries.summarise(ADA, Scripted(then), options)
    assert [each.code for each in done.problems] == ["summary.not_smaller"]
    assert (await state(opened))[:3] == (5, 20, 5)
    assert {each.summary.depth for each in done.folded} == {0}


async def test_that_without_a_model_the_settings_say_what_happens(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 6)
    with pytest.raises(InputError) as caught:
        await opened.summaries.summarise(ADA, None, KEEP_FOUR)
    assert caught.value.code == "summary.no_model"
    opened.settings.set(SUMMARIES_WITHOUT_MODEL, EXTRACTIVE)
    done = await opened.summaries.summarise(ADA, None, KEEP_FOUR)
    assert {each.made_by for each in done.proposals} == {"extractive"}
    for each in done.proposals:
        assert each.tokens < each.source_tokens
        assert each.draft.content


async def test_that_the_strategy_says_how_long_a_chunk_is_and_what_the_model_is_told(opened: Engine) -> None:
    prompts: list[str] = []

    class Model:
        name = "a model"

        async def complete(self, prompt: str, most_tokens: int) -> str:
            prompts.append(f"{prompt} {most_tokens}")
            return "Short.\n\nTopics: beans\n\nKey decisions:\n- Water daily."

    await people(opened, RecursiveSummarization(chunk_size=4, prompt="Be brief: {tokens}."))
    await turns(opened, 3)
    agent = await opened.agents.get(ADA)
    assert agent is not None
    summariser = opened.summaries.by_model(agent, Model())
    options = FoldOptions(chunk_size=4, keep=4)
    done = await opened.summaries.summarise(ADA, summariser, options)
    assert len(done.folded) == 2
    assert all(prompt.startswith("Be brief: ") for prompt in prompts)
    stored_one = await opened.summaries.store.get(done.folded[0].summary.id)
    assert stored_one == done.folded[0].summary
    assert (stored_one.topics, stored_one.details.decisions) == (("beans",), ("Water daily.",))
    assert "37" in done.proposals[0].losses.numbers, "what it does not say is listed"
    assert "/garden/plan-1.md" in done.proposals[0].losses.paths


async def test_that_the_summary_is_in_the_view_that_was_read_before(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 4)
    await opened.context.request(ADA)
    (folded,) = (await opened.summaries.summarise(ADA, Scripted(), FoldOptions(keep=4))).folded
    snapshot = await opened.context.snapshot(ADA)
    assert snapshot.summaries == (folded.summary,)
    assert snapshot.events[-1].kind == "context_compressed"
