"""The power fails at any moment: no acknowledged edit is lost, no file is damaged.

The full figures are `tests.bench.power_cuts`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.power_cuts import outcome

CUTS = 60


@pytest.mark.slow
@pytest.mark.parametrize("names_are_safe", [False, True])
async def test_that_power_cuts_damage_nothing_and_lose_no_acknowledged_edit(
    tmp_db_dir: Path, names_are_safe: bool
) -> None:
    found = await outcome(tmp_db_dir, cuts=CUTS, edits=12, seed=1, names_are_safe=names_are_safe)
    assert (found.damaged, found.lost_edits) == (0, 0)


@pytest.mark.slow
async def test_that_a_folder_which_is_not_synced_after_a_commit_is_noticed(tmp_db_dir: Path) -> None:
    # What SQLite calls FULL: the deletion of the journal, which is the commit, may be lost with the power.
    found = await outcome(tmp_db_dir, cuts=CUTS, edits=12, seed=1, level="FULL")
    assert found.damaged == 0
    assert found.cuts_with_losses > 0


@pytest.mark.slow
async def test_that_no_sync_at_all_is_noticed(tmp_db_dir: Path) -> None:
    found = await outcome(tmp_db_dir, cuts=CUTS, edits=12, seed=1, level="OFF", names_are_safe=True)
    assert found.damaged > 0
    assert found.lost_edits > 0
