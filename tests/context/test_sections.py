import json
from dataclasses import replace

import pytest

from inspector.context.builder import ContextBuilder
from inspector.context.markup import starts_legally
from inspector.domain.agents import ContextConfig, ToolRule, ToolRuleKind
from inspector.domain.blocks import OBSERVATION_LOG, PARTNER_PROFILE, ArchivalEntry, BlockType, Permission
from inspector.domain.content import LogContent, LogEntry, MapContent
from inspector.domain.counts import Method
from inspector.domain.errors import InputError, MalformedError, NotFoundError
from inspector.domain.layout_rules import check_layout
from inspector.domain.layouts import Layout, SectionLayout, Wrapper
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.rules import InRule, OutRule
from inspector.domain.snapshot import ExtraSection
from tests.context.builders import (
    LAYOUTS,
    MODELS,
    NOW,
    POOL,
    a_block,
    a_snapshot,
    a_spec,
    a_summary,
    a_tool,
    all_pieces,
    an_agent,
    an_event,
    build,
    codes,
    has_section,
    piece_ids,
    rows,
    shared,
    the_section,
    working,
)


def built_with(layout: Layout, *args: object, **changes: object) -> Request:
    builder = ContextBuilder(MODELS, {layout.name: layout}, POOL)
    return builder.build(a_snapshot(*args, **changes), a_spec(layout=layout.name))  # type: ignore[arg-type]


def own_layout(*sections: SectionLayout, **changes: object) -> Layout:
    return replace(Layout("own", "", "\n\n---\n\n", Wrapper.ELEMENT, sections), **changes)  # type: ignore[arg-type]


def test_that_a_request_of_nothing_is_a_reply_alone() -> None:
    request = build(a_snapshot(agent=an_agent(persona="", instructions=())))
    assert request.text == "=== reply ===\n"
    assert request.system is None
    assert request.tokens == 3


def test_that_instructions_stand_first_and_the_history_after_the_system_part() -> None:
    request = build(a_snapshot(a_block("persona")))
    assert request.text.startswith(
        "=== system ===\n# Persona\n\nI am Ada.\n\n---\n\n# Instructions\n\nBe brief.\n\n---\n\n# Memory State\n\n"
    )
    assert [section.name for section in request.sections] == ["instructions", "core", "reply"]


def test_that_a_group_heading_stands_once() -> None:
    request = build(a_snapshot(a_block("persona"), working("notes")))
    assert request.text.count("# Memory State") == 1
    only_working = build(a_snapshot(working("notes")))
    assert "# Memory State\n\n## Working Memory\n\n<notes>" in only_working.text


@pytest.mark.parametrize("text", [" leading", "/solidus", "\nnew line", "\u3000wide"])
def test_that_a_text_no_run_can_begin_with_is_enclosed_and_noted(text: str) -> None:
    request = build(a_snapshot(agent=an_agent(persona=text, instructions=(text,))))
    assert f"<persona>\n{text}\n</persona>" in request.text
    assert f"<instruction>\n{text}\n</instruction>" in request.text
    assert codes(request.adaptations) == ["enclosed_for_counting"] * 2


def test_that_a_blank_persona_prints_no_heading() -> None:
    assert "# Persona" not in build(a_snapshot(agent=an_agent(persona="  \n"))).text


def test_that_a_caller_adds_sections_and_instructions_for_one_build() -> None:
    request = build(
        a_snapshot(),
        extra_sections=(ExtraSection("House rules", "No shoes."), ExtraSection("Empty", " ")),
        extra_instructions=("Answer in French.",),
    )
    assert the_section(request, "House rules").text == "---\n\n# House rules\n\nNo shoes.\n\n"
    assert not has_section(request, "Empty")
    assert the_section(request, "additional").text.endswith(
        "# Additional Instructions\n\nAnswer in French.\n"
    )
    assert [piece.rule for piece in the_section(request, "House rules").pieces][-1] == InRule.EXTRA_SECTION


def test_that_a_caller_s_section_is_one_element_where_the_layout_s_are() -> None:
    added = (ExtraSection("House rules", "No </extra_section> <b>."), ExtraSection("tone", "Dry. </tone>"))
    request = build(a_snapshot(), extra_sections=added, layout="xml")
    assert "# House rules\n\n<extra_section>\nNo &lt;/extra_section> <b>.\n</extra_section>" in request.text
    assert "<tone>\nDry. &lt;/tone>\n</tone>" in request.text


