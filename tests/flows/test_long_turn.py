"""One turn of very many messages: importing it is work that grows with its length, not with its square."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from inspector.domain.summarising import FoldOptions
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into
from inspector.storage.connection import Channel, Parameters, Row, Statement
from tests.cli.program import run, said
from tests.exchange.builders import plan_import_of


def turn(calls: int) -> bytes:
    """A request of one turn: a question, then calls and their results."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "go"}]
    for number in range(calls):
        function = {"name": "look", "arguments": "{}"}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "it"})
    return json.dumps({"model": "gpt-4o", "messages": messages}).encode()


def turns(count: int) -> bytes:
    """A request of many short turns, of two messages each, and a question."""
    said = [
        {"role": role, "content": f"{role} says {number} of file_{number}.py. " * 3}
        for number in range(count)
        for role in ("user", "assistant")
    ]
    return json.dumps({"model": "gpt-4o", "messages": [*said, {"role": "user", "content": "?"}]}).encode()


class Work:
    """Counts the ways to the file's thread and the rows that come back."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ways = self.rows = 0
        whole, every = Channel.fetch_last, Channel.fetch_all

        async def counted(channel: Channel, statements: Sequence[Statement]) -> list[Row]:
            found = await whole(channel, statements)
            self.ways += 1
            self.rows += len(found)
            return found

        async def all_counted(channel: Channel, sql: str, parameters: Parameters = ()) -> list[Row]:
            found = await every(channel, sql, parameters)
            self.ways += 1
            self.rows += len(found)
            return found

        monkeypatch.setattr(Channel, "fetch_last", counted)
        monkeypatch.setattr(Channel, "fetch_all", all_counted)


async def test_that_the_messages_of_a_turn_share_their_ways_to_the_file_and_read_no_other(
    tmp_db_dir: Path, surroundings: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, costs = Work(monkeypatch), []
    for calls in (100, 200, 400):
        before = work.ways, work.rows
        plan = plan_import_of(turn(calls), surroundings.ids)
        await import_into(tmp_db_dir / f"{calls}.constellation", plan, surroundings)
        costs.append((work.ways - before[0], work.rows - before[1]))
    more = [(one[0] - before[0], one[1] - before[1]) for before, one in itertools.pairwise(costs)]
    # Two messages for each call; many of them share one way, which brings back one row.
    assert all(
        ways <= calls // 5 and rows == ways for (ways, rows), calls in zip(more, (100, 200), strict=True)
    )


async def test_that_a_dry_run_of_summaries_reads_each_message_a_bounded_number_of_times(
    tmp_db_dir: Path, surroundings: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = []
    for calls in (100, 200, 400):
        target = tmp_db_dir / f"{calls}.constellation"
        await import_into(target, plan_import_of(turns(calls), surroundings.ids), surroundings)
        engine = await Engine.open(target, surroundings)
        try:
            ((agent,), _) = await engine.agents.list()
            with monkeypatch.context() as patched:
                work = Work(patched)
                options = FoldOptions(chunk_size=8, keep=4)
                made = await engine.summaries.summarise(
                    agent.id, engine.summaries.extractive(agent), options, dry=True
                )
        finally:
            await engine.close()
        assert len(made.plan.chunks) > calls // 8
        costs.append((work.ways, work.rows))
    (ways, rows), *_, (most_ways, most_rows) = costs
    assert most_rows - rows <= 2 * (2 * 300)
    assert most_ways <= ways + 10


def test_that_what_a_long_turn_holds_is_whole(tmp_path: Path) -> None:
    source = tmp_path / "turn.json"
    source.write_bytes(turn(300))
    assert run("import", source).returncode == 0
    target = tmp_path / "turn.constellation"
    assert said("agents", target)["agents"][0]["messages"] == 601
    assert said("check", target) == {"ok": True, "problems": []}
