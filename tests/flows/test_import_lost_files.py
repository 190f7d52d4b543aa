"""A folder of which a part was lost on its way: what an import does not find is told, file by file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from inspector.domain.errors import InspectorError, Parameter, Severity
from inspector.domain.exchange import ImportPlan
from tests.flows.export_builders import ENTRUSTED, FOLDER, Desk

MISSING, SHORT = "import.file_missing", "import.rows_missing"
Told = list[tuple[str, str, Parameter, Parameter]]


def told(plan: ImportPlan) -> Told:
    """What is missing: code, file, rows that were written, rows that are there."""
    found = [each for each in plan.problems if each.code not in ENTRUSTED]
    assert all(each.severity is Severity.WARNING for each in found)
    return [
        (each.code, each.where, each.parameters.get("expected"), each.parameters.get("found"))
        for each in found
    ]


async def read(desk: Desk, folder: Path) -> Told:
    return told(await desk.bring_in(folder, desk.place(".constellation")))


def rows_of(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)


async def test_that_lines_lost_at_the_end_of_a_file_are_told_with_their_number(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("sample"), FOLDER)
    assert await read(desk, folder) == []
    messages = max(folder.glob("agents/*/messages.jsonl"), key=lambda path: path.stat().st_size)
    before = rows_of(messages)
    messages.write_bytes(b"".join(before[:-5]))
    where = messages.relative_to(folder).as_posix()
    assert (SHORT, where, len(before), len(before) - 5) in await read(desk, folder)


async def test_that_every_file_that_is_not_there_is_told_or_refused(desk: Desk) -> None:
    whole = await desk.exported(await desk.made("rich"), FOLDER)
    names = [each.relative_to(whole).as_posix() for each in sorted(whole.rglob("*")) if each.is_file()]
    unnoticed = []
    for number, name in enumerate(names):
        folder = whole.with_name(f"without_{number}")
        shutil.copytree(whole, folder)
        (folder / name).unlink()
        try:
            found = await read(desk, folder)
        except InspectorError:
            continue
        finally:
            shutil.rmtree(folder)
        if (MISSING, name) not in {each[:2] for each in found}:
            unnoticed.append(name)
    assert len(names) > 20
    assert unnoticed == []


async def test_that_the_three_files_of_a_block_are_told_each(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER, history=True)
    lost = sorted((folder / "agents" / "+ada" / "blocks").glob("old.*"))
    assert len(lost) >= 3
    rows = [len(rows_of(each)) if each.suffix == ".jsonl" else 1 for each in lost]
    for each in lost:
        each.unlink()
    wanted = [
        (MISSING, each.relative_to(folder).as_posix(), n, 0) for each, n in zip(lost, rows, strict=True)
    ]
    assert [each for each in await read(desk, folder) if each[0] == MISSING] == wanted


async def test_that_of_a_renamed_folder_what_is_lost_is_told_and_nothing_else(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("sample"), FOLDER)
    messages = max(folder.glob("agents/*/messages.jsonl"), key=lambda path: path.stat().st_size)
    agent, before = messages.parent, rows_of(messages)
    messages.write_bytes(b"".join(before[:-1]))
    (agent / "archival_entries.jsonl").unlink(missing_ok=True)
    agent.rename(agent.with_name("another"))
    found = await read(desk, folder)
    where = messages.relative_to(folder).as_posix()
    assert (SHORT, where, len(before), len(before) - 1) in found
    assert {each[1].rpartition("/")[2] for each in found} <= {"messages.jsonl", "archival_entries.jsonl"}


async def test_that_more_rows_and_more_files_than_were_written_are_nothing_to_tell(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER)
    tool = next((folder / "tools").glob("*.json"))
    value = json.loads(tool.read_bytes())
    (folder / "tools" / "more.json").write_text(json.dumps({**value, "name": "more"}))
    assert await read(desk, folder) == []


async def test_that_a_folder_that_does_not_say_what_belongs_to_it_is_imported(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER)
    header = folder / "constellation.json"
    value = json.loads(header.read_bytes())
    del value["files"]
    header.write_text(json.dumps(value))
    assert await read(desk, folder) == []


@pytest.mark.parametrize("said", [[], "x", {"a.jsonl": -1}, {"a.jsonl": True}, {"a.jsonl": "1"}])
async def test_that_an_inventory_that_is_none_is_refused_with_its_place(desk: Desk, said: object) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER)
    header = folder / "constellation.json"
    header.write_text(json.dumps({**json.loads(header.read_bytes()), "files": said}))
    with pytest.raises(InspectorError) as caught:
        await read(desk, folder)
    assert caught.value.code == "import.malformed"
    assert str(caught.value.parameters["where"]) == "constellation.json files"
