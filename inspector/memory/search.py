"""Searcher finds blocks, messages, summaries, archival entries, tools and events of all agents or of one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from operator import attrgetter

from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import (
    GROUPS,
    INDEXED_KINDS,
    LARGEST_PAGE,
    Facet,
    FacetCounts,
    Hit,
    SearchQuery,
    SearchResult,
    SearchScope,
    SentText,
)
from inspector.domain.search_index import Terms, terms_of
from inspector.domain.snippets import Highlighter
from inspector.storage import agents, search_query, search_scan
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.reindexing import reindex
from inspector.storage.search_query import Match, Weighed, WeighedRows

Measure = Callable[[Sequence[Match]], Awaitable[Sequence[int]]]
"""Gives the tokens of some texts."""
_MEASURED_AT_ONCE = 200
_WITHOUT = {
    Facet.KIND: lambda query: replace(query, kinds=frozenset()),
    Facet.OWNER: lambda query: replace(query, owners=frozenset()),
    Facet.ROLE: lambda query: replace(query, roles=frozenset()),
    Facet.MONTH: lambda query: replace(query, since=None, until=None),
}
_Found = Weighed | Match


class Searcher:
    """Finds things by what they say. `measure` is what counts tokens, for queries that ask for so many."""

    def __init__(self, database: Database, measure: Measure | None = None) -> None:
        self._database = database
        self._measure = measure

    async def find(self, query: SearchQuery) -> SearchResult:
        """One page of what a query finds, the best first.

        Raises:
            InputError: ``input.page`` for a page that begins before the first hit, or has no or too many.
            FileError: the file cannot be read.
        """
        if query.offset < 0 or not 1 <= query.limit <= LARGEST_PAGE:
            raise InputError("input.page", offset=query.offset, limit=query.limit, largest=LARGEST_PAGE)
        terms = terms_of(query.text)
        highlighter = Highlighter(terms.terms)
        found, capped = await self._found(query, terms, highlighter)
        facets = await self._facets(query, terms, highlighter, found) if query.faceted else {}
        chosen = found[query.offset : query.offset + query.limit]
        async with self._database.read() as connection:
            read = await _read(connection, chosen)
        # Large texts are gone through to find the words in them; nobody waits for that.
        hits = await asyncio.to_thread(lambda: tuple(hit_of(match, highlighter) for _, match in read))
        return SearchResult(hits, len(found), capped, terms.cut, facets)

    async def agent_names(self) -> dict[str, str]:
        """All agents' names by id.

        Raises:
            FileError: the file cannot be read.
        """
        async with self._database.read() as connection:
            return await agents.names(connection)

    async def named(self, id_: str) -> tuple[Ref, str | None] | None:
        """The thing of an id, and whose it is.

        Raises:
            FileError: the file cannot be read.
        """
        async with self._database.read() as connection:
            return await search_scan.named(connection, id_)

    async def texts(self, refs: Sequence[Ref]) -> dict[Ref, tuple[str | None, str]]:
        """The owners and whole texts of things that the index holds.

        Raises:
            FileError: the file cannot be read.
        """
        async with self._database.read() as connection:
            return await search_query.texts(connection, refs)

    async def beginnings(self, refs: Sequence[Ref], letters: int) -> dict[Ref, str]:
        """The titles of things that the index holds, of what has none the beginning of its text.

        Raises:
            FileError: the file cannot be read.
        """
        async with self._database.read() as connection:
            return await search_query.beginnings(connection, refs, letters)

    async def sent(self, text: str, *, is_id: bool = False, any_case: bool = False) -> SentText:
        """In which sent Requests a text stood; with `is_id`, which had a piece of the thing of that id.

        With `any_case`, a to z and A to Z are the same.

        Raises:
            FileError: the file cannot be read.
        """
        async with self._database.read() as connection:
            return await search_scan.sent(connection, text, is_id=is_id, any_case=any_case)

    async def repair(self) -> int:
        """Make the index anew from what it is made from; gives how many entries were wrong.

        Raises:
            FileError: the file cannot be written.
        """
        async with self._database.write() as tx:
            return await reindex(tx)

    async def _found(
        self, query: SearchQuery, terms: Terms, highlighter: Highlighter
    ) -> tuple[list[_Found], bool]:
        """All that is found, in its order, and whether there is more."""
        indexed = not query.wanted_kinds or not query.wanted_kinds.isdisjoint(INDEXED_KINDS)
        weighed = WeighedRows((), capped=False)
        others: list[Match] = []
        async with self._database.read() as connection:
            if indexed and (query.kinds or not query.versions):
                weighed = await search_query.weigh(connection, query, terms.terms)
            if query.scope is SearchScope.ALL and query.wants(RefKind.TOOL):
                others += await search_scan.tools(connection, query, highlighter.fits)
            if query.scope is SearchScope.ALL and query.wants(RefKind.EVENT):
                others += await search_scan.events(connection, query, terms.terms, highlighter.fits)
        found: list[_Found] = [*weighed.rows, *others]
        if query.grouped:
            there = {*map(attrgetter("kind"), found)}
            kinds = (kind.value for kind in GROUPS if kind.value in there)
            found = [each for kind in kinds for each in found if each.kind == kind]
        if not query.tokens.is_open:
            found = await self._of_length(query, found)
        return found, weighed.capped or len(others) >= search_scan.MOST_EVENTS

    async def _of_length(self, query: SearchQuery, found: Sequence[_Found]) -> list[_Found]:
        """Those of as many tokens as a query asks for. Their texts are read and counted a few at a time."""
        if self._measure is None:
            raise InputError("input.search_uncounted")
        kept: list[_Found] = []
        for start in range(0, len(found), _MEASURED_AT_ONCE):
            some = found[start : start + _MEASURED_AT_ONCE]
            async with self._database.read() as connection:
                read = await _read(connection, some)
            tokens = await self._measure([match for _, match in read])
            kept += [each for (each, _), count in zip(read, tokens, strict=True) if count in query.tokens]
        return kept

    async def _facets(
        self, query: SearchQuery, terms: Terms, highlighter: Highlighter, found: Sequence[_Found]
    ) -> FacetCounts:
        """What is found by its sides; a side that the query limits is counted without that limit."""
        counted: dict[Facet, dict[str, int]] = {}
        for facet, value_of in _VALUES.items():
            wider = _WITHOUT[facet](query)
            # Whole texts are counted for a limit of tokens: once is enough.
            of = (
                found
                if wider == query or not query.tokens.is_open
                else (await self._found(wider, terms, highlighter))[0]
            )
            counted[facet] = dict(Counter(filter(None, map(value_of, of))).most_common())
        return counted


def hit_of(match: Match, highlighter: Highlighter) -> Hit:
    """A match with the words marked in its title and in the stretch of its text that shows them best."""
    return Hit(
        match.ref,
        match.owner,
        match.role,
        match.state,
        match.at,
        match.score,
        highlighter.whole(match.title),
        highlighter.best(match.body),
    )


async def _read(connection: Connection, found: Sequence[_Found]) -> list[tuple[_Found, Match]]:
    """What was found with its texts, without what is gone since."""
    matches = await search_query.matches(connection, [each for each in found if isinstance(each, Weighed)])
    read = ((each, matches.get(each.id) if isinstance(each, Weighed) else each) for each in found)
    return [(each, match) for each, match in read if match is not None]


_VALUES: dict[Facet, Callable[[_Found], str | None]] = {
    Facet.KIND: attrgetter("kind"),
    Facet.OWNER: attrgetter("owner"),
    Facet.ROLE: attrgetter("role"),
    Facet.MONTH: attrgetter("month"),
}
