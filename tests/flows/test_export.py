"""A constellation goes out and comes in again: the same, in every form."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import FileError, NotFoundError
from inspector.domain.exchange import ExportFormat
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange
from inspector.runtime.engine import Engine
from inspector.runtime.files import check_file
from tests.exchange.rows.builders import ADA, BOB
from tests.fixtures import NOOR
from tests.flows.export_builders import (
    FOLDER,
    JSON,
    LETTA,
    OF_HISTORY,
    SAMPLES,
    Desk,
    contents,
    table_rows,
)


def test_that_all_real_agent_files_are_tried(samples_dir: Path) -> None:
    assert sorted(each.name for each in samples_dir.glob("*.af")) == sorted(SAMPLES)


@pytest.mark.parametrize(
    ("name", "history"),
    [("rich", False), ("rich", True), ("sample", False), *((each, True) for each in SAMPLES)],
)
async def test_that_an_export_that_is_imported_and_exported_again_is_the_same_byte_for_byte(
    desk: Desk, name: str, history: bool
) -> None:
    original = await desk.made(name)
    for form in (JSON, FOLDER):
        first = await desk.exported(original, form, history=history)
        again = await desk.exported(await desk.imported(first), form, history=history)
        assert contents(again) == contents(first), form


@pytest.mark.parametrize("name", ["rich", "sample"])
async def test_that_with_history_every_table_is_the_same_as_seen_from_outside(desk: Desk, name: str) -> None:
    original = await desk.made(name)
    again = await desk.imported(await desk.exported(original, FOLDER, history=True))
    before, after = table_rows(original), table_rows(again)
    for tables in (before, after):
        tables["search_texts"] = _without_row_numbers(tables["search_texts"])
    assert before["updates"]
    assert before == after


@pytest.mark.parametrize("name", ["rich", "sample"])
async def test_that_without_history_all_but_history_is_the_same_as_seen_from_outside(
    desk: Desk, name: str
) -> None:
    original = await desk.made(name)
    again = await desk.imported(await desk.exported(original, JSON))
    before, after = table_rows(original), table_rows(again)
    different = {table for table in before if before[table] != after[table]}
    # Contents name their version, runs a change, requests the version that they saw, and the index its row.
    pointing = {"block_contents", "runs", "consent_requests", "search_texts"}
    assert different <= OF_HISTORY | pointing
    assert {row[0]: row[-2:] for row in before["block_contents"]} == {
        row[0]: row[-2:] for row in after["block_contents"]
    }
    assert _without_row_numbers(before["search_texts"]) == _without_row_numbers(after["search_texts"])


def _without_row_numbers(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(row[1:] for row in rows)


async def test_that_without_history_a_block_begins_with_one_change_of_the_import(desk: Desk) -> None:
    again = await desk.imported(await desk.exported(await desk.made("rich"), JSON))

    async def look(engine: Engine) -> None:
        versions = await engine.memory.versions.versions("blk_new")
        assert [(each.seq, each.actor.id, each.reason[:8]) for each in versions] == [
            (1, "import", "imported")
        ]
        state = await engine.memory.get("blk_new")
        assert state is not None
        assert state.written is not None
        assert state.written.actor == NOOR
        await engine.edit("blk_new", AppendText("and on"))
        assert (await engine.memory.rendered("blk_new") or "").endswith("more\nand on")

    await desk.change(again, look)


async def test_that_an_imported_history_goes_on(desk: Desk) -> None:
    again = await desk.imported(await desk.exported(await desk.made("rich"), JSON, history=True))

    async def look(engine: Engine) -> None:
        versions = await engine.memory.versions.versions("blk_new")
        await engine.edit("blk_new", AppendText("and on"))
        more = await engine.memory.versions.versions("blk_new")
        assert more[:-1] == versions
        first = (await engine.memory.versions.content_at("blk_new", versions[0].version)).content
        assert getattr(first, "text", None) == "a new one\n"

    await desk.change(again, look)


async def test_that_an_export_leaves_the_constellation_as_it_was(desk: Desk) -> None:
    original = await desk.made("sample")
    before = original.read_bytes()
    for form in (JSON, FOLDER, LETTA):
        await desk.exported(original, form)
    assert original.read_bytes() == before


PRESENT = {
    "agents": "1",
    "blocks": "is_active",
    "messages": "NOT is_deleted",
    "summaries": "NOT is_deleted",
    "archival_entries": "NOT is_deleted",
    "activity": "1",
    "attachments": "1",
    "queue": "1",
    "wakeups": "NOT is_deleted",
}
"""Tables of what comes into a file that has contents already, and which of their rows do."""


def present(path: Path) -> dict[str, int]:
    """How many rows there are that are not deleted, by table."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            name: connection.execute(f"SELECT count(*) FROM {name} WHERE {which}").fetchone()[0]
            for name, which in PRESENT.items()
        }


