"""Starts the engine's coroutines from the window, with one path for their errors."""

from __future__ import annotations

import asyncio
import logging
import sys
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Hashable
from functools import partial
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from inspector.domain.changes import Change, FileMoved, Health
from inspector.ui.failures import FailureText, failure_of

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)


def close_generators_on(loop: asyncio.AbstractEventLoop) -> None:
    """Let a loop close the asynchronous generators that are dropped before their end, as Python's own loops do."""

    def close(generator: AsyncGenerator[Any, Any]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda: loop.create_task(generator.aclose()))

    sys.set_asyncgen_hooks(finalizer=close)


class Bridge(QObject):
    """Owns every task of the window.

    `changed` carries each Change, FileMoved and Health of the engine, on Qt's side. `failed` carries a `FailureText`,
    `noticed` a sentence that is shown for a moment.
    """

    changed = Signal(object)
    failed = Signal(object)
    noticed = Signal(str)

    def __init__(self, loop: asyncio.AbstractEventLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loop = loop
        self._tasks: set[asyncio.Task[Any]] = set()
        self._newest: dict[Hashable, asyncio.Task[Any]] = {}
        self._feeds: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()
        self._closing = False

    @property
    def running(self) -> tuple[str, ...]:
        return tuple(sorted(task.get_name() for task in self._tasks))

    @property
    def has_other_work(self) -> bool:
        """Whether something runs that will end, beside the task that asks."""
        return bool(self._others())

    async def others_done(self, seconds: float) -> None:
        """Wait until nothing else runs that will end, at most so long."""
        until = self._loop.time() + seconds
        while (others := self._others()) and (left := until - self._loop.time()) > 0:
            await asyncio.wait(others, timeout=left)

    def spawn(
        self,
        work: Coroutine[Any, Any, _T],
        *,
        name: str,
        on_done: Callable[[_T], None] | None = None,
        on_error: Callable[[BaseException], bool] | None = None,
    ) -> asyncio.Task[_T] | None:
        """Start a coroutine.

        Args:
            work: What to run.
            name: What is being done, as a person would say it; it begins the message when it fails.
            on_done: Told the result, on this thread; a method of a widget that is gone by then is not called, nor a
                function that was written in one.
            on_error: Told the error first; True means that it has been dealt with and nobody else is told.

        Returns:
            The task, or None when the window is closing and nothing is started any more.
        """
        if self._closing:
            work.close()
            return None
        task = self._loop.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._finish(done, on_done, on_error))
        return task

    def supersede(
        self,
        key: Hashable,
        work: Coroutine[Any, Any, _T],
        *,
        name: str,
        on_done: Callable[[_T], None] | None = None,
        on_error: Callable[[BaseException], bool] | None = None,
    ) -> asyncio.Task[_T] | None:
        """Start a coroutine in place of the one with the same key, which is cancelled if it still runs."""
        self.cancel(key)
        task = self.spawn(work, name=name, on_done=on_done, on_error=on_error)
        if task is not None:
            self._newest[key] = task
            task.add_done_callback(lambda done: self._forget(key, done))
        return task

    def cancel(self, key: Hashable) -> None:
        task = self._newest.pop(key, None)
        if task is not None:
            task.cancel()

    def follow(
        self, feed: AsyncIterator[Change | FileMoved | Health], *, key: Hashable, name: str
    ) -> asyncio.Task[None] | None:
        """Turn a feed of changes into the signal `changed`, in place of the feed with the same key."""

        async def pump() -> None:
            async for change in feed:
                self.changed.emit(change)

        task = self.supersede(key, pump(), name=name)
        if task is not None:
            self._feeds.add(task)
        return task

    def report(self, error: BaseException, *, doing: str) -> FailureText:
        """Tell of an error: to the log, and to whoever shows failures."""
        failure = self._logged(error, doing)
        self.failed.emit(failure)
        return failure

    def report_soon(self, error: BaseException, *, doing: str) -> None:
        """Log an error now and tell it later: it comes from a paint, perhaps, where to show anything crashes Qt."""
        failure = self._logged(error, doing)
        QTimer.singleShot(0, self, lambda: self.failed.emit(failure))

    def _logged(self, error: BaseException, doing: str) -> FailureText:
        failure = failure_of(error, doing=doing)
        # What the world or a rule refused is no fault that a trace would help to find.
        _LOG.log(
            logging.ERROR if failure.fault else logging.WARNING,
            "%s",
            failure.happened,
            exc_info=error if failure.fault else None,
        )
        return failure

    async def close(self) -> None:
        """Cancel what runs and wait until it has ended; nothing can be started afterwards."""
        self._closing = True
        this = asyncio.current_task()
        left = [task for task in self._tasks if task is not this]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        self._newest.clear()

    def _others(self) -> list[asyncio.Task[Any]]:
        this = asyncio.current_task(self._loop)
        return [task for task in self._tasks if task is not this and task not in self._feeds]

    def _finish(
        self,
        task: asyncio.Task[Any],
        on_done: Callable[[Any], None] | None,
        on_error: Callable[[BaseException], bool] | None,
    ) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and task.cancelling():
            # Nobody waits for its result any more; how it ended is for the log alone.
            _LOG.warning("%s was cancelled", task.get_name(), exc_info=error)
            return
        if error is None:
            if on_done is not None and not self._closing and not is_gone(on_done):
                on_done(task.result())
        elif on_error is None or is_gone(on_error) or not on_error(error):
            self.report(error, doing=task.get_name())

    def _forget(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        if self._newest.get(key) is task:
            del self._newest[key]


def is_gone(callback: Callable[..., object]) -> bool:
    """Whether it is a method of a Qt object that was deleted, or a function made in such a widget.

    Of a partial function the method in it counts.
    """
    if isinstance(callback, partial):
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    if owner is None:
        # What stores work ends it also when its panel is gone; a widget has nothing left to show it in.
        maker = _maker(callback)
        owner = maker if isinstance(maker, QWidget) else None
    return isinstance(owner, QObject) and not shiboken6.isValid(owner)


def _maker(callback: Callable[..., object]) -> object:
    """The `self` that a function written inside a method refers to."""
    code, cells = getattr(callback, "__code__", None), getattr(callback, "__closure__", None)
    if code is None or not cells or "self" not in code.co_freevars:
        return None
    return cells[code.co_freevars.index("self")].cell_contents
