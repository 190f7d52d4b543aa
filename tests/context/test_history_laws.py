import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import pytest

from inspector.domain.limits import Strategy, Truncate
from tests.context.builders import new_builder
from tests.context.history_laws import (
    built,
    check_case,
    digest,
    strategy_of,
    utilisation,
)
from tests.context.random_cases import a_case

ROOT = Path(__file__).parents[2]
FEW = 30
MANY = 480
PARTS = 2
GROUPS = 3


@pytest.mark.slow
@pytest.mark.parametrize("group", range(GROUPS))
def test_that_random_histories_keep_every_law(group: int) -> None:
    _check(range(group * FEW, (group + 1) * FEW))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("part", range(PARTS))
def test_that_hundreds_of_random_histories_keep_every_law_in_every_process(part: int) -> None:
    first, count = GROUPS * FEW, MANY // PARTS
    seeds = range(first + part * count, first + (part + 1) * count)
    with _elsewhere(seeds) as other:
        here, used = _check(seeds)
        assert other.stdout is not None
        assert other.stdout.read().split() == here
    assert other.returncode == 0
    assert len(used[Truncate]) >= count // 100
    assert fmean(used[Truncate]) >= 0.95


def test_that_truncate_fills_its_budget_where_units_are_small() -> None:
    builder, found = new_builder(), []
    for seed in range(9, 16 * FEW, 16):
        snapshot, spec = a_case(seed)
        if isinstance(strategy_of(snapshot, spec), Truncate):
            share = utilisation(builder, snapshot, spec)
            found += [] if share is None else [share]
    assert len(found) >= 10
    assert fmean(found) >= 0.95


@pytest.mark.slow
def test_that_another_process_gives_the_same() -> None:
    seeds = range(FEW)
    with _elsewhere(seeds) as other:
        here = digests(seeds)
        assert other.stdout is not None
        assert other.stdout.read().split() == here
    assert len(set(here)) > FEW * 3 // 4


def digests(seeds: range) -> list[str]:
    """Each case's Request as a short text, each made by a builder of its own."""
    return [digest(built(new_builder(), *a_case(seed))) for seed in seeds]


def _elsewhere(seeds: range) -> subprocess.Popen[str]:
    """Another process that tells the digests, with hashes that differ from this one's."""
    program = (
        "from tests.context.test_history_laws import digests;"
        f"print(*digests(range({seeds.start}, {seeds.stop})))"
    )
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") == "77" else "77"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment
    )


Used = Mapping[type[Strategy], Sequence[float]]


def _check(seeds: range) -> tuple[list[str], Used]:
    """Every law for every case, all with one builder; the digests of the Requests, and how budgets were used."""
    builder, found = new_builder(), []
    used: dict[type[Strategy], list[float]] = defaultdict(list)
    kinds, layouts = set(), set()
    for seed in seeds:
        snapshot, spec = a_case(seed)
        try:
            request = check_case(builder, snapshot, spec, seed)
            share = utilisation(builder, snapshot, spec)
        except AssertionError as error:
            raise AssertionError(seed) from error
        found.append(digest(request))
        strategy = strategy_of(snapshot, spec)
        kinds.add(type(strategy))
        layouts.add(spec.layout)
        if share is not None:
            assert share <= 1, seed
            used[type(strategy)].append(share)
    assert len(kinds) >= 5
    assert len(layouts) >= 4
    return found, used
