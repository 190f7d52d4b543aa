from dataclasses import replace
from typing import Any

import pytest

from inspector.context.builder import ContextBuilder
from inspector.domain.agents import ContextConfig
from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent, ListItem
from inspector.domain.errors import BudgetError
from inspector.domain.layouts import Layout, SectionLayout, Share, Wrapper
from inspector.domain.limits import Hysteresis, LimitOverrides, Truncate
from inspector.domain.requests import Request
from inspector.domain.rules import OutRule
from inspector.domain.snapshot import Snapshot
from tests.context.builders import (
    MODELS,
    POOL,
    a_block,
    a_snapshot,
    a_spec,
    a_tool,
    a_turn,
    all_pieces,
    an_agent,
    an_event,
    build,
    has_section,
    piece_ids,
    rows,
    shared,
    the_section,
    working,
)

LINES = "".join(f"line {number} of some notes that go on\n" for number in range(80))


def built_with(layout: Layout, snapshot: Snapshot, **limits: Any) -> Request:
    builder = ContextBuilder(MODELS, {layout.name: layout}, POOL)
    return builder.build(snapshot, a_spec(layout=layout.name, limits=LimitOverrides(**limits)))


def own_layout(*sections: SectionLayout, **changes: object) -> Layout:
    return replace(Layout("own", "", "\n\n---\n\n", Wrapper.ELEMENT, sections), **changes)  # type: ignore[arg-type]


def tokens(request: Request, name: str) -> int:
    return the_section(request, name).tokens if has_section(request, name) else 0


def memory(request: Request) -> int:
    return sum(tokens(request, name) for name in ("core", "working", "log", "shared"))


def test_that_a_text_too_long_is_shown_through_a_window_and_the_rest_is_told() -> None:
    request = build(a_snapshot(working("notes", LINES)), memory=300)
    piece = next(piece for piece in all_pieces(request) if piece.id == "block:blk_notes")
    assert "[Showing lines 1-20 of 80]\nline 0 of" in piece.text
    assert (piece.parameters["lines"], piece.parameters["of"]) == (20, 80)
    [row] = rows(request, OutRule.SHORTENED)
    assert row.source.label == "notes: 60 more lines"
    assert (row.parameters["shown"], row.parameters["count"]) == (20, 60)
    assert row.fix is not None
    assert row.fix.action == "raise_memory_tokens"
    whole = build(a_snapshot(working("notes", LINES)), memory=row.fix.value)
    assert LINES.strip() in whole.text
    assert not whole.left_out


def test_that_a_list_too_long_is_shown_by_its_first_lines() -> None:
    items = tuple(ListItem(f"i{at}", f"a thing to do, number {at}, which takes a while") for at in range(40))
    block = working("tasks", ListContent(items), schema=ListSchema())
    request = build(a_snapshot(block), memory=120)
    piece = next(piece for piece in all_pieces(request) if piece.id == "block:blk_tasks")
    assert "\n1. a thing to do" in piece.text
    assert piece.text.startswith("<tasks>\n[Showing lines 1-")
    assert all(
        piece.text[mark.start : mark.end].startswith(str(int(mark.name[1:]) + 1)) for mark in piece.marks
    )


def test_that_where_room_is_scarce_each_shows_a_line_before_one_shows_all() -> None:
    blocks = [working(f"w{at}", LINES.replace("notes", f"notes {at}"), minutes=at) for at in range(4)]
    request = build(a_snapshot(*blocks), memory=250)
    assert {f"block:blk_w{at}" for at in range(4)} <= set(piece_ids(request))
    assert memory(request) <= 250


def test_that_a_near_copy_of_another_gives_way_to_something_new() -> None:
    text = "\n".join(f"the {number}th thing that was learnt about the garden" for number in range(12))
    other = "\n".join(f"a word about the weather, the {number}th one this week" for number in range(12))
    blocks = [
        working("first", text, minutes=1),
        working("copy", text + "\n", minutes=2),
        working("new", other, minutes=60),
    ]
    need = build(a_snapshot(blocks[0], blocks[2])).tokens - build(a_snapshot()).tokens
    request = build(a_snapshot(*blocks), memory=need)
    shown = {piece.id: piece.parameters for piece in all_pieces(request) if piece.id.startswith("block:")}
    assert "lines" not in shown["block:blk_first"]
    assert "lines" not in shown["block:blk_new"]


def test_that_a_section_s_reserve_is_kept_from_those_that_come_before_it() -> None:
    blocks = [working(f"w{at}", "some words", minutes=at) for at in range(80)]
    log = shared(working("plan", "what we shall do " * 10))
    plain = own_layout(SectionLayout("working", priority=9), SectionLayout("shared"))
    kept = own_layout(SectionLayout("working", priority=9), SectionLayout("shared", minimum=80))
    snapshot = a_snapshot(*blocks, shared=(log,))
    assert tokens(built_with(plain, snapshot, memory_tokens=500), "shared") == 0
    request = built_with(kept, snapshot, memory_tokens=500)
    assert tokens(request, "shared") > 40
    assert memory(request) <= 500


