"""An export that cannot be right is refused or told of, with the place in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from inspector.domain.errors import MalformedError
from inspector.runtime.engine import Engine
from inspector.runtime.files import check_file
from tests.exchange.rows.builders import listed
from tests.flows.export_builders import (
    JSON,
    Desk,
    table_rows,
)


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
        assert len(await engine.memory.versions.versions("blk_new")) == 1
        assert len(await engine.memory.versions.versions("blk_tasks")) == 3

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
    original = await desk.made("rich")
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


async def test_that_a_text_that_is_no_utf8_is_told(desk: Desk) -> None:
    original = await desk.made("rich")
    with closing(sqlite3.connect(original)) as connection:
        connection.execute("UPDATE agents SET persona = CAST(x'41ff' AS TEXT) WHERE id = 'agt_ada'")
        connection.commit()
    target = desk.place(".json")
    told = await desk.told(original, target, JSON)
    assert [(each.code, each.where) for each in told.problems] == [
        ("export.not_utf8", "agents.persona"),
        # It is not what was written either, and that names the agent.
        ("check.text_damaged", "agent:agt_ada"),
    ]
    assert listed(target.read_bytes(), "agents")[0]["persona"] == "A\ufffd"
