"""Two processes work one queue and are killed again and again, each at any moment of its own.

The full figure is 200 kills: ``python -m tests.bench.queue_kills``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.queue_kills import storm


@pytest.mark.slow
@pytest.mark.timeout(280)
async def test_that_10_kills_of_two_workers_leave_every_message_answered_once_and_in_order(
    tmp_db_dir: Path,
) -> None:
    outcome = await storm(tmp_db_dir, kills=10, seed=7)
    assert outcome.kills == 10
    assert outcome.messages == 20
    assert outcome.wrong == []
