from dataclasses import replace

from inspector.domain.agents import Tool
from inspector.domain.edits.rows import CreateAgent, PutTool
from inspector.exchange.planning import joined
from tests.exchange.builders import agent, codes, file_of, found, plan_of, tool


def test_that_a_tool_that_is_there_stays_and_a_difference_is_told() -> None:
    plan = plan_of(
        file_of(
            agent(tool_ids=["tool-0", "tool-1", "tool-2"]),
            tools=[tool(0, "same"), tool(1, "other"), tool(2, "new")],
        )
    )
    same, other, new = (each.tool for each in found(plan, PutTool))
    there = {"same": replace(same, metadata="{}"), "other": replace(other, description="Another.")}
    result = joined(plan, there, ())
    assert [each.tool for each in found(result, PutTool)] == [new]
    assert codes(result) == ["import.tool_stays"]
    assert found(result, CreateAgent)[0].tools == ("same", "other", "new")


def test_that_a_name_that_is_taken_is_told_and_an_empty_constellation_changes_nothing() -> None:
    plan = plan_of(file_of(agent(name="Ada")))
    assert codes(joined(plan, {}, ["Ada", "Bea"])) == ["import.agent_name_taken"]
    assert joined(plan, {"x": Tool("x", "", "{}")}, ["Bea"]) == plan
