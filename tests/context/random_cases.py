"""Random cases from a seed alone: histories, worlds of memory around them, layouts, and what is asked of a build."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from inspector.domain.activity import Importance
from inspector.domain.agents import ActivitySettings, ContextConfig, ToolRule, ToolRuleKind
from inspector.domain.blocks import ArchivalEntry, BlockType, EntrySchema, FieldDef, LogSchema
from inspector.domain.content import LogContent, LogEntry, TextContent
from inspector.domain.layout_rules import BUILT_IN, INSTRUCTIONS, MESSAGES, PERSONA
from inspector.domain.layouts import Layout, SectionLayout, Share, Wrapper
from inspector.domain.limits import (
    Hysteresis,
    ImportanceBased,
    LimitOverrides,
    RecursiveSummarization,
    Strategy,
    TimeDecay,
    Truncate,
    WindowStrategy,
)
from inspector.domain.messages import (
    Batch,
    ImagePart,
    Message,
    Part,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.snapshot import BlockState, ExtraSection, RequestSpec, SharedBlock, Snapshot
from inspector.domain.summaries import Summary
from tests.context.builders import (
    AGENT,
    ESTIMATED_MODEL,
    EXACT_MODEL,
    NOW,
    OLDER_EXACT_MODEL,
    a_block,
    a_message,
    a_snapshot,
    a_spec,
    a_summary,
    a_tool,
    an_agent,
    an_event,
    shared,
)
from tests.context.builders import LAYOUTS as SHIPPED
from tests.hostile_texts import HOSTILE_TEXTS

OWN_LAYOUT = "own"
_WORDS = (
    *("the", "garden", "beans", "never", "because", "decided", "important", "what?", "why", "yes", "plan"),
    *("/tmp/x.py", "42", "3.14159", "é", "漢字", "👩‍🌾", "==", "{}", "<a>", "line\n", "\n\n", "e\u0301"),
)


def words(rng: Random, most: int) -> str:
    """A text; most are short, some are long."""
    count = int(most * rng.random() ** 3)
    return " ".join(rng.choices(_WORDS, k=count))


def a_world(rng: Random, model: str, history: tuple[Batch, ...]) -> Snapshot:
    """An agent with blocks of every kind, its own and others', tools, rules, events and a layout of its own."""
    rule = ToolRule("rul_1", AGENT, "find", ToolRuleKind.MAX_CALLS, '{"limit": 3}')
    return a_snapshot(
        *(_state(rng, number) for number in range(rng.randrange(7))),
        agent=an_agent(
            model=model,
            persona=words(rng, 80),
            instructions=tuple(words(rng, 40) for _ in range(rng.randrange(3))),
            tools=("find", "tell")[: rng.randrange(3)],
        ),
        shared=_others(rng),
        history=history,
        events=tuple(
            an_event(
                seq,
                rng.choice((None, AGENT, "agent_bob")),
                minutes=rng.randrange(2000),
                importance=rng.choice(list(Importance)),
            )
            for seq in range(1, rng.randrange(1, 8))
        ),
        tools=(a_tool("find"), a_tool("tell", description=words(rng, 30))),
        tool_rules=(rule,) if rng.random() < 0.5 else (),
        agent_names={AGENT: "Ada", "agent_bob": "Bob"},
        layouts={OWN_LAYOUT: a_layout(rng)},
    )


def a_layout(rng: Random) -> Layout:
    """A layout of any order, with bounds, headings and wrappers of any kind and sections of one's own."""
    names = rng.sample([*BUILT_IN, MESSAGES], rng.randint(1, len(BUILT_IN) + 1))
    # The instructions follow the persona wherever both are.
    names = [name for name in names if name != PERSONA]
    if INSTRUCTIONS in names and rng.random() < 0.5:
        names.insert(names.index(INSTRUCTIONS), PERSONA)
    entries = [_section(rng, name) for name in names or ["core"]]
    if rng.random() < 0.4:
        text = rng.choice(("Slow is smooth.", "a</own>b```c", " leading", "word " * 40))
        entries.append(SectionLayout("mine", "# Mine", text=text))
    for own, labels in (("mine_0", ("persona", "a b")), ("mine_1", ("human", "a", "scratchpad"))):
        if rng.random() < 0.3:
            together = rng.random() < 0.5
            element = rng.choice(("", own))
            entries.append(SectionLayout(own, blocks=labels, element=element, together=together))
    layout = Layout(
        OWN_LAYOUT,
        "",
        rng.choice(("\n\n", "\n\n---\n\n", "\n***\n", "\n")),
        rng.choice(list(Wrapper)),
        tuple(entries),
        memory=rng.choice(list(Share)),
        history=rng.choice(list(Share)),
        strategy=rng.choice(("", "hysteresis", "window")),
    )
    # Dice of its own, so that what else a seed gives stays as it was.
    dice = Random(repr(layout))
    return _with_template(dice, layout) if dice.random() < 0.3 else layout


