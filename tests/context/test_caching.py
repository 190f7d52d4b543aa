from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from inspector.context.caching.account import account
from inspector.context.caching.planning import plan, stops_of
from inspector.context.caching.rules import rules_for
from inspector.domain.activity import Event
from inspector.domain.agents import ToolRule, ToolRuleKind
from inspector.domain.blocks import ArchivalEntry
from inspector.domain.caching import CacheAccount, MissKind
from inspector.domain.limits import Hysteresis, LimitOverrides, Strategy, Truncate
from inspector.domain.messages import Batch, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.models import ModelFacts, Prices
from inspector.domain.requests import Request
from inspector.domain.snapshot import Snapshot
from tests.context.builders import (
    AGENT,
    BUILDER,
    MODELS,
    NOW,
    a_block,
    a_message,
    a_snapshot,
    a_spec,
    a_tool,
    a_turn,
    an_agent,
    an_event,
)

CLAUDE = "claude-sonnet-4-5"
LONG = "\n".join(f"Line {n} of the instructions, which say what is to be done and why." for n in range(120))


def facts_of(model: str) -> ModelFacts:
    found = MODELS.resolve(model)
    assert found is not None
    return found


def a_world(**changes: object) -> Snapshot:
    """Instructions and a block that are each larger than the least that is cached, and a history."""
    changes.setdefault("agent", an_agent(model=CLAUDE, provider="anthropic", instructions=(LONG,)))
    changes.setdefault("history", (a_turn(1, LONG), a_turn(2)))
    return a_snapshot(a_block("a", LONG), **changes)


def built(snapshot: Snapshot, **spec: object) -> Request:
    return BUILDER.build(snapshot, a_spec(layout="cache_friendly", **spec))


def told(request: Request, last: Request | None, model: str = CLAUDE) -> CacheAccount:
    return account(request, facts_of(model), last)


def test_that_places_are_marked_behind_the_instructions_the_memory_and_the_history() -> None:
    request = built(a_world())
    made = plan(request, facts_of(CLAUDE))
    assert [each.label for each in made.breakpoints] == ["system_prompt", "memory_blocks", "history"]
    assert [each.piece_id for each in made.breakpoints][::2] == ["literal:instructions/0", "message:msg_201"]
    assert made.breakpoints[1].piece_id.startswith("literal:core/") or "blk_a" in made.breakpoints[1].piece_id
    ends = [each.end for each in made.breakpoints]
    assert ends == sorted(ends)
    assert all(each.tokens >= 1024 for each in made.breakpoints)


@pytest.mark.parametrize("events", [(), (an_event(1),)], ids=["without activity", "with activity"])
def test_that_what_never_changes_is_marked_before_all_that_does(events: tuple[Event, ...]) -> None:
    rule = ToolRule("r1", "agt_1", "find", ToolRuleKind.EXIT)
    agent = an_agent(model=CLAUDE, provider="anthropic", instructions=(LONG,), tools=("find",))
    snapshot = a_world(agent=agent, tools=(a_tool(),), tool_rules=(rule,), events=events)
    request = BUILDER.build(snapshot, a_spec(layout="standard"))
    first = plan(request, facts_of(CLAUDE)).breakpoints[0]
    assert (first.label, first.piece_id) == ("system_prompt", "literal:instructions/0")
    edited = replace(snapshot, own=(a_block("a", LONG + "\nOne more line."),))
    found = told(BUILDER.build(edited, a_spec(layout="standard")), request)
    assert found.read_tokens == first.tokens


def test_that_openai_reads_a_prefix_in_whole_steps() -> None:
    model = "gpt-4o"
    snapshot = a_world(agent=an_agent(model=model, provider="openai", instructions=(LONG,)))
    found = told(built(replace(snapshot, history=(*snapshot.history, a_turn(3)))), built(snapshot), model)
    assert found.read_tokens > 1024
    assert found.read_tokens % 128 == 0
    assert found.lost_tokens == 0


def test_that_at_most_four_places_are_marked_and_the_last_ones_stay() -> None:
    last = built(a_world())
    busy = many_calls(3, 30)
    request = built(a_world(history=(a_turn(1, LONG), a_turn(2), busy)))
    made = plan(request, facts_of(CLAUDE), last)
    assert [each.label for each in made.breakpoints] == [
        "system_prompt",
        "memory_blocks",
        "last_request",
        "history",
    ]
    assert len(made.breakpoints) <= 4


def test_that_a_prefix_below_the_least_is_not_marked_and_that_is_told() -> None:
    snapshot = a_snapshot(a_block("a"), agent=an_agent(model=CLAUDE, provider="anthropic"))
    made = plan(built(snapshot), facts_of(CLAUDE))
    assert made.breakpoints == ()
    assert [each.code for each in made.problems] == ["cache.below_minimum"]


