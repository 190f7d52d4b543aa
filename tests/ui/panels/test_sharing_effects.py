"""What saving a shared block's draft changes for each agent that sees it, before it is saved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.blocks import ListSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DetachBlock, SetSchema
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.ui.sharing.effect_bar import EffectBar
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.values import ADA, GRACE, LINUS
from tests.ui.world import QUESTIONS, Spy

LEFT = Qt.MouseButton.LeftButton
WITH_ALL = (Edit(QUESTIONS, AttachBlock(GRACE)), Edit(QUESTIONS, AttachBlock(LINUS)))


async def worked_out(one: BlockTab) -> EffectBar:
    """The line on who sees the block, once all effects of the draft are worked out."""
    bar = one.panel.effects
    await one.until(lambda: bar.reader.is_read)
    return bar


def memory_tokens(request: Request) -> int:
    """The tokens of a Request but for its activity: saving adds a line to that."""
    return sum(section.tokens for section in request.sections if section.name != "activity")


async def requests(one: BlockTab) -> dict[str, Request]:
    """The Request of each agent as it is saved."""
    return {each: await one.world.engine.context.request(each) for each in (ADA, GRACE, LINUS)}


async def test_that_a_shared_block_is_saved_after_its_effect_on_three_agents_was_seen(
    open_tab: OpenTab,
) -> None:
    one = await open_tab(*WITH_ALL)
    bar = one.panel.effects
    await one.until(lambda: bar.button.text() == "Shared with 3 agents")
    assert bar.line.original == "Ada, Grace, Linus"
    before = await requests(one)
    one.type("Who signs the release notes, and by when? ", at=0)
    await worked_out(one)
    assert bar.line.original.startswith("Next Requests: Ada +")
    QTest.mouseClick(bar.button, LEFT)
    assert bar.table.isVisible()
    effects = dict(bar.reader.effects)
    assert list(effects) == [ADA, GRACE, LINUS]
    one.save()
    await one.until(lambda: not one.panel.work.is_dirty and not one.panel.work.is_saving)
    await one.calm()
    assert not bar.table.isVisible()
    assert bar.line.original == "Ada, Grace, Linus"
    after = await requests(one)
    for each, effect in effects.items():
        assert effect.delta == memory_tokens(after[each]) - memory_tokens(before[each]) > 0


async def test_that_the_list_says_which_pieces_fall_out_or_are_shortened(open_tab: OpenTab) -> None:
    filler = CreateBlock(GRACE, "filler", content=TextContent("word " * 2_000), char_limit=0)
    one = await open_tab(*WITH_ALL, Edit(Ref(RefKind.BLOCK, "blk_filler"), filler))
    bar = one.panel.effects
    for words, said in ((300, "Shortened: harbor/glossary-of-terms"), (1_200, "Falls out: open_questions")):
        one.editor.replace_range(0, 0, "every word counts " * words)
        await worked_out(one)
        assert bar.model.index(bar.model.find(GRACE).row(), 4).data() == said
    assert "3 pieces fall out" in bar.line.original


async def test_that_the_newest_draft_wins_and_older_work_is_cancelled(open_tab: OpenTab) -> None:
    one = await open_tab(*WITH_ALL)
    asked = Spy(one.world.engine.sharing, "effect_of_draft")
    asked.gate.clear()
    one.type("first", at=0)
    await one.until(lambda: asked.calls)
    one.type("second ")
    await one.until(lambda: len(asked.calls) > 1)
    asked.gate.set()
    bar = await worked_out(one)
    last = one.workspace.file.drafts[QUESTIONS.id].content
    assert [call.args[2][QUESTIONS.id] for call in asked.calls[-3:]] == [last] * 3
    assert list(bar.reader.effects) == [ADA, GRACE, LINUS]
    one.discard()
    await one.calm()
    assert bar.reader.effects == {}
    assert bar.line.original == "Ada, Grace, Linus"


async def test_that_an_agent_that_loses_the_block_meanwhile_is_affected_no_more(open_tab: OpenTab) -> None:
    one = await open_tab(*WITH_ALL)
    one.type("More. ", at=0)
    bar = await worked_out(one)
    await one.world.write(QUESTIONS, DetachBlock(LINUS))
    await one.until(lambda: bar.button.text() == "Shared with 2 agents")
    await worked_out(one)
    assert list(bar.reader.effects) == [ADA, GRACE]


async def test_that_a_block_of_one_agent_says_nothing_of_others(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("More. ", at=0)
    await one.calm()
    assert not one.panel.effects.isVisible()
    assert one.panel.effects.reader.effects == {}


async def test_that_the_list_of_effects_opens_and_closes_from_the_palette(open_tab: OpenTab) -> None:
    one = await open_tab(*WITH_ALL)
    await one.until(lambda: one.panel.effects.isVisible())
    actions = one.studio.contents.services.actions
    assert actions.row("sharing.effects").why_not() == "no unsaved changes"
    one.type("More. ", at=0)
    assert actions.run("sharing.effects")
    assert one.panel.effects.table.isVisible()
    assert actions.run("sharing.effects")
    assert not one.panel.effects.table.isVisible()
    await worked_out(one)


async def test_that_without_a_draft_the_button_goes_to_the_sharing_view(open_tab: OpenTab) -> None:
    one = await open_tab(*WITH_ALL)
    await one.until(lambda: one.panel.effects.isVisible())
    QTest.mouseClick(one.panel.effects.button, LEFT)
    assert one.panel.sharing.isVisible()


async def test_that_a_draft_that_no_longer_fits_its_block_has_no_effect(open_tab: OpenTab) -> None:
    one = await open_tab(*WITH_ALL)
    one.type("Who signs the release notes? ", at=0)
    await worked_out(one)
    await one.world.write(QUESTIONS, SetSchema(ListSchema()))
    await one.until(lambda: one.panel.services.workspace.file.is_draft_unfit(QUESTIONS.id))
    await one.until(lambda: one.panel.effects.line.original == "Ada, Grace, Linus")
