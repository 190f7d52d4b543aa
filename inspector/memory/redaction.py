"""Removes versions of a block's content for good: nothing of them stays in the history that is kept.

A document keeps all that was ever written into it, and so do its deltas and checkpoints. So the document begins anew
with the present content, as it does when a history is set aside, and the one before it is replaced by an archive: a
document into which the contents of the versions that stay are written again. Their operations go too, as a
replacement quotes what it replaced. Who wrote each version, when and why stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import partial

from inspector.documents.archive import HistoryArchive, fresh_document
from inspector.documents.document import AppliedChange, Document, EditStamp
from inspector.domain.actor import Actor, Clock, IdGenerator
from inspector.domain.blocks import Block, Permission
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent, Version
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.redaction import Redacted, RedactVersions
from inspector.domain.errors import DocumentError, NotFoundError, Parameters, Refusal, RefusedError
from inspector.domain.history import BlockVersion
from inspector.domain.redaction import LEAST_WORD, MOST_TEXTS, RedactionPlan, RedactionResult
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import render_whole
from inspector.domain.secrets import find_secrets, masked
from inspector.domain.snapshot import BlockState, LastWrite
from inspector.memory.consent_grants import partner_id
from inspector.memory.content_rows import ContentRows, first_change
from inspector.memory.contents import tell_of_block
from inspector.memory.document_cache import CachedDocument, Derived, DocumentCache, derive
from inspector.memory.opened_history import (
    OpenedHistory,
    VersionSource,
    contents_of,
    open_history,
    sources_of,
)
from inspector.memory.permissions import WriteContext, check
from inspector.memory.refusals import refused
from inspector.storage import blocks, meta, redaction, updates
from inspector.storage.database import Database
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction

AT_ONCE = 20
"""Versions that are read in one go, so that edits need not wait for a whole history."""

TRIES = 3
"""How often the history is read again because somebody wrote the block meanwhile."""

MOST_BYTES = 64 * 1024 * 1024
"""Of an archive: more can't be read in one piece."""


@dataclass(slots=True)
class _Survey:
    """What was read of a history: its versions, what the redacted ones said, and what the others have of that."""

    opened: OpenedHistory
    versions: tuple[BlockVersion, ...]
    numbers: tuple[int, ...]
    refusal: Refusal | None = None
    secrets: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    lost: list[int] = field(default_factory=list)
    holding: list[int] = field(default_factory=list)

    @property
    def texts(self) -> tuple[str, ...]:
        """What to look for elsewhere: secrets, then the longest words."""
        words = sorted(self.words - self.secrets, key=lambda word: (-len(word), word))
        return (*sorted(self.secrets), *words)[:MOST_TEXTS]


@dataclass(frozen=True, slots=True)
class _MadeAnew:
    """The document that the block goes on with, its first delta and bytes, and the archive's bytes."""

    fresh: Document
    first: AppliedChange
    snapshot: bytes
    derived: Derived
    archive: bytes


