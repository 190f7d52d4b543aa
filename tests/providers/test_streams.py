"""Streams of real servers become the reply that was sent, however they are cut; hostile ones end with what came."""

from __future__ import annotations

import asyncio
import json
import shutil
import ssl
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inspector.domain.calls import ApiKey, Destination, HostPlace, PreparedCall, PriceEstimate
from inspector.domain.counts import Method
from inspector.domain.messages import TextPart, ThinkingPart, ToolCallPart
from inspector.domain.replies import FailureKind, RawEvent, Reply, ReplyEnded, StopReason
from inspector.domain.wire.key_masks import KeyPattern
from inspector.domain.wire.values import WireForm
from inspector.runtime.call_network import posted
from inspector.runtime.calls import READERS
from inspector.runtime.model_stream import CallLimits, RunningCall
from tests.providers.provider_server import NDJSON, Answer, ProviderServer, cut, serving, sse
from tests.providers.streamed_replies import SAID, STREAMS, Said

KEY = "sk-canary-0123456789"
FORMS = sorted(WireForm)
QUICK = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def prepared(base: str, form: WireForm) -> PreparedCall:
    """A call to a server, with nothing in it."""
    destination = Destination(form, base, "here", HostPlace.LOOPBACK, is_custom=True)
    headers = {"content-type": "application/json", "accept-encoding": "identity"}
    return PreparedCall(
        agent_id="a",
        model="m",
        destination=destination,
        url=f"{base}/v1/x",
        headers=headers,
        key_header="authorization",
        key_prefix="Bearer ",
        key_variable="KEY",
        body=b"{}",
        tokens=1,
        method=Method.ESTIMATE,
        price=PriceEstimate(),
        secrets=(),
        adaptations=(),
        tool_names={},
        request_text="",
        manifest="{}",
    )


def call_of(server: ProviderServer, form: WireForm, limits: CallLimits | None = None) -> RunningCall:
    allowed = limits or CallLimits()
    call = prepared(server.base, form)
    key = ApiKey(KEY, call.destination.origin)
    # As the program does: what the benchmark measures has the key in its way too.
    answered = partial(posted, call, key, allowed)
    return RunningCall(answered, READERS[form], allowed, KeyPattern(key.spellings))


async def reply_of(server: ProviderServer, form: WireForm, limits: CallLimits | None = None) -> Reply:
    async with call_of(server, form, limits) as call:
        events = [event async for event in call]
    assert isinstance(events[-1], ReplyEnded)
    assert sum(isinstance(event, ReplyEnded) for event in events) == 1
    return events[-1].reply


def answered(answer: Answer, form: WireForm = WireForm.OPENAI, limits: CallLimits | None = None) -> Reply:
    async def ask() -> Reply:
        async with serving() as server:
            server.answer = answer
            return await reply_of(server, form, limits)

    return asyncio.run(ask())


def parts_of(reply: Reply) -> tuple[str, str, list[tuple[str, Any]]]:
    thinking = "".join(part.text for part in reply.parts if isinstance(part, ThinkingPart))
    text = "".join(part.text for part in reply.parts if isinstance(part, TextPart))
    calls = [
        (part.name, json.loads(part.arguments)) for part in reply.parts if isinstance(part, ToolCallPart)
    ]
    return thinking, text, calls


def kind_of(form: WireForm) -> str:
    return NDJSON if form is WireForm.OLLAMA else "text/event-stream; charset=latin-1"


@pytest.mark.parametrize("form", FORMS)
def test_that_a_stream_cut_anywhere_is_the_reply_that_was_sent(form: WireForm) -> None:
    @QUICK
    @example(said=Said(("think",), ("a\u2028b", "\u0085", "🧭"), (("search", {"q": "ä"}),), 3, 4), size=1)
    @given(said=SAID, size=st.sampled_from([1, 2, 3, 7, 64, 0]))
    def check(said: Said, size: int) -> None:
        reply = answered(Answer(cut(STREAMS[form](said), size), kind=kind_of(form)), form)
        assert reply.failure is None
        assert parts_of(reply) == said.whole
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == (said.input, said.output)
        assert reply.stop is (StopReason.TOOL_CALLS if said.calls else StopReason.END)

    check()


@pytest.mark.parametrize("form", FORMS)
def test_that_a_stream_that_ends_early_keeps_what_came(form: WireForm) -> None:
    whole = STREAMS[form](Said((), ("hello ", "world", "!"), (), 3, 4))
    at = whole.index(b"world") + len(b"world")
    reply = answered(Answer([whole[: whole.index(b"\n", at) + 2]], kind=kind_of(form)), form)
    assert parts_of(reply)[1] == "hello world"
    assert reply.failure is not None
    assert (reply.failure.kind, reply.failure.code) == (FailureKind.BAD_REPLY, "call.cut_off")


