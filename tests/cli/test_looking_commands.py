"""simulate, diff-requests, lint and --at, seen from outside."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.commands import Windows, command_line


@dataclass(frozen=True)
class Done:
    """What came of a command."""

    returncode: int
    stdout: str
    stderr: str


def run(command: str, *arguments: object) -> Done:
    """Run a command in this process, where vocabularies are read once."""
    no_windows = Windows(lambda *_: 1, lambda *_: 1)
    found = CliRunner().invoke(command_line(no_windows), [command, *map(str, arguments)])
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return Done(found.exit_code, found.stdout, found.stderr)


def said(command: str, *arguments: object) -> Any:
    """The one JSON document that a command prints."""
    done = run(command, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample constellation."""
    path = tmp_path_factory.mktemp("looking") / "sample.constellation"
    assert run("sample", path).returncode == 0
    return path


def test_that_the_rows_of_a_what_if_sum_and_the_file_stays_as_it_is(sample: Path) -> None:
    before = hashlib.sha256(sample.read_bytes()).digest()
    found = said("simulate", sample, "--agent", "Ada", "--drop", "design_notes", "--memory-tokens", 2000)
    assert sum(row["delta"] for row in found["changes"]) == found["delta"]
    assert found["after"]["tokens"] - found["before"]["tokens"] == found["delta"] < 0
    assert {"name": "memory_tokens", "before": "3000", "after": "2000"} in found["settings"]
    assert hashlib.sha256(sample.read_bytes()).digest() == before


def test_that_a_what_if_of_another_model_has_its_price_for_the_cache(sample: Path) -> None:
    found = said("simulate", sample, "--agent", "Ada", "--model", "claude-sonnet-4-5")
    assert found["after"]["model"] == "claude-sonnet-4-5"
    assert found["cache"]["provider"] == "anthropic"
    assert found["cache"]["cost"] > 0
    assert found["cache"]["cause"]["kind"] == "model_changed"
    shown = run("simulate", sample, "--agent", "Ada", "--model", "claude-sonnet-4-5")
    assert shown.returncode == 0, shown.stderr
    assert "recounted" in shown.stdout


def test_that_a_text_can_be_replaced_for_one_build(sample: Path) -> None:
    found = said("simulate", sample, "--agent", "Ada", "--set", "persona=I am somebody else.")
    changed = {row["id"]: row["kind"] for row in found["changes"]}
    assert changed["literal:persona"] == "changed"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--drop", "tool:no_such"), 1),
        (("--drop", "no such block"), 1),
        (("--pin", "tool:recall"), 1),
        (("--layout", "no_such"), 1),
        (("--strategy", "no_such"), 2),
        (("--set", "nothing"), 2),
    ],
)
def test_that_a_wish_that_cannot_be_met_is_told_without_a_traceback(
    sample: Path, options: tuple[str, ...], code: int
) -> None:
    done = run("simulate", sample, "--agent", "Ada", *options, "--json")
    assert (done.returncode, done.stdout) == (code, "")
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_that_what_was_sent_last_is_compared_with_now(sample: Path) -> None:
    found = said("diff-requests", sample, "--agent", "Ada")
    assert sum(row["delta"] for row in found["changes"]) == found["delta"]
    assert any(row["section"] == "messages" and row["kind"] == "added" for row in found["changes"])
    same = said("diff-requests", sample, "--agent", "Ada", "--from", "last", "--to", "last")
    assert (same["changes"], same["delta"]) == ([], 0)
    assert run("diff-requests", sample, "--agent", "Ada").returncode == 0


def test_that_a_run_that_is_not_there_is_told_with_those_that_are(sample: Path) -> None:
    done = run("diff-requests", sample, "--agent", "Ada", "--from", "run_none")
    assert done.returncode == 1
    assert done.stderr.count("run_") >= 3


def test_that_the_last_sent_request_is_built_again_to_the_letter(sample: Path) -> None:
    found = said("report", sample, "--agent", "Ada", "--at", "last")
    assert found["past"]["logged"]["verdict"] == "reproduced"
    assert found["past"]["logged"]["today"] == "grown"
    built = run("build", sample, "--agent", "Ada", "--at", "last")
    assert built.returncode == 0
    assert "reproduced" in built.stderr
    assert built.stdout.endswith("=== reply ===\n")
    shown = run("report", sample, "--agent", "Ada", "--at", "last")
    assert "reproduced" in shown.stdout


def test_that_a_request_as_of_a_time_knows_nothing_of_later(sample: Path) -> None:
    at = said("report", sample, "--agent", "Ada", "--at", "last")["past"]["at"]
    then = run("build", sample, "--agent", "Ada", "--at", at).stdout
    assert then == run("build", sample, "--agent", "Ada", "--at", "last").stdout
    assert then != run("build", sample, "--agent", "Ada").stdout
    early = run("build", sample, "--agent", "Ada", "--at", "2020-01-01T00:00:00Z")
    assert (early.returncode, early.stdout) == (1, "")
    assert run("build", sample, "--agent", "Ada", "--at", "yesterday").returncode == 2


def test_that_a_look_over_the_context_tells_what_it_would_save(sample: Path) -> None:
    found = said("lint", sample, "--agent", "Ada")
    assert found["tokens"] == sum(each["more"] for each in found["findings"])
    keys = {"rule", "severity", "where", "others", "tokens", "more", "method", "message", "fix"}
    for each in found["findings"]:
        assert set(each) == keys
        assert 0 <= each["more"] <= each["tokens"]
        assert "?" not in each["message"]
    assert run("lint", sample, "--agent", "Ada").returncode == 0
