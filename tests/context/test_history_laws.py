import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

from inspector.context.builder import ContextBuilder
from inspector.domain.limits import LimitOverrides, RecursiveSummarization, Truncate
from tests.context.history_cases import a_case, a_history, a_strategy
from tests.context.history_laws import (
    built,
    check_case,
    digest,
    history_tokens,
    sent_batches,
    strategy_of,
)
from tests.context.invented import a_snapshot, a_spec, a_turn, new_builder

ROOT = Path(__file__).parents[2]
FEW = 40
MANY = 10_000
GROUPS = 6


@pytest.mark.parametrize("group", range(GROUPS))
def test_that_random_histories_keep_every_law(group: int) -> None:
    _check(range(group * FEW, (group + 1) * FEW))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_that_ten_thousand_random_histories_keep_every_law() -> None:
    _check(range(GROUPS * FEW, GROUPS * FEW + MANY))


def _check(seeds: range) -> None:
    builder = new_builder()
    kinds = set()
    for seed in seeds:
        snapshot, spec = a_case(seed)
        check_case(builder, snapshot, spec, seed)
        kinds.add(type(strategy_of(snapshot, spec)))
    assert len(kinds) == 6


def test_that_a_history_that_grows_gives_the_same_as_one_read_anew() -> None:
    for seed in range(24):
        rng = Random(seed)
        history = a_history(rng, largest=60)
        strategy, tokens = a_strategy(rng), rng.choice((150, 600, 2000))
        spec = a_spec(strategy=strategy, limits=LimitOverrides(history_tokens=tokens))
        warm, state = new_builder(), None
        for count in range(len(history) + 1):
            snapshot = a_snapshot(history=history[:count], history_state=state)
            request = warm.build(snapshot, spec)
            if count % 5 == 0 or count == len(history):
                assert request == new_builder().build(snapshot, spec)
            state = request.history_state


def test_that_a_history_changed_in_its_middle_gives_the_same_as_one_read_anew() -> None:
    warm = new_builder()
    for seed in range(30):
        rng = Random(seed)
        history = list(a_history(rng, largest=60))
        spec = a_spec(strategy=a_strategy(rng), limits=LimitOverrides(history_tokens=400))
        warm.build(a_snapshot(history=tuple(history)), spec)
        for _ in range(3):
            if history:
                at = rng.randrange(len(history))
                if rng.random() < 0.5:
                    del history[at]
                else:
                    history[at] = a_turn(at + 1, "changed")
            snapshot = a_snapshot(history=tuple(history))
            assert warm.build(snapshot, spec) == new_builder().build(snapshot, spec)


def _digests(builder: ContextBuilder) -> list[str]:
    return [digest(built(builder, *a_case(seed))) for seed in range(40)]


def test_that_another_process_gives_the_same() -> None:
    program = (
        "from tests.context.test_history_laws import _digests;"
        "from tests.context.invented import new_builder;"
        "print(*_digests(new_builder()))"
    )
    here = _digests(new_builder())
    for hash_seed in ("1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env=environment,
        )
        assert done.stdout.split() == here


def utilisation(seed: int, strategy: Truncate | RecursiveSummarization, budget: int) -> float | None:
    """The share of the budget that a history larger than it fills; its batches are at most 5 % of it."""
    rng = Random(seed)
    history = tuple(
        a_turn(number, "word " * rng.randint(1, budget // 50), size=2) for number in range(1, 120)
    )
    spec = a_spec(
        strategy=strategy,
        limits=LimitOverrides(history_tokens=budget, max_tokens=1_000_000),
        max_messages_cap=100_000,
    )
    request = new_builder().build(a_snapshot(history=history), spec)
    rows = [row.tokens for row in request.left_out if row.source.batch]
    if not rows or max(rows) > budget * 0.05 or len(sent_batches(request, history)) == len(history):
        return None
    return history_tokens(request) / budget


def test_that_truncate_fills_its_budget() -> None:
    found: dict[int, list[float]] = defaultdict(list)
    for seed in range(16):
        for budget in (1000, 2500):
            share = utilisation(seed, Truncate(100_000), budget)
            if share is not None:
                assert share <= 1
                found[budget].append(share)
    assert all(len(shares) >= 10 for shares in found.values())
    assert fmean(share for shares in found.values() for share in shares) >= 0.95
