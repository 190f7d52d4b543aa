"""The program is killed while it works on whole files: what has a name is whole, the old or the new."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.bench.file_kills import WORKS, Bench, kill_often

KILLS = 2


@pytest.mark.slow
@pytest.mark.parametrize("work", WORKS)
def test_that_a_kill_leaves_everything_that_has_a_name_whole(tmp_db_dir: Path, work: str) -> None:
    bench = Bench(tmp_db_dir)
    asyncio.run(bench.prepare())
    assert kill_often(bench, work, KILLS).total() == KILLS
