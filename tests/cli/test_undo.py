"""undo and redo of changes of any kind, seen from outside."""

from __future__ import annotations

import json

import pytest

from tests.cli.program import Program


def built(program: Program) -> bytes:
    """Ada's Request, without what depends on the moment or on what happened."""
    asked = ("--agent", "Ada", "--now", "2026-11-20T12:00:00Z", "--layout", "minimal")
    return program.run("build", *asked).stdout


def test_that_a_folding_is_taken_back_and_made_again(program: Program) -> None:
    before = built(program)
    made = program.said("summarise", "--agent", "Ada", "--keep", 60)
    after = built(program)
    assert after != before
    changesets = [each["changeset"] for each in made["summaries"]]
    listed = program.said("undo", "--list")["steps"]
    count = len(listed)
    assert {*changesets} <= {each["changeset"] for each in listed}
    assert f"summary:{made['summaries'][0]['id']} (+" in program.told("undo", "--list")
    told = [program.told("undo") for _ in range(count)]
    assert "store summary" in told[-1]
    assert "archive message (" in told[-1]
    assert changesets[0] in told[-1]
    assert built(program) == before
    assert program.run("undo").returncode == 3
    assert len(program.said("redo", "--list")["steps"]) == count
    for _ in range(count):
        program.told("redo")
    assert built(program) == after
    assert program.said("check")["ok"]


def test_that_a_changeset_or_a_change_can_be_named(program: Program) -> None:
    first = program.said("edit", "--agent", "Ada", "--block", "scratchpad", "--append", "one")["seq"]
    program.said("edit", "--agent", "Ada", "--block", "open_questions", "--append", "two")
    made = program.said("summarise", "--agent", "Linus", "--keep", 20)["summaries"]
    undone = program.said("undo", "--change", made[0]["changeset"])
    assert undone["step"]["changeset"] == made[0]["changeset"]
    assert undone["step"]["edits"][0]["operation"] == "store_summary"
    assert len(undone["changes"]) == len(undone["step"]["edits"])
    assert program.said("undo", "--change", first)["step"]["change"] == first
    assert b"one" not in program.run("show", "--agent", "Ada", "--block", "scratchpad").stdout
    assert b"two" in program.run("show", "--agent", "Ada", "--block", "open_questions").stdout
    again = program.run("undo", "--change", first)
    assert (again.returncode, again.stdout) == (3, b"")
    assert program.run("undo", "--change", "set_none").returncode == 3


def test_that_the_newest_change_of_any_kind_goes_first_and_is_named(program: Program) -> None:
    program.said("edit", "--agent", "Ada", "--block", "scratchpad", "--append", "one")
    persona = '{"op": "configure_agent", "persona": "Somebody else."}'
    program.said("edit", "--agent", "Grace", "--operation", persona, "--reason", "a try")
    listed = program.said("undo", "--list")["steps"]
    assert [each["edits"][0]["operation"] for each in listed] == ["configure_agent", "append_text"]
    shown = program.told("undo", "--list")
    assert "a try" in shown
    assert "scratchpad" in shown
    assert "configure agent of agent:" in program.told("undo")
    assert "append text of scratchpad" in program.told("undo")


def test_that_changes_can_be_looked_for_by_agent_and_by_thing(program: Program) -> None:
    persona = '{"op": "configure_agent", "persona": "Somebody else."}'
    program.said("edit", "--agent", "Ada", "--operation", persona)
    program.said("edit", "--agent", "Linus", "--operation", persona)
    program.said("edit", "--agent", "Grace", "--block", "runbook/arm64-board", "--append", "x")
    assert len(program.said("undo", "--list", "--agent", "Ada")["steps"]) == 1
    ada = program.said("undo", "--agent", "Ada")
    assert ada["operation"] == "configure_agent"
    assert program.run("undo", "--agent", "Ada").returncode == 3
    linus = program.said("undo", "--target", "agent:Linus")
    assert linus["step"]["edits"][0]["target"] != ada["step"]["edits"][0]["target"]
    assert program.said("redo", "--agent", "Ada")["step"] == ada["step"]


def test_that_a_schema_that_was_written_under_since_goes_back_and_says_what_was_converted(
    program: Program,
) -> None:
    asked = ("edit", "--agent", "Ada", "--block", "scratchpad")
    program.said(*asked, "--set", "one\n\ntwo")
    schema = '{"op": "set_schema", "schema": {"kind": "list"}, "accept_loss": true}'
    program.said(*asked, "--operation", schema)
    program.said(*asked, "--as-agent", "--operation", '{"op": "insert_item", "value": "three"}')
    told = program.told("undo")
    assert "Undid set schema of scratchpad" in told
    assert "Changed since, so converted to the earlier schema" in told
    assert program.told("show", "--agent", "Ada", "--block", "scratchpad").split()[-3:] == [
        "one",
        "two",
        "three",
    ]


