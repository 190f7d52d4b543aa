"""Filling a budget: the packing beside simpler ways, on the same invented items.

``python -m tests.studies.packing [--rounds N]`` prints, for each size, the share of the budget that is used and the
share of the best possible value (the bound of the relaxed problem) that is reached, mean and least; and how
long the packing takes for 2 000 items.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence

from inspector.context.packing import Item, Variant, most_value, pack

SIZES = ((100, 20_000), (100, 60_000), (30, 8_000))
TIERS = (0.5, 0.3, 0.2)
LARGE = 2_000


def invented_items(chance: random.Random, count: int) -> list[Item]:
    """Items with sizes as texts have them, values apart from sizes, and shorter forms worth more for a token."""
    found: list[Item] = []
    for _ in range(count):
        tokens, value = max(20, int(chance.lognormvariate(6.5, 0.8))), chance.uniform(0.1, 1.0)
        window = Variant(max(5, int(tokens * 0.35)), value * 0.6)
        line = Variant(max(5, int(tokens * 0.04)), value * 0.2)
        found.append((Variant(tokens, value), window, line))
    return found


Way = Callable[[Sequence[Item], int], tuple[int, float]]


def packed(items: Sequence[Item], room: int) -> tuple[int, float]:
    """Ours."""
    found = pack(items, room)
    return found.tokens, found.value


def by_value(items: Sequence[Item], room: int) -> tuple[int, float]:
    """Whole items by value alone, passing over those that do not fit."""
    return _whole(sorted(items, key=lambda item: -item[0].value), room)


def by_tiers(items: Sequence[Item], room: int) -> tuple[int, float]:
    """Whole items by value in three tiers, each with a fixed share of the room."""
    ranked = sorted(items, key=lambda item: -item[0].value)
    third = -(-len(ranked) // len(TIERS))
    tokens, value = 0, 0.0
    for at, share in enumerate(TIERS):
        got = _whole(ranked[at * third : (at + 1) * third], int(room * share))
        tokens, value = tokens + got[0], value + got[1]
    return tokens, value


def _whole(ranked: Sequence[Item], room: int) -> tuple[int, float]:
    tokens, value = 0, 0.0
    for item in ranked:
        if tokens + item[0].tokens <= room:
            tokens += item[0].tokens
            value += item[0].value
    return tokens, value


WAYS: dict[str, Way] = {"fixed tiers": by_tiers, "by value": by_value, "packing": packed}


def measure(count: int, room: int, rounds: int) -> None:
    """Print one size's figures."""
    chance = random.Random(1)
    used: dict[str, list[float]] = {name: [] for name in WAYS}
    worth: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(rounds):
        items = invented_items(chance, count)
        best = most_value(items, room)
        is_scarce = sum(item[0].tokens for item in items) >= room
        for name, way in WAYS.items():
            tokens, value = way(items, room)
            worth[name].append(value / best)
            if is_scarce:
                used[name].append(tokens / room)
    print(f"{count} items, {room:,} tokens, {rounds} rounds")
    for name in WAYS:
        told = used[name] or [float("nan")]
        print(
            f"  {name:12} used {statistics.mean(told):.4f} (least {min(told):.4f})"
            f"   value {statistics.mean(worth[name]):.5f} (least {min(worth[name]):.5f})"
        )


def main() -> None:
    """Measure all sizes, then the time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    for count, room in SIZES:
        measure(count, room, rounds)
    items = invented_items(random.Random(2), LARGE)
    times = []
    for _ in range(9):
        start = time.perf_counter()
        pack(items, 400_000)
        times.append((time.perf_counter() - start) * 1000)
    print(f"{LARGE:,} items: {min(times):.1f} ms at best, {statistics.median(times):.1f} ms in the middle")


if __name__ == "__main__":
    main()
