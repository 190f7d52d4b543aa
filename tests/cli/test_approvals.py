"""The commands consent and queue, seen from outside: listing, answering once, retrying and cancelling."""

from __future__ import annotations

from tests.cli.program import Program


def test_that_requests_are_listed_and_left_to_the_partner(program: Program) -> None:
    (request,) = program.said("consent")["requests"]
    assert (request["agent"], request["state"]) == ("Ada", "pending")
    assert program.run("consent", "--answer", request["id"]).returncode == 2
    # The block is the partner's, who is somebody else.
    assert program.run("consent", "--allow", request["id"]).returncode == 3
    assert program.said("consent")["requests"] == [request]
    assert program.run("consent", "--allow", "con_none").returncode == 1


def test_that_queued_messages_are_retried_and_cancelled(program: Program) -> None:
    (failed,) = program.said("queue", "--state", "failed")["queue"]
    assert program.said("queue", "--retry", failed["id"])["changed"]
    assert program.said("queue", "--state", "failed")["queue"] == []
    assert program.said("queue", "--cancel", failed["id"])["changed"]
    assert failed["id"] in {each["id"] for each in program.said("queue", "--state", "dead")["queue"]}
    processed = program.said("queue", "--state", "processed")["queue"][0]
    assert program.run("queue", "--retry", processed["id"]).returncode == 3
