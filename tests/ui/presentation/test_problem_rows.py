"""Rows of problems: a place has the name that a person knows, and opens where the problem is mended."""

from dataclasses import replace

from inspector.domain.errors import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.ui.file_state import FileState
from inspector.ui.presentation.problem_rows import ProblemRow, problem_rows
from tests.ui import values

FILE = replace(FileState(), request=values.request()).with_agents((values.agent(values.ADA),), ())


def row_of(where: str) -> ProblemRow:
    problem = Problem("unknown_model", Severity.WARNING, where, {"model": "glm-5", "max_tokens": 200_000})
    rows = problem_rows(replace(FILE, request_problem=problem), ())
    return next(each for each in rows if each.place == where)


def test_that_a_model_nobody_knows_opens_the_settings_of_its_agent() -> None:
    row = row_of("model:glm-5")
    assert (row.where, row.ref) == ("glm-5", Ref(RefKind.AGENT, values.ADA))


def test_that_a_message_is_named_by_its_first_words() -> None:
    message = next(
        piece.source.id
        for section in values.request().sections
        for piece in section.pieces
        if piece.source.kind.value == "message"
    )
    assert message is not None
    row = row_of(f"message:{message}")
    assert message not in row.where
    assert row.ref == Ref(RefKind.MESSAGE, message)
