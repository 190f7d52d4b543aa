"""Servers that refuse, overflow, hang, redirect or show a wrong certificate, for every form of every provider."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest
from cryptography import x509

from inspector.domain.replies import FailureKind, Reply, StopReason
from inspector.domain.wire.values import WireForm
from inspector.providers.http_client import trust
from inspector.runtime.model_stream import CallLimits
from tests.providers.certificates import Authority
from tests.providers.provider_server import Answer, ProviderServer, cut, ndjson, serving, sse
from tests.providers.streamed_replies import STREAMS, Said
from tests.providers.test_streams import FORMS, KEY, answered, kind_of, parts_of, reply_of

HELLO = Said((), ("hello ", "world"), (), 3, 4)
ERRORS: dict[WireForm, dict[str, Any]] = {
    WireForm.ANTHROPIC: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    WireForm.OPENAI: {"error": {"type": "server_error", "message": "The engine is overloaded", "code": None}},
    WireForm.OPENAI_RESPONSES: {"type": "error", "code": "server_error", "message": "It failed"},
    WireForm.GEMINI: {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}},
    WireForm.OLLAMA: {"error": "model runner has unexpectedly stopped"},
}


def written(form: WireForm, *events: object) -> bytes:
    return ndjson(events) if form is WireForm.OLLAMA else sse(events)


def begun(form: WireForm) -> bytes:
    """A stream up to the first word, on the border of two events."""
    whole = STREAMS[form](HELLO)
    at = whole.index(b"hello")
    end = b"\n" if form is WireForm.OLLAMA else b"\n\n"
    return whole[: whole.index(end, at) + len(end)]


def asked(form: WireForm, answer: Answer, limits: CallLimits | None = None) -> Reply:
    return answered(
        Answer(answer.chunks, answer.status, kind_of(form), answer.headers, answer.hangs), form, limits
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("status", "headers", "kind", "wait"),
    [
        (429, {"retry-after": "7"}, FailureKind.RATE_LIMIT, 7),
        (529, {}, FailureKind.OVERLOADED, None),
        (503, {"retry-after": "2"}, FailureKind.OVERLOADED, 2),
        (500, {}, FailureKind.SERVER, None),
        (401, {}, FailureKind.AUTHENTICATION, None),
        (404, {}, FailureKind.NOT_FOUND, None),
    ],
)
def test_that_a_refusal_has_its_kind_and_the_wait_that_was_asked_for(
    form: WireForm, status: int, headers: dict[str, str], kind: FailureKind, wait: float | None
) -> None:
    reply = asked(form, Answer([b"{}"], status, headers=headers))
    assert reply.failure is not None
    assert (reply.failure.kind, reply.failure.status, reply.failure.retry_after) == (kind, status, wait)


@pytest.mark.parametrize("form", FORMS)
def test_that_an_error_after_the_status_keeps_what_came(form: WireForm) -> None:
    reply = asked(form, Answer([begun(form), written(form, ERRORS[form])]))
    assert reply.failure is not None
    assert (reply.stop, parts_of(reply)[1]) == (StopReason.FAILED, "hello ")
    error = ERRORS[form].get("error", ERRORS[form])
    assert reply.failure.message == (error["message"] if isinstance(error, dict) else error)


@pytest.mark.parametrize("form", FORMS)
def test_that_a_stream_which_never_goes_on_and_one_which_never_ends_are_given_up(form: WireForm) -> None:
    idle = asked(form, Answer([begun(form)], hangs=True), CallLimits(idle=0.2))
    assert idle.failure is not None
    assert (idle.failure.code, parts_of(idle)[1]) == ("call.idle", "hello ")
    flood = asked(form, Answer([begun(form)] * 400), CallLimits(text=1_000))
    assert flood.failure is not None
    assert flood.failure.code == "call.too_long"
    assert len(parts_of(flood)[1]) <= 1_006


@pytest.mark.parametrize("form", FORMS)
def test_that_a_line_without_an_end_is_given_up_before_it_fills_the_memory(form: WireForm) -> None:
    piece = b"x" * 1_000_000
    begin = b'{"x": "' if form is WireForm.OLLAMA else b"data: "
    before = psutil.Process().memory_info().rss
    reply = asked(form, Answer([begun(form), begin, *[piece] * 200]), CallLimits(event=8_000_000))
    assert reply.failure is not None
    assert (reply.failure.code, parts_of(reply)[1]) == ("call.too_large", "hello ")
    assert psutil.Process().memory_info().rss - before < 100_000_000


@pytest.mark.parametrize("form", FORMS)
def test_that_bad_utf_8_and_single_bytes_are_read(form: WireForm) -> None:
    whole = STREAMS[form](HELLO).replace(b"world", b"w\xffrld")
    reply = asked(form, Answer(cut(whole, 1)))
    assert reply.failure is None
    assert parts_of(reply)[1] == "hello w\ufffdrld"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_that_no_redirect_takes_the_key_elsewhere(form: WireForm, status: int) -> None:
    async with serving() as first, serving() as second:
        first.answer = Answer(status=status, headers={"location": f"{second.base}/v1/x"})
        reply = await reply_of(first, form)
    assert reply.failure is not None
    assert reply.failure.code == "call.redirected"
    assert second.asked == []
    assert KEY in json.dumps([dict(each.headers) for each in first.asked])


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    """An authority that the system trusts for as long as these tests run."""
    made = Authority(tmp_path_factory.mktemp("certificates"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(made.file))
        trust.cache_clear()
        yield made
    trust.cache_clear()


async def reply_over(context: object, form: WireForm) -> tuple[Reply, ProviderServer]:
    async with serving(context) as server:  # type: ignore[arg-type]
        server.answer = Answer([STREAMS[form](HELLO)], kind=kind_of(form))
        return await reply_of(server, form), server


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the trust store is the system's alone")
@pytest.mark.parametrize("form", FORMS)
def test_that_only_a_certificate_of_this_host_that_is_signed_and_valid_gets_the_key(
    authority: Authority, form: WireForm, tmp_path: Path
) -> None:
    right, server = asyncio.run(reply_over(authority.server("right"), form))
    assert (right.failure, parts_of(right)[1], len(server.asked)) == (None, "hello world", 1)
    wrong = {
        "self-signed": authority.server("self", signed=False),
        "expired": authority.server("expired", days=-1),
        "other host": authority.server("other", host=x509.DNSName("api.example.com")),
        "unknown authority": Authority(tmp_path).server("unknown"),
    }
    for name, context in wrong.items():
        reply, server = asyncio.run(reply_over(context, form))
        assert reply.failure is not None, name
        assert (reply.failure.kind, reply.failure.code) == (FailureKind.CONNECTION, "call.untrusted"), name
        assert server.asked == [], name


@pytest.mark.parametrize("form", FORMS)
def test_that_a_server_that_repeats_the_key_has_it_in_no_reply(form: WireForm) -> None:
    refused = asked(form, Answer([json.dumps({"error": {"message": f"No such key: {KEY}"}}).encode()], 401))
    assert refused.failure is not None
    assert refused.failure.message == "No such key: [key]"
    said = asked(form, Answer([STREAMS[form](Said((), (f"It is {KEY}.",), (), 3, 4))]))
    assert parts_of(said)[1] == "It is [key]."
    assert KEY not in repr(said)
