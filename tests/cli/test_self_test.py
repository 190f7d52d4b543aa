"""The self-test of the program: what fails it, and that it passes on this program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.self_test import STEPS, SelfTestRun, found_problems

ROOT = Path(__file__).resolve().parents[2]
EVERY_STEP = tuple({"step": step} for step in STEPS)

# The process under test with one step that goes wrong; the steps after the second one are left out.
FAULTY = """
import sys
from pathlib import Path
from PySide6.QtCore import qWarning
from inspector.ui import self_test
from inspector.ui.app import Program

async def fault(self):
    {fault}
    return {{"panels": 1}}

async def nothing(self):
    return {{}}

test = self_test._SelfTest
for name in ("_edit", "_count", "_build_for_providers", "_call", "_describe", "_export", "_import",
             "_import_history", "_open_dialog"):
    setattr(test, name, nothing)
test._walk_panels = fault
sys.exit(self_test.run(Path(sys.argv[1]), Program))
"""


def run_faulty(notes: Path, fault: str) -> SelfTestRun:
    done = subprocess.run(
        [sys.executable, "-c", FAULTY.format(fault=fault), str(notes)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(notes.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    steps = tuple(json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines())
    return SelfTestRun(done.returncode, done.stdout, steps)


def test_that_every_step_without_a_word_passes() -> None:
    assert found_problems(SelfTestRun(0, " \n", EVERY_STEP)) == []


@pytest.mark.parametrize(
    ("ended", "named"),
    [
        (SelfTestRun(0, "QObject: warning", EVERY_STEP), "QObject: warning"),
        (SelfTestRun(-11, "", EVERY_STEP), "-11"),
        (SelfTestRun(None, "", EVERY_STEP), "minutes"),
        (SelfTestRun(0, "", EVERY_STEP[:-1]), STEPS[-1]),
    ],
)
def test_that_anything_else_is_told(ended: SelfTestRun, named: str) -> None:
    problems = found_problems(ended)
    assert len(problems) == 1
    assert named in problems[0]


@pytest.mark.slow
def test_that_a_warning_of_qt_fails_it(tmp_path: Path) -> None:
    ended = run_faulty(tmp_path / "steps.jsonl", 'qWarning("something is wrong")')
    assert [step["step"] for step in ended.done] == list(STEPS)
    assert ended.code == 0
    assert ended.output.strip() == "something is wrong"
    assert len(found_problems(ended)) == 1
    # What it made for itself is gone with it.
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == set()


@pytest.mark.slow
def test_that_a_step_that_fails_ends_it_and_closes_the_window(tmp_path: Path) -> None:
    ended = run_faulty(tmp_path / "steps.jsonl", 'raise LookupError("no panel there")')
    assert [step["step"] for step in ended.done] == ["start", "sample"]
    assert ended.code == 1
    assert "LookupError: no panel there" in ended.output


@pytest.mark.slow
@pytest.mark.timeout(1000)
def test_that_this_program_passes(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    done = subprocess.run(
        [sys.executable, "-m", "inspector", "--selftest"],
        cwd=ROOT,
        env={**kept, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == len(STEPS) + 1
    assert list(tmp_path.iterdir()) == []
