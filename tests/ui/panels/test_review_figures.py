"""A review says what it would store: its figures, its effects on agents, the words that differ, and writes since."""

from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import AttachBlock
from inspector.domain.edits.text import AppendText
from inspector.domain.requests import Request
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.panels.test_review import FIRST, MINE, SECOND, THEIRS, click, theirs
from tests.ui.values import ADA, GRACE
from tests.ui.world import QUESTIONS

AT = FIRST.index("arm64")
BOTH = f"{THEIRS}\n{MINE}\n{SECOND}"


async def reviewed(open_tab: OpenTab, *edits: Edit) -> BlockTab:
    """A tab with the review of a conflict open."""
    tab = await open_tab(*edits)
    tab.editor.replace_range(AT, len("arm64"), "MINE")
    await tab.world.write(QUESTIONS, theirs())
    await tab.click("Review")
    await tab.until(lambda: tab.panel.review.is_open)
    await tab.calm()
    return tab


def memory_tokens(request: Request) -> int:
    """The tokens of a Request but for its activity: saving adds a line to that."""
    return sum(section.tokens for section in request.sections if section.name != "activity")


def block_tokens(request: Request) -> int:
    return request.pieces_by_id[f"block:{QUESTIONS.id}"].tokens


async def test_that_figures_and_effects_are_those_of_the_merged_text(open_tab: OpenTab) -> None:
    tab = await reviewed(open_tab, Edit(QUESTIONS, AttachBlock(GRACE)))
    effects, context = tab.panel.effects.reader, tab.world.engine.context
    before = {each: await context.request(each) for each in (ADA, GRACE)}
    click(tab.panel.review.page, "Take both")
    await tab.until(lambda: tab.panel.figures.startswith(f"{len(BOTH)} of 5,000 characters"))
    await tab.until(lambda: effects.is_read)
    await tab.calm()
    figures, told = tab.panel.figures, {id_: each.delta for id_, each in effects.effects.items()}
    tab.save()
    await tab.saved(BOTH)
    after = {each: await context.request(each) for each in (ADA, GRACE)}
    assert told == {each: memory_tokens(after[each]) - memory_tokens(before[each]) for each in after}
    tokens = block_tokens(after[ADA])
    grown = tokens - block_tokens(before[ADA])
    assert figures == f"{len(BOTH)} of 5,000 characters · {tokens} tokens · +{grown}"


async def test_that_the_words_that_differ_are_pointed_out_in_every_pane(open_tab: OpenTab) -> None:
    tab = await reviewed(open_tab)
    text = tab.panel.review.page.text
    assert text.theirs.selected_text() == "THEIRS"
    assert text.mine.selected_text() == "MINE"
    assert text.base.selected_text() == "arm64 runner"


async def test_that_who_writes_again_is_shown_unless_something_is_decided(open_tab: OpenTab) -> None:
    tab = await reviewed(open_tab)
    page = tab.panel.review.page
    await tab.world.write(QUESTIONS, AppendText("\nAgain."))
    await tab.until(lambda: page.text.theirs.text.endswith("Again."))
    assert page.text.merged.text.endswith("Again.")
    click(page, "Take both")
    merged = page.text.merged.text
    await tab.world.write(QUESTIONS, AppendText("\nOnce more."))
    await tab.until(lambda: "changed again meanwhile" in page.place_text)
    assert page.text.merged.text == merged
    tab.save()
    await tab.until(lambda: not tab.panel.work.is_saving)
    await tab.calm()
    if tab.panel.review.is_open:
        assert "Once more." in page.text.merged.text
    else:
        assert "Once more." in await tab.world.text()
