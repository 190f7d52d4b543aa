"""A document's counter field that counts in decimals, exactly and alike for all writers."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from loro import ContainerID, LoroCounter, LoroDoc

from inspector.domain.decimals import PLACES, decimal_of

_ONE = 10**PLACES


class DecimalCounter:
    """What is before the point in one Loro counter, what is behind it in another, both in integers.

    Loro adds floats, and what fractions add up to as floats depends on the order in which they come together. The
    sums of integers do not. What an older document has behind the point in the first counter is counted as it is.
    """

    def __init__(self, doc: LoroDoc, prefix: str, key: str) -> None:
        self._whole: LoroCounter = doc.get_counter(f"{prefix}counter:{key}")
        self._decimals: LoroCounter = doc.get_counter(f"{prefix}decimals:{key}")

    @property
    def value(self) -> Decimal:
        return decimal_of(self._whole.value) + Decimal(round(self._decimals.value)).scaleb(-PLACES)

    def add(self, by: Decimal) -> None:
        """Count; a negative `by` counts down. What is behind the point is carried over where it makes a whole."""
        behind = round(self._decimals.value)
        whole, rest = divmod(behind + int(by.scaleb(PLACES)), _ONE)
        if whole:
            self._whole.increment(whole)
        if rest != behind:
            self._decimals.increment(rest - behind)

    def clear(self) -> None:
        """Bring it back to nothing, with what an older document left behind the point."""
        for counter in (self._whole, self._decimals):
            if counter.value:
                counter.increment(-counter.value)

    def containers(self) -> Iterator[ContainerID]:
        yield from (self._whole.id, self._decimals.id)
