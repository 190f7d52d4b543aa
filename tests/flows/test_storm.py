"""An agent and a person at work on the same blocks at once, each in a process: the long run is `tests.bench.storm`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.storm import LONG, UNPAUSED, Side, storm


@pytest.mark.slow
@pytest.mark.timeout(150)
async def test_that_6_seconds_of_an_agent_and_a_person_lose_nothing(tmp_db_dir: Path) -> None:
    outcome = await storm(tmp_db_dir, [Side("a", 50.0, 6.0), Side("b", 5.0, 6.0)])
    assert outcome.errors == []
    assert outcome.wrong == []
    assert outcome.converged
    assert all(count > 15 for count in outcome.edits.values())


@pytest.mark.slow
@pytest.mark.timeout(150)
async def test_that_two_instances_with_100_random_edits_each_converge_and_keep_their_drafts(
    tmp_db_dir: Path,
) -> None:
    await converge(tmp_db_dir, 100)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_that_two_instances_with_400_random_edits_each_converge_and_keep_their_drafts(
    tmp_db_dir: Path,
) -> None:
    await converge(tmp_db_dir, 400)


async def converge(folder: Path, edits: int) -> None:
    """Let both edit as fast as they can."""
    sides = [Side(tag, UNPAUSED, LONG, edits) for tag in ("a", "b")]
    outcome = await storm(folder, sides, seed=7)
    assert outcome.errors == []
    assert outcome.wrong == []
    assert outcome.converged
    assert outcome.edits == {"a": edits, "b": edits}
