"""The search service: the language of a search, everything in the file, and in which Requests a text was sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime

from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.counts import Count
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref
from inspector.domain.search import VERSION, Facet, SearchQuery, SearchResult, SearchScope, SentText
from inspector.domain.search_language import ReadSearch, SearchPart, read_search, require_whole
from inspector.memory.history import BlockHistory
from inspector.memory.search import Searcher
from inspector.memory.version_search import find_versions
from inspector.storage.database import Database
from inspector.storage.search_query import Match

Counts = Callable[[str, Sequence[str]], Awaitable[Sequence[Count]]]
"""Counts texts for a model."""
SHORTEST_ID = 4


class SearchService:
    """Finds things by a text in the search language or by a `SearchQuery`. It stores nothing.

    `versions` gives the histories of blocks, `agents` all agents, `counts` the tokens of texts for a model.
    """

    def __init__(
        self,
        database: Database,
        versions: Callable[[], BlockHistory],
        agents: Callable[[], Awaitable[Sequence[Agent]]],
        counts: Counts,
    ) -> None:
        self._database = database
        self._searcher = Searcher(database, self._measure)
        self._versions = versions
        self._agents = agents
        self._counts = counts

    async def read(self, text: str, now: datetime) -> SearchQuery:
        """What a text in the search language asks for; days begin at midnight as in `read_period`.

        Raises:
            InputError: the text is too long, or a key has a value that it can't have: see `read_search`, and
                ``input.search_agent``.
            FileError: the file cannot be read.
        """
        read = read_search(text, now)
        return replace(read.query, owners=await self._owners(read)) if read.agents else read.query

    async def find(self, query: SearchQuery) -> SearchResult:
        """One page of what a query finds; by words alone the best first, and of versions the newest.

        Raises:
            InputError: ``input.page``, as `Searcher.find`; ``input.search_character``, as `named`.
            FileError: the file cannot be read.
        """
        result = await self._searcher.find(query)
        if query.scope is SearchScope.ALL and query.versions:
            result = await self._with_versions(query, result)
        id_ = query.text.strip()
        if query.scope is SearchScope.ALL and len(id_) >= SHORTEST_ID and len(id_.split()) == 1:
            found = await self.named(id_)
            result = replace(result, named=None if found is None else found[0])
        return result

    async def named(self, text: str) -> tuple[Ref, str | None] | None:
        """The thing whose id a text is, alone or behind its kind and a colon, and whose it is.

        Raises:
            InputError: ``input.search_character``, it has half of a character.
            FileError: the file cannot be read.
        """
        require_whole(text)
        ref = Ref.read(text.strip())
        return await self._searcher.named(text.strip() if ref is None else ref.id)

    async def tokens(self, refs: Sequence[Ref]) -> dict[Ref, int]:
        """What the texts of blocks, messages, summaries and archival entries cost the models of their owners.

        Raises:
            FileError: the file cannot be read.
        """
        texts = await self._searcher.texts(refs)
        counted = await self._count([*texts.values()])
        return dict(zip(texts, counted, strict=True))

    async def beginnings(self, refs: Sequence[Ref], letters: int) -> dict[Ref, str]:
        """What messages, summaries and archival entries are known by: their titles, else how their texts begin.

        Raises:
            FileError: the file cannot be read.
        """
        return await self._searcher.beginnings(refs, letters)

    async def sent(self, text: str) -> SentText:
        """In which sent Requests a text stood. Of one that stood in none so, its longest line is looked for.

        Raises:
            InputError: ``input.search_character``, it has half of a character.
            FileError: the file cannot be read.
        """
        asked = text.strip("\n")
        require_whole(asked)
        found = await self._searcher.sent(asked)
        lines = [each.strip() for each in asked.splitlines() if each.strip()]
        if found.count or len(lines) < 2:
            return found
        return await self._searcher.sent(max(lines, key=len))

    async def sent_words(self, text: str, now: datetime) -> SentText | None:
        """In which sent Requests the words of a search text stood, one after the other; None where it has none.

        Raises:
            InputError: as `read`; ``input.search_character``, it has half of a character.
            FileError: the file cannot be read.
        """
        words = (await self.read(text, now)).text.replace('"', "").strip()
        require_whole(words)
        return await self._searcher.sent(words, any_case=True) if words else None

    async def sent_with(self, ref: Ref) -> SentText:
        """In which sent Requests a thing had a piece.

        Raises:
            FileError: the file cannot be read.
        """
        return await self._searcher.sent(ref.id, is_id=True)

    async def repair(self) -> int:
        """Make the index anew; gives how many entries were wrong.

        Raises:
            FileError: the file cannot be written.
        """
        return await self._searcher.repair()

    async def _owners(self, read: ReadSearch) -> frozenset[str]:
        names = await self._searcher.agent_names()
        owners: set[str] = set()
        for part in read.agents:
            owners |= _agents_named(part, names)
        return frozenset(owners)

    async def _with_versions(self, query: SearchQuery, result: SearchResult) -> SearchResult:
        found = await find_versions(self._database, self._versions(), query)
        start = max(0, query.offset - result.total)
        room = query.limit - len(result.hits)
        kinds = {**result.facets.get(Facet.KIND, {}), VERSION: len(found.hits)}
        return replace(
            result,
            hits=(*result.hits, *found.hits[start : start + room]),
            total=result.total + len(found.hits),
            capped=result.capped or found.capped,
            facets={**result.facets, Facet.KIND: kinds} if query.faceted else result.facets,
        )

    async def _measure(self, matches: Sequence[Match]) -> Sequence[int]:
        return await self._count([(each.owner, each.body) for each in matches])

    async def _count(self, texts: Sequence[tuple[str | None, str]]) -> list[int]:
        """What each text costs the model of its owner."""
        models = {agent.id: agent.model for agent in await self._agents()}
        by_model: dict[str, list[int]] = {}
        for place, (owner, _) in enumerate(texts):
            by_model.setdefault(models.get(owner or "") or "", []).append(place)
        counted = [0] * len(texts)
        for model, places in by_model.items():
            counts = await self._counts(model, [texts[place][1] for place in places])
            for place, count in zip(places, counts, strict=True):
                counted[place] = count.tokens
        return counted


def _agents_named(part: SearchPart, names: dict[str, str]) -> set[str]:
    """The ids of the agents that a part names: by id, by name, else by the beginning of a name.

    Raises:
        InputError: ``input.search_agent`` with the names that there are.
    """
    if part.value == CONSTELLATION_OWNER:
        return {CONSTELLATION_OWNER}
    asked = part.value.casefold()
    found = {id_ for id_, name in names.items() if part.value == id_ or name.casefold() == asked}
    found = found or {id_ for id_, name in names.items() if name.casefold().startswith(asked)}
    if not found:
        choices = tuple(sorted(names.values()))
        raise InputError("input.search_agent", value=part.value, at=part.start + 1, choices=choices)
    return found
