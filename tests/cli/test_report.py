"""What `report` tells a person: few rows that say all, and every row when it is asked for."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.program import run, said

Asked = tuple[str, ...]


@pytest.fixture
def asked(sample: Path) -> Asked:
    """Whose Request, and one moment for all of a test: the sample is of the time when it was made."""
    assert sample.exists()
    return ("--agent", "Ada", "--now", f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")


def left_out_table(text: str) -> list[str]:
    """The rows below the second table's rule."""
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("Left out"))
    return lines[first + 2 :]


def test_that_what_one_rule_left_out_stands_together_and_all_shows_every_row(
    sample: Path, asked: Asked
) -> None:
    account = said("report", sample, *asked)
    kinds = Counter((each["source"]["kind"], each["rule"]) for each in account["left_out"])
    old = kinds["event", "event_too_old"]
    assert old > 100
    few = left_out_table(run("report", sample, *asked).stdout.decode())
    every = left_out_table(run("report", sample, *asked, "--all").stdout.decode())
    assert len(few) < 40
    assert len(every) >= len(account["left_out"]) > 600
    [line] = [each for each in few if each.startswith(f"{old} events ")]
    tokens = sum(each["tokens"] for each in account["left_out"] if each["rule"] == "event_too_old")
    assert f"{tokens:,}" in line
    assert "Next one" not in line
    assert f"Left out: {len(account['left_out'])}. Use --all for one row each." in few


def test_that_json_has_every_row_whether_all_is_asked_for_or_not(sample: Path, asked: Asked) -> None:
    assert said("report", sample, *asked) == said("report", sample, *asked, "--all")


def test_that_a_group_tells_the_nearest_and_what_brings_it_in(sample: Path, asked: Asked) -> None:
    few = left_out_table(run("report", sample, *asked).stdout.decode())
    out = [each for each in said("report", sample, *asked)["left_out"] if each["rule"] == "history_full"]
    least = min(each["fix"]["value"] for each in out if each["fix"]["action"] == "raise_history_tokens")
    [line] = [each for each in few if "Next one: Over the history budget: " in each]
    assert f"needs a budget of {least:,}." in line
    assert line.endswith(f"Raise the history budget to {least:,} tokens.")


def test_that_every_reason_is_told_with_its_names_and_figures(sample: Path, asked: Asked) -> None:
    told = run("report", sample, *asked).stdout.decode()
    assert "Shared by " in told
    assert "Summary of " in told
    assert [line for line in told.splitlines() if " ? " in line or "depth ?" in line] == []


def test_that_messages_and_events_are_told_apart_by_their_first_words(sample: Path, asked: Asked) -> None:
    told = run("report", sample, *asked, "--model", "gpt-4o").stdout.decode()
    text = run("build", sample, *asked, "--model", "gpt-4o").stdout.decode()
    account = said("report", sample, *asked, "--model", "gpt-4o")
    pieces = [piece for section in account["sections"] for piece in section["pieces"]]
    users = [each for each in pieces if each["source"]["label"] == "user"]
    events = [each for each in pieces if each["source"]["kind"] == "event"]
    assert min(len(users), len(events)) > 3
    for piece in users + events:
        start, end = next(each["span"] for each in piece["runs"] if each["sent"])
        words = " ".join(text[start:end].split())
        assert f"  {'user: ' if piece in users else ''}{words[:40]}" in told


def test_that_a_report_says_where_the_bill_likely_lies_and_from_how_many(sample: Path, asked: Asked) -> None:
    text = run("report", sample, *asked, "--model", "claude-sonnet-4-5").stdout.decode()
    total = said("report", sample, *asked, "--model", "claude-sonnet-4-5")["total"]
    low, high, known = total["low"], total["high"], total["range"]
    assert 0 < low <= total["tokens"] <= high
    assert (known["class"], known["group"]) == ("tools", "claude")
    assert f"Likely bill: {low:,} to {high:,} tokens (tools: held for" in text
    assert f"of {known['n']} bills)." in text
