from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inspector.context.simulation import simulate
from inspector.domain.content import TextContent
from inspector.domain.errors import InputError, InspectorError, NotFoundError
from inspector.domain.limits import LimitOverrides, WindowStrategy
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.request_comparison import PieceState
from inspector.domain.requests import Request
from inspector.domain.rules import OutRule
from inspector.domain.simulation import Overlay, Simulation
from inspector.domain.snapshot import Snapshot
from tests.context.builders import (
    BUILDER,
    EXACT_MODEL,
    LAYOUTS,
    OLDER_EXACT_MODEL,
    a_block,
    a_call_turn,
    a_snapshot,
    a_spec,
    a_summary,
    a_tool,
    a_turn,
    all_pieces,
    an_agent,
    an_event,
    build,
    piece_ids,
    rows,
    working,
)
from tests.context.random_cases import a_request_case


def block(name: str) -> Ref:
    return Ref(RefKind.BLOCK, f"blk_{name}")


def laid(snapshot: Snapshot, **changes: object) -> Simulation:
    return simulate(BUILDER, snapshot, a_spec(), Overlay(**changes))  # type: ignore[arg-type]  # names of Overlay


def text_of(request: Request, piece_id: str) -> str:
    return next(piece.text for piece in all_pieces(request) if piece.id == piece_id)


def test_that_a_draft_is_built_and_the_view_stays_as_it_is() -> None:
    snapshot = a_snapshot(a_block("a", "stored"))
    found = laid(snapshot, drafts={"blk_a": TextContent("not saved")})
    assert "not saved" in text_of(found.after, "block:blk_a")
    assert "stored" in text_of(found.before, "block:blk_a")
    assert snapshot.own[0].content == TextContent("stored")


def test_that_another_model_is_counted_by_its_own_tokenizer_and_its_text_is_only_recounted() -> None:
    snapshot = a_snapshot(a_block("a", "Straßenbahnhaltestelle 漢字"), agent=an_agent(model=EXACT_MODEL))
    found = laid(snapshot, model=OLDER_EXACT_MODEL)
    assert found.after.model == OLDER_EXACT_MODEL
    assert {row.kind for row in found.diff.changes} == {PieceState.RECOUNTED}
    assert ("model", EXACT_MODEL, OLDER_EXACT_MODEL) in found.diff.settings


def test_that_limits_layout_and_strategy_are_the_overlay_s() -> None:
    snapshot = a_snapshot(a_block("a"), history=tuple(a_turn(n) for n in range(1, 9)))
    limits = LimitOverrides(max_tokens=5000, history_tokens=100)
    found = laid(snapshot, limits=limits, layout="minimal", strategy=WindowStrategy(2)).after
    assert (found.limits.max_tokens, found.limits.history_tokens) == (5000, 100)
    assert (found.layout, found.strategy) == ("minimal", "window")
    assert len(found.messages) == 2


def test_that_a_layout_that_is_not_stored_is_built_with() -> None:
    mine = replace(LAYOUTS["standard"], name="mine", join="\n\n***\n\n")
    snapshot = a_snapshot(a_block("a"))
    found = laid(snapshot, own_layout=mine)
    assert (found.before.layout, found.after.layout) == ("standard", "mine")
    assert "***" in found.after.text
    assert snapshot.layouts == {}


def test_that_limits_of_the_spec_stay_where_the_overlay_has_none() -> None:
    spec = a_spec(limits=LimitOverrides(max_tokens=9000, memory_tokens=500))
    overlay = Overlay(limits=LimitOverrides(memory_tokens=700))
    found = simulate(BUILDER, a_snapshot(a_block("a")), spec, overlay)
    assert (found.after.limits.max_tokens, found.after.limits.memory_tokens) == (9000, 700)


