"""Documents at their lethal size against the airlock: the verdict, how long it took, and that we are still here.

Run as ``python -m tests.bench.lethal_documents`` from the project's root; the exit code is 1 when a target is missed.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from inspector.documents.airlock.gate import Airlock
from tests.documents.airlock.hostile_documents import (
    inflated,
    long_history,
    nested,
    next_update,
    shallow,
    snapshot,
    text_doc,
    updates,
)

MOST_SECONDS = 2.0
MOST_OVERHEAD_SECONDS = 0.15
CASES: dict[str, tuple[Callable[[], bytes], bool]] = {
    "20,000 maps in each other, snapshot": (lambda: snapshot(nested(20_000)), False),
    "20,000 maps in each other, updates": (lambda: updates(nested(20_000)), False),
    "200,000,000 letters, snapshot": (lambda: inflated(200_000_000), False),
    "1,000,000 operations, snapshot": (lambda: snapshot(long_history(1_000_000)), True),
    "1,000,000 operations, updates": (lambda: updates(long_history(1_000_000)), True),
    "history cut off": (lambda: shallow(long_history(1_000)), False),
}


def main() -> int:
    """Print a line for each case."""
    airlock, good = Airlock(), snapshot(text_doc())
    held = True
    try:
        for name, (make, wanted) in CASES.items():
            blob = make()
            airlock.look(good, [])
            started = time.perf_counter()
            verdict = airlock.look(None, [blob])
            seconds = time.perf_counter() - started
            fits = verdict.passed is wanted and seconds <= MOST_SECONDS and airlock.look(good, []).passed
            held = held and fits
            told = verdict.code or "passed"
            print(
                f"{'ok  ' if fits else 'MISS'} {seconds * 1000:6.0f} ms  {len(blob):9,} bytes  {name}: {told}"
            )
        held = _overhead(airlock, good) and held
    finally:
        airlock.close()
    return 0 if held else 1


def _overhead(airlock: Airlock, good: bytes) -> bool:
    cold: list[float] = []
    for _ in range(10):
        fresh = Airlock()
        started = time.perf_counter()
        fresh.look(good, [])
        cold.append(time.perf_counter() - started)
        fresh.close()
    warm: list[float] = []
    further: list[float] = []
    doc = text_doc("word " * 2_000)
    verdict = airlock.look(snapshot(doc), [])
    for _ in range(200):
        started = time.perf_counter()
        airlock.look(good, [])
        warm.append(time.perf_counter() - started)
        update = next_update(doc)
        started = time.perf_counter()
        verdict = airlock.look_further(verdict.token, [update]) or verdict
        further.append(time.perf_counter() - started)
    for name, found in (("cold", cold), ("warm", warm), ("a further update", further)):
        print(f"{name}: median {statistics.median(found) * 1000:.2f} ms, most {max(found) * 1000:.2f} ms")
    return max(cold) <= MOST_OVERHEAD_SECONDS


if __name__ == "__main__":
    sys.exit(main())
