"""The doors to what-ifs, the cache and the lint, on an open file."""

from dataclasses import replace
from pathlib import Path

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent, StoreRun
from inspector.domain.lint import LintRule, LintSettings
from inspector.domain.ref import Ref, RefKind
from inspector.domain.simulation import Overlay
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.engine import Engine
from tests.fixtures import NOOR, HeldClock

ADA = "agt_ada"
LONG = "\n".join(f"Line {n} says what is to be done, why, and by whom." for n in range(150))


async def begin(engine: Engine) -> None:
    create = CreateAgent("Ada", LONG, provider="anthropic", model="claude-sonnet-4-5")
    block = CreateBlock(ADA, "notes", content=TextContent("stored"), char_limit=100_000)
    await engine.apply(
        [
            Intent(Edit(Ref(RefKind.AGENT, ADA), create), NOOR),
            Intent(Edit(Ref(RefKind.BLOCK, "blk_notes"), block), NOOR),
        ]
    )


async def test_that_a_what_if_leaves_the_file_as_it_is(
    opened: Engine, clock: HeldClock, tmp_db_dir: Path
) -> None:
    await begin(opened)
    before = (tmp_db_dir / "test.constellation").read_bytes()
    overlay = Overlay(drafts={"blk_notes": TextContent("not saved")})
    found = await opened.context.simulate(ADA, overlay, RequestSpec(clock()))
    assert "not saved" in found.after.text
    assert sum(row.delta for row in found.diff.changes) == found.after.tokens - found.before.tokens
    assert (tmp_db_dir / "test.constellation").read_bytes() == before
    assert "stored" in (await opened.context.request(ADA, RequestSpec(clock()))).text


async def test_that_the_cache_is_held_against_what_was_sent_last(opened: Engine, clock: HeldClock) -> None:
    await begin(opened)
    request = await opened.context.request(ADA, RequestSpec(clock()))
    assert (await opened.inspection.cache(request)).read_tokens == 0
    manifest = opened.context.manifest_text(request)
    run = StoreRun(ADA, "turn", request.model, request.text, manifest)
    await opened.apply([Intent(Edit(Ref(RefKind.RUN, "run_1"), run), NOOR, at=clock())])
    found = await opened.inspection.cache(request)
    assert found.read_tokens > 1024
    assert (found.difference, found.may_have_expired) == (None, False)
    clock.advance(minutes=6)
    later = replace(request, now=clock().isoformat())
    assert (await opened.inspection.cache(later)).may_have_expired is True


async def test_that_a_look_over_the_context_takes_its_bounds(opened: Engine, clock: HeldClock) -> None:
    await begin(opened)
    block = CreateBlock(ADA, "copy", content=TextContent(LONG[:400]), char_limit=420)
    await opened.apply([Intent(Edit(Ref(RefKind.BLOCK, "blk_copy"), block), NOOR)])
    rules = {each.rule for each in await opened.inspection.lint(ADA, RequestSpec(clock()))}
    assert rules == {LintRule.DUPLICATE_TEXT, LintRule.NEAR_CHAR_LIMIT}
    settings = LintSettings(least_words=1000, near=0.99)
    assert await opened.inspection.lint(ADA, RequestSpec(clock()), settings) == ()
