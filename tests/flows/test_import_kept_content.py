"""A history that does not lead to the content exported with it: the content is kept, and what is missing is told."""

from __future__ import annotations

import json
import sqlite3
from base64 import b64encode
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.errors import Problem, Severity
from inspector.domain.exchange import ExportFormat
from inspector.runtime.files import check_file
from tests.damaged_rows import damage
from tests.exchange.rows.builders import BOB
from tests.flows.export_builders import ENTRUSTED, FOLDER, JSON, Desk, contents, table_rows

Value = dict[str, Any]
KEPT = "import.content_kept"


def told(problems: tuple[Problem, ...]) -> list[tuple[str, str]]:
    return [(each.code, each.where) for each in problems if each.code not in ENTRUSTED]


async def value_of(desk: Desk) -> Value:
    source = await desk.exported(await desk.made("rich"), JSON, history=True)
    value: Value = json.loads(source.read_bytes())
    return value


def written(desk: Desk, value: Value) -> Path:
    source = desk.place(".json")
    source.write_text(json.dumps(value))
    return source


def updates_of(value: Value, block_id: str) -> list[Value]:
    return [row for row in value["updates"] if row["block_id"] == block_id]


def block_of(value: Value, block_id: str) -> Value:
    found: Value = next(row for row in value["blocks"] if row["id"] == block_id)
    return found


