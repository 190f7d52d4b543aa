"""A part of a what-if that comes to nothing says why."""

from dataclasses import replace

import pytest

from inspector.context.simulation import simulate
from inspector.domain.blocks import BlockType
from inspector.domain.content import TextContent
from inspector.domain.limits import LimitOverrides, Truncate
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rules import OutRule
from inspector.domain.simulation import NoEffect, NoEffectReason, Overlay
from inspector.domain.snapshot import RequestSpec, Snapshot
from tests.context.builders import (
    BUILDER,
    EXACT_MODEL,
    OLDER_EXACT_MODEL,
    a_block,
    a_snapshot,
    a_spec,
    a_turn,
    working,
)

OLD = Ref(RefKind.MESSAGE, "msg_100")
TALK = a_snapshot(history=(a_turn(1, is_archived=True), *(a_turn(number) for number in range(2, 9))))


def block(name: str) -> Ref:
    return Ref(RefKind.BLOCK, f"blk_{name}")


def vain(snapshot: Snapshot, spec: RequestSpec | None = None, **changes: object) -> tuple[NoEffect, ...]:
    overlay = Overlay(**changes)  # type: ignore[arg-type]  # names of Overlay
    return simulate(BUILDER, snapshot, spec or a_spec(), overlay).in_vain


@pytest.mark.parametrize("ref", [OLD, Ref(RefKind.BATCH, "batch_1")], ids=["message", "batch"])
def test_that_an_archived_message_that_is_pinned_beyond_the_strategy_s_reach_says_so(ref: Ref) -> None:
    (found,) = vain(TALK, a_spec(strategy=Truncate(4)), pinned=frozenset({ref}))
    assert (found.part, found.ref, found.why) == ("pinned", ref, NoEffectReason.STILL_OUT)
    assert found.row is not None
    assert (found.row.rule, found.row.source.id) == (OutRule.HISTORY_KEEP_RECENT.value, "batch_1")
    assert found.row.fix is not None
    assert (found.row.fix.action, found.row.fix.value) == ("raise_keep_recent", 16)


def test_that_one_within_its_reach_is_not_in_vain() -> None:
    assert vain(TALK, pinned=frozenset({OLD})) == ()


def test_that_a_pinned_block_of_a_type_that_is_never_sent_says_so() -> None:
    snapshot = a_snapshot(a_block("a", block_type=BlockType.ARCHIVAL))
    (found,) = vain(snapshot, pinned=frozenset({block("a")}))
    assert found.why is NoEffectReason.STILL_OUT
    assert found.row is not None
    assert found.row.rule == OutRule.ARCHIVAL_TYPE.value


def test_that_a_pin_is_in_vain_only_where_the_block_would_be_in_without_it() -> None:
    long = "word " * 60
    snapshot = a_snapshot(working("old", long, minutes=60), working("new", long))
    pinned = frozenset({block("old")})
    (found,) = vain(snapshot, pinned=pinned)
    assert (found.why, found.row) == (NoEffectReason.IN_ALREADY, None)
    # With the cap of the same what-if it would be out.
    assert vain(snapshot, pinned=pinned, limits=LimitOverrides(memory_tokens=110)) == ()


def test_that_what_is_dropped_though_it_is_out_says_why_it_was() -> None:
    (found,) = vain(TALK, dropped=frozenset({OLD}))
    assert (found.part, found.why) == ("dropped", NoEffectReason.OUT_ALREADY)
    assert found.row is not None
    assert found.row.rule == OutRule.ARCHIVED.value
    assert vain(TALK, dropped=frozenset({Ref(RefKind.MESSAGE, "msg_200")})) == ()


def test_that_a_text_that_is_the_same_and_one_that_nobody_reads_are_in_vain() -> None:
    snapshot = replace(TALK, own=(a_block("a", "as it is"),))
    edited = {block("a"): "as it is", OLD: "other words", Ref(RefKind.MESSAGE, "msg_200"): "new words"}
    found = vain(snapshot, edited=edited)
    assert [(each.part, each.ref, each.why) for each in found] == [
        ("edited", block("a"), NoEffectReason.SAME),
        ("edited", OLD, NoEffectReason.STILL_OUT),
    ]
    assert vain(snapshot, drafts={"blk_a": TextContent("as it is")})[0].part == "drafts"
    assert vain(snapshot, drafts={"blk_a": TextContent("changed")}) == ()


def test_that_settings_that_are_so_already_or_change_nothing_say_so() -> None:
    found = vain(
        TALK,
        model=EXACT_MODEL,
        layout="standard",
        strategy=Truncate(99),
        max_messages_cap=400,
        include_descriptions=True,
        limits=LimitOverrides(history_tokens=40_000, reserved_response_tokens=8000),
    )
    assert {each.part: each.why for each in found} == {
        "model": NoEffectReason.AS_IS,
        "layout": NoEffectReason.AS_IS,
        "strategy": NoEffectReason.SAME,
        "max_messages_cap": NoEffectReason.SAME,
        "include_descriptions": NoEffectReason.AS_IS,
        "history_tokens": NoEffectReason.SAME,
        "reserved_response_tokens": NoEffectReason.AS_IS,
    }


def test_that_settings_with_an_effect_are_not_told() -> None:
    assert vain(TALK, model=OLDER_EXACT_MODEL, layout="xml", strategy=Truncate(2)) == ()
    assert vain(TALK, limits=LimitOverrides(history_tokens=20)) == ()
