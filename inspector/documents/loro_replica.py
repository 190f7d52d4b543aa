"""A Loro document under its own peer id: one commit per change, all or nothing.

Loro takes nothing back. What cannot be done is found out before anything is touched; should Loro fail all the
same in the middle of a change, the document is made anew as of before it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from loro import (
    CounterSpan,
    ExportMode,
    Frontiers,
    IdSpan,
    ImportStatus,
    LoroDoc,
)

from inspector.documents.errors import guarded
from inspector.documents.stored import scalar_in
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.errors import DocumentError

ONE_CHANGE_PER_COMMIT = -1
FORMER_VERSIONS = "former_versions"
"""The map, in a document that keeps the versions of another one, from that one's versions to its own."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of changes that no replica keeps."""


@dataclass(frozen=True, slots=True)
class AppliedChange:
    """What one change did to a document.

    `update` holds exactly the operations with counters from `counter_from` up to, not including,
    `counter_to` of `peer` (decimal text). `before` and `version` are the document's versions around it.
    `skipped` names the parts that a taking back left alone, because they were changed since.
    """

    update: bytes
    peer: str
    counter_from: int
    counter_to: int
    before: Version
    version: Version
    changed_ids: tuple[str, ...]
    skipped: tuple[str, ...] = ()


class LoroReplica:
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
    def peer(self) -> str:
        with guarded("document.failed"):
            return str(self.doc.peer_id)

    def frontiers(self, version: Version) -> Frontiers:
        """The frontiers of a version in this history, also of one that it holds under a name of another document's.

        Raises:
            DocumentError: ``document.unknown_version``, when it is malformed or not in this history.
        """
        found = self._decoded(version)
        if found is None:
            with guarded("document.unknown_version", reading=True):
                former = scalar_in(self.doc.get_map(FORMER_VERSIONS), version)
            found = self._decoded(former) if isinstance(former, str) else None
        if found is None:
            raise DocumentError("document.unknown_version", version=version)
        return found

    def _decoded(self, version: str) -> Frontiers | None:
        try:
            with guarded("document.unknown_version", reading=True):
                frontiers = Frontiers.decode(bytes.fromhex(version))
                return None if self.doc.frontiers_to_vv(frontiers) is None else frontiers
        except DocumentError:
            return None

    def fork(self, frontiers: Frontiers) -> LoroReplica:
        """A replica with the history up to there, made from its beginning.

        To go back from the present, as Loro's own fork does, takes time with the square of the longest text that was
        written or removed since: minutes for a few megabytes.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        fork = LoroReplica(LoroDoc())  # type: ignore[no-untyped-call]
        if not fork.catch_up(self, frontiers):
            raise DocumentError("document.unknown_version", version=frontiers.encode().hex())
        return fork

    def change(self, step: Callable[[], tuple[str, ...] | None], at: datetime) -> AppliedChange | None:
        """Commit what `step` does, which gives the ids of what it changed; None when it does nothing.

        Raises:
            RefusedError, DocumentError: as `step` does; the document is as it was.
        """
        doc = self.doc
        with guarded("document.failed"):
            before, start = doc.state_frontiers, self._next_counter()
        try:
            with guarded("document.failed"):
                changed = step()
                if not doc.get_pending_txn_len():
                    return None
                doc.set_next_commit_timestamp(int(at.timestamp()))
                doc.commit()
                end = self._next_counter()
                span = IdSpan(doc.peer_id, CounterSpan(start, end))
                update = doc.export(ExportMode.UpdatesInRange([span]))
                was = Version(before.encode().hex())
                return AppliedChange(update, self.peer, start, end, was, self.version, changed or ())
        except BaseException:
            # A refusal comes before anything was touched, and must not cost a new document.
            with guarded("document.failed"):
                touched = doc.get_pending_txn_len() > 0
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

    def catch_up(self, other: LoroReplica, frontiers: Frontiers) -> bool:
        """Take in what another replica has up to a version; False, and nothing, if this one is not on the way to it."""
        with guarded("document.failed"):
            existing, wanted = self.doc.oplog_vv, other.doc.frontiers_to_vv(frontiers)
            if wanted is None or not wanted.includes_vv(existing):
                return False
            spans = existing.get_missing_span(wanted)
            if spans:
                self.doc.import_(other.doc.export(ExportMode.UpdatesInRange(spans)))
            return True

    def reset(self, frontiers: Frontiers) -> None:
        """Make the document anew as of a version, with the updates that wait in it."""
        with guarded("document.failed"):
            pending = self.doc.export_pending_updates()
            doc = self.fork(frontiers).doc
            if pending is not None:
                doc.import_(pending)
        self.doc = doc

    def _next_counter(self) -> int:
        last = self.doc.oplog_vv.get_last(self.doc.peer_id)
        return 0 if last is None else last + 1


class ForkCache:
    """What was made of a document's history for the version that was asked for last."""

    def __init__(self) -> None:
        self._at: LoroReplica | None = None

    def fork(self, replica: LoroReplica, frontiers: Frontiers) -> LoroReplica:
        """A new replica with the history up to there, which is in that of `replica`."""
        if self._at is None or not self._at.catch_up(replica, frontiers):
            self._at = replica.fork(frontiers)
        with guarded("document.failed"):
            return LoroReplica(self._at.doc.fork())
