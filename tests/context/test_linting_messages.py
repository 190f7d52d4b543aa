"""Lint of large messages: which are found, what they save, and which are let be."""

from dataclasses import replace

from inspector.context.counting.pool import counter_for
from inspector.context.linting.lint import lint
from inspector.domain.lint import Finding, LintRule, LintSettings
from inspector.domain.messages import Batch, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from tests.context.builders import (
    BUILDER,
    EXACT_MODEL,
    MODELS,
    POOL,
    a_message,
    a_snapshot,
    a_spec,
    a_turn,
    an_agent,
)

LONG = "The log of the build goes on and on. " * 300


def found(*batches: Batch, settings: LintSettings | None = None) -> list[Finding]:
    """The findings of large messages in a view with that history."""
    snapshot = a_snapshot(agent=an_agent(model=EXACT_MODEL), history=batches)
    request = BUILDER.build(snapshot, a_spec())
    counter = counter_for(request.model, MODELS, POOL)
    return [
        each for each in lint(snapshot, request, counter, settings) if each.rule is LintRule.LARGE_MESSAGE
    ]


def a_call(number: int, result: str) -> Batch:
    """A turn with a call and its result."""
    name, at = f"batch_{number}", number * 100
    return Batch(
        name,
        (
            a_message(at, Role.USER, TextPart("read the log"), batch=name),
            a_message(at + 1, Role.ASSISTANT, ToolCallPart("c1", "read", "{}"), batch=name),
            a_message(at + 2, Role.TOOL, ToolResultPart("c1", result), batch=name),
            a_message(at + 3, Role.ASSISTANT, TextPart("done"), batch=name),
        ),
    )


def test_that_a_large_message_of_an_earlier_turn_is_found_with_what_it_saves() -> None:
    first, answer = a_turn(1, LONG).messages
    turn = Batch("batch_1", (first, replace(answer, content=(TextPart("yes"),))))
    (finding,) = found(turn, a_turn(2))
    assert finding.where == Ref(RefKind.MESSAGE, turn.messages[0].id)
    assert finding.tokens == finding.more >= 2_000
    assert finding.fix is not None
    assert finding.fix.action == "archive_message"


def test_that_a_call_goes_with_its_large_result() -> None:
    turn = a_call(1, LONG)
    (finding,) = found(turn, a_turn(2))
    assert finding.where.id == turn.messages[2].id
    assert [each.id for each in finding.others] == [turn.messages[1].id]
    assert len(finding.places) == 2


def test_that_the_newest_turn_and_short_messages_are_let_be() -> None:
    assert found(a_turn(1), a_turn(2, LONG)) == []
    assert found(a_turn(1, "short"), a_turn(2)) == []
    assert found(a_turn(1, LONG), a_turn(2), settings=LintSettings(large_tokens=100_000)) == []
