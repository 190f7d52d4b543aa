"""Reads a whole document as a file stores it, and derives its rendering, length and search text."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.documents.document import Document, MergeStatus
from inspector.domain.blocks import Schema
from inspector.storage.check import DocumentRead


def read_document(schema: Schema, snapshot: bytes | None, updates: Sequence[bytes]) -> DocumentRead:
    """Read a snapshot (None: none yet) and the deltas after it; their bytes have been examined.

    Raises:
        DocumentError: they cannot be read.
    """
    document = Document.load(schema, snapshot, updates)
    return DocumentRead(document.content(), document.version, waiting_in(document, snapshot, updates))


def waiting_in(document: Document, snapshot: bytes | None, updates: Sequence[bytes]) -> frozenset[int]:
    """The places of the deltas whose foundation is missing, in a document that was made of them.

    Raises:
        DocumentError: they cannot be read.
    """
    if not document.has_pending:
        return frozenset()
    again = Document.load(document.schema, snapshot, ())
    first = [at for at, blob in enumerate(updates) if again.merge(blob) is MergeStatus.PENDING]
    # What waited may have found its foundation in what came after it.
    return frozenset(at for at in first if again.merge(updates[at]) is MergeStatus.PENDING)
