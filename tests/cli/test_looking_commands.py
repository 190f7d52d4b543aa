"""simulate, diff-requests, lint and --at, seen from outside."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.program import run_text as run
from tests.cli.program import said
from tests.exchange.builders import agent, file_of


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


def test_that_other_agents_models_and_recorded_requests_are_sides(sample: Path, tmp_path: Path) -> None:
    recorded = tmp_path / "recorded.json"
    body = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Is it done?"}]}
    recorded.write_text(json.dumps(body))
    ada = ("diff-requests", sample, "--agent", "Ada", "--from", "now")
    for side, model in (
        (("--to-agent", "Linus"), "gemini-3.8-flash"),
        (("--to-model", "claude-sonnet-4-5"), "claude-sonnet-4-5"),
        (("--to-file", recorded), "gpt-5-mini"),
    ):
        found = said(*ada, *side)
        assert found["after"]["model"] == model
        assert sum(row["delta"] for row in found["changes"]) == found["delta"]
    assert found["first_token"] is not None
    assert run(*ada, "--to-agent", "Linus", "--to-model", "gpt-4").returncode == 2
    recorded.write_text(json.dumps(body)[:-3])
    assert run(*ada, "--to-file", recorded).returncode == 1


def test_that_an_import_is_compared_with_its_compiled_prompt(tmp_path: Path) -> None:
    prompt = {"role": "system", "content": [{"type": "text", "text": "Be brief.\n\n<odd>\nolder\n</odd>"}]}
    source, target = tmp_path / "a.af", tmp_path / "a.constellation"
    for messages, code in (([], 1), ([prompt], 0)):
        source.write_text(json.dumps(file_of(agent(messages=messages))))
        target.unlink(missing_ok=True)
        assert run("import", source, "--into", target).returncode == 0
        usual, asked = run("diff-requests", target), run("diff-requests", target, "--from", "compiled")
        assert (usual.returncode, asked.returncode) == (code, code)
        assert (usual.stdout, usual.stderr) == (asked.stdout, asked.stderr)
    assert "No differences." in usual.stdout
    assert run("diff-requests", target, "--from", "last").returncode == 1


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
    assert "rebuilt exactly" in built.stderr
    assert built.stdout.endswith("=== reply ===\n")
    shown = run("report", sample, "--agent", "Ada", "--at", "last")
    assert "rebuilt exactly" in shown.stdout


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


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A request that was recorded: what it ends in is the user's word."""
    folder = tmp_path_factory.mktemp("recorded")
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Where is the kiln?"}]}
    (folder / "call.json").write_text(json.dumps(body), encoding="utf-8")
    made = folder / "call.constellation"
    assert run("import", folder / "call.json", made).returncode == 0
    return made


@pytest.mark.parametrize(
    "command",
    [
        ("build",),
        ("report",),
        ("lint",),
        ("simulate", "--layout", "xml"),
        ("diff-requests", "--from", "now"),
        ("export-request",),
    ],
    ids=lambda command: command[0],
)
def test_that_a_turn_that_is_not_answered_yet_is_part_of_the_request(
    recorded: Path, command: tuple[str, ...]
) -> None:
    name, *more = command
    done = run(name, recorded, *more)
    assert (done.returncode, done.stderr) == (0, "")
    if name in ("build", "export-request"):
        assert "kiln" in done.stdout


def test_that_lint_and_comparison_take_what_a_build_takes(sample: Path) -> None:
    asked = ("--layout", "minimal", "--model", "gpt-4", "--strategy", "window", "--zone", "Asia/Tokyo")
    found = said("diff-requests", sample, "--agent", "Ada", *asked)["after"]
    assert (found["layout"], found["model"], found["strategy"]) == ("minimal", "gpt-4", "window")
    plain = said("lint", sample, "--agent", "Ada")
    near = said("lint", sample, "--agent", "Ada", "--model", "gpt-4")
    assert near["findings"] != plain["findings"]
    for command in ("simulate", "lint", "diff-requests"):
        assert run(command, sample, "--agent", "Ada", "--model", "").returncode == 2
        assert run(command, sample, "--agent", "Ada", "--layout", "no_such").returncode == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--from", "last", "--to", "last", "--model", "gpt-4"),
        ("--from", "2026-11-20T00:00:00Z", "--to", "last", "--now", "2026-11-20T00:00:00Z"),
    ],
)
def test_that_an_option_that_neither_request_can_have_is_wrong_usage(
    sample: Path, options: tuple[str, ...]
) -> None:
    done = run("diff-requests", sample, "--agent", "Ada", *options)
    assert (done.returncode, done.stdout) == (2, "")


def test_that_now_is_one_moment_and_its_comparison_with_itself_says_that_nothing_differs(
    sample: Path,
) -> None:
    found = said("diff-requests", sample, "--agent", "Ada", "--from", "now", "--to", "now")
    assert (found["settings"], found["changes"], found["delta"]) == ([], [], 0)
    lines = run("diff-requests", sample, "--agent", "Ada", "--from", "now", "--to", "now").stdout.splitlines()
    assert "No differences." in lines
    assert not any(one == other == "" for one, other in pairwise(lines))


