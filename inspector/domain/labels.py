"""Which labels are legal: any that can be printed on one line. And which look the same."""

from __future__ import annotations

import unicodedata

# Controls, surrogates, the separators of lines and paragraphs, and what shows nothing or turns the text around it.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# They show nothing by themselves, and many scripts and pictures cannot be written without them.
_JOINERS = "\u200c\u200d"
_SHOWN = 80


def is_printable(character: str) -> bool:
    """Whether a label may hold that character."""
    return character in _JOINERS or unicodedata.category(character) not in _UNPRINTABLE


def appearance(label: str) -> str:
    """The label as it is seen: two that differ only in how they are encoded, or in what shows nothing, are one."""
    if label.isascii():
        return label.strip()
    plain = "".join(each for each in label if each not in _JOINERS)
    return unicodedata.normalize("NFC", plain).strip()


def legible(label: str) -> str:
    r"""A label from outside for a message: on one line, without what is no part of a label, and not too long."""
    shown = "".join(each if is_printable(each) else f"\\u{ord(each):04x}" for each in label)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
