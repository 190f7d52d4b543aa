"""The command line's contract, seen from outside: arguments, files and bytes."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.bench.recount import load_encoding
from tests.cli.conftest import Import
from tests.cli.program import ROOT, digest, real_file, run, said, start

SAMPLE_FILES = (
    "agent-file--customer_service.af",
    "agent-file--evie.af",
    "agent-file--lettabot.af",
    "agent-file--loop.af",
    "agent-file--memgpt_agent_with_convo.af",
    "letta-archive--memgpt_agent_with_convo.af",
    "letta-archive--test_agent.af",
)
NOW = "2026-11-20T12:00:00Z"
HARD_TEXT = "one\r\ntwo\u00a0three 🙂\n  last"


def check_account(text: str, account: dict[str, Any]) -> None:
    """Every character and token of T is accounted for, as the contract says."""
    at = 0
    for section in account["sections"]:
        for piece in section["pieces"]:
            start, end = piece["span"]
            assert start == at < end
            for each in piece["runs"]:
                assert each["span"][0] == at
                at = each["span"][1]
            assert at == end
            assert piece["tokens"] == sum(each["tokens"] for each in piece["runs"])
        assert section["tokens"] == sum(piece["tokens"] for piece in section["pieces"])
    assert at == len(text)
    assert account["total"]["tokens"] == sum(section["tokens"] for section in account["sections"])
    runs = [each for section in account["sections"] for piece in section["pieces"] for each in piece["runs"]]
    assert account["total"]["exact_tokens"] == sum(
        each["tokens"] for each in runs if each["method"] == "exact"
    )
    assert (account["total"]["method"] == "exact") == all(each["method"] == "exact" for each in runs)


@pytest.mark.parametrize("name", SAMPLE_FILES)
def test_that_every_character_and_token_of_a_real_agent_is_accounted_for(imported: Import, name: str) -> None:
    path = imported(name)
    before = digest(path)
    for agent in said("agents", path)["agents"]:
        text = run("build", path, "--agent", agent["id"], "--now", NOW).stdout.decode()
        account = said("report", path, "--agent", agent["id"], "--now", NOW)
        assert account["agent"] in (agent["id"], agent["name"])
        check_account(text, account)
    assert digest(path) == before


def test_that_reading_commands_leave_the_sample_as_it_was(sample: Path) -> None:
    before = digest(sample)
    for arguments in (
        ("agents", sample),
        ("check", sample),
        ("report", sample, "--agent", "Ada"),
        ("build", sample, "--agent", "Ada", "--as", "json"),
        ("show", sample, "--agent", "Ada", "--block", "persona"),
    ):
        done = run(*arguments)
        assert done.returncode == 0, (arguments, done.stderr.decode())
    assert digest(sample) == before
    assert sorted(sample.parent.iterdir()) == [sample]


def test_that_exact_figures_are_tiktoken_s(imported: Import) -> None:
    path = imported("letta-archive--memgpt_agent_with_convo.af")
    text = run("build", path, "--model", "gpt-4o", "--now", NOW).stdout.decode()
    account = said("report", path, "--model", "gpt-4o", "--now", NOW)
    assert account["total"]["tokenizer"] == "o200k_base"
    encoding = load_encoding("o200k_base")
    exact = [
        each
        for section in account["sections"]
        for piece in section["pieces"]
        for each in piece["runs"]
        if each["sent"] and each["method"] == "exact"
    ]
    assert exact
    for each in exact:
        start, end = each["span"]
        assert each["tokens"] == len(encoding.encode_ordinary(text[start:end]))


def test_that_an_edit_is_shown_exactly_and_survives(sample: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.constellation"
    path.write_bytes(sample.read_bytes())
    done = run(
        "edit",
        path,
        "--agent",
        "Ada",
        "--block",
        "scratchpad",
        "--set-file",
        "-",
        "--json",
        given=HARD_TEXT.encode(),
    )
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert set(told) == {"block", "seq", "changed"}
    assert told["changed"] is True
    assert run("show", path, "--agent", "Ada", "--block", "scratchpad").stdout == HARD_TEXT.encode()
    again = run("edit", path, "--agent", "Ada", "--block", "scratchpad", "--set", HARD_TEXT, "--json")
    assert json.loads(again.stdout)["changed"] is False


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("agents", "nowhere.constellation"), 1),
        (("report", "{sample}", "--agent", "Nobody"), 1),
        (("report", "{sample}"), 1),
        (("show", "{sample}", "--agent", "Ada", "--block", "no such block"), 1),
        (("edit", "{sample}", "--agent", "Ada", "--block", "scratchpad"), 2),
        (("edit", "{sample}", "--agent", "Ada", "--block", "scratchpad", "--set", "a", "--append", "b"), 2),
        (("report", "{sample}", "--agent", "Ada", "--now", "yesterday"), 2),
        (("report", "{sample}", "--agent", "Ada", "--model", ""), 2),
        (("build", "{sample}", "--agent", "Ada", "--layout", ""), 2),
        (("report", "{sample}", "--agent", "Ada", "--zone", ""), 2),
        (("nonsense",), 2),
        (("import", "{sample}", "--into", "{folder}/x.constellation"), 1),
    ],
)
def test_that_a_failing_command_says_so_and_prints_nothing(
    sample: Path, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    before = digest(sample)
    done = run(*(each.format(sample=sample, folder=tmp_path) for each in arguments))
    assert done.returncode == code, done.stderr.decode()
    assert done.stdout == b""
    assert done.stderr
    assert b"Traceback" not in done.stderr
    assert digest(sample) == before


def test_that_import_into_what_is_no_constellation_leaves_it_untouched(tmp_path: Path) -> None:
    source = real_file(SAMPLE_FILES[0])
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    done = run("import", source, "--into", other)
    assert done.returncode == 1
    assert other.read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == [other]


def test_that_commands_without_a_window_never_import_qt(sample: Path) -> None:
    code = (
        "import sys\n"
        "from inspector.entry import main\n"
        f"assert main(['report', {str(sample)!r}, '--agent', 'Ada', '--json']) == 0\n"
        "assert not [name for name in sys.modules if name.startswith(('PySide6', 'qasync', 'inspector.ui'))]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "given", "code"),
    [
        (
            ("edit", "{copy}", "--agent", "Ada", "--block", "scratchpad", "--set-file", "-", "--json"),
            HARD_TEXT,
            0,
        ),
        (("show", "{copy}", "--agent", "Ada", "--block", "scratchpad"), "", 0),
        (("build", "{copy}", "--agent", "Ada", "--now", NOW), "", 0),
        (("report", "{copy}", "--agent", "Nobody"), "", 1),
        (("report", "{copy}", "--agent", "Ada", "--now", "yesterday"), "", 2),
        (("undo", "{copy}", "--agent", "Ada", "--block", "release_checklist"), "", 3),
    ],
)
def test_that_a_process_takes_and_gives_the_same_bytes_and_code(
    sample: Path, tmp_path: Path, arguments: tuple[str, ...], given: str, code: int
) -> None:
    found = []
    for way in (run, start):
        path = tmp_path / way.__name__ / "copy.constellation"
        path.parent.mkdir()
        shutil.copy(sample, path)
        done = way(*(each.format(copy=path) for each in arguments), given=given.encode())
        found.append((done.returncode, done.stdout, done.stderr))
    assert found[0] == found[1]
    assert found[0][0] == code


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_that_an_output_that_takes_nothing_is_told_without_a_traceback(sample: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = start("report", sample, "--agent", "Ada", stdout=full)
    assert done.returncode == 1
    assert b"standard output" in done.stderr
    assert b"Traceback" not in done.stderr


def test_that_reading_leaves_a_file_in_wal_mode_as_it_is(sample: Path, tmp_path: Path) -> None:
    path = tmp_path / "wal.constellation"
    shutil.copy(sample, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    before = digest(path)
    assert said("agents", path) == said("agents", sample)
    assert said("check", path)["ok"]
    assert digest(path) == before
    assert said("edit", path, "--agent", "Ada", "--block", "scratchpad", "--append", "x")["changed"]


def test_that_a_text_from_a_device_without_end_is_refused(sample: Path) -> None:
    done = run("edit", sample, "--agent", "Ada", "--block", "scratchpad", "--set-file", "/dev/zero")
    assert done.returncode == 1
    assert done.stdout == b""