def _with_template(rng: Random, layout: Layout) -> Layout:
    """The layout with a template for blocks, a gap, and groups that are closed."""
    sections = [replace(entry, group_end=rng.choice(("", "</memory>"))) for entry in layout.sections]
    return replace(
        layout,
        block="<{label}>\n{description}\n- read_only={read_only}\n- {length}/{limit}\n{value}\n</{label}>",
        line=rng.choice(("", "{number}→ {line}")),
        gap=rng.choice(("\n", "\n\n", "\n\n\n")),
        empty_blocks=rng.random() < 0.5,
        sections=tuple(sections),
    )


def a_fine_history(rng: Random) -> tuple[Batch, ...]:
    """A long history of small units: words, and now and then calls with what came of them."""
    largest = rng.choice((4, 10, 20))
    return tuple(_fine_batch(rng, number, largest) for number in range(1, rng.randint(60, 160)))


def _section(rng: Random, name: str) -> SectionLayout:
    minimum = rng.choice((0, 0, 0, 30, 150))
    maximum = rng.choice((None, None, None, 0, 40, 400))
    return SectionLayout(
        name,
        heading=rng.choice(("", "# Heading", "漢字")),
        group=rng.choice(("", "", "# Group")),
        element=rng.choice(("", "", name)),
        fence=rng.random() < 0.1,
        minimum=minimum,
        maximum=None if maximum is None else max(minimum, maximum),
        priority=rng.choice((0, 0, 10, 50)),
        share=rng.choice((1.0, 1.0, 0.25, 3.0)),
        grow=rng.random() < 0.8,
        together=rng.random() < 0.2,
    )


def _state(rng: Random, number: int) -> BlockState:
    kinds = [BlockType.CORE, BlockType.WORKING, BlockType.WORKING, BlockType.LOG, BlockType.ARCHIVAL]
    state = a_block(
        rng.choice(("persona", "human", "notes", "a b", "x:y", "é")) + f" {number}",
        words(rng, 120),
        id=f"blk_{number}",
        minutes=rng.randrange(60),
        description=words(rng, 10),
        block_type=rng.choice(kinds),
        pinned=rng.random() < 0.2,
    )
    if rng.random() < 0.7:
        return state
    schema = LogSchema(rng.randrange(5), EntrySchema(fields=(FieldDef("observation"),)))
    entries = tuple(
        LogEntry(f"e{at}", "2026-11-20T10:00:00Z", "Ada", {"observation": words(rng, 30)})
        for at in range(rng.randrange(6))
    )
    return replace(state, block=replace(state.block, schema=schema), content=LogContent(entries))


def _others(rng: Random) -> tuple[SharedBlock, ...]:
    return tuple(shared(_state(rng, 100 + number)) for number in range(rng.randrange(3)))


def _fine_batch(rng: Random, number: int, largest: int) -> Batch:
    name, at = f"batch_{number}", number * 100
    said: list[tuple[Role, Sequence[Part]]] = [(Role.USER, (TextPart(words(rng, largest)),))]
    for step in range(rng.choice((0, 0, 1, 2))):
        call = ToolCallPart(f"call_{number}_{step}", "look", '{"q":1}')
        said.append((Role.ASSISTANT, (TextPart(words(rng, 4)), call)))
        said.append((Role.TOOL, (ToolResultPart(call.id, words(rng, largest)),)))
    said.append((Role.ASSISTANT, (TextPart(words(rng, largest)),)))
    return Batch(name, tuple(_message(at + place, name, *each) for place, each in enumerate(said)))


