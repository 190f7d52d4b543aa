"""Which labels are legal: any that can be printed on one line."""

from __future__ import annotations

import unicodedata

from inspector.memory.refusals import refused

# Controls, surrogates, and the separators of lines and paragraphs.
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


def check_label(label: str) -> None:
    """Pass if that can be a label.

    Raises:
        RefusedError: ``refused.label_empty``, or ``refused.label_unprintable`` with the character's place.
    """
    if not label.strip():
        raise refused("refused.label_empty")
    for place, character in enumerate(label):
        if unicodedata.category(character) in _UNPRINTABLE:
            code_point = f"U+{ord(character):04X}"
            raise refused("refused.label_unprintable", position=place, character=code_point)
