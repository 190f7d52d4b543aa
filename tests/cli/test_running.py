"""Agents talk in the terminal and work their queues: `chat` and `run`, as processes and through pipes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.domain.agents import ToolRuleKind
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import PutToolRule
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.environment import Environment
from tests.cli import program
from tests.fixtures import opened_engine

ADA = ("--agent", "Ada", "--provider", "offline")


def put_exit_rule(file: Path, name: str, tool: str) -> None:
    """Let a tool of an agent end its turns."""

    async def put() -> None:
        async with opened_engine(file, Environment()) as engine:
            agent = next(each for each in (await engine.agents.list())[0] if each.name == name)
            rule = PutToolRule(agent.id, tool, ToolRuleKind.EXIT)
            await engine.apply([Intent(Edit(Ref(RefKind.TOOL_RULE, ""), rule), engine.actor)])

    asyncio.run(put())


def test_that_piped_lines_are_messages_and_replies_stand_alone_on_standard_output(mine: Path) -> None:
    done = program.run_text("chat", mine, *ADA, given="/say One\n\n/say Two\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "One\nTwo\n", "")
    again = program.run_text("chat", mine, *ADA, given="")
    assert (again.returncode, again.stdout) == (0, "")


def test_that_calls_are_shown_beside_the_reply(mine: Path) -> None:
    call = '/tool recall {"action": "insert", "text": "likes tea"}\n'
    done = program.run_text("chat", mine, *ADA, "--tools", given=call)
    assert done.returncode == 0
    assert "recall {" in done.stderr
    assert "✓ Kept as arc_" in done.stderr
    assert "likes tea" in program.run_text("search", mine, "tea").stdout


def test_that_a_failed_turn_is_told_and_is_the_exit_code_of_the_last_one(mine: Path) -> None:
    done = program.run_text("chat", mine, *ADA, given="/error 401\n")
    assert done.returncode == 1
    assert "The key was refused." in done.stderr
    done = program.run_text("chat", mine, *ADA, given="/error 401\n/say Better\n")
    assert (done.returncode, done.stdout) == (0, "Better\n")


def test_that_nobody_behind_a_pipe_is_asked(mine: Path) -> None:
    edit = json.dumps({"label": "persona", "operation": "append", "text": "x"})
    done = program.run_text("chat", mine, *ADA, "--tools", given=f"/tool block_edit {edit}\n")
    assert done.returncode == 0
    assert "Waiting for a person's approval" in done.stderr
    waiting = program.said("consent", mine)["requests"]
    assert [each for each in waiting if each["operation"].get("text") == "x"]


def test_that_run_answers_what_is_queued_and_ends(mine: Path) -> None:
    done = program.run_text("run", mine, *ADA, "--message", "/say Done")
    # Others wait for Ada in the sample, and are answered first.
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "Done")
    assert "Ada: /say Done" in done.stderr
    states = [each["state"] for each in program.said("queue", mine, "--agent", "Ada")["queue"]]
    assert "pending" not in states
    nothing = program.run_text("run", mine, *ADA)
    assert (nothing.returncode, nothing.stdout) == (0, "")


def test_that_run_tells_why_an_agent_is_paused(mine: Path) -> None:
    done = program.run_text("run", mine, *ADA, "--message", "/error 401")
    assert done.returncode == 1
    assert "Ada is paused: The key was refused" in done.stderr
    (left,) = [each for each in program.said("queue", mine)["queue"] if each["content"] == "/error 401"]
    assert left["state"] == "pending"


def test_that_an_agent_goes_on_where_it_asked_for_another_turn(mine: Path) -> None:
    heartbeat = json.dumps({"action": "search", "text": "tea", "request_heartbeat": True})
    put_exit_rule(mine, "Ada", "recall")
    done = program.run_text("chat", mine, *ADA, "--tools", given=f"/tool recall {heartbeat}\n")
    assert done.returncode == 0
    assert "You asked for another turn" in done.stdout


@pytest.mark.parametrize("arguments", [("--agent", "Ada"), ("--agent", "Ada", "--provider", "nobody")])
def test_that_a_provider_is_needed(mine: Path, arguments: tuple[str, ...]) -> None:
    for command in ("chat", "run"):
        done = program.run_text(command, mine, *arguments, given="Hello\n")
        assert done.returncode == 1
        assert done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal to one process")
def test_that_ctrl_c_stops_the_reply_and_not_the_chat(mine: Path) -> None:
    command = [sys.executable, "-m", "inspector", "chat", str(mine), *ADA]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=program.ROOT, stdin=pipe, stdout=pipe, stderr=pipe) as chat:
        assert chat.stdin is not None
        assert chat.stdout is not None
        assert chat.stderr is not None
        chat.stdin.write(b"/slow 20\n/long 100000\n")
        chat.stdin.close()
        begun = os.read(chat.stdout.fileno(), 1)
        chat.send_signal(signal.SIGINT)
        said = begun + chat.stdout.read()
        told = chat.stderr.read().decode()
        assert chat.wait(60) == 0
    assert b"\n" in said
    assert "Stopped." in told
    assert "Traceback" not in told


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal to one process")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_that_run_forever_ends_by_a_signal_and_hands_its_message_back(
    mine: Path, sent: signal.Signals
) -> None:
    message = "/slow 20\n/long 100000"
    command = [sys.executable, "-m", "inspector", "run", str(mine), *ADA, "--forever", "--message", message]
    with subprocess.Popen(command, cwd=program.ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        os.read(run.stdout.fileno(), 1)
        run.send_signal(sent)
        run.stdout.read()
        told = run.stderr.read().decode()
        assert run.wait(60) == 0
    assert "Traceback" not in told
    (left,) = [each for each in program.said("queue", mine)["queue"] if each["content"] == message]
    assert (left["state"], left["lease_until"]) == ("pending", None)
