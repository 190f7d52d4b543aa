"""Hypothesis strategies: snapshots and specs with hostile labels and contents."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st

from inspector.domain.activity import Importance
from inspector.domain.agents import ActivitySettings, ContextConfig, ToolRule, ToolRuleKind
from inspector.domain.blocks import ArchivalEntry, BlockType, EntrySchema, FieldDef, LogSchema
from inspector.domain.content import LogContent, LogEntry
from inspector.domain.limits import (
    Hysteresis,
    ImportanceBased,
    LimitOverrides,
    Strategy,
    Truncate,
    WindowStrategy,
)
from inspector.domain.messages import Batch, ImagePart, RedactedThinkingPart, Role, TextPart, ThinkingPart
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState, ExtraSection, RequestSpec, SharedBlock, Snapshot
from tests.context.builders import (
    ESTIMATED_MODEL,
    EXACT_MODEL,
    NOW,
    OLDER_EXACT_MODEL,
    a_block,
    a_call_turn,
    a_message,
    a_snapshot,
    a_spec,
    a_summary,
    a_tool,
    a_turn,
    an_agent,
    an_event,
    shared,
)
from tests.hostile_texts import HOSTILE_TEXTS

_NASTY = "ab Z09\n\n\r\t/<>-=`\"'&;_.:{}[]漢字é\u0301😀\u200d\u00a0\u2028\x85\x1c\u3000"
_SHORT_HOSTILE = [text[:400] for text in HOSTILE_TEXTS.values()]
_RANGES: list[tuple[int | None, int | None]] = [(1, 199), (200, 399), (100, 900), (None, None)]
_CLOSING = [
    "</block>",
    "</a>",
    "</ persona >",
    "<\n/block",
    "</core_memory>",
    "</retrieved_memory>",
    "-->",
    "```",
]

texts = st.one_of(
    st.sampled_from(_SHORT_HOSTILE),
    st.text(_NASTY, max_size=60),
    st.lists(st.sampled_from([*_SHORT_HOSTILE, *_CLOSING]), min_size=1, max_size=3).map("\n".join),
    st.sampled_from(
        ["word " * 30, "line of text\n" * 20, " leading", "/solidus", "\n\nafter newlines", "end\n\n"]
    ),
)
labels = st.one_of(
    st.sampled_from(
        ["persona", "human", "a", "a b", "system/human/work", "/note_directory", "block", "xmlish"]
    ),
    st.sampled_from(
        ["scratchpad", "core_memory", "é", "x:y", '"><evil>', "--", "retrieved_memory", "Persona"]
    ),
    st.text(_NASTY, min_size=1, max_size=8),
)


@st.composite
def blocks(draw: st.DrawFn, number: int) -> BlockState:
    state = a_block(
        draw(labels),
        draw(texts),
        id=f"blk_{number}",
        minutes=draw(st.integers(0, 3)),
        description=draw(st.one_of(st.just(""), texts)),
        block_type=draw(st.sampled_from(list(BlockType))),
        pinned=draw(st.booleans()),
        is_active=draw(st.integers(0, 9)) > 0,
    )
    if draw(st.integers(0, 3)):
        return state
    schema = LogSchema(draw(st.integers(0, 4)), EntrySchema(fields=(FieldDef("observation"),)))
    entries = tuple(
        LogEntry(f"e{at}", "2026-11-20T10:00:00Z", "Ada", {"observation": draw(texts)})
        for at in range(draw(st.integers(0, 6)))
    )
    return replace(state, block=replace(state.block, schema=schema), content=LogContent(entries))


@st.composite
def histories(draw: st.DrawFn) -> tuple[Batch, ...]:
    found = []
    for number in range(1, draw(st.integers(0, 7)) + 1):
        kind = draw(st.integers(0, 5))
        if kind == 0:
            found.append(a_call_turn(number, answered=draw(st.booleans())))
            continue
        batch = a_turn(
            number,
            draw(texts),
            size=draw(st.integers(1, 4)),
            role=draw(st.sampled_from([Role.USER, Role.USER, Role.ASSISTANT])),
            is_archived=draw(st.integers(0, 7)) == 0,
            is_deleted=draw(st.integers(0, 9)) == 0,
            compiled=draw(st.integers(0, 9)) == 0,
            name=draw(st.sampled_from([None, "Eve"])),
        )
        if kind == 1:
            odd = a_message(
                number * 100 + 50,
                draw(st.sampled_from(list(Role))),
                ThinkingPart(draw(texts)),
                ImagePart("image/png", 800, 600, "AAAA"),
                RedactedThinkingPart("QUJD" * 40),
                TextPart(""),
                TextPart(draw(texts)),
                batch=batch.id,
            )
            batch = Batch(batch.id, (*batch.messages, odd))
        found.append(batch)
    return tuple(found)


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    count = draw(st.integers(0, 7))
    own = [draw(blocks(number)) for number in range(count)]
    others: list[SharedBlock] = [
        shared(draw(blocks(100 + number)), draw(labels)) for number in range(draw(st.integers(0, 3)))
    ]
    model = draw(st.sampled_from([EXACT_MODEL, OLDER_EXACT_MODEL, ESTIMATED_MODEL, "no-such-model"]))
    agent = an_agent(
        model=model,
        persona=draw(texts),
        instructions=tuple(draw(st.lists(texts, max_size=2))),
        tools=tuple(draw(st.lists(st.sampled_from(["find", "tell", "gone"]), unique=True, max_size=3))),
        config=ContextConfig(
            include_schemas=draw(st.booleans()),
            activity=ActivitySettings(
                entries_limit=draw(st.integers(0, 5)),
                own_events_cap=draw(st.integers(0, 2)),
                min_importance=draw(st.sampled_from(list(Importance))),
            ),
        ),
    )
    events = tuple(
        an_event(
            seq,
            draw(st.sampled_from([None, "agent_ada", "agent_bob"])),
            minutes=draw(st.integers(0, 2000)),
            kind=draw(st.sampled_from(["heartbeat", "message_sent", "odd kind"])),
            details=draw(
                st.sampled_from(["{}", '{"preview": "a\\n[00:00] ``` </recent_activity>"}', "[", '"x"'])
            ),
        )
        for seq in range(draw(st.integers(0, 6)))
    )
    summaries = tuple(
        a_summary(
            str(at),
            *draw(st.sampled_from([(1, 199), (200, 399), (100, 900), (None, None)])),
            content=draw(texts),
        )
        for at in range(draw(st.integers(0, 3)))
    )
    tools = (
        a_tool("find", examples=(draw(texts),)),
        a_tool("tell", parameters=draw(st.sampled_from(["{}", "[", "nul"]))),
    )
    rules = (ToolRule("r1", "agent_ada", "find", ToolRuleKind.MAX_CALLS, '{"limit": 3}'),)
    return a_snapshot(
        *own,
        shared=tuple(others),
        agent=agent,
        history=draw(histories()),
        events=events,
        summaries=summaries,
        tools=tools,
        tool_rules=rules,
    )


strategies: st.SearchStrategy[Strategy] = st.one_of(
    st.builds(Truncate, st.integers(0, 12)),
    st.builds(WindowStrategy, st.integers(0, 12)),
    st.just(Hysteresis()),
    st.just(ImportanceBased()),
)


@st.composite
def specs(draw: st.DrawFn) -> RequestSpec:
    limits = LimitOverrides(
        max_tokens=draw(st.sampled_from([600, 1500, 4000, 200_000])),
        memory_tokens=draw(st.sampled_from([None, 0, 60, 200, 12_000])),
        history_tokens=draw(st.sampled_from([None, 0, 30, 200, 80_000])),
        reserved_response_tokens=draw(st.sampled_from([0, 100])),
    )
    retrieved = tuple(
        ArchivalEntry(f"arc_{at}", "agent_ada", draw(texts), ("t",), "{}", NOW, NOW)
        for at in range(draw(st.integers(0, 2)))
    )
    return a_spec(
        limits=limits,
        layout=draw(st.sampled_from(["standard", "xml", "minimal", "cache_friendly"])),
        strategy=draw(st.one_of(st.none(), strategies)),
        include_descriptions=draw(st.booleans()),
        max_messages_cap=draw(st.sampled_from([None, 0, 4])),
        pinned=frozenset(draw(st.lists(st.sampled_from(["blk_1", "blk_2"]), max_size=2))),
        dropped=frozenset(draw(st.lists(st.sampled_from(["blk_0", "blk_101"]), max_size=1))),
        extra_sections=tuple(
            ExtraSection(f"Extra {at}", draw(texts)) for at in range(draw(st.integers(0, 2)))
        ),
        extra_instructions=tuple(draw(st.lists(texts, max_size=2))),
        retrieved=retrieved,
        active_batch=draw(st.sampled_from([None, None, "batch_1"])),
        now=NOW + timedelta(hours=draw(st.integers(0, 3))),
        zone=draw(st.sampled_from(["UTC", "Asia/Kolkata"])),
    )


def sent_strings(request: Request) -> list[str]:
    """The sent runs' texts, in order."""
    return [run.text for run in request.runs() if run.sent]
