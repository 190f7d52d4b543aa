"""The cases that everybody tries first, word for word as they are promised."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.domain.agents import ContextConfig
from inspector.domain.blocks import BlockType, Permission
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.limits import Truncate, WindowStrategy
from inspector.domain.messages import Role
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import RequestSpec
from inspector.domain.wire.values import WireForm
from inspector.runtime.catalogues import shipped_layouts, shipped_models
from inspector.runtime.engine import Engine
from inspector.runtime.settings import Settings
from inspector.runtime.wire import WireService
from tests.context.builders import (
    a_block,
    a_snapshot,
    a_summary,
    a_turn,
    an_agent,
    build,
    piece_ids,
    the_section,
    working,
)
from tests.fixtures import NOON

LAYOUTS = ("standard", "xml", "minimal", "cache_friendly")


def test_that_fifty_messages_of_400_characters_in_2000_tokens_keep_between_15_and_49() -> None:
    for text in ("word " * 80, ("The lamp by the harbour was lit at seven; then the fog came. " * 7)[:400]):
        assert len(text) == 400
        history = tuple(a_turn(number, text) for number in range(1, 26))
        for model in ("gpt-4o", "gpt-4", "claude-sonnet-4-5"):
            agent = an_agent(model=model)
            request = build(a_snapshot(history=history, agent=agent), history=2_000)
            assert sum(len(batch.messages) for batch in history) == 50
            assert 15 <= len(request.messages) <= 49
            assert the_section(request, "messages").tokens <= 2_000


def test_that_a_thousand_messages_under_a_cap_of_200_keep_at_most_200() -> None:
    for size, kept in ((2, 200), (4, 200), (5, 200), (8, 200), (3, 198)):
        count = 1_000 // size
        history = tuple(a_turn(number, size=size) for number in range(1, count + 1))
        request = build(a_snapshot(history=history), strategy=Truncate(100_000), max_messages_cap=200)
        assert len(request.messages) == kept


@pytest.mark.parametrize(
    ("verbatim", "size", "kept"), [(8, 2, 8), (8, 4, 8), (5, 5, 5), (5, 2, 4), (10, 2, 10), (10, 5, 10)]
)
def test_that_twenty_messages_under_window_keep_the_newest_and_the_summary(
    verbatim: int, size: int, kept: int
) -> None:
    history = tuple(a_turn(number, size=size) for number in range(1, 20 // size + 1))
    assert sum(len(batch.messages) for batch in history) == 20
    left = (20 - kept) // size
    summary = a_summary("early", 1, left * 100 + 99, content="What was said first.")
    request = build(a_snapshot(history=history, summaries=(summary,)), strategy=WindowStrategy(verbatim))
    assert len(request.messages) == kept
    assert [sent.id for sent in request.messages] == [
        message.id for batch in history[left:] for message in batch.messages
    ]
    assert "summary:sum_early" in piece_ids(request)
    assert request.text.count("What was said first.") == 1
    few = build(a_snapshot(history=history, summaries=(summary,)), strategy=WindowStrategy(20))
    assert len(few.messages) == 20
    assert "summary:sum_early" not in piece_ids(few)


def test_that_a_history_that_an_assistant_begins_starts_with_a_user_s_for_gemini() -> None:
    history = (a_turn(1, "I was here first.", role=Role.ASSISTANT, size=1), a_turn(2, "Hello?"))
    snapshot = a_snapshot(history=history, agent=an_agent(provider="gemini", model="gemini-2.5-pro"))
    request = build(snapshot)
    made = WireService(shipped_models(), Settings()).request(request, snapshot, WireForm.GEMINI)
    contents = made.body["contents"]
    assert contents[0] == {"role": "user", "parts": [{"text": "[Conversation start]"}]}
    assert [each["role"] for each in contents[:4]] == ["user", "model", "user", "model"]
    assert "wire.start_added" in [each.code for each in made.adaptations]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_that_instructions_stand_first_and_the_history_after_the_system_part(layout: str) -> None:
    snapshot = a_snapshot(a_block("persona"), working("notes"), history=(a_turn(1), a_turn(2)))
    request = build(snapshot, layout=layout)
    names = [section.name for section in request.sections]
    assert names[0] == "instructions"
    assert names.index("messages") > max(names.index(each) for each in ("instructions", "core", "working"))
    assert request.text.index("I am Ada.") < request.text.index("Be brief.") < request.text.index("<persona>")
    assert request.text.index("</notes>") < request.text.index("=== user ===")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_that_an_empty_section_prints_nothing(layout: str) -> None:
    agent = an_agent(persona="", instructions=("",), config=ContextConfig(include_schemas=True))
    snapshot = a_snapshot(a_block("persona", " \n"), working("notes", ""), agent=agent, history=(a_turn(1),))
    request = build(snapshot, layout=layout)
    assert request.system is None or request.system.startswith(
        ("# Memory Block Types", "<memory_block_types>")
    )
    without = build(replace(snapshot, own=()), layout=layout)
    assert (without.system, without.tail) == (None, None)
    assert [section.name for section in without.sections] == ["messages", "reply"]
    only = build(a_snapshot(working("notes", "one"), agent=agent), layout=layout)
    unused = [entry for entry in shipped_layouts()[layout].sections if entry.name not in ("working", "hints")]
    for entry in unused:
        for dress in (entry.heading, entry.element and f"<{entry.element}>"):
            assert not dress or f"{dress}\n" not in (only.system or "")


async def test_that_a_shared_block_is_seen_by_its_receiver_with_the_owner_s_name(opened: Engine) -> None:
    operations: list[tuple[Ref, Operation]] = [
        (Ref(RefKind.AGENT, "agt_ada"), CreateAgent("Ada", "I am Ada.", provider="openai", model="gpt-4o")),
        (
            Ref(RefKind.AGENT, "agt_bob"),
            CreateAgent('Bob "the" <B>', "I am Bob.", provider="openai", model="gpt-4o"),
        ),
        (
            Ref(RefKind.BLOCK, "blk_plan"),
            CreateBlock("agt_bob", "plan", block_type=BlockType.WORKING, content=TextContent("sail at dawn")),
        ),
        (Ref(RefKind.BLOCK, "blk_plan"), AttachBlock("agt_ada", Permission.READ_ONLY)),
    ]
    await opened.apply([Intent(Edit(ref, operation), opened.actor) for ref, operation in operations])
    for layout in LAYOUTS:
        spec = RequestSpec(now=NOON, layout=layout)
        text = (await opened.context.request("agt_ada", spec)).text
        assert '<plan shared_from="Bob &quot;the&quot; &lt;B&gt;">\nsail at dawn\n</plan>' in text
        own = (await opened.context.request("agt_bob", spec)).text
        assert "<plan>\nsail at dawn\n</plan>" in own
        assert "shared_from" not in own
