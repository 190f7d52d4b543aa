from dataclasses import replace

import pytest

from inspector.domain.blocks import (
    CONSTELLATION_OWNER,
    BlockType,
    EntrySchema,
    FieldDef,
    LogSchema,
    MapSchema,
    UnreadableSchema,
)
from inspector.domain.content import LogContent, LogEntry, MapContent, TextContent
from inspector.domain.errors import BudgetError, Problem, Severity
from inspector.domain.requests import Request
from inspector.domain.rules import InRule, OutRule
from inspector.domain.snapshot import BlockState, Snapshot
from tests.context.builders import (
    a_block,
    a_snapshot,
    all_pieces,
    an_agent,
    build,
    codes,
    has_section,
    piece_ids,
    rows,
    shared,
    the_section,
    working,
)

LONG = "some words of text " * 20


def a_log(count: int, limit: int = 20, text: str = "seen") -> BlockState:
    schema = LogSchema(limit, EntrySchema(fields=(FieldDef("observation"),)))
    entries = tuple(
        LogEntry(f"e{at}", "2026-11-20T10:00:00Z", "Ada", {"observation": f"{text} {at}"})
        for at in range(count)
    )
    return a_block("log", LogContent(entries), block_type=BlockType.LOG, schema=schema)


def rule_of(request: Request, piece_id: str) -> str:
    return next(piece.rule for piece in all_pieces(request) if piece.id == piece_id)


def test_that_each_type_stands_in_its_section_under_its_rule() -> None:
    request = build(
        a_snapshot(
            a_block("persona"),
            working("notes"),
            working("kept", pinned=True),
            a_log(2),
            working("scratchpad"),
            shared=(shared(a_block("plan")),),
        )
    )
    rules = {piece.id: (piece.section, piece.rule) for piece in all_pieces(request)}
    assert rules["block:blk_persona"] == ("core", InRule.CORE)
    assert rules["block:blk_notes"] == ("working", InRule.FITS)
    assert rules["block:blk_kept"] == ("working", InRule.PINNED)
    assert rules["block:blk_log"] == ("log", InRule.LOG_RECENT)
    assert rules["block:blk_scratchpad"] == ("scratchpad", InRule.SCRATCHPAD)
    assert rules["block:blk_plan"] == ("shared", InRule.ATTACHED)


def test_that_a_block_of_the_constellation_says_so() -> None:
    each = shared(a_block("rules"), "everyone")
    state = replace(each.state, block=replace(each.state.block, owner=CONSTELLATION_OWNER))
    request = build(a_snapshot(shared=(replace(each, state=state),)))
    assert rule_of(request, "block:blk_rules") == InRule.CONSTELLATION


def test_that_a_block_stands_in_an_element_of_its_label_with_its_description() -> None:
    request = build(a_snapshot(a_block("persona", "I like tea.", description="who I am")))
    assert "<persona>\n<!-- who I am -->\nI like tea.\n</persona>" in request.text
    bare = build(
        a_snapshot(a_block("persona", "I like tea.", description="who I am")), include_descriptions=False
    )
    assert "<persona>\nI like tea.\n</persona>" in bare.text


def test_that_labels_that_are_no_names_stand_in_an_attribute() -> None:
    request = build(a_snapshot(a_block('a "b" <c>', "x"), a_block("/notes", "y")))
    assert '<block label="a &quot;b&quot; &lt;c&gt;">\nx\n</block>' in request.text
    assert '<block label="/notes">\ny\n</block>' in request.text


def test_that_a_label_that_two_owners_use_is_no_element() -> None:
    request = build(a_snapshot(a_block("plan", "mine"), shared=(shared(a_block("plan", "his", id="b2")),)))
    assert '<block label="plan">\nmine\n</block>' in request.text
    assert '<block label="plan" shared_from="Bob">\nhis\n</block>' in request.text


def test_that_a_shared_block_names_its_owner() -> None:
    request = build(a_snapshot(shared=(shared(a_block("plan", "his"), 'Bob "B"'),)))
    assert '<plan shared_from="Bob &quot;B&quot;">\nhis\n</plan>' in request.text


def test_that_content_that_closes_its_wrapper_is_escaped_and_noted() -> None:
    request = build(a_snapshot(a_block("persona", "a</persona>b")))
    assert "<persona>\na&lt;/persona>b\n</persona>" in request.text
    [noted] = [each for each in request.adaptations if each.code == "closing_tag_escaped"]
    assert noted.where == "block:blk_persona"


def test_that_a_deleted_block_is_no_candidate() -> None:
    gone = a_block("gone", is_active=False)
    theirs = shared(a_block("theirs", is_active=False))
    request = build(a_snapshot(gone, shared=(theirs,)))
    assert not {row.source.id for row in request.left_out} & {"blk_gone", "blk_theirs"}
    assert "gone" not in request.text


