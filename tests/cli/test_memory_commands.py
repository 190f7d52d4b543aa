"""The commands on memory, history, sharing, search and safety, seen from outside."""

from __future__ import annotations

import json

import pytest

from tests.cli.program import Program


def test_that_blocks_lists_what_an_agent_sees_and_with_deleted_what_is_gone(program: Program) -> None:
    every = {row["id"]: row for row in program.said("blocks", "--deleted")["blocks"]}
    active = {row["id"] for row in program.said("blocks")["blocks"]}
    seen = program.said("blocks", "--agent", "Ada")["blocks"]
    assert active == {id_ for id_, row in every.items() if row["active"]}
    assert len(active) < len(every)
    assert {row["id"] for row in seen} < active
    owners = {row["owner_name"] for row in seen}
    assert {"Ada", "_constellation_", "Grace", "Linus"} == owners
    assert {row["schema"] for row in every.values()} == {"text", "map", "list", "log", "tree", "composite"}


def test_that_show_as_json_gives_the_content_with_its_ids_and_who_wrote_it(program: Program) -> None:
    told = program.said("show", "--agent", "Ada", "--block", "release_checklist")
    assert told["rendered"] == program.shown("release_checklist")
    assert all(item["id"] for item in told["content"]["items"])
    assert told["written"]["actor"]["name"]
    assert told["versions"] == len(
        program.said("history", "--agent", "Ada", "--block", "release_checklist")["versions"]
    )


def test_that_a_version_can_be_compared_restored_undone_and_redone(program: Program) -> None:
    named = ("--agent", "Ada", "--block", "release_checklist")
    now = program.shown("release_checklist")
    versions = program.said("history", *named)["versions"]
    early = versions[2]["version"]
    changed = program.said("diff", *named, "--from", early)
    assert changed["changed"]
    assert changed["unified"].startswith("@@")
    assert program.said("restore", *named, "--version", early, "--reason", "a try")["changed"]
    then = program.shown("release_checklist")
    assert then != now
    assert program.said("diff", *named, "--from", early)["unified"] == ""
    program.said("undo", *named)
    assert program.shown("release_checklist") == now
    program.said("redo", *named)
    assert program.shown("release_checklist") == then
    after = program.said("history", *named)["versions"]
    assert len(after) == len(versions) + 3
    assert [each["reason"] for each in after][len(versions)] == "a try"
    assert after[-1]["undo_of"] is not None


def test_that_a_version_which_never_was_is_the_inputs_fault(program: Program) -> None:
    done = program.run("restore", "--agent", "Ada", "--block", "release_checklist", "--version", 4711)
    assert done.returncode == 1
    assert b"4711" in done.stderr


def test_that_there_is_nothing_to_undo_where_one_wrote_nothing(program: Program) -> None:
    done = program.run("undo", "--agent", "Ada", "--block", "release_checklist")
    assert done.returncode == 3
    assert done.stdout == b""


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ('{"op": "insert_item", "value": {"title": "From outside"}}', 0),
        ('{"op": "insert_item", "value": {"title": 5}}', 3),
        ('{"op": "insert_itm"}', 1),
        ('{"op": "insert_item"', 1),
        ('{"op": "insert_item", "value": NaN}', 1),
        ("[" * 100_000, 1),
        ('{"op": "insert_item", "value": {"title": "a", "title": "b"}}', 1),
    ],
)
def test_that_edit_takes_any_operation_and_says_what_is_wrong_with_it(
    program: Program, operation: str, code: int
) -> None:
    before = program.shown("release_checklist")
    done = program.run("edit", "--agent", "Ada", "--block", "release_checklist", "--operation", operation)
    assert done.returncode == code, done.stderr
    assert (program.shown("release_checklist") != before) == (code == 0)
    assert bool(done.stderr) == (code != 0)
    assert b"Traceback" not in done.stderr


def test_that_a_key_that_stands_twice_is_named(program: Program) -> None:
    operation = '{"op": "insert_item", "value": {"title": "a", "title": "b"}}'
    done = program.run("edit", "--agent", "Ada", "--block", "release_checklist", "--operation", operation)
    assert b"title" in done.stderr


