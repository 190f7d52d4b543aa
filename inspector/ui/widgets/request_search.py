"""Finds words in the text that a Request view shows, and goes from place to place."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from itertools import islice

from PySide6.QtCore import QObject

from inspector.domain.requests import Request
from inspector.ui.bridge import Bridge
from inspector.ui.widgets.find_bar import FindBar
from inspector.ui.widgets.request_places import RequestRange
from inspector.ui.widgets.request_view import RequestView
from inspector.ui.wording import tr

_MOST_FOUND = 10_000


class RequestSearch(QObject):
    """Connects a find bar with the view that is in front.

    Args:
        bridge: Starts searches, which run in worker threads.
        bar: Where the words are typed.
        view: Gives the view that is searched.
        reveal: Told a place that was gone to, to unfold what hides it.
    """

    def __init__(
        self,
        bridge: Bridge,
        bar: FindBar,
        view: Callable[[], RequestView],
        reveal: Callable[[RequestRange], None],
    ) -> None:
        super().__init__(bar)
        self._bridge, self._bar, self._view, self._reveal = bridge, bar, view, reveal
        self._found: tuple[RequestRange, ...] = ()
        self._at = -1
        self._is_moving = False
        bar.changed.connect(lambda _: self._search(move=True))
        bar.stepped.connect(self._go)
        bar.closed.connect(self._leave)

    def begin(self) -> None:
        """Ask for words; marked text is taken first."""
        chosen = self._view().chosen_text
        self._bar.summon("" if "\n" in chosen else chosen)
        self._search(move=True)

    def again(self) -> None:
        """Search other text for the same words, if anything is searched for."""
        if self._bar.isVisible():
            self._search(move=False)

    def _leave(self) -> None:
        self._take(())
        self._view().setFocus()

    def _search(self, *, move: bool) -> None:
        """Look through the text. `move` brings the first place found into sight."""
        self._is_moving |= move
        rows, words = self._view().rows, self._bar.words
        if rows is None or not words:
            self._bridge.cancel(("request search", self))
            self._take(())
            return
        work = asyncio.to_thread(_find, rows.request, words)
        name = tr("Searching the Request")
        self._bridge.supersede(("request search", self), work, name=name, on_done=self._take)

    def _take(self, found: tuple[RequestRange, ...]) -> None:
        move, self._is_moving = self._is_moving, False
        self._found = found
        self._at = (0 if move else min(max(self._at, 0), len(found) - 1)) if found else -1
        self._show(move=move)

    def _go(self, by: int) -> None:
        if self._found:
            self._at = (self._at + by) % len(self._found)
            self._show(move=True)

    def _show(self, *, move: bool) -> None:
        self._bar.tell(self._at, len(self._found))
        current = self._found[self._at] if self._found else None
        if move and current is not None:
            self._reveal(current)
        self._view().show_found(self._found, current if move else None)


def _find(request: Request, words: str) -> tuple[RequestRange, ...]:
    matches = re.finditer(re.escape(words), request.text, re.IGNORECASE)
    return tuple(RequestRange(match.start(), match.end()) for match in islice(matches, _MOST_FOUND))
