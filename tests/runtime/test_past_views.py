"""Requests of the past: views as of a moment, and what was sent held against a build of its own moment."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import ContextConfig, Tool, ToolRuleKind
from inspector.domain.blocks import BlockType, Permission
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import (
    AttachBlock,
    CreateBlock,
    DeleteBlock,
    DeleteRow,
    DetachBlock,
    RestoreRow,
    SetDescription,
    SetLabel,
    SetPinned,
)
from inspector.domain.edits.rows import (
    AppendMessage,
    ArchiveMessage,
    ConfigureAgent,
    CreateAgent,
    EditMessage,
    EditSummary,
    LogEvent,
    PutLayout,
    PutTool,
    PutToolRule,
    StoreRun,
    StoreSummary,
)
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import NotFoundError
from inspector.domain.limits import Hysteresis, LimitOverrides
from inspector.domain.messages import Role, TextPart
from inspector.domain.past_requests import PresentValue, RebuildVerdict
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import ExtraSection, RequestSpec, Snapshot
from inspector.domain.summaries import PositionRange
from inspector.runtime.catalogues import shipped_layouts
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.fixtures import NOOR, HeldClock, OpenEngine, opened_engine
from tests.full_constellation import copy_sample

ADA, BOB = "agt_ada", "agt_bob"
TOOL = Tool("find", "Finds.", '{"type":"object","properties":{}}')


class World:
    """Two agents with a little of everything, each step a minute after the one before."""

    def __init__(self, engine: Engine, clock: HeldClock) -> None:
        self.engine = engine
        self.clock = clock

    async def do(self, ref: Ref, operation: Operation, actor: Actor = NOOR) -> None:
        self.clock.advance(minutes=1)
        await self.engine.apply([Intent(Edit(ref, operation), actor)])

    async def block(self, name: str, operation: Operation) -> None:
        await self.do(Ref(RefKind.BLOCK, f"blk_{name}"), operation)

    async def say(self, number: int, text: str, *, agent: str = ADA) -> None:
        for role in (Role.USER, Role.ASSISTANT):
            message = Ref(RefKind.MESSAGE, f"msg_{number}_{role.value}")
            parts = (TextPart(f"{text} {role.value}"),)
            await self.do(message, AppendMessage(agent, f"bat_{number}", role, parts))

    async def send(self, spec: RequestSpec | None = None, kind: str = "turn") -> str:
        """Store what would be sent now, as a run."""
        self.clock.advance(minutes=1)
        now = self.clock()
        request = await self.engine.context.request(ADA, replace(spec or RequestSpec(now), now=now))
        manifest = self.engine.context.manifest_text(request)
        operation = StoreRun(
            ADA, kind, request.model, request.text, manifest, history_state=request.history_state
        )
        edit = Edit(Ref(RefKind.RUN, f"run_{now:%H%M%S}"), operation)
        (receipt,) = await self.engine.apply([Intent(edit, NOOR, at=now)])
        return receipt.ref.id

    async def request(self) -> Request:
        return await self.engine.context.request(ADA, RequestSpec(self.clock()))

    async def view(self) -> Snapshot:
        return await self.engine.context.snapshot(ADA)


@pytest.fixture
def one(engine: OpenEngine, clock: HeldClock) -> AbstractAsyncContextManager[World]:
    """A world that is open during the test."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[World]:
        async with engine() as opened_engine:
            made = World(opened_engine, clock)
            await begin(made)
            yield made

    return opened()


async def begin(world: World) -> None:
    for agent in (ADA, BOB):
        create = CreateAgent(agent, f"I am {agent}.", ("Be brief.",), "openai", "gpt-4o", tools=("find",))
        await world.do(Ref(RefKind.AGENT, agent), create)
    await world.do(Ref(RefKind.TOOL, "find"), PutTool(TOOL))
    for owner, name in ((ADA, "a"), (ADA, "b"), (BOB, "shared")):
        create_block = CreateBlock(
            owner, name, block_type=BlockType.WORKING, content=TextContent(f"first {name}")
        )
        await world.block(name, create_block)
    await world.block("shared", AttachBlock(ADA))
    await world.say(1, "one")
    await world.do(
        Ref(RefKind.SUMMARY, "sum_1"),
        StoreSummary(ADA, "Summary.", (), world.clock(), world.clock(), 2, covers=PositionRange(1, 2)),
    )
    await world.do(Ref(RefKind.EVENT, "evt_1"), LogEvent(BOB, "heartbeat", "{}"))


