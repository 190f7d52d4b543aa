"""Computes the usable window of a model: less the reply reserve and the safety margin of estimates."""

from __future__ import annotations

from inspector.domain.counts import Tokenizer
from inspector.domain.dataclass import dataclass

RESERVED_SHARE = 4
"""A reserved reply of a preset takes at most a quarter of a small model's window."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The context window of one build.

    Of an estimate its upper side must fit: so many tokens are kept free that what is counted fits even where each
    text takes as many more as 95 % of texts take at most. An exact count needs no margin.

    Attributes:
        max_tokens: The whole window.
        reserved: What is kept for the reply.
        tokenizer: What counts.
        most_reserved: Where the reserve is a preset's, which shrinks with a small window, the most of it; None
            where somebody has set it.
    """

    max_tokens: int
    reserved: int
    tokenizer: Tokenizer
    most_reserved: int | None = None

    @property
    def usable(self) -> int:
        return max(0, self.max_tokens - self.reserved)

    @property
    def margin(self) -> int:
        return self.usable - self.available

    @property
    def available(self) -> int:
        """What the counted tokens of a Request may come to."""
        return self.tokenizer.surely_fitting(self.usable)

    def needed(self, available: int) -> int:
        """The least window of which so much is available."""
        usable = self.tokenizer.surely_holding(available)
        if self.most_reserved is None:
            return usable + self.reserved
        window = max(
            usable, min(usable + self.most_reserved, usable * RESERVED_SHARE // (RESERVED_SHARE - 1) - 1)
        )
        while window - reserve_of(window, self.most_reserved) < usable:
            window += 1
        return window


def reserve_of(max_tokens: int, most: int) -> int:
    """The reply's reserve in a window where nobody has set it."""
    return min(most, max_tokens // RESERVED_SHARE)