def _message(position: int, batch: str, role: Role, parts: Sequence[Part]) -> Message:
    return a_message(position, role, *parts, batch=batch, created_at=NOW)


LAYOUTS = ("standard", "xml", "minimal", "cache_friendly")
NO_CAP = 10**9


def a_strategy(rng: Random) -> Strategy:
    """One of the six with settings of any size."""
    high = rng.choice((0.95, 0.9, 1.0, 0.5))
    kinds: list[Strategy] = [
        Truncate(rng.choice((0, 1, 3, 8, 30, 100, 1000))),
        RecursiveSummarization(rng.choice((0, 1, 4, 20, 200))),
        ImportanceBased(rng.choice((0, 1, 4, 20, 100)), rng.choice((0, 2, 6, 20, 100))),
        TimeDecay(rng.choice((0.0, 0.5, 3.0, 24.0, 1e9)), rng.choice((0, 1, 4, 10, 50))),
        WindowStrategy(rng.choice((0, 1, 5, 8, 10, 50))),
        Hysteresis(high, min(high, rng.choice((0.5, 0.3, 0.8, 0.95, 0.0)))),
    ]
    return rng.choice(kinds)


def a_history(rng: Random, *, odd: bool = True, largest: int = 120) -> tuple[Batch, ...]:
    """Up to 40 batches; with `odd`, incomplete, archived, unreadable and disordered ones among them."""
    count = rng.choice((0, 1, 2, 5, 12, 40))
    return tuple(a_batch(rng, number, odd=odd, largest=largest) for number in range(1, count + 1))


def a_batch(rng: Random, number: int, *, odd: bool = True, largest: int = 120) -> Batch:
    """One batch."""
    name, at = f"batch_{number}", number * 100
    when = NOW - timedelta(hours=3 * (45 - number), minutes=rng.randrange(600 if odd else 1))
    role = rng.choices((Role.USER, Role.ASSISTANT, Role.SYSTEM), (8, 1 if odd else 0, 1 if odd else 0))[0]
    messages = [_said(rng, at, role, name, when, largest)]
    for _ in range(rng.choice((0, 0, 1, 1, 3))):
        messages += _called(rng, at + len(messages), name, when, largest)
    messages.append(_said(rng, at + len(messages), Role.ASSISTANT, name, when, largest))
    if odd and rng.random() < 0.2:
        messages = _spoiled(rng, messages)
    return Batch(name, tuple(messages))


def a_case(seed: int) -> tuple[Snapshot, RequestSpec]:
    """A snapshot with a history of any shape, and any limits, layout and strategy."""
    rng = Random(seed)
    if seed % 4 == 3:
        return _a_large_case(rng)
    if seed % 8 == 5:
        return _a_world_case(rng)
    if seed % 16 == 9:
        return _a_fine_case(rng)
    history = a_history(rng, odd=rng.random() < 0.6, largest=rng.choice((10, 120, 1500)))
    model = rng.choice((EXACT_MODEL, EXACT_MODEL, OLDER_EXACT_MODEL, ESTIMATED_MODEL))
    agent = an_agent(model=model, config=ContextConfig(strategy=a_strategy(rng)))
    blocks = [a_block(f"b{at}", words(rng, 60)) for at in range(rng.randrange(3))]
    summaries = _summaries(rng) if rng.random() < 0.4 else ()
    snapshot = a_snapshot(*blocks, agent=agent, history=history, summaries=summaries)
    return snapshot, a_plain_spec(rng, history)


