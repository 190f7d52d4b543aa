"""What is tried on an agent: parts that come and go, and settings that others change meanwhile."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from inspector.domain.agents import Agent, AgentStatus, ContextConfig
from inspector.domain.limits import Hysteresis, LimitOverrides
from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf

NOW = datetime(2026, 11, 23, tzinfo=UTC)
CONFIG = ContextConfig(limits=LimitOverrides(memory_tokens=3_000, history_tokens=5_000))
ADA = Agent(
    "agt_ada", "Ada", "", (), "openai", "gpt-5-mini", "{}", CONFIG, (), AgentStatus.ACTIVE, "{}", NOW, NOW
)
NOTES = Ref(RefKind.BLOCK, "blk_notes")


def with_limits(config: ContextConfig, **given: Any) -> ContextConfig:
    return replace(config, limits=replace(config.limits, **given))


def test_that_nothing_tried_is_the_agent_as_it_is() -> None:
    assert WhatIf().agent_with(ADA) == ADA


def test_that_the_agents_own_settings_are_no_trial() -> None:
    tried = WhatIf().with_model(ADA, "gpt-5").with_layout(ADA, "xml")
    tried = tried.with_config(ADA, with_limits(CONFIG, history_tokens=1))
    back = tried.with_model(ADA, "gpt-5-mini").with_layout(ADA, "standard").with_config(ADA, CONFIG)
    assert back == WhatIf()


def test_that_only_what_is_tried_takes_the_place_of_what_others_set_meanwhile() -> None:
    tried = WhatIf().with_config(ADA, with_limits(CONFIG, history_tokens=1))
    theirs = replace(with_limits(CONFIG, memory_tokens=9), max_messages_cap=7, strategy=Hysteresis())
    found = tried.config_over(theirs)
    assert found == with_limits(theirs, history_tokens=1)


def test_that_a_limit_can_be_tried_without() -> None:
    tried = WhatIf().with_config(ADA, with_limits(CONFIG, memory_tokens=None))
    assert tried.agent_with(ADA).config.limits.memory_tokens is None


def test_that_a_layout_and_settings_go_together() -> None:
    tried = WhatIf().with_layout(ADA, "xml").with_config(ADA, with_limits(CONFIG, history_tokens=1))
    config = tried.agent_with(ADA).config
    assert (config.layout, config.limits.history_tokens) == ("xml", 1)


def test_that_left_out_and_put_in_take_each_other_back() -> None:
    out = WhatIf().with_left_out(NOTES)
    assert out.with_put_in(NOTES) == WhatIf()
    put_in = WhatIf().with_put_in(NOTES)
    assert put_in.with_left_out(NOTES) == out


def test_that_a_thing_can_be_taken_out_with_all_that_is_tried_on_it() -> None:
    tried = WhatIf().with_text(NOTES, "x").with_left_out(NOTES)
    assert tried.without_ref(NOTES) == WhatIf()
    assert tried.without_text(NOTES) == WhatIf(dropped=frozenset({NOTES}))


def test_that_a_provider_is_named_only_where_it_is_another() -> None:
    assert WhatIf().with_model(ADA, "gpt-5", "openai") == WhatIf(model="gpt-5")
    assert WhatIf().with_model(ADA, "claude", "anthropic").agent_with(ADA).provider == "anthropic"
