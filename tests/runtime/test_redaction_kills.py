"""The program is killed while it redacts: what was to go is gone once it says so, or when the file is next opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.redaction_kills import run

KILLS = 6


@pytest.mark.slow
def test_that_a_killed_redaction_is_not_begun_or_ended_at_the_next_opening(tmp_db_dir: Path) -> None:
    found = run(KILLS, tmp_db_dir)
    assert found.faults == []
    assert found.seen.total() == KILLS
