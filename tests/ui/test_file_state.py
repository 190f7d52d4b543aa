"""What the window knows of a file: problems, each once, in the order in which they come."""

from dataclasses import replace

from inspector.domain.errors import Problem, Severity
from inspector.runtime.session import AgentContents
from inspector.ui.file_state import FileState
from tests.ui import values


def problem(name: str, severity: Severity = Severity.WARNING, where: str = "", **facts: object) -> Problem:
    said = {key: value for key, value in facts.items() if isinstance(value, str | int | tuple)}
    return Problem(name, severity, where, said)


def file_with(*problems: Problem) -> FileState:
    """An agent's contents with those problems."""
    return FileState(agent_id=values.ADA, contents={values.ADA: AgentContents(problems=problems)})


def test_that_each_problem_is_told_once_where_it_came_first() -> None:
    last, first, middle = problem("c"), problem("a", label="x"), problem("b", names=("x", "y"))
    file = file_with(last, first, last, middle, replace(first, parameters={"label": "x"}), middle)
    assert file.problems == (last, first, middle)


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
    assert file_with(*all_of_them).problems == all_of_them


def test_that_the_order_of_facts_makes_no_other_problem() -> None:
    one = Problem("a", Severity.WARNING, "", {"label": "x", "count": 1})
    other = Problem("a", Severity.WARNING, "", {"count": 1, "label": "x"})
    assert file_with(one, other).problems == (one,)


def test_that_what_the_request_tells_again_is_not_told_twice() -> None:
    shared, own = problem("a", label="x"), problem("b")
    file = file_with(shared)
    request = replace(values.request(), problems=(shared, own), adaptations=())
    file = replace(file, request=request)
    assert file.problems == (shared, own)


def test_that_a_block_that_reads_the_same_stays_the_same_object() -> None:
    first = FileState(agent_id=values.ADA).with_contents(
        values.ADA, AgentContents(own=(values.state("blk_notes"), values.state("blk_questions")))
    )
    theirs = values.with_text("blk_questions", "theirs")
    second = first.with_contents(values.ADA, AgentContents(own=(values.state("blk_notes"), theirs)))
    assert second.blocks["blk_notes"] is first.blocks["blk_notes"]
    assert second.blocks["blk_questions"] is theirs
    assert second.with_contents(values.ADA, second.contents[values.ADA]).blocks is second.blocks


def test_that_another_agent_is_shown_when_the_one_that_was_is_gone() -> None:
    ada, grace = values.agent(values.ADA), values.agent(values.GRACE)
    state = replace(FileState().with_agents((ada, grace), ("standard",)), request=values.request())
    assert (state.agent, state.with_agents((grace, ada), ()).request) == (ada, state.request)
    assert state.with_agents((grace,), ()).agent == grace
    assert state.with_agents((grace,), ()).request is None
    assert state.with_agents((), ()).agent is None