def test_that_an_unsaved_message_is_sent_as_it_is_typed_and_one_out_of_view_changes_nothing() -> None:
    snapshot = a_snapshot(history=(a_turn(1), a_turn(2)))
    typed = (TextPart("Not saved yet."),)
    found = laid(snapshot, messages={"msg_100": typed, "msg_none": typed})
    assert "Not saved yet." in text_of(found.after, "message:msg_100")
    assert found.after.text.count("Not saved yet.") == 1
    assert snapshot.history[0].messages[0].content != typed


def test_that_a_pinned_block_is_chosen_before_a_newer_one() -> None:
    long = "word " * 60
    snapshot = a_snapshot(working("old", long, minutes=60), working("new", long))
    spec = a_spec(limits=LimitOverrides(memory_tokens=110))
    found = simulate(BUILDER, snapshot, spec, Overlay(pinned=frozenset({block("old")})))
    assert "block:blk_new" in piece_ids(found.before)
    assert "block:blk_old" in piece_ids(found.after)
    assert "block:blk_new" not in piece_ids(found.after)
    assert not snapshot.own[0].block.pinned


def test_that_what_is_dropped_is_told_with_its_tokens_and_the_way_back() -> None:
    event = an_event(1)
    summary = a_summary("old", 1, 99)
    snapshot = a_snapshot(
        a_block("a"),
        agent=an_agent(tools=("find",)),
        tools=(a_tool(),),
        events=(event,),
        summaries=(summary,),
        history=(a_turn(1), a_turn(2)),
    )
    refs = {
        block("a"),
        Ref(RefKind.TOOL, "find"),
        Ref(RefKind.EVENT, event.id),
        Ref(RefKind.SUMMARY, summary.id),
        Ref(RefKind.BATCH, "batch_1"),
        Ref(RefKind.LITERAL, "persona"),
        Ref(RefKind.LITERAL, "instructions/0"),
    }
    found = laid(snapshot, dropped=frozenset(refs))
    names = {"block:blk_a", "tool:find", "literal:persona", "literal:instructions/0", f"event:{event.id}"}
    assert names <= set(piece_ids(found.before))
    assert not names & set(piece_ids(found.after))
    assert [message.id for message in found.after.messages] == ["msg_200", "msg_201"]
    told = rows(found.after, OutRule.DROPPED.value)
    assert all(row.tokens > 0 and row.fix is not None and row.fix.action == "undrop" for row in told)
    assert {row.source.id for row in told} >= {"blk_a", "find", event.id, "persona", "msg_100", "msg_101"}
    assert sum(row.delta for row in found.diff.changes) == found.after.tokens - found.before.tokens


def test_that_with_a_call_its_result_goes_too() -> None:
    snapshot = a_snapshot(history=(a_call_turn(1),))
    for dropped in ("msg_101", "msg_102"):
        found = laid(snapshot, dropped=frozenset({Ref(RefKind.MESSAGE, dropped)}))
        assert [message.id for message in found.after.messages] == ["msg_100", "msg_103"]


def test_that_an_archived_batch_that_is_pinned_is_in_the_conversation_again() -> None:
    snapshot = a_snapshot(history=(a_turn(1, is_archived=True), a_turn(2)))
    found = laid(snapshot, pinned=frozenset({Ref(RefKind.BATCH, "batch_1")}))
    assert len(found.before.messages) == 2
    assert len(found.after.messages) == 4


def test_that_texts_are_edited_in_the_build_alone() -> None:
    summary = a_summary("old", 1, 99)
    snapshot = a_snapshot(
        a_block("a"),
        agent=an_agent(tools=("find",), instructions=("One.", "Two.")),
        tools=(a_tool(),),
        summaries=(summary,),
        history=(a_turn(1),),
    )
    edited = {
        block("a"): "edited block",
        Ref(RefKind.MESSAGE, "msg_100"): "edited message",
        Ref(RefKind.SUMMARY, summary.id): "edited summary",
        Ref(RefKind.TOOL, "find"): "edited tool",
        Ref(RefKind.LITERAL, "persona"): "edited persona",
        Ref(RefKind.LITERAL, "instructions/1"): "edited instruction",
    }
    found = laid(snapshot, edited=edited)
    for text in edited.values():
        assert text in found.after.text
        assert text not in found.before.text
    assert "One." in found.after.text
    assert snapshot.history[0].messages[0].content == (TextPart("hello"),)


