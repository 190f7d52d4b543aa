"""Files made to do harm end as they should, soon, and as they were."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inspector.domain.errors import FileError
from inspector.runtime.environment import Environment
from tests.bench.db_fuzz import FIRST, run
from tests.fixtures import NOOR, HeldClock, counted_ids
from tests.full_constellation import make_furnished, read_everything
from tests.storage.builders import hash_outside
from tests.storage.hostile_databases import CRAFTED, Crafted

MUTANTS = 60


@pytest.fixture
def private(tmp_db_dir: Path) -> Environment:
    """A held clock, and a private folder of the test's own."""
    return Environment(HeldClock(), counted_ids(), NOOR, "test", tmp_db_dir / "state")


async def verdict_of(path: Path, surroundings: Environment) -> str:
    try:
        problems = await read_everything(path, surroundings)
    except FileError as error:
        return error.code
    return "warned" if problems else "opened"


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are POSIX's")
@pytest.mark.parametrize("crafted", CRAFTED, ids=lambda crafted: crafted.name)
async def test_that_a_file_made_to_do_harm_ends_as_it_should(
    tmp_db_dir: Path, private: Environment, crafted: Crafted
) -> None:
    path = await make_furnished(tmp_db_dir / "a.constellation", private)
    crafted.make(path)
    before = hash_outside(path) if path.is_file() else ""
    assert await verdict_of(path, private) in crafted.verdicts
    if before and not crafted.changes:
        assert hash_outside(path) == before


async def test_that_the_untouched_file_is_just_opened(tmp_db_dir: Path, private: Environment) -> None:
    path = await make_furnished(tmp_db_dir / "a.constellation", private)
    assert await verdict_of(path, private) == "opened"


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("first", "count", "rare"),
    # A damage that leaves a file to be opened with a warning comes about once in 200.
    [(FIRST, MUTANTS, set()), pytest.param(FIRST, 400, {"opened with a warning"}, marks=pytest.mark.slow)],
)
def test_that_no_damaged_file_crashes_hangs_or_is_changed(first: int, count: int, rare: set[str]) -> None:
    figures = run(first, count)
    assert (figures.aborts, figures.uncaught, figures.changed, figures.slow) == ([], [], [], [])
    assert figures.verdicts.total() == count
    assert set(figures.verdicts) == {"opened", "refused"} | rare