@pytest.mark.parametrize("content", ["", "   ", "\n\n"])
def test_that_a_blank_block_is_left_out_and_its_section_prints_nothing(content: str) -> None:
    request = build(a_snapshot(a_block("persona", content), shared=(shared(a_block("plan", content)),)))
    assert {row.source.id for row in rows(request, OutRule.EMPTY)} == {"blk_persona", "blk_plan"}
    assert "Memory State" not in request.text
    assert "Shared Context" not in request.text


def test_that_an_archival_block_is_left_out_and_could_be_made_working() -> None:
    request = build(a_snapshot(a_block("facts", block_type=BlockType.ARCHIVAL)))
    [row] = rows(request, OutRule.ARCHIVAL_TYPE)
    assert row.fix is not None
    assert (row.fix.action, str(row.fix.target), row.fix.value) == ("set_type", "block:blk_facts", "working")
    assert row.tokens > 0


def test_that_an_unreadable_block_is_a_problem_and_the_rest_is_built() -> None:
    no_schema = a_block("odd", schema=UnreadableSchema("{", "not JSON"))
    no_content = replace(a_block("lost"), content=None)
    wrong = a_block("wrong", MapContent({}), schema=LogSchema())
    request = build(a_snapshot(no_schema, no_content, wrong, a_block("persona")))
    assert codes(request.problems) == ["schema_unreadable", "block_unreadable", "block_unreadable"]
    assert len(rows(request, OutRule.UNREADABLE)) == 3
    assert "block:blk_persona" in piece_ids(request)


def test_that_a_block_with_a_warning_is_sent_and_the_warning_told() -> None:
    waiting = Problem("block.pending_updates", Severity.WARNING, "block:blk_notes", {"label": "notes"})
    request = build(a_snapshot(replace(a_block("notes"), problem=waiting), a_block("persona")))
    assert codes(request.problems) == ["block.pending_updates"]
    assert "block:blk_notes" in piece_ids(request)
    broken = replace(waiting, severity=Severity.ERROR)
    request = build(a_snapshot(replace(a_block("notes"), problem=broken), a_block("persona")))
    assert "block:blk_notes" not in piece_ids(request)


def test_that_core_over_the_cap_stays_and_leaves_nothing_to_the_others() -> None:
    request = build(
        a_snapshot(a_block("persona", LONG), working("notes"), working("kept", pinned=True)), memory=20
    )
    assert "block:blk_persona" in piece_ids(request)
    assert {row.source.id for row in rows(request, OutRule.MEMORY_CORE_OVER)} == {"blk_notes", "blk_kept"}
    assert "core_over_memory" in codes(request.problems)


def test_that_pinned_blocks_come_first_then_the_newest() -> None:
    blocks = [
        working("old", LONG, minutes=60),
        working("new", LONG, minutes=1),
        working("kept", LONG, minutes=90, pinned=True),
    ]
    request = build(a_snapshot(*blocks), memory=250)
    assert {"block:blk_kept", "block:blk_new"} <= set(piece_ids(request))
    assert [row.source.id for row in rows(request, OutRule.MEMORY_FULL)] == ["blk_old"]


def test_that_a_smaller_later_block_takes_room_that_a_larger_could_not() -> None:
    blocks = [working("big", LONG * 10, minutes=1), working("small", "short", minutes=60)]
    request = build(a_snapshot(*blocks), memory=60)
    assert "block:blk_small" in piece_ids(request)
    assert [row.source.id for row in rows(request, OutRule.MEMORY_FULL)] == ["blk_big"]


def test_that_a_what_if_pins_and_drops() -> None:
    snapshot = a_snapshot(working("old", LONG, minutes=60), working("new", LONG, minutes=1))
    pinned = build(snapshot, memory=130, pinned=frozenset({"blk_old"}))
    assert "block:blk_old" in piece_ids(pinned)
    assert rule_of(pinned, "block:blk_old") == InRule.PINNED
    dropped = build(snapshot, dropped=frozenset({"blk_new"}))
    [row] = rows(dropped, OutRule.DROPPED)
    assert row.source.id == "blk_new"
    assert "block:blk_new" not in piece_ids(dropped)


def apply_memory_fix(snapshot: Snapshot, request: Request, block: str) -> Request:
    """Build once more with the fix of a block that was left out."""
    fix = next(row.fix for row in request.left_out if row.source.id == block)
    assert fix is not None
    if fix.action == "pin":
        own = tuple(
            replace(state, block=replace(state.block, pinned=True)) if state.block.id == block else state
            for state in snapshot.own
        )
        return build(replace(snapshot, own=own), memory=request.limits.memory_tokens)
    assert fix.action == "raise_memory_tokens"
    return build(snapshot, memory=fix.value)


