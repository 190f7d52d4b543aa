"""Calls are prepared, made and recorded; a key is found nowhere afterwards; where nothing may be sent, nothing is."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest

from inspector.domain.calls import ApiKey, CallOverrides, HostPlace
from inspector.domain.errors import InputError
from inspector.domain.messages import Role, TextPart, ToolCallPart
from inspector.domain.past_requests import RebuildVerdict
from inspector.domain.replies import FailureKind, Reply, ReplyEnded, StopReason
from inspector.domain.wire.values import WireForm
from inspector.providers.addresses import checked_base, is_refused, joined_url
from inspector.runtime.calls import DraftedRequest
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import make_sample
from tests.providers.provider_server import Answer, serving
from tests.providers.streamed_replies import STREAMS, Said

CANARY = "sk-canary-4fJ2kQ9xW7"


async def opened(folder: Path) -> Engine:
    surroundings = Environment(state_folder=folder)
    path = folder / "sample.constellation"
    if not path.exists():
        await make_sample(path, surroundings)
    return await Engine.open(path, surroundings)


async def drafted(engine: Engine, message: str) -> DraftedRequest:
    agents, _ = await engine.agents.list()
    return await engine.calls.draft(agents[0].id, message)


async def offline(engine: Engine, message: str, *, keep: bool | None = None) -> Reply:
    made = await drafted(engine, message)
    prepared = await engine.calls.prepare(made.request, made.snapshot, engine.calls.destination("offline"))
    async with engine.calls.stream(prepared) as call:
        events = [event async for event in call]
    assert isinstance(events[-1], ReplyEnded)
    if keep is not None:
        await engine.calls.record(prepared, call.reply, keep=keep)
    return call.reply


def test_that_the_offline_provider_answers_the_same_again_and_does_as_it_is_told(tmp_db_dir: Path) -> None:
    async def check() -> None:
        engine = await opened(tmp_db_dir)
        try:
            first, second = await offline(engine, "Hello"), await offline(engine, "Hello")
            assert first.parts == second.parts
            assert "Hello" in str(first.parts)
            called = await offline(engine, '/say yes\n/tool search {"q": 1}')
            assert called.parts == (TextPart("yes"), ToolCallPart("call_1", "search", '{"q": 1}'))
            assert called.stop is StopReason.TOOL_CALLS
            failed = await offline(engine, "/error 429 try again in 3s")
            assert failed.failure is not None
            assert (failed.failure.kind, failed.failure.retry_after) == (FailureKind.RATE_LIMIT, 3)
            broken = await offline(engine, "/say begun\n/break")
            assert broken.failure is not None
            assert (broken.failure.kind, broken.parts) == (FailureKind.OVERLOADED, (TextPart("begun"),))
            cut = await offline(engine, "/say begun\n/cut")
            assert cut.failure is not None
            assert cut.failure.code == "call.cut_off"
        finally:
            await engine.close()

    asyncio.run(check())


def test_that_a_kept_call_goes_on_with_the_conversation_and_is_one_step_to_undo(tmp_db_dir: Path) -> None:
    async def check() -> None:
        engine = await opened(tmp_db_dir)
        try:
            agent = (await engine.agents.list())[0][0]
            before = await engine.context.request(agent.id)
            await offline(engine, "A test", keep=False)
            assert (await engine.context.request(agent.id)).messages == before.messages
            await offline(engine, "To keep", keep=True)
            said = [each for batch in await engine.conversation.batches(agent.id) for each in batch.messages]
            assert [each.role for each in said[-2:]] == [Role.USER, Role.ASSISTANT]
            run = (await engine.agents.runs(agent.id))[0][-1]
            assert (run.kind, run.error) == ("turn", None)
            assert (await engine.past.rebuild(run)).verdict is RebuildVerdict.REPRODUCED
            await engine.edits.undo(engine.actor)
            left = [each for batch in await engine.conversation.batches(agent.id) for each in batch.messages]
            assert [each.id for each in left] == [each.id for each in said[:-2]]
        finally:
            await engine.close()

    asyncio.run(check())


def test_that_a_key_is_found_nowhere_after_a_reply_and_after_a_failure(
    tmp_db_dir: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)

    async def check() -> None:
        engine = await opened(tmp_db_dir)
        try:
            async with serving() as server:
                destination = engine.calls.destination(server.base, WireForm.ANTHROPIC)
                key = ApiKey(CANARY, destination.origin)
                made = await drafted(engine, "Hello")
                overrides = CallOverrides({"max_tokens": 77})
                prepared = await engine.calls.prepare(made.request, made.snapshot, destination, overrides)
                assert CANARY not in repr(prepared) + repr(key) + str(key)
                assert json.loads(prepared.body)["max_tokens"] == 77
                said = Answer([STREAMS[WireForm.ANTHROPIC](Said((), ("Hi",), (), 12, 3))])
                for answer in (said, Answer([CANARY[:4].encode()], 500)):
                    server.answer = answer
                    async with engine.calls.stream(prepared, key) as call:
                        async for _ in call:
                            pass
                    await engine.calls.record(prepared, call.reply)
                assert [each.body for each in server.asked] == [prepared.body] * 2
                assert server.asked[0].headers["x-api-key"] == CANARY
                server.answer = Answer([b'{"data": [{"id": "b"}, {"id": "a"}]}'], kind="application/json")
                assert await engine.calls.list_models(destination, key) == ("a", "b")
                server.answer = Answer([b'{"input_tokens": 321}'], kind="application/json")
                assert await engine.calls.count(prepared, key) == 321
                other = ApiKey(CANARY, "https://api.example.com")
                with pytest.raises(InputError):
                    engine.calls.stream(prepared, other)
        finally:
            await engine.close()

    asyncio.run(check())
    written = b"".join(path.read_bytes() for path in tmp_db_dir.rglob("*") if path.is_file())
    out = capsys.readouterr()
    assert CANARY.encode() not in written
    assert CANARY not in caplog.text + out.out + out.err


REFUSED = """
http://example.com|http://8.8.8.8|http://user@127.0.0.1|https://user:pass@example.com|https://example.com?q=1
https://example.com#x|ftp://example.com|file:///etc/passwd|https://|https:///x|https://exa mple.com
https://example.com\\@evil.com|https://2130706433|https://0x7f000001|https://0177.0.0.1|https://127.1
https://169.254.169.254|http://169.254.169.254|https://[::ffff:169.254.169.254]|https://[fe80::1]
https://[64:ff9b::a9fe:a9fe]|https://[2002:a9fe:a9fe::]|https://metadata.google.internal|https://METADATA.google.internal
https://100.100.100.200|https://168.63.129.16|https://[fd00:ec2::254]|https://0.0.0.0|https://[::]|https://224.0.0.1
https://example.com.|https://example.com:0|https://example.com:99999|https://exämple.com|//example.com
https://[fe80::1%25eth0]|javascript:alert(1)|https://1.2.3|http://localhost.evil.com
""".replace("\n", "|").strip("|").split("|")  # fmt: skip
TAKEN = {
    "https://api.example.com": HostPlace.PUBLIC,
    "HTTPS://API.Example.com/v1/": HostPlace.PUBLIC,
    "https://xn--exmple-cua.com": HostPlace.PUBLIC,
    "http://localhost:11434": HostPlace.LOOPBACK,
    "http://127.0.0.1:8080/v1": HostPlace.LOOPBACK,
    "http://[::1]:8080": HostPlace.LOOPBACK,
    "http://192.168.1.7:1234": HostPlace.PRIVATE,
    "https://10.0.0.3": HostPlace.PRIVATE,
    "https://8.8.8.8": HostPlace.PUBLIC,
}


@pytest.mark.parametrize("address", [*REFUSED, "https://example.com\r\nHost: x", "https://example.com\t"])
def test_that_nothing_is_sent_to_an_address_that_is_not_what_it_seems(address: str) -> None:
    with pytest.raises(InputError):
        checked_base(address)


def test_that_an_address_of_ones_own_is_taken_with_its_place() -> None:
    assert len(REFUSED) + len(TAKEN) >= 40
    assert {address: checked_base(address).place for address in TAKEN} == TAKEN
    assert checked_base("HTTPS://API.Example.com/v1/").base == "https://api.example.com/v1"
    assert joined_url("https://x.y/v1", "/v1/models") == "https://x.y/v1/models"
    assert is_refused("fe80::1%eth0")
    assert not is_refused("127.0.0.1")
