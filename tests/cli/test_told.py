"""What a command says to a person besides its result: which command helps, whose line it is, when it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.program import real_file, run


def told(*arguments: object) -> str:
    """All that a command says, in whichever way."""
    done = run(*arguments)
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize("command", ["agents", "check"])
def test_that_a_damaged_file_is_told_with_the_command_that_salvages_it(mine: Path, command: str) -> None:
    with mine.open("r+b") as file:
        file.truncate(mine.stat().st_size // 2 // 4096 * 4096)
    said = told(command, mine)
    assert "is damaged" in said
    assert f"context-inspector salvage {mine} --out NEW.constellation" in said


def test_that_an_agent_file_is_told_with_the_command_that_imports_it() -> None:
    source = real_file("agent-file--evie.af")
    said = told("agents", source)
    assert f"context-inspector import {source}" in said
    assert "salvage" not in said


def test_that_a_file_that_may_have_been_a_constellation_is_told_with_both(tmp_path: Path) -> None:
    path = tmp_path / "junk.constellation"
    path.write_bytes(b"nothing of the kind " * 100)
    said = told("report", path)
    assert f"context-inspector salvage {path}" in said
    assert f"context-inspector import {path}" in said


def test_that_a_salvage_never_tells_of_more_damaged_pages_than_there_are(mine: Path, tmp_path: Path) -> None:
    with mine.open("r+b") as file:
        file.truncate(mine.stat().st_size // 8 // 4096 * 4096)
    pages = mine.stat().st_size // 4096
    said = told("salvage", mine, "--out", tmp_path / "new.constellation")
    assert f" of {pages} pages are damaged" in said
    damaged = said.split(f" of {pages} pages are damaged")[0].rsplit(" ", 1)[-1]
    assert int(damaged.replace(",", "")) <= pages


@pytest.mark.parametrize("name", ["missing.constellation", "folder/missing"])
def test_that_a_file_that_is_not_there_is_no_unknown_command(tmp_path: Path, name: str) -> None:
    done = run(tmp_path / name) if "/" in name else run(name)
    assert done.returncode == 1
    assert done.stderr.decode().strip().endswith("doesn't exist.")


def test_that_a_found_value_is_told_with_its_field(sample: Path) -> None:
    assert "    mood: curious\n" in told("search", sample, "curious")


def test_that_a_found_text_is_told_as_it_stands(sample: Path) -> None:
    assert "Boards in rack C share one power strip." in told("search", sample, "power strip")


def test_that_times_are_told_to_the_second_and_backups_with_their_reason_in_words(mine: Path) -> None:
    assert run("edit", mine, "--agent", "Ada", "--block", "scratchpad", "--append", "\nx").returncode == 0
    undone = told("undo", mine, "--agent", "Ada", "--block", "scratchpad")
    assert undone.startswith("Undid append text of scratchpad (2")
    assert "." not in undone.partition("(")[2].partition(")")[0]
    assert run("backup", mine).returncode == 0
    assert "  manual  " in told("backup", mine, "--list")


def test_that_append_is_said_to_take_a_text_as_it_is() -> None:
    assert "Start it with a line break" in " ".join(told("edit", "--help").split())


@pytest.mark.parametrize(
    ("statement", "said_of_it"),
    [
        ("PRAGMA user_version = 0", "an altered header"),
        ("CREATE TRIGGER t AFTER UPDATE ON blocks BEGIN SELECT 1; END", "trigger t"),
        ("CREATE TABLE foreigners (name TEXT)", "table foreigners"),
    ],
)
def test_that_what_can_only_be_salvaged_is_told_with_how(mine: Path, statement: str, said_of_it: str) -> None:
    with closing(sqlite3.connect(mine, isolation_level=None)) as connection:
        connection.execute(statement)
    said = told("blocks", mine)
    assert said_of_it in said
    assert f"context-inspector salvage {mine} --out NEW.constellation" in said
