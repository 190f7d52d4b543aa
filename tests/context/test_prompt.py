import pytest

from inspector.context.prompt import SystemPromptBuilder
from inspector.domain.agents import ToolRule, ToolRuleKind
from inspector.domain.blocks import (
    PARTNER_PROFILE,
    CompositeSchema,
    ListSchema,
    LogSchema,
    Permission,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.errors import InputError, NotFoundError
from inspector.domain.layouts import Layout, SectionLayout, Wrapper
from tests.context.builders import a_block, a_snapshot, a_spec, a_tool, a_turn, an_agent, shared


def test_that_a_prompt_is_made_without_a_file() -> None:
    rule = ToolRule("r1", "", "find", ToolRuleKind.EXIT)
    prompt = (
        SystemPromptBuilder()
        .persona("I am Ada.")
        .add_instruction("Be brief.")
        .add_instruction("Be kind.")
        .add_tool(a_tool("find"), rule)
        .add_schema_hint("partner", PARTNER_PROFILE)
        .add_section("House rules", "No shoes.")
        .build()
    )
    assert prompt is not None
    assert prompt.startswith(
        "# Persona\n\nI am Ada.\n\n---\n\n# Instructions\n\nBe brief.\n\nBe kind.\n\n---\n\n"
    )
    assert "# Memory Block Types\n- `partner`: map; fields name (text, required)" in prompt
    assert "## find\n\nFinds things.\n\n**Parameters:**\n- `q`: what (required)\n\n**Rules:**" in prompt
    assert prompt.endswith("# House rules\n\nNo shoes.")


def test_that_a_prompt_of_nothing_is_none() -> None:
    assert SystemPromptBuilder().build() is None


@pytest.mark.parametrize(
    "schema",
    [
        TextSchema(),
        ListSchema(),
        LogSchema(),
        TreeSchema(),
        PARTNER_PROFILE,
        CompositeSchema((SectionDef("a", TextSchema()), SectionDef("b", ListSchema()))),
    ],
)
def test_that_every_schema_has_its_hint_and_no_block_beside_it(schema: object) -> None:
    prompt = SystemPromptBuilder().add_schema_hint("notes", schema, Permission.READ_ONLY).build()  # type: ignore[arg-type]
    assert prompt is not None
    assert prompt.startswith("# Memory Block Types\n- `notes`: ")
    assert len(prompt.splitlines()) == 2
    assert prompt.endswith("none, read-only")


def test_that_a_prompt_can_begin_with_an_agent_s_context() -> None:
    snapshot = a_snapshot(
        a_block("persona", "I like tea."),
        shared=(shared(a_block("plan", "his")),),
        history=(a_turn(1, "not in it"),),
        tools=(a_tool("find"),),
        agent=an_agent(tools=("find",)),
    )
    prompt = SystemPromptBuilder.from_context(snapshot, a_spec()).add_instruction("More.").build()
    assert prompt is not None
    assert "<persona>\nI like tea.\n</persona>" in prompt
    assert "his" in prompt
    assert "Be brief.\n\nMore." in prompt
    assert "Finds things." in prompt
    assert "not in it" not in prompt
    late = SystemPromptBuilder.from_context(snapshot, a_spec(layout="cache_friendly")).build()
    assert late is not None
    assert late.index("I like tea.") < late.index("his")


def test_that_nothing_is_left_out_of_a_prompt_for_its_size() -> None:
    blocks = [a_block(f"b{at}", "some words " * 3_000) for at in range(20)]
    prompt = SystemPromptBuilder.from_context(a_snapshot(*blocks), a_spec()).build()
    assert prompt is not None
    assert prompt.count("some words") == 60_000


def test_that_a_prompt_takes_a_layout_of_the_program_s_own() -> None:
    own = Layout("own", "", "\n\n", Wrapper.ELEMENT, (SectionLayout("persona", element="who"),))
    assert SystemPromptBuilder(own).persona("a</who>b").build() == "<who>\na&lt;/who>b\n</who>"
    with pytest.raises(NotFoundError):
        SystemPromptBuilder("nope").persona("x").build()


def test_that_a_tool_is_added_once() -> None:
    with pytest.raises(InputError) as caught:
        SystemPromptBuilder().add_tool(a_tool("find")).add_tool(a_tool("find"))
    assert caught.value.code == "input.tool_twice"
