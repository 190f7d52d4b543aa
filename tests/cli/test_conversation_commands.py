"""The commands on summaries and activity, seen from outside."""

from __future__ import annotations

import json
import re

from tests.cli.program import Program


def test_that_summaries_are_listed_with_what_they_cover(program: Program) -> None:
    before = program.digest()
    said = program.said("summaries", "--agent", "Ada")
    assert [each["depth"] for each in said["summaries"]] == [0, 0, 0, 1, 0, 0, 1, 2, 0]
    assert said["coverage"] == {
        "ranges": [[1, 180]],
        "gaps": [],
        "overlaps": [],
        "missing_children": {},
        "circular": [],
    }
    assert said["chain"]["end"] == "beginning"
    assert said["latest"] == said["chain"]["ids"][0] == said["summaries"][-1]["id"]
    text = program.told("summaries", "--agent", "Ada")
    assert all(each["id"] in text for each in said["summaries"])
    assert "1-180" in text
    one = said["summaries"][3]
    shown = program.told("summaries", "--summary", one["id"])
    assert shown.startswith(f"## Summary (depth 1, {one['messages']} messages)\n**Period:** ")
    assert one["content"] in shown
    whole = program.said("summaries", "--summary", one["id"])
    assert [each["operation"] for each in whole["versions"]] == ["store_summary"]
    assert program.digest() == before


def test_that_an_agent_without_summaries_and_a_summary_that_is_not_there_are_told(program: Program) -> None:
    assert program.said("summaries", "--agent", "Linus")["latest"] is None
    assert "no summaries" in program.told("summaries", "--agent", "Linus")
    done = program.run("summaries", "--summary", "sum_none")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"sum_none" in done.stderr
    assert program.run("summaries", "--agent", "Ada", "--zone", "Moon/Sea").returncode == 1


def test_that_activity_is_listed_in_the_order_in_which_it_was_written(program: Program) -> None:
    before = program.digest()
    said = program.said("activity", "--limit", 500)
    assert len(said["events"]) == 500 < said["total"]
    numbers = [each["seq"] for each in said["events"]]
    assert numbers == sorted(numbers)
    kinds = {each["kind"] for each in said["events"]}
    assert {
        "message_received",
        "message_sent",
        "tool_called",
        "memory_modified",
        "context_compressed",
    } <= kinds
    assert {each["agent_name"] for each in said["events"]} == {"Ada", "Linus", "Grace", None}
    high = program.said("activity", "--importance", "high", "--kind", "tool_called")["events"]
    assert high
    assert all(each["details"]["success"] is False for each in high)
    lines = program.told("activity", "--agent", "Ada", "--limit", 40).splitlines()
    assert lines[0].startswith("-- 20")
    assert any("[YOU/Ada]: " in line for line in lines)
    assert any("[AGENT:Grace]: " in line for line in lines)
    assert program.digest() == before


def test_that_the_rendered_activity_is_what_the_request_shows(program: Program) -> None:
    shown = program.told("activity", "--agent", "Ada", "--rendered").splitlines()
    assert shown[0] == "The following events occurred recently in the constellation:"
    built = program.told("build", "--agent", "Ada")
    assert all(line in built for line in shown)
    assert program.run("activity", "--agent", "Ada", "--rendered", "--json").returncode == 2


def test_that_nothing_that_fits_is_said_so(program: Program) -> None:
    assert program.said("activity", "--kind", "kiln_fired")["events"] == []
    assert program.told("activity", "--limit", 0).strip()


def test_that_a_dry_run_says_what_would_come_of_it_and_leaves_the_file(program: Program) -> None:
    before = program.digest()
    asked = ("--agent", "Ada", "--keep", 30)
    said = program.said("summarise", *asked, "--dry-run")
    assert said["stored"] is False
    assert said["messages"] == sum(each["messages"] for each in said["summaries"]) > 0
    for each in said["summaries"]:
        assert 0 < each["tokens"] < each["source_tokens"]
        assert each["id"] is None
        assert each["lost"]["numbers"]
        assert each["method"] == "exact"
    text = program.told("summarise", *asked, "--dry-run")
    assert "Would summarise " in text
    assert re.search(r"= [\d,]+ tokens to = [\d,]+\.", text)
    assert program.digest() == before


