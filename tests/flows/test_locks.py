"""In the middle of a write of ours nobody else can write, whatever our own program does meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.errors import InspectorError, MalformedError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import check_file, read_foreign
from tests.fixtures import NOOR, OpenEngine
from tests.lock_prober import others_find_it

ADA = "agt_ada"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="only POSIX drops locks when a file is closed")


async def poll(engine: Engine, surroundings: Environment) -> None:
    # Our own waits for the write to end, having looked at the file; one of a second window does not.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.2):
            await engine.database.poll()
    second = await Engine.open(engine.path, surroundings)
    await second.database.poll()
    await second.close()


async def check(engine: Engine, _: Environment) -> None:
    await check_file(engine.path)


async def copy(engine: Engine, _: Environment) -> None:
    await engine.save_copy(engine.path.with_name("copy.constellation"))


async def report(engine: Engine, _: Environment) -> None:
    engine.context.report(await engine.context.request(ADA))


async def open_again(engine: Engine, surroundings: Environment) -> None:
    await (await Engine.open(engine.path, surroundings)).close()


async def be_refused(engine: Engine, surroundings: Environment) -> None:
    engine.path.with_name("link.constellation").symlink_to(engine.path)
    await (await Engine.open(engine.path.with_name("link.constellation"), surroundings)).close()
    with pytest.raises(InspectorError):
        await Engine.open(engine.path.parent, surroundings)


async def import_it(engine: Engine, surroundings: Environment) -> None:
    for path in (engine.path, engine.path.with_name("hard.af")):
        if path != engine.path:
            os.link(engine.path, path)
        with pytest.raises(MalformedError) as caught:
            read_foreign(path)
        assert caught.value.code == "import.constellation"
    # Nobody writes a file that has two names.
    path.unlink()


async def leave_a_draft(engine: Engine, _: Environment) -> None:
    await engine.drafts.keep(Edit(Ref(RefKind.BLOCK, "blk_notes"), CreateBlock(ADA, "x")))
    await engine.drafts.left()


DOING: tuple[Callable[[Engine, Environment], Awaitable[None]], ...] = (
    poll,
    check,
    copy,
    report,
    open_again,
    be_refused,
    import_it,
    leave_a_draft,
)


async def furnish(engine: Engine) -> None:
    edits = (
        Edit(Ref(RefKind.AGENT, ADA), CreateAgent("Ada", "I am Ada.", provider="openai", model="gpt-4o")),
        Edit(Ref(RefKind.BLOCK, "blk_notes"), CreateBlock(ADA, "notes", content=TextContent("first"))),
    )
    await engine.apply([Intent(edit, NOOR) for edit in edits])


@pytest.mark.parametrize("do", DOING, ids=lambda do: do.__name__)
async def test_that_nobody_gets_between_though_we(
    opened: Engine, surroundings: Environment, do: Callable[[Engine, Environment], Awaitable[None]]
) -> None:
    await furnish(opened)
    async with opened.database.write() as tx:
        await tx.execute("UPDATE meta SET value = value")
        assert others_find_it(opened.path) == "locked"
        await do(opened, surroundings)
        assert others_find_it(opened.path) == "locked"
    assert others_find_it(opened.path) == "free"


async def test_that_reading_the_file_by_hand_would_let_them_in(engine: OpenEngine) -> None:
    """What the tests above would miss if they could not fail."""
    async with engine() as opened:
        await furnish(opened)
        async with opened.database.write() as tx:
            await tx.execute("UPDATE meta SET value = value")
            Path.open(opened.path, "rb").close()
            assert others_find_it(opened.path) == "free"


async def test_that_a_file_that_was_closed_can_be_read_again(
    engine: OpenEngine, surroundings: Environment
) -> None:
    async with engine() as opened:
        path = opened.path
    with pytest.raises(MalformedError) as caught:
        read_foreign(path)
    assert caught.value.parameters["why"] != "this file is open"
