"""Summaries by a model: called only when asked for, tried before they are stored, with what they took."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest

from inspector.domain.calls import CallError
from inspector.domain.errors import FileError, InputError, NotFoundError
from inspector.domain.messages import TextPart
from inspector.domain.records import SUMMARY_CALL
from inspector.domain.replies import FailureKind, StopReason
from inspector.domain.stored_calls import stored_call
from inspector.domain.summarising import FoldOptions
from inspector.domain.timeline import EventFilter, TimeRange
from inspector.domain.wire.values import WireForm
from inspector.runtime.called_model import CalledModel
from inspector.runtime.engine import Engine
from tests.conversation.builders import ADA, people, turns
from tests.providers.provider_server import Answer, Asked, ProviderServer, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.providers.test_streams import kind_of

KEEP_FOUR = FoldOptions(chunk_size=8, keep=4)
SUMMARY = "They greeted.\n\nKey decisions:\n- Ship on Friday"


def model_at(opened: Engine, server: ProviderServer, form: WireForm, **more: object) -> CalledModel:
    destination = opened.calls.destination(server.base, form)
    return CalledModel(opened.calls, destination, ADA, "gpt-5-mini", **more)  # type: ignore[arg-type]


def answering(form: WireForm, text: str) -> Answer:
    said = Said(thinking=("hm",), text=(text,), calls=(), input=900, output=12)
    return Answer([STREAMS[form](said)], kind=kind_of(form).partition(";")[0])


@pytest.mark.parametrize("form", sorted(WireForm))
async def test_that_a_model_of_each_form_writes_what_is_stored_after_it_was_tried(
    opened: Engine, form: WireForm
) -> None:
    await people(opened)
    await turns(opened, 6)
    agent = (await opened.agents.list())[0][0]
    async with serving() as server:
        server.answer = answering(form, SUMMARY)
        model = model_at(opened, server, form)
        made_by = opened.summaries.by_model(agent, model)
        assert server.asked == []
        done = await opened.summaries.summarise(ADA, made_by, KEEP_FOUR, dry=True)
        asked = len(server.asked)
    assert asked == model.sum.calls == len(done.proposals) > 0
    assert (model.sum.input_tokens, model.sum.output_tokens) == (900 * asked, 12 * asked)
    first = done.proposals[0]
    assert first.draft.content == "They greeted."
    assert first.draft.details.decisions == ("Ship on Friday",)
    assert first.made_by == "gpt-5-mini (127.0.0.1)"
    assert (await opened.summaries.store.of_agent(ADA))[0] == ()
    # Storing asks nobody again.
    stored = await opened.summaries.store_all(done)
    assert [each.summary.content for each in stored] == [each.draft.content for each in done.proposals]


async def test_that_a_call_that_fails_or_is_cut_off_stores_nothing(opened: Engine) -> None:
    await people(opened)
    await turns(opened, 6)
    agent = (await opened.agents.list())[0][0]
    form = WireForm.OPENAI
    async with serving() as server:
        model = model_at(opened, server, form)
        made_by = opened.summaries.by_model(agent, model)
        body = b'{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}'
        server.answer = Answer([body], status=429, kind="application/json")
        with pytest.raises(CallError) as refused:
            await opened.summaries.summarise(ADA, made_by, KEEP_FOUR)
        assert refused.value.failure.kind is FailureKind.RATE_LIMIT
        cut = json.dumps({"choices": [{"index": 0, "delta": {"content": "So"}, "finish_reason": "length"}]})
        server.answer = Answer([f"data: {cut}\n\ndata: [DONE]\n\n".encode()])
        with pytest.raises(InputError) as short:
            await opened.summaries.summarise(ADA, made_by, KEEP_FOUR)
        assert short.value.code == "summary.cut_off"
    batches = await opened.conversation.batches(ADA)
    assert not any(row.is_archived for batch in batches for row in batch.messages)


async def test_that_what_looks_like_a_secret_can_stop_the_call_before_it_goes(opened: Engine) -> None:
    def refuse(kind: str, shown: str) -> None:
        raise InputError("input.secret_in_messages", kind=kind, secret=shown)

    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    async with serving() as server:
        model = model_at(opened, server, WireForm.OPENAI, on_secret=refuse)
        with pytest.raises(InputError) as stopped:
            await model.complete(f"Use {secret}", 10)
        assert server.asked == []
    assert secret not in str(stopped.value)


async def test_that_a_provider_without_its_key_is_not_asked(
    opened: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = CalledModel(opened.calls, opened.calls.destination("openai"), ADA, "gpt-5-mini")
    with pytest.raises(InputError) as refused:
        # Without a key store of the system there is no key, and so no call.
        await model.complete("Hello", 10)
    assert refused.value.code == "input.no_key"


async def test_that_each_call_for_a_summary_is_a_record_with_what_it_sent_and_what_it_took(
    opened: Engine,
) -> None:
    await people(opened)
    await turns(opened, 6)
    agent = (await opened.agents.list())[0][0]
    async with serving() as server:
        server.answer = answering(WireForm.ANTHROPIC, SUMMARY)
        model = model_at(opened, server, WireForm.ANTHROPIC)
        done = await opened.summaries.summarise(ADA, opened.summaries.by_model(agent, model), KEEP_FOUR)
        server.answer = Answer([b'{"error": {"type": "overloaded_error", "message": "Later"}}'], 529)
        with pytest.raises(CallError):
            await model.complete("One more", 100)
        bodies = [json.loads(each.body) for each in server.asked]
    runs = await opened.past.calls_apart(ADA)
    assert len(runs) == len(bodies) == len(done.folded) + 1
    facts_of = opened.models.resolve
    calls = [stored_call(run, facts_of, await opened.past.summary_prompt(run)) for run in runs]
    assert [each.message for each in calls] == [body["messages"][0]["content"][0]["text"] for body in bodies]
    assert all(each.is_summary and each.model == "gpt-5-mini" for each in calls)
    assert all(each.provider == server.base for each in calls)
    first, last = calls[0], calls[-1]
    assert first.reply is not None
    assert [part.text for part in first.reply.parts if isinstance(part, TextPart)] == [SUMMARY]
    assert (first.usage.input_tokens, first.usage.output_tokens, first.error) == (900, 12, None)
    assert first.cost is not None
    assert first.cost > 0
    assert (last.error, last.cost) == ("Later", None)
    # They are paid for by the agent, and no step of its conversation.
    over = TimeRange(*(opened.surroundings.clock() + timedelta(days=days) for days in (-1, 1)))
    *_, totals = [each async for each in opened.timeline.totals(EventFilter(agent=ADA), over)]
    (total,) = totals.runs
    made = len(done.folded)
    assert (total.count, total.input_tokens, total.output_tokens) == (made + 1, 900 * made, 12 * made)
    assert total.cost == pytest.approx(model.sum.cost or first.cost * made)
    assert await opened.past.runs(ADA) == ()
    assert await opened.past.last_sent(ADA) is None
    with pytest.raises(NotFoundError):
        await opened.past.run(ADA, runs[0].id)
    # What a person undoes is the summary, and not that something was sent.
    await opened.edits.undo(opened.actor)
    assert len((await opened.summaries.store.of_agent(ADA))[0]) < made
    assert len(await opened.past.calls_apart(ADA)) == len(runs)


async def test_that_a_call_that_is_cancelled_is_recorded_as_far_as_it_came(opened: Engine) -> None:
    await people(opened)
    async with serving() as server:
        begun = STREAMS[WireForm.ANTHROPIC](Said((), ("They ",), (), 900, 12)).split(b"event: message_delta")[
            0
        ]
        asked = asyncio.Event()

        def answer(_: Asked) -> Answer:
            asked.set()
            return Answer([begun], hangs=True)

        server.answer = answer
        model = model_at(opened, server, WireForm.ANTHROPIC)
        task = asyncio.ensure_future(model.complete("Summarise", 100))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    (run,) = await opened.past.calls_apart(ADA)
    assert (run.kind, await opened.past.summary_prompt(run)) == (SUMMARY_CALL, "Summarise")
    call = stored_call(run)
    assert call.reply is not None
    assert call.reply.stop is StopReason.STOPPED


async def test_that_a_summary_is_kept_where_its_call_cannot_be_recorded(
    opened: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await people(opened)

    async def refuse(*_: object) -> str:
        raise FileError("file.read_only", path="x")

    monkeypatch.setattr(opened.calls, "record_summary", refuse)
    async with serving() as server:
        server.answer = answering(WireForm.ANTHROPIC, SUMMARY)
        model = model_at(opened, server, WireForm.ANTHROPIC)
        assert await model.complete("Summarise", 100) == SUMMARY