class VersionRedactor:
    """Removes the contents of versions; see the module."""

    def __init__(self, database: Database, replicas: DocumentCache, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._replicas = replicas
        self._journal = Journal(clock, ids)
        self._rows = ContentRows(replicas, self._journal)

    async def plan(self, block_id: str, numbers: Sequence[int]) -> RedactionPlan:
        """What redacting versions would do; nothing is stored.

        Raises:
            NotFoundError: ``not_found.block``, ``not_found.version``. RefusedError: ``refused.unreadable_schema``.
            DocumentError: the document cannot be read.
        """
        survey = await self._survey(block_id, numbers, None)
        state = survey.opened.state
        return RedactionPlan(
            block_id,
            state.block.label,
            state.version,
            survey.numbers,
            min((each.change_seq for each in survey.versions if each.seq in survey.numbers), default=0),
            tuple(survey.lost),
            tuple(survey.holding),
            tuple(masked(each) for each in sorted(survey.secrets)),
            survey.texts,
            refusal=survey.refusal,
        )

    async def places(self, block_id: str, texts: Sequence[str]) -> dict[str, int]:
        """How many rows of which tables have any of some texts, the block's own history left out.

        Raises:
            FileError: the file cannot be read.
        """
        found: dict[str, int] = {}
        for table in redaction.tables_to_search() if texts else ():
            # One scope each: no commit can pass a read that is open.
            async with self._database.read() as connection:
                count = await redaction.count_quotes(connection, table, texts, block_id)
            if count:
                found[table.name] = count
        return found

    async def redact(
        self, block_id: str, numbers: Sequence[int], actor: Actor, reason: str
    ) -> RedactionResult:
        """Redact versions in one transaction. Freed parts of the file are to be cleaned after that.

        Raises:
            NotFoundError, DocumentError: as `plan`. RefusedError: why it can't be done. FileError: the file cannot be
            written. Nothing was changed then.
        """
        if not actor.is_person:
            raise refused("refused.people_only", operation=RedactVersions.op)
        self._database.require_writable()
        for _ in range(TRIES):
            stamp = EditStamp(actor.name, self._journal.clock(), lambda: self._journal.ids("itm"))
            archive = HistoryArchive(stamp)
            survey = await self._survey(block_id, numbers, archive)
            if survey.refusal is not None:
                raise RefusedError(survey.refusal)
            made = await self._replicas.run(partial(_made_anew, survey.opened, archive, stamp))
            if len(made.archive) > MOST_BYTES:
                raise refused("refused.redact_too_large", label=survey.opened.state.block.label)
            by = Intent(
                Edit(Ref(RefKind.BLOCK, block_id), RedactVersions(survey.numbers)), actor, reason, at=stamp.at
            )
            async with self._database.write() as tx:
                state = await blocks.get(tx, block_id)
                if state is not None and _is_same(state, survey.opened.state):
                    await _check_person(tx, state.block, actor)
                    return await self._store(tx, by, survey, made)
        raise refused("refused.redact_busy", label=survey.opened.state.block.label)

    async def _survey(self, block_id: str, numbers: Sequence[int], archive: HistoryArchive | None) -> _Survey:
        async with self._database.read() as connection:
            opened = await open_history(self._replicas, connection, block_id)
            versions = await updates.history(connection, block_id)
            wanted = _wanted(versions, numbers)
            refusal = _refusal(opened.state, versions, wanted)
            sources = await sources_of(self._replicas, connection, opened, versions)
        survey = _Survey(opened, versions, wanted, refusal)
        gone = set(wanted)
        redacted = [each for each in sources if each[1].seq in gone]
        kept = [each for each in sources if each[1].seq not in gone and each[1].redacted is None]
        for some in _chunks(redacted):
            await self._replicas.run(partial(_read_redacted, survey, some))
        for some in _chunks(kept):
            await self._replicas.run(partial(_read_kept, survey, some, archive))
        present = opened.state.content
        if survey.refusal is None and present is not None:
            shown = render_whole(opened.schema, present)
            survey.words = {each for each in survey.words if each not in shown}
            if any(each in shown for each in survey.secrets):
                survey.refusal = Refusal("refused.redact_still_there", {"label": opened.state.block.label})
        return survey

    async def _store(self, tx: Transaction, by: Intent, survey: _Survey, made: _MadeAnew) -> RedactionResult:
        state, at = survey.opened.state, self._journal.moment(by)
        block, ref, before = state.block, by.edit.target, state.revision
        self._replicas.forget(block.id)
        numbers = (*survey.numbers, *survey.lost)
        change = await tx.record(
            kind=RedactVersions.op,
            ref=ref,
            actor=by.actor,
            reason=by.reason,
            at=at,
            owner=block.owner,
            before={"version": state.version},
            after={"version": made.fresh.version, "length": made.derived.length, "versions": list(numbers)},
        )
        marks = {
            each.seq: Redacted(each.op or "", by.actor, at) for each in survey.versions if each.seq in numbers
        }
        await redaction.overwrite_deleted(tx)
        await redaction.empty_history(tx, block.id, before, marks)
        if made.archive:
            await updates.add_checkpoint(tx, block.id, _checkpoint(before, state.version, made.archive), at)
        replica = CachedDocument(made.fresh, survey.opened.schema, before, made.fresh.version)
        await self._rows.store(tx, by, block, replica, change, replace(made.first, before=state.version))
        derived = made.derived
        stored = blocks.StoredContent(replica.version, replica.seq, derived.content, derived.rendered)
        written = state.written or LastWrite(by.actor, at, by.reason)
        blocks.put_content(tx, block.id, stored, written, updated_at=block.updated_at)
        self._replicas.trust.made(block.id, made.snapshot)
        last = _checkpoint(replica.seq, replica.version, made.snapshot)
        await updates.add_checkpoint(tx, block.id, last, at)
        await meta.put(tx, meta.UNCLEANED, "1")
        tell_of_block(self._journal, tx, by, block)
        return RedactionResult(change, survey.numbers, tuple(survey.lost), is_clean=False)


async def _check_person(tx: Transaction, block: Block, actor: Actor) -> None:
    """Pass if a person may write the block: the partner's own ones are the partner's."""
    partner = await partner_id(tx) if block.permission is Permission.PARTNER else None
    overwriting = RestoreVersion(Version(""))
    check(block, overwriting, WriteContext(actor, None, partner, unlock=True))


def _made_anew(opened: OpenedHistory, archive: HistoryArchive, stamp: EditStamp) -> _MadeAnew:
    content = opened.state.content
    if content is None:
        raise DocumentError("document.unreadable")
    fresh = fresh_document(opened.schema, content, stamp)
    fresh.schema = opened.schema
    derived = derive(opened.schema, fresh.content())
    return _MadeAnew(fresh, first_change(fresh), fresh.export_snapshot(), derived, archive.snapshot())


def _wanted(versions: Sequence[BlockVersion], numbers: Sequence[int]) -> tuple[int, ...]:
    """The versions to redact, without those that are redacted already."""
    existing = {each.seq: each for each in versions}
    for number in numbers:
        if number not in existing:
            names = tuple(str(each.seq) for each in versions[-20:])
            raise NotFoundError("not_found.version", name=str(number), candidates=names)
    return tuple(sorted({each for each in numbers if existing[each].redacted is None}))


def _refusal(state: BlockState, versions: Sequence[BlockVersion], numbers: Sequence[int]) -> Refusal | None:
    label = state.block.label
    if not numbers:
        return Refusal("refused.redacted_already", {"label": label})
    if state.content is None or any(each.pending for each in versions):
        return Refusal("refused.redact_incomplete", {"label": label})
    if any(each.seq in numbers and each.version == state.version for each in versions):
        return Refusal("refused.redact_current", {"label": label})
    return None


def _read_redacted(survey: _Survey, sources: Sequence[VersionSource]) -> None:
    """Note what redacted versions said that is worth looking for."""
    for (_, version), (schema, content) in zip(sources, contents_of(survey.opened, sources), strict=True):
        if content is None:
            continue
        if content == survey.opened.state.content and survey.refusal is None:
            parameters: Parameters = {"label": survey.opened.state.block.label, "version": version.seq}
            survey.refusal = Refusal("refused.redact_same_as_current", parameters)
        text = render_whole(schema, content)
        survey.secrets |= {text[each.start : each.end] for each in find_secrets(text)}
        survey.words |= {word for word in text.split() if len(word) >= LEAST_WORD}


def _read_kept(survey: _Survey, sources: Sequence[VersionSource], archive: HistoryArchive | None) -> None:
    """Write versions that stay into the archive, and note what they have of the redacted ones."""
    for (_, version), (schema, content) in zip(sources, contents_of(survey.opened, sources), strict=True):
        if content is None or (archive is not None and not archive.add(version.version, schema, content)):
            survey.lost.append(version.seq)
            continue
        text = render_whole(schema, content)
        survey.words = {each for each in survey.words if each not in text}
        if any(each in text for each in survey.secrets):
            survey.holding.append(version.seq)


def _chunks(sources: Sequence[VersionSource]) -> Iterator[Sequence[VersionSource]]:
    return (sources[start : start + AT_ONCE] for start in range(0, len(sources), AT_ONCE))


def _checkpoint(upto: int, version: Version, snapshot: bytes) -> updates.Checkpoint:
    return updates.Checkpoint(upto, version, snapshot, updates.hash_of(snapshot))


def _is_same(now: BlockState, then: BlockState) -> bool:
    return (now.version, now.revision, now.block.schema) == (then.version, then.revision, then.block.schema)
