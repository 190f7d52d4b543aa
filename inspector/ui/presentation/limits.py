"""Which limit of characters a refused save of a block would need."""

from __future__ import annotations

from inspector.domain.errors import Refusal

_REFUSED_LIMIT = "refused.char_limit"
_ROUND = 100


def limit_needed(refusal: Refusal) -> int | None:
    """The limit of characters, a round number, with which a refused save would pass; None where none would do."""
    length = refusal.parameters.get("length")
    if refusal.code != _REFUSED_LIMIT or not isinstance(length, int):
        return None
    return round_limit(length)


def round_limit(length: int) -> int:
    """The next round number of characters that a text of a length has room in."""
    return -(-length // _ROUND) * _ROUND
