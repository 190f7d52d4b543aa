"""How fast this machine is just now, beside the one that limits in milliseconds are set for."""

from __future__ import annotations

import statistics
import time
from typing import Any

OBJECTS = 50_000
OBJECTS_SECONDS = 0.025
"""What so many small objects take on that machine to be made and sorted.

It wasn't measured there but worked out: keys in the list of `large_editors` took 37 ms there (99th percentile), and
93 ms where the objects took 63 ms. So it is rough.
"""


class Pace:
    """Looks at the machine several times; a limit is as many times as long as the machine is slow, never shorter."""

    def __init__(self) -> None:
        self._found: list[float] = []

    @property
    def times(self) -> float:
        """How many times as long everything takes here, the median of all looks; 1 where it is quicker."""
        return max(1.0, statistics.median(self._found)) if self._found else 1.0

    def look(self) -> None:
        """Measure now, three times; no other thread's work counts."""
        for _ in range(3):
            begun = time.thread_time()
            made: dict[str, list[Any]] = {
                str(number): [number, (number, "x" * 3)] for number in range(OBJECTS)
            }
            sorted(made.values(), key=lambda each: -each[0])
            self._found.append((time.thread_time() - begun) / OBJECTS_SECONDS)

    def __str__(self) -> str:
        least, most = min(self._found), max(self._found)
        return f"this machine takes {self.times:.1f} times as long ({least:.1f} to {most:.1f}), and so may everything"
