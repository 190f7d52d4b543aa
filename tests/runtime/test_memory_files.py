"""The tool with the commands of Anthropic's memory tool: files are blocks, and a path and a label are one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.blocks import BlockType, Permission
from inspector.domain.content import TextContent
from inspector.domain.edits.block_rows import AttachBlock
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.tools.memory_files import label_of, path_of
from tests.runtime.turn_world import TickingClock, called, made_agent, made_block, put, rendered


@pytest.fixture
def clock() -> TickingClock:
    """Noon, and a little later each time."""
    return TickingClock()


async def test_that_memory_files_are_blocks(opened: Engine) -> None:
    agent, other = await made_agent(opened), await made_agent(opened, "Eve")

    async def memory(command: str, **arguments: Any) -> str:
        outcome = await called(opened, agent, "memory", command=command, **arguments)
        return f"{'!' if outcome.is_error else ''}{outcome.content}"

    path = "/memories/notes.md"
    assert (
        await memory("create", path=path, file_text="one\ntwo\n") == f"File created successfully at: {path}"
    )
    assert (await memory("create", path=path, file_text="x")).startswith("!File")
    state = await opened.memory.find(agent.id, "notes")
    assert state is not None
    assert state.content == TextContent("one\ntwo\n")
    assert f"\t{path}" in await memory("view", path="/memories")
    assert "     2\ttwo" in await memory("view", path=path)
    assert "one" not in await memory("view", path=path, view_range=[2, -1])
    await memory("insert", path=path, insert_line=1, insert_text="one and a half")
    await memory("str_replace", path=path, old_str="two", new_str="2")
    assert await rendered(opened, state.block.id) == "one\none and a half\n2\n"
    assert "in lines: 1, 2." in await memory("str_replace", path=path, old_str="one", new_str="1")
    assert "did not appear" in await memory("str_replace", path=path, old_str="three", new_str="3")
    await memory("rename", old_path=path, new_path="/memories/facts.md")
    found = await opened.memory.find(agent.id, "facts")
    assert found is not None
    assert found.block.id == state.block.id
    assert "does not exist" in await memory("view", path=path)
    await memory("delete", path="/memories/facts.md")
    kept = await opened.memory.get(state.block.id)
    assert kept is not None
    assert (kept.block.is_active, kept.block.block_type) == (True, BlockType.ARCHIVAL)
    assert "facts" not in await memory("view", path="/memories")
    assert (
        await memory("create", path="/memories/facts.md", file_text="new")
        == "File created successfully at: /memories/facts.md"
    )
    assert await rendered(opened, state.block.id) == "new"
    shared = await made_block(opened, other, "news", content=TextContent("Rain."))
    await put(opened, Ref(RefKind.BLOCK, shared), AttachBlock(agent.id, Permission.READ_ONLY))
    assert "Rain." in await memory("view", path="/memories/shared/news.md")
    assert "read_only" in await memory(
        "insert", path="/memories/shared/news.md", insert_line=0, insert_text="x"
    )
    assert "must start with" in await memory("view", path="/etc/passwd")
    assert "would escape" in await memory("view", path="/memories/../etc/passwd.md")


@given(
    st.text(min_size=1).filter(lambda text: not any(0xD800 <= ord(each) < 0xE000 for each in text)),
    st.booleans(),
)
def test_that_a_path_and_a_label_stand_for_each_other(label: str, shared: bool) -> None:
    path = path_of(label, shared=shared)
    assert label_of(path) == (label, shared)
    assert "/" not in path.removeprefix("/memories/").removeprefix("shared/")
