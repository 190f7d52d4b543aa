"""A change of an agent's settings, laid over what others have made of the agent since it began."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.agent_settings import clashes, configuration, configured
from inspector.domain.agents import Agent, AgentStatus, ContextConfig
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.edits.base import Operation
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.limits import Hysteresis, LimitOverrides, Truncate

NOW = datetime(2026, 11, 1, tzinfo=UTC)
BASE = Agent(
    "agt",
    "Ada",
    "I",
    ("one", "two"),
    "openai",
    "m",
    "{}",
    ContextConfig(),
    ("a", "b"),
    AgentStatus.ACTIVE,
    "{}",
    NOW,
    NOW,
)

limits = st.builds(
    LimitOverrides,
    memory_tokens=st.sampled_from((None, 1, 2)),
    history_tokens=st.sampled_from((None, 1, 2)),
)
strategies_ = st.sampled_from((Truncate(), Truncate(5), Hysteresis(), Hysteresis(low=0.2)))
configs = st.builds(ContextConfig, limits=limits, strategy=strategies_)
agents = st.builds(
    lambda **given: replace(BASE, **given),
    persona=st.sampled_from(("I", "You")),
    config=configs,
    tools=st.lists(st.sampled_from("abcd"), unique=True).map(tuple),
    metadata=st.sampled_from(("{}", '{"k": 1}', '{"k": 2, "l": 3}')),
)


@given(agents, agents)
def test_that_a_change_gives_what_was_wanted_where_nobody_else_wrote(stored: Agent, wanted: Agent) -> None:
    operation = configuration(stored, wanted)
    assert (operation is None) == (stored == wanted)
    if operation is not None:
        assert configured(stored, operation) == wanted
        assert clashes(stored, operation) == ()
        # Once it is saved, it changes nothing any more.
        assert configured(wanted, operation) == wanted


@given(agents, agents, agents)
def test_that_what_only_one_side_changed_stays(stored: Agent, mine: Agent, theirs: Agent) -> None:
    operation = configuration(stored, mine)
    result = theirs if operation is None else configured(theirs, operation)
    assert result.persona == one_sided(stored.persona, mine.persona, theirs.persona)
    caps = (agent.config.limits.memory_tokens for agent in (stored, mine, theirs))
    assert result.config.limits.memory_tokens == one_sided(*caps)
    for tool in "abcd":
        offered = (tool in agent.tools for agent in (stored, mine, theirs))
        assert (tool in result.tools) == one_sided(*offered)


def one_sided(was: object, mine: object, theirs: object) -> object:
    """What a setting becomes: one's own value if it is another than before, else theirs."""
    return theirs if mine == was else mine


@given(agents, agents)
def test_that_a_change_is_read_as_it_was_written(stored: Agent, wanted: Agent) -> None:
    operation = configuration(stored, wanted)
    if operation is not None:
        assert from_plain(Operation, to_plain(operation)) == operation


def test_that_clashes_are_named_down_to_the_single_setting() -> None:
    mine = replace(BASE, persona="A", config=ContextConfig(limits=LimitOverrides(memory_tokens=1)))
    theirs = replace(BASE, persona="B", config=ContextConfig(limits=LimitOverrides(memory_tokens=2)))
    operation = configuration(BASE, mine)
    assert operation is not None
    assert clashes(theirs, operation) == ("persona", "config.limits.memory_tokens")


def test_that_another_strategy_on_both_sides_is_one_clash() -> None:
    mine = replace(BASE, config=ContextConfig(strategy=Hysteresis()))
    theirs = replace(BASE, config=ContextConfig(strategy=Truncate(5)))
    operation = configuration(BASE, mine)
    assert operation is not None
    assert clashes(theirs, operation) == ("config.strategy",)
    assert configured(theirs, operation).config.strategy == Hysteresis()


def test_that_a_change_without_a_base_writes_all_that_it_names() -> None:
    operation = ConfigureAgent(config=ContextConfig(layout="xml"))
    theirs = replace(BASE, config=ContextConfig(limits=LimitOverrides(memory_tokens=2)))
    assert configured(theirs, operation).config == ContextConfig(layout="xml")
