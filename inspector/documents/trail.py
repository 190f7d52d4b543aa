"""A document as it was earlier, which moves on towards the present.

To make a document as of an earlier version takes as long as its whole history. Whoever saves again and again what was
written for the version before asks for ever later ones, each a few changes after the last.
"""

from __future__ import annotations

from loro import ExportMode, Frontiers

from inspector.documents.errors import guarded
from inspector.documents.replica import Replica


class Trail:
    """What was made of a document's history for the version that was asked for last."""

    def __init__(self) -> None:
        self._at: Replica | None = None

    def fork(self, replica: Replica, frontiers: Frontiers) -> Replica:
        """A new replica with the history up to there, which is in that of `replica`."""
        if self._at is None or not _moved_on(self._at, replica, frontiers):
            self._at = replica.fork(frontiers)
        with guarded("document.failed"):
            return Replica(self._at.doc.fork())


def _moved_on(trail: Replica, replica: Replica, frontiers: Frontiers) -> bool:
    """Whether a trail could be brought to a version; it is of no use otherwise."""
    with guarded("document.failed"):
        known, wanted = trail.doc.oplog_vv, replica.doc.frontiers_to_vv(frontiers)
        if wanted is None or not wanted.includes_vv(known):
            return False
        spans = known.get_missing_span(wanted)
        if spans:
            trail.doc.import_(replica.doc.export(ExportMode.UpdatesInRange(spans)))
        return trail.doc.state_frontiers.encode() == frontiers.encode()
