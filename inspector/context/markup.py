"""Enclosing untrusted text: element names, attributes, comments, and text that cannot close its wrapper."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache

from inspector.domain.requests import Mark

GENERIC_ELEMENT = "block"
"""What encloses a block whose label is no element name of its own."""

_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = re.compile(f"[{_START}][{_START}.0-9\u00b7\u0300-\u036f\u203f-\u2040-]*")
"""A name of XML 1.0 without a colon, which would stand for a namespace."""
_NAME_PART = f"[{_START}.0-9\u00b7\u0300-\u036f\u203f-\u2040:-]"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ESCAPED = "&lt;"


@dataclass(frozen=True, slots=True)
class Escaped:
    """A text whose closing tags were defused; `places` are where a ``<`` became ``&lt;``, in the old text."""

    text: str
    places: tuple[int, ...]

    def move(self, marks: tuple[Mark, ...], by: int) -> tuple[Mark, ...]:
        """Marks of the old text as marks of the new one that stands `by` characters further on."""
        if not self.places:
            return tuple(replace(mark, start=mark.start + by, end=mark.end + by) for mark in marks)
        return tuple(
            replace(mark, start=self._moved(mark.start) + by, end=self._moved(mark.end) + by)
            for mark in marks
        )

    def _moved(self, at: int) -> int:
        return at + (len(_ESCAPED) - 1) * bisect_left(self.places, at)


@lru_cache(maxsize=16_384)
def is_element_name(label: str) -> bool:
    """Whether a label can be an element of its own: legal, without a colon, and not reserved."""
    return (
        _NAME.fullmatch(label) is not None
        and not label.lower().startswith("xml")
        and label.lower() != GENERIC_ELEMENT
    )


def attribute(text: str) -> str:
    """The text between the quotes of an attribute; control characters and line ends as references."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return _CONTROL.sub(lambda match: f"&#{ord(match[0])};", text)


def comment(text: str) -> str:
    """A comment that its text cannot end: no two hyphens of it stand together."""
    return f"<!-- {re.sub('-(?=-)', '- ', text.strip())} -->"


def close_proof(text: str, elements: Collection[str]) -> Escaped:
    """The text with every ``<`` that would begin a closing tag of one of `elements` escaped."""
    if "/" not in text or "<" not in text:
        return Escaped(text, ())
    names = "|".join(sorted(map(re.escape, elements)))
    closing = re.compile(rf"<(?=\s*/\s*(?:{names})(?!{_NAME_PART}))", re.IGNORECASE)
    places = tuple(match.start() for match in closing.finditer(text))
    return Escaped(closing.sub(_ESCAPED, text), places) if places else Escaped(text, ())


def one_line(text: str) -> str:
    """The text without line ends and other runs of white space."""
    return " ".join(text.split())


def starts_legally(text: str) -> bool:
    """Whether a stretch of the system string may begin with this text."""
    return bool(text) and not text[0].isspace() and text[0] != "/"
