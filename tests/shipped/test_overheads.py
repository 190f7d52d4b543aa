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
    assert (costs.call, costs.method, costs.call_method) == (8, Method.EXACT, Method.ESTIMATE)


@pytest.mark.parametrize(("family", "frame"), [("claude_3", 7), ("claude_4_7", 11), ("claude_4_8", 6)])
def test_that_claude_frames_are_estimates(family: str, frame: int) -> None:
    costs = load_overheads().for_chat(family)
    assert (costs.message, costs.method) == (frame, Method.ESTIMATE)


@pytest.mark.parametrize(
    ("model", "least", "most"),
    [
        ("claude-3-5-sonnet-20241022", 265, 330),
        ("claude-sonnet-4-20250514", 265, 330),
        ("claude-3-opus-20240229", 500, 560),
        ("claude-opus-4-6", 500, 560),
    ],
)
def test_that_claude_s_text_around_tools_and_calls_costs_what_was_billed(
    model: str, least: int, most: int
) -> None:
    table = load_overheads()
    tools, costs = table.for_tools("claude_3", model), table.for_chat("claude_3", model)
    assert least <= tools.preamble <= most
    assert tools.preamble < tools.forced <= tools.preamble + 100
    assert 44 <= costs.call + costs.result <= 51


def test_that_the_instructions_of_an_open_model_s_server_are_charged() -> None:
    costs = load_overheads().for_chat("o200k", "openai/gpt-oss-120b")
    assert costs.request >= 60
    assert costs.method is Method.ESTIMATE


def test_that_tool_definitions_are_estimates_in_every_family() -> None:
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
