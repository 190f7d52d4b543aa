"""Opens a block's history: its present document, the ones set aside, and which of them has which version.

A history can go on in a new document: when the one before it has become too large, or when versions were redacted.
What was made for a version of before a redaction is brought forward to the first version after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from inspector.documents.document import Document
from inspector.domain.blocks import Schema, UnreadableSchema
from inspector.domain.codec import write_time
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Version
from inspector.domain.edits.history import RestoreVersion, TakeBack
from inspector.domain.edits.redaction import Redacted, Withheld
from inspector.domain.errors import DocumentError, MalformedError, NotFoundError, RefusedError
from inspector.domain.history import BlockVersion
from inspector.domain.snapshot import BlockState
from inspector.memory.document_cache import DocumentCache
from inspector.memory.refusals import refused
from inspector.storage import blocks, updates
from inspector.storage.connection import Connection

VersionSource = tuple[Document, BlockVersion]
"""A version, and the document to read it from."""


@dataclass(frozen=True, slots=True)
class OpenedHistory:
    """A block with its document, which may be ahead of what the block says is stored."""

    state: BlockState
    schema: Schema
    schema_changes: tuple[tuple[int, str], ...]
    document: Document

    def schema_after(self, change: int) -> Schema:
        """The schema that the block had after a change.

        Raises:
            RefusedError: ``refused.unreadable_schema``.
        """
        text = self.schema_text_after(change)
        return self.schema if text is None else _readable(blocks.schema_of(text), self.state)

    def schema_text_after(self, change: int) -> str | None:
        """That schema as it was stored, None when it still is the present one."""
        return next((before for seq, before in self.schema_changes if seq > change), None)


async def open_history(replicas: DocumentCache, connection: Connection, block_id: str) -> OpenedHistory:
    """A block's history, to read from.

    Raises:
        NotFoundError: ``not_found.block``. RefusedError: ``refused.unreadable_schema``.
        DocumentError: the document cannot be read.
    """
    state = await blocks.get(connection, block_id)
    if state is None:
        raise NotFoundError("not_found.block", name=block_id)
    schema = _readable(state.block.schema, state)
    changes = await updates.schema_changes(connection, block_id)
    document = await replicas.reading(connection, block_id, schema, state.version)
    return OpenedHistory(state, schema, changes, document)


async def open_if_readable(
    replicas: DocumentCache, connection: Connection, block_id: str
) -> OpenedHistory | None:
    """As `open_history`, None where that fails."""
    try:
        return await open_history(replicas, connection, block_id)
    except (NotFoundError, RefusedError, DocumentError):
        # The list of versions stands without their lengths.
        return None


async def schema_at(connection: Connection, opened: OpenedHistory, version: Version) -> Schema:
    """The schema that the block had at a version.

    Raises:
        RefusedError: ``refused.unreadable_schema``.
    """
    if not opened.schema_changes:
        return opened.schema
    change = await updates.change_of(connection, opened.state.block.id, version)
    return opened.schema if change is None else opened.schema_after(change)


async def document_of(
    replicas: DocumentCache, connection: Connection, opened: OpenedHistory, version: Version
) -> Document:
    """The document to read a version from, if any has it.

    Raises:
        RefusedError: ``refused.redacted_version``. DocumentError: the one that has it cannot be read.
    """
    block_id = opened.state.block.id
    document = await replicas.with_version(connection, block_id, opened.document, version)
    if not await replicas.run(partial(document.knows, version)):
        gone = await updates.operation_of(connection, block_id, version)
        if isinstance(gone, Redacted):
            raise _redacted(gone)
    return document


async def sources_of(
    replicas: DocumentCache, connection: Connection, opened: OpenedHistory, versions: Sequence[BlockVersion]
) -> tuple[VersionSource, ...]:
    """Each version with the document to read it from; one that no document has stands with the present one."""
    found: list[VersionSource] = []
    document, block_id = opened.document, opened.state.block.id
    for each in versions:
        candidates = (document, opened.document)
        wanted = await replicas.run(partial(_knowing, candidates, each.version))
        if wanted is None and each.redacted is None:
            try:
                wanted = await replicas.with_version(connection, block_id, opened.document, each.version)
            except DocumentError:
                wanted = None
        if wanted is not None:
            document = wanted
        found.append((wanted or opened.document, each))
    return tuple(found)


def contents_of(
    opened: OpenedHistory, sources: Sequence[VersionSource]
) -> Iterator[tuple[Schema, Content | None]]:
    """What versions said, each with its schema; None for what cannot be read. Runs in the documents' thread."""
    for (_, text), group in groupby(
        sources, key=lambda each: (id(each[0]), opened.schema_text_after(each[1].change_seq))
    ):
        some = list(group)
        schema = opened.schema if text is None else blocks.schema_of(text)
        if isinstance(schema, UnreadableSchema):
            yield from ((opened.schema, None) for _ in some)
            continue
        document, versions = some[0][0], [each.version for _, each in some]
        try:
            contents: list[Content | None] = list(document.contents_at(versions, schema))
        except (DocumentError, MalformedError):
            contents = [_content_alone(document, each, schema) for each in versions]
        yield from ((schema, content) for content in contents)


async def brought_forward(
    replicas: DocumentCache, connection: Connection, schema: Schema, edit: Edit
) -> Edit:
    """An edit made for a version of before a redaction, as one for the first version after that; else the edit itself.

    Raises:
        RefusedError: ``refused.redacted_version``, it was made for a redacted one; ``refused.before_redaction``, what
            it takes back lies before one; or it does not fit its base.
        DocumentError: the archive cannot be read.
    """
    block_id, operation = edit.target.id, edit.operation
    if isinstance(operation, TakeBack | RestoreVersion):
        named = (
            (operation.version,)
            if isinstance(operation, RestoreVersion)
            else (operation.after, operation.before)
        )
        for each in named:
            gone = await updates.operation_of(connection, block_id, each)
            if isinstance(gone, Redacted):
                raise _redacted(gone)
            if isinstance(gone, Withheld) and isinstance(operation, TakeBack):
                raise refused("refused.before_redaction")
    if edit.base is None:
        return edit
    was = await updates.operation_of(connection, block_id, edit.base)
    if isinstance(was, Redacted):
        raise _redacted(was)
    archive = await updates.set_aside(connection, block_id, edit.base) if isinstance(was, Withheld) else None
    if archive is None:
        return edit
    await replicas.trust.examine(archive)
    base = await updates.version_of(connection, block_id, archive.upto_seq + 1)

    def work() -> Edit:
        document = Document.load(schema, archive.snapshot)
        there = document.brought_forward(operation, edit.base or document.version)
        return replace(edit, operation=there, base=base)

    return await replicas.run(work)


def _redacted(gone: Redacted) -> RefusedError:
    return refused("refused.redacted_version", by=gone.by.name, at=write_time(gone.at)[:16].replace("T", " "))


def _readable(schema: Schema | UnreadableSchema, state: BlockState) -> Schema:
    if isinstance(schema, UnreadableSchema):
        raise refused("refused.unreadable_schema", label=state.block.label, why=schema.why)
    return schema


def _knowing(documents: Sequence[Document], version: Version) -> Document | None:
    return next((each for each in documents if each.knows(version)), None)


def _content_alone(document: Document, version: Version, schema: Schema) -> Content | None:
    try:
        return document.content_at(version, schema)
    except (DocumentError, MalformedError):
        return None