def test_that_a_number_of_another_agents_change_is_not_taken_back_for_this_one(program: Program) -> None:
    edit = ("edit", "--agent", "Grace", "--block", "runbook/arm64-board", "--append", "x")
    number = program.said(*edit)["seq"]
    for named in (number, "9" * 5000):
        refused = program.run("undo", "--agent", "Ada", "--change", named)
        assert (refused.returncode, refused.stdout) == (3, b"")
    assert program.said("undo", "--agent", "Grace", "--change", number)["step"]["change"] == number


def test_that_an_agent_takes_back_its_own(program: Program) -> None:
    edit = ("--agent", "Ada", "--block", "scratchpad", "--append")
    program.said("edit", *edit, "the agent's", "--as-agent")
    program.said("edit", *edit, "a person's")
    undone = program.said("undo", "--agent", "Ada", "--as-agent")
    assert undone["operation"] == "append_text"
    shown = program.told("show", "--agent", "Ada", "--block", "scratchpad")
    assert "the agent's" not in shown
    assert "a person's" in shown
    listed = program.said("redo", "--agent", "Ada", "--as-agent", "--list")
    assert (listed["actor"], len(listed["steps"])) == ("Ada", 1)


@pytest.mark.parametrize(
    "options",
    [
        ("--agent", "Ada", "--block", "scratchpad", "--target", "agent:Ada"),
        ("--owner", "Ada"),
        ("--list", "--change", "3"),
        ("--target", "nothing"),
    ],
)
def test_that_what_cannot_be_meant_is_wrong_usage(program: Program, options: tuple[str, ...]) -> None:
    done = program.run("undo", *options)
    assert (done.returncode, done.stdout) == (2, b"")


def test_that_looking_at_what_could_be_undone_leaves_the_file(program: Program) -> None:
    before = program.file.read_bytes()
    assert json.loads(program.run("undo", "--list", "--json").stdout)["steps"] == []
    assert "no change here to undo" in program.told("undo", "--list")
    assert "no change here to redo" in program.told("redo", "--list")
    assert program.file.read_bytes() == before


def overtaken(program: Program) -> None:
    """An older change of Ada's, a newer one of which her agent has left nothing, and the newest of Linus's."""
    edit = ("edit", "--agent", "Ada", "--block")
    program.said(*edit, "open_questions", "--append", "\nANCIENT")
    program.said(*edit, "scratchpad", "--append", "\nnewer")
    program.said(*edit, "scratchpad", "--set", "123", "--as-agent")
    program.said("edit", "--agent", "Linus", "--block", "voice_guide", "--append", "\nhis")


def test_that_what_others_have_overtaken_is_passed_over_and_told_for_an_agent_as_for_all(
    program: Program,
) -> None:
    overtaken(program)
    assert len(program.said("undo", "--list", "--agent", "Ada")["steps"]) == 2
    told = program.told("undo", "--agent", "Ada")
    assert "Undid append text of open_questions" in told
    assert "Skipped append text of scratchpad: others have changed all of it since." in told
    assert "ANCIENT" not in program.told("show", "--agent", "Ada", "--block", "open_questions")
    assert program.told("show", "--agent", "Ada", "--block", "scratchpad").strip() == "123"
    assert "his" in program.told("show", "--agent", "Linus", "--block", "voice_guide")
    # Nothing of hers is left that could be taken back.
    again = program.run("undo", "--agent", "Ada")
    assert (again.returncode, again.stdout) == (3, b"")
    assert b"others have changed all of it since" in again.stderr
    assert program.said("undo", "--agent", "Linus")["passed"] == []


def test_that_an_overtaken_change_that_is_named_is_refused(program: Program) -> None:
    overtaken(program)
    newer, older = program.said("undo", "--list", "--agent", "Ada")["steps"]
    named = program.run("undo", "--agent", "Ada", "--change", newer["change"])
    assert (named.returncode, named.stdout) == (3, b"")
    assert b"others have changed all of it since" in named.stderr
    assert program.said("undo", "--agent", "Ada", "--change", older["change"])["step"] == older


def test_that_a_change_of_another_agents_thing_does_not_end_what_can_be_made_again(program: Program) -> None:
    edit = ("edit", "--agent", "Ada", "--block", "scratchpad", "--append")
    program.said(*edit, "\nfirst")
    undone = program.said("undo", "--agent", "Ada")
    program.said("edit", "--agent", "Linus", "--block", "voice_guide", "--append", "\nhis")
    assert program.run("redo").returncode == 3
    assert program.said("redo", "--agent", "Ada", "--list")["steps"] == [undone["step"]]
    assert program.said("redo", "--agent", "Ada")["step"] == undone["step"]
    program.said("undo", "--agent", "Ada")
    program.said(*edit, "\nsecond")
    assert program.run("redo", "--agent", "Ada").returncode == 3
