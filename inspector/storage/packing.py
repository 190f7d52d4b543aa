"""Packs the texts of sent Requests: an agent that runs for days sends nearly the same text thousands of times.

A packed text is ``packed:``, then in base64: eight bytes of the SHA-256 of what follows, then the UTF-8 text as
zlib writes it. The hash tells every changed byte, also one of which the compressed form doesn't care. What does
not begin so is the text itself: so it lies in older files, which need no migration.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import sqlite3
import zlib

LARGEST_VALUE = 64 * 1024 * 1024
"""Bytes of the largest value that is read from a file, packed or not."""
_MARK = b"packed:"
_HASH_BYTES = 8


def pack(text: str) -> str:
    """A text as it is stored."""
    stream = zlib.compress(text.encode())
    return (_MARK + base64.b64encode(_hash_of(stream) + stream)).decode()


def unpack(stored: bytes) -> str | None:
    """The text of a stored value; None if it is damaged, or would be larger than `LARGEST_VALUE`."""
    try:
        data = _unpacked(stored.removeprefix(_MARK)) if stored.startswith(_MARK) else stored
        return None if data is None else data.decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        return None


def add_functions(connection: sqlite3.Connection) -> None:
    """Let statements say ``packed(text)`` and ``unpacked(CAST(value AS BLOB))``; the latter is NULL for damage."""
    connection.create_function("packed", 1, pack, deterministic=True)
    connection.create_function("unpacked", 1, unpack, deterministic=True)


def _unpacked(encoded: bytes) -> bytes | None:
    packed = base64.b64decode(encoded)
    stream = packed[_HASH_BYTES:]
    # Base64 has bits and characters that no decoder looks at.
    if base64.b64encode(packed) != encoded or _hash_of(stream) != packed[:_HASH_BYTES]:
        return None
    reader = zlib.decompressobj()
    data = reader.decompress(stream, LARGEST_VALUE)
    return data if reader.eof and not reader.unused_data else None


def _hash_of(stream: bytes) -> bytes:
    return hashlib.sha256(stream).digest()[:_HASH_BYTES]
