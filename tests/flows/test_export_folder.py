"""A constellation as a folder: what people may change in it, and what is passed over."""

from __future__ import annotations

import json
import shutil
from pathlib import Path, PureWindowsPath

import pytest

from inspector.domain.errors import FileError, InspectorError
from tests.exchange.constellation.test_names import DEVICES, HOSTILE_LABELS, as_the_strictest_system_sees_it
from tests.exchange.rows.builders import listed
from tests.flows.export_builders import (
    ENTRUSTED,
    FOLDER,
    JSON,
    Desk,
    contents,
)


async def test_that_a_folder_with_other_things_in_it_is_never_replaced(desk: Desk) -> None:
    original = await desk.made("rich")
    target = await desk.exported(original, FOLDER)
    (target / ".git").mkdir()
    (target / ".git" / "HEAD").write_text("ref")
    with pytest.raises(FileError) as caught:
        await desk.told(original, target, FOLDER, replace=True)
    assert caught.value.code == "export.folder_has_others"
    assert (target / ".git" / "HEAD").read_text() == "ref"


def all_below(folder: Path) -> set[Path]:
    """Everything in a folder."""
    return set(folder.rglob("*"))


async def test_that_no_label_or_name_leads_out_of_the_folder_or_onto_another_s_file(
    desk: Desk, tmp_db_dir: Path
) -> None:
    source = await desk.exported(await desk.made("rich"), JSON)
    value = json.loads(source.read_bytes())
    block = next(each for each in value["blocks"] if each["id"] == "blk_new")
    for number, label in enumerate(
        label for label in HOSTILE_LABELS if label.isascii() or label.isprintable()
    ):
        value["blocks"].append({**block, "id": f"blk_h{number}", "label": label})
        value["agents"].append({**value["agents"][1], "id": f"agt_h{number}", "name": label})
    source.write_text(json.dumps(value))
    file = desk.place(".constellation")
    await desk.bring_in(source, file)
    before = all_below(tmp_db_dir)
    target = await desk.exported(file, FOLDER)
    made = all_below(tmp_db_dir) - before - {target}
    assert len(made) > 200
    assert all(each.resolve().is_relative_to(target) for each in made)
    names = [each.relative_to(target).as_posix() for each in made]
    assert len({as_the_strictest_system_sees_it(name) for name in names}) == len(names)
    for part in {part for name in names for part in name.split("/")}:
        assert PureWindowsPath(part).name == part
        assert part.partition(".")[0].strip().lower() not in DEVICES
        assert part[-1] not in ". "


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
    told = sorted((each.code, each.where) for each in plan.problems if each.code not in ENTRUSTED)
    assert told == [
        ("import.file_ignored", "agents/+ada/blocks/stray.txt"),
        ("import.file_ignored", "notes.md"),
        ("import.file_ignored", "tools/linked.json"),
    ]


async def test_that_a_folder_of_too_much_is_refused(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER)
    for number in range(3):
        shutil.copy(folder / "activity.jsonl", folder / f"{number}.activity.jsonl")
        with (folder / f"{number}.activity.jsonl").open("ab") as file:
            file.write(b" " * (40 << 20))
    with pytest.raises(InspectorError) as caught:
        await desk.bring_in(folder, desk.place(".constellation"))
    assert caught.value.code == "import.too_large"


async def test_that_texts_that_grow_in_the_journal_are_weighed_as_they_stand_there(desk: Desk) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER)
    (folder / "agents" / "+ada" / "persona.txt").write_bytes(b"\0" * (30 << 20))
    with pytest.raises(InspectorError) as caught:
        await desk.bring_in(folder, desk.place(".constellation"))
    assert caught.value.code == "import.too_heavy"


@pytest.mark.parametrize("order", ["[]", '{"agents": "x"}', '{"blocks": {"x": 1}}'])
async def test_that_an_order_that_is_none_is_refused_with_its_place(desk: Desk, order: str) -> None:
    folder = await desk.exported(await desk.made("rich"), FOLDER)
    header = folder / "constellation.json"
    header.write_text(json.dumps({**json.loads(header.read_text()), "order": json.loads(order)}))
    with pytest.raises(InspectorError) as caught:
        await desk.bring_in(folder, desk.place(".constellation"))
    assert caught.value.code == "import.malformed"
    assert str(caught.value.parameters["where"]).startswith("constellation.json order")


async def test_that_what_the_order_does_not_name_comes_last_by_its_time(desk: Desk) -> None:
    original = await desk.made("rich")
    folder = await desk.exported(original, FOLDER)
    header = folder / "constellation.json"
    plain = json.loads(header.read_text())
    ids = plain["order"]["blocks"]
    assert ids == [row["id"] for row in listed((await desk.exported(original, JSON)).read_bytes(), "blocks")]
    header.write_text(json.dumps({**plain, "order": {"blocks": [*ids[:1:-1], 7, "blk_of_nobody"]}}))
    again = await desk.exported(await desk.imported(folder), JSON)
    found = [row["id"] for row in listed(again.read_bytes(), "blocks")]
    assert found == [*ids[:1:-1], *ids[:2]]