async def change_everything(world: World) -> None:
    await world.block("a", SetText("second a"))
    await world.block("a", AppendText(" and more"))
    await world.block("a", SetLabel("renamed"))
    await world.block("a", SetPinned(True))
    await world.block("a", SetDescription("described"))
    await world.block("b", DeleteBlock())
    create = CreateBlock(ADA, "new", block_type=BlockType.CORE, content=TextContent("new"))
    await world.block("new", create)
    await world.block("shared", SetText("second shared"))
    await world.block("shared", DetachBlock(ADA))
    await world.do(Ref(RefKind.TOOL, "find"), PutTool(replace(TOOL, description="Finds more.")))
    await world.do(Ref(RefKind.TOOL_RULE, "rul_1"), PutToolRule(ADA, "find", ToolRuleKind.CONTINUE))
    await world.do(Ref(RefKind.AGENT, ADA), ConfigureAgent(name="Ada!", persona="Another.", tools=()))
    await world.do(Ref(RefKind.AGENT, BOB), ConfigureAgent(name="Bob!"))
    await world.do(Ref(RefKind.MESSAGE, "msg_1_user"), EditMessage((TextPart("edited"),)))
    await world.do(Ref(RefKind.MESSAGE, "msg_1_assistant"), ArchiveMessage())
    await world.say(2, "two")
    await world.do(Ref(RefKind.MESSAGE, "msg_1_user"), DeleteRow())
    await world.do(Ref(RefKind.SUMMARY, "sum_1"), EditSummary(content="Other summary."))
    await world.do(Ref(RefKind.SUMMARY, "sum_1"), DeleteRow())
    await world.do(Ref(RefKind.EVENT, "evt_2"), LogEvent(BOB, "heartbeat", "{}"))


async def test_that_a_view_as_of_a_moment_is_the_view_of_then(one: World, clock: HeldClock) -> None:
    then, moment, request = await one.view(), clock(), await one.request()
    await change_everything(one)
    past = await one.engine.past.at(ADA, moment)
    found = past.snapshot
    for name in ("agent", "own", "history", "summaries", "tools", "tool_rules", "agent_names", "events"):
        assert getattr(found, name) == getattr(then, name), name
    assert [each.state.content for each in found.shared] == [each.state.content for each in then.shared]
    assert [each.attachment for each in found.shared] == [each.attachment for each in then.shared]
    assert past.request.text == request.text
    assert past.doubts == ()
    assert (await one.request()).text != request.text


async def test_that_every_moment_on_the_way_can_be_gone_back_to(
    one: World, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Any, str]] = []
    do = one.do

    async def watched(*given: Any) -> None:
        seen.append((clock(), (await one.request()).text))
        await do(*given)

    monkeypatch.setattr(one, "do", watched)
    await change_everything(one)
    assert len(seen) > 20
    for moment, text in seen:
        assert (await one.engine.past.at(ADA, moment)).request.text == text


async def test_that_a_sent_request_is_reproduced_after_everything_has_changed(one: World) -> None:
    run = await one.engine.past.run(ADA, await one.send())
    assert (await one.engine.past.rebuild(run)).today is PresentValue.SAME
    await one.say(2, "two")
    assert (await one.engine.past.rebuild(run)).today is PresentValue.GROWN
    await change_everything_but_messages(one)
    found = await one.engine.past.rebuild(run)
    assert (found.verdict, found.today, found.difference) == (
        RebuildVerdict.REPRODUCED,
        PresentValue.DIFFERS,
        None,
    )
    assert found.logged is not None
    assert found.request is not None
    assert found.logged.text == found.request.text
    assert found.logged.tokens == found.request.tokens


