"""Asks the engine for what a search text finds, by pages, and keeps the hits with the one that is current."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import INDEXED_KINDS, VERSION, Facet, FacetCounts, Hit, SearchResult
from inspector.runtime.session import FileSession
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import LiveFile
from inspector.ui.wording import tr, tr_error

PAGE = 100
_PAUSE_SECONDS = 0.04
"""Between the last key and the search: who types fast asks once."""


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """The heading of the hits of one kind."""

    kind: str


@dataclass(frozen=True, slots=True)
class FoundMore:
    """More hits: the next page, or with `is_anew` all from the first one on."""

    result: SearchResult
    is_anew: bool


FoundRow = FoundGroup | Hit
_Result = TypeVar("_Result")


class FoundList(QObject):
    """What is found of one text. A new text cancels the search that runs.

    `changed` tells of other hits or another state, `moved` of another current hit, `measured` of figures of tokens.
    """

    changed = Signal()
    moved = Signal()
    measured = Signal()

    def __init__(self, bridge: Bridge, live: LiveFile, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge, self._live = bridge, live
        self.text = ""
        self.rows: list[FoundRow] = []
        self.total = 0
        self.facets: FacetCounts = {}
        self.fault = ""
        """Why the text can't be searched for."""
        self.named: Ref | None = None
        self.is_capped = self.is_reading = False
        self.current = -1
        """The row of the current hit, -1 for none."""
        self.tokens: dict[Ref, int] = {}
        self._count = 0
        self._found_for = ""
        """The text that the hits are of."""
        self._moves = 0
        """How far to go once the next page is there."""

    @property
    def hit(self) -> Hit | None:
        found = self.rows[self.current] if 0 <= self.current < len(self.rows) else None
        return found if isinstance(found, Hit) else None

    @property
    def place(self) -> int:
        """Which of all hits the current one is, from 1; 0 for none."""
        hits = sum(isinstance(each, Hit) for each in self.rows[: self.current + 1])
        return hits if self.hit is not None else 0

    @property
    def is_other(self) -> bool:
        """Whether the hits are still those of another text: the one that is typed is searched for, or can't be."""
        return bool(self.rows) and self.text != self._found_for

    @property
    def has_more(self) -> bool:
        return self._count < self.total

    def search(self, text: str) -> None:
        """Look for a text in place of the one before; nothing but spaces ends the search."""
        self._moves = 0
        self.text, self.named = text, None
        session = self._live.session
        if session is None or not text.strip():
            self.clear()
            return
        self.is_reading = True
        self._start(_find(session, text), self._take)

    def clear(self) -> None:
        """Forget what was found: another file is shown, or nothing is looked for."""
        self._bridge.cancel(("search everywhere", self))
        self.is_reading = False
        self._put(SearchResult((), 0))

    def read_on(self) -> None:
        """Read the next page, unless one is being read or there is none."""
        session = self._live.session
        if self.has_more and not self.is_reading and session is not None:
            self.is_reading = True
            self._start(_find_on(session, self.text, self._count, self.total), self._take_more)

    def choose(self, row: int) -> None:
        """Make a row the current hit; a heading is none."""
        if row != self.current and 0 <= row < len(self.rows) and isinstance(self.rows[row], Hit):
            self.current = row
            self.moved.emit()

    def step(self, by: int) -> bool:
        """Go to the next hit or the one before, round at the ends; says whether that hit is there already."""
        places = [at for at, each in enumerate(self.rows) if isinstance(each, Hit)]
        if not places:
            return False
        at = places.index(self.current) + by if self.current in places else (0 if by > 0 else -1)
        if self.has_more and not 0 <= at < len(places):
            # Backwards from the first hit, that is page for page up to the last one.
            self._moves = by
            self.read_on()
            return False
        self.choose(places[at % len(places)])
        return True

    def _start(self, work: Coroutine[object, object, _Result], done: Callable[[_Result], None]) -> None:
        self._bridge.supersede(
            ("search everywhere", self), work, name=tr("Searching"), on_done=done, on_error=self._fail
        )
        self.changed.emit()

    def _fail(self, error: BaseException) -> bool:
        self.is_reading = False
        self.fault = tr_error(error) if isinstance(error, InputError) else ""
        self.changed.emit()
        return isinstance(error, InputError)

    def _take(self, result: SearchResult) -> None:
        self.is_reading = False
        self._put(result)

    def _put(self, result: SearchResult, hit: Hit | None = None) -> None:
        """List what was found in place of what was listed; `hit` stays the current one where it is found again."""
        self.fault, self.current, self._count = "", -1, 0
        self._found_for = self.text
        self.rows, self.tokens = [], {}
        self.total, self.facets = result.total, result.facets
        self.is_capped, self.named = result.capped, result.named
        self._add(result.hits)
        if hit is not None:
            rows = enumerate(self.rows)
            self.current = next(
                (at for at, each in rows if isinstance(each, Hit) and _is_same(each, hit)), -1
            )
        self.changed.emit()

    def _take_more(self, found: FoundMore) -> None:
        self.is_reading = False
        result = found.result
        if found.is_anew:
            self._put(result, self.hit)
        else:
            if not result.hits:
                # What was there is gone since.
                self.total = self._count
            self._add(result.hits)
            self.changed.emit()
        moves, self._moves = self._moves, 0
        if moves:
            self.step(moves)

    def _add(self, hits: Sequence[Hit]) -> None:
        last = self.rows[-1] if self.rows else None
        kind = last.kind if last is not None else ""
        for hit in hits:
            if hit.kind != kind:
                kind = hit.kind
                self.rows.append(FoundGroup(kind))
            self.rows.append(hit)
        self._count += len(hits)
        session = self._live.session
        refs = [hit.ref for hit in hits if hit.ref.kind in INDEXED_KINDS and hit.version is None]
        if refs and session is not None:
            self._bridge.supersede(
                ("search tokens", self),
                session.engine.search.tokens(refs),
                name=tr("Counting tokens"),
                on_done=self._measure,
            )

    def _measure(self, tokens: dict[Ref, int]) -> None:
        self.tokens |= tokens
        self.measured.emit()