def test_that_of_a_provider_whose_rules_are_not_known_nothing_is_claimed() -> None:
    assert rules_for(None) is None
    request = built(a_world())
    found = account(request, facts_of("gemini-2.5-flash"), request)
    assert (found.plan.breakpoints, found.read_tokens, found.cause) == ((), 0, None)
    assert [each.code for each in found.plan.problems] == ["cache.rules_unknown"]


def test_that_segments_cover_the_request_and_their_tokens_add_up() -> None:
    request = built(a_world(events=(an_event(1),), agent=an_agent(tools=("find",)), tools=(a_tool(),)))
    segments = plan(request, None).segments
    reply = request.sections[-1]
    assert segments[0].start == 0
    assert segments[-1].end == len(request.text) - reply.length
    assert all(one.end == other.start for one, other in pairwise(segments))
    assert sum(each.tokens for each in segments) == request.tokens - reply.tokens


def test_that_an_appended_turn_reads_all_that_was_kept_and_pays_for_the_rest() -> None:
    last = built(a_world())
    request = built(a_world(history=(a_turn(1, LONG), a_turn(2), a_turn(3))))
    found = told(request, last)
    assert found.hits == ("system_prompt", "memory_blocks", "history")
    assert found.read_tokens == plan(last, facts_of(CLAUDE)).breakpoints[-1].tokens
    assert (found.lost_tokens, found.cause) == (0, None)
    assert found.read_tokens + found.written_tokens + found.fresh_tokens == request.tokens
    prices = facts_of(CLAUDE).prices
    assert prices is not None
    assert prices.cache_read is not None
    assert prices.cache_write is not None
    assert prices.input is not None
    assert found.cost == pytest.approx(
        (
            found.read_tokens * prices.cache_read
            + found.written_tokens * prices.cache_write
            + found.fresh_tokens * prices.input
        )
        / 1_000_000
    )


def test_that_a_changed_block_loses_what_stands_behind_it_and_is_named() -> None:
    last = built(a_world())
    edited = replace(a_world(), own=(a_block("a", LONG + "\nOne more line."),))
    found = told(built(edited), last)
    assert found.hits == ("system_prompt",)
    assert found.missed == ("memory_blocks", "history")
    assert found.difference is not None
    assert found.difference.piece_id == "block:blk_a"
    assert found.cause is not None
    assert (found.cause.kind, found.cause.piece_id, found.cause.change) == (
        MissKind.SYSTEM_CHANGED,
        "block:blk_a",
        "changed",
    )
    assert found.lost_tokens > 0


def test_that_another_model_reads_nothing() -> None:
    last = built(a_world())
    request = built(a_world(), model="claude-sonnet-5-5")
    found = account(request, facts_of("claude-sonnet-5-5"), last)
    assert found.read_tokens == 0
    assert found.cause is not None
    assert found.cause.kind is MissKind.MODEL_CHANGED


def test_that_a_call_loses_no_more_than_it_has() -> None:
    # What the other model's Request had more of isn't paid by this call.
    longer = built(a_world(own=(a_block("a", LONG * 3),)), model="claude-sonnet-5-5")
    request = built(a_world())
    found = told(request, longer)
    assert found.read_tokens == 0
    assert found.lost_tokens == request.tokens


def test_that_a_tool_that_is_added_is_named() -> None:
    agent = an_agent(model=CLAUDE, provider="anthropic", instructions=(LONG,), tools=("find",))
    last = built(a_world(agent=agent, tools=(a_tool(),)))
    more = replace(agent, tools=("find", "save"))
    found = told(built(a_world(agent=more, tools=(a_tool(), a_tool("save")))), last)
    assert found.read_tokens == 0
    assert found.cause is not None
    assert found.cause.kind is MissKind.TOOLS_CHANGED
    assert (found.cause.piece_id, found.cause.change) == ("tool:save", "added")


def test_that_a_message_that_is_taken_out_is_named() -> None:
    last = built(a_world(history=(a_turn(1, LONG), a_turn(2, "first"), a_turn(3, "second"))))
    found = told(built(a_world(history=(a_turn(1, LONG), a_turn(3, "second")))), last)
    assert found.hits == ("system_prompt", "memory_blocks")
    assert found.cause is not None
    assert (found.cause.kind, found.cause.piece_id, found.cause.change) == (
        MissKind.MESSAGES_CHANGED,
        "message:msg_200",
        "removed",
    )


def test_that_no_piece_is_named_where_two_have_changed_places() -> None:
    last = built(a_world(history=(a_turn(1, LONG), a_turn(2, "first"), a_turn(3, "second"))))
    found = told(built(a_world(history=(a_turn(1, LONG), a_turn(3, "second"), a_turn(2, "first")))), last)
    assert found.cause is not None
    assert (found.cause.kind, found.cause.piece_id) == (MissKind.MESSAGES_CHANGED, None)