def test_that_at_now_is_the_present(sample: Path) -> None:
    moment = ("--now", "2026-11-20T12:00:00Z")
    plain = run("build", sample, "--agent", "Ada", *moment)
    now = run("build", sample, "--agent", "Ada", "--at", "now", *moment)
    assert (now.returncode, now.stdout, now.stderr) == (0, plain.stdout, plain.stderr)


def test_that_a_pin_that_brings_nothing_says_what_would(sample: Path) -> None:
    report = said("report", sample, "--agent", "Ada", "--strategy", "truncate")
    [first, *_] = [each for each in report["left_out"] if each["rule"] == "archived"]
    target = f"batch:{first['source']['id']}"
    asked = ("--agent", "Ada", "--strategy", "truncate", "--pin", target)
    found = said("simulate", sample, *asked)
    [vain] = [each for each in found["in_vain"] if each["part"] == "pinned"]
    assert (vain["target"], vain["why"]) == (target, "still_out")
    assert vain["rule"].startswith("history_")
    shown = run("simulate", sample, *asked).stdout
    assert f"--pin {target} had no effect: still left out. " in shown
    assert "?" not in vain["message"]


def test_that_what_changes_nothing_is_told_by_the_options_names(sample: Path) -> None:
    shown = run("simulate", sample, "--agent", "Ada", "--pin", "human", "--descriptions")
    assert "--pin human had no effect: already in the Request." in shown.stdout
    assert "--descriptions had no effect: already set." in shown.stdout


def test_that_an_operation_is_tried_on_a_block_of_any_schema(sample: Path) -> None:
    before = hashlib.sha256(sample.read_bytes()).digest()
    added = ('{"op": "insert_item", "value": {"title": "Count the cups"}}', "Count the cups")
    more = ('{"op": "insert_item", "value": {"title": "Wash the cups"}}', "Wash the cups")
    asked = [
        each for operation, _ in (added, more) for each in ("--operation", f"release_checklist={operation}")
    ]
    found = said("simulate", sample, "--agent", "Ada", *asked)
    [row] = [each for each in found["changes"] if each["source"]["label"] == "release_checklist"]
    assert (row["kind"], found["in_vain"]) == ("changed", [])
    one = said("simulate", sample, "--agent", "Ada", *asked[:2])
    assert 0 < one["delta"] < found["delta"]
    assert hashlib.sha256(sample.read_bytes()).digest() == before


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("--set", "release_checklist=x"), 1, "--operation"),
        (("--operation", "release_checklist"), 2, "NAME=TEXT"),
        (("--operation", "release_checklist={"), 1, "JSON"),
        (("--operation", 'release_checklist={"op": "set_label", "label": "x"}'), 1, "set_label"),
        (("--operation", 'release_checklist={"op": "insert_item", "value": {"title": 5}}'), 3, "title"),
        (("--operation", 'persona={"op": "set_text", "text": "x"}'), 1, "set_text"),
        (("--operation", 'no_such={"op": "set_text", "text": "x"}'), 1, "no_such"),
    ],
)
def test_that_an_operation_that_cannot_be_tried_is_told(
    sample: Path, options: tuple[str, ...], code: int, told: str
) -> None:
    done = run("simulate", sample, "--agent", "Ada", *options)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("form", ["gemini", "ollama", "openai"])
def test_that_marks_for_a_cache_that_have_no_place_are_told(sample: Path, form: str) -> None:
    done = run("build", sample, "--agent", "Ada", "--model", "gpt-4o", "--as", form, "--cache-marks")
    assert done.returncode == 0
    assert f"the format {form} has none" in done.stderr
    plain = run("build", sample, "--agent", "Ada", "--model", "gpt-4o", "--as", form)
    assert "cache" not in plain.stderr


def test_that_it_is_told_where_no_mark_would_count(sample: Path) -> None:
    for model, told in (
        ("gpt-4o", "couldn't reuse any part"),
        ("no-such-model", "How the provider of"),
    ):
        done = run("build", sample, "--agent", "Ada", "--model", model, "--as", "anthropic", "--cache-marks")
        assert done.returncode == 0
        assert told in done.stderr
        assert "cache_control" not in done.stdout


def test_that_marks_that_are_set_are_no_matter_for_a_word(sample: Path) -> None:
    asked = ("--agent", "Ada", "--model", "claude-sonnet-4-5", "--as", "anthropic", "--cache-marks")
    done = run("build", sample, *asked)
    assert "cache_control" in done.stdout
    assert "cache" not in done.stderr


def test_that_a_time_before_all_is_told_with_a_whole_year(sample: Path) -> None:
    done = run("build", sample, "--agent", "Ada", "--at", "0987-01-01T00:00:00Z")
    assert done.returncode == 1
    assert "0987-01-01T00:00" in done.stderr