async def _find(session: FileSession, text: str) -> SearchResult:
    await asyncio.sleep(_PAUSE_SECONDS)
    return await _page(session, text, 0)


async def _find_on(session: FileSession, text: str, count: int, total: int) -> FoundMore:
    """The page behind so many hits, or where others wrote meanwhile, so that it begins elsewhere, all up to its end."""
    result = await _page(session, text, count)
    if result.total == total:
        return FoundMore(result, is_anew=False)
    first = page = await _page(session, text, 0)
    hits = list(first.hits)
    while page.hits and len(hits) < count + PAGE:
        page = await _page(session, text, len(hits))
        hits += page.hits
    return FoundMore(replace(first, hits=tuple(hits)), is_anew=True)


async def _page(session: FileSession, text: str, offset: int) -> SearchResult:
    search = session.engine.search
    # Without a zone, as the offset of today isn't that of every day.
    now = session.engine.surroundings.clock().astimezone().replace(tzinfo=None)
    query = await search.read(text, now)
    return await search.find(replace(query, limit=PAGE, offset=offset, grouped=True, faceted=not offset))


def _is_same(one: Hit, other: Hit) -> bool:
    return (one.ref, one.version) == (other.ref, other.version)


def kind_of(hit: Hit) -> RefKind | None:
    """The kind of what a hit is, None for a past version."""
    return None if hit.kind == VERSION else hit.ref.kind


def counted(facets: FacetCounts, kind: str) -> int | None:
    """How many hits of a kind there are, None where that was not counted."""
    return facets.get(Facet.KIND, {}).get(kind)