def test_that_a_block_is_shared_listed_and_shared_no_more(program: Program) -> None:
    named = ("--agent", "Ada", "--block", "open_questions")
    assert program.said("share", *named)["shared_with"] == []
    (row,) = program.said("share", *named, "--with", "Grace", "--level", "append")["shared_with"]
    assert row["permission"] == "append"
    assert "open_questions" in {
        each["label"] for each in program.said("blocks", "--agent", "Grace")["blocks"]
    }
    refused = program.run(
        "edit", "--agent", "Grace", "--as-agent", "--block", "open_questions", "--set", "all mine"
    )
    assert refused.returncode == 3
    assert program.said("share", *named, "--with", "Grace", "--stop")["shared_with"] == []
    assert program.run("share", *named, "--stop").returncode == 2


def test_that_search_finds_in_every_kind_and_takes_any_text(program: Program) -> None:
    kinds = set()
    for kind in ("block", "archival", "message", "summary"):
        found = program.said("search", "release", "--kind", kind, "--limit", 1)
        kinds |= {hit["kind"] for hit in found["hits"]}
    assert kinds == {"block", "archival", "message", "summary"}
    for text in ("what's", "c++", "foo:bar", '"', "AND OR NOT", "", "*", "-"):
        program.said("search", text)
    tools = program.said("search", "role:tool kind:message tokens:>100 release", "--limit", 1)
    assert tools["facets"]["kind"]["message"] == tools["total"] > 0
    assert tools["hits"][0]["role"] == "tool"
    assert program.said("search", tools["hits"][0]["id"])["named"] == f"message:{tools['hits'][0]['id']}"
    assert program.said("search", "Harbor", "--sent")["count"] == 2
    faulty = program.run("search", "a tokens:many")
    assert faulty.returncode == 1
    assert b"(character 3)" in faulty.stderr
    scores = [hit["score"] for hit in program.said("search", "rollout")["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0


def test_that_a_backup_comes_back_as_a_new_file_and_nothing_is_written_over(program: Program) -> None:
    number = program.said("backup")["backup"]["number"]
    assert [each["number"] for each in program.said("backup", "--list")["backups"]] == [number]
    program.run("edit", "--agent", "Ada", "--block", "scratchpad", "--append", "later")
    restored = program.file.with_name("restored.constellation")
    program.said("backup", "--restore", number, "--out", restored)
    assert program.run("backup", "--restore", number, "--out", restored).returncode == 1
    assert program.run("backup", "--restore", 99, "--out", restored).returncode == 1
    now = program.shown("scratchpad")
    program.file = restored
    assert now != program.shown("scratchpad")


def test_that_a_file_without_backups_is_said_to_have_none(program: Program) -> None:
    done = program.run("backup", "--restore", 1, "--out", program.file.with_name("restored.constellation"))
    assert done.returncode == 1
    assert done.stderr.endswith(b"Backups: none.\n")


@pytest.mark.parametrize("command", ["agents", "backup", "check", "salvage"])
def test_that_a_folder_is_told_to_be_one(program: Program, command: str) -> None:
    program.file = program.file.parent
    more = ("--out", program.file / "out.constellation") if command == "salvage" else ()
    done = program.run(command, *more)
    assert done.returncode == 1
    assert b"it is a folder" in (done.stderr or done.stdout)


def test_that_salvage_brings_back_what_a_damaged_page_left(program: Program) -> None:
    raw = bytearray(program.file.read_bytes())
    raw[4096 * 60 : 4096 * 61] = bytes(4096)
    program.file.write_bytes(raw)
    assert program.run("check").returncode == 1
    damaged = program.file
    target = damaged.with_name("salvaged.constellation")
    done = program.run("salvage", "--out", target, "--json")
    told = json.loads(done.stdout)
    assert done.returncode == (0 if told["complete"] else 1)
    assert len(told["blocks"]) > 20
    assert damaged.read_bytes() == bytes(raw)
    program.file = target
    assert program.run("check").returncode == 0
    assert program.run("salvage", "--out", target).returncode == 1
