"""The engine's real clock and id generator."""

from __future__ import annotations

import secrets
import threading
from datetime import UTC, datetime

from inspector.domain.actor import Clock, IdGenerator

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_DIGITS = 10
_RANDOM_DIGITS = 12


def system_clock() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


def _digits(number: int, width: int) -> str:
    return "".join([_ALPHABET[number >> shift & 31] for shift in range(5 * (width - 1), -1, -5)])


class SortableIds:
    """Ids of a millisecond and 60 random bits: unique across processes, in order within one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last = (0, 0)

    def __call__(self, prefix: str) -> str:
        """A new id such as ``blk_01jd…``."""
        with self._lock:
            millisecond = int(self._clock().timestamp() * 1000)
            last, tail = self._last
            if millisecond <= last:
                millisecond, tail = last, tail + 1 + secrets.randbelow(1 << 20)
            else:
                tail = secrets.randbits(58)
            self._last = (millisecond, tail)
        return f"{prefix}_{_digits(millisecond, _TIME_DIGITS)}{_digits(tail, _RANDOM_DIGITS)}"


def sortable_ids(clock: Clock = system_clock) -> IdGenerator:
    """A generator of sortable ids on a clock."""
    return SortableIds(clock)
