"""Writes a history anew from the contents of its versions: of what is left out, no byte is in the new document.

A document keeps all that was ever in it, removed or not. So the contents of the versions that stay are written into a
new document one after the other, which then finds them under the versions that the old one had for them.
"""

from __future__ import annotations

from inspector.documents.document import Document, EditStamp
from inspector.documents.rebuilding import document_as_given, rebuilt, shown_schema
from inspector.domain.blocks import Schema
from inspector.domain.content import Content
from inspector.domain.edits.base import Version
from inspector.domain.errors import DocumentError, RefusedError


class HistoryArchive:
    """Takes the contents of versions, oldest first. It belongs to one thread, as its document does."""

    def __init__(self, stamp: EditStamp) -> None:
        self._stamp = stamp
        self._document: Document | None = None
        self._names: dict[Version, Version] = {}

    def add(self, version: Version, schema: Schema, content: Content) -> bool:
        """Write one version's content; False if that cannot be kept as it is."""
        try:
            document = self._with(schema, content)
            document.schema = schema
            if document.content() != content:
                return False
        except (RefusedError, DocumentError):
            return False
        self._names[version] = document.version
        return True

    def snapshot(self) -> bytes:
        """The document with all that was added, as bytes; without anything, an empty one's."""
        if self._document is None:
            return b""
        self._document.name_versions(self._names, self._stamp)
        return self._document.export_snapshot()

    def _with(self, schema: Schema, content: Content) -> Document:
        document = self._document
        if document is None:
            self._document = document = document_as_given(schema, content, self._stamp)
        document.schema = schema
        try:
            document.become(content, self._stamp)
        except RefusedError:
            # It breaks its own schema, as contents may; it fits the one that it shows.
            document.schema = shown_schema(content)
            document.become(content, self._stamp)
        return document


def fresh_document(schema: Schema, content: Content, stamp: EditStamp) -> Document:
    """A document that holds that very content and nothing of any other.

    Raises:
        RefusedError, DocumentError: it cannot be written as it is.
    """
    document = document_as_given(schema, content, stamp)
    if document.content() != content:
        document.become(content, stamp)
    if document.content() != content:
        document = rebuilt(schema, content, stamp)
    if document.content() != content:
        raise DocumentError("document.failed")
    return document
