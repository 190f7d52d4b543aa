"""Imports modules of the window while it is used."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import CodeType
from typing import Any

from inspector.domain.pauses import Pause
from inspector.runtime.pausing import in_pauses

_WINDOW, _QT = "inspector.ui.", ("PySide6.", "shiboken6.")
_TURN_SECONDS, _PAUSE_SECONDS = 0.004, 0.001
"""How long modules are imported in one turn of the loop, and what it then has for itself."""


async def import_in_turns(names: Iterable[str]) -> None:
    """Import modules beside a window that is used; returns once all of them are there.

    PySide keeps what it knows of classes in a table without a lock. A class that another thread defines while the
    window's own looks one up there ends the program now and then. So all that uses Qt is imported in the window's
    thread, a few milliseconds in each turn of the loop, and only the rest in another.

    Args:
        names: Full names. What they import is imported with them.
    """
    ordered = await in_pauses(partial(_import_others, tuple(names)))
    began = time.perf_counter()
    for name in ordered:
        if time.perf_counter() - began >= _TURN_SECONDS:
            await asyncio.sleep(_PAUSE_SECONDS)
            began = time.perf_counter()
        import_module(name)


def _import_others(names: Iterable[str], pause: Pause) -> list[str]:
    """The window's modules that aren't imported yet, each after those that it needs. All others are imported."""
    seen: set[str] = set()
    ordered: list[str] = []

    def visit(name: str) -> None:
        if name in seen or name in sys.modules or name.startswith(_QT):
            return
        seen.add(name)
        pause()
        if not name.startswith(_WINDOW):
            import_module(name)
            return
        for each in _imports(name):
            visit(each)
        ordered.append(name)

    for name in names:
        visit(name)
    return ordered


def _loader(name: str) -> Any:
    spec = find_spec(name)
    if spec is None:
        raise ModuleNotFoundError(name)
    return spec.loader


def _imports(name: str) -> list[str]:
    """What a module imports by a name with a dot, nothing else that it names has one."""
    # A frozen program's loader has the method, and is none of importlib's own.
    get_code: Callable[[str], CodeType | None] = _loader(name).get_code
    code = get_code(name)
    return [] if code is None else [each for each in code.co_names if "." in each]