@pytest.mark.parametrize("name", ["", "  ", "core", "messages", "tools", "reply", "persona"])
def test_that_a_section_of_the_caller_needs_a_name_of_its_own(name: str) -> None:
    with pytest.raises(InputError):
        build(a_snapshot(), extra_sections=(ExtraSection(name, "x"),))
    with pytest.raises(InputError):
        build(a_snapshot(), extra_sections=(ExtraSection("a", "x"), ExtraSection("a", "y")))


def test_that_tools_are_sent_as_sorted_compact_json_in_the_agent_s_order() -> None:
    tools = (a_tool("tell", description="Tells “it”."), a_tool("find"))
    request = build(a_snapshot(tools=tools, agent=an_agent(tools=("find", "tell"))))
    section = the_section(request, "tools")
    assert [piece.id for piece in section.pieces] == ["literal:tools/frame", "tool:find", "tool:tell"]
    text = section.pieces[2].runs[0].text
    parameters = json.loads(tools[0].parameters)
    assert text == json.dumps(
        {"description": "Tells “it”.", "name": "tell", "parameters": parameters},
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
    )
    assert section.method is Method.ESTIMATE
    assert section.tokens > 12
    assert request.tools == ("find", "tell")


def test_that_a_tool_that_is_missing_or_broken_is_a_problem() -> None:
    broken = a_tool("broken", parameters="[")
    agent = an_agent(tools=("gone", "broken"))
    request = build(a_snapshot(tools=(broken,), agent=agent), extra_tools=(a_tool("broken"),))
    assert codes(request.problems) == ["tool_missing", "tool_twice", "tool_parameters_unreadable"]
    assert request.tools == ("broken",)


def test_that_a_tool_with_choices_and_deep_schemas_costs_more() -> None:
    plain = build(a_snapshot(), extra_tools=(a_tool(),))
    schema = {
        "type": "object",
        "properties": {"q": {"type": "string", "enum": ["one", "two"], "minLength": 3}},
    }
    richer = build(a_snapshot(), extra_tools=(a_tool(parameters=json.dumps(schema)),))
    odd = build(a_snapshot(), extra_tools=(a_tool(parameters='{"properties": {"q": true}}'),))
    assert the_section(richer, "tools").tokens > the_section(plain, "tools").tokens
    assert the_section(odd, "tools").tokens > 0


def test_that_only_rules_and_examples_of_tools_stand_in_the_system_text() -> None:
    rules = (
        ToolRule("r1", "agent_ada", "find", ToolRuleKind.MAX_CALLS, '{"limit": 3}'),
        ToolRule(
            "r2", "agent_ada", "find", ToolRuleKind.REQUIRES_PRECEDING, '{"preceding": ["look", "see"]}'
        ),
        ToolRule("r3", "agent_ada", "find", ToolRuleKind.COOLDOWN, '{"seconds": 60}'),
        ToolRule("r4", "agent_ada", "tell", ToolRuleKind.EXIT, "["),
    )
    tools = (a_tool("find", examples=("find(q='tea')",)), a_tool("tell"), a_tool("bare"))
    agent = an_agent(tools=("find", "tell", "bare"))
    request = build(a_snapshot(tools=tools, tool_rules=rules, agent=agent))
    assert the_section(request, "tool_rules").text == (
        "---\n\n# Available Tools\n\n## find\n\n**Rules:**\n"
        "- Call it at most 3 times a turn.\n- Call it only after look, see.\n- Wait 60 seconds between calls.\n\n"
        "**Examples:**\n- find(q='tea')\n\n"
        "## tell\n\n**Rules:**\n- It ends the turn.\n"
    )
    assert "Finds things." not in (request.system or "")
    plain = build(a_snapshot(tools=tools[1:], agent=an_agent(tools=("tell", "bare"))))
    assert not has_section(plain, "tool_rules")


