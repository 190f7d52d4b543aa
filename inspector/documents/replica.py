"""A Loro document that writes: one commit per change, all or nothing.

Loro takes nothing back. What cannot be done is found out before anything is touched; should Loro fail all the
same in the middle of a change, the document is made anew as of before it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from loro import (
    CounterSpan,
    DiffBatch,
    ExportMode,
    Frontiers,
    IdSpan,
    ImportStatus,
    LoroDoc,
    VersionVector,
)

from inspector.documents.errors import guarded
from inspector.domain.edits.base import Version
from inspector.domain.errors import DocumentError

ONE_CHANGE_PER_COMMIT = -1
LAST_PEER = 2**64 - 2
PEER_ROOM = 2**48
"""Ids to choose from at random, so that no two replicas have the same."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of changes that no replica keeps."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What one change did.

    `update` holds exactly the operations with counters from `counter_from` up to, not including,
    `counter_to` of `peer` (decimal text). `before` and `version` are the document's versions around it; an
    edit of an older version stands beside what came since, and `version` has both. `skipped` names the parts
    that a taking back left alone, because they were changed since.
    """

    update: bytes
    peer: str
    counter_from: int
    counter_to: int
    before: Version
    version: Version
    changed_ids: tuple[str, ...]
    skipped: tuple[str, ...] = ()


class Replica:
    """One Loro document under a peer id of its own.

    The id is random and never stored: two replicas under one diverge without a word. `doc` is another
    object after `reset`, so containers must not be kept across calls that may fail.
    """

    def __init__(self, doc: LoroDoc) -> None:
        self.doc = doc
        with guarded("document.failed"):
            doc.set_change_merge_interval(ONE_CHANGE_PER_COMMIT)

    @property
    def version(self) -> Version:
        """The present version. Replicas that hold the same operations have the same one."""
        with guarded("document.failed"):
            return Version(self.doc.state_frontiers.encode().hex())

    @property
    def vector(self) -> VersionVector:
        """How many operations of each replica are in here."""
        with guarded("document.failed"):
            return self.doc.oplog_vv

    @property
    def peer(self) -> str:
        """The replica's id, as decimal text."""
        with guarded("document.failed"):
            return str(self.doc.peer_id)

    def frontiers(self, version: Version) -> Frontiers:
        """The frontiers of a version in this history.

        Raises:
            DocumentError: ``document.unknown_version``, when it is malformed or not in this history.
        """
        try:
            with guarded("document.unknown_version", reading=True):
                frontiers = Frontiers.decode(bytes.fromhex(version))
                known = self.doc.frontiers_to_vv(frontiers) is not None
        except DocumentError as error:
            raise DocumentError("document.unknown_version", version=version) from error
        if not known:
            raise DocumentError("document.unknown_version", version=version)
        return frontiers

    def fork(self, frontiers: Frontiers) -> Replica:
        """A new replica with the history up to there."""
        with guarded("document.failed"):
            doc = self._made_anew(frontiers)
        return Replica(doc)

    def branch(self, fork: Replica) -> Replica:
        """A fork of this one, as a replica whose edits are to be merged here.

        Of two insertions at one place, the replicas' ids decide which comes first. Against those that are there
        already the branch's decides the same way each time, so what is shown of a merge is what it gives.
        """
        with guarded("document.failed"):
            others = [span.peer for span in fork.doc.oplog_vv.get_missing_span(self.doc.oplog_vv)]
            if others:
                fork.doc.peer_id = _beside(others)
        return fork

    def texts(self, names: Iterable[str]) -> dict[str, str]:
        """The texts of those names as they are."""
        with guarded("document.failed"):
            return {name: self.doc.get_text(name).to_string() for name in names}

    def difference(self, before: Frontiers, after: Frontiers) -> DiffBatch:
        """What leads from one version to another."""
        with guarded("document.failed"):
            return self.doc.diff(before, after)

    def change(self, step: Callable[[], tuple[str, ...] | None], at: datetime) -> Applied | None:
        """Commit what `step` does, which gives the ids of what it changed; None when it does nothing.

        Raises:
            RefusedError, DocumentError: as `step` does; the document is as it was.
        """
        with guarded("document.failed"):
            before = self.doc.state_frontiers
        try:
            with guarded("document.failed"):
                return self._commit(step, at)
        except BaseException:
            # A refusal comes before anything was touched, and must not cost a new document.
            with guarded("document.failed"):
                touched = self.doc.get_pending_txn_len() > 0
            if touched:
                self.reset(before)
            raise

    def import_(self, update: bytes) -> ImportStatus:
        """Take in foreign bytes.

        Raises:
            DocumentError: ``document.unreadable`` or kin; the document is as it was.
        """
        with guarded("document.failed"):
            before = self.doc.state_frontiers
        try:
            with guarded("document.unreadable", reading=True):
                return self.doc.import_(update)
        except DocumentError:
            self.reset(before)
            raise

    def reset(self, frontiers: Frontiers) -> None:
        """Make the document anew as of a version, with the updates that wait in it."""
        with guarded("document.failed"):
            pending = self.doc.export_pending_updates()
            doc = self._made_anew(frontiers)
            doc.set_change_merge_interval(ONE_CHANGE_PER_COMMIT)
            if pending is not None:
                doc.import_(pending)
        self.doc = doc

    def _made_anew(self, frontiers: Frontiers) -> LoroDoc:
        """A document with the history up to there, from its beginning.

        To go back from the present, as Loro's own fork does, takes time with the square of the longest text that was
        written or removed since: minutes for a few megabytes.
        """
        doc = LoroDoc()  # type: ignore[no-untyped-call]
        known = self.doc.frontiers_to_vv(frontiers)
        if known is None:
            raise DocumentError("document.unknown_version", version=frontiers.encode().hex())
        spans = VersionVector().get_missing_span(known)  # type: ignore[no-untyped-call]
        if spans:
            doc.import_(self.doc.export(ExportMode.UpdatesInRange(spans)))
        return doc

    def _commit(self, step: Callable[[], tuple[str, ...] | None], at: datetime) -> Applied | None:
        doc = self.doc
        before, start = self.version, self._next_counter()
        changed = step()
        if not doc.get_pending_txn_len():
            return None
        doc.set_next_commit_timestamp(int(at.timestamp()))
        doc.commit()
        end = self._next_counter()
        update = doc.export(ExportMode.UpdatesInRange([IdSpan(doc.peer_id, CounterSpan(start, end))]))
        return Applied(update, self.peer, start, end, before, self.version, changed or ())

    def _next_counter(self) -> int:
        last = self.doc.oplog_vv.get_last(self.doc.peer_id)
        return 0 if last is None else last + 1


def _beside(peers: Sequence[int]) -> int:
    """A new id after all of these; where there is too little room, before all; where there is none, any."""
    low, high = min(peers), max(peers)
    if LAST_PEER - high > PEER_ROOM:
        return high + 1 + secrets.randbelow(PEER_ROOM)
    if low > PEER_ROOM:
        return low - 1 - secrets.randbelow(PEER_ROOM)
    return secrets.randbelow(LAST_PEER)
