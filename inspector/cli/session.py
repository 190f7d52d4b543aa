"""Runs one command: opens the file, does the work, and turns errors into a message and an exit code."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, ParamSpec

from inspector.cli.terminal import write_error, write_line
from inspector.domain.errors import InspectorError, Problem, RefusedError
from inspector.runtime.engine import Engine
from inspector.runtime.environment import SUFFIX, usual_surroundings
from inspector.runtime.wording import word, word_error

P = ParamSpec("P")

DONE, INPUT_AT_FAULT, WRONG_USAGE, REFUSED, CONDITION_FAILED = 0, 1, 2, 3, 4
_NO_CONSTELLATION = "told.hint_no_constellation"
_ADVICE = {
    "file.damaged": "told.hint_salvage",
    "file.foreign_objects": "told.hint_salvage",
    "file.no_id": "told.hint_salvage",
    "file.no_migration": "told.hint_salvage",
    "file.no_version": "told.hint_salvage",
    "file.wrong_schema": "told.hint_salvage",
    "file.not_a_constellation": _NO_CONSTELLATION,
}


@asynccontextmanager
async def opened(path: Path, older: Literal["refuse", "copy"] = "copy") -> AsyncIterator[Engine]:
    """The engine on a file, closed at the end. Without a write the file stays as it was."""
    engine = await Engine.open(path, usual_surroundings(), older=older)
    try:
        yield engine
    finally:
        await engine.close()


def asynchronous(work: Callable[P, Coroutine[Any, Any, int | None]]) -> Callable[P, None]:
    """A command that runs a coroutine on a loop of its own, and ends with the exit code that it gives, if any.

    What is ours to explain is worded on standard error, without a traceback.
    """

    @functools.wraps(work)
    def command(*values: P.args, **named: P.kwargs) -> None:
        try:
            code = asyncio.run(work(*values, **named))
        except RefusedError as error:
            write_error(word_error(error))
            sys.exit(REFUSED)
        except InspectorError as error:
            write_error(word_error(error))
            _advise(error)
            sys.exit(INPUT_AT_FAULT)
        sys.exit(code or DONE)

    return command


def plain_problem(problem: Problem) -> dict[str, str]:
    """A problem as the contract's JSON has it."""
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "where": problem.where,
        "message": word(problem.code, problem.parameters),
    }


def print_problems(problems: Sequence[Problem]) -> None:
    """Print one line for each problem."""
    for problem in problems:
        write_line(f"{problem.severity.value}: {problem_line(problem)}")


def problem_line(problem: Problem) -> str:
    """A problem and its place as one line."""
    return f"{word(problem.code, problem.parameters)} [{problem.where}]"


def _advise(error: InspectorError) -> None:
    advice, path = _ADVICE.get(error.code), str(error.parameters.get("path", ""))
    if advice == _NO_CONSTELLATION and Path(path).suffix != SUFFIX:
        advice = "told.hint_import"
    if advice is not None:
        write_error(word(advice, {"path": path}))
