"""A constellation goes out and comes in again: the same, in every form."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import FileError, InspectorError, MalformedError, NotFoundError
from inspector.domain.exchange import ImportPlan
from inspector.domain.exports import Exported, ExportFormat, ExportWish
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine, Surroundings
from inspector.runtime.files import check_file, import_into, make_empty, make_sample, plan_of
from tests.exchange.rows.rich import ADA, BOB, furnish, listed
from tests.fixtures import NOOR, OpenEngine

JSON, FOLDER, LETTA = ExportFormat.JSON, ExportFormat.FOLDER, ExportFormat.LETTA
SAMPLES = [
    "agent-file--customer_service.af",
    "agent-file--evie.af",
    "agent-file--lettabot.af",
    "agent-file--loop.af",
    "agent-file--memgpt_agent_with_convo.af",
    "letta-archive--memgpt_agent_with_convo.af",
    "letta-archive--test_agent.af",
]
DERIVED = {"updates": {"id"}}
"""Columns that a file gives out by itself."""
MADE: dict[str, bytes] = {}
OF_HISTORY = {"processes", "changes", "updates", "checkpoints"}

Make = Callable[[str], Any]


def contents(place: Path) -> dict[str, bytes]:
    """What was written: by path, the file alone under an empty one."""
    if place.is_file():
        return {"": place.read_bytes()}
    return {str(each.relative_to(place)): each.read_bytes() for each in place.rglob("*") if each.is_file()}


class Desk:
    """Exports and imports in one folder, each to a new place."""

    def __init__(self, folder: Path, surroundings: Surroundings, samples: Path) -> None:
        self._folder = folder
        self._surroundings = surroundings
        self._samples = samples
        self._count = 0

    def place(self, suffix: str = "") -> Path:
        self._count += 1
        return self._folder / f"place{self._count}{suffix}"

    async def made(self, name: str) -> Path:
        """The sample constellation, one with something of everything, or an imported agent file: made once."""
        target = self.place(".constellation")
        if name not in MADE:
            MADE[name] = (await self.fresh(name)).read_bytes()
        target.write_bytes(MADE[name])
        return target

    async def fresh(self, name: str) -> Path:
        """As `made`, with ids that go on here."""
        target = self.place(".constellation")
        if name == "sample":
            await make_sample(target, self._surroundings)
        elif name == "rich":
            await make_empty(target, self._surroundings)
            await self.change(target, furnish)
        else:
            if not (self._samples / name).exists():
                pytest.skip("the real agent files are not here")
            await self.bring_in(self._samples / name, target)
        return target

    async def change(self, path: Path, work: Callable[[Engine], Any]) -> Any:
        engine = await Engine.open(path, self._surroundings)
        try:
            return await work(engine)
        finally:
            await engine.close()

    async def bring_in(self, source: Path, target: Path) -> ImportPlan:
        return await import_into(target, await plan_of(source, self._surroundings), self._surroundings)

    async def imported(self, source: Path) -> Path:
        """A new constellation of an export, which was taken without a word."""
        target = self.place(".constellation")
        plan = await self.bring_in(source, target)
        assert not plan.problems
        assert not await check_file(target)
        return target

    async def exported(self, path: Path, form: ExportFormat, **wish: Any) -> Path:
        target = self.place(".af" if form is LETTA else ".json" if form is JSON else "")
        await self.told(path, target, form, **wish)
        return target

    async def told(self, path: Path, target: Path, form: ExportFormat, **wish: Any) -> Exported:
        told: Exported = await self.change(
            path, lambda engine: engine.exchange.export(target, ExportWish(form, **wish))
        )
        return told


@pytest.fixture
def desk(tmp_db_dir: Path, surroundings: Surroundings, request: pytest.FixtureRequest) -> Desk:
    """Without the real agent files, only what needs them is skipped."""
    samples = Path(__file__).resolve().parents[2].parent / "shared" / "samples"
    return Desk(tmp_db_dir, surroundings, samples)


def table_rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every table of a file, the search index's own left away, read from outside."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in tables:
            if name.startswith(("sqlite_", "search_words")):
                continue
            cursor = connection.execute("SELECT * FROM " + name)
            left_out = DERIVED.get(name, set())
            kept = [i for i, each in enumerate(cursor.description) if each[0] not in left_out]
            rows = [tuple(row[i] for i in kept) for row in cursor]
            found[name] = sorted(rows, key=repr)
    return found


@pytest.mark.parametrize("history", [False, True], ids=["content", "history"])
@pytest.mark.parametrize("name", ["rich", "sample", *SAMPLES])
async def test_that_an_export_that_is_imported_and_exported_again_is_the_same_byte_for_byte(
    desk: Desk, name: str, history: bool
) -> None:
    original = await desk.made(name)
    first = {form: await desk.exported(original, form, history=history) for form in (JSON, FOLDER)}
    for source in first.values():
        again = await desk.imported(source)
        for form, expected in first.items():
            found = contents(await desk.exported(again, form, history=history))
            assert found == contents(expected), (source, form)


@pytest.mark.parametrize("name", ["rich", "sample", *SAMPLES])
async def test_that_an_agent_file_brings_back_all_but_history(desk: Desk, name: str) -> None:
    original = await desk.made(name)
    agent_file = await desk.exported(original, LETTA)
    again = await desk.imported(agent_file)
    assert contents(await desk.exported(again, JSON)) == contents(await desk.exported(original, JSON))
    assert contents(await desk.exported(again, LETTA)) == contents(agent_file)


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
    again = await desk.imported(await desk.exported(await desk.fresh("rich"), JSON))

    async def look(engine: Engine) -> None:
        versions = await engine.memory.history("blk_new")
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
    again = await desk.imported(await desk.exported(await desk.fresh("rich"), JSON, history=True))

    async def look(engine: Engine) -> None:
        versions = await engine.memory.history("blk_new")
        await engine.edit("blk_new", AppendText("and on"))
        more = await engine.memory.history("blk_new")
        assert more[:-1] == versions
        first = await engine.memory.content_at("blk_new", versions[0].version)
        assert getattr(first, "text", None) == "a new one\n"

    await desk.change(again, look)


async def test_that_an_export_leaves_the_constellation_as_it_was(desk: Desk) -> None:
    original = await desk.made("sample")
    before = original.read_bytes()
    for form in (JSON, FOLDER, LETTA):
        await desk.exported(original, form)
    assert original.read_bytes() == before


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("name", ["rich", "sample", "agent-file--evie.af"])
async def test_that_a_second_import_stands_beside_the_first(desk: Desk, name: str, history: bool) -> None:
    original = await desk.fresh(name)
    source = await desk.exported(original, JSON, history=history)
    counts = {name: len(rows) for name, rows in table_rows(original).items()}
    plan = await desk.bring_in(source, original)
    assert not await check_file(original)
    codes = {problem.code for problem in plan.problems}
    assert {"import.ids_renewed", "import.agent_name_taken"} <= codes
    after = {name: len(rows) for name, rows in table_rows(original).items()}
    doubled = {
        "agents",
        "blocks",
        "messages",
        "summaries",
        "archival_entries",
        "attachments",
        "queue",
        "runs",
    }
    assert {name: after[name] for name in doubled} == {name: 2 * counts[name] for name in doubled}
    assert after["tools"] == counts["tools"]
    assert after["meta"] == counts["meta"]
    if history:
        assert after["updates"] == 2 * counts["updates"]


async def test_that_what_comes_beside_is_the_same_under_new_ids(desk: Desk) -> None:
    original = await desk.fresh("rich")
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
        assert {len(await engine.memory.history(each.block.id)) for each in old_blocks.values()} >= {1, 2}
        for label, state in new_blocks.items():
            told = await engine.memory.history(state.block.id)
            assert [each.version for each in told] == [
                each.version for each in await engine.memory.history(old_blocks[label].block.id)
            ]
        labels = {each.block.label for each in await engine.memory.states("_constellation_")}
        assert labels == {"rules", "rules_2"}
        requests, _ = await engine.agents.consent_requests()
        mine = next(each for each in requests if each.agent_id == ada.id)
        assert mine.edit.target.id == new_blocks["ask"].block.id
        assert [batch.id for batch in await engine.conversation.batches(ada.id)] != ["bat_1", "bat_2"]

    await desk.change(original, look)


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
    original = await desk.fresh("rich")
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


async def test_that_a_folder_with_other_things_in_it_is_never_replaced(desk: Desk) -> None:
    original = await desk.made("rich")
    target = await desk.exported(original, FOLDER)
    (target / ".git").mkdir()
    (target / ".git" / "HEAD").write_text("ref")
    with pytest.raises(FileError) as caught:
        await desk.told(original, target, FOLDER, replace=True)
    assert caught.value.code == "export.folder_has_others"
    assert (target / ".git" / "HEAD").read_text() == "ref"


async def test_that_a_text_changed_in_the_folder_is_imported(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER)
    text = folder / "agents" / "+ada" / "blocks" / "old.txt"
    assert text.read_text() == "a new one\nmore\n"
    text.write_text("by hand\n")
    again = await desk.imported(folder)
    found = await desk.change(again, lambda engine: engine.memory.rendered("blk_new"))
    assert found == "by hand\n"


async def test_that_files_can_be_renamed_and_hidden_ones_are_passed_over(desk: Desk) -> None:
    original = await desk.made("rich")
    folder = await desk.exported(original, FOLDER)
    (folder / "agents" / "+ada").rename(folder / "agents" / "another")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_bytes(b"\xff")
    again = await desk.imported(folder)
    assert contents(await desk.exported(again, JSON)) == contents(await desk.exported(original, JSON))


async def test_that_unknown_files_and_links_are_told_and_not_read(desk: Desk, tmp_path: Path) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER)
    secret = tmp_path / "secret.json"
    secret.write_text("{")
    (folder / "tools" / "linked.json").symlink_to(secret)
    (folder / "notes.md").write_text("hm")
    (folder / "agents" / "+ada" / "blocks" / "stray.txt").write_text("hm")
    plan = await desk.bring_in(folder, desk.place(".constellation"))
    assert sorted((each.code, each.where) for each in plan.problems) == [
        ("import.file_ignored", "agents/+ada/blocks/stray.txt"),
        ("import.file_ignored", "notes.md"),
        ("import.file_ignored", "tools/linked.json"),
    ]


async def test_that_a_document_that_does_not_pass_begins_anew_and_is_told(desk: Desk) -> None:
    source = await desk.exported(await desk.made("rich"), JSON, history=True)
    value = json.loads(source.read_bytes())
    for row in value["updates"]:
        if row["block_id"] == "blk_new":
            row["blob"] = "AAAA"
    source.write_text(json.dumps(value))
    target = desk.place(".constellation")
    plan = await desk.bring_in(source, target)
    refused = [each for each in plan.problems if each.code == "import.history_refused"]
    assert [each.parameters["label"] for each in refused] == ["old"]
    assert not await check_file(target)

    async def look(engine: Engine) -> None:
        assert await engine.memory.rendered("blk_new") == "a new one\nmore\n"
        assert len(await engine.memory.history("blk_new")) == 1
        assert len(await engine.memory.history("blk_tasks")) == 3

    await desk.change(target, look)


async def test_that_an_agent_file_that_was_changed_elsewhere_counts_as_it_is_now(desk: Desk) -> None:
    source = await desk.exported(await desk.made("rich"), LETTA)
    value = json.loads(source.read_bytes())
    for each in value["blocks"]:
        if each["label"] == "old":
            each["value"] = "changed in another program"
    source.write_text(json.dumps(value))
    target = desk.place(".constellation")
    plan = await desk.bring_in(source, target)
    assert "import.edited_elsewhere" in {each.code for each in plan.problems}

    async def look(engine: Engine) -> None:
        states = {each.block.label: each for each in await engine.memory.list()}
        assert getattr(states["old"].content, "text", None) == "changed in another program"
        agents, _ = await engine.agents.list()
        assert "context_inspector" not in agents[0].metadata

    await desk.change(target, look)


Spoil = Callable[[dict[str, Any]], object]
SPOILED: dict[str, tuple[Spoil, str]] = {
    "an id twice": (lambda v: v["agents"].append(v["agents"][0]), "agents[2]"),
    "a message of nobody": (lambda v: v["messages"][0].update(agent_id="agt_x"), "messages[0].agent_id"),
    "a place twice": (lambda v: v["messages"][1].update(position=1), "messages[1]"),
    "no list": (lambda v: v.update(blocks={}), "blocks"),
    "a row that is none": (lambda v: v["blocks"].append(5), "blocks[9]"),
    "no content of ours": (lambda v: v["blocks"][0].update(written=None), "blocks[0].written"),
    "a hash of another text": (lambda v: v["request_texts"][0].update(text="x"), "request_texts[0].hash"),
    "a negative limit": (lambda v: v["blocks"][0].update(char_limit=-1), "blocks[0].char_limit"),
    "facts that are none": (lambda v: v.update(constellation={"name": 5}), "constellation.name"),
    "a version of tomorrow": (lambda v: v.update(version="2.0"), "version"),
    "no version": (lambda v: v.pop("version"), "version"),
    "history that is none": (lambda v: v.update(history="yes"), "history"),
}


@pytest.mark.parametrize("case", SPOILED)
async def test_that_a_file_that_cannot_be_right_is_refused_with_its_place(desk: Desk, case: str) -> None:
    spoil, where = SPOILED[case]
    source = await desk.exported(await desk.made("rich"), JSON)
    value = json.loads(source.read_bytes())
    spoil(value)
    source.write_text(json.dumps(value))
    target = desk.place(".constellation")
    with pytest.raises(MalformedError) as caught:
        await desk.bring_in(source, target)
    assert caught.value.parameters["where"] == where
    assert not target.exists()


async def test_that_a_content_with_an_id_twice_leaves_the_target_as_it_was(desk: Desk) -> None:
    original = await desk.fresh("rich")
    source = await desk.exported(original, JSON)
    value = json.loads(source.read_bytes())
    tasks = next(each for each in value["blocks"] if each["id"] == "blk_tasks")
    tasks["content"]["items"] *= 2
    source.write_text(json.dumps(value))
    before = table_rows(original)
    with pytest.raises(MalformedError) as caught:
        await desk.bring_in(source, original)
    assert "blk" in str(caught.value.parameters["where"])
    assert table_rows(original) == before


async def test_that_what_cannot_be_read_is_kept_as_it_is_and_told(desk: Desk) -> None:
    source = await desk.exported(await desk.made("rich"), JSON)
    value = json.loads(source.read_bytes())
    value["blocks"][0]["schema"] = {"kind": "hologram"}
    value["messages"][0]["role"] = "ghost"
    value["blocks"][1]["mood"] = "good"
    value["dreams"] = []
    source.write_text(json.dumps(value))
    target = desk.place(".constellation")
    plan = await desk.bring_in(source, target)
    told = {(each.code, each.where) for each in plan.problems}
    assert {
        ("import.unreadable_value", "blocks[0].schema"),
        ("import.unreadable_value", "messages[0].role"),
        ("import.unknown_field", "blocks[].mood"),
        ("import.unknown_field", "dreams"),
    } <= told
    found = listed((await desk.exported(target, JSON)).read_bytes(), "blocks")
    assert found[0]["schema"] == {"kind": "hologram"}
    assert found[0]["content"] == value["blocks"][0]["content"]


@pytest.mark.parametrize("form", [JSON, FOLDER, LETTA])
async def test_that_hostile_labels_and_names_come_back(
    desk: Desk, engine: OpenEngine, hostile_texts: dict[str, str], form: ExportFormat
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


async def test_that_a_folder_of_too_much_is_refused(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER)
    for number in range(3):
        shutil.copy(folder / "activity.jsonl", folder / f"{number}.activity.jsonl")
        with (folder / f"{number}.activity.jsonl").open("ab") as file:
            file.write(b" " * (40 << 20))
    with pytest.raises(InspectorError) as caught:
        await desk.bring_in(folder, desk.place(".constellation"))
    assert caught.value.code == "import.too_large"


@pytest.mark.parametrize("form", [JSON, FOLDER, LETTA])
async def test_that_no_draft_and_no_place_of_this_machine_goes_out(
    desk: Desk, tmp_db_dir: Path, form: ExportFormat
) -> None:
    original = await desk.fresh("rich")

    async def draft(engine: Engine) -> None:
        await engine.drafts.keep(Edit(Ref(RefKind.BLOCK, "blk_new"), SetText("not yet said")))

    await desk.change(original, draft)
    wish = {"history": True} if form is not LETTA else {}
    written = b"".join(contents(await desk.exported(original, form, **wish)).values()).decode()
    assert "more" in written
    for secret in ("not yet said", str(tmp_db_dir), str(Path.home()), ".constellation"):
        assert secret not in written


async def test_that_a_text_that_is_no_utf8_is_told(desk: Desk) -> None:
    original = await desk.made("rich")
    with closing(sqlite3.connect(original)) as connection:
        connection.execute("UPDATE agents SET persona = CAST(x'41ff' AS TEXT) WHERE id = 'agt_ada'")
        connection.commit()
    target = desk.place(".json")
    told = await desk.told(original, target, JSON)
    assert [(each.code, each.where) for each in told.problems] == [("export.not_utf8", "agents.persona")]
    assert listed(target.read_bytes(), "agents")[0]["persona"] == "A\ufffd"


async def test_that_one_agent_goes_out_as_an_agent_file(desk: Desk) -> None:
    target = await desk.exported(await desk.made("rich"), LETTA, agent_id=BOB)
    value = json.loads(target.read_bytes())
    (agent,) = value["agents"]
    labels = {each["id"]: each["label"] for each in value["blocks"]}
    assert [labels[each] for each in agent["block_ids"]] == ["rules", "parts", "Partner"]
    assert agent["in_context_message_ids"] == [each["id"] for each in agent["messages"]]
    assert {each["role"] for each in agent["messages"]} == {"system"}
    again = await desk.imported(target)
    found = await desk.change(again, lambda engine: engine.agents.list())
    assert [each.id for each in found[0]] == [BOB]


@pytest.mark.parametrize("name", [name for name in SAMPLES if "archive--memgpt" not in name])
async def test_that_an_agent_file_goes_out_as_it_came_in(desk: Desk, samples_dir: Path, name: str) -> None:
    """What its fields say; addresses and empty fields are told apart nowhere."""
    exported = json.loads((await desk.exported(await desk.made(name), LETTA)).read_bytes())
    file = json.loads((samples_dir / name).read_bytes())
    original = json.loads(file) if isinstance(file, str) else file
    for ours, theirs in zip(exported["agents"], original["agents"], strict=True):
        assert theirs.keys() - {"compaction_settings"} <= ours.keys()
        for key in ("id", "name", "system", "agent_type", "tags", "description", "tool_ids", "tool_rules"):
            assert (key, ours[key] or None) == (key, theirs[key] or None)
        assert sorted(ours["block_ids"]) == sorted(theirs["block_ids"])
        assert ours["llm_config"]["model"] == theirs["llm_config"]["model"]
        assert ours["llm_config"]["context_window"] == theirs["llm_config"]["context_window"]
        messages = {each["id"]: each for each in ours["messages"]}
        assert messages.keys() == {each["id"] for each in theirs["messages"]}
        assert all(each.keys() == theirs["messages"][0].keys() for each in ours["messages"])
        for message in theirs["messages"]:
            mine = messages[message["id"]]
            assert mine["role"] == message["role"]
            assert _calls(mine) == _calls(message)
            assert _returned(mine) == _returned(message)
    for kind, keys in (
        ("blocks", ("label", "value", "limit", "read_only")),
        ("tools", ("name", "description", "source_code", "json_schema", "tool_type", "tags")),
    ):
        mine = {each["id"]: each for each in exported[kind]}
        assert mine.keys() == {each["id"] for each in original[kind]}
        for each in original[kind]:
            assert [mine[each["id"]][key] or None for key in keys] == [each[key] or None for key in keys]


def _calls(message: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (each["id"], each["function"]["name"], each["function"]["arguments"])
        for each in message["tool_calls"] or ()
    ]


def _returned(message: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (each["tool_call_id"], each["func_response"])
        for each in (*message["tool_returns"], *message["approvals"])
        if each.get("func_response")
    }
