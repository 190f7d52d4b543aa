"""Damaged bytes whose checksum was made right again: what an attacker can hand over."""

from __future__ import annotations

import random
import sys
from contextlib import suppress
from multiprocessing import get_context

import pytest

from inspector.documents.document import Document
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import InSection
from inspector.domain.errors import DocumentError
from tests.documents.builders import stamp
from tests.documents.forged_documents import OPERATIONS, SCHEMA, lived, mutated, sealed, sources

if sys.platform != "win32":
    import resource

MUTANTS = 1500
MEMORY = 4 << 30


def merge_mutants() -> None:
    """Merge them all, one at a time, into a document of its own each."""
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    chance = random.Random(7)
    base = lived(1, OPERATIONS[:1])
    snapshot = base.export_snapshot()
    blobs = sources()
    refused = sum(is_refused(sealed(mutated(chance.choice(blobs), chance)), snapshot) for _ in range(MUTANTS))
    assert refused > MUTANTS // 3


def is_refused(blob: bytes, snapshot: bytes) -> bool:
    rename = InSection("map", SetField("name", "still here"))
    document = Document.load(SCHEMA, snapshot)
    version, content = document.version, document.content()
    try:
        document.merge(blob)
    except DocumentError:
        assert (document.version, document.content()) == (version, content)
        assert document.apply(rename, stamp()) is not None
        assert document.content_at(version) == content
        return True
    # Taken for what it says; telling whether that is sense is not this package's part.
    for call in (
        document.content,
        lambda: document.content_at(version),
        lambda: document.apply(rename, stamp()),
    ):
        with suppress(DocumentError):
            call()
    return False


def test_that_an_untouched_blob_keeps_its_seal() -> None:
    blob = lived(1, OPERATIONS).export_snapshot()
    assert sealed(blob) == blob


@pytest.mark.skipif(sys.platform == "win32", reason="memory is limited by the system's own means there")
def test_that_forged_bytes_raise_only_errors_of_ours_and_leave_the_document() -> None:
    # In a process of its own: forged lengths can make the library ask for more memory than there is, and abort.
    process = get_context("spawn").Process(target=merge_mutants)
    process.start()
    process.join(120)
    assert process.exitcode == 0
