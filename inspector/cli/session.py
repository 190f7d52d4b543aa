"""Runs one command: opens the file, does the work, and turns errors into a message and an exit code."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from inspector.cli.terminal import write_error, write_line
from inspector.domain.errors import InspectorError, Problem, RefusedError
from inspector.runtime.engine import Engine
from inspector.runtime.environment import SUFFIX, usual_surroundings
from inspector.runtime.wording import word, word_error

T = TypeVar("T")

DONE, INPUT_AT_FAULT, WRONG_USAGE, REFUSED = 0, 1, 2, 3
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


def run(work: Callable[[], Coroutine[Any, Any, T] | Awaitable[T]]) -> int:
    """Do a command's work on a loop of its own and give its exit code.

    What is ours to explain is worded on standard error, without a traceback. An exit code that `work` itself
    returns (an int) is passed on.
    """

    async def begin() -> T:
        return await work()

    try:
        result = asyncio.run(begin())
    except RefusedError as error:
        write_error(word_error(error))
        return REFUSED
    except InspectorError as error:
        write_error(word_error(error))
        _advise(error)
        return INPUT_AT_FAULT
    return result if isinstance(result, int) else DONE


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
    """Name the command that helps with a file, where there is one."""
    advice, path = _ADVICE.get(error.code), str(error.parameters.get("path", ""))
    if advice == _NO_CONSTELLATION and Path(path).suffix != SUFFIX:
        advice = "told.hint_import"
    if advice is not None:
        write_error(word(advice, {"path": path}))