def test_that_sections_of_one_priority_share_by_weight() -> None:
    mine = [working(f"w{at}", "some words " * 10, minutes=at) for at in range(40)]
    theirs = tuple(shared(working(f"s{at}", "other words " * 10)) for at in range(40))
    layout = own_layout(SectionLayout("working", share=3.0), SectionLayout("shared", share=1.0))
    request = built_with(layout, a_snapshot(*mine, shared=theirs), memory_tokens=1_000)
    assert 2.2 < tokens(request, "working") / tokens(request, "shared") < 4
    assert 950 < memory(request) <= 1_000


def test_that_a_section_that_does_not_grow_leaves_room_unused() -> None:
    mine = [working(f"w{at}", "some words " * 10, minutes=at) for at in range(40)]
    theirs = (shared(a_block("plan")),)
    still = own_layout(SectionLayout("working", grow=False), SectionLayout("shared"))
    request = built_with(still, a_snapshot(*mine, shared=theirs), memory_tokens=1_000)
    assert 400 < tokens(request, "working") <= 500
    assert rows(request, OutRule.SECTION_FULL)


def test_that_what_a_section_keeps_together_goes_in_whole_or_stays_out() -> None:
    blocks = [working(name, "word " * 60, minutes=at) for at, name in enumerate(("one", "two", "other"))]
    pair = SectionLayout("pair", "# Pair", blocks=("one", "two"), together=True)
    sections = (SectionLayout("core"), SectionLayout("working"), pair)
    snapshot = a_snapshot(*blocks)
    parted = replace(pair, together=False)
    usual = built_with(own_layout(*sections[:2], parted), snapshot, memory_tokens=150)
    assert {"block:blk_one", "block:blk_two"} & set(piece_ids(usual))
    assert usual.left_out
    request = built_with(own_layout(*sections), snapshot, memory_tokens=150)
    assert [each for each in piece_ids(request) if each.startswith("block:")] == ["block:blk_other"]
    out = rows(request, OutRule.TOGETHER) + rows(request, OutRule.MEMORY_FULL)
    assert {row.source.id for row in out} == {"blk_one", "blk_two"}
    [value] = {row.fix.value for row in out if row.fix}
    assert isinstance(value, int)
    assert 150 < value < 260
    enough = built_with(own_layout(*sections), snapshot, memory_tokens=value)
    assert {"block:blk_one", "block:blk_two"} <= set(piece_ids(enough))
    for room in range(0, 300, 7):
        some = set(piece_ids(built_with(own_layout(*sections), snapshot, memory_tokens=room)))
        assert len({"block:blk_one", "block:blk_two"} & some) in (0, 2)


def test_that_what_a_section_keeps_together_cannot_be_less_than_what_must_be_in() -> None:
    blocks = (a_block("one", "word " * 60), working("two", "word " * 60), working("three", "word " * 60))
    entry = SectionLayout("all", blocks=("one", "two", "three"), together=True)
    found = built_with(own_layout(entry), a_snapshot(*blocks), memory_tokens=160)
    assert [each for each in piece_ids(found) if each.startswith("block:")] == ["block:blk_one"]


def test_that_reserves_larger_than_the_window_are_an_error_that_names_them() -> None:
    layout = own_layout(
        SectionLayout("working", minimum=300),
        SectionLayout("messages", minimum=300),
        SectionLayout("activity"),
    )
    history = tuple(a_turn(at, "said and done " * 20) for at in range(1, 9))
    snapshot = a_snapshot(working("w", "some words " * 200), history=history)
    with pytest.raises(BudgetError) as caught:
        built_with(layout, snapshot, max_tokens=500, reserved_response_tokens=0)
    told = caught.value.parameters
    assert caught.value.code == "budget.reserves_do_not_fit"
    assert told["sections"] == ("working", "messages")
    assert told["needed"] == 600
    assert isinstance(told["available"], int)
    assert told["available"] < 500


def test_that_a_layout_keeps_room_for_the_history() -> None:
    history = tuple(a_turn(at, "said and done " * 10) for at in range(1, 30))
    blocks = [working(f"w{at}", "some words " * 30, minutes=at) for at in range(30)]
    snapshot = a_snapshot(*blocks, history=history)
    sections = (SectionLayout("persona"), SectionLayout("working"))
    greedy = built_with(own_layout(*sections), snapshot, max_tokens=1_200, reserved_response_tokens=0)
    kept = own_layout(*sections, SectionLayout("messages", minimum=500))
    request = built_with(kept, snapshot, max_tokens=1_200, reserved_response_tokens=0)
    assert tokens(greedy, "messages") < 200
    assert tokens(request, "messages") > 400
    assert request.tokens <= 1_200


