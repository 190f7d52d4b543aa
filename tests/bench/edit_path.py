"""What one edit goes through: the modules and functions of the engine that run, and how deep the calls are.

    python -m tests.bench.edit_path [-v]

An edit of one letter, after some of its kind, in all threads: up to the end of its commit, and with the Request made
anew after it. Depth: the named functions of ours that stand on one another from `Engine.edit` to the shape that
changes the Loro document, across the threads. With ``-v`` the names.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import inspector
from inspector.documents.shapes.text import TextShape
from inspector.domain.edits.text import Splice, SpliceText
from inspector.runtime.engine import Engine
from tests.bench.durable_edit import AGENT, BLOCK, make

MOST_TO_COMMIT, MOST_IN_ALL, DEEPEST = 38, 75, 9
WARM = 5
_ROOT = str(Path(inspector.__file__).parent)


class Trace:
    """Notes what runs, in every thread that begins after it was made."""

    def __init__(self, edit: Callable[[], Coroutine[Any, Any, object] | None]) -> None:
        self.functions: set[CodeType] = set()
        self.deepest: list[CodeType] = []
        self.calls = 0
        self.on = False
        self._edit = edit
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def end(self) -> None:
        """Note no more."""
        threading.setprofile(None)
        sys.setprofile(None)

    @property
    def modules(self) -> list[str]:
        """The files of the engine in which anything ran."""
        return sorted({each.co_filename.removeprefix(_ROOT) for each in self.functions})

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if not self.on or event != "call" or not code.co_filename.startswith(_ROOT):
            return
        self.calls += 1
        self.functions.add(code)
        if code is TextShape.apply.__code__:
            below = list(reversed(list(_below(frame))))
            # In another thread they stand on nothing; in the loop's own all stand on one another.
            waiting = [each for each in _awaited(self._edit()) if each not in below]
            self.deepest = [*waiting, *below]


def _awaited(coroutine: Any) -> Iterator[CodeType]:
    """The functions of ours that wait for one another."""
    while coroutine is not None:
        code = getattr(coroutine, "cr_code", None)
        if code is not None and _is_named(code):
            yield code
        coroutine = getattr(coroutine, "cr_await", None)


def _below(frame: FrameType | None) -> Iterator[CodeType]:
    while frame is not None:
        if _is_named(frame.f_code):
            yield frame.f_code
        frame = frame.f_back


def _is_named(code: CodeType) -> bool:
    return code.co_filename.startswith(_ROOT) and "<" not in code.co_qualname


def _print_all(name: str, codes: list[CodeType]) -> None:
    print(f"\n{name}")
    for each in codes:
        print(f"  {each.co_filename.removeprefix(_ROOT)}:{each.co_firstlineno} {each.co_qualname}")


async def measure(folder: Path, *, is_verbose: bool) -> bool:
    """Print what one edit goes through; gives whether all is within the limits."""
    running: list[Coroutine[Any, Any, object]] = []
    trace = Trace(lambda: running[-1] if running else None)
    engine = await make(folder / "a.constellation")

    async def edit(position: int) -> None:
        version = (await engine.memory.get(BLOCK.id)).version  # type: ignore[union-attr]
        running.append(engine.edit(BLOCK.id, SpliceText((Splice(position, 0, "x"),)), base=version))
        trace.on = position == WARM
        await running[-1]
        trace.on = False

    for position in range(WARM + 1):
        await edit(position)
        if position < WARM:
            await _rebuilt(engine)
    modules, functions = trace.modules, len(trace.functions)
    print(f"up to the commit: {len(modules)} modules, {functions} functions, {trace.calls} calls")
    trace.on = True
    await _rebuilt(engine)
    trace.on = False
    print(f"with the Request: {len(trace.modules)} modules, {len(trace.functions)} functions")
    print(f"from Engine.edit to the shape: {len(trace.deepest)} calls")
    if is_verbose:
        _print_all("calls", trace.deepest)
        print("\nmodules up to the commit", *modules, sep="\n  ")
        print("\nmodules of the Request", *sorted(set(trace.modules) - set(modules)), sep="\n  ")
        _print_all(
            "functions", sorted(trace.functions, key=lambda each: (each.co_filename, each.co_firstlineno))
        )
    trace.end()
    await engine.close()
    within = (
        len(modules) <= MOST_TO_COMMIT,
        len(trace.modules) <= MOST_IN_ALL,
        len(trace.deepest) <= DEEPEST,
    )
    return all(within)


async def _rebuilt(engine: Engine) -> None:
    await engine.context.request(AGENT.id)


def main(arguments: list[str]) -> int:
    """Measure and judge."""
    with tempfile.TemporaryDirectory() as folder:
        return int(not asyncio.run(measure(Path(folder), is_verbose="-v" in arguments)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
