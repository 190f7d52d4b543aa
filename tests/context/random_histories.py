"""Random worlds around a history, from a generator alone: memory of every kind, layouts of one's own, small units."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from inspector.domain.activity import Importance
from inspector.domain.agents import ToolRule, ToolRuleKind
from inspector.domain.blocks import BlockType, EntrySchema, FieldDef, LogSchema
from inspector.domain.content import LogContent, LogEntry
from inspector.domain.layout_rules import BUILT_IN, INSTRUCTIONS, MESSAGES, PERSONA
from inspector.domain.layouts import Layout, SectionLayout, Share, Wrapper
from inspector.domain.messages import Batch, Message, Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.snapshot import BlockState, SharedBlock, Snapshot
from tests.context.builders import (
    AGENT,
    NOW,
    a_block,
    a_message,
    a_snapshot,
    a_tool,
    an_agent,
    an_event,
    shared,
)

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
    """A layout of any order, with bounds, headings and wrappers of any kind."""
    names = rng.sample([*BUILT_IN, MESSAGES], rng.randint(1, len(BUILT_IN) + 1))
    # The instructions follow the persona wherever both are.
    names = [name for name in names if name != PERSONA]
    if INSTRUCTIONS in names and rng.random() < 0.5:
        names.insert(names.index(INSTRUCTIONS), PERSONA)
    entries = [_section(rng, name) for name in names or ["core"]]
    if rng.random() < 0.4:
        entries.append(SectionLayout("mine", "# Mine", text=words(rng, 20).strip() or "Slow is smooth."))
    return Layout(
        OWN_LAYOUT,
        "",
        rng.choice(("\n\n", "\n\n---\n\n", "\n***\n", "\n")),
        rng.choice(list(Wrapper)),
        tuple(entries),
        memory=rng.choice(list(Share)),
        history=rng.choice(list(Share)),
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
