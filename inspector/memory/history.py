"""Reads the history of a block's content: versions and what differs between them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from inspector.documents.document import Document, EditStamp
from inspector.documents.three_way import ConcurrentDraft, ThreeWayContents, three_way
from inspector.domain.actor import Actor, Clock, IdGenerator
from inspector.domain.blocks import Schema
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.conflicts import conflicts, text_sides
from inspector.domain.differences.contents import diff_contents, texts_of
from inspector.domain.differences.texts import unified
from inspector.domain.edits.base import Edit, Intent, Version
from inspector.domain.errors import MalformedError
from inspector.domain.history import BlockVersion, ThreeWay, VersionContent, VersionDiff
from inspector.domain.rendering.render import limit_length, render_whole
from inspector.domain.snapshot import BlockState
from inspector.memory.document_cache import DocumentCache
from inspector.memory.opened_history import (
    OpenedHistory,
    VersionSource,
    brought_forward,
    contents_of,
    document_of,
    open_history,
    open_if_readable,
    schema_at,
    sources_of,
)
from inspector.memory.refusals import refused
from inspector.memory.schema_change import convert
from inspector.storage import journal_past, updates
from inspector.storage.changes import turned
from inspector.storage.connection import Connection
from inspector.storage.database import Database

T = TypeVar("T")

AT_ONCE = 50
"""Versions that are read in one go, so that edits need not wait for a whole history."""

CACHED_LENGTHS = 50_000


@dataclass(frozen=True, slots=True)
class WayBack:
    """A change of schema that is undone: its number, and the content's versions before and after it."""

    change: int
    before: Version
    after: Version