def _a_large_case(rng: Random) -> tuple[Snapshot, RequestSpec]:
    """A history with much to elide, and room for gaps."""
    history = tuple(a_batch(rng, number, odd=False, largest=60) for number in range(1, 41))
    jumbled = rng.random() < 0.3
    if jumbled:
        history = tuple(_moved(rng, batch) for batch in history)
    strategies: list[Strategy] = [
        Hysteresis(rng.choice((0.95, 1.0)), rng.choice((0.5, 0.8))),
        RecursiveSummarization(rng.choice((4, 20))),
        ImportanceBased(rng.choice((4, 12)), rng.choice((6, 20, 60))),
        TimeDecay(rng.choice((9.0, 24.0, 60.0)), rng.choice((1, 10))),
    ]
    spec = a_spec(
        strategy=rng.choice(strategies),
        limits=LimitOverrides(history_tokens=rng.choice((500, 1200, 2500, 5000))),
        layout=rng.choice(LAYOUTS),
        active_batch=rng.choice((None, None, history[-1].id)),
    )
    return a_snapshot(history=history, summaries=_summaries(rng) if rng.random() < 0.3 else ()), spec


def _a_world_case(rng: Random) -> tuple[Snapshot, RequestSpec]:
    """A history among memory of every kind, under a layout of its own or a shipped one."""
    history = a_history(rng, odd=rng.random() < 0.5, largest=rng.choice((10, 60)))
    model = rng.choice((EXACT_MODEL, OLDER_EXACT_MODEL, ESTIMATED_MODEL, "no-such-model"))
    snapshot = replace(a_world(rng, model, history), summaries=_summaries(rng) if rng.random() < 0.5 else ())
    spec = a_plain_spec(rng, history)
    assert spec.limits is not None
    limits = replace(spec.limits, memory_tokens=rng.choice((None, 0, 60, 200, 12_000)))
    layout = rng.choice((OWN_LAYOUT, OWN_LAYOUT, OWN_LAYOUT, *LAYOUTS))
    return snapshot, replace(spec, limits=limits, layout=layout, strategy=a_strategy(rng))


def _a_fine_case(rng: Random) -> tuple[Snapshot, RequestSpec]:
    """A long history of small units, far larger than its budget; most under `truncate` without a cap."""
    strategies: list[Strategy] = [Truncate(NO_CAP), Truncate(NO_CAP), Truncate(NO_CAP), a_strategy(rng)]
    spec = a_spec(
        strategy=rng.choice(strategies),
        limits=LimitOverrides(history_tokens=rng.choice((800, 1500, 2500))),
        layout=rng.choice(LAYOUTS),
        max_messages_cap=NO_CAP,
    )
    agent = an_agent(model=rng.choice((EXACT_MODEL, OLDER_EXACT_MODEL, ESTIMATED_MODEL)))
    return a_snapshot(agent=agent, history=a_fine_history(rng)), spec


def _moved(rng: Random, batch: Batch) -> Batch:
    """The batch at another time, as where a clock was set back."""
    by = timedelta(hours=rng.choice((0, 0, 40, -40)))
    return Batch(batch.id, tuple(replace(each, created_at=each.created_at + by) for each in batch.messages))


def a_plain_spec(rng: Random, history: tuple[Batch, ...]) -> RequestSpec:
    """Limits and a layout; now and then a batch in progress."""
    active = history and rng.random() < 0.25 and rng.choice((history[-1], rng.choice(history))).id
    return a_spec(
        limits=LimitOverrides(
            max_tokens=rng.choice((500, 900, 2000, 6000, 200_000)),
            history_tokens=rng.choice((None, 0, 40, 150, 400, 1000, 3000)),
            reserved_response_tokens=rng.choice((0, 100)),
        ),
        layout=rng.choice(LAYOUTS),
        max_messages_cap=rng.choice((None, None, None, 0, 3, 12)),
        active_batch=active or None,
    )


def _said(rng: Random, at: int, role: Role, batch: str, when: datetime, largest: int) -> Message:
    parts: list[Part] = [TextPart(words(rng, largest))]
    if role is Role.ASSISTANT and rng.random() < 0.2:
        parts.insert(0, ThinkingPart(words(rng, 20), "c2ln"))
    if rng.random() < 0.05:
        parts.append(rng.choice((ImagePart("image/png", 40, 40, "AAAA"), RedactedThinkingPart("QUJD"))))
    return a_message(at, role, *parts, batch=batch, created_at=when)