async def change_everything_but_messages(world: World) -> None:
    await world.block("a", SetText("second a"))
    await world.do(Ref(RefKind.AGENT, ADA), ConfigureAgent(persona="Another."))


async def test_that_what_was_sent_otherwise_differs_at_the_first_place(one: World, clock: HeldClock) -> None:
    request = await one.request()
    other = request.text.replace("first a", "other a")
    manifest = one.engine.context.manifest_text(request)
    operation = StoreRun(ADA, "turn", request.model, other, manifest)
    await one.engine.apply([Intent(Edit(Ref(RefKind.RUN, "run_x"), operation), NOOR, at=clock())])
    found = await one.engine.past.rebuild(await one.engine.past.run(ADA, "run_x"))
    assert found.verdict is RebuildVerdict.DIFFERS
    assert found.difference is not None
    assert found.difference.offset == request.text.index("first a")
    assert found.difference.piece_id == "block:blk_a"
    assert "other a" in found.difference.before
    assert "first a" in found.difference.after


async def test_that_what_the_caller_gave_cannot_be_reconstructed_and_is_named(one: World) -> None:
    spec = RequestSpec(one.engine.surroundings.clock(), extra_sections=(ExtraSection("Weather", "Rain."),))
    run = await one.engine.past.run(ADA, await one.send(spec))
    found = await one.engine.past.rebuild(run)
    assert found.verdict is RebuildVerdict.NOT_RECONSTRUCTABLE
    assert [each.code for each in found.doubts] == ["past.given_by_caller"]


async def test_that_a_damaged_account_is_told_and_nothing_is_claimed(one: World, clock: HeldClock) -> None:
    for name, manifest in (("run_a", "{}"), ("run_b", '{"sections": []}')):
        operation = StoreRun(ADA, "turn", "gpt-4o", "text", manifest)
        await one.engine.apply([Intent(Edit(Ref(RefKind.RUN, name), operation), NOOR, at=clock())])
        found = await one.engine.past.rebuild(await one.engine.past.run(ADA, name))
        assert found.verdict is RebuildVerdict.NOT_RECONSTRUCTABLE
        assert [each.code for each in found.doubts] == ["malformed.manifest"]
        assert found.request is None


async def test_that_there_was_nothing_before_the_first_change(one: World, clock: HeldClock) -> None:
    with pytest.raises(NotFoundError) as caught:
        await one.engine.past.at(ADA, clock().replace(year=2020))
    assert caught.value.code == "not_found.moment"


async def test_that_an_agent_was_not_there_before_it_was_made(one: World, clock: HeldClock) -> None:
    before = clock()
    await one.do(Ref(RefKind.AGENT, "agt_late"), CreateAgent("Late", model="gpt-4o"))
    with pytest.raises(NotFoundError) as caught:
        await one.engine.past.at("agt_late", before)
    assert caught.value.code == "not_found.agent_then"


async def test_that_a_tool_that_was_archived_and_offered_again_was_away_between(
    one: World, clock: HeldClock
) -> None:
    ref = Ref(RefKind.TOOL, "find")
    await one.do(ref, DeleteRow())
    away = clock()
    await one.do(ref, PutTool(replace(TOOL, description="Anew.")))
    await one.do(ref, DeleteRow())
    await one.do(ref, RestoreRow())
    assert (await one.engine.past.at(ADA, away)).snapshot.tools == ()
    assert [each.description for each in (await one.view()).tools] == ["Anew."]


async def test_that_changes_dated_back_are_told_and_the_order_of_making_counts(
    one: World, clock: HeldClock
) -> None:
    moment = clock()
    await one.block("a", SetText("later"))
    edit = Edit(Ref(RefKind.BLOCK, "blk_b"), SetText("dated back"))
    await one.engine.apply([Intent(edit, NOOR, at=moment)])
    past = await one.engine.past.at(ADA, moment)
    assert [each.code for each in past.doubts] == ["past.out_of_order"]
    assert "later" in past.request.text


