"""Looking a file over tells of every cell that no reader can make sense of, whatever table it is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.domain.blocks import BlockType, Permission
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import FileError
from inspector.domain.snapshot import BlockState
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.damaged_rows import DAMAGE, damage, make_damaged
from tests.exchange.rows.builders import ADA
from tests.file_checks import problems_in
from tests.flows.export_builders import JSON, Desk

BROKEN = [
    ("agent:agt_ada", "config", "UPDATE agents SET config = '{' WHERE id = 'agt_ada'"),
    ("agent:agt_ada", "persona", "UPDATE agents SET persona = CAST(x'ff' AS TEXT) WHERE id = 'agt_ada'"),
    ("agent:agt_ada", "status", "UPDATE agents SET status = 'zz' WHERE id = 'agt_ada'"),
    ("tool:look", "examples", "UPDATE tools SET examples = '7' WHERE name = 'look'"),
    ("tool_rule:rul_1", "kind", "UPDATE tool_rules SET kind = 'zz' WHERE id = 'rul_1'"),
    ("block:blk_new", "updated_at", "UPDATE blocks SET updated_at = 'yesterday' WHERE id = 'blk_new'"),
    ("block:blk_new", "created_at", "UPDATE blocks SET created_at = 'yesterday' WHERE id = 'blk_new'"),
    ("block:blk_new", "permission", "UPDATE blocks SET permission = 'zz' WHERE id = 'blk_new'"),
    ("block:blk_new", "label", "UPDATE blocks SET label = CAST(x'ff' AS TEXT) WHERE id = 'blk_new'"),
    ("block:blk_new", "written_at", "UPDATE block_contents SET written_at = '' WHERE block_id = 'blk_new'"),
    ("attachment:blk_profile#agt_bob", "permission", "UPDATE attachments SET permission = 'zz'"),
    (
        "block:blk_new",
        "actor_kind",
        "UPDATE updates SET actor_kind = 'alien' WHERE block_id = 'blk_new' AND seq = 2",
    ),
    (
        "block:blk_new",
        "operation",
        "UPDATE updates SET operation = '[1]' WHERE block_id = 'blk_new' AND seq = 2",
    ),
    ("block:blk_new", "at", "UPDATE updates SET at = 'x' WHERE block_id = 'blk_new' AND seq = 2"),
    ("changes:1", "actor_kind", "UPDATE changes SET actor_kind = 'alien' WHERE seq = 1"),
    ("processes:1", "started_at", "UPDATE processes SET started_at = 'x' WHERE id = 1"),
    ("message:msg_1", "role", "UPDATE messages SET role = 'zz' WHERE id = 'msg_1'"),
    ("archival:arc_1", "created_at", "UPDATE archival_entries SET created_at = 'x' WHERE id = 'arc_1'"),
    ("summary:sum_1", "end_at", "UPDATE summaries SET end_at = 'x' WHERE id = 'sum_1'"),
    ("event:evt_1", "timestamp", "UPDATE activity SET timestamp = 'x' WHERE id = 'evt_1'"),
    ("consent:con_1", "level", "UPDATE consent_requests SET level = 'zz' WHERE id = 'con_1'"),
    ("grant:gra_1", "granted_at", "UPDATE consent_grants SET granted_at = 'x' WHERE id = 'gra_1'"),
    ("queue:que_1", "state", "UPDATE queue SET state = 'zz' WHERE id = 'que_1'"),
    ("wakeup:wak_1", "wake_at", "UPDATE wakeups SET wake_at = 'x' WHERE id = 'wak_1'"),
    ("run:run_1", "started_at", "UPDATE runs SET started_at = 'x' WHERE id = 'run_1'"),
    ("meta:name", "value", "UPDATE meta SET value = CAST(x'ff' AS TEXT) WHERE name = 'name'"),
    ("meta:created_at", "value", "UPDATE meta SET value = 'yesterday' WHERE name = 'created_at'"),
    (
        "meta:constellation_id",
        "value",
        "UPDATE meta SET value = value || char(1) WHERE name = 'constellation_id'",
    ),
    ("processes:1", "peer", "UPDATE processes SET peer = '1' || char(127) WHERE id = 1"),
    (
        "archival:arc_1",
        "updated_at",
        "UPDATE archival_entries SET updated_at = replace(updated_at, 'T', '-') WHERE id = 'arc_1'",
    ),
]


@pytest.mark.parametrize(("where", "column", "statement"), BROKEN)
async def test_that_a_cell_that_cannot_be_read_is_told(
    desk: Desk, where: str, column: str, statement: str
) -> None:
    path = await desk.made("rich")
    assert {each.code for each in problems_in(path)} <= {"file.readable_by_others"}
    damage(path, statement)
    told = [each for each in problems_in(path) if each.code == "check.unreadable"]
    assert [(each.where, each.parameters["column"]) for each in told] == [(where, column)]


async def test_that_every_kind_of_row_that_cannot_be_listed_is_told(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await make_damaged(tmp_db_dir / "a.constellation", surroundings)
    assert DAMAGE.keys() <= {each.where for each in problems_in(path)}


async def test_that_only_the_column_that_cannot_be_read_gets_another_value(desk: Desk) -> None:
    path = await desk.made("rich")
    damage(path, "UPDATE blocks SET updated_at = 'yesterday' WHERE id = 'blk_profile'")

    async def look(engine: Engine) -> BlockState | None:
        await engine.edit("blk_new", AppendText("on"))
        return await engine.memory.get("blk_profile")

    state = await desk.change(path, look)
    assert (state.block.block_type, state.block.permission) == (BlockType.CORE, Permission.READ_WRITE)
    assert state.problem is not None
    assert state.problem.code == "row.unreadable"
    assert state.problem.parameters["why"].startswith("updated_at: ")


LAST = 2**63 - 1
PAGE, TABLE_LEAF = 4096, 13
USED_UP = [
    ("changes", f"UPDATE sqlite_sequence SET seq = {LAST} WHERE name = 'changes'"),
    ("updates", f"UPDATE sqlite_sequence SET seq = {LAST} WHERE name = 'updates'"),
    ("messages", f"UPDATE messages SET position = {LAST} WHERE id = 'msg_3'"),
    ("updates", f"UPDATE updates SET seq = {2**53} WHERE block_id = 'blk_new' AND seq = 2"),
]


BEHIND = [
    ("changes", "DELETE FROM sqlite_sequence WHERE name = 'changes'"),
    ("updates", "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'updates'"),
]


@pytest.mark.parametrize(
    ("code", "table", "statement"),
    [
        *(("check.number_out_of_range", *each) for each in USED_UP),
        *(("check.number_behind", *each) for each in BEHIND),
    ],
)
async def test_that_numbers_that_are_used_up_or_behind_their_rows_are_told(
    desk: Desk, code: str, table: str, statement: str
) -> None:
    path = await desk.made("rich")
    damage(path, statement)
    told = [each for each in problems_in(path) if each.code == code]
    assert [each.parameters["table"] for each in told] == [table]


async def test_that_a_damaged_key_is_told_by_its_index(desk: Desk) -> None:
    key = b"evt_1"
    path = await desk.made("rich")
    stored = path.read_bytes()
    page, at = next(
        (page, at)
        for page in range(0, len(stored), PAGE)
        # A leaf of a table, which holds whole rows; a leaf of an index begins with 10.
        if stored[page] == TABLE_LEAF and (at := stored.rfind(key, page, page + PAGE)) >= 0
    )
    assert page
    path.write_bytes(stored[:at] + key[:-1] + b"?" + stored[at + len(key) :])
    told = [each for each in problems_in(path) if each.code == "check.structure"]
    assert any("missing from index" in str(each.parameters["why"]) for each in told)


async def test_that_a_file_without_numbers_says_so_and_can_be_made_anew(desk: Desk) -> None:
    path = await desk.made("rich")
    damage(path, USED_UP[0][1])

    async def write(engine: Engine) -> None:
        await engine.edit("blk_new", AppendText("on"))

    with pytest.raises(FileError) as caught:
        await desk.change(path, write)
    assert caught.value.code == "file.numbers_used_up"
    again = await desk.imported(await desk.exported(path, JSON))
    await desk.change(again, write)
    state = await desk.change(again, lambda engine: engine.memory.rendered("blk_new"))
    assert state.endswith("on")
    assert ADA in {each.id for each in (await desk.change(again, lambda engine: engine.agents.list()))[0]}
