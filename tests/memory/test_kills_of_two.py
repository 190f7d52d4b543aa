"""Two processes write one file and are killed again and again, each at any moment of its own.

The full figure is 500 kills: ``python -m tests.bench.kills``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.kills import storm


@pytest.mark.slow
@pytest.mark.timeout(280)
async def test_that_30_kills_of_two_writers_lose_no_acknowledged_edit(tmp_db_dir: Path) -> None:
    outcome = await storm(tmp_db_dir, kills=30, seed=20261120)
    assert outcome.kills == 30
    assert outcome.acknowledged >= 15
    assert outcome.lost == []
    assert outcome.problems == ()
