"""Reads the media type and the size in pixels of a message's image from its own header: PNG, JPEG, GIF, WebP."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator
from struct import error as StructError
from struct import unpack_from

from inspector.domain.messages import ImagePart

_DATA_URL = "data:"
_MOST_HEADER = 4_000_000
"""Characters of base 64 that are decoded: a photograph's size may stand behind its preview and colour profile."""
_STANDARD = str.maketrans("-_", "+/")
"""Base 64 for addresses, as Gemini's is at times, in the usual letters."""
_SIZE_MARKS = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_STARTS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8", "image/jpeg"), (b"GIF8", "image/gif"))
_BARE_MARKS = frozenset({0x01, *range(0xD0, 0xD9)})


def image_part(media_type: str, data: str) -> ImagePart:
    """An image as it came, with its size where its data says it; 0 by 0 for one that stands elsewhere."""
    content = _decoded(data)
    width, height = size_of(content) if content else (0, 0)
    return ImagePart(media_type, width, height, data)


def media_type_of(data: str) -> str:
    """The media type of an image that comes without one, by how its data begins; empty where that isn't known."""
    content = _decoded(data[:64])
    is_webp = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    found = (kind for start, kind in _STARTS if content.startswith(start))
    return "image/webp" if is_webp else next(found, "")


def size_of(content: bytes) -> tuple[int, int]:
    """Width and height in pixels; (0, 0) of what isn't an image of the four forms, or is cut off too early."""
    try:
        return next(_sizes(content), (0, 0))
    except (StructError, IndexError):
        return 0, 0


def _decoded(data: str) -> bytes:
    """The beginning of an image's bytes, from base 64 or a data URL; nothing for an address."""
    if data.startswith(_DATA_URL):
        head, _, data = data.partition(",")
        if not head.endswith(";base64"):
            return b""
    text = data[:_MOST_HEADER]
    try:
        return b64decode(text[: len(text) // 4 * 4].translate(_STANDARD))
    except (binascii.Error, ValueError):
        return b""


def _sizes(content: bytes) -> Iterator[tuple[int, int]]:
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        yield unpack_from(">II", content, 16)
    elif content[:6] in (b"GIF87a", b"GIF89a"):
        yield unpack_from("<HH", content, 6)
    elif content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        yield from _webp(content)
    elif content.startswith(b"\xff\xd8"):
        yield from _jpeg(content)


def _webp(content: bytes) -> Iterator[tuple[int, int]]:
    kind = content[12:16]
    if kind == b"VP8X":
        (packed,) = unpack_from("<Q", content[24:30] + b"\0\0")
        yield (packed & 0xFFFFFF) + 1, (packed >> 24 & 0xFFFFFF) + 1
    elif kind == b"VP8L":
        (packed,) = unpack_from("<I", content, 21)
        yield (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 ":
        width, height = unpack_from("<HH", content, 26)
        yield width & 0x3FFF, height & 0x3FFF


def _jpeg(content: bytes) -> Iterator[tuple[int, int]]:
    """By the frame header: the segments before it are stepped over by their own lengths."""
    at = 2
    while at < len(content):
        if content[at] != 0xFF:
            return
        mark = content[at + 1]
        if mark == 0xFF:
            at += 1
        elif mark in _BARE_MARKS:
            at += 2
        elif mark in _SIZE_MARKS:
            height, width = unpack_from(">HH", content, at + 5)
            yield width, height
            return
        else:
            (length,) = unpack_from(">H", content, at + 2)
            at += 2 + max(2, length)
