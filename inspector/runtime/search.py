"""The door to search: what all agents have, or what one of them sees."""

from __future__ import annotations

from inspector.domain.search import SearchQuery, SearchResult
from inspector.memory.search import Searcher
from inspector.storage.database import Database


class SearchDoor:
    """Search over blocks, archival entries, messages and summaries."""

    def __init__(self, database: Database) -> None:
        self._searcher = Searcher(database)

    async def find(self, query: SearchQuery) -> SearchResult:
        """One page of what a query finds, the best first.

        Raises:
            InputError, FileError: as `Searcher.find`.
        """
        return await self._searcher.find(query)

    async def text(self, text: str, *, agent_id: str | None = None) -> SearchResult:
        """The first page of what a text finds, in one agent's view or everywhere."""
        return await self._searcher.find(SearchQuery(text, agent_id))

    async def repair(self) -> int:
        """Make the index anew; gives how many entries were wrong.

        Raises:
            FileError: the file cannot be written.
        """
        return await self._searcher.repair()
