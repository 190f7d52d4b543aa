"""`chat --json` and `run --json` write one JSON object a line and nothing else, each as soon as it happens."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import pytest

from inspector.cli.turn_lines import LINES, TYPES
from inspector.domain.agents import AgentStatus
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.ref import Ref, RefKind
from inspector.domain.turns import TurnEvent
from inspector.runtime.environment import Environment
from tests.cli import program
from tests.fixtures import opened_engine
from tests.runtime.turn_process import add_tools
from tests.runtime.turn_world import made_agent, put

ADA = ("--agent", "Ada", "--provider", "offline", "--json")
Line = dict[str, Any]


def lines_of(written: str) -> list[Line]:
    """Each line as an object that says its type and whose it is."""
    assert written == "" or written.endswith("\n")
    lines = [json.loads(each) for each in written.split("\n")[:-1]]
    for line in lines:
        assert line["type"] in TYPES
        assert line["agent"].startswith("agt_")
        assert "queued" in line
    return lines


def of_type(lines: list[Line], kind: str) -> list[Line]:
    return [each for each in lines if each["type"] == kind]


def chat(file: Path, *options: str, given: str) -> tuple[int, list[Line], str]:
    """The exit code, the lines, and what stands on standard error."""
    done = program.run_text("chat", file, *ADA, *options, given=given)
    return done.returncode, lines_of(done.stdout), done.stderr


def test_that_every_event_of_a_turn_has_a_line() -> None:
    assert set(LINES) == set(get_args(TurnEvent))


def test_that_each_message_is_a_turn_from_its_beginning_to_its_totals(mine: Path) -> None:
    code, lines, told = chat(mine, "--model", "gpt-4.1", given="/say One more\n\n/say Two\n")
    assert (code, told) == (0, "")
    kinds = ["turn_started", "call_started", "text", "text", "call_ended", "turn_ended"]
    assert [each["type"] for each in lines[:6]] == kinds
    started, call, one, more, ended, over = lines[:6]
    assert (started["message"], started["queued"]) == ("/say One more", None)
    assert one["text"] + more["text"] == over["reply"] == "One more"
    assert (call["step"], call["model"], call["run"]) == (1, "gpt-4.1", ended["run"])
    assert ended["usage"]["input_tokens"] == call["predicted"]["tokens"] > 0
    assert ended["cost"] is None
    assert over["totals"] == {"calls": 1, "usage": ended["usage"], "cost": None}
    assert (over["end"], over["batch"], over["steps"]) == ("replied", started["batch"], 1)
    assert [each["reply"] for each in of_type(lines, "turn_ended")] == ["One more", "Two"]


def test_that_calls_of_tools_stand_with_their_results_and_sums_are_of_all_calls(mine: Path) -> None:
    arguments = json.dumps({"action": "insert", "text": "likes tea\u2028\x7f"})
    code, lines, told = chat(mine, given=f"/tool recall {arguments}\n")
    assert (code, told) == (0, "")
    (call,), (result,) = of_type(lines, "tool_call"), of_type(lines, "tool_result")
    assert json.loads(call["arguments"]) == json.loads(arguments)
    assert (call["id"], call["name"]) == (result["id"], result["name"])
    assert result["content"].startswith("Kept as arc_")
    assert result["is_error"] is False
    totals = lines[-1]["totals"]
    ended = of_type(lines, "call_ended")
    assert totals["calls"] == len(ended) == 2
    for name in ("input_tokens", "output_tokens"):
        assert totals["usage"][name] == sum(each["usage"][name] for each in ended)


def test_that_a_failed_turn_has_a_line_with_its_code(mine: Path) -> None:
    code, lines, told = chat(mine, given="/error 401 No such key\n")
    assert (code, told) == (1, "")
    (error,) = of_type(lines, "error")
    assert (error["kind"], error["code"]) == ("authentication", "call_failed.authentication")
    assert (error["message"], error["server"]) == ("The key was refused", "No such key")
    assert (error["recoverable"], error["retry_after"]) == (False, None)
    assert lines[-1]["end"] == "failed"
    assert lines[-1]["totals"]["usage"]["input_tokens"] is None


def test_that_a_repair_has_a_line_and_what_was_charged_still_adds_up(mine: Path) -> None:
    _, lines, _ = chat(mine, given="/error 529 Busy, try again in 0s\n")
    assert [each["repair"] for each in of_type(lines, "recovery")][:1] == ["wait"]
    assert lines[-1]["totals"]["calls"] == len(of_type(lines, "call_ended"))


def test_that_an_edit_that_a_person_must_allow_waits_and_nobody_is_asked(mine: Path) -> None:
    edit = json.dumps({"label": "persona", "operation": "append", "text": "x"})
    code, lines, told = chat(mine, "--tools", given=f"/tool block_edit {edit}\n")
    assert code == 0
    assert "approval" not in told
    (asked,) = of_type(lines, "approval_pending")
    waiting = program.said("consent", mine)["requests"]
    assert asked["request"] in {each["id"] for each in waiting}
    assert (asked["label"], asked["id"]) == ("persona", of_type(lines, "tool_call")[0]["id"])


def test_that_what_keeps_a_turn_from_beginning_is_an_error_line_and_the_exit_code(mine: Path) -> None:
    async def pause() -> None:
        async with opened_engine(mine, Environment()) as engine:
            ada = next(each for each in (await engine.agents.list())[0] if each.name == "Ada")
            await put(engine, Ref(RefKind.AGENT, ada.id), ConfigureAgent(status=AgentStatus.PAUSED))

    asyncio.run(pause())
    code, lines, told = chat(mine, given="/say Hi\n")
    assert code == 3
    (error,) = lines
    assert (error["type"], error["code"]) == ("error", "refused.agent_not_active")
    assert error["message"] in told


def test_that_run_says_which_queued_message_each_line_is_of(mine: Path) -> None:
    done = program.run_text("run", mine, *ADA, "--message", "/say Done")
    assert (done.returncode, done.stderr) == (0, "")
    lines = lines_of(done.stdout)
    started = {each["queued"]: each for each in of_type(lines, "turn_started")}
    queued = {each["id"]: each for each in program.said("queue", mine, "--agent", "Ada")["queue"]}
    assert {key: each["message"] for key, each in started.items()} == {
        key: queued[key]["content"] for key in started
    }
    assert lines[-1]["reply"] == "Done"
    assert {each["queued"] for each in lines} == set(started)


def test_that_run_has_a_line_for_an_agent_that_is_paused(mine: Path) -> None:
    done = program.run_text("run", mine, *ADA, "--message", "/error 401")
    assert (done.returncode, done.stderr) == (1, "")
    paused = lines_of(done.stdout)[-1]
    assert paused["type"] == "agent_paused"
    assert paused["message"].startswith("The key was refused")


def test_that_nothing_is_written_where_the_command_can_not_begin(tmp_path: Path) -> None:
    for command in ("chat", "run"):
        done = program.run_text(command, tmp_path / "nowhere.constellation", *ADA, given="/say Hi\n")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr


@contextmanager
def started(module: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A process with pipes, which doesn't outlive a test that fails."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=program.ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def test_that_each_line_is_there_as_soon_as_it_happens(mine: Path) -> None:
    with started("inspector", "chat", mine, *ADA) as chatting:
        assert chatting.stdin is not None
        assert chatting.stdout is not None
        for said in ("One", "Two"):
            chatting.stdin.write(f"/say {said}\n")
            chatting.stdin.flush()
            # Nothing ends the program, so what is read was written at once.
            while (line := json.loads(chatting.stdout.readline()))["type"] != "turn_ended":
                assert line["type"] != "error"
            assert line["reply"] == said
        chatting.stdin.close()
        assert chatting.stdout.read() == ""
        assert chatting.wait(60) == 0


@pytest.mark.slow
def test_that_a_reader_that_leaves_ends_no_turn(mine: Path) -> None:
    with started("inspector", "chat", mine, *ADA) as chatting:
        assert chatting.stdin is not None
        assert chatting.stdout is not None
        assert chatting.stderr is not None
        chatting.stdin.write("/long 2000\n/say Still here\n")
        chatting.stdin.flush()
        assert json.loads(chatting.stdout.readline())["type"] == "turn_started"
        chatting.stdout.close()
        chatting.stdin.close()
        told = chatting.stderr.read()
        assert (chatting.wait(60), told) == (0, "")
    assert "Still here" in program.run_text("build", mine, "--agent", "Ada").stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", ["chat", "run"])
@pytest.mark.parametrize("as_json", [True, False])
def test_that_a_turn_that_waits_for_another_process_says_for_whom(
    tmp_db_dir: Path, command: str, as_json: bool
) -> None:
    file = tmp_db_dir / "ada.constellation"

    async def make() -> None:
        async with opened_engine(file, Environment(), create=True) as engine:
            add_tools(engine.turns.tools, tmp_db_dir)
            await made_agent(engine)

    asyncio.run(make())
    options = ADA if as_json else ADA[:-1]
    given = ("--message", "/say Mine") if command == "run" else ()
    with started("tests.runtime.turn_process", file, "agt_ada", 30) as holding:
        assert holding.stdin is not None
        assert holding.stdout is not None
        holding.stdin.write('/tool wait {"name": "go"}\\n/say Theirs\n')
        holding.stdin.close()
        while holding.stdout.readline() != "tool wait\n":
            assert holding.poll() is None
        with started("inspector", command, file, *options, *given) as waiting:
            assert waiting.stdin is not None
            assert waiting.stdout is not None
            assert waiting.stderr is not None
            waiting.stdin.write("/say Mine\n")
            waiting.stdin.close()
            if as_json:
                line = json.loads(waiting.stdout.readline())
                assert (line["type"], line["agent"], line["holder"]["program"]) == (
                    "waiting",
                    "agt_ada",
                    "other",
                )
            else:
                assert waiting.stderr.readline().startswith("Waiting for the other turn of Ada (")
            (tmp_db_dir / "go").touch()
            rest = waiting.stdout.read()
            assert waiting.wait(60) == 0
        assert holding.wait(60) == 0
    reply = lines_of(rest)[-1]["reply"] if as_json else rest.strip()
    assert reply == "Mine"
