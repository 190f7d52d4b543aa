"""Decimal numbers as people write them, for counter fields of a content."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal

PLACES = 12
"""How many digits behind the point a counter tells apart."""

EXACT_INTEGERS = 2**53
"""A float holds every integer up to this one."""

# Enough for the longest float there is, with all its places.
_WIDE = Context(prec=340, rounding=ROUND_HALF_EVEN)
_STEP = Decimal(1).scaleb(-PLACES)


def decimal_of(number: float) -> Decimal:
    """The decimal that a finite number is written as, to the places that counters have."""
    return Decimal(repr(number)).quantize(_STEP, context=_WIDE)


def number_of(decimal: Decimal) -> int | float:
    """The number that is written as that decimal: an integer where a float would hold it exactly."""
    whole = decimal == decimal.to_integral_value(context=_WIDE)
    return int(decimal) if whole and abs(decimal) < EXACT_INTEGERS else float(decimal)


def added(*numbers: float) -> int | float:
    """The sum, as it is written down in decimals."""
    total = Decimal(0)
    for number in numbers:
        total = _WIDE.add(total, decimal_of(number))
    return number_of(total)