def test_that_summarise_stores_archives_and_has_nothing_left_to_do(program: Program) -> None:
    tried = program.said("summarise", "--agent", "Ada", "--keep", 30, "--dry-run")
    said = program.said("summarise", "--agent", "Ada", "--keep", 30)
    assert said["stored"] is True
    assert [each["content"] for each in said["summaries"]] == [each["content"] for each in tried["summaries"]]
    away = said["put_away"] or {"archived": []}
    archived = [one for each in (*said["summaries"], away) for one in each["archived"]]
    # Older ones that summaries of the file told of already go along: no gap is left between the two.
    assert len(archived) == len(set(archived)) == said["messages"] + len(said["covered"])
    assert set(said["covered"]) <= set(archived)
    ids = [each["id"] for each in said["summaries"]]
    listed = program.said("summaries", "--agent", "Ada")
    assert [each["id"] for each in listed["summaries"]][-len(ids) :] == ids
    assert listed["coverage"]["gaps"] == listed["coverage"]["overlaps"] == []
    events = program.said("activity", "--kind", "context_compressed", "--limit", len(ids))["events"]
    assert [each["details"]["summary_created"] for each in events] == ids
    report = program.said("report", "--agent", "Ada")
    inside = {piece["source"]["id"] for section in report["sections"] for piece in section["pieces"]}
    assert set(ids) <= inside
    assert program.said("check")["ok"]
    assert "no messages to summarise" in program.told("summarise", "--agent", "Ada", "--keep", 30)


def test_that_at_least_the_messages_asked_for_are_kept_and_more_are_told(program: Program) -> None:
    asked = ("summarise", "--agent", "Ada", "--dry-run", "--keep")
    whole, one = program.said(*asked, 0), program.said(*asked, 1)
    assert whole["kept"] == 0
    assert one["kept"] > 1
    assert one["messages"] + len(one["covered"]) < whole["messages"] + len(whole["covered"])
    told = f"Kept the newest {one['kept']} messages: only whole, finished turns are archived."
    assert told in program.told(*asked, 1)
    assert "Kept the newest" not in program.told(*asked, one["kept"])


def test_that_a_question_and_a_pinned_text_change_what_is_kept(program: Program) -> None:
    asked_for = ("summarise", "--agent", "Linus", "--keep", 4, "--dry-run")
    plain = program.said(*asked_for)["summaries"][1]
    asked = program.said(*asked_for, "--query", "Is the changelog unchanged?")["summaries"][1]
    sentence = 'Our changelog says "carried over unchanged".'
    assert sentence not in plain["content"]
    assert sentence in asked["content"]
    lost = plain["lost"]["paths"][0]
    pinned = program.said("summarise", "--agent", "Linus", "--keep", 4, "--dry-run", "--pin", lost)[
        "summaries"
    ][1]
    assert pinned["put_back"] == [lost]
    assert lost not in pinned["lost"]["paths"]


def test_that_keep_and_due_exclude_one_another(program: Program) -> None:
    assert program.run("summarise", "--agent", "Ada", "--keep", 3, "--due").returncode == 2
    assert program.run("summarise").returncode == 1, "there are several agents"


def test_that_activity_is_filtered_by_time_and_text_and_added_up(program: Program) -> None:
    events = program.said("activity", "--limit", 1_000)["events"]
    since, until = events[100]["at"], events[300]["at"]
    part = program.said("activity", "--since", since, "--until", until, "--limit", 1_000)
    assert part["matching"] == sum(since <= each["at"] < until for each in events) == len(part["events"])
    found = program.said("activity", "--text", "NOOR message", "--limit", 1_000)["events"]
    assert found
    assert all("noor" in json.dumps(each["details"]).lower() for each in found)
    sums = program.said("activity", "--since", since, "--until", until, "--totals")
    assert sum(each["count"] for each in sums["kinds"]) == part["matching"]
    assert "tool_called" in program.told("activity", "--totals")


def test_that_a_summary_is_made_again_with_those_above_it(program: Program) -> None:
    listed = program.said("summaries", "--agent", "Ada")["summaries"]
    assert all(each["tokens"] > 0 and isinstance(each["warnings"], list) for each in listed)
    parent = next(each for each in listed if each["children"])
    child = parent["children"][0]
    before = program.digest()
    said = program.said("summarise", "--from", child, "--dry-run")
    assert said["stored"] is False
    assert said["summaries"] or said["problems"]
    assert {each["id"] for each in said["summaries"]} <= {each["id"] for each in listed}
    assert all(each["old_tokens"] and "old_lost" in each for each in said["summaries"])
    assert child in program.told("summarise", "--from", child, "--dry-run")
    assert program.digest() == before
    lost = program.said("summaries", "--summary", child)["lost"]
    assert lost["source_tokens"] > 0
    assert program.run("summarise", "--from", child, "--due").returncode == 2
    assert program.run("summarise", "--from", "sum_none").returncode == 1


def test_that_a_model_writes_summaries_only_when_a_provider_is_named(program: Program) -> None:
    before = program.digest()
    asked = ("summarise", "--agent", "Ada", "--keep", 30, "--dry-run")
    done = program.run(*asked, "--provider", "offline", "--json")
    assert done.returncode == 0, done.stderr.decode()
    assert {each["made_by"] for each in json.loads(done.stdout)["summaries"]} == {"gpt-5-mini (offline)"}
    assert b"tokens in" in done.stderr
    failed = program.run(*asked, "--provider", "http://127.0.0.1:9")
    assert failed.returncode == 1
    assert b"No connection" in failed.stderr
    assert program.run(*asked, "--model", "gpt-5-mini").returncode == 2
    assert program.digest() == before
