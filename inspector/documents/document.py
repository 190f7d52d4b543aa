"""One block's content as a Loro document."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from typing import Any

from loro import ContainerID, ExportMode, Frontiers, LoroDoc, LoroText, VersionVector

from inspector.documents.element_cache import ElementCache, cached_at, touched_between
from inspector.documents.errors import guarded
from inspector.documents.loro_replica import EPOCH, FORMER_VERSIONS, AppliedChange, ForkCache, LoroReplica
from inspector.documents.rebase import depends_on_base, rebased_operation
from inspector.documents.shapes.registry import check_kind, shape_for
from inspector.documents.shapes.shape import Shape
from inspector.documents.shapes.text import TextShape, splice_text
from inspector.documents.stamp import EditStamp
from inspector.documents.text_history import TextEdits, TextHistory
from inspector.documents.text_undo import text_undo
from inspector.domain.blocks import Schema, TextSchema
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.backwards import taken_back
from inspector.domain.differences.contents import diff_parts, parts_of
from inspector.domain.differences.not_reverted import left_over
from inspector.domain.edits.access import single_operations
from inspector.domain.edits.base import Operation, Version
from inspector.domain.edits.history import RestoreVersion, TakeBack
from inspector.domain.errors import DocumentError
from inspector.domain.history import VersionSpan

__all__ = ["AppliedChange", "Document", "EditStamp", "MergeStatus"]


class MergeStatus(StrEnum):
    """What came of an update: its operations are in, wait for others that are missing, or were in already."""

    APPLIED = "applied"
    PENDING = "pending"
    UNCHANGED = "known"


@dataclass(frozen=True, slots=True)
class _Read:
    """What a reading found: all of a content, or (`content` None) only elements that are still the same."""

    frontiers: Frontiers
    version: Version
    schema: Schema
    content: Content | None
    elements: Mapping[ContainerID, Any]


class Document:
    """One block's document. It belongs to one thread; each instance writes as a peer of its own."""

    def __init__(self, schema: Schema, doc: LoroDoc, read: _Read | None = None) -> None:
        self.schema = schema
        self._replica = LoroReplica(doc)
        self._read = read
        self._trail = ForkCache()

    @classmethod
    def create(
        cls, schema: Schema, content: Content | None = None, stamp: EditStamp | None = None
    ) -> Document:
        """A new document with that content and the schema's defaults.

        Without a stamp, the first change has no time and ids are random.

        Raises:
            RefusedError: when the content breaks the schema.
        """
        document = cls(schema, LoroDoc())  # type: ignore[no-untyped-call]
        document.fill(content, stamp or EditStamp("", EPOCH, lambda: secrets.token_hex(8)))
        return document

    @classmethod
    def load(cls, schema: Schema, snapshot: bytes | None, updates: Iterable[bytes] = ()) -> Document:
        """The document of a snapshot and the updates since, in any order.

        Raises:
            DocumentError: ``document.unreadable``, ``document.damaged`` (a checksum is wrong) or
                ``document.newer`` (written by a newer version).
        """
        doc = LoroDoc()  # type: ignore[no-untyped-call]
        with guarded("document.unreadable", reading=True):
            if snapshot is not None:
                doc.import_(snapshot)
            for update in updates:
                doc.import_(update)
        return cls(schema, doc)

    @property
    def version(self) -> Version:
        """The version that the document is at now."""
        return self._replica.version

    def knows(self, version: Version) -> bool:
        """Whether a version is in this history."""
        try:
            self._replica.frontiers(version)
        except DocumentError:
            return False
        return True

    def name_versions(self, names: Mapping[Version, Version], stamp: EditStamp) -> None:
        """Let versions of this history be found under another document's names for them, which come first."""

        def write() -> tuple[str, ...]:
            given = self._doc.get_map(FORMER_VERSIONS)
            for former, own in names.items():
                given.insert(former, own)
            return ()

        self._replica.change(write, stamp.at)

    def brought_forward(self, operation: Operation, base: Version) -> Operation:
        """What was meant for an earlier version, as an operation for the present one; nothing is changed.

        Raises:
            RefusedError: it does not fit the base. DocumentError: ``document.unknown_version``.
        """
        frontiers = self._replica.frontiers(base)
        return self._rebased(operation, frontiers) if depends_on_base(operation) else operation

    @property
    def peer(self) -> str:
        """This replica's id, as decimal text."""
        return self._replica.peer

    @property
    def own_operations(self) -> int:
        """How many operations this replica has made: the counter of its next one."""
        with guarded("document.failed"):
            last = self._doc.oplog_vv.get_last(self._doc.peer_id)
        return 0 if last is None else last + 1

    @property
    def has_pending(self) -> bool:
        """Whether updates wait here for others that they build on."""
        with guarded("document.failed"):
            return self._doc.export_pending_updates() is not None

    @property
    def text_length(self) -> int | None:
        """The code points of a text, without reading it; None for any other schema."""
        shape = self._shape()
        with guarded("document.failed"):
            return shape.length if isinstance(shape, TextShape) else None

    def apply(
        self,
        operation: Operation,
        stamp: EditStamp,
        base: Version | None = None,
        spans: Sequence[VersionSpan] = (),
    ) -> AppliedChange | None:
        """Do an operation; None when it changes nothing.

        `base` is the version that the operation was made for, None for the present one. Positions and whole
        bodies made for an older version are rebased onto what came since. Whatever names what it changes by id is
        applied at present: it hits the right one, or is refused when that is gone. `spans` are for taking back,
        see `undo`.

        Raises:
            RefusedError: when the operation does not fit schema or content.
            DocumentError: ``document.unknown_version`` for a base outside this history, ``document.failed``.
                In both cases the document is as it was.
        """
        if isinstance(operation, TakeBack):
            return self.undo(operation.before, operation.after, stamp, spans)
        if isinstance(operation, RestoreVersion):
            return self._restore(operation.version, base or self.version, stamp)
        if base is not None and base != self.version:
            frontiers = self._replica.frontiers(base)
            if depends_on_base(operation):
                operation = self._rebased(operation, frontiers)
        shape = self._shape()
        return self._replica.change(lambda: _apply_all(shape, operation, stamp), stamp.at)

    def content(self) -> Content:
        """The content at the present version."""
        version, read = self.version, self._read
        if (
            read is not None
            and read.content is not None
            and (read.version, read.schema) == (version, self.schema)
        ):
            return read.content
        shape, cache = self._shape(), self._cache()
        with guarded("document.failed"):
            content = shape.content(cache)
            self._read = _Read(self._doc.state_frontiers, version, self.schema, content, cache.elements)
        return content

    def content_at(self, version: Version, schema: Schema | None = None) -> Content:
        """The content at an earlier version, as read by the schema of then (None: by the present one).

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        if version == self.version and schema in (None, self.schema):
            return self.content()
        return self.at(version, schema).content()

    def at(self, version: Version, schema: Schema | None = None) -> Document:
        """A document of its own with the history up to an earlier version, under a schema of then.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        frontiers = self._replica.frontiers(version)
        fork = self._replica.fork(frontiers)
        read_by = self.schema if schema is None else schema
        return Document(read_by, fork.doc, self._read_at(frontiers, version, read_by))

    def trial(self) -> Document:
        """A copy to try edits on. What waits for updates that are missing is not in it."""
        with guarded("document.failed"):
            copy = Document(self.schema, self._doc.fork(), self._read)
        # Of what they have in common: to go through the history once is enough for all trials.
        copy._trail = self._trail
        return copy

    def contents_at(self, versions: Iterable[Version], schema: Schema | None = None) -> Iterator[Content]:
        """The contents at several versions, which is quicker than asking for one after the other.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        at = self._replica.frontiers(self.version)
        fork = self._replica.fork(at)
        with guarded("document.failed"):
            shape = shape_for(fork.doc, self.schema if schema is None else schema)
        elements: Mapping[ContainerID, Any] = {}
        for version in versions:
            frontiers = self._replica.frontiers(version)
            with guarded("document.failed"):
                cache = cached_at(self._doc, elements, at, frontiers)
                fork.doc.checkout(frontiers)
                content = shape.content(cache)
            at, elements = frontiers, cache.elements
            yield content

    def text_edits(self, versions: Sequence[Version]) -> tuple[TextEdits, ...]:
        """What each step from the first of several versions to the last did to the texts.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        start = self._replica.fork(self._replica.frontiers(versions[0]))
        history = TextHistory(self._replica, start, self._texts())
        return tuple(history.go(version) for version in versions[1:])

    def merge(self, update: bytes) -> MergeStatus:
        """Take in an update or a snapshot from elsewhere. Updates that miss others are kept until those come.

        Raises:
            DocumentError: as `load`; the content is as it was.
        """
        with guarded("document.unreadable", reading=True):
            LoroDoc.decode_import_blob_meta(update, True)
        before = self.version
        if self._replica.import_(update).pending is not None:
            return MergeStatus.PENDING
        return MergeStatus.UNCHANGED if self.version == before else MergeStatus.APPLIED

    def export_snapshot(self) -> bytes:
        """The whole document with its history. Pending updates are not in it."""
        with guarded("document.failed"):
            return self._doc.export(ExportMode.Snapshot())

    def export_updates(self, since: Version | None = None) -> bytes:
        """All changes since a version, or from the beginning.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        cache = None if since is None else self._replica.frontiers(since)
        with guarded("document.failed"):
            vector = None if cache is None else self._doc.frontiers_to_vv(cache)
            return self._doc.export(ExportMode.Updates(vector or VersionVector()))  # type: ignore[no-untyped-call]

    def undo(
        self, before: Version, after: Version, stamp: EditStamp, spans: Sequence[VersionSpan] = ()
    ) -> AppliedChange | None:
        """Take back what lies between two versions, as a new change; None when nothing of it is left.

        What was set, moved or removed again since then stays. With the present as `after`, this makes the
        content what it was at `before`. `spans` are this change, those that were taken back or made again since
        then, and what did that, in order: what an undo has put back counts as never gone.

        Raises:
            DocumentError: ``document.unknown_version``.
            RefusedError: when what comes back breaks the schema; the document is as it was.
        """
        texts = self._texts()
        edits = text_undo(self._replica, texts, before, after, spans)

        def splice_texts() -> None:
            # Also where the texts will say the same: these are other characters, and the next undo asks for them.
            for section, splices in edits.items():
                if splices:
                    splice_text(texts[section], splices)

        if isinstance(self.schema, TextSchema):
            # No part of it has a name, so nothing is to be told.
            return self._replica.change(splice_texts, stamp.at)
        # The present one first: what the others share with it is not read again.
        present = self.content()
        old, new = self.content_at(before), self.content_at(after)
        shape, cache = self._shape(), self._cache()

        def step() -> tuple[str, ...]:
            splice_texts()
            # That was of texts alone, so all elements are still those that are known.
            there = shape.content(cache) if any(edits.values()) else present
            shape.become(taken_back(self.schema, old, new, there), cache)
            return ()

        made = self._replica.change(step, stamp.at)
        if made is None:
            return None
        wanted, done = diff_parts(old, new), diff_parts(present, self.content())
        return replace(made, changed_ids=parts_of(done), skipped=left_over(wanted, done))

    def discard(self, applied: AppliedChange) -> None:
        """Forget the last change, which nobody else has seen, as if it had not been made.

        Raises:
            DocumentError: ``document.not_the_last``, when others came after it.
        """
        if self.version != applied.version:
            raise DocumentError("document.not_the_last", version=applied.version)
        self._replica.reset(self._replica.frontiers(applied.before))

    def fill(self, content: Content | None, stamp: EditStamp) -> AppliedChange | None:
        """Write the first content under this schema, with its defaults; see `create`.

        The containers that the schema uses must be empty: it adds and does not replace.

        Raises:
            RefusedError: when the content breaks the schema; the document is as it was.
        """
        check_kind(self.schema, content)
        shape = self._shape()

        def write() -> tuple[str, ...]:
            shape.fill(content, stamp)
            return ()

        return self._replica.change(write, stamp.at)

    def become(self, content: Content, stamp: EditStamp) -> AppliedChange | None:
        """Make the content this one, with the ids that it has; None when it is that already.

        Raises:
            RefusedError: when what is not there yet breaks the schema; the document is as it was.
        """
        check_kind(self.schema, content)
        shape, cache = self._shape(), self._cache()

        def write() -> tuple[str, ...]:
            shape.become(content, cache)
            return ()

        return self._replica.change(write, stamp.at)

    def _next_counter(self, version: Version, peer: str) -> int:
        """How many operations of a replica a version has: the counter of its next one."""
        frontiers = self._replica.frontiers(version)
        with guarded("document.failed"):
            vector = self._doc.frontiers_to_vv(frontiers)
            last = None if vector is None else vector.get_last(int(peer))
        return 0 if last is None else last + 1

    @property
    def _doc(self) -> LoroDoc:
        return self._replica.doc

    def _shape(self) -> Shape:
        with guarded("document.failed"):
            return shape_for(self._doc, self.schema)

    def _texts(self) -> dict[str, LoroText]:
        return self._shape().texts()

    def _cache(self) -> ElementCache:
        """What was read before and still holds. Not to be asked for inside a change."""
        read = self._read
        if read is None or read.schema != self.schema:
            return ElementCache()
        with guarded("document.failed"):
            return cached_at(self._doc, read.elements, read.frontiers, self._doc.state_frontiers)

    def _read_at(self, frontiers: Frontiers, version: Version, schema: Schema) -> _Read | None:
        """What was read of this document and holds at another version too."""
        read = self._read
        if read is None or read.schema != schema or not read.elements:
            return None
        with guarded("document.failed"):
            touched = touched_between(self._doc, read.frontiers, frontiers)
        if touched is None:
            return None
        same = {container: each for container, each in read.elements.items() if container not in touched}
        return _Read(frontiers, version, schema, None, same)

    def _restore(self, version: Version, base: Version, stamp: EditStamp) -> AppliedChange | None:
        """Undo what came between; where both say the same, nothing did for those who restore.

        Nor where somebody else has restored it since: it would be there twice.
        """
        if self.content_at(version) in (self.content_at(base), self.content()):
            return None
        return self.undo(version, base, stamp)

    def _rebased(self, operation: Operation, base: Frontiers) -> Operation:
        """What was meant for an earlier version, as an operation for the present one."""
        fork = self._trail.fork(self._replica, base)
        earlier, present = Document(self.schema, fork.doc).content(), self.content()
        if earlier == present:
            # Whatever came since was taken back: to Loro the characters are others, to everybody else the same.
            return operation
        since = TextHistory(self._replica, fork, self._texts()).go(self.version)
        return rebased_operation(operation, earlier, present, since)


def _apply_all(shape: Shape, operation: Operation, stamp: EditStamp) -> tuple[str, ...] | None:
    """Do the operations that an operation consists of; gives the ids of what they changed, None for nothing."""
    changed = [shape.apply(each, stamp) for each in single_operations(operation)]
    done = [each for each in changed if each is not None]
    return tuple(dict.fromkeys(chain.from_iterable(done))) if done else None
