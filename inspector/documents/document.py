"""One block's content as a Loro document."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum

from loro import ExportMode, LoroDoc, VersionVector

from inspector.documents.errors import guarded
from inspector.documents.replica import Applied, Replica
from inspector.documents.shapes.shape import Shape
from inspector.documents.shapes.table import check_kind, shape_for
from inspector.documents.shapes.text import TextShape
from inspector.documents.stamp import Stamp
from inspector.domain.blocks import Schema
from inspector.domain.content import Content
from inspector.domain.edits.base import Operation, Version
from inspector.domain.errors import DocumentError

__all__ = ["Applied", "Document", "MergeStatus", "Stamp"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class MergeStatus(StrEnum):
    """What came of an update: its operations are in, wait for others that are missing, or were in already."""

    APPLIED = "applied"
    PENDING = "pending"
    KNOWN = "known"


class Document:
    """One block's document. It belongs to one thread; each instance writes as a peer of its own."""

    def __init__(self, schema: Schema, doc: LoroDoc) -> None:
        self.schema = schema
        self._replica = Replica(doc)

    @classmethod
    def create(cls, schema: Schema, content: Content | None = None, stamp: Stamp | None = None) -> Document:
        """A new document with that content and the schema's defaults.

        Without a stamp, the first change has no time and ids are random.

        Raises:
            RefusedError: when the content breaks the schema.
        """
        document = cls(schema, LoroDoc())  # type: ignore[no-untyped-call]
        document.fill(content, stamp or Stamp("", _EPOCH, lambda: secrets.token_hex(8)))
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
        """The present version."""
        return self._replica.version

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
        with guarded("document.failed"):
            shape = self._shape()
            return shape.length if isinstance(shape, TextShape) else None

    def apply(self, operation: Operation, stamp: Stamp, base: Version | None = None) -> Applied | None:
        """Do an operation; None when it changes nothing.

        `base` is the version that the operation was made for, None for the present one. Positions and whole
        bodies made for an older version are applied there and merged. Whatever names what it changes by id is
        applied at present: it hits the right one, or is refused when that is gone.

        Raises:
            RefusedError: when the operation does not fit schema or content.
            DocumentError: ``document.unknown_version`` for a base outside this history, ``document.failed``.
                In both cases the document is as it was.
        """
        shape = self._shape()
        if base is not None and base != self.version:
            frontiers = self._replica.frontiers(base)
            if shape.merges(operation):
                fork = self._replica.fork(frontiers)
                there = shape_for(fork.doc, self.schema)
                return self._take(fork.change(lambda: there.apply(operation, stamp), stamp.at))
        return self._replica.change(lambda: shape.apply(operation, stamp), stamp.at)

    def content(self) -> Content:
        """The present content."""
        with guarded("document.failed"):
            return self._shape().content()

    def content_at(self, version: Version) -> Content:
        """The content at an earlier version.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        if version == self.version:
            return self.content()
        fork = self._replica.fork(self._replica.frontiers(version))
        with guarded("document.failed"):
            return shape_for(fork.doc, self.schema).content()

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
        return MergeStatus.KNOWN if self.version == before else MergeStatus.APPLIED

    def export_snapshot(self) -> bytes:
        """The whole document with its history. Pending updates are not in it."""
        with guarded("document.failed"):
            return self._doc.export(ExportMode.Snapshot())

    def export_updates(self, since: Version | None = None) -> bytes:
        """All changes since a version, or from the beginning.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        known = None if since is None else self._replica.frontiers(since)
        with guarded("document.failed"):
            vector = None if known is None else self._doc.frontiers_to_vv(known)
            return self._doc.export(ExportMode.Updates(vector or VersionVector()))  # type: ignore[no-untyped-call]

    def inverse(self, before: Version, after: Version) -> bytes:
        """An update that takes back what lies between two versions and leaves all that came later.

        Empty when there is nothing to take back. It is not applied here.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        made = self._inverse(before, after, _EPOCH)
        return b"" if made is None else made.update

    def undo(self, before: Version, after: Version, stamp: Stamp) -> Applied | None:
        """Take back what lies between two versions, as a new change; None when that changes nothing.

        With the present as `after`, this restores an older version.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        return self._take(self._inverse(before, after, stamp.at))

    def discard(self, applied: Applied) -> None:
        """Forget the last change, which nobody else has seen, as if it had not been made.

        Raises:
            DocumentError: ``document.not_the_last``, when others came after it.
        """
        if self.version != applied.version:
            raise DocumentError("document.not_the_last", version=applied.version)
        self._replica.reset(self._replica.frontiers(applied.before))

    def fill(self, content: Content | None, stamp: Stamp) -> Applied | None:
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

    @property
    def _doc(self) -> LoroDoc:
        return self._replica.doc

    def _shape(self) -> Shape:
        return shape_for(self._doc, self.schema)

    def _inverse(self, before: Version, after: Version, at: datetime) -> Applied | None:
        old, new = self._replica.frontiers(before), self._replica.frontiers(after)
        difference = self._replica.difference(new, old)
        fork = self._replica.fork(new)
        return fork.change(lambda: fork.doc.apply_diff(difference), at)

    def _take(self, made: Applied | None) -> Applied | None:
        """Merge a change that was made in a fork of this document."""
        if made is None:
            return None
        before = self.version
        self._replica.import_(made.update)
        return replace(made, before=before, version=self.version)
