"""Searcher finds blocks, messages, summaries and archival entries of all agents or of one."""

from __future__ import annotations

import asyncio

from inspector.domain.errors import InputError
from inspector.domain.search import LARGEST_PAGE, Hit, SearchQuery, SearchResult
from inspector.domain.search_index import Terms, terms_of
from inspector.domain.snippets import Highlighter
from inspector.storage import search_query
from inspector.storage.database import Database
from inspector.storage.reindexing import reindex
from inspector.storage.search_query import Match, MatchPage


class Searcher:
    """Finds blocks, archival entries, messages and summaries by what they say."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, query: SearchQuery) -> SearchResult:
        """One page of what a query finds, the best first.

        Raises:
            InputError: ``input.page`` for a page that begins before the first hit, or has no or too many.
            FileError: the file cannot be read.
        """
        if query.offset < 0 or not 1 <= query.limit <= LARGEST_PAGE:
            raise InputError("input.page", offset=query.offset, limit=query.limit, largest=LARGEST_PAGE)
        terms = terms_of(query.text)
        async with self._database.read() as connection:
            matches = await search_query.find(connection, query, terms.terms)
        # Large texts are gone through to find the words in them; nobody waits for that.
        return await asyncio.to_thread(_result, matches, terms)

    async def repair(self) -> int:
        """Make the index anew from what it is made from; gives how many entries were wrong.

        Raises:
            FileError: the file cannot be written.
        """
        async with self._database.write() as tx:
            return await reindex(tx)


def _result(matches: MatchPage, terms: Terms) -> SearchResult:
    highlighter = Highlighter(terms.terms)
    hits = tuple(_hit(match, highlighter) for match in matches.page)
    return SearchResult(hits, matches.total, matches.capped, terms.cut)


def _hit(match: Match, highlighter: Highlighter) -> Hit:
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
