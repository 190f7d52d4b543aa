"""An imported agent's Request beside the system prompt that Letta compiled for it, in our own small files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.text import SetText
from inspector.domain.lint import LintRule
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.engine import Engine
from tests.exchange.builders import agent, assistant, block, file_of, user
from tests.flows.export_builders import LETTA, Desk

SPEC = RequestSpec(now=datetime(2026, 11, 20, tzinfo=UTC))
LEAD = "<memory_blocks>\nThe following memory blocks are currently engaged in your core memory unit:"
WARNING = (
    "# NOTE: Line numbers shown below (with arrows like '1→') are to help during editing. Do NOT include line "
    "number prefixes in your memory edit tool calls."
)
IN_VALUE = (
    "# NOTE: Line numbers shown below are to help during editing. Do NOT include line number prefixes in your "
    "memory edit tool calls."
)
RULES = "<tool_usage_rules>\nKeep to these.\n\n<tool_rule>\nlook ends your response\n</tool_rule>\n</tool_usage_rules>"
METADATA = "<memory_metadata>\n- The current system date is: March 02, 2026\n</memory_metadata>"
OLD_LEAD = "### Memory [last modified: 2025-03-31]\n4 previous messages\n\nCore memory shown below (limited in size):"


def plain(label: str, text: str, *, description: str = "", read_only: bool = False) -> str:
    flag = "- read_only=true\n" if read_only else ""
    return (
        f"<{label}>\n<description>\n{description}\n</description>\n<metadata>\n{flag}- chars_current={len(text)}\n"
        f"- chars_limit=5000\n</metadata>\n<value>\n{text}\n</value>\n</{label}>"
    )


def numbered(label: str, text: str) -> str:
    lines = "".join(f"{number}→ {line}\n" for number, line in enumerate(text.split("\n") if text else (), 1))
    return (
        f"<{label}>\n<description>\n\n</description>\n<metadata>\n- chars_current={len(text)}\n- chars_limit=5000\n"
        f"</metadata>\n<warning>\n{WARNING}\n</warning>\n<value>\n{lines}</value>\n</{label}>"
    )


def in_words(label: str, text: str) -> str:
    lines = "".join(f"Line {number}: {line}\n" for number, line in enumerate(text.split("\n"), 1))
    return (
        f"<{label}>\n<description>\n\n</description>\n<metadata>\n- chars_current={len(text)}\n- chars_limit=5000\n"
        f"</metadata>\n<value>\n{IN_VALUE}\n{lines}</value>\n</{label}>"
    )


def memory(*blocks: str) -> str:
    return "\n\n".join((LEAD, *blocks, "</memory_blocks>"))


def prompted(*parts: str, blocks: list[dict[str, Any]], **more: Any) -> tuple[dict[str, Any], str]:
    """A file whose agent has these blocks and a compiled prompt of these parts; and that prompt."""
    prompt = "\n\n".join((more.get("system", "Be brief."), *parts))
    messages = [
        {"id": "message-0", "role": "system", "content": [{"type": "text", "text": prompt}]},
        {"id": "message-1", **user("hello")},
        {"id": "message-2", **assistant("hi")},
    ]
    keys = [each["id"] for each in blocks]
    file = more.pop("file", {})
    record = agent(
        block_ids=keys,
        messages=messages,
        in_context_message_ids=[each["id"] for each in messages],
        **more,
    )
    return file_of(record, blocks=blocks, **file), prompt


async def request_of(desk: Desk, value: dict[str, Any], number: int = 0) -> Request:
    source = desk.place(".af")
    source.write_text(json.dumps(value))
    target = desk.place(".constellation")
    await desk.bring_in(source, target)

    async def build(engine: Engine) -> Request:
        agents, _ = await engine.agents.list()
        named = next(each for each in agents if each.name == f"Agent {number}")
        return await engine.context.request(named.id, SPEC)

    return await desk.change(target, build)  # type: ignore[no-any-return]


NOTES = "\nOne.\n  Two, with </b> in it.\n\n"
ANTHROPIC = {**agent()["llm_config"], "model_endpoint_type": "anthropic", "model": "claude-sonnet-4-5"}


@pytest.mark.parametrize(
    ("blocks", "parts", "more"),
    [
        (
            [block(0, "a", NOTES), block(1, "b/c", "", description="Who.")],
            (memory(plain("a", NOTES), plain("b/c", "", description="Who.")), RULES, METADATA),
            {},
        ),
        (
            [block(0, "a", NOTES), block(1, "b/c", "")],
            (memory(numbered("a", NOTES), numbered("b/c", "")), METADATA),
            {"agent_type": "memgpt_v2_agent"},
        ),
        (
            [block(0, "a", NOTES), block(1, "b/c", "x")],
            (memory(in_words("a", NOTES), in_words("b/c", "x")), METADATA),
            {"agent_type": "sleeptime_agent"},
        ),
        (
            [block(0, "a", "y"), block(1, "b/c", "x", read_only=True)],
            (memory(plain("b/c", "x", read_only=True), plain("a", "y")), "A line of its own.\n<odd>"),
            {},
        ),
        ([block(0, "a", "y")], (memory(plain("a", "y")), METADATA), {"system": "\n  Be brief.\n\n"}),
        (
            [block(0, "a", "y", description=None)],
            (memory(plain("a", "y", description="None")), METADATA),
            {},
        ),
        ([], (), {}),
    ],
    ids=["plain", "numbered", "in words", "another order", "blank lines", "no description", "no blocks"],
)
async def test_that_the_system_text_is_the_compiled_one(
    desk: Desk, blocks: list[dict[str, Any]], parts: tuple[str, ...], more: dict[str, Any]
) -> None:
    value, prompt = prompted(*parts, blocks=blocks, **more)
    assert (await request_of(desk, value)).system == prompt


async def test_that_a_prompt_of_the_first_version_comes_out_as_it_was(desk: Desk) -> None:
    shown = f'{OLD_LEAD}\n<a characters="{len(NOTES)}/5000">\n{NOTES}\n</a>\n<b characters="1/5000">\nx\n</b>'
    prompt = f"Be brief.\n{shown}"
    message = {"role": "system", "content": [{"type": "text", "text": prompt}]}
    memory_of = [{"label": "a", "value": NOTES, "limit": 5000}, {"label": "b", "value": "x", "limit": 5000}]
    value = {
        **{key: each for key, each in agent().items() if key not in ("id", "block_ids", "tool_ids")},
        "agent_type": "memgpt_agent",
        "core_memory": memory_of,
        "tools": [],
        "messages": [message, user("hello"), assistant("hi")],
        "in_context_message_indices": [0, 1, 2],
    }
    assert (await request_of(desk, value)).system == prompt


@pytest.mark.parametrize(
    ("more", "written"),
    [
        ({"agent_type": "letta_v1_agent"}, plain("a", "x")),
        ({"agent_type": "letta_v1_agent", "llm_config": ANTHROPIC}, numbered("a", "x")),
        ({"agent_type": "memgpt_agent", "llm_config": ANTHROPIC}, plain("a", "x")),
        ({"agent_type": "react_agent"}, ""),
    ],
)
async def test_that_without_a_compiled_prompt_the_kind_of_agent_says_how_blocks_are_written(
    desk: Desk, more: dict[str, Any], written: str
) -> None:
    request = await request_of(
        desk, file_of(agent(block_ids=["block-0"], **more), blocks=[block(0, "a", "x")])
    )
    assert request.system == "\n\n".join(("Be brief.", memory(written))) if written else "Be brief."


FILES = [
    {"id": "f-1", "file_id": "file-1", "source_id": "source-0", "file_name": "docs/open.md", "is_open": True},
    {
        "id": "f-2",
        "file_id": "file-2",
        "source_id": "source-0",
        "file_name": "docs/shut.md",
        "is_open": False,
    },
]
FOLDER = {"id": "source-0", "name": "docs", "description": "All papers.", "instructions": ""}


def with_files(text: str) -> dict[str, Any]:
    files = [{**each, "visible_content": text} for each in FILES]
    return {
        "files_agents": files,
        "source_ids": ["source-0"],
        "max_files_open": 5,
        "per_file_view_window_char_limit": 200,
        "file": {"sources": [FOLDER], "files": []},
    }


def listed(text: str, size: int) -> str:
    return (
        "<directories>\n<file_limits>\n- current_files_open=1\n- max_files_open=5\n</file_limits>\n"
        '<directory name="docs">\n<description>All papers.</description>\n'
        '<file status="open" name="docs/open.md">\n<metadata>\n- read_only=true\n'
        f"- chars_current={size}\n- chars_limit=200\n</metadata>\n<value>\n{text}\n</value>\n</file>\n"
        '<file status="closed" name="docs/shut.md">\n<metadata>\n- read_only=true\n- chars_current=0\n'
        "- chars_limit=200\n</metadata>\n</file>\n</directory>\n</directories>"
    )


async def test_that_open_files_are_in_the_request_and_closed_ones_are_listed(desk: Desk) -> None:
    blocks = [block(0, "a", "x")]
    value, prompt = prompted(
        memory(plain("a", "x")),
        listed("1: Fresh text.", 14),
        METADATA,
        blocks=blocks,
        **with_files("1: Fresh text."),
    )
    request = await request_of(desk, value)
    assert request.system == prompt
    (section,) = [each for each in request.sections if each.name == "directories"]
    assert section.tokens > 50
    assert [each.rule for each in section.pieces] == ["section_of_layout"]


async def test_that_open_files_count_as_the_file_has_them_where_the_compiled_prompt_is_older(
    desk: Desk,
) -> None:
    blocks = [block(0, "a", "x")]
    old = listed("1: Old text.", 12)
    value, prompt = prompted(
        memory(plain("a", "x")), old, METADATA, blocks=blocks, **with_files("1: New text.")
    )
    assert (await request_of(desk, value)).system == prompt.replace(old, listed("1: New text.", 12))
    value, prompt = prompted(memory(plain("a", "x")), METADATA, blocks=blocks, **with_files("long " * 100))
    system = (await request_of(desk, value)).system or ""
    note = "...[TRUNCATED]\n# NOTE: This block is truncated, use functions to view the full content."
    shown = ("long " * 100)[: 200 - len(note)] + note
    assert system == prompt.replace(METADATA, f"{listed(shown, 200)}\n\n{METADATA}")


MARKED = "Be kind.\n\n{CORE_MEMORY}\n\nAnd be brief."


async def test_that_memory_stands_where_the_system_text_has_its_mark(desk: Desk) -> None:
    value, _ = prompted(memory(plain("a", "x")), METADATA, blocks=[block(0, "a", "x")], system=MARKED)
    prompt = MARKED.replace("{CORE_MEMORY}", f"{memory(plain('a', 'x'))}\n\n{METADATA}")
    value["agents"][0]["messages"][0]["content"][0]["text"] = prompt
    assert (await request_of(desk, value)).system == prompt
    del value["agents"][0]["messages"][0]
    assert (await request_of(desk, value)).system == prompt.replace(f"{METADATA}\n\n", "")


async def test_that_the_mark_goes_out_again(desk: Desk) -> None:
    value, _ = prompted(blocks=[], system=MARKED)
    source, target = desk.place(".af"), desk.place(".constellation")
    source.write_text(json.dumps(value))
    await desk.bring_in(source, target)
    exported = json.loads((await desk.exported(target, LETTA)).read_bytes())
    assert exported["agents"][0]["system"] == MARKED


async def test_that_blocks_of_a_second_agent_stand_in_its_own_order(desk: Desk) -> None:
    blocks = [block(0, "b"), block(1, "a"), block(2, "z")]
    one = agent(0, block_ids=["block-0", "block-2"], messages=[])
    other = agent(1, block_ids=["block-0", "block-1", "block-2"], messages=[])
    request = await request_of(desk, file_of(one, other, blocks=blocks), 1)
    shown = memory(plain("b", "something"), plain("a", "something"), plain("z", "something"))
    assert request.system == f"Be brief.\n\n{shown}"


async def test_that_an_edit_changes_the_block_and_nothing_else_and_lint_tells_the_difference(
    desk: Desk,
) -> None:
    blocks = [block(0, "a", "x"), block(1, "b", "y")]
    value, prompt = prompted(memory(plain("a", "x"), plain("b", "y")), METADATA, blocks=blocks)
    source, target = desk.place(".af"), desk.place(".constellation")
    source.write_text(json.dumps(value))
    await desk.bring_in(source, target)

    async def edit(engine: Engine) -> None:
        agents, _ = await engine.agents.list()
        agent_id = agents[0].id
        before = await engine.context.request(agent_id, SPEC)
        assert await engine.inspection.lint(agent_id, SPEC) == ()
        compiled = await engine.inspection.compiled(agent_id, before)
        assert (await engine.inspection.diff(compiled, before)).changes == ()
        states = {each.block.label: each.block.id for each in await engine.memory.list()}
        change = Edit(Ref(RefKind.BLOCK, states["a"]), SetText("quite another text"))
        await engine.apply([Intent(change, engine.actor, "")])
        after = await engine.context.request(agent_id, SPEC)
        assert after.system == prompt.replace(plain("a", "x"), plain("a", "quite another text"))
        found = await engine.inspection.diff(await engine.inspection.compiled(agent_id, after), after)
        assert [(each.kind, each.source.label) for each in found.changes] == [("changed", "a")]
        assert found.delta == after.tokens - before.tokens
        rules = [each.rule for each in await engine.inspection.lint(agent_id, SPEC)]
        assert rules == [LintRule.COMPILED_DIFFERS]

    await desk.change(target, edit)


async def test_that_all_messages_in_context_are_sent_however_many_they_are(desk: Desk) -> None:
    messages: list[dict[str, Any]] = []
    for number in range(140):
        messages.append({"id": f"message-{2 * number}", **user(f"{number} " + "word " * 700)})
        messages.append({"id": f"message-{2 * number + 1}", **assistant("well")})
    settings = {**agent()["llm_config"], "context_window": 128_000, "model": "gpt-4o"}
    record = agent(
        messages=messages, in_context_message_ids=[each["id"] for each in messages], llm_config=settings
    )
    request = await request_of(desk, file_of(record))
    assert len(request.messages) == 280
    assert request.left_out == ()


@pytest.mark.parametrize(("window", "reply"), [(128_000, 64_000), (10_000, 6_000)])
async def test_that_the_longest_reply_is_the_reserve(desk: Desk, window: int, reply: int) -> None:
    settings = {**agent()["llm_config"], "context_window": window, "max_tokens": reply, "model": "gpt-5"}
    request = await request_of(desk, file_of(agent(llm_config=settings)))
    assert (request.limits.max_tokens, request.limits.reserved_response_tokens) == (window, reply)
