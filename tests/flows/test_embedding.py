"""A program runs agents on a file, as its help page shows, while the inspector follows it live."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from inspector.domain.changes import Change
from inspector.domain.errors import NotFoundError
from inspector.domain.messages import Role
from inspector.domain.records import QueueState
from inspector.domain.ref import RefKind
from inspector.domain.turns import TurnDone
from inspector.runtime.embedding import AgentRuntime, FailedReplyError
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.fixtures import ROOT, opened_engine
from tests.runtime.turn_world import messages_of

PAGE = ROOT / "resources" / "help" / "embedding.md"


def example() -> str:
    """The program on the help page."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def test_that_the_example_of_the_help_page_runs(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_db_dir))
    file = tmp_db_dir / "harbor.constellation"
    monkeypatch.setattr(sys, "argv", ["program.py", str(file)])
    exec(compile(example(), str(PAGE), "exec"), {"__name__": "__main__"})
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("You said: “Hello”.")
    assert said[1:] == ["[tide: High tide in Husum at 14:20.]", "At 14:20."]

    async def check() -> None:
        async with opened_engine(file, Environment(state_folder=tmp_db_dir)) as engine:
            ((agent,), _) = await engine.agents.list()
            assert "tide" in agent.tools
            (queued,), _ = await engine.agents.queue()
            assert queued.state is QueueState.PROCESSED
            said = await messages_of(engine, agent.id)
            assert [each.role for each in said].count(Role.USER) == 3

    asyncio.run(check())


async def next_of(inspector: Engine, news: object, kind: RefKind) -> Change:
    """The next change of a kind that another program made."""
    async for each in news:  # type: ignore[attr-defined]
        if isinstance(each, Change) and each.ref.kind is kind and not each.own:
            return each
    raise AssertionError("the file was closed")


async def test_that_the_inspector_shows_a_program_s_turns_live(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    file = tmp_db_dir / "live.constellation"
    async with AgentRuntime.open(file, surroundings=surroundings) as runtime:
        ada = await runtime.create("Ada", model="gpt-4.1")
        async with opened_engine(file, surroundings, watch=True) as inspector:
            before = await inspector.context.request(ada.id)
            async with inspector.news() as news:
                await ada.ask(
                    '/tool block {"action": "create", "label": "notes", "text": "Tea."}\n/say Kept.'
                )
                change = await next_of(inspector, news, RefKind.BLOCK)
                assert (change.kind, change.actor.id) == ("create_block", ada.id)
                await next_of(inspector, news, RefKind.RUN)
            after = await inspector.context.request(ada.id)
            assert "Tea." in after.text
            assert "Kept." in after.text
            assert "Called block (✓)" in after.text
            assert after.tokens > before.tokens
            sent = await inspector.past.logged((await inspector.agents.runs(ada.id))[0][-1])
            assert "Tea." in sent.text


async def test_that_agents_are_loaded_once_and_fail_in_words(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    async with AgentRuntime.open(tmp_db_dir / "a.constellation", surroundings=surroundings) as runtime:
        with pytest.raises(NotFoundError):
            await runtime.load("Ada")
        ada = await runtime.create("Ada", tools=("recall",), persona="Calm.")
        assert await runtime.load("Ada") is ada
        assert await runtime.load_or_create("Ada") is ada
        assert (ada.agent.tools, ada.agent.persona) == (("recall",), "Calm.")
        with pytest.raises(FailedReplyError) as failed:
            await ada.ask("/error 401")
        assert (failed.value.code, failed.value.error.kind) == (
            "call_failed.authentication",
            "authentication",
        )


async def test_that_queues_are_worked_in_the_background_until_they_are_stopped(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    async with AgentRuntime.open(tmp_db_dir / "a.constellation", surroundings=surroundings) as runtime:
        ada = await runtime.create("Ada")
        ended = asyncio.Event()
        texts: list[str] = []

        def hear(_: object, event: object) -> None:
            if isinstance(event, TurnDone):
                texts.append(event.text)
                ended.set()

        runtime.on_event = hear
        runtime.start()
        with pytest.raises(RuntimeError):
            await runtime.work()
        await ada.enqueue("/say One")
        await ended.wait()
        await runtime.stop(finish=True)
        await ada.enqueue("/say Two")
        assert texts == ["One"]
        await runtime.work()
        assert texts == ["One", "Two"]