def _called(rng: Random, at: int, batch: str, when: datetime, largest: int) -> list[Message]:
    """An assistant's message with calls, and all their results in one message or several."""
    ids = [f"call_{at}_{number}" for number in range(rng.randint(1, 3))]
    calls = [ToolCallPart(each, "look", '{"q":1}') for each in ids]
    asked = a_message(at, Role.ASSISTANT, TextPart(words(rng, 8)), *calls, batch=batch, created_at=when)
    results = [ToolResultPart(each, words(rng, 4 * largest), rng.random() < 0.1) for each in ids]
    if rng.random() < 0.5:
        return [asked, a_message(at + 1, Role.TOOL, *results, batch=batch, created_at=when)]
    return [
        asked,
        *(
            a_message(at + 1 + number, Role.TOOL, result, batch=batch, created_at=when)
            for number, result in enumerate(results)
        ),
    ]


def _spoiled(rng: Random, messages: list[Message]) -> list[Message]:
    at = rng.randrange(len(messages))
    match rng.randrange(5):
        case 0:
            del messages[-1]
        case 1:
            messages = [replace(each, is_archived=True) for each in messages]
        case 2:
            messages[at] = replace(messages[at], content=(), problem="not JSON")
        case 3:
            messages[at] = replace(messages[at], is_archived=True)
        case 4:
            messages[at] = replace(messages[at], compiled=True)
    return messages


def _summaries(rng: Random) -> tuple[Summary, ...]:
    ends = sorted(rng.sample(range(1, 41), rng.randint(1, 4)))
    return tuple(
        a_summary(str(at), first * 100 + 100, last * 100 + 99, content=words(rng, 60) or "x")
        for at, (first, last) in enumerate(zip([0, *ends], ends, strict=False))
    )


_HOSTILE = tuple(text[:400] for text in HOSTILE_TEXTS.values())
_ELEMENTS = sorted({each.element for layout in SHIPPED.values() for each in layout.sections if each.element})
_CLOSINGS = tuple(
    shape.format(name)
    for name in (*_ELEMENTS, "block", "retrieved_memory", "persona", "section", "instruction", "notes", "a")
    for shape in ("</{}>", "< / {} >", "</{}", "<\n/\t{}\n>")
)
BREAKERS = (
    *_CLOSINGS,
    *(closing.upper() for closing in _CLOSINGS[::4]),
    *("-->", "--", "<!--", "```", "`````", "~~~", "]]>", '"', "\n\n---\n\n", "# Instructions", "\u2028"),
)
"""What would end the things that texts are put into."""
_PLAIN = ("word " * 30, "line of text\n" * 20, " leading", "/solidus", "\n\nafter newlines", "end\n\n")
_NASTY = "ab Z09\n\n\r\t/<>-=`\"'&;_.:{}[]漢字é\u0301😀\u200d\u00a0\u2028\x85\x1c\u3000"
_LABELS = (
    *(
        "persona",
        "human",
        "a",
        "a b",
        "system/human/work",
        "/note_directory",
        "block",
        "xmlish",
        "scratchpad",
    ),
    *("core_memory", "é", "x:y", '"><evil>', "--", "retrieved_memory", "Persona"),
)


def hostile(rng: Random) -> str:
    """A text that could break what it is put into."""
    match rng.randrange(4):
        case 0:
            return rng.choice((*_HOSTILE, *_PLAIN))
        case 1:
            return "".join(rng.choices(_NASTY, k=rng.randrange(60)))
        case 2:
            return "\n".join(rng.choices((*_HOSTILE, *BREAKERS), k=rng.randint(1, 3)))
        case _:
            return "".join(rng.choices((*BREAKERS, "word", "\n", " ", "a"), k=rng.randint(1, 6)))


