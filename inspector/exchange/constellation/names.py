r"""File names made from labels: safe on every system and different for different blocks.

What is plain stays as it is. A capital becomes ``+`` and its small letter, for there are file systems that take
both for one. Everything else becomes ``%`` and the hex of its UTF-8 bytes: separators, what some system forbids,
combining marks and whatever has two spellings. A name that Windows keeps for a device, and a dot or space at
either end, have their first or last character written so. A name that would be too long ends in ``#`` and a hash of
the whole label.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

LONGEST = 120
"""Bytes of a name, before what a caller adds: well under the 255 that file systems take."""

_PLAIN_ASCII = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_., ()@=")
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(\..*)?$", re.DOTALL)
_ENDS = ". "
_STARTS = ". -"
# Parts of Korean syllables, which file systems put together.
_JAMO = ((0x1100, 0x11FF), (0xA960, 0xA97F), (0xD7B0, 0xD7FF))
_CUT = 60
_HASH_DIGITS = 32


def file_name(label: str) -> str:
    """The name; ``%`` alone for an empty label."""
    if not label:
        return "%"
    pieces = [_written(character) for character in label]
    if label[0] in _STARTS:
        pieces[0] = _hex(label[0])
    if label[-1] in _ENDS:
        pieces[-1] = _hex(label[-1])
    if _DEVICES.match("".join(pieces)):
        pieces[0] = _hex(label[0])
    name = "".join(pieces)
    return name if len(name.encode()) <= LONGEST else _shortened(label, pieces)


def _shortened(label: str, pieces: list[str]) -> str:
    digest = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    kept, length = [], 0
    for piece in pieces:
        length += len(piece.encode())
        if length > _CUT:
            break
        kept.append(piece)
    return f"{''.join(kept)}#{digest}"


def _written(character: str) -> str:
    if character in _PLAIN_ASCII or _is_plain_letter(character):
        return character
    small = character.lower()
    is_capital = len(small) == 1 and small != character and small.upper() == character
    if is_capital and (small in _PLAIN_ASCII or _is_plain_letter(small)):
        return f"+{small}"
    return _hex(character)


def _is_plain_letter(character: str) -> bool:
    """Whether a letter outside ASCII has one spelling, and no capital that some system would take for another's."""
    if ord(character) < 0x80 or unicodedata.category(character) not in ("Ll", "Lo"):
        return False
    if any(first <= ord(character) <= last for first, last in _JAMO):
        return False
    return (
        unicodedata.normalize("NFKC", character) == character
        and character.casefold() == character
        and character.upper().lower() == character
    )


def _hex(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
