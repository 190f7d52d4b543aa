"""A key that a server repeats is found nowhere whole, however the stream cuts it; all else comes as it was said."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inspector.domain.calls import ApiKey
from inspector.domain.messages import TextPart, ThinkingPart, ToolCallPart
from inspector.domain.records import ModelCall
from inspector.domain.replies import (
    CallDelta,
    RawEvent,
    Reply,
    ReplyEvent,
    StopReason,
    TextDelta,
    ThinkingDelta,
)
from inspector.domain.wire.key_masks import MASK, KeyPattern
from inspector.domain.wire.values import WireForm
from inspector.runtime.call_network import KeylessAnswer
from inspector.runtime.calls import READERS
from inspector.runtime.engine import Engine
from inspector.runtime.model_stream import CallLimits, RunningCall
from tests.fixtures import OpenEngine
from tests.providers.provider_server import Answer, ProviderServer, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.runtime.turn_world import made_agent

KEY = "sk-sk-canary/4fJ2"
PATTERN = KeyPattern(ApiKey(KEY, "http://127.0.0.1:1").spellings)
FORMS = sorted(WireForm)
PIECES = st.sampled_from([KEY, KEY[:5], KEY[:3], "s", "sk-", KEY[3:], "and", " ", "🧭"])
TEXTS = st.lists(PIECES, min_size=1, max_size=6).map("".join)
CUTS = st.lists(st.integers(0, 90), max_size=8)


def cut_at(text: str, places: Sequence[int]) -> list[str]:
    """The text in pieces; a place beyond its end cuts nothing."""
    ends = sorted({each for each in places if 0 < each < len(text)})
    return [text[low:high] for low, high in zip([0, *ends], [*ends, len(text)], strict=True)]


class Saying:
    """A server that has said all its events already, and how many of them are read before it falls silent."""

    def __init__(self, stream: bytes, most: int | None = None) -> None:
        lines = stream.decode().split("\n")
        self.said = [line.removeprefix("data: ") for line in lines if line.startswith(("data: ", "{"))]
        self._most = most
        self.status = 200
        self.headers: Mapping[str, str] = {}
        self.falls_silent: Callable[[], None] = lambda: None

    async def body(self) -> bytes:
        return b""

    async def events(self) -> AsyncGenerator[str]:
        for event in self.said[: self._most]:
            yield event
        if self._most is not None:
            self.falls_silent()
            await asyncio.Event().wait()


def call_of(server: Saying, form: WireForm) -> RunningCall:
    @asynccontextmanager
    async def answered() -> AsyncIterator[KeylessAnswer]:
        yield KeylessAnswer(server, PATTERN)

    return RunningCall(answered, READERS[form], CallLimits(), PATTERN)


async def read(server: Saying, form: WireForm) -> tuple[list[ReplyEvent], Reply]:
    """All events of a call, which is stopped when the server falls silent."""
    async with call_of(server, form) as call:
        server.falls_silent = call.stop
        events = [event async for event in call]
    return events, call.reply


def shown(events: Sequence[ReplyEvent]) -> tuple[str, str, str, str]:
    """What a panel shows: the text, the thinking, the arguments, the raw events."""
    return (
        "".join(each.text for each in events if isinstance(each, TextDelta)),
        "".join(each.text for each in events if isinstance(each, ThinkingDelta)),
        "".join(each.arguments for each in events if isinstance(each, CallDelta)),
        "\n".join(each.text for each in events if isinstance(each, RawEvent)),
    )


def stored(reply: Reply) -> tuple[str, str, str]:
    """What a record keeps: the text, the thinking, the arguments."""
    return (
        "".join(each.text for each in reply.parts if isinstance(each, TextPart)),
        "".join(each.text for each in reply.parts if isinstance(each, ThinkingPart)),
        "".join(each.arguments for each in reply.parts if isinstance(each, ToolCallPart)),
    )


async def reread(events: Sequence[str], form: WireForm) -> Reply:
    """What another program makes of raw events, which knows nothing of the key."""
    stream = "".join(f"data: {each}\n\n" for each in events).encode()

    @asynccontextmanager
    async def answered() -> AsyncIterator[Saying]:
        yield Saying(stream)

    async with RunningCall(answered, READERS[form], CallLimits()) as call:
        async for _ in call:
            pass
    return call.reply


def read_again(events: Sequence[str], form: WireForm) -> Reply:
    return asyncio.run(reread(events, form))


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(thinking=TEXTS, text=TEXTS, argument=TEXTS, cuts=CUTS)
@example(KEY, KEY, KEY, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
@example(KEY, f"{KEY}{KEY}", KEY, [8, 12, 20, 25])
def test_that_no_cut_of_a_stream_shows_or_keeps_the_key(
    form: WireForm, thinking: str, text: str, argument: str, cuts: list[int]
) -> None:
    said = Said(
        thinking=tuple(cut_at(thinking, cuts)),
        text=tuple(cut_at(text, cuts)),
        calls=(("search", {"q": argument}),),
        input=9,
        output=9,
        cut=lambda whole: cut_at(whole, cuts),
    )
    events, reply = asyncio.run(read(Saying(STREAMS[form](said)), form))
    assert reply.failure is None
    arguments = {"q": PATTERN.masked(argument)}
    *texts, raw = shown(events)
    assert KEY not in "\n".join((*texts, *stored(reply), raw, *reply.raw, repr(events), repr(reply)))
    expected = (whole(text), whole(thinking))
    assert stored(reply)[:2] == expected
    assert tuple(texts[:2]) == expected
    assert json.loads(stored(reply)[2]) == json.loads(texts[2]) == arguments
    # Who reads the raw events as a program would finds no more in them.
    again = read_again(reply.raw, form)
    assert again.failure is None
    assert all(KEY not in each for each in stored(again))
    assert len(reply.raw) == sum(isinstance(each, RawEvent) for each in events)


def whole(text: str) -> str:
    """A text as it is let through: without the key, and without most of one that its end breaks off."""
    masked = PATTERN.masked(text)
    tail = PATTERN.tail(masked)
    return masked if tail <= PATTERN.most else masked[: len(masked) - tail] + MASK


@pytest.mark.parametrize("form", FORMS)
def test_that_a_stream_without_the_key_is_kept_as_it_came(form: WireForm) -> None:
    said = Said(("s", "k", "-"), ("so", "sk-", "sk-", "x"), (("search", {"q": "s"}),), 9, 9)
    server = Saying(STREAMS[form](said))
    events, reply = asyncio.run(read(server, form))
    assert list(reply.raw) == server.said
    assert [each.text for each in events if isinstance(each, RawEvent)] == server.said
    assert stored(reply)[:2] == ("sosk-sk-x", "sk-")


def test_that_only_what_could_be_the_keys_beginning_is_held_back() -> None:
    form = WireForm.ANTHROPIC
    said = Said((), ("Keys begin with sk-", "sk-", "but", " end."), (), 9, 9)
    events, _ = asyncio.run(read(Saying(STREAMS[form](said)), form))
    assert [each.text for each in events if isinstance(each, TextDelta)] == [
        "Keys begin with ",
        # Of two beginnings the later one may still be the key's.
        "sk-sk-but",
        " end.",
    ]


def test_that_a_key_over_parts_that_lie_between_each_other_is_masked_in_each_of_them() -> None:
    form = WireForm.ANTHROPIC
    lines: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
        for index in range(2)
    ]
    for at, piece in enumerate(cut_at(KEY, range(2, len(KEY), 3))):
        lines += [
            {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": each}}
            for index, each in ((0, piece), (1, f"{at}."))
        ]
    lines.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in lines).encode()
    _, reply = asyncio.run(read(Saying(stream + b'data: {"type": "message_stop"}\n\n'), form))
    assert [each.text for each in reply.parts if isinstance(each, TextPart)] == [MASK, "0.1.2.3.4.5."]
    again = read_again(reply.raw, form)
    assert KEY not in "".join(stored(again))


def test_that_letters_of_the_key_that_json_escapes_are_no_way_out() -> None:
    form = WireForm.OPENAI
    escaped = KEY.replace("c", "\\u0063").replace("/", "\\/")
    plain = {"choices": [{"index": 0, "delta": {"content": KEY}, "finish_reason": "stop"}]}
    chunk = json.dumps(plain).replace(KEY, escaped)
    events, reply = asyncio.run(read(Saying(f"data: {chunk}\n\ndata: [DONE]\n\n".encode()), form))
    assert stored(reply)[0] == MASK
    assert KEY not in json.dumps([json.loads(each) for each in reply.raw[:1]])
    error = f'{{"error": {{"message": "bad key {escaped}", "type": "invalid_request_error"}}}}'
    _, failed = asyncio.run(read(Saying(f"data: {error}\n\n".encode()), form))
    assert failed.failure is not None
    assert failed.failure.message == f"bad key {MASK}"
    assert KEY not in repr(events)


@pytest.mark.parametrize("count", range(1, len(KEY) + 6))
def test_that_a_stop_within_the_key_keeps_no_more_than_its_first_half(count: int) -> None:
    form = WireForm.ANTHROPIC
    stream = STREAMS[form](Said((), tuple(KEY), (), 9, 9))
    events, reply = asyncio.run(read(Saying(stream, count), form))
    assert reply.stop is StopReason.STOPPED
    for text in (stored(reply)[0], shown(events)[0], "".join(stored(read_again(reply.raw, form)))):
        assert text == "" or text == MASK or (KEY.startswith(text) and len(text) <= PATTERN.most)


async def test_that_a_key_in_pieces_is_in_no_file_and_no_log(
    engine: OpenEngine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = Said(tuple(KEY), tuple(f"It is {KEY}."), (("search", {"q": KEY}),), 9, 9, cut=list)
    async with engine(tmp_path / "keys.db") as opened, serving() as server:
        run = await recorded(opened, Answer([STREAMS[WireForm.ANTHROPIC](said)]), server)
        assert MASK in str(run.reply)
        again = await reread(json.loads(run.reply or "{}")["raw"], WireForm.ANTHROPIC)
        assert stored(again) == (f"It is {MASK}.", MASK, json.dumps({"q": MASK}))
    kept = await asyncio.to_thread(bytes_under, tmp_path)
    assert KEY.encode() not in kept
    assert KEY not in caplog.text


def bytes_under(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())


async def recorded(opened: Engine, answer: Answer, server: ProviderServer) -> ModelCall:
    """The stored run of a call that goes on with a new agent's conversation."""
    agent = await made_agent(opened)
    server.answer = answer
    destination = opened.calls.destination(server.base, WireForm.ANTHROPIC)
    made = await opened.calls.draft(agent.id, "Hello")
    prepared = await opened.calls.prepare(made.request, made.snapshot, destination)
    async with opened.calls.stream(prepared, ApiKey(KEY, destination.origin)) as call:
        async for _ in call:
            pass
    run_id = await opened.calls.record(prepared, call.reply, keep=True)
    return await opened.past.run(agent.id, run_id)
