from datetime import datetime

import pytest

from inspector.context.plan import resolve_limits
from inspector.domain.errors import InputError, MalformedError
from inspector.domain.limits import LARGE, SMALL, LimitOverrides, Limits
from tests.context.builders import MODELS, NOW, a_snapshot, an_agent, build, codes

NONE = LimitOverrides()


def limits(
    model: str, agent: LimitOverrides = NONE, spec: LimitOverrides | None = None, provider: str = "x"
) -> Limits:
    return resolve_limits(MODELS.resolve(model), agent, spec, provider=provider)


def test_that_a_known_model_has_its_own_window_and_the_large_caps() -> None:
    assert limits("gpt-4o") == Limits(128_000, LARGE.memory_tokens, LARGE.history_tokens, 8_000)


def test_that_a_preset_bounds_the_window_too() -> None:
    assert limits("claude-opus-5-5", LimitOverrides(preset="large")).max_tokens == 200_000
    assert limits("gpt-4o", LimitOverrides(preset="small")) == Limits(
        128_000, 6_000, 40_000, SMALL.reserved_response_tokens
    )


def test_that_a_small_window_keeps_room_beside_the_reserve() -> None:
    assert limits("gpt-4").reserved_response_tokens == 2048
    assert limits("gpt-4").usable == 6144


def test_that_what_is_set_goes_before_what_is_known_and_a_what_if_before_both() -> None:
    agent = LimitOverrides(max_tokens=50_000, memory_tokens=10)
    found = limits(
        "gpt-4o", agent, LimitOverrides(memory_tokens=20, history_tokens=30, reserved_response_tokens=40)
    )
    assert found == Limits(50_000, 20, 30, 40)


@pytest.mark.parametrize(
    ("provider", "window"), [("ollama", 32_000), ("openai_compatible", 32_000), ("x", 200_000)]
)
def test_that_an_unknown_model_s_window_is_assumed(provider: str, window: int) -> None:
    assert limits("no-such-model", provider=provider).max_tokens == window


def test_that_a_known_model_without_a_known_window_says_so() -> None:
    request = build(a_snapshot(agent=an_agent(model="qwen3:8b")))
    assert request.limits.max_tokens == 32_000
    [problem] = request.problems
    assert problem.code == "assumed_window"
    assert problem.parameters["max_tokens"] == 32_000
    assert not build(a_snapshot(agent=an_agent(model="qwen3:8b")), window=40_000).problems


def test_that_a_reserve_larger_than_the_window_leaves_nothing() -> None:
    assert limits("x", LimitOverrides(max_tokens=10, reserved_response_tokens=20)).usable == 0


@pytest.mark.parametrize("model", ["no-such-model", "gpt-6"])
def test_that_an_unknown_model_is_a_problem_and_an_estimate(model: str) -> None:
    request = build(a_snapshot(agent=an_agent(model=model)))
    assert codes(request.problems) == ["unknown_model"]
    assert request.method == "estimate"


def test_that_a_what_if_may_name_another_model() -> None:
    request = build(a_snapshot(), model="claude-sonnet-4-5")
    assert (request.model, request.tokenizer.name) == ("claude-sonnet-4-5", "claude_3")


@pytest.mark.parametrize("zone", ["Nowhere/Land", "../../etc/passwd", "", "/etc/localtime"])
def test_that_a_zone_that_is_none_is_an_error(zone: str) -> None:
    with pytest.raises(InputError) as caught:
        build(a_snapshot(), zone=zone)
    assert caught.value.code == "input.unknown_zone"


def test_that_a_moment_needs_a_zone() -> None:
    with pytest.raises(MalformedError):
        build(a_snapshot(), now=datetime(2026, 1, 1))  # noqa: DTZ001  what is refused


def test_that_the_request_tells_moment_and_zone() -> None:
    request = build(a_snapshot(), zone="Asia/Kolkata")
    assert (request.now, request.zone) == (NOW.isoformat(), "Asia/Kolkata")


def test_that_the_part_of_the_window_that_no_section_can_use_is_told() -> None:
    request = build(a_snapshot())
    assert request.unreachable_tokens == 120_000 - 12_000 - 80_000 - request.tokens
    assert build(a_snapshot(), memory=60_000, history=60_000).unreachable_tokens == 0
