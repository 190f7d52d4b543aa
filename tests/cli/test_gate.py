"""`report` as a check: conditions that fail it with exit code 4, and SARIF of what was found."""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import run, said

LEVELS = {"none", "note", "warning", "error"}


def require_sarif(log: Any) -> list[Any]:
    """Pass if a log has what the schema of SARIF 2.1.0 requires of the objects in it; gives the results."""
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (one,) = log["runs"]
    assert set(one) <= {"tool", "results", "columnKind"}
    assert one["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    driver = one["tool"]["driver"]
    assert driver["name"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(set(rules)) == len(rules)
    for result in one["results"]:
        assert set(result) <= {
            *("ruleId", "ruleIndex", "level", "message", "locations"),
            *("partialFingerprints", "properties"),
        }
        assert isinstance(result["message"]["text"], str)
        assert result["level"] in LEVELS
        assert rules[result["ruleIndex"]] == result["ruleId"]
        for location in result["locations"]:
            assert " " not in location["physicalLocation"]["artifactLocation"]["uri"]
            assert all(isinstance(each["kind"], str) for each in location.get("logicalLocations", ()))
        assert all(isinstance(each, str) for each in result["partialFingerprints"].values())
    return list(one["results"])


def test_that_a_request_that_meets_its_conditions_passes(sample: Path) -> None:
    done = run("report", sample, "--agent", "Ada", "--fail-over", 5, "--max-tokens", 10**9)
    assert (done.returncode, done.stderr) == (0, b"")
    account = said("report", sample, "--agent", "Ada", "--fail-over", 5)
    assert account["failed"] == []


def test_that_each_condition_that_fails_is_named(sample: Path) -> None:
    done = run(
        *("report", sample, "--agent", "Ada", "--fail-over", 0.1, "--max-tokens", 10),
        # Given twice, both go.
        *("--fail-on", "duplicate", "--fail-on", "secret", "--json"),
    )
    assert done.returncode == 4
    lines = done.stderr.decode().splitlines()
    failed = json.loads(done.stdout)["failed"]
    assert [each["condition"] for each in failed][:3] == ["fail-over", "max-tokens", "duplicate"]
    assert lines == [f"Failed {each['condition']}: {each['message']}" for each in failed]
    assert "The limit is 10 %." in lines[0]
    assert lines[1].endswith("The limit is 10.")


@pytest.mark.parametrize("less", [1, 0.5, 0.001])
def test_that_a_share_is_told_from_its_limit(sample: Path, less: float) -> None:
    account = json.loads(run("report", sample, "--agent", "Ada", "--fail-over", 0, "--json").stdout)
    (usable,) = re.findall(r"[\d,]+(?= usable)", account["failed"][0]["message"])
    tokens, usable = account["total"]["tokens"], int(usable.replace(",", ""))
    limit = (tokens - less) / usable
    done = run("report", sample, "--agent", "Ada", "--fail-over", f"{limit:.9f}")
    share, most = map(float, re.findall(r"([\d.]+) %", done.stderr.decode()))
    assert share > most


def test_that_sarif_holds_the_findings(sample: Path, tmp_path: Path) -> None:
    out = tmp_path / "findings of ours.sarif"
    done = run(
        "report", sample, "--agent", "Ada", "--fail-on", "duplicate", "--max-tokens", 10, "--sarif", out
    )
    assert done.returncode == 4
    assert b"Section and piece" in done.stdout
    results = require_sarif(json.loads(out.read_text()))
    by_rule = {each["ruleId"]: each["level"] for each in results}
    assert by_rule["duplicate_text"] == by_rule["max-tokens"] == "error"
    written = run("report", sample, "--agent", "Ada", "--sarif", "-")
    assert written.returncode == 0
    plain = require_sarif(json.loads(written.stdout))
    assert {each["level"] for each in plain} <= {"note", "warning"}
    findings = said("lint", sample, "--agent", "Ada")["findings"]
    assert sorted(each["message"]["text"] for each in plain) == sorted(each["message"] for each in findings)
    missing = run("report", sample, "--agent", "Ada", "--sarif", tmp_path / "no" / "folder.sarif")
    assert missing.returncode == 1


def test_that_two_secrets_in_one_block_are_two_findings(mine: Path) -> None:
    # In pieces, so that nothing takes the test itself for a leak.
    keys = "\n".join("AKIA" + rest for rest in ("Q7ZP3MXK5T2WB8NV", "X9RD4LWC6H1YF5TK"))
    said("edit", mine, "--agent", "Ada", "--block", "scratchpad", "--append", keys)

    def marks() -> list[str]:
        log = json.loads(run("report", mine, "--agent", "Ada", "--sarif", "-").stdout)
        found = [each for each in require_sarif(log) if each["ruleId"] == "secret"]
        return [each["partialFingerprints"]["ruleAndPlace/v1"] for each in found]

    assert len(marks()) == len(set(marks())) == 2
    assert marks() == marks()


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
def test_that_a_file_whose_name_is_no_text_has_sarif(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    odd = mine.rename(os.fsdecode(b"b\xffd.constellation"))
    done = run("report", odd, "--agent", "Ada", "--sarif", "-")
    assert (done.returncode, done.stderr) == (0, b"")
    places = [each["locations"][0]["physicalLocation"] for each in require_sarif(json.loads(done.stdout))]
    assert {each["artifactLocation"]["uri"] for each in places} == {"b%FFd.constellation"}


def test_that_sarif_never_takes_the_place_of_a_constellation(sample: Path, tmp_path: Path) -> None:
    own, other = tmp_path / "own.constellation", tmp_path / "other.constellation"
    for each in (own, other):
        shutil.copy(sample, each)
    before = other.read_bytes()
    for target in (own, other):
        assert run("report", own, "--agent", "Ada", "--sarif", target).returncode == 1
        assert target.read_bytes()[:15] == b"SQLite format 3"
    assert other.read_bytes() == before


@pytest.mark.parametrize(
    "options",
    [
        ("--fail-on", "nonsense"),
        ("--fail-on", ""),
        ("--fail-over", "-1"),
        ("--fail-over", "80"),
        ("--fail-over", "nan"),
        ("--fail-over", "inf"),
        ("--sarif", "-", "--json"),
        ("--fail-on", "secret", "--at", "last"),
    ],
)
def test_that_options_that_do_not_fit_are_wrong_usage(sample: Path, options: tuple[str, ...]) -> None:
    assert run("report", sample, "--agent", "Ada", *options).returncode == 2