class BlockHistory:
    """Reads the histories of blocks; it stores nothing. Folded versions are read as others are."""

    def __init__(self, database: Database, replicas: DocumentCache, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._replicas = replicas
        self._clock = clock
        self._ids = ids
        # What a version's length was never changes.
        self._lengths: OrderedDict[tuple[str, Version], int | None] = OrderedDict()

    async def versions(
        self, block_id: str, before: int | None = None, limit: int | None = None
    ) -> tuple[BlockVersion, ...]:
        """The versions, oldest first: who, when, why, and how many characters there were then.

        With `limit`, only so many: the newest, or the newest of those numbered below `before`.
        """
        async with self._database.read() as connection:
            found = await updates.history(connection, block_id, before, limit)
            unknown = [
                each for each in found if each.length is None and not each.pending and each.redacted is None
            ]
            wanted = [each for each in unknown if (block_id, each.version) not in self._lengths]
            opened = await open_if_readable(self._replicas, connection, block_id) if wanted else None
            sources = await sources_of(self._replicas, connection, opened, wanted) if opened else ()
        if opened is not None:
            await self._measure(opened, sources)
        lengths = {each.seq: self._lengths.get((block_id, each.version)) for each in unknown}
        return tuple(replace(each, length=lengths.get(each.seq, each.length)) for each in found)

    async def texts(self, block_id: str, versions: Sequence[BlockVersion]) -> tuple[str | None, ...]:
        """What versions said, rendered whole; None for what cannot be read."""
        async with self._database.read() as connection:
            opened = await open_if_readable(self._replicas, connection, block_id)
            sources = await sources_of(self._replicas, connection, opened, versions) if opened else ()
        if opened is None:
            return (None,) * len(versions)
        return tuple(await self._replicas.run(partial(_measured, opened, sources, render_whole)))

    async def holds(self, edit: Edit, actor: Actor) -> bool:
        """Whether an actor's edit was stored as it is, on the base that it names: a save that nobody heard of."""
        async with self._database.read() as connection:
            return edit.base is not None and await updates.holds(connection, edit, actor)

    async def content_at(
        self, block_id: str, version: Version, schema: Schema | None = None
    ) -> VersionContent:
        """What a version said, by the schema that the block had then, or by the one that is given.

        Raises:
            NotFoundError: ``not_found.block``. RefusedError: ``refused.unreadable_schema``.
            DocumentError: the document cannot be read, or never had that version.
        """
        async with self._database.read() as connection:
            opened = await open_history(self._replicas, connection, block_id)
            read_by = await schema_at(connection, opened, version) if schema is None else schema
            document = await document_of(self._replicas, connection, opened, version)
        return await self._replicas.run(lambda: _content(document, version, read_by))

    async def diff(self, block_id: str, before: Version, after: Version) -> VersionDiff:
        """What differs between any two versions.

        Raises:
            NotFoundError, RefusedError, DocumentError: as `content_at`.
        """
        async with self._database.read() as connection:
            opened = await open_history(self._replicas, connection, block_id)
            old, new = [await schema_at(connection, opened, each) for each in (before, after)]
            first, last = [
                await document_of(self._replicas, connection, opened, each) for each in (before, after)
            ]

        def work() -> tuple[VersionContent, VersionContent]:
            return _content(first, before, old), _content(last, after, new)

        # Comparing takes long at times, and edits must not wait for it.
        return await asyncio.to_thread(_difference, *await self._replicas.run(work))

    async def three_way(self, edit: Edit) -> ThreeWay:
        """A draft beside what others have written since its base version; nothing is stored.

        Without a base version, it is made for the present one. Permissions and limits are not asked.

        Raises:
            NotFoundError, DocumentError: as `content_at`. RefusedError: the draft does not fit its own base.
        """
        async with self._database.read() as connection:
            opened = await open_history(self._replicas, connection, edit.target.id)
            if edit.base is not None:
                is_here = await self._replicas.run(partial(opened.document.knows, edit.base))
                edit = (
                    edit
                    if is_here
                    else await brought_forward(self._replicas, connection, opened.schema, edit)
                )
        stored = opened.state.version
        draft = ConcurrentDraft(edit.operation, stored if edit.base is None else edit.base, stored)
        stamp = EditStamp("", self._clock(), lambda: self._ids("itm"))

        sides = await self._replicas.run(lambda: three_way(opened.document, draft, stamp))
        return await asyncio.to_thread(_three_way, opened.schema, sides, stored)

    async def _measure(self, opened: OpenedHistory, sources: Sequence[VersionSource]) -> None:
        block_id = opened.state.block.id
        for start in range(0, len(sources), AT_ONCE):
            some = sources[start : start + AT_ONCE]
            lengths = await self._replicas.run(partial(_measured, opened, some, limit_length))
            for (_, each), length in zip(some, lengths, strict=True):
                self._lengths[block_id, each.version] = length
        while len(self._lengths) > CACHED_LENGTHS:
            self._lengths.popitem(last=False)


async def converted_version(
    replicas: DocumentCache, connection: Connection, state: BlockState, version: Version, ids: IdGenerator
) -> Content | None:
    """What a version said, as the present schema has it; None when the present document can tell that itself.

    Raises:
        RefusedError: ``refused.restore_would_lose``, the present schema cannot hold all of it.
        DocumentError: the document never had that version.
    """
    opened = await open_history(replicas, connection, state.block.id)
    then = await schema_at(connection, opened, version)
    document = await document_of(replicas, connection, opened, version)
    if then == opened.schema and document is opened.document:
        return None
    content = await replicas.run(lambda: _content(document, version, then).content)
    if then == opened.schema:
        return content
    made = convert(then, opened.schema, content, partial(ids, "itm"))
    if made.lost:
        raise refused("refused.restore_would_lose", label=state.block.label, lost=made.lost)
    return made.content


async def way_back(connection: Connection, intent: Intent) -> WayBack | None:
    """The change of schema that an intent undoes, if it does; its own operation must be one."""
    if intent.undo_of is None:
        return None
    change, block_id = await turned(connection, intent.undo_of), intent.edit.target.id
    before = await journal_past.version_at(connection, block_id, change - 1)
    after = await journal_past.version_at(connection, block_id, change)
    return None if before is None or after is None else WayBack(change, before.version, after.version)


def _content(document: Document, version: Version, schema: Schema) -> VersionContent:
    return VersionContent(version, schema, document.content_at(version, schema))


def _measured(
    opened: OpenedHistory,
    sources: Sequence[VersionSource],
    measure: Callable[[Schema, Content], T],
) -> list[T | None]:
    """The measure of what each version said, None for what cannot be read."""
    found: list[T | None] = []
    for schema, content in contents_of(opened, sources):
        try:
            found.append(None if content is None else measure(schema, content))
        except MalformedError:
            found.append(None)
    return found


def _difference(before: VersionContent, after: VersionContent) -> VersionDiff:
    old, new = (render_whole(each.schema, each.content) for each in (before, after))
    return VersionDiff(before, after, diff_contents(before.content, after.content), unified(old, new))


def _three_way(schema: Schema, sides: ThreeWayContents, stored: Version) -> ThreeWay:
    theirs, mine = diff_contents(sides.base, sides.theirs), diff_contents(sides.base, sides.mine)
    base, others, own = (texts_of(each) for each in (sides.base, sides.theirs, sides.mine))
    texts = {
        name: text_sides(base.get(name, ""), others[name], own.get(name, ""), sides.spans.get(name, ()))
        for name in others
    }
    clashes = conflicts(schema, theirs, mine)
    return ThreeWay(
        schema=schema,
        base=sides.base,
        theirs=sides.theirs,
        mine=sides.mine,
        merged=sides.merged,
        theirs_version=stored,
        refusal=sides.refusal,
        texts=texts,
        conflicts=clashes,
    )
