"""What is wrong with stored summaries, how they are made anew, and a whole run stored as one change."""

import pytest

from inspector.domain.edits.rows import EditMessage, EditSummary
from inspector.domain.errors import NotFoundError, RefusedError
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.summaries import PositionRange
from inspector.domain.summarising import FoldOptions, Summarised
from inspector.domain.summary_findings import SummaryWarning, covering, findings_of, top_level
from inspector.runtime.engine import Engine
from tests.conversation.builders import ADA, a_summary, do, people, turns
from tests.fixtures import NOOR

OPTIONS = FoldOptions(keep=4, chunk_size=4)


def said(request: Request) -> str:
    """What a Request has of messages and summaries."""
    sections = (each for each in request.sections if each.name in ("summary", "messages"))
    return "\n".join(piece.text for section in sections for piece in section.pieces)


async def tried(engine: Engine) -> Summarised:
    """Ada's twelve turns, summarised but for the newest; nothing is stored."""
    await people(engine)
    await turns(engine, 12)
    agent = await engine.agents.get(ADA)
    assert agent is not None
    return await engine.summaries.summarise(ADA, engine.summaries.extractive(agent), OPTIONS, dry=True)


async def test_that_a_run_is_stored_and_taken_back_as_one_change(opened: Engine) -> None:
    done = await tried(opened)
    before, after = await opened.summaries.effect(done)
    folded = await opened.summaries.store_all(done, actor=NOOR)
    assert len({each.changeset for each in folded}) == 1
    stored, _ = await opened.summaries.store.of_agent(ADA)
    assert [each.content for each in stored] == [each.draft.content for each in done.proposals]
    ids = {each.id for each in stored}
    deeper = [each for each in stored if each.depth]
    assert deeper
    assert all(set(each.children) <= ids for each in deeper)
    assert all(each.previous_summary_id in (None, *ids) for each in stored)
    now = await opened.context.request(ADA)
    assert now.tokens < before.tokens
    # What is stored is logged as well, so that the section of events is another.
    assert said(now) == said(after) != said(before)
    assert (await opened.summaries.store.coverage(ADA)).is_sound
    await opened.edits.undo(NOOR)
    assert await opened.summaries.store.of_agent(ADA) == ((), ())
    batches = await opened.conversation.batches(ADA)
    assert not any(each.is_archived for batch in batches for each in batch.messages)


async def test_that_a_run_is_not_stored_over_what_changed_meanwhile(opened: Engine) -> None:
    done = await tried(opened)
    message = done.plan.chunks[1][0]
    await do(opened, RefKind.MESSAGE, message.id, EditMessage((TextPart("Something else."),)))
    with pytest.raises(RefusedError) as refused:
        await opened.summaries.store_all(done)
    assert refused.value.code == "refused.summary_overtaken"
    assert await opened.summaries.store.of_agent(ADA) == ((), ())


async def test_that_a_source_edited_since_makes_its_summaries_stale_until_they_are_made_again(
    opened: Engine,
) -> None:
    done = await tried(opened)
    folded = await opened.summaries.store_all(done, actor=NOOR)
    agent = await opened.agents.get(ADA)
    assert agent is not None
    checks = opened.summary_checks
    message, first = done.plan.chunks[0][0], folded[0].summary
    await do(
        opened, RefKind.MESSAGE, message.id, EditMessage((TextPart("See /tmp/moved.md, 4711 of them."),))
    )
    facts, _ = await checks.facts(ADA)

    def stale() -> set[str]:
        found = findings_of(facts)
        return {id_ for id_, each in found.items() if SummaryWarning.STALE in {one.warning for one in each}}

    above = {each.id for each in facts.summaries if first.id in each.children}
    assert stale() == {first.id, *above}
    assert first.id in {each.id for each in covering(facts, message.position)}
    assert top_level(facts)[0].depth == 1
    check = await checks.check(agent, first)
    assert "4711" in check.losses.numbers
    assert check.places["4711"] == check.places["/tmp/moved.md"] == Ref(RefKind.MESSAGE, message.id)
    await do(opened, RefKind.SUMMARY, first.id, EditSummary("By hand."))
    facts, _ = await checks.facts(ADA)
    parent = next(each for each in facts.summaries if first.id in each.children)
    assert stale() == {parent.id}
    run = await checks.redo(agent, first.id)
    assert [each.old.id for each in run.summaries] == [first.id, parent.id]
    assert run.summaries[1].proposal.source.children[0].content != "By hand."
    await checks.require_same(run)
    await do(opened, RefKind.SUMMARY, first.id, EditSummary("By hand, again."))
    with pytest.raises(RefusedError):
        await checks.require_same(run)