def test_that_unsaved_settings_of_the_agent_count() -> None:
    agent = an_agent()
    snapshot = a_snapshot(agent=agent)
    found = laid(snapshot, agent=replace(agent, persona="Somebody else."))
    assert "Somebody else." in found.after.text
    with pytest.raises(InputError):
        laid(snapshot, agent=replace(agent, id="agent_bob"))


@pytest.mark.parametrize(
    "overlay",
    [
        Overlay(drafts={"blk_none": TextContent("")}),
        Overlay(edited={block("none"): ""}),
        Overlay(edited={Ref(RefKind.LITERAL, "instructions/7"): ""}),
        Overlay(dropped=frozenset({block("none")})),
        Overlay(dropped=frozenset({Ref(RefKind.MESSAGE, "msg_none")})),
        Overlay(dropped=frozenset({Ref(RefKind.TOOL, "none")})),
        Overlay(dropped=frozenset({Ref(RefKind.EVENT, "none")})),
        Overlay(pinned=frozenset({block("none")})),
    ],
)
def test_that_what_is_not_in_the_view_is_refused(overlay: Overlay) -> None:
    with pytest.raises(NotFoundError):
        simulate(BUILDER, a_snapshot(a_block("a"), history=(a_turn(1),)), a_spec(), overlay)


@pytest.mark.parametrize(
    "overlay",
    [
        Overlay(pinned=frozenset({Ref(RefKind.BATCH, "batch_1")})),
        Overlay(pinned=frozenset({Ref(RefKind.TOOL, "find")})),
        Overlay(dropped=frozenset({Ref(RefKind.LITERAL, "core/heading")})),
        Overlay(dropped=frozenset({Ref(RefKind.AGENT, "agent_ada")})),
        Overlay(edited={Ref(RefKind.EVENT, "evt_1"): "x"}),
        Overlay(edited={Ref(RefKind.LITERAL, "reply"): "x"}),
    ],
)
def test_that_what_cannot_be_done_is_refused(overlay: Overlay) -> None:
    with pytest.raises(InputError):
        simulate(BUILDER, a_snapshot(a_block("a"), history=(a_turn(1),)), a_spec(), overlay)


def refs_of(snapshot: Snapshot) -> list[Ref]:
    def every() -> Iterator[Ref]:
        yield from (Ref(RefKind.BLOCK, state.block.id) for state in snapshot.own)
        yield from (Ref(RefKind.SUMMARY, each.id) for each in snapshot.summaries)
        yield from (Ref(RefKind.EVENT, each.id) for each in snapshot.events)
        for batch in snapshot.history:
            yield from (Ref(RefKind.MESSAGE, message.id) for message in batch.messages)

    return sorted(set(every()))


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_that_the_rows_of_any_what_if_sum_to_the_total_s_difference(seed: int) -> None:
    snapshot, spec = a_request_case(seed)
    chance, refs = Random(seed), refs_of(snapshot)
    chosen = chance.sample(refs, min(len(refs), chance.randrange(5)))
    limits = LimitOverrides(history_tokens=chance.randrange(4000))
    try:
        found = simulate(BUILDER, snapshot, spec, Overlay(dropped=frozenset(chosen), limits=limits))
    except InspectorError:
        assume(False)
        raise
    assert sum(row.delta for row in found.diff.changes) == found.after.tokens - found.before.tokens
    assert found.before == BUILDER.build(snapshot, spec)


def test_that_a_simulation_of_nothing_changes_nothing() -> None:
    snapshot = a_snapshot(a_block("a"), history=(a_turn(1),))
    found = laid(snapshot)
    assert found.diff.changes == ()
    assert found.before == found.after == build(snapshot)
