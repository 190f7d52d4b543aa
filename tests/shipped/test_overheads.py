import json
from pathlib import Path

import pytest

from inspector.domain.counts import Method
from inspector.domain.errors import MalformedError
from inspector.shipped.locate import resource_path
from inspector.shipped.overheads import load_overheads, read_overheads


@pytest.mark.parametrize("family", ["o200k", "cl100k"])
def test_that_openai_messages_cost_three_and_the_role_exactly(family: str) -> None:
    costs = load_overheads().for_chat(family)
    assert (costs.message, costs.role, costs.name, costs.reply) == (3, 1, 1, 3)
    assert (costs.method, costs.call_method) == (Method.EXACT, Method.ESTIMATE)


@pytest.mark.parametrize(("family", "frame"), [("claude_3", 7), ("claude_4_7", 11), ("claude_4_8", 6)])
def test_that_claude_frames_are_estimates(family: str, frame: int) -> None:
    costs = load_overheads().for_chat(family)
    assert (costs.message, costs.method) == (frame, Method.ESTIMATE)


def test_that_tool_definitions_follow_the_published_rule_and_are_estimates() -> None:
    costs = load_overheads().for_tools("o200k")
    assert (costs.function, costs.properties, costs.key, costs.enum, costs.enum_item, costs.end) == (
        7,
        3,
        3,
        -3,
        3,
        12,
    )
    assert all(each.method is Method.ESTIMATE for each in load_overheads().tools.values())


def test_that_an_unknown_family_has_the_generic_overheads() -> None:
    assert load_overheads().for_chat("nobody").family == "generic"


def test_that_a_family_listed_twice_is_refused(tmp_path: Path) -> None:
    stored = json.loads(resource_path("models", "overheads.json").read_text(encoding="utf-8"))
    stored["chat"].append(stored["chat"][0])
    path = tmp_path / "overheads.json"
    path.write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(MalformedError):
        read_overheads(path)