async def test_that_summaries_are_not_made_again_over_what_changed_meanwhile(opened: Engine) -> None:
    done = await tried(opened)
    folded = await opened.summaries.store_all(done, actor=NOOR)
    agent = await opened.agents.get(ADA)
    assert agent is not None
    checks, first, message = opened.summary_checks, folded[0].summary, done.plan.chunks[0][0]
    facts, _ = await checks.facts(ADA)
    parent = next(each for each in facts.summaries if first.id in each.children)
    # The one above is made of this one too, which isn't made anew.
    sibling = next(each for each in parent.children if each != first.id)
    for kind, id_, edit in (
        (RefKind.MESSAGE, message.id, EditMessage((TextPart("See /tmp/moved.md, 4712."),))),
        (RefKind.SUMMARY, sibling, EditSummary("Beside it.")),
        (RefKind.SUMMARY, first.id, EditSummary("By hand.")),
    ):
        run = await checks.redo(agent, first.id)
        await checks.require_same(run)
        await do(opened, kind, id_, edit)
        with pytest.raises(RefusedError) as refused:
            await checks.require_same(run)
        assert refused.value.parameters["what"] == str(Ref(kind, id_))


async def test_that_all_levels_above_an_edited_summary_are_stale(opened: Engine) -> None:
    await people(opened)
    for id_, depth, children in (
        ("sum_low", 0, ()),
        ("sum_up", 1, ("sum_low",)),
        ("sum_top", 2, ("sum_up",)),
    ):
        covers = None if children else PositionRange(1, 2)
        await do(opened, RefKind.SUMMARY, id_, a_summary(depth=depth, children=children, covers=covers))
    await do(opened, RefKind.SUMMARY, "sum_low", EditSummary("By hand."))

    async def stale() -> dict[str, object]:
        found = findings_of((await opened.summary_checks.facts(ADA))[0])
        every = ((id_, one) for id_, each in found.items() for one in each)
        return {id_: one.parameters["count"] for id_, one in every if one.warning is SummaryWarning.STALE}

    assert await stale() == {"sum_up": 1, "sum_top": 1}
    await do(opened, RefKind.SUMMARY, "sum_up", EditSummary("By hand as well."))
    assert await stale() == {"sum_top": 2}
    await do(opened, RefKind.SUMMARY, "sum_top", EditSummary("All by hand."))
    assert await stale() == {}


async def test_that_what_has_no_source_is_not_made_again(opened: Engine) -> None:
    await people(opened)
    agent = await opened.agents.get(ADA)
    assert agent is not None
    await do(opened, RefKind.SUMMARY, "sum_bare", a_summary(content="Gone.", covers=PositionRange(90, 95)))
    run = await opened.summary_checks.redo(agent, "sum_bare")
    assert [each.code for each in run.problems] == ["summary.no_source"]
    assert run.edits == ()
    (bare,), _ = await opened.summaries.store.of_agent(ADA)
    assert (await opened.summary_checks.check(agent, bare)).source_tokens == 0
    with pytest.raises(NotFoundError):
        await opened.summary_checks.redo(agent, "sum_none")