TEXT = {"choices": [{"index": 0, "delta": {"content": "begun"}, "finish_reason": None}]}
BEGUN = sse([TEXT])
HUGE = b"data: " + b"x" * 5_000
OVERLOADED = {"error": {"type": "overloaded_error", "message": "Overloaded"}}


@pytest.mark.parametrize(
    ("answer", "limits", "kind", "code", "text"),
    [
        (Answer([BEGUN], hangs=True), CallLimits(idle=0.2), FailureKind.TIMEOUT, "call.idle", "begun"),
        (Answer([BEGUN], hangs=True), CallLimits(total=0.2), FailureKind.TIMEOUT, "call.took_too_long", "begun"),
        (Answer([BEGUN, sse(["no json"])]), None, FailureKind.BAD_REPLY, "call.bad_event", "begun"),
        (Answer([BEGUN, sse([[1, 2]])]), None, FailureKind.BAD_REPLY, "call.bad_event", "begun"),
        (Answer([BEGUN, sse(["[" * 100_000])]), None, FailureKind.BAD_REPLY, "call.bad_event", "begun"),
        (Answer([BEGUN, HUGE]), CallLimits(event=2_000), FailureKind.BAD_REPLY, "call.too_large", "begun"),
        (Answer([BEGUN] * 9), CallLimits(text=20), FailureKind.BAD_REPLY, "call.too_long", "begun" * 5),
        (Answer([BEGUN, sse([OVERLOADED])]), None, FailureKind.OVERLOADED, "", "begun"),
        (Answer([b"<html>"], kind="text/html"), None, FailureKind.BAD_REPLY, "call.no_stream", ""),
        (Answer([b"x"], headers={"content-encoding": "gzip"}), None, FailureKind.BAD_REPLY, "call.compressed", ""),
        (Answer([json.dumps(OVERLOADED).encode()], 529), None, FailureKind.OVERLOADED, "", ""),
        (Answer([b"{}"], 429, headers={"retry-after": "7"}), None, FailureKind.RATE_LIMIT, "", ""),
    ],
)  # fmt: skip
def test_that_a_hostile_answer_ends_with_its_reason_and_what_came(
    answer: Answer, limits: CallLimits | None, kind: FailureKind, code: str, text: str
) -> None:
    reply = answered(answer, limits=limits)
    assert reply.failure is not None
    assert (reply.failure.kind, reply.failure.code) == (kind, code)
    assert parts_of(reply)[1] == text
    assert reply.stop is StopReason.FAILED
    if answer.status == 429:
        assert reply.failure.retry_after == 7


def test_that_an_event_of_two_megabytes_and_bad_utf_8_are_read() -> None:
    long = "x" * 2_000_000
    event = {"choices": [{"index": 0, "delta": {"content": long}, "finish_reason": "stop"}]}
    reply = answered(Answer([sse([event]).replace(b"xx", b"x\xff", 1)]))
    assert reply.failure is None
    assert parts_of(reply)[1] == "x\ufffd" + long[2:]


def test_that_a_redirect_is_not_followed() -> None:
    async def ask() -> tuple[Reply, ProviderServer]:
        async with serving() as first, serving() as second:
            first.answer = Answer(status=302, headers={"location": f"{second.base}/v1/x"})
            return await reply_of(first, WireForm.OPENAI), second

    reply, second = asyncio.run(ask())
    assert reply.failure is not None
    assert reply.failure.code == "call.redirected"
    assert second.asked == []


@pytest.mark.skipif(shutil.which("openssl") is None, reason="nothing makes a certificate here")
def test_that_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    named = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*made, "-keyout", key, "-out", certificate, *named], check=True, capture_output=True)
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.load_cert_chain(certificate, key)

    async def ask() -> tuple[Reply, ProviderServer]:
        async with serving(trust) as server:
            return await reply_of(server, WireForm.OPENAI), server

    reply, server = asyncio.run(ask())
    assert reply.failure is not None
    assert (reply.failure.kind, reply.failure.code) == (FailureKind.CONNECTION, "call.untrusted")
    assert server.asked == []


def test_that_stopping_ends_the_call_at_once_and_keeps_the_reply() -> None:
    async def ask() -> Reply:
        async with serving() as server:
            server.answer = Answer([BEGUN], hangs=True)
            async with call_of(server, WireForm.OPENAI) as call:
                async for event in call:
                    if isinstance(event, RawEvent):
                        call.stop()
            return call.reply

    reply = asyncio.run(ask())
    assert (reply.stop, parts_of(reply)[1], reply.failure) == (StopReason.STOPPED, "begun", None)


def test_that_the_key_goes_into_its_header_and_proxies_of_the_environment_are_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    async def ask() -> ProviderServer:
        async with serving() as server:
            server.answer = Answer([STREAMS[WireForm.OPENAI](Said((), ("x",), (), 1, 1))])
            assert (await reply_of(server, WireForm.OPENAI)).failure is None
            return server

    (asked,) = asyncio.run(ask()).asked
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in asked.line
