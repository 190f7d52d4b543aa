"""The open file as the window shows it: drafts, figures, agents, what others write."""

import asyncio
import itertools
from dataclasses import replace

from inspector.domain.agents import AgentStatus
from inspector.domain.blocks import DEFAULT_CHAR_LIMIT
from inspector.domain.changes import FileMoved, Health
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow, SetCharLimit, SetPinned
from inspector.domain.edits.rows import ConfigureAgent, PutLayout
from inspector.domain.edits.text import SetText
from inspector.domain.layouts import Layout, SectionLayout, Wrapper
from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf
from inspector.ui.file_state import What
from tests.ui import values
from tests.ui.conftest import OpenFile
from tests.ui.world import GRACE, LINUS, ONCALL, PERSONA, QUESTIONS, STORED, UNKNOWN_MODEL, Spy

DRAFT = Edit(QUESTIONS, SetText("x"))
FAR_TOO_MUCH = "many words " * 20_000


async def test_that_a_draft_is_counted_at_once_and_kept(one: OpenFile) -> None:
    await one.open()
    workspace, kept = one.workspace, Spy(one.world.engine.drafts, "keep")
    saved = workspace.file.request
    assert saved is not None
    workspace.set_draft(DRAFT, TextContent("many words " * 100))
    await one.until(lambda: workspace.file.request is not saved)
    assert workspace.file.request is not None
    assert workspace.file.request.tokens > saved.tokens
    assert workspace.file.saved_request is saved
    assert [call.args for call in kept.calls] == [(DRAFT,)]
    dropped = Spy(one.world.engine.drafts, "drop")
    workspace.drop_draft(QUESTIONS.id)
    await one.until(lambda: workspace.file.request and workspace.file.request.tokens == saved.tokens)
    await one.until(lambda: [call.args for call in dropped.calls] == [(QUESTIONS,)])


async def test_that_what_is_saved_keeps_its_figures_while_a_draft_is_too_large(one: OpenFile) -> None:
    await one.open()
    workspace, saved = one.workspace, one.workspace.file.request
    workspace.set_draft(Edit(PERSONA, SetText(FAR_TOO_MUCH)), TextContent(FAR_TOO_MUCH))
    await one.until(lambda: workspace.file.request_problem is not None)
    assert workspace.file.request is None
    assert workspace.file.saved_request is saved
    workspace.drop_draft(PERSONA.id)
    await one.until(lambda: workspace.file.request is not None)
    assert workspace.file.request_problem is None


async def test_that_a_draft_that_fits_has_figures_though_what_is_saved_is_too_large(one: OpenFile) -> None:
    await one.world.change_file(Edit(PERSONA, SetCharLimit(0)), Edit(PERSONA, SetText(FAR_TOO_MUCH)))
    one.workspace.open(one.world.path)
    await one.until(lambda: one.workspace.file.request_problem is not None)
    workspace = one.workspace
    assert [each.code for each in workspace.file.problems] == [workspace.file.request_problem.code]  # type: ignore[union-attr]
    assert not one.failures
    assert workspace.file.saved_request is None
    workspace.set_draft(Edit(PERSONA, SetText("less")), TextContent("less"))
    await one.until(lambda: workspace.file.request is not None)
    assert workspace.file.request_problem is None
    assert workspace.file.saved_request is None


async def test_that_typing_during_a_build_makes_one_more_build_with_the_newest_draft(one: OpenFile) -> None:
    await one.open()
    builds = one.builds
    builds.gate.clear()
    before = len(builds.calls)
    for number in range(50):
        one.workspace.set_draft(DRAFT, TextContent("a" * number))
        await asyncio.sleep(0)
    assert len(builds.calls) == before + 1
    builds.gate.set()
    await one.calm()
    assert len(builds.calls) == before + 2
    assert builds.calls[-1].args[2] == {QUESTIONS.id: TextContent("a" * 49)}


async def test_that_the_figures_come_though_typing_never_pauses(one: OpenFile) -> None:
    await one.open()
    news: list[object] = []
    one.workspace.changed.connect(lambda what: news.append(what) if what & What.REQUEST else None)
    typed = itertools.count()
    async with asyncio.timeout(10):
        while len(news) <= 4:
            one.workspace.set_draft(DRAFT, TextContent("a" * next(typed)))
            await asyncio.sleep(0.001)


async def test_that_a_change_from_elsewhere_is_read_and_marked_unseen(one: OpenFile) -> None:
    await one.open()
    file = one.workspace.file
    await one.world.write(QUESTIONS, SetText("theirs"))
    await one.until(lambda: one.content(QUESTIONS) == TextContent("theirs"))
    assert file.unseen == frozenset()
    assert one.workspace.file.unseen == {QUESTIONS.id}
    assert one.workspace.file.last_written is not None
    one.workspace.saw(QUESTIONS.id)
    assert one.workspace.file.unseen == frozenset()


async def test_that_ones_own_change_is_not_news(one: OpenFile) -> None:
    await one.open()
    one.workspace.edit(QUESTIONS.id, SetText("mine"))
    await one.until(lambda: one.workspace.file.last_written and one.content(QUESTIONS) == TextContent("mine"))
    assert one.workspace.file.unseen == frozenset()


async def test_that_another_agent_is_shown_with_its_own_request(one: OpenFile) -> None:
    await one.open()
    one.workspace.try_out(WhatIf(model="claude-sonnet-5"))
    one.workspace.show_agent(LINUS.id)
    assert one.workspace.file.request is None
    await one.until(lambda: one.workspace.file.request)
    assert one.workspace.file.request is not None
    assert one.workspace.file.request.agent_id == LINUS.id
    assert one.workspace.file.what_if == WhatIf()
    assert UNKNOWN_MODEL in [each.parameters.get("model") for each in one.workspace.file.problems]


