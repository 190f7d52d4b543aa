"""Each call to the disk that reading for an export makes fails once, in turn: it is told, and nothing half is there."""

from __future__ import annotations

import pytest

from inspector.domain.errors import FileError
from inspector.domain.exchange import ExportFormat
from tests.faulty_disk import watched_disk
from tests.flows.export_builders import FOLDER, JSON, Desk, contents

MOST_CALLS = 3000


@pytest.mark.slow
@pytest.mark.parametrize("form", [JSON, FOLDER])
async def test_that_an_export_survives_a_failure_of_every_call_to_the_database(
    desk: Desk, form: ExportFormat
) -> None:
    original = await desk.made("rich")
    before = original.read_bytes()
    wanted = contents(await desk.exported(original, form, history=True))
    failures = 0
    for number in range(1, MOST_CALLS):
        target = desk.place()
        with watched_disk(original.parent) as plan:
            plan.fail_at = number
            try:
                await desk.told(original, target, form, history=True)
            except FileError:
                assert plan.failed
                failures += 1
                assert not target.exists()
            else:
                assert contents(target) == wanted, f"call {number}: {plan.failed}"
        assert original.read_bytes() == before
        assert [each.name for each in original.parent.iterdir() if each.name.startswith(".")] == []
        if not plan.failed:
            assert failures > 1
            return
    pytest.fail("it never got through")
