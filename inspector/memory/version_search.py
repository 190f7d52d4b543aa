"""Searches past versions of blocks: where words came into a block, and the last version that had them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from inspector.domain.dataclass import dataclass
from inspector.domain.history import BlockVersion
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import FoundState, Hit, SearchQuery
from inspector.domain.search_index import Terms, terms_of
from inspector.domain.snippets import Highlighter
from inspector.memory.history import AT_ONCE, BlockHistory
from inspector.storage import search_scan
from inspector.storage.database import Database
from inspector.storage.search_scan import VersionedBlock

MOST_VERSIONS = 2_000
"""Versions that one search reads: each is made anew from the block's document."""


@dataclass(frozen=True, slots=True)
class FoundVersions:
    """The versions that were found, by block and newest first; `capped` says that not all were read."""

    hits: tuple[Hit, ...]
    capped: bool = False


@dataclass(frozen=True, slots=True)
class _Looked:
    """One version with its text and whether the words stand in it."""

    version: BlockVersion
    text: str
    fits: bool


async def find_versions(database: Database, history: BlockHistory, query: SearchQuery) -> FoundVersions:
    """The versions in which the words of a query came in, and the last ones that had them. No words find nothing.

    Raises:
        FileError: the file cannot be read.
    """
    terms = terms_of(query.text)
    if not terms.terms:
        return FoundVersions(())
    async with database.read() as connection:
        blocks = await search_scan.versioned_blocks(connection, query)
    hits: list[Hit] = []
    left = MOST_VERSIONS
    for block in blocks:
        versions = await history.versions(block.id, limit=left)
        left -= len(versions)
        looked: list[_Looked] = []
        for start in range(0, len(versions), AT_ONCE):
            some = versions[start : start + AT_ONCE]
            texts = await history.texts(block.id, some)
            looked += await asyncio.to_thread(partial(_look, terms, some, texts))
        hits += await asyncio.to_thread(partial(_edges, block, query, looked, Highlighter(terms.terms)))
        if left <= 0:
            return FoundVersions(tuple(hits), capped=True)
    return FoundVersions(tuple(hits))


def _look(terms: Terms, versions: Sequence[BlockVersion], texts: Sequence[str | None]) -> list[_Looked]:
    highlighter = Highlighter(terms.terms)
    pairs = zip(versions, texts, strict=True)
    return [_Looked(each, text or "", text is not None and highlighter.fits(text)) for each, text in pairs]


def _edges(
    block: VersionedBlock, query: SearchQuery, looked: Sequence[_Looked], highlighter: Highlighter
) -> list[Hit]:
    """Versions that have the words beside one that has them not, newest first."""
    around = [None, *looked, None]
    found: list[Hit] = []
    for before, each, after in zip(around, looked, around[2:], strict=False):
        came = before is None or not before.fits
        goes = after is not None and not after.fits
        if each.fits and (came or goes) and _is_within(query, each):
            found.append(_hit(block, each, highlighter))
    return found[::-1]


def _is_within(query: SearchQuery, each: _Looked) -> bool:
    at = each.version.at
    return (query.since is None or at >= query.since) and (query.until is None or at < query.until)


def _hit(block: VersionedBlock, each: _Looked, highlighter: Highlighter) -> Hit:
    return Hit(
        Ref(RefKind.BLOCK, block.id),
        block.owner,
        None,
        FoundState.ACTIVE if block.is_active else FoundState.DELETED,
        each.version.at,
        0.0,
        highlighter.whole(block.label),
        highlighter.best(each.text),
        each.version.seq,
    )
