"""Bits that flip by themselves are found, in every column once. The full figure is `tests.bench.bit_flips`."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.domain.errors import Problem
from inspector.runtime.environment import Environment
from tests.bench.bit_flips import FIRST, run
from tests.file_checks import problems_in
from tests.fixtures import NOOR, HeldClock, counted_ids
from tests.full_constellation import make_furnished

COLUMNS = 119


@pytest.mark.slow
async def test_that_every_flipped_bit_in_a_content_is_found(tmp_db_dir: Path) -> None:
    surroundings = Environment(HeldClock(), counted_ids(), NOOR, "test", tmp_db_dir / "state")
    path = await make_furnished(tmp_db_dir / "a.constellation", surroundings, folded=True)

    async def look(file: Path) -> tuple[Problem, ...]:
        return problems_in(file)

    figures = await run(path, FIRST, COLUMNS, look)
    assert figures.missed == []
    assert len(figures.flips) == figures.columns == figures.flips.total() == COLUMNS
