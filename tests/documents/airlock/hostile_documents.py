"""Documents that are whole and yet nobody should read: deep, inflated, long, of a later time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import cast

from loro import ExportMode, LoroDoc, LoroMap, VersionVector

from tests.documents.forged_documents import sealed

ROOT = Path(__file__).resolve().parents[3]
MODE = 21
"""The byte of a blob's header that says how the rest is encoded."""

_INFLATED = """
import sys
from loro import ExportMode, LoroDoc
doc = LoroDoc()
doc.get_text("text").insert(0, "a" * int(sys.argv[1]))
doc.commit()
sys.stdout.buffer.write(doc.export(ExportMode.Snapshot()))
"""


def text_doc(text: str = "hello") -> LoroDoc:
    """A document with a text."""
    doc = LoroDoc()  # type: ignore[no-untyped-call]
    doc.get_text("text").insert(0, text)
    doc.commit()
    return doc


def snapshot(doc: LoroDoc) -> bytes:
    """The whole of it."""
    return doc.export(ExportMode.Snapshot())


def updates(doc: LoroDoc) -> bytes:
    """All its changes."""
    return doc.export(ExportMode.Updates(VersionVector()))  # type: ignore[no-untyped-call]


def next_update(doc: LoroDoc, text: str = "x") -> bytes:
    """One more change, alone."""
    before = doc.oplog_vv
    doc.get_text("text").insert(0, text)
    doc.commit()
    return doc.export(ExportMode.Updates(before))


def nested(levels: int, root: str = "fields") -> LoroDoc:
    """Maps in maps."""
    doc = LoroDoc()  # type: ignore[no-untyped-call]
    inner = doc.get_map(root)
    for _ in range(levels):
        inner = cast(LoroMap, inner.insert_container("a", LoroMap()))  # type: ignore[no-untyped-call]
    doc.commit()
    return doc


def inflated(characters: int) -> bytes:
    """A snapshot of one letter many times, made elsewhere: it takes gigabytes."""
    done = subprocess.run(
        [sys.executable, "-c", _INFLATED, str(characters)], capture_output=True, check=True, cwd=ROOT
    )
    return done.stdout


def long_history(operations: int) -> LoroDoc:
    """A short text that was typed and typed."""
    doc = LoroDoc()  # type: ignore[no-untyped-call]
    text = doc.get_text("text")
    for number in range(operations):
        text.insert(number % 7, "x")
    doc.commit()
    return doc


def shallow(doc: LoroDoc) -> bytes:
    """A snapshot without what came before now."""
    return doc.export(ExportMode.ShallowSnapshot(doc.oplog_frontiers))


def of_a_later_version(blob: bytes) -> bytes:
    """The same in an encoding that is not known yet."""
    changed = bytearray(blob)
    changed[MODE] = 9
    return sealed(bytes(changed))
