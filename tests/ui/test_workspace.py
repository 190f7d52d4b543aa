"""The open file as the window knows it: drafts, figures, agents, what others write."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.changes import Change, FileMoved, Health
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Draft, Edit
from inspector.domain.edits.block_rows import SetPinned
from inspector.domain.edits.text import SetText
from inspector.domain.errors import BudgetError, Refusal, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.recovered_drafts import RestoredDraft
from inspector.ui.file_state import What, WhatIf
from tests.ui import invented
from tests.ui.conftest import Until
from tests.ui.fake_engine import EditOptions, FakeDoors
from tests.ui.workspace_builders import DRAFT, FILE, QUESTIONS, Desk

WORKER = Actor(ActorKind.AGENT, "agt_worker", "grace-worker")


@pytest.fixture
def desk(qloop: asyncio.AbstractEventLoop) -> Desk:
    return Desk(qloop)


def change(
    ref: Ref, seq: int = 5, *, own: bool = False, actor: Actor = WORKER, owner: str = invented.ADA
) -> Change:
    return Change(seq, "append_text", ref, actor, "", invented.NOW - timedelta(seconds=2), own, owner)


async def test_that_a_draft_is_counted_at_once_and_kept(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    workspace = desk.workspace
    saved = workspace.file.request
    assert saved is not None
    workspace.set_draft(DRAFT, TextContent("many words " * 100))
    await until(lambda: workspace.file.request is not saved)
    assert workspace.file.request is not None
    assert workspace.file.request.tokens > saved.tokens
    assert workspace.file.saved_request is saved
    assert desk.doors.kept == {"blk_questions": DRAFT}
    workspace.drop_draft("blk_questions")
    await until(
        lambda: (
            workspace.file.request and workspace.file.request.tokens == saved.tokens and not desk.doors.kept
        )
    )
    await desk.bridge.close()


async def test_that_what_is_saved_keeps_its_figures_while_a_draft_is_too_large(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    workspace, saved = desk.workspace, desk.workspace.file.request
    desk.doors.too_large = {"blk_questions"}
    workspace.set_draft(DRAFT, TextContent("far too much"))
    await until(lambda: workspace.file.request_problem is not None)
    assert workspace.file.request is None
    assert workspace.file.saved_request is saved
    workspace.drop_draft("blk_questions")
    await until(lambda: workspace.file.request is not None)
    assert workspace.file.request_problem is None
    await desk.bridge.close()


async def test_that_a_draft_that_fits_has_figures_though_what_is_saved_is_too_large(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    desk.doors.too_large = {""}
    opener = desk.opener
    opener.prepare = lambda _: desk.doors  # type: ignore[assignment]
    desk.workspace.open(FILE)
    await until(lambda: desk.workspace.file.request_problem is not None)
    workspace = desk.workspace
    assert workspace.file.saved_request is None
    workspace.set_draft(DRAFT, TextContent("less"))
    await until(lambda: workspace.file.request is not None)
    assert workspace.file.request_problem is None
    assert workspace.file.saved_request is None
    await desk.bridge.close()


async def test_that_typing_during_a_build_makes_one_more_build_with_the_newest_draft(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.doors.builds.clear()
    desk.doors.gate.clear()
    for number in range(50):
        desk.workspace.set_draft(DRAFT, TextContent("a" * number))
        await asyncio.sleep(0)
    assert len(desk.doors.builds) == 1
    desk.doors.gate.set()
    await until(lambda: len(desk.doors.builds) == 2)
    await asyncio.sleep(0.02)
    assert len(desk.doors.builds) == 2
    assert desk.doors.builds[-1][2] == {"blk_questions": TextContent("a" * 49)}
    await desk.bridge.close()


async def test_that_the_figures_come_though_typing_never_pauses(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    told: list[object] = []
    desk.workspace.changed.connect(lambda what: told.append(what) if what & What.REQUEST else None)
    for number in range(200):
        desk.workspace.set_draft(DRAFT, TextContent("a" * number))
        await asyncio.sleep(0.001)
    assert len(told) > 10
    await desk.bridge.close()


async def test_that_a_change_from_elsewhere_is_read_and_marked_unseen(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    changed: list[What] = []
    desk.workspace.changed.connect(lambda what: changed.append(what) if what & What.BLOCKS else None)
    desk.doors.states["blk_questions"] = invented.with_text("blk_questions", "theirs")
    desk.doors.tell(change(QUESTIONS))
    await until(lambda: changed)
    state = desk.workspace.file.blocks.get("blk_questions")
    assert state is not None
    assert state.content == TextContent("theirs")
    assert desk.workspace.file.unseen == {"blk_questions"}
    assert desk.workspace.file.last_written is not None
    desk.workspace.saw("blk_questions")
    assert desk.workspace.file.unseen == frozenset()
    await desk.bridge.close()


async def test_that_ones_own_change_is_not_news(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.doors.tell(change(QUESTIONS, own=True, actor=invented.NOOR))
    await until(lambda: desk.workspace.file.last_written)
    assert desk.workspace.file.unseen == frozenset()
    await desk.bridge.close()


async def test_that_another_agent_is_shown_with_its_own_request(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.workspace.try_out(WhatIf(model="claude-sonnet-5"))
    desk.workspace.show_agent(invented.LINUS)
    assert desk.workspace.file.request is None
    await until(lambda: desk.workspace.file.request)
    assert desk.workspace.file.request is not None
    assert desk.workspace.file.request.agent_id == invented.LINUS
    assert desk.workspace.file.what_if == WhatIf()
    assert [each.code for each in desk.workspace.file.problems] == ["unknown_model"]
    await desk.bridge.close()


async def test_that_a_what_if_asks_for_another_build_and_stores_nothing(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.workspace.try_out(WhatIf(model="claude-sonnet-5", layout="xml"))
    await until(lambda: desk.doors.builds[-1][1].model == "claude-sonnet-5")
    assert desk.doors.builds[-1][1].layout == "xml"
    assert desk.doors.intents == []
    await desk.bridge.close()


async def test_that_a_layout_of_ones_own_can_be_chosen_as_soon_as_it_is_stored(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    assert list(desk.workspace.file.layouts) == ["standard", "xml", "minimal"]
    desk.doors.layout_names.append("mine")
    desk.doors.tell(change(Ref(RefKind.LAYOUT, "mine")))
    await until(lambda: "mine" in desk.workspace.file.layouts)
    desk.doors.layout_names.remove("mine")
    desk.doors.tell(change(Ref(RefKind.LAYOUT, "mine")))
    await until(lambda: "mine" not in desk.workspace.file.layouts)
    await desk.workspace.close()
    assert tuple(desk.workspace.file.layouts) == ()
    await desk.bridge.close()


async def test_that_a_request_that_cannot_be_built_is_a_problem_not_a_failure(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.doors.fails = BudgetError("budget.too_large", piece="persona", needed=99, available=9)
    desk.workspace.rebuild()
    await until(lambda: desk.workspace.file.request is None)
    assert [each.code for each in desk.workspace.file.problems] == ["budget.too_large"]
    assert not desk.failures
    desk.doors.fails = None
    desk.workspace.rebuild()
    await until(lambda: desk.workspace.file.request)
    assert desk.workspace.file.problems == ()
    await desk.bridge.close()


async def test_that_an_edit_carries_its_circumstances(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    edit = Edit(QUESTIONS, SetText("y"))
    desk.workspace.save(edit, lambda _: None, lambda _: False, reason="because", unlock=True)
    desk.workspace.apply([Edit(QUESTIONS, SetPinned(True))], "tidy")
    await until(lambda: desk.doors.edits and desk.doors.intents)
    assert desk.doors.edits == [("blk_questions", SetText("y"), EditOptions("because", None, unlock=True))]
    assert (desk.doors.intents[0].actor, desk.doors.intents[0].reason) == (invented.NOOR, "tidy")
    await desk.bridge.close()


async def test_that_a_refused_edit_names_the_block(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.doors.fails = RefusedError(Refusal("refused.char_limit", {"limit": 5000, "length": 5001}))
    desk.workspace.edit("blk_questions", SetText("y"))
    await until(lambda: desk.failures)
    assert "open_questions" in desk.failures[0].happened
    await desk.bridge.close()


async def test_that_drafts_of_last_time_come_back(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    def prepare(path: Path) -> FakeDoors:
        doors = FakeDoors(path)
        doors.restored = (RestoredDraft(Draft(QUESTIONS, DRAFT, invented.NOW), TextContent("x")),)
        return doors

    desk.opener.prepare = prepare  # type: ignore[assignment]
    await desk.open(until)
    work = desk.workspace.file.drafts.get("blk_questions")
    assert work is not None
    assert work.restored
    assert desk.doors.builds[-1][2] == {"blk_questions": TextContent("x")}
    await desk.bridge.close()


async def test_that_health_comes_and_goes_and_a_moved_file_is_told(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.doors.tell(Health("health.pending_updates", QUESTIONS, (("count", "2"),)))
    await until(lambda: desk.workspace.file.problems)
    assert desk.workspace.file.problems[0].where == "block:blk_questions"
    desk.doors.tell(Health("health.pending_updates", QUESTIONS, resolved=True))
    desk.doors.tell(FileMoved("deleted"))
    await until(lambda: desk.workspace.file.moved and not desk.workspace.file.problems)
    await desk.bridge.close()


async def test_that_agents_are_read_again_when_one_is_made(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.doors.agent_ids.remove(invented.ADA)
    desk.doors.tell(change(Ref(RefKind.AGENT, invented.ADA)))
    await until(lambda: desk.workspace.file.agent and desk.workspace.file.agent.id == invented.GRACE)
    assert len(desk.workspace.file.agents) == 2
    await desk.bridge.close()


async def test_that_every_state_of_a_draft_is_written_in_order_and_settled_at_the_end(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    written: list[object] = []
    honest = desk.doors.keep

    async def slowly(edit: Edit) -> None:
        await asyncio.sleep(0.01)
        written.append(edit.operation)
        await honest(edit)

    desk.doors.keep = slowly  # type: ignore[method-assign]
    for number in range(100):
        desk.workspace.set_draft(Edit(QUESTIONS, SetText(str(number))), TextContent(str(number)))
        await asyncio.sleep(0.001)
    await desk.workspace.settle()
    await desk.bridge.close()
    assert written[-1] == SetText("99")
    assert 2 < len(written) < 100
    assert desk.doors.kept["blk_questions"].operation == SetText("99")


async def test_that_a_dropped_draft_stays_dropped_though_it_was_being_written(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.workspace.set_draft(DRAFT, TextContent("x"))
    desk.workspace.drop_draft("blk_questions")
    await desk.workspace.settle()
    assert desk.doors.kept == {}
    await desk.bridge.close()


async def test_that_other_agents_get_their_figures_when_nothing_else_is_wanted(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    assert desk.workspace.file.counts.get(invented.GRACE) is None
    await until(lambda: "Building the Request" not in desk.bridge.running)
    desk.workspace.count_others()
    await until(lambda: desk.workspace.file.counts.get(invented.LINUS))
    assert desk.workspace.file.counts.get(invented.GRACE)
    built = len(desk.doors.builds)
    desk.workspace.count_others()
    await asyncio.sleep(0.02)
    assert len(desk.doors.builds) == built
    desk.doors.tell(change(Ref(RefKind.BLOCK, "blk_oncall"), owner=invented.GRACE))
    await until(lambda: desk.workspace.file.counts.get(invented.GRACE) is None)
    await desk.bridge.close()
