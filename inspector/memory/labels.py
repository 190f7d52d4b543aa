"""Refusing labels that are not legal."""

from __future__ import annotations

from inspector.domain.labels import appearance, is_printable
from inspector.memory.refusals import refused


def check_label(label: str) -> None:
    """Pass if that can be a label.

    Raises:
        RefusedError: ``refused.label_empty``, or ``refused.label_unprintable`` with the character's place.
    """
    if not appearance(label):
        raise refused("refused.label_empty")
    for place, character in enumerate(label):
        if not is_printable(character):
            code_point = f"U+{ord(character):04X}"
            raise refused("refused.label_unprintable", position=place, character=code_point)