def held(path: Path) -> dict[str, tuple[str, str]]:
    """Each block's content and rendering."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT block_id, content, rendered FROM block_contents").fetchall()
    return {block: (content, rendered) for block, content, rendered in rows}


async def assert_settled(desk: Desk, path: Path) -> None:
    """What was kept is a change like others: exported and imported again it is the same."""
    first = await desk.exported(path, FOLDER, history=True)
    again = await desk.imported(first)
    assert contents(await desk.exported(again, FOLDER, history=True)) == contents(first)
    assert held(again) == held(path)


async def test_that_contents_whose_newest_changes_are_missing_are_kept_under_every_schema(desk: Desk) -> None:
    origin = await desk.made("rich")
    value = await value_of(desk)
    changed = {row["block_id"] for row in value["updates"] if row["seq"] > 1}
    assert len(changed) >= 6
    value["updates"] = [
        row
        for row in value["updates"]
        if row is not updates_of(value, row["block_id"])[-1] or row["seq"] == 1
    ]
    target = desk.place(".constellation")
    plan = await desk.bring_in(written(desk, value), target)
    assert {where for code, where in told(plan.problems) if code == KEPT} == {f"block:{e}" for e in changed}
    assert held(target) == held(origin)
    assert not await check_file(target)
    for block in changed:
        (first,) = (row for row in table_rows(target)["updates"] if row[0] == block)
        assert "import" in first
    await assert_settled(desk, target)


async def test_that_a_line_lost_from_a_folder_loses_no_content(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER, history=True)
    lines = folder / "agents/+ada/blocks/old.updates.jsonl"
    lines.write_text("".join(lines.read_text().splitlines(keepends=True)[:-1]))
    target = desk.place(".constellation")
    plan = await desk.bring_in(folder, target)
    assert told(plan.problems) == [
        ("import.rows_missing", lines.relative_to(folder).as_posix()),
        (KEPT, "block:blk_new"),
    ]
    assert await desk.change(target, lambda engine: engine.memory.rendered("blk_new")) == "a new one\nmore\n"


async def test_that_it_comes_into_a_constellation_that_has_blocks_already(desk: Desk) -> None:
    value = await value_of(desk)
    value["updates"].remove(updates_of(value, "blk_new")[-1])
    item = block_of(value, "blk_tasks")["content"]["items"][0]
    block_of(value, "blk_tasks")["content"]["items"].append({**item, "id": "itm_new", "value": {"due": 7}})
    target = await desk.made("sample")
    before = held(target)
    await desk.bring_in(written(desk, value), target)
    after = held(target)
    assert before.items() <= after.items()
    added = [after[block] for block in after.keys() - before.keys()]
    assert "a new one\nmore\n" in {rendered for _, rendered in added}
    # No title, which is required; and a number where the schema has a text.
    assert block_of(value, "blk_tasks")["content"] in [json.loads(content) for content, _ in added]
    assert {each.code for each in await check_file(target)} <= {"file.readable_by_others"}


async def test_that_a_content_is_kept_when_changes_in_the_middle_are_missing(desk: Desk) -> None:
    value = await value_of(desk)
    own = updates_of(value, "blk_tasks")
    assert len(own) == 3
    value["updates"].remove(own[1])
    target = desk.place(".constellation")
    plan = await desk.bring_in(written(desk, value), target)
    assert ("import.history_incomplete", "block:blk_tasks") in told(plan.problems)
    assert held(target)["blk_tasks"] == held(await desk.made("rich"))["blk_tasks"]


async def test_that_a_content_that_breaks_its_schema_is_kept(desk: Desk) -> None:
    value = await value_of(desk)
    item, new = block_of(value, "blk_tasks")["content"]["items"][0], "itm_new"
    # No title, which is required; and a number where the schema has a text.
    block_of(value, "blk_tasks")["content"]["items"].append({**item, "id": new, "value": {"due": 7}})
    target = desk.place(".constellation")
    plan = await desk.bring_in(written(desk, value), target)
    assert told(plan.problems) == [(KEPT, "block:blk_tasks")]
    assert json.loads(held(target)["blk_tasks"][0]) == block_of(value, "blk_tasks")["content"]
    assert not await check_file(target)
    await assert_settled(desk, target)


@pytest.mark.parametrize("into_existing", [False, True])
async def test_that_one_bad_item_is_left_out_and_named_and_the_others_come(
    desk: Desk, *, into_existing: bool
) -> None:
    source = await desk.exported(await desk.made("rich"), JSON, history=False)
    value = json.loads(source.read_bytes())
    items = block_of(value, "blk_tasks")["content"]["items"]
    good = list(items)
    items.insert(1, {**items[0], "id": "itm_bad", "value": 7})
    target = await desk.made("sample") if into_existing else desk.place(".constellation")
    plan = await desk.bring_in(written(desk, value), target)
    [problem] = [each for each in plan.problems if each.code == "import.element_left_out"]
    assert problem.parameters["place"] == "$.items[1]"
    assert "import.content_unreadable" not in {each.code for each in plan.problems}
    assert "import.unreadable_value" not in {each.code for each in plan.problems}
    assert {"kind": "list", "items": good} in [json.loads(content) for content, _ in held(target).values()]


async def test_that_a_bad_item_changes_nothing_where_the_history_gives_the_content(desk: Desk) -> None:
    value = await value_of(desk)
    block_of(value, "blk_tasks")["content"]["items"][0]["value"] = 7
    target = desk.place(".constellation")
    plan = await desk.bring_in(written(desk, value), target)
    assert told(plan.problems) == [("import.content_of_history", "block:blk_tasks")]
    assert held(target) == held(await desk.made("rich"))


async def test_that_a_content_of_another_kind_than_the_schema_is_told_and_the_history_counts(
    desk: Desk,
) -> None:
    value = await value_of(desk)
    block_of(value, "blk_tasks")["content"] = {"kind": "text", "text": "no list"}
    target = desk.place(".constellation")
    plan = await desk.bring_in(written(desk, value), target)
    assert told(plan.problems) == [("import.content_of_history", "block:blk_tasks")]
    assert held(target)["blk_tasks"] == held(await desk.made("rich"))["blk_tasks"]


async def test_that_a_block_without_its_content_has_what_its_history_gives(desk: Desk) -> None:
    value = await value_of(desk)
    for name in [name for name in block_of(value, "blk_parts") if name.startswith("content")]:
        del block_of(value, "blk_parts")[name]
    target = desk.place(".constellation")
    plan = await desk.bring_in(written(desk, value), target)
    assert told(plan.problems) == [("import.content_missing", "block:blk_parts")]
    assert held(target) == held(await desk.made("rich"))
    assert not await check_file(target)


async def test_that_a_content_outlives_a_changed_row_of_its_history(desk: Desk) -> None:
    value = await value_of(desk)
    updates_of(value, "blk_new")[-1]["blob"] = b64encode(b"no delta").decode()
    target = desk.place(".constellation")
    plan = await desk.bring_in(written(desk, value), target)
    assert ("import.history_refused", "block:blk_new") in told(plan.problems)
    assert held(target) == held(await desk.made("rich"))
    assert not await check_file(target)


async def test_that_a_row_of_another_block_in_a_history_does_not_replace_its_content(desk: Desk) -> None:
    value = await value_of(desk)
    theirs, mine = updates_of(value, "blk_all")[-1], updates_of(value, "blk_new")[-1]
    mine |= {name: theirs[name] for name in ("blob", "content_hash", "size")}
    target = desk.place(".constellation")
    plan = await desk.bring_in(written(desk, value), target)
    assert (KEPT, "block:blk_new") in told(plan.problems)
    assert held(target) == held(await desk.made("rich"))


@pytest.mark.parametrize("history", [True, False])
async def test_that_an_export_names_the_damaged_block_and_carries_its_content(
    desk: Desk, *, history: bool
) -> None:
    path = await desk.made("rich")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM updates WHERE block_id = 'blk_new' AND seq = 2")
        connection.commit()
    out = desk.place(".json")
    exported = await desk.told(path, out, JSON, history=history)
    assert {(each.code, each.where, each.severity) for each in exported.problems} == {
        ("block.missing_updates", "block:blk_new", Severity.ERROR),
        ("check.revision", "block:blk_new", Severity.ERROR),
    }
    target = desk.place(".constellation")
    await desk.bring_in(out, target)
    assert held(target) == held(path)


async def test_that_an_export_of_one_agent_names_the_damage_of_its_own_blocks_alone(desk: Desk) -> None:
    path = await desk.made("rich")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM updates WHERE block_id = 'blk_new' AND seq = 2")
        connection.commit()
    told_of_ada = await desk.told(path, desk.place(".json"), JSON, agent_id="agt_ada")
    assert "block:blk_new" in {each.where for each in told_of_ada.problems}
    told_of_bob = await desk.told(path, desk.place(".json"), JSON, agent_id="agt_bob")
    assert "block:blk_new" not in {each.where for each in told_of_bob.problems}


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE updates SET blob = x'00' WHERE block_id = 'blk_new' AND seq = 2", "check.delta_damaged"),
        ("UPDATE updates SET blob = NULL WHERE block_id = 'blk_new' AND seq = 2", "check.delta_missing"),
    ],
)
async def test_that_an_export_with_history_names_damaged_bytes(desk: Desk, statement: str, code: str) -> None:
    path = await desk.made("rich")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    exported = await desk.told(path, desk.place(".json"), JSON, history=True)
    assert (code, "block:blk_new") in {(each.code, each.where) for each in exported.problems}


@pytest.mark.parametrize("form", [JSON, FOLDER])
async def test_that_an_export_names_what_is_not_what_was_written_as_an_import_would_seal_it(
    desk: Desk, form: ExportFormat
) -> None:
    path = await desk.made("rich")
    damage(
        path,
        "UPDATE blocks SET description = 'damaged' WHERE id = 'blk_profile'",
        "UPDATE messages SET role = 'user' WHERE id = 'msg_1'",
        "UPDATE updates SET actor_name = 'Mallory' WHERE block_id = 'blk_log' AND seq = 1",
        "UPDATE changes SET reason = 'because' WHERE seq = 2",
    )
    cells = {
        ("check.text_damaged", "block:blk_profile"),
        ("check.text_damaged", "message:msg_1"),
    }
    rows = {("check.version_damaged", "block:blk_log"), ("check.change_damaged", "changes:2")}
    suffix = ".json" if form is JSON else ""
    exported = await desk.told(path, desk.place(suffix), form)
    assert {(each.code, each.where) for each in exported.problems} == cells
    exported = await desk.told(path, desk.place(suffix), form, history=True)
    assert {(each.code, each.where) for each in exported.problems} == cells | rows
    exported = await desk.told(path, desk.place(suffix), form, agent_id=BOB)
    assert ("check.text_damaged", "message:msg_1") not in {
        (each.code, each.where) for each in exported.problems
    }


async def test_that_the_export_of_a_whole_file_names_no_damage(desk: Desk) -> None:
    for name in ("rich", "sample"):
        exported = await desk.told(await desk.made(name), desk.place(".json"), JSON, history=True)
        assert exported.problems == ()