def a_request_case(seed: int) -> tuple[Snapshot, RequestSpec]:
    """Hostile texts wherever a snapshot holds any, all that can be asked of a build, and any layout."""
    rng = Random(seed)
    model = rng.choice((EXACT_MODEL, OLDER_EXACT_MODEL, ESTIMATED_MODEL, "no-such-model"))
    history = tuple(_hostile_batch(rng, each) for each in a_history(rng, largest=rng.choice((10, 60)))[:12])
    world = a_world(rng, model, history)
    agent = replace(
        world.agent,
        name=hostile(rng),
        persona=hostile(rng),
        instructions=tuple(hostile(rng) for _ in range(rng.randrange(3))),
        tools=tuple(rng.sample(("find", "tell", "gone"), rng.randrange(4))),
        config=ContextConfig(
            include_schemas=rng.random() < 0.5,
            activity=ActivitySettings(
                lead_line=hostile(rng),
                entries_limit=rng.randrange(6),
                own_events_cap=rng.randrange(3),
                min_importance=rng.choice(list(Importance)),
            ),
        ),
    )
    snapshot = replace(
        world,
        agent=agent,
        own=tuple(_hostile_state(rng, each) for each in world.own),
        shared=tuple(
            replace(each, state=_hostile_state(rng, each.state), owner_name=rng.choice(_LABELS))
            for each in world.shared
        ),
        events=tuple(
            replace(
                each,
                kind=rng.choice(("heartbeat", "message_sent", "odd kind")),
                details=rng.choice((json.dumps({"preview": hostile(rng)}), "{}", "[", '"x"')),
            )
            for each in world.events
        ),
        summaries=tuple(
            replace(each, content=hostile(rng), topics=(hostile(rng),)) for each in _summaries(rng)
        )[: rng.randrange(4)],
        tools=(
            a_tool("find", description=hostile(rng), examples=(hostile(rng),)),
            a_tool("tell", parameters=rng.choice(("{}", "[", "nul"))),
        ),
        tool_rules=(
            ToolRule("r1", AGENT, "find", ToolRuleKind.MAX_CALLS, json.dumps({"limit": hostile(rng)})),
        ),
        agent_names={"agent_bob": hostile(rng)},
    )
    return snapshot, _a_full_spec(rng, history)


def _a_full_spec(rng: Random, history: tuple[Batch, ...]) -> RequestSpec:
    spec = a_plain_spec(rng, history)
    assert spec.limits is not None
    return replace(
        spec,
        limits=replace(spec.limits, memory_tokens=rng.choice((None, 0, 60, 200, 12_000))),
        layout=rng.choice((OWN_LAYOUT, OWN_LAYOUT, OWN_LAYOUT, *LAYOUTS)),
        strategy=rng.choice((None, a_strategy(rng))),
        include_descriptions=rng.random() < 0.5,
        pinned=frozenset(rng.sample(("blk_1", "blk_2"), rng.randrange(3))),
        dropped=frozenset(rng.sample(("blk_0", "blk_101"), rng.randrange(2))),
        extra_sections=tuple(ExtraSection(f"Extra {at}", hostile(rng)) for at in range(rng.randrange(3))),
        extra_instructions=tuple(hostile(rng) for _ in range(rng.randrange(3))),
        retrieved=tuple(
            ArchivalEntry(f"arc_{at}", AGENT, hostile(rng), (hostile(rng),), "{}", NOW, NOW)
            for at in range(rng.randrange(3))
        ),
        now=NOW + timedelta(hours=rng.randrange(4)),
        zone=rng.choice(("UTC", "Asia/Kolkata")),
    )


def _hostile_state(rng: Random, state: BlockState) -> BlockState:
    label = rng.choice(_LABELS) if rng.random() < 0.8 else hostile(rng)[:8] or "a"
    block = replace(
        state.block,
        label=label,
        description=rng.choice(("", hostile(rng), "".join(rng.choices(BREAKERS, k=6)))),
        block_type=rng.choice(list(BlockType)),
        is_active=rng.random() < 0.9,
    )
    content = state.content
    if isinstance(content, TextContent):
        return replace(state, block=block, content=TextContent(hostile(rng)))
    assert isinstance(content, LogContent)
    entries = tuple(replace(each, fields={"observation": hostile(rng)}) for each in content.entries)
    return replace(state, block=block, content=LogContent(entries))


def _hostile_batch(rng: Random, batch: Batch) -> Batch:
    name = rng.choice((None, None, "Eve"))
    return Batch(
        batch.id,
        tuple(
            replace(
                each,
                name=name if each.role is Role.USER else None,
                content=tuple(
                    replace(part, text=hostile(rng)) if isinstance(part, TextPart) else part
                    for part in each.content
                ),
                is_deleted=rng.random() < 0.05,
            )
            for each in batch.messages
        ),
    )
