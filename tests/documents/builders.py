"""Stamps, texts and replicas for the tests of documents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

from hypothesis import settings
from hypothesis import strategies as st

from inspector.documents.document import Document, EditStamp
from inspector.domain.blocks import Schema
from inspector.domain.content import Content

MOMENT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
_numbers = count(1)

UNHURRIED = settings(deadline=None, max_examples=60)

TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab \n\r\t漢字🙂👩‍👧é\u0301\u00a0\u2028\ufeff\0"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


def stamp(author: str = "Ada", minutes: float = 0) -> EditStamp:
    """A stamp whose ids differ from all others in this process."""
    return EditStamp(author, MOMENT + timedelta(minutes=minutes), lambda: f"n{next(_numbers)}")


def new(schema: Schema, content: Content | None = None) -> Document:
    """A new document."""
    return Document.create(schema, content, stamp())


def replica(document: Document) -> Document:
    """Another replica of a document."""
    return Document.load(document.schema, document.export_snapshot())
