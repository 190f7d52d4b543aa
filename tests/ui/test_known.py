"""What the window knows of a file: problems, each once, in the order in which they come."""

from dataclasses import replace

from inspector.domain.health import Problem, Severity
from inspector.ui.doors import Holdings
from inspector.ui.known import Known
from tests.ui import invented


def problem(name: str, severity: Severity = Severity.WARNING, where: str = "", **facts: object) -> Problem:
    told = {key: value for key, value in facts.items() if isinstance(value, str | int | tuple)}
    return Problem(name, severity, where, told)


def known_with(*problems: Problem) -> Known:
    """An agent's holdings with those problems."""
    return Known(agent_id=invented.ADA, holdings={invented.ADA: Holdings(problems=problems)})


def test_that_each_problem_is_told_once_where_it_came_first() -> None:
    last, first, middle = problem("c"), problem("a", label="x"), problem("b", names=("x", "y"))
    known = known_with(last, first, last, middle, replace(first, parameters={"label": "x"}), middle)
    assert known.problems == (last, first, middle)


def test_that_problems_that_differ_in_anything_are_all_told() -> None:
    all_of_them = (
        problem("a"),
        problem("b"),
        problem("a", Severity.ERROR),
        problem("a", where="block:x"),
        problem("a", label="x"),
        problem("a", label="y"),
        problem("a", label="x", names=("x",)),
    )
    assert known_with(*all_of_them).problems == all_of_them


def test_that_the_order_of_facts_makes_no_other_problem() -> None:
    one = Problem("a", Severity.WARNING, "", {"label": "x", "count": 1})
    other = Problem("a", Severity.WARNING, "", {"count": 1, "label": "x"})
    assert known_with(one, other).problems == (one,)


def test_that_what_the_request_tells_again_is_not_told_twice() -> None:
    shared, own = problem("a", label="x"), problem("b")
    known = known_with(shared)
    known.request = replace(invented.request(), problems=(shared, own), adaptations=())
    assert known.problems == (shared, own)