async def test_that_an_agents_own_edit_is_told_as_activity_only_from_then_on(
    one: World, clock: HeldClock
) -> None:
    before = clock()
    text = (await one.request()).text
    agent = Actor(ActorKind.AGENT, BOB, "Bob")
    await one.do(Ref(RefKind.BLOCK, "blk_shared"), SetText("by Bob"), agent)
    assert (await one.engine.past.at(ADA, before)).request.text == text


async def test_that_looking_back_changes_no_byte_of_the_file(
    one: World, clock: HeldClock, tmp_db_dir: Path
) -> None:
    moment = clock()
    await one.send()
    await change_everything(one)
    before = (tmp_db_dir / "test.constellation").read_bytes()
    await one.engine.past.at(ADA, moment)
    await one.engine.past.rebuild(await one.engine.past.run(ADA, "last"))
    assert (tmp_db_dir / "test.constellation").read_bytes() == before


async def test_that_both_sent_requests_of_the_sample_come_out_right(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    async with opened_engine(
        await copy_sample(tmp_db_dir / "sample.constellation", surroundings), surroundings
    ) as one:
        agents, _ = await one.agents.list()
        ada = next(agent for agent in agents if agent.name == "Ada")
        found = [await one.past.rebuild(run) for run in await one.past.runs(ada.id)]
    assert [each.verdict for each in found] == [RebuildVerdict.REPRODUCED, RebuildVerdict.REPRODUCED]
    # Blocks were edited after the first; after the second only its reply came.
    assert [each.today for each in found] == [PresentValue.DIFFERS, PresentValue.GROWN]


async def test_that_levels_of_sharing_are_those_of_then(one: World, clock: HeldClock) -> None:
    before = clock()
    await one.block("shared", AttachBlock(ADA, Permission.READ_WRITE))
    then = (await one.engine.past.at(ADA, before)).snapshot
    assert [each.level for each in then.shared] == [Permission.READ_ONLY]
    assert [each.level for each in (await one.view()).shared] == [Permission.READ_WRITE]


async def test_that_shortened_histories_are_reproduced_with_the_state_that_each_was_built_from(
    one: World,
) -> None:
    config = ContextConfig(limits=LimitOverrides(history_tokens=120), strategy=Hysteresis(0.95, 0.5))
    await one.do(Ref(RefKind.AGENT, ADA), ConfigureAgent(config=config))
    runs = []
    for number in range(2, 14):
        await one.say(number, f"turn {number} with some words in it")
        runs.append(await one.send())
    found = [await one.engine.past.rebuild(await one.engine.past.run(ADA, run)) for run in runs]
    assert {each.verdict for each in found} == {RebuildVerdict.REPRODUCED}
    firsts = {each.request.messages[0].id for each in found if each.request is not None}
    assert 1 < len(firsts) < len(found)


async def test_that_a_layout_of_the_file_is_the_one_of_then(one: World) -> None:
    ref = Ref(RefKind.LAYOUT, "mine")
    mine = replace(shipped_layouts()["standard"], name="mine")
    await one.do(ref, PutLayout(mine))
    await one.do(Ref(RefKind.AGENT, ADA), ConfigureAgent(config=ContextConfig(layout="mine")))
    run = await one.engine.past.run(ADA, await one.send())
    await one.do(ref, PutLayout(replace(mine, join="\n\n***\n\n")))
    found = await one.engine.past.rebuild(run)
    assert (found.verdict, found.today) == (RebuildVerdict.REPRODUCED, PresentValue.DIFFERS)
    await one.do(Ref(RefKind.AGENT, ADA), ConfigureAgent(config=ContextConfig()))
    await one.do(ref, DeleteRow())
    found = await one.engine.past.rebuild(run)
    assert (found.verdict, found.today) == (RebuildVerdict.REPRODUCED, PresentValue.UNKNOWN)