@pytest.mark.parametrize("memory", [40, 110, 200, 250])
def test_that_the_fix_of_a_block_brings_it_in(memory: int) -> None:
    blocks = [working(f"w{number}", LONG[: 60 + 70 * number], minutes=number) for number in range(5)]
    snapshot = a_snapshot(a_block("persona", "short"), *blocks)
    request = build(snapshot, memory=memory)
    out = [row.source.id for row in request.left_out]
    assert out
    for block in out:
        assert block is not None
        assert f"block:{block}" in piece_ids(apply_memory_fix(snapshot, request, block))


def test_that_the_window_bounds_memory_too_and_the_fix_of_it_helps() -> None:
    snapshot = a_snapshot(working("notes", LONG), agent=an_agent(persona="P", instructions=()))
    request = build(snapshot, window=60, reserved=0)
    [row] = rows(request, OutRule.WINDOW_FULL)
    assert row.fix is not None
    assert row.fix.action == "raise_max_tokens"
    assert "block:blk_notes" in piece_ids(build(snapshot, window=row.fix.value, reserved=0))


def test_that_a_core_block_larger_than_the_window_is_an_error_with_its_numbers() -> None:
    with pytest.raises(BudgetError) as caught:
        build(a_snapshot(a_block("persona", LONG * 50)), window=500, reserved=100)
    told = caught.value.parameters
    assert told["piece"] == "block:blk_persona"
    assert told["label"] == "persona"
    assert isinstance(told["needed"], int)
    assert isinstance(told["available"], int)
    assert told["needed"] > told["available"]


def test_that_a_persona_larger_than_the_window_is_an_error() -> None:
    with pytest.raises(BudgetError) as caught:
        build(a_snapshot(agent=an_agent(persona=LONG * 50)), window=500, reserved=0)
    assert caught.value.parameters["piece"] == "literal:persona"


def test_that_a_log_shows_its_newest_entries_and_tells_of_the_others() -> None:
    request = build(a_snapshot(a_log(10, limit=3)))
    assert "seen 9" in request.text
    assert "seen 6" not in request.text
    [row] = rows(request, OutRule.ENTRY_LIMIT)
    assert row.parameters["count"] == 7
    assert row.tokens > 0
    assert row.fix is not None
    assert (row.fix.action, row.fix.value) == ("set_display_limit", 10)


def test_that_a_log_too_large_drops_its_oldest_entries() -> None:
    request = build(a_snapshot(a_log(20, text=LONG[:60])), memory=200)
    piece = next(piece for piece in all_pieces(request) if piece.id == "block:blk_log")
    shown = piece.parameters["entries"]
    assert isinstance(shown, int)
    assert 1 <= shown < 20
    assert f"{LONG[:60]} 19" in piece.text
    [row] = rows(request, OutRule.ENTRY_ROOM)
    assert row.parameters["count"] == 20 - shown
    assert sum(section.tokens for section in request.sections if section.name == "log") <= 200


def test_that_marks_point_at_the_fields_inside_the_wrapper() -> None:
    schema = MapSchema((FieldDef("name"), FieldDef("mood")))
    state = a_block("human", MapContent({"name": "Eve </human>", "mood": "calm"}), schema=schema)
    piece = next(piece for piece in all_pieces(build(a_snapshot(state))) if piece.id == "block:blk_human")
    found = {mark.name: piece.text[mark.start : mark.end] for mark in piece.marks}
    assert found["mood"].endswith("calm")
    assert found["name"].endswith("Eve &lt;/human>")


def test_that_a_draft_is_built_and_marked() -> None:
    snapshot = a_snapshot(a_block("persona", "saved")).with_drafts({"blk_persona": TextContent("drafted")})
    request = build(snapshot)
    assert "drafted" in request.text
    assert "saved" not in request.text
    piece = next(piece for piece in all_pieces(request) if piece.id == "block:blk_persona")
    assert piece.parameters["draft"] is True


def test_that_a_block_that_comes_twice_is_in_once() -> None:
    request = build(a_snapshot(a_block("plan"), shared=(shared(a_block("plan")),)))
    assert piece_ids(request).count("block:blk_plan") == 1
    assert not has_section(request, "shared")


def test_that_sections_of_memory_keep_within_the_cap_together() -> None:
    blocks = [working(f"w{number}", LONG, minutes=number) for number in range(30)]
    request = build(a_snapshot(a_block("persona"), *blocks, a_log(5)), memory=900)
    spent = sum(
        the_section(request, name).tokens for name in ("core", "working", "log") if has_section(request, name)
    )
    assert 700 < spent <= 900