async def test_that_a_what_if_asks_for_another_build_and_stores_nothing(one: OpenFile) -> None:
    await one.open()
    one.workspace.try_out(WhatIf(model="claude-sonnet-5", layout="xml"))
    await one.until(
        lambda: (
            one.workspace.file.request is not None and one.workspace.file.request.model == "claude-sonnet-5"
        )
    )
    assert one.workspace.file.request is not None
    assert one.workspace.file.request.layout == "xml"
    assert one.workspace.file.last_written is None


async def test_that_a_layout_of_ones_own_can_be_chosen_as_soon_as_it_is_stored(one: OpenFile) -> None:
    await one.open()
    shipped = one.workspace.file.layouts
    mine = Ref(RefKind.LAYOUT, "mine")
    layout = Layout("mine", "", "\n\n", Wrapper.ELEMENT, (SectionLayout("persona"),))
    one.workspace.apply([Edit(mine, PutLayout(layout))])
    await one.until(lambda: one.workspace.file.layouts == (*shipped, "mine"))
    one.workspace.apply([Edit(mine, DeleteRow())])
    await one.until(lambda: one.workspace.file.layouts == shipped)
    await one.workspace.close()
    assert one.workspace.file.layouts == ()


async def test_that_an_edit_carries_its_circumstances(one: OpenFile) -> None:
    await one.open()
    one.workspace.save(
        Edit(QUESTIONS, SetText("y")), lambda _: None, lambda _: False, reason="because", unlock=True
    )
    await one.until(lambda: one.content(QUESTIONS) == TextContent("y"))
    written = one.workspace.file.blocks[QUESTIONS.id].written
    assert written is not None
    assert (written.actor, written.reason) == (values.NOOR, "because")
    one.workspace.apply([Edit(QUESTIONS, SetPinned(True))], "tidy")
    await one.until(lambda: one.workspace.file.blocks[QUESTIONS.id].block.pinned)


async def test_that_a_refused_edit_names_the_block(one: OpenFile) -> None:
    await one.open()
    one.workspace.edit(QUESTIONS.id, SetText("y" * (DEFAULT_CHAR_LIMIT + 1)))
    await one.until(lambda: one.failures)
    assert "open_questions" in one.failures[0].happened


async def test_that_drafts_of_last_time_come_back(one: OpenFile) -> None:
    draft = replace(DRAFT, base=await one.world.version())
    await one.world.change_file(drafts=(draft,))
    await one.open()
    work = one.workspace.file.drafts.get(QUESTIONS.id)
    assert work is not None
    assert work.restored
    request = one.workspace.file.request
    assert request is not None
    assert STORED not in request.text


async def test_that_health_comes_and_goes_and_a_moved_file_is_shown(one: OpenFile) -> None:
    await one.open()
    feed = one.world.engine.database.feed
    health = Health("health.pending_updates", QUESTIONS, (("count", "2"),))
    feed.publish(health)
    await one.until(lambda: one.workspace.file.problems)
    assert one.workspace.file.problems[0].where == str(QUESTIONS)
    feed.publish(replace(health, resolved=True))
    feed.publish(FileMoved("deleted"))
    await one.until(lambda: one.workspace.file.moved and not one.workspace.file.problems)


async def test_that_agents_are_read_again_when_one_is_archived(one: OpenFile) -> None:
    await one.open()
    agent = one.workspace.file.agent
    assert agent is not None
    await one.world.write(
        Ref(RefKind.AGENT, agent.id), ConfigureAgent(status=AgentStatus.ARCHIVED), values.NOOR
    )
    await one.until(lambda: one.workspace.file.agent_id == GRACE.id)
    assert len(one.workspace.file.agents) == 2


async def test_that_every_state_of_a_draft_is_written_in_order_and_settled_at_the_end(one: OpenFile) -> None:
    await one.open()
    kept = Spy(one.world.engine.drafts, "keep")
    for number in range(100):
        one.workspace.set_draft(Edit(QUESTIONS, SetText(str(number))), TextContent(str(number)))
        await asyncio.sleep(0.001)
    await one.workspace.settle()
    written = [call.args[0].operation for call in kept.calls]
    numbers = [int(operation.text) for operation in written]
    assert numbers == sorted(numbers)
    assert numbers[-1] == 99


async def test_that_a_dropped_draft_stays_dropped_though_it_was_being_written(one: OpenFile) -> None:
    await one.open()
    one.workspace.set_draft(DRAFT, TextContent("x"))
    one.workspace.drop_draft(QUESTIONS.id)
    await one.workspace.close()
    await one.open()
    assert one.workspace.file.drafts == {}


async def test_that_other_agents_get_their_figures_when_nothing_else_is_wanted(one: OpenFile) -> None:
    await one.open()
    assert one.workspace.file.counts.get(GRACE.id) is None
    await one.calm()
    one.workspace.count_others()
    await one.until(lambda: one.workspace.file.counts.get(LINUS.id))
    assert one.workspace.file.counts.get(GRACE.id)
    await one.calm()
    built = len(one.builds.calls)
    one.workspace.count_others()
    await one.calm()
    assert len(one.builds.calls) == built
    await one.world.write(ONCALL, SetText("Nobody."))
    await one.until(lambda: one.workspace.file.counts.get(GRACE.id) is None)