@pytest.mark.parametrize(
    ("name", "history"),
    [("rich", False), ("rich", True), ("sample", False), ("agent-file--evie.af", True)],
)
async def test_that_contents_come_a_second_time_beside_the_first(
    desk: Desk, name: str, history: bool
) -> None:
    original = await desk.made(name)
    source = await desk.exported(original, JSON, history=history)
    counts, stays = present(original), table_rows(original)
    plan = await desk.bring_in(source, original)
    assert not await check_file(original)
    codes = {problem.code for problem in plan.problems}
    assert {"import.contents_only", "import.agent_name_taken"} <= codes
    assert present(original) == {name: 2 * count for name, count in counts.items()}
    after = table_rows(original)
    for name in ("tools", "meta", "runs", "consent_requests", "consent_grants", "layouts"):
        assert after[name] == stays[name]
    agents = await desk.change(original, lambda engine: engine.agents.list())
    assert {each.id for each in plan.agents} <= {each.id for each in agents[0]}


async def test_that_what_comes_beside_is_the_same_under_new_ids(desk: Desk) -> None:
    original = await desk.made("rich")
    source = await desk.exported(original, JSON, history=True)
    await desk.bring_in(source, original)

    async def look(engine: Engine) -> None:
        agents, _ = await engine.agents.list()
        assert len(agents) == 4
        new = [agent for agent in agents if agent.id not in (ADA, BOB)]
        assert {agent.instructions for agent in new} == {("One.", "", "Two."), ()}
        ada = next(agent for agent in new if agent.instructions)
        old_blocks = {each.block.label: each for each in await engine.memory.states(ADA)}
        new_blocks = {each.block.label: each for each in await engine.memory.states(ada.id)}
        assert {k: v.content for k, v in new_blocks.items()} == {k: v.content for k, v in old_blocks.items()}
        for state in new_blocks.values():
            assert len(await engine.memory.versions.versions(state.block.id)) == 1
        labels = {each.block.label for each in await engine.memory.states("_constellation_")}
        assert labels == {"rules", "rules_2"}
        old, copied = [await engine.conversation.batches(each) for each in (ADA, ada.id)]
        assert [[each.content for each in batch.messages] for batch in copied] == [
            [each.content for each in batch.messages] for batch in old
        ]
        assert not {batch.id for batch in copied} & {batch.id for batch in old}
        (summary,), _ = await engine.conversation.summaries(ada.id)
        assert summary.covers == PositionRange(1, 2)

    await desk.change(original, look)


async def test_that_a_summary_covers_the_same_messages_where_others_were_deleted(desk: Desk) -> None:
    original = await desk.made("rich")
    gone = Intent(Edit(Ref(RefKind.MESSAGE, "msg_1"), DeleteRow()), NOOR)
    await desk.change(original, lambda engine: engine.apply([gone]))
    source = await desk.exported(original, JSON)
    target = await desk.made("sample")
    plan = await desk.bring_in(source, target)
    ada = plan.agents[0].id
    (summary,), _ = await desk.change(target, lambda engine: engine.conversation.summaries(ada))
    assert summary.covers == PositionRange(1, 1)


