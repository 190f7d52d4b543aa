"""One row that cannot be read becomes a problem that a person sees, and everything else goes on."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import AppendMessage, EditMessage, StoreSummary
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.cli.program import run, said
from tests.damaged_rows import ADA, DAMAGE, make_damaged
from tests.fixtures import NOON, NOOR, opened_engine


async def test_that_a_request_names_every_row_that_cannot_be_read(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await make_damaged(tmp_db_dir / "a.constellation", surroundings)
    async with opened_engine(path, surroundings) as engine:
        request = await engine.context.request(ADA)
        snapshot = await engine.context.snapshot(ADA)
    assert DAMAGE.keys() <= {each.where for each in request.problems}
    assert [event.id for event in snapshot.events if event.id in ("event", "sound")] == ["sound"]
    assert "I am Ada." in request.text


async def test_that_reading_one_family_again_keeps_the_problems_of_the_others(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await make_damaged(tmp_db_dir / "a.constellation", surroundings)
    engine = await Engine.open(path, surroundings)
    message = Ref(RefKind.MESSAGE, "")
    later = (
        Edit(Ref(RefKind.SUMMARY, "second"), StoreSummary(ADA, "more", (), NOON, NOON, 1)),
        Edit(message, AppendMessage(ADA, "b2", Role.USER, (TextPart("And?"),))),
        Edit(Ref(RefKind.MESSAGE, "answer"), EditMessage((TextPart("Well."),))),
    )
    try:
        wanted = DAMAGE.keys() - {"block:block"}
        assert wanted == {each.where for each in (await engine.context.snapshot(ADA)).problems}
        for edit in later:
            await engine.apply([Intent(edit, NOOR)])
            problems = (await engine.context.snapshot(ADA)).problems
            assert sorted(each.where for each in problems) == sorted(wanted)
    finally:
        await engine.close()


async def test_that_the_report_tells_of_them_in_words(tmp_db_dir: Path, surroundings: Environment) -> None:
    path = await make_damaged(tmp_db_dir / "a.constellation", surroundings)
    problems = (await asyncio.to_thread(said, "report", path, "--agent", "Ada"))["problems"]
    assert DAMAGE.keys() <= {each["where"] for each in problems if each["severity"] == "error"}
    for each in problems:
        assert each["message"].split()[0] != each["code"], "a code without words"
        assert each["severity"] != "error" or re.search("can't (be )?read", each["message"], re.IGNORECASE)
    built = await asyncio.to_thread(run, "build", path, "--agent", "Ada", "--as", "json")
    assert DAMAGE.keys() <= {each["where"] for each in json.loads(built.stdout)["manifest"]["problems"]}
