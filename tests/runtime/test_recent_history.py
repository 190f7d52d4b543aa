"""The newest messages of a history are read and the others counted, whatever was done to either."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import ArchiveMessage, EditMessage
from inspector.domain.limits import Truncate
from inspector.domain.messages import (
    Batch,
    Message,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    is_sendable,
)
from inspector.domain.ref import Ref, RefKind
from inspector.domain.simulation import Overlay
from inspector.domain.snapshot import OlderMessages, RequestSpec, Snapshot
from inspector.runtime import context as runtime_context
from inspector.runtime import snapshots
from inspector.runtime.engine import Engine
from inspector.runtime.snapshots import Snapshots
from tests.conversation.builders import ADA, do, people, say
from tests.fixtures import HeldClock, OpenEngine

LEAST = 12


def views(engine: Engine) -> Snapshots:
    """Views that nobody has asked for yet."""
    return Snapshots(engine.database, engine.memory, engine.agents, engine.conversation, engine.layouts)


async def talk(engine: Engine, chance: Random, turns: range) -> None:
    """Turns with and without calls, some of them interleaved, some left open."""
    for number in turns:
        batch = f"b{number - chance.choice((0, 0, 0, 0, 1, 3))}"
        await say(engine, batch, Role.USER, f"question {number}")
        if chance.random() < 0.5:
            await say(engine, batch, Role.ASSISTANT, ToolCallPart(f"c{number}", "look", "{}"))
            if chance.random() < 0.8:
                await say(engine, batch, Role.TOOL, ToolResultPart(f"c{number}", "found"))
        await say(engine, batch, Role.ASSISTANT, f"answer {number}")


async def put_away(engine: Engine, chance: Random, count: int) -> None:
    """Archive, delete, restore and change messages anywhere."""
    whole = [each for batch in await engine.conversation.batches(ADA) for each in batch.messages]
    for message in chance.sample(whole, count):
        operations = (
            ArchiveMessage(True),
            ArchiveMessage(False),
            DeleteRow(),
            EditMessage((TextPart("other"),)),
        )
        await do(engine, RefKind.MESSAGE, message.id, chance.choice(operations))
        if chance.random() < 0.2:
            await do(engine, RefKind.MESSAGE, message.id, RestoreRow())


def messages(history: tuple[Batch, ...]) -> list[Message]:
    return [message for batch in history for message in batch.messages]


def check(recent: Snapshot, whole: tuple[Batch, ...]) -> None:
    """What was read is as it stands, nothing that may be sent is missing behind it, the others are counted."""
    history, older = recent.history, recent.older
    assert recent.message_count == len(messages(whole))
    if older is None:
        assert history == whole
        return
    by_id = {batch.id: batch for batch in whole}
    assert all(by_id[batch.id] == batch for batch in history)
    order = [batch.id for batch in whole]
    assert [batch.id for batch in history] == sorted((batch.id for batch in history), key=order.index)
    behind = order[order.index(history[0].id) :] if history else []
    read = {batch.id for batch in history}
    for batch in whole:
        if batch.id in behind and any(map(is_sendable, batch.messages)):
            assert batch.id in read
    left = [message for batch in whole if batch.id not in read for message in batch.messages]
    live = [message for message in left if is_sendable(message)]
    assert (older.live, older.archived, older.compiled) == (len(live), len(left) - len(live), 0)
    assert older.has_results == any(message.role is Role.TOOL for message in live)
    assert older.latest == max((message.created_at for message in live), default=None)


async def test_that_the_newest_messages_are_read_and_the_others_counted(opened: Engine) -> None:
    await people(opened)
    chance, counted = Random(7), 0
    await talk(opened, chance, range(1, 25))
    for _ in range(6):
        whole = await opened.conversation.batches(ADA)
        for least in (1, 5, LEAST, 40, 500):
            recent = await views(opened).of(ADA, least)
            check(recent, whole)
            counted += recent.older is not None
        await put_away(opened, chance, 8)
    assert counted > 10


async def test_that_a_view_follows_what_is_written_before_and_behind_it(opened: Engine) -> None:
    await people(opened)
    chance, kept = Random(11), views(opened)
    await talk(opened, chance, range(1, 20))
    for number in range(20, 44, 4):
        check(await kept.of(ADA, LEAST), await opened.conversation.batches(ADA))
        await talk(opened, chance, range(number, number + 4))
        check(await kept.of(ADA, LEAST), await opened.conversation.batches(ADA))
        await put_away(opened, chance, 3)
    found = await kept.of(ADA, LEAST)
    assert isinstance(found.older, OlderMessages)
    assert (await kept.of(ADA)).history == await opened.conversation.batches(ADA)
    assert (await kept.of(ADA, LEAST)).older is None


async def test_that_a_message_more_reads_no_other_one_again(opened: Engine) -> None:
    await people(opened)
    kept = views(opened)
    await talk(opened, Random(3), range(1, 20))
    before = await kept.of(ADA, LEAST)
    await say(opened, "new", Role.USER, "What now?")
    after = await kept.of(ADA, LEAST)
    assert after.older is before.older
    assert all(one is other for one, other in zip(before.history, after.history, strict=False))
    await say(opened, "new", Role.ASSISTANT, "Nothing.")
    assert len((await kept.of(ADA, LEAST)).history[-1].messages) == 2


async def test_that_a_view_of_a_long_conversation_lets_go_of_its_oldest_messages(
    opened: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "FEWEST_READ", LEAST)
    await people(opened)
    chance, kept, let_go = Random(17), views(opened), 0
    await talk(opened, chance, range(1, 10))
    before = await kept.of(ADA, LEAST)
    for number in range(10, 60):
        await talk(opened, chance, range(number, number + 1))
        after = await kept.of(ADA, LEAST)
        check(after, await opened.conversation.batches(ADA))
        assert len(messages(after.history)) <= 4 * LEAST
        let_go += len(after.history) < len(before.history)
        before = after
    assert let_go > 1
    # Who asked for all of them keeps all.
    await kept.of(ADA)
    await talk(opened, chance, range(60, 80))
    assert (await kept.of(ADA, LEAST)).history == await opened.conversation.batches(ADA)


def first_message(whole: tuple[Batch, ...]) -> Ref:
    return Ref(RefKind.MESSAGE, whole[0].messages[0].id)


def last_batch(whole: tuple[Batch, ...]) -> Ref:
    return Ref(RefKind.BATCH, whole[-1].id)


async def test_that_a_what_if_reads_as_much_as_its_builds_depend_on(
    engine: OpenEngine, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime_context, "FEWEST_READ", LEAST)
    async with engine() as opened:
        await people(opened, Truncate(keep_recent=6))
        await talk(opened, Random(5), range(1, 40))
        whole = await opened.conversation.batches(ADA)
    asked: Mapping[str, tuple[Overlay, bool]] = {
        "a smaller limit": (Overlay(strategy=Truncate(keep_recent=3)), True),
        "a larger limit": (Overlay(strategy=Truncate(keep_recent=20)), True),
        "no limit": (Overlay(strategy=Truncate(keep_recent=10_000)), False),
        "without the newest": (Overlay(dropped=frozenset({last_batch(whole)})), True),
        "a message of long ago": (Overlay(edited={first_message(whole): "Another beginning."}), False),
    }
    spec = RequestSpec(clock())
    for name, (overlay, is_cut) in asked.items():
        async with engine() as opened:
            found = await opened.context.simulate(ADA, overlay, spec)
            assert ((await opened.context.recent(ADA)).older is not None) == is_cut, name
            await opened.context.snapshot(ADA)
            expected = await opened.context.simulate(ADA, overlay, spec)
        assert found.before.text == expected.before.text, name
        assert found.after.text == expected.after.text, name
        assert (found.diff, found.in_vain) == (expected.diff, expected.in_vain), name
