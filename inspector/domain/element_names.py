"""Which names may enclose a text, and which texts a stretch of the system string may begin with."""

from __future__ import annotations

import re
from functools import lru_cache

GENERIC_ELEMENT = "block"
"""What encloses a block whose label is no element name of its own."""

START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
"""The characters that a name of XML 1.0 may begin with, but for the colon, as the inside of a class."""

_NAME = re.compile(f"[{START}][{START}.0-9\u00b7\u0300-\u036f\u203f-\u2040-]*")
"""A name of XML 1.0 without a colon, which would stand for a namespace."""


@lru_cache(maxsize=16_384)
def is_element_name(label: str) -> bool:
    """Whether a label can be an element of its own: legal, without a colon, and not reserved."""
    return (
        _NAME.fullmatch(label) is not None
        and not label.lower().startswith("xml")
        and label.lower() != GENERIC_ELEMENT
    )


def starts_legally(text: str) -> bool:
    """Whether a stretch of the system string may begin with this text."""
    return bool(text) and not text[0].isspace() and text[0] != "/"
