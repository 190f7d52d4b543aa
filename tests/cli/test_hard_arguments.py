"""Legal command lines that ask for what cannot be: a message and an exit code, and the file as it was."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.program import digest, run, said

HUGE = 10**23


def nested(depth: int) -> str:
    inside = '{"op":"delete_block"}'
    return '{"op":"in_section","section":"a","operation":' * depth + inside + "}" * depth


@pytest.mark.parametrize(
    ("operation", "code", "told"),
    [
        (json.dumps({"op": "set_char_limit", "char_limit": HUGE}), 1, "char_limit"),
        (
            json.dumps({"op": "replace_text", "find": "a", "replace": "b", "mode": "nth", "nth": HUGE}),
            1,
            "nth",
        ),
        (nested(900), 1, "nested too deeply"),
        (json.dumps({"op": "delete_row"}), 1, "delete_row doesn't apply to block:"),
        (json.dumps({"op": "set_partner", "person_id": "x"}), 1, "set_partner doesn't apply to block:"),
        (
            json.dumps({"op": "insert_archival", "agent_id": "a", "content": "x"}),
            1,
            "insert_archival doesn't apply to block:",
        ),
    ],
)
def test_that_an_operation_that_cannot_be_is_told_and_changes_nothing(
    sample: Path, operation: str, code: int, told: str
) -> None:
    before = digest(sample)
    done = run("edit", sample, "--agent", "Ada", "--block", "design_notes", "--operation", operation)
    assert done.returncode == code
    assert done.stdout == b""
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert digest(sample) == before


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ('{"temperature": NaN}', "NaN can't be stored as a number (line 1, column 17)"),
        ('{"temperature": 1e999}', "1e999 can't be stored as a number (line 1, column 17)"),
        ('{"top_p": 1, "top_p": 0.5}', "The key top_p appears twice"),
        ('{"user": "\\ud800"}', "half a character and can't be stored (line 1, column 10)"),
        ("[1]", "an object is needed, not a list (at $.parameters)"),
    ],
)
def test_that_parameters_of_an_agent_are_json_that_can_be_sent(
    sample: Path, parameters: str, told: str
) -> None:
    before = digest(sample)
    operation = json.dumps({"op": "configure_agent", "parameters": parameters})
    done = run("edit", sample, "--agent", "Ada", "--operation", operation)
    assert (done.returncode, told in done.stderr.decode()) == (1, True), done.stderr.decode()
    assert digest(sample) == before


@pytest.mark.parametrize("stored", ["[1]", "{", "3", '{"op": 3}', "[" * 100_000])
def test_that_a_history_with_an_unreadable_operation_is_listed(
    sample: Path, tmp_path: Path, stored: str
) -> None:
    path = Path(shutil.copy(sample, tmp_path / "altered.constellation"))
    block = next(each for each in said("blocks", path)["blocks"] if each["versions"] > 2)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE updates SET operation = ? WHERE block_id = ?", (stored, block["id"]))
    done = run("history", path, "--block", block["id"])
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 2 + block["versions"]
    assert all("(unreadable)" in line for line in lines[2:])


def test_that_a_search_takes_the_limits_that_its_help_names(sample: Path) -> None:
    assert "1<=x<=500" in run("search", "--help").stdout.decode()
    assert run("search", sample, "a", "--limit", 500).returncode == 0
    assert run("search", sample, "a", "--limit", 501).returncode == 2


def test_that_stopping_to_share_with_nobody_says_nothing_of_texts(sample: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(sample, tmp_path / "copy.constellation"))
    agent = said("agents", path)["agents"][-1]["id"]
    operation = json.dumps({"op": "detach_block", "agent_id": agent})
    done = run("edit", path, "--agent", "Ada", "--block", "design_notes", "--operation", operation)
    if done.returncode == 0:
        done = run("edit", path, "--agent", "Ada", "--block", "design_notes", "--operation", operation)
    assert done.stdout.decode() == "design_notes is already like that. Nothing was stored.\n"
    unknown = json.dumps({"op": "detach_block", "agent_id": "agt_none"})
    done = run("edit", path, "--agent", "Ada", "--block", "design_notes", "--operation", unknown)
    assert done.returncode == 1
    assert "agt_none" in done.stderr.decode()


def test_that_an_impossible_version_is_told_of_the_file_that_was_named(sample: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(sample, tmp_path / "altered.constellation"))
    for number, told in ((-5, "version -5"), (3, "0.3")):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA user_version = " + str(number))
        done = run("agents", path)
        assert done.returncode == 1
        assert str(path) in done.stderr.decode()
        assert told in done.stderr.decode()


def test_that_a_file_that_nobody_may_read_is_no_wrong_usage(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = os.access
    # Whoever runs the tests as root may read everything.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.R_OK and allowed(path, mode))
    for command in ("agents", "check", "report"):
        done = run(command, sample)
        assert done.returncode == 1
        assert done.stderr.decode() == f"You don't have permission to read {sample}.\n"