async def test_that_one_agent_s_part_stands_on_its_own(desk: Desk) -> None:
    original = await desk.made("rich")
    target = desk.place(".json")
    told = await desk.told(original, target, JSON, agent_id=BOB, history=True)
    assert [(each.code, each.parameters["new"]) for each in told.problems] == [
        ("export.block_becomes_own", "Partner")
    ]
    again = await desk.imported(target)

    async def look(engine: Engine) -> None:
        agents, _ = await engine.agents.list()
        assert [agent.id for agent in agents] == [BOB]
        blocks = {each.block.label: each.block for each in await engine.memory.list()}
        assert {label: each.owner for label, each in blocks.items()} == {
            "parts": BOB,
            "Partner": BOB,
            "rules": "_constellation_",
        }
        assert blocks["Partner"].permission.label == "append"
        facts = await engine.agents.facts()
        assert facts["name"] == "All of it"
        assert facts["constellation_id"] != json.loads(target.read_bytes())["constellation"].get(
            "constellation_id"
        )

    await desk.change(again, look)
    everything = target.read_bytes().decode()
    assert "remember" not in everything
    assert "msg_1" not in everything


async def test_that_an_unknown_agent_is_refused(desk: Desk) -> None:
    original = await desk.made("rich")
    with pytest.raises(NotFoundError):
        await desk.exported(original, JSON, agent_id="agt_nobody")


@pytest.mark.parametrize("form", [JSON, FOLDER, LETTA])
async def test_that_nothing_is_replaced_unless_it_was_asked_for(desk: Desk, form: ExportFormat) -> None:
    original = await desk.made("rich")
    target = await desk.exported(original, form)
    before = contents(target)
    with pytest.raises(FileError) as caught:
        await desk.told(original, target, form)
    assert caught.value.code == "file.exists"
    assert contents(target) == before
    await desk.change(original, lambda engine: engine.edit("blk_new", AppendText("x")))
    await desk.told(original, target, form, replace=True)
    assert contents(target) != before
    assert not [each for each in target.parent.iterdir() if each.name.endswith((".new", ".old"))]


@pytest.mark.parametrize("form", [JSON, FOLDER, LETTA])
async def test_that_hostile_labels_and_names_come_back(
    desk: Desk, hostile_texts: dict[str, str], form: ExportFormat
) -> None:
    source = await desk.exported(await desk.made("rich"), JSON)
    value = json.loads(source.read_bytes())
    pattern = next(each for each in value["blocks"] if each["id"] == "blk_new")
    labels = [*hostile_texts.values(), *("con", "CON", "a.", "A.", "../x", "x" * 300, "X" * 300, "nul.txt")]
    for number, label in enumerate(dict.fromkeys(labels)):
        value["blocks"].append({**pattern, "id": f"blk_h{number}", "label": label})
        value["agents"].append({**value["agents"][1], "id": f"agt_{label}"[:400], "name": label})
    source.write_text(json.dumps(value))
    target = desk.place(".constellation")
    await desk.bring_in(source, target)
    again = await desk.imported(await desk.exported(target, form))
    assert contents(await desk.exported(again, JSON)) == contents(await desk.exported(target, JSON))


@pytest.mark.parametrize("form", [JSON, FOLDER, LETTA])
async def test_that_no_draft_and_no_place_of_this_machine_goes_out(
    desk: Desk, tmp_db_dir: Path, form: ExportFormat
) -> None:
    original = await desk.made("rich")

    async def draft(engine: Engine) -> None:
        await engine.drafts.keep(Edit(Ref(RefKind.BLOCK, "blk_new"), SetText("not yet said")))

    await desk.change(original, draft)
    wish = {"history": True} if form is not LETTA else {}
    written = b"".join(contents(await desk.exported(original, form, **wish)).values()).decode()
    assert "more" in written
    for secret in ("not yet said", str(tmp_db_dir), str(Path.home()), ".constellation"):
        assert secret not in written