def test_that_hints_tell_each_block_s_shape_and_what_the_agent_may_do() -> None:
    entry = LogEntry("e", "2026-11-20T10:00:00Z", "Ada", {"observation": "x"})
    blocks = (
        a_block("partner", MapContent({"name": "Eve"}), schema=PARTNER_PROFILE),
        a_block("seen", LogContent((entry,)), block_type=BlockType.LOG, schema=OBSERVATION_LOG),
        a_block("fixed", permission=Permission.READ_ONLY),
        a_block("asked", permission=Permission.PARTNER),
        a_block("facts", block_type=BlockType.ARCHIVAL),
    )
    snapshot = a_snapshot(*blocks, shared=(shared(a_block("plan")),))
    request = build(snapshot, include_schemas=True)
    lines = the_section(request, "hints").text.splitlines()
    found = {line.split("`")[1]: line for line in lines if line.startswith("- `")}
    assert "name (text, required)" in found["partner"]
    assert "the newest 20 entries shown, full history kept for search" in found["seen"]
    assert found["fixed"].endswith("operations: none, read-only")
    assert "append_text (asks)" in found["asked"]
    assert found["plan"].endswith("operations: none, read-only")
    assert "facts" not in found
    assert not has_section(build(snapshot), "hints")


def test_that_retrieved_memories_are_enclosed_and_cannot_break_out() -> None:
    entry = ArchivalEntry("arc_1", "agent_ada", "a</retrieved_memory>b", ("x", "y"), "{}", NOW, NOW)
    request = build(a_snapshot(), retrieved=(entry, entry, replace(entry, id="arc_2", content=" ")))
    expected = '<retrieved_memory id="arc_1" tags="x, y">\na&lt;/retrieved_memory>b\n</retrieved_memory>'
    assert request.text.count(expected) == 1
    assert codes(request.adaptations) == ["closing_tag_escaped"]


def test_that_the_xml_layout_makes_each_section_one_element_that_content_cannot_close() -> None:
    agent = an_agent(persona="a</agent_persona>b")
    request = build(a_snapshot(a_block("core_memory", "x</core_memory>y"), agent=agent), layout="xml")
    assert "<agent_persona>\na&lt;/agent_persona>b\n</agent_persona>" in request.text
    assert (
        '<core_memory>\n<block label="core_memory">\nx&lt;/core_memory>y\n</block>\n</core_memory>'
        in request.text
    )


def test_that_what_a_layout_has_no_section_for_is_left_out_by_name() -> None:
    request = build(
        a_snapshot(events=(an_event(1),), tools=(a_tool(examples=("x",)),), agent=an_agent(tools=("find",))),
        layout="minimal",
    )
    out = rows(request, OutRule.NOT_IN_LAYOUT)
    assert [row.source.kind for row in out] == ["tool", "event"]
    assert all(row.fix is not None and row.fix.value == "standard" for row in out)
    rules = out[0]
    assert rules.source.label == "Rules and examples of find"
    assert (rules.ref, rules.source.ref) == (Ref(RefKind.TOOL_RULE, "find"), Ref(RefKind.TOOL, "find"))
    assert "tool:find" in piece_ids(request)


def test_that_a_layout_without_instructions_says_what_it_leaves_out() -> None:
    layout = own_layout(SectionLayout("core"))
    request = built_with(layout, a_block("persona"), working("notes"), summaries=(a_summary("old", 1, 5),))
    assert {row.source.label for row in rows(request, OutRule.NOT_IN_LAYOUT)} == {
        "persona",
        "instruction 1",
        "notes",
        "old",
    }
    assert request.text == "=== system ===\n<persona>\ntext\n</persona>\n=== reply ===\n"


def test_that_a_layout_may_have_sections_of_its_own() -> None:
    layout = own_layout(
        SectionLayout("motto", "# Motto", text="Slow is smooth."),
        SectionLayout("picked", "# Picked", blocks=("notes", "persona")),
        SectionLayout("core"),
    )
    request = built_with(layout, a_block("persona", "p"), working("notes", "n"), a_block("human", "h"))
    assert [section.name for section in request.sections] == ["motto", "picked", "core", "reply"]
    assert {piece.rule for piece in the_section(request, "picked").pieces} == {
        InRule.CUSTOM_SECTION,
        InRule.HEADING,
        InRule.JOIN,
    }


def test_that_a_bare_wrapper_prints_blocks_as_they_are_where_a_run_may_begin() -> None:
    layout = own_layout(SectionLayout("core"), wrapper=Wrapper.NONE)
    request = built_with(
        layout, a_block("one", "first\n\n"), a_block("two", " second"), a_block("three", "/third")
    )
    assert request.system == "first\n\n<two>\n second\n</two>\n\n<three>\n/third\n</three>"
    assert codes(request.adaptations) == ["enclosed_for_counting"] * 2


