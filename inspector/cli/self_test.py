"""Runs the program's test of itself, with its window, as another process and says what works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspector.cli.terminal import write_error, write_line
from inspector.domain.dataclass import dataclass
from inspector.runtime.wording import word

STEPS = (
    "start",
    "sample",
    "panels",
    "edit",
    "counts",
    "providers",
    "call",
    "keys",
    "bundle",
    "export",
    "import",
    "history",
    "dialogs",
)
_LONGEST_SECONDS = 900
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


@dataclass(frozen=True, slots=True)
class SelfTestRun:
    """How the process under test ended: its exit code, all it wrote, and the steps that are done with their facts."""

    code: int | None
    output: str
    done: tuple[dict[str, Any], ...]


def run_self_test() -> int:
    """Try the whole program in a folder that is removed afterwards; 0 if every step succeeds without a word.

    Any output of the process under test is a failure.
    """
    with tempfile.TemporaryDirectory(prefix="context-inspector-") as name:
        ended = _tried(Path(name, "steps.jsonl"))
    for step in ended.done:
        write_line(word(f"selftest.{step['step']}", step))
    problems = found_problems(ended)
    for problem in problems:
        write_error(problem)
    if not problems:
        write_line(word("selftest.passed", {"steps": len(ended.done)}))
    return 1 if problems else 0


def found_problems(ended: SelfTestRun) -> list[str]:
    """Why the program did not pass, as sentences; none if it did."""
    found = []
    names = [step["step"] for step in ended.done]
    missing = [step for step in STEPS if step not in names]
    if ended.code is None:
        found.append(word("selftest.no_end", {"minutes": _LONGEST_SECONDS // 60}))
    elif ended.code != 0:
        found.append(word("selftest.exit_code", {"code": ended.code}))
    if missing:
        found.append(word("selftest.missing", {"steps": ", ".join(missing)}))
    if ended.output.strip():
        found.append(word("selftest.output", {"output": ended.output.strip()}))
    return found


def _tried(notes: Path) -> SelfTestRun:
    try:
        done = subprocess.run(
            [*own_command(), "--selftest-in", str(notes)],
            env=_environment(notes.parent),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return SelfTestRun(None, (error.output or b"").decode(errors="replace"), _steps(notes))
    return SelfTestRun(done.returncode, done.stdout.decode(errors="replace"), _steps(notes))


def _steps(notes: Path) -> tuple[dict[str, Any], ...]:
    lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
    return tuple(json.loads(line) for line in lines)


def own_command() -> Sequence[str]:
    """What starts this very program: a frozen one is its own interpreter."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "inspector"]


def _environment(folder: Path) -> dict[str, str]:
    """This process's, with a window that nobody sees where there is no screen. Qt keeps its settings in the folder."""
    given = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
    if sys.platform.startswith("linux") and not any(given.get(name) for name in _SCREENS):
        given["QT_QPA_PLATFORM"] = "offscreen"
    return given
