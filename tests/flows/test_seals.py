"""What is stored beside contents is sealed too: who wrote what, when and why, and who may do what."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.blocks import Permission
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, SetLabel
from inspector.domain.edits.rows import EditMessage
from inspector.domain.edits.text import AppendText
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.salvage import salvage
from inspector.storage.sealing import SEALS
from tests.damaged_rows import damage
from tests.exchange.rows.builders import BOB
from tests.file_checks import problems_in
from tests.fixtures import NOOR
from tests.flows.export_builders import FOLDER, JSON, Desk

DAMAGED, VERSION, CHANGE = "check.text_damaged", "check.version_damaged", "check.change_damaged"
CHANGED = [
    ("UPDATE blocks SET permission = 'admin' WHERE id = 'blk_parts'", DAMAGED, "block:blk_parts"),
    ("UPDATE blocks SET description = 'xho' WHERE id = 'blk_profile'", DAMAGED, "block:blk_profile"),
    ("UPDATE attachments SET permission = 'admin'", DAMAGED, "attachment:blk_profile#agt_bob"),
    ("UPDATE updates SET actor_name = 'Mallory' WHERE id = 3", VERSION, "block:blk_log"),
    ("UPDATE updates SET at = '2020-01-01T00:00:00Z' WHERE id = 3", VERSION, "block:blk_log"),
    ("UPDATE changes SET reason = 'because' WHERE seq = 2", CHANGE, "changes:2"),
    ("UPDATE messages SET role = 'user' WHERE id = 'msg_1'", DAMAGED, "message:msg_1"),
    ("UPDATE summaries SET covers_first = 2 WHERE id = 'sum_1'", DAMAGED, "summary:sum_1"),
    ("UPDATE summaries SET children = '[\"sum_9\"]' WHERE id = 'sum_1'", DAMAGED, "summary:sum_1"),
    (
        "UPDATE archival_entries SET created_at = '2020-01-01T00:00:00Z' WHERE id = 'arc_1'",
        DAMAGED,
        "archival:arc_1",
    ),
    ("UPDATE tools SET description = 'Look away.' WHERE name = 'look'", DAMAGED, "tool:look"),
    ("UPDATE tool_rules SET kind = 'exit' WHERE id = 'rul_1'", DAMAGED, "tool_rule:rul_1"),
    ("UPDATE activity SET importance = importance + 1 WHERE id = 'evt_1'", DAMAGED, "event:evt_1"),
    ("UPDATE wakeups SET content = 'sleep' WHERE id = 'wak_1'", DAMAGED, "wakeup:wak_1"),
    ("UPDATE runs SET reply = 'yes' WHERE id = 'run_1'", DAMAGED, "run:run_1"),
    ("UPDATE agents SET created_at = '2020-01-01T00:00:00Z' WHERE id = 'agt_bob'", DAMAGED, "agent:agt_bob"),
]
KEPT = (0, 2, 3)
"""Of these a salvage keeps the rows as they lie."""


@pytest.mark.parametrize(("statement", "code", "where"), CHANGED)
async def test_that_a_changed_cell_is_told_with_its_place(
    desk: Desk, statement: str, code: str, where: str
) -> None:
    path = await desk.made("rich")
    assert not hurt(path)
    damage(path, statement)
    assert hurt(path) == [(code, where)]


def hurt(path: Path) -> list[tuple[str, str]]:
    """What looking a file over says of its rows; that the search index has them otherwise is of no interest here."""
    others = ("file.readable_by_others", "check.index_differs")
    return [(each.code, each.where) for each in problems_in(path) if each.code not in others]


async def test_that_every_way_to_write_seals_what_it_writes(desk: Desk) -> None:
    path = await desk.made("rich")

    async def write(engine: Engine) -> None:
        for kind, id_, operation in EDITS:
            await engine.apply([Intent(Edit(Ref(kind, id_), operation), NOOR)])
        for _ in EDITS:
            await engine.edits.undo(NOOR)
        for _ in EDITS:
            await engine.edits.redo(NOOR)

    await desk.change(path, write)
    assert not hurt(path)
    for form in (JSON, FOLDER):
        again = await desk.imported(await desk.exported(path, form))
        assert unsealed(again) == []
        await desk.bring_in(await desk.exported(path, form, history=True), again)
        assert not hurt(again)
        assert unsealed(again) == []


EDITS: list[tuple[RefKind, str, Operation]] = [
    (RefKind.BLOCK, "blk_new", AppendText("on")),
    (RefKind.BLOCK, "blk_new", SetLabel("newer")),
    (RefKind.BLOCK, "blk_profile", AttachBlock(BOB, Permission.READ_ONLY)),
    (RefKind.MESSAGE, "msg_2", EditMessage((TextPart("other words"),))),
]


def unsealed(path: Path) -> list[str]:
    """Tables with rows that have no seal."""
    with closing(sqlite3.connect(path)) as connection:
        return [
            name
            for name, seal in SEALS.items()
            if any(not row[-1] for row in connection.execute(seal.select))
        ]


async def test_that_an_edit_of_a_message_hides_no_damage_to_the_rest_of_it(desk: Desk) -> None:
    path = await desk.made("rich")
    damage(path, "UPDATE messages SET role = 'user' WHERE id = 'msg_1'")

    async def write(engine: Engine) -> None:
        edit = Edit(Ref(RefKind.MESSAGE, "msg_1"), EditMessage((TextPart("other words"),)))
        await engine.apply([Intent(edit, NOOR)])

    await desk.change(path, write)
    assert hurt(path) == [(DAMAGED, "message:msg_1")]


async def test_that_a_salvage_tells_of_damaged_rows_and_seals_what_it_makes(
    desk: Desk, surroundings: Environment
) -> None:
    path, target = await desk.made("rich"), desk.place(".constellation")
    damage(path, *(CHANGED[at][0] for at in KEPT))
    # One whose document is lost, and an agent that is only referred to.
    damage(path, "UPDATE updates SET blob = x'00' WHERE block_id = 'blk_all' AND seq = 1")
    damage(path, "DELETE FROM agents WHERE id = 'agt_bob'")
    await salvage(path, target, surroundings)
    assert unsealed(target) == []
    assert set(hurt(target)) == {(code, where) for _, code, where in (CHANGED[at] for at in KEPT)}
