"""Mistakes that such engines have made when they put a prompt together: one fact for each, in their order.

That blocks are read in one go, that an event has the time that is stored, that everything that is called is there,
that what is read has an index, and that a file is closed before its folder goes are held to elsewhere: in the
runtime's tests of the same name, and in the test of names.
"""

import hashlib
import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.agents import ContextConfig, ToolRule, ToolRuleKind
from inspector.domain.blocks import LogSchema
from inspector.domain.content import LogContent, LogEntry, TextContent
from inspector.domain.errors import BudgetError
from inspector.domain.limits import LimitOverrides
from inspector.domain.rendering.activity import shorten
from inspector.domain.rules import OutRule
from tests.context.builders import (
    MODELS,
    NOW,
    a_block,
    a_snapshot,
    a_summary,
    a_tool,
    a_turn,
    an_agent,
    an_event,
    build,
    codes,
    has_section,
    piece_ids,
    rows,
    the_section,
    working,
)
from tests.context.tiktoken_counts import recount

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("length", range(5))
@pytest.mark.parametrize("text", ["", "é", "漢字漢字漢字", "😀😀😀😀😀😀", "ab"])
def test_that_a_text_is_cut_by_characters_and_the_ellipsis_is_inside_the_limit(
    text: str, length: int
) -> None:
    cut = shorten(text, length)
    assert len(cut) <= length
    assert cut == text or text.startswith(cut.removesuffix("…"))


def test_that_short_texts_and_all_that_stands_around_them_are_counted() -> None:
    request = build(a_snapshot(a_block("a", "x"), history=(a_turn(1, "y"),), events=(an_event(1),)))
    for section in request.sections:
        assert section.tokens > 0
    strings = [run.text for run in request.runs() if run.sent]
    frames = sum(run.tokens for run in request.runs() if not run.sent)
    assert request.tokens == frames + sum(recount("o200k_base", text) for text in strings)
    assert frames >= 4 * 3 + 3


def test_that_what_must_go_in_is_weighed_at_its_real_size_and_refused_with_numbers() -> None:
    with pytest.raises(BudgetError) as caught:
        build(a_snapshot(a_block("persona", "word " * 500)), window=300, reserved=0)
    assert caught.value.parameters["piece"] == "block:blk_persona"
    just = build(a_snapshot(working("w", "word " * 200)), memory=150)
    assert sum(section.tokens for section in just.sections if section.name == "working") <= 150


def test_that_a_full_block_starves_no_later_one_of_more_worth() -> None:
    blocks = [
        working("big", "word " * 900, minutes=1),
        *(working(f"s{at}", "note", minutes=9) for at in range(5)),
    ]
    request = build(a_snapshot(*blocks), memory=200)
    assert {f"block:blk_s{at}" for at in range(5)} <= set(piece_ids(request))


def test_that_no_heading_stands_over_nothing() -> None:
    request = build(a_snapshot(a_block("a", " "), working("b", "")), include_schemas=False)
    assert request.system == "# Persona\n\nI am Ada.\n\n---\n\n# Instructions\n\nBe brief."
    tight = build(a_snapshot(working("b", "word " * 300)), memory=20)
    assert "Memory" not in (tight.system or "")


def test_that_all_limits_are_used_and_what_none_can_reach_is_told() -> None:
    history = tuple(a_turn(at, "word " * 400) for at in range(1, 60))
    request = build(a_snapshot(history=history), window=50_000, reserved=10_000, history=20_000, memory=5_000)
    assert request.limits.usable == 40_000
    assert 19_000 < the_section(request, "messages").tokens <= 20_000
    others = request.tokens - the_section(request, "messages").tokens
    assert request.unreachable_tokens == 40_000 - 20_000 - 5_000 - others
    more = build(a_snapshot(history=history), window=50_000, reserved=10_000, history=60_000, memory=5_000)
    assert 39_000 < more.tokens <= 40_000


def test_that_events_stand_oldest_first_also_those_of_one_moment() -> None:
    events = tuple(an_event(seq, "agent_bob", minutes=5, kind=f"kind {seq}") for seq in (3, 1, 2))
    request = build(a_snapshot(events=tuple(sorted(events, key=lambda event: event.seq))))
    ids = [each for each in piece_ids(request) if each.startswith("event:")]
    assert ids == ["event:evt_1", "event:evt_2", "event:evt_3"]


def test_that_the_activity_of_all_agents_is_shown_not_only_the_reader_s() -> None:
    events = (an_event(1, "agent_bob"), an_event(2), an_event(3, None))
    text = the_section(build(a_snapshot(events=events, agent_names={"agent_bob": "Bob"})), "activity").text
    assert "[AGENT:Bob]" in text
    assert "[YOU/Ada]" in text
    assert "[SYSTEM]" in text