def test_that_a_section_s_maximum_holds() -> None:
    layout = own_layout(SectionLayout("working", maximum=40))
    blocks = [working(f"w{at}", "word " * 10, minutes=at) for at in range(5)]
    request = built_with(layout, *blocks)
    assert the_section(request, "working").tokens <= 44
    assert rows(request, OutRule.SECTION_FULL)


def test_that_what_a_layout_asks_in_vain_is_a_problem() -> None:
    request = built_with(own_layout(SectionLayout("core", minimum=100)))
    assert codes(request.problems) == ["layout_bound_in_vain"]
    assert not built_with(own_layout(SectionLayout("working", minimum=100, maximum=200))).problems


@pytest.mark.parametrize(
    "layout",
    [
        own_layout(SectionLayout("core", heading=" # Core")),
        own_layout(SectionLayout("core", heading="/core")),
        own_layout(SectionLayout("core", group="# Memory\n")),
        own_layout(SectionLayout("core", element="a b")),
        own_layout(SectionLayout("core"), SectionLayout("core")),
        own_layout(SectionLayout("mine")),
        own_layout(SectionLayout("reply", text="x")),
        own_layout(SectionLayout("core"), join="---"),
        own_layout(SectionLayout("core"), join="\n /\n"),
        own_layout(SectionLayout("core"), join="\n---"),
        own_layout(SectionLayout("persona"), SectionLayout("core"), SectionLayout("instructions")),
        own_layout(SectionLayout("working", minimum=20, maximum=10)),
        own_layout(SectionLayout("working", minimum=-1)),
        own_layout(SectionLayout("working", share=0.0)),
        own_layout(SectionLayout("mine", text="x", blocks=("notes",))),
        own_layout(SectionLayout("core"), strategy="guess"),
    ],
)
def test_that_a_layout_whose_pieces_would_not_add_up_is_refused(layout: Layout) -> None:
    with pytest.raises(MalformedError) as caught:
        built_with(layout)
    assert caught.value.code == "malformed.layout"


def test_that_the_shipped_layouts_are_sound() -> None:
    assert set(LAYOUTS) == {"standard", "xml", "minimal", "cache_friendly"}
    for layout in LAYOUTS.values():
        check_layout(layout)
        assert starts_legally(layout.join.strip("\n") or "x")


def test_that_an_unknown_layout_names_those_there_are() -> None:
    agent = an_agent(config=ContextConfig(layout="nope"))
    with pytest.raises(NotFoundError) as caught:
        build(a_snapshot(agent=agent))
    assert caught.value.parameters["candidates"] == ("cache_friendly", "minimal", "standard", "xml")


def test_that_ids_of_pieces_are_stable_and_unique() -> None:
    request = build(a_snapshot(a_block("persona"), working("notes")))
    assert piece_ids(request) == [
        "literal:system/frame",
        "literal:persona/heading",
        "literal:persona",
        "literal:instructions/join",
        "literal:instructions/heading",
        "literal:instructions/0",
        "literal:core/join",
        "literal:core/group",
        "literal:core/heading",
        "block:blk_persona",
        "literal:working/heading",
        "block:blk_notes",
        "literal:reply",
    ]
    assert all(piece.text for piece in all_pieces(request))


def test_that_a_template_and_a_closed_group_stand_in_place_of_the_wrapper() -> None:
    memory = SectionLayout("core", group="<memory>", group_end="</memory>", blocks=("notes", "human"))
    layout = own_layout(
        memory,
        replace(memory, name="working", blocks=()),
        SectionLayout("activity"),
        join="\n",
        block="<{label}>\n- read_only={read_only}\n- {length}\n{value}\n</{label}>",
        line="{number}: {line}",
        gap="\n",
        empty_blocks=True,
    )
    blocks = (a_block("human", "one\n{number}"), a_block("notes", "</notes> {label}"), working("later", ""))
    request = built_with(layout, *blocks)
    shown = (
        "<memory>\n<notes>\n- 16\n1: &lt;/notes> {label}\n</notes>\n<human>\n- 12\n1: one\n2: {number}\n</human>\n"
        "<later>\n- 0\n</later>\n\n</memory>"
    )
    assert request.system == shown
    assert [each.code for each in request.adaptations] == ["closing_tag_escaped"]