def many_calls(number: int, count: int) -> Batch:
    """A turn with so many calls, two wire blocks each."""
    name, at = f"batch_{number}", number * 100
    messages = [a_message(at, Role.USER, TextPart("go"), batch=name)]
    for call in range(count):
        asked = ToolCallPart(f"c{number}_{call}", "find", "{}")
        messages.append(a_message(at + 2 * call + 1, Role.ASSISTANT, asked, batch=name))
        result = ToolResultPart(asked.id, "found")
        messages.append(a_message(at + 2 * call + 2, Role.TOOL, result, batch=name))
    messages.append(a_message(at + 2 * count + 1, Role.ASSISTANT, TextPart("done"), batch=name))
    return Batch(name, tuple(messages))


def test_that_more_blocks_than_are_looked_back_still_hit_by_the_mark_of_the_last_request() -> None:
    last = built(a_world())
    request = built(a_world(history=(a_turn(1, LONG), a_turn(2), many_calls(3, 30))))
    found = told(request, last)
    assert found.hits == ("system_prompt", "memory_blocks", "history")
    assert found.lost_tokens == 0


def test_that_wire_blocks_are_tools_sections_and_parts() -> None:
    agent = an_agent(tools=("find",))
    request = BUILDER.build(
        a_snapshot(a_block("a"), agent=agent, tools=(a_tool(),), history=(many_calls(1, 2),)), a_spec()
    )
    stops = list(stops_of(request))
    system = len({stop.piece.section for stop in stops} - {"tools", "messages"})
    assert stops[-1].blocks == 1 + system + 6


def test_that_an_automatic_cache_reads_the_longest_prefix_from_its_least_on() -> None:
    agent = an_agent(model="gpt-5-mini", instructions=(LONG,))
    last = built(a_world(agent=agent))
    edited = replace(a_world(agent=agent), own=(a_block("a", "other text"),))
    found = told(built(edited), last, "gpt-5-mini")
    assert found.read_tokens >= 1024
    # What is written costs no more than what is read anew.
    assert found.written_tokens == 0
    short = an_agent(model="gpt-5-mini")
    small = built(a_snapshot(a_block("a"), agent=short))
    assert told(small, small, "gpt-5-mini").read_tokens == 0


def test_that_a_price_that_is_not_known_is_none_and_named() -> None:
    request = built(a_world())
    facts = replace(facts_of(CLAUDE), prices=Prices(input=3.0))
    found = account(request, facts, request)
    assert found.cost is None
    assert found.unknown_prices == ("cache_read",)
    assert found.cost_uncached == pytest.approx(request.tokens * 3.0 / 1_000_000)
    assert account(request, replace(facts, prices=None), None).cost is None


def test_that_entries_may_be_too_old_after_their_time() -> None:
    request = built(a_world())
    facts = facts_of(CLAUDE)
    assert account(request, facts, request, NOW - timedelta(minutes=6)).may_have_expired is True
    assert account(request, facts, request, NOW - timedelta(minutes=4)).may_have_expired is False
    assert account(request, facts, request).may_have_expired is None


def test_that_without_a_last_request_nothing_is_read_and_nothing_is_blamed() -> None:
    found = told(built(a_world()), None)
    assert (found.read_tokens, found.difference, found.cause, found.hits) == (0, None, None, ())
    assert found.written_tokens > 0


def session(layout: str, strategy: Strategy) -> tuple[float, float]:
    """A session of 60 Requests for each of which other memories are found: the share read from the cache, the cost."""
    history: tuple[Batch, ...] = ()
    last: Request | None = None
    total, read, cost = 0, 0, 0.0
    for turn in range(1, 61):
        history = (*history, a_turn(turn, LONG[: 200 + 37 * (turn % 11)], size=4))
        memory = ArchivalEntry(f"arc_{turn}", AGENT, f"{turn} {LONG[:600]}", (), "{}", NOW, NOW)
        world = a_world(history=history, history_state=last.history_state if last else None)
        limits = LimitOverrides(history_tokens=5_000)
        request = BUILDER.build(
            world, a_spec(layout=layout, strategy=strategy, limits=limits, retrieved=(memory,))
        )
        found = told(request, last)
        assert found.cost is not None
        last = request
        total, read, cost = total + request.tokens, read + found.read_tokens, cost + found.cost
    return read / total, cost


def test_that_shortening_seldom_with_what_changes_at_the_tail_reads_most_from_the_cache() -> None:
    seldom, seldom_cost = session("cache_friendly", Hysteresis())
    slides, slides_cost = session("cache_friendly", Truncate(1_000_000))
    system, system_cost = session("standard", Hysteresis())
    assert seldom > 0.8
    assert seldom > slides > system
    assert seldom_cost < min(slides_cost, system_cost)
