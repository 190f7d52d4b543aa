"""An inspector killed while it answers: each edit is in exactly once, or its request still waits."""
# ruff: noqa: ASYNC251 - nothing else waits for the loop of a test

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentState
from inspector.domain.edits.text import AppendText
from tests.file_checks import problems_in
from tests.memory.consent_builders import asked
from tests.memory.world import new_world

ROOT = Path(__file__).resolve().parents[2]
REQUESTS = 120


def answerer(path: Path, tag: str) -> subprocess.Popen[str]:
    """The process that `tests.memory.answering_process` is, once it has opened the file."""
    command = [sys.executable, "-m", "tests.memory.answering_process", str(path), tag]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
@pytest.mark.timeout(200)
async def test_that_kills_between_answers_apply_no_edit_twice_and_lose_none(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make("notes", "", permission=Permission.HUMAN, char_limit=0)
        marks: dict[str, str] = {}
        for number in range(REQUESTS):
            mark = f"<{number}>"
            marks[await asked(world, block, AppendText(mark))] = mark
        delays = random.Random(20261121)
        told: list[str] = []
        for turn in range(4):
            process = answerer(world.database.path, f"k{turn}_")
            assert process.stdout is not None
            first = process.stdout.readline()
            time.sleep(delays.uniform(0, 0.1))
            process.kill()
            said = first + process.communicate()[0]
            told += [line[1:-1] for line in said.split("\n")[:-1] if line.startswith("<")]
        requests, _ = await world.consent.requests()
        text = await world.text(block)
        granted = {each.id for each in requests if each.state is ConsentState.GRANTED}
        assert granted
        assert set(told) <= granted
        assert {each: text.count(mark) for each, mark in marks.items()} == {
            each: int(each in granted) for each in marks
        }
    assert problems_in(world.database.path) == ()
