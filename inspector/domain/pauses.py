"""Lets long work in a thread stop for a moment, so that the thread of the window runs first."""

from __future__ import annotations

from collections.abc import Callable

Pause = Callable[[], None]
"""Called after each few milliseconds of work. It returns when the work may go on, and is cheap when it may at once."""


def no_pause() -> None:
    """Go on at once: nobody waits for this thread."""
