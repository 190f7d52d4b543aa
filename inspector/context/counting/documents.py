"""Finds what can be counted in a part of a provider's own: its texts, and the pages of a PDF document."""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from functools import lru_cache

_DATA = re.compile(r"(?:data:[^,]{0,200};base64,)?([A-Za-z0-9+/_\-\s]{200,}={0,2})")
_PDF = "JVBERi"
"""How base 64 of a PDF document begins."""
_STANDARD = str.maketrans("-_", "+/")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_COUNT = re.compile(rb"/Count\s+(\d{1,6})")


@lru_cache(maxsize=512)
def provider_content(data: str) -> tuple[tuple[str, ...], int, bool]:
    """The texts of a part's JSON that a model may read, how many pages of PDF documents it holds, and if it has one.

    A document may be a text, too; one that stands at the provider is none.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return (data,), 0, False
    texts: list[str] = []
    pages = 0
    is_whole = _has_text_source(value)
    for text in _texts(value):
        encoded = _DATA.fullmatch(text)
        if encoded is None:
            texts.append(text)
        elif encoded[1].startswith(_PDF):
            pages += _pages(_decoded(encoded[1]))
        else:
            found = _text_in(_decoded(encoded[1]))
            is_whole = is_whole or bool(found)
            texts += found
    return tuple(texts), pages, is_whole or pages > 0


def _has_text_source(value: object) -> bool:
    source = value.get("source") if isinstance(value, dict) else None
    return isinstance(source, dict) and source.get("type") in {"text", "content"}


def _texts(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _decoded(encoded: str) -> bytes:
    try:
        return b64decode(encoded.translate(_STANDARD))
    except (binascii.Error, ValueError):
        return b""


def _text_in(content: bytes) -> tuple[str, ...]:
    """A document that is plain text."""
    try:
        return () if b"\0" in content else (content.decode(),)
    except UnicodeDecodeError:
        return ()


def _pages(content: bytes) -> int:
    """The pages of a document, at least one: its page objects, or where those are packed its largest count."""
    counts = [int(found) for found in _COUNT.findall(content)]
    return max(1, len(_PAGE.findall(content)) or max(counts, default=1))
