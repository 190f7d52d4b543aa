"""The command line's contract, seen from outside: real processes, real files."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.bench.recount import load_encoding

ROOT = Path(__file__).resolve().parents[2]
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


def run(*arguments: object, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the program."""
    command = [sys.executable, "-m", "inspector", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, input=given, capture_output=True, timeout=120, check=False)


def said(*arguments: object) -> Any:
    """The JSON that a command prints."""
    done = run(*arguments)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def digest(path: Path) -> str:
    """The file's bytes, from outside."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample constellation."""
    path = tmp_path_factory.mktemp("cli") / "sample.constellation"
    assert run("sample", path).returncode == 0
    return path


Import = Callable[[str], Path]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Import:
    """A real agent file as a constellation."""
    folder = tmp_path_factory.mktemp("imported")
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        source = ROOT.parent / "shared" / "samples" / name
        if not source.exists():
            pytest.skip("the real agent files are not here")
        if name not in made:
            made[name] = folder / f"{name}.constellation"
            done = run("import", source, "--into", made[name], "--json")
            assert done.returncode == 0, done.stderr.decode()
        return made[name]

    return of


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
    for agent in said("agents", path, "--json")["agents"]:
        text = run("build", path, "--agent", agent["id"], "--now", NOW).stdout.decode()
        account = said("report", path, "--agent", agent["id"], "--now", NOW, "--json")
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
    account = said("report", path, "--model", "gpt-4o", "--now", NOW, "--json")
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
    text = "one\r\ntwo\u00a0three 🙂\n  last"
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
        given=text.encode(),
    )
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert set(told) == {"block", "seq", "changed"}
    assert told["changed"] is True
    assert run("show", path, "--agent", "Ada", "--block", "scratchpad").stdout == text.encode()
    again = run("edit", path, "--agent", "Ada", "--block", "scratchpad", "--set", text, "--json")
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
    source = ROOT.parent / "shared" / "samples" / SAMPLE_FILES[0]
    if not source.exists():
        pytest.skip("the real agent files are not here")
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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("command", ["agents", "check", "report"])
def test_that_an_output_that_takes_nothing_is_told_without_a_traceback(sample: Path, command: str) -> None:
    agent = ("--agent", "Ada") if command == "report" else ()
    words = [sys.executable, "-m", "inspector", command, str(sample), *agent]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(words, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=120, check=False)
    assert done.returncode == 1
    assert b"standard output" in done.stderr
    assert b"Traceback" not in done.stderr


def test_that_reading_leaves_a_file_in_wal_mode_as_it_is(sample: Path, tmp_path: Path) -> None:
    path = tmp_path / "wal.constellation"
    shutil.copy(sample, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    before = digest(path)
    assert said("agents", path, "--json") == said("agents", sample, "--json")
    assert said("check", path, "--json")["ok"]
    assert digest(path) == before
    assert said("edit", path, "--agent", "Ada", "--block", "scratchpad", "--append", "x", "--json")["changed"]


def test_that_a_text_from_a_device_without_end_is_refused(sample: Path) -> None:
    done = run("edit", sample, "--agent", "Ada", "--block", "scratchpad", "--set-file", "/dev/zero")
    assert done.returncode == 1
    assert done.stdout == b""