def test_that_a_layout_may_give_memory_and_history_the_rest_of_the_window() -> None:
    rest = own_layout(SectionLayout("core"), SectionLayout("working"), memory=Share.REST, history=Share.REST)
    history = tuple(a_turn(at, "said and done " * 60) for at in range(1, 49))
    big = [working(f"w{at}", "some words " * 300, minutes=at) for at in range(40)]
    agent = an_agent(config=ContextConfig(strategy=Truncate(10_000), max_messages_cap=10_000))
    builder = ContextBuilder(MODELS, {"own": rest}, POOL)
    request = builder.build(a_snapshot(*big, history=history, agent=agent), a_spec(layout="own"))
    assert (request.limits.memory_tokens, request.limits.history_tokens) == (None, None)
    assert memory(request) > 12_000
    assert request.unreachable_tokens == 0
    capped = builder.build(
        a_snapshot(*big, history=history, agent=agent),
        a_spec(layout="own", limits=LimitOverrides(memory_tokens=5_000)),
    )
    assert memory(capped) <= 5_000


def test_that_the_cache_friendly_layout_brings_hysteresis_unless_another_was_chosen() -> None:
    assert build(a_snapshot(), layout="cache_friendly").strategy == "hysteresis"
    assert build(a_snapshot(), layout="standard").strategy == "truncate"
    chosen = an_agent(config=ContextConfig(strategy=Truncate(50), layout="cache_friendly"))
    assert build(a_snapshot(agent=chosen)).strategy == "truncate"
    assert build(a_snapshot(), layout="cache_friendly", strategy=Truncate(100)).strategy == "truncate"
    assert build(a_snapshot(), strategy=Hysteresis()).strategy == "hysteresis"


def test_that_what_stands_behind_the_history_is_a_message_of_its_own() -> None:
    snapshot = a_snapshot(
        a_block("persona"),
        shared=(shared(a_block("plan", "his")),),
        events=(an_event(1),),
        history=(a_turn(1),),
    )
    request = build(snapshot, layout="cache_friendly")
    names = [section.name for section in request.sections]
    assert names == ["instructions", "core", "messages", "shared", "activity", "reply"]
    assert request.tail_sections == ("shared", "activity")
    assert request.tail is not None
    assert request.tail.startswith("# Shared Context\n\n<plan")
    assert "his" not in (request.system or "")
    assert request.text.endswith(f"=== user ===\n{request.tail}\n=== reply ===\n")
    plain = build(a_snapshot(a_block("persona"), history=(a_turn(1),)), layout="cache_friendly")
    assert (plain.tail, plain.tail_sections) == (None, ())
    assert not plain.text.endswith("=== user ===\n=== reply ===\n")


def test_that_a_change_behind_the_history_leaves_everything_before_it_as_it_was() -> None:
    history = (a_turn(1), a_turn(2))
    before = build(
        a_snapshot(a_block("persona"), history=history, events=(an_event(1),)), layout="cache_friendly"
    )
    after = build(
        a_snapshot(a_block("persona"), history=(*history, a_turn(3)), events=(an_event(1), an_event(2))),
        layout="cache_friendly",
    )
    prefix = before.text[: before.text.index("=== user ===\n# Recent Activity")]
    assert after.text.startswith(prefix)


def test_that_tools_are_described_in_words_only_where_the_target_takes_none() -> None:
    tools = (a_tool("find", examples=("find(q='tea')",)), a_tool("bare", parameters="{}"))
    snapshot = a_snapshot(tools=tools, agent=an_agent(tools=("find", "bare")))
    request = build(snapshot, native_tools=False)
    assert not has_section(request, "tools")
    assert request.tools == ()
    assert the_section(request, "tool_rules").text.startswith(
        "---\n\n# Available Tools\n\n## find\n\nFinds things.\n\n**Parameters:**\n- `q`: what (required)\n\n"
        "**Examples:**\n- find(q='tea')\n\n## bare\n\nFinds things.\n"
    )
    assert "Finds things." not in (build(snapshot).system or "")


@pytest.mark.parametrize("room", range(0, 1_400, 100))
def test_that_memory_is_used_and_never_passed(room: int) -> None:
    blocks = [working(f"w{at}", LINES[: 100 + 173 * at], minutes=at, pinned=at % 5 == 0) for at in range(12)]
    request = build(a_snapshot(*blocks), memory=room)
    assert memory(request) <= room
    if room >= 400:
        assert memory(request) >= 0.85 * room


@pytest.mark.parametrize("room", range(100, 1_500, 200))
def test_that_more_room_for_memory_never_shows_less_of_it(room: int) -> None:
    blocks = [
        working(f"w{at}", "".join(f"line {n} of {at}\n" for n in range(5 * at + 3)), minutes=at)
        for at in range(9)
    ]
    snapshot = a_snapshot(*blocks)
    less, more = build(snapshot, memory=room), build(snapshot, memory=room + 200)
    assert the_section(more, "working").tokens >= the_section(less, "working").tokens - 12
    assert len(more.left_out) <= len(less.left_out)
