from dataclasses import replace

from inspector.domain.counts import Method
from inspector.domain.errors import Problem, Severity
from inspector.domain.messages import ImagePart, Part, Role, TextPart
from inspector.domain.requests import Request
from inspector.domain.snapshot import Snapshot
from tests.context.builders import EXACT_MODEL, a_message, a_snapshot, a_spec, a_turn, build, new_builder

SIZED, UNSIZED = ImagePart("image/png", 800, 600, "aGk="), ImagePart("image/png", 0, 0, "aGk=")


def shown(*parts: Part) -> Snapshot:
    turn = a_turn(1)
    message = a_message(100, Role.USER, *parts, batch=turn.id)
    return a_snapshot(history=(replace(turn, messages=(message, *turn.messages[1:])),))


def told(request: Request) -> list[Problem]:
    return [problem for problem in request.problems if problem.code.startswith("image_")]


def test_that_images_of_unknown_size_are_told_with_the_tokens_that_they_are_taken_for() -> None:
    request = build(shown(TextPart("see"), UNSIZED, SIZED, UNSIZED), model=EXACT_MODEL)
    (problem,) = told(request)
    assert (problem.code, problem.severity, problem.where) == (
        "image_size_unknown",
        Severity.WARNING,
        "message:msg_100",
    )
    one, sized = (
        sum(run.tokens for run in piece.runs if run.text.startswith("=== image"))
        for piece in (
            next(p for p in section.pieces if p.source.id == "msg_100")
            for each in ((UNSIZED,), (SIZED,))
            for section in build(shown(*each), model=EXACT_MODEL).sections
            if section.name == "messages"
        )
    )
    assert problem.parameters == {"count": 2, "tokens": 2 * one}
    assert one > sized > 0


def test_that_images_of_known_size_are_estimates_and_no_problem() -> None:
    request = build(shown(TextPart("see"), SIZED), model=EXACT_MODEL)
    assert told(request) == []
    assert request.method is Method.ESTIMATE


def test_that_another_providers_rule_is_told_once() -> None:
    request = build(shown(SIZED, SIZED), model="llama3")
    assert [(each.code, each.where) for each in told(request)] == [("image_cost_assumed", "model:llama3")]
    assert told(build(shown(TextPart("none")), model="llama3")) == []


def test_that_a_text_that_reads_like_an_image_is_none() -> None:
    assert told(build(shown(TextPart("=== image image/png 0x0 ===\n")), model="claude-opus-5-5")) == []


def test_that_a_second_build_and_another_model_tell_the_same_as_a_first() -> None:
    builder, snapshot = new_builder(), shown(UNSIZED, SIZED)
    for model in ("llama3", "gpt-4o", "llama3", "gpt-4o"):
        assert told(builder.build(snapshot, a_spec(model=model))) == told(build(snapshot, model=model))
