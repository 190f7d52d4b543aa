"""Versions: Loro's frontiers as text, and back."""

from __future__ import annotations

from loro import CounterSpan, ExportMode, Frontiers, IdSpan, LoroDoc

from inspector.documents.errors import guarded
from inspector.domain.edits.base import Version
from inspector.domain.errors import DocumentError


def version_of(doc: LoroDoc) -> Version:
    """The present version. Two replicas that hold the same operations have the same one."""
    return Version(doc.state_frontiers.encode().hex())


def known_frontiers(doc: LoroDoc, version: Version) -> Frontiers:
    """The frontiers of a version in this document's history.

    Raises:
        DocumentError: ``document.unknown_version``, when it is malformed or not in this history.
    """
    try:
        with guarded("document.unknown_version", reading=True):
            frontiers = Frontiers.decode(bytes.fromhex(version))
            vector = doc.frontiers_to_vv(frontiers)
    except DocumentError as error:
        raise DocumentError("document.unknown_version", version=version) from error
    if vector is None:
        raise DocumentError("document.unknown_version", version=version)
    return frontiers


def next_counter(doc: LoroDoc) -> int:
    """The counter of this replica's next operation."""
    last = doc.oplog_vv.get_last(doc.peer_id)
    return 0 if last is None else last + 1


def export_span(doc: LoroDoc, counter_from: int, counter_to: int) -> bytes:
    """This replica's operations in that half-open span, as an update."""
    span = IdSpan(doc.peer_id, CounterSpan(counter_from, counter_to))
    return doc.export(ExportMode.UpdatesInRange([span]))