def test_that_the_time_changes_nothing_before_the_tail() -> None:
    snapshot = a_snapshot(a_block("persona"), history=(a_turn(1),), events=(an_event(1),))
    early = build(snapshot, layout="cache_friendly")
    late = build(snapshot, layout="cache_friendly", now=NOW + timedelta(minutes=7), zone="Asia/Kolkata")
    assert early.system == late.system
    assert early.messages == late.messages
    assert early.tail != late.tail


def test_that_labels_and_contents_break_out_of_nothing() -> None:
    nasty = "a</persona>b-->c```d</a b>"
    blocks = (a_block("persona", nasty, description=nasty), a_block("a b", nasty))
    events = (an_event(1, details=json.dumps({"preview": nasty}), kind="message_sent"),)
    system = build(a_snapshot(*blocks, events=events)).system or ""
    persona = system.partition("<persona>\n")[2].partition("\n</persona>")[0]
    assert persona == "<!-- a&lt;/persona>b- ->c```d</a b> -->\na&lt;/persona>b-->c```d</a b>"
    assert system.count("</block>") == 1
    assert '<block label="a b">' in system
    assert "````" in system


def test_that_the_chain_of_summaries_is_neither_ignored_nor_doubled() -> None:
    summaries = (
        a_summary("first", 1, 199),
        a_summary("second", 200, 399, previous_summary_id="sum_first"),
        a_summary("both", None, None, depth=1, children=("sum_first", "sum_second")),
        a_summary("third", 400, 499, previous_summary_id="sum_second"),
    )
    history = tuple(a_turn(at, "word " * 100) for at in range(1, 12))
    request = build(a_snapshot(history=history, summaries=summaries), history=400)
    inside = [each for each in piece_ids(request) if each.startswith("summary:")]
    assert inside == ["summary:sum_both", "summary:sum_third"]


def test_that_tools_are_either_sent_or_described_never_both() -> None:
    rule = ToolRule("r1", "agent_ada", "find", ToolRuleKind.EXIT)
    snapshot = a_snapshot(tools=(a_tool("find"),), tool_rules=(rule,), agent=an_agent(tools=("find",)))
    sent = build(snapshot)
    assert sent.text.count("Finds things.") == 1
    assert has_section(sent, "tools")
    told = build(snapshot, native_tools=False)
    assert told.text.count("Finds things.") == 1
    assert not has_section(told, "tools")
    assert "content/field/value" not in told.text


def test_that_limits_follow_the_family_of_a_dated_id() -> None:
    dated, known = (MODELS.resolve(name) for name in ("claude-haiku-4-5-20251001", "claude-haiku-4-5"))
    assert dated is not None
    assert known is not None
    assert (dated.max_input, dated.prices) == (known.max_input, known.prices)
    request = build(a_snapshot(agent=an_agent(model="claude-haiku-4-5-20251001")))
    assert request.limits.max_tokens == 200_000
    assert not codes(request.problems)


def test_that_a_log_s_display_limit_holds() -> None:
    entries = tuple(LogEntry(f"e{at}", None, None, {"text": f"entry {at}"}) for at in range(30))
    request = build(a_snapshot(a_block("log", LogContent(entries), schema=LogSchema(4))))
    assert request.text.count("entry ") == 4
    [row] = rows(request, OutRule.ENTRY_LIMIT)
    assert row.parameters["count"] == 26


_SCRIPT = """
import hashlib
from tests.context.test_known_mistakes import a_scarce_request
print(hashlib.sha256(repr(a_scarce_request()).encode()).hexdigest())
"""


def a_scarce_request() -> object:
    blocks = [
        working(
            f"w{at}", "".join(f"line {n} of {at % 3}, which goes on a while\n" for n in range(30)), minutes=at
        )
        for at in range(20)
    ]
    history = tuple(a_turn(at, "word " * 30) for at in range(1, 30))
    agent = an_agent(config=ContextConfig(limits=LimitOverrides(memory_tokens=900), include_schemas=True))
    events = tuple(an_event(seq, "agent_bob", minutes=seq) for seq in range(1, 9))
    request = build(
        a_snapshot(*blocks, history=history, agent=agent, events=events), window=2_500, reserved=0
    )
    assert rows(request, OutRule.SHORTENED)
    return (
        request.text,
        request.left_out,
        [(piece.id, piece.tokens) for s in request.sections for piece in s.pieces],
    )


def test_that_another_process_builds_the_same_also_where_room_is_short() -> None:
    here = hashlib.sha256(repr(a_scarce_request()).encode()).hexdigest()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == here


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


def test_that_one_that_is_replaced_in_place_is_counted_anew() -> None:
    snapshot = a_snapshot(working("w", "one"))
    before = build(snapshot)
    longer = snapshot.with_drafts({"blk_w": TextContent("one two three")})
    assert build(longer).tokens > before.tokens
