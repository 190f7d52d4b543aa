"""What providers reported of earlier calls, beside the figures of the next Request."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from inspector.domain.calibration import RUNS_KEPT
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import CreateAgent, StoreRun
from inspector.domain.records import TokenUsage
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.engine import Engine
from tests.fixtures import NOOR, HeldClock

ADA = "agt_ada"
MODEL = "claude-sonnet-4-5"


async def begin(engine: Engine) -> None:
    create = CreateAgent("Ada", "I am Ada, and I keep notes.", provider="anthropic", model=MODEL)
    await engine.apply([Intent(Edit(Ref(RefKind.AGENT, ADA), create), NOOR)])


async def send(engine: Engine, clock: HeldClock, share: float | None, error: str | None = None) -> StoreRun:
    """Store a run whose provider reported so much of what was counted, or nothing at all."""
    clock.advance(minutes=1)
    request = await ask(engine, clock)
    reported = None if share is None else round(share * request.tokens)
    run = StoreRun(
        ADA,
        "turn",
        request.model,
        request.text,
        engine.context.manifest_text(request),
        usage=TokenUsage(input_tokens=reported),
        error=error,
    )
    name = f"run_{clock():%d%H%M%S}"
    await engine.apply([Intent(Edit(Ref(RefKind.RUN, name), run), NOOR, at=clock())])
    clock.advance(minutes=1)
    return run


async def ask(engine: Engine, clock: HeldClock) -> Request:
    return await engine.context.request(ADA, RequestSpec(clock()))


def told(engine: Engine, request: Request) -> dict[str, object]:
    return engine.context.report(request)


@pytest.mark.parametrize("shares", [(1.5,), (1.5, 1.5, 1.5), (1.0, 2.0)])
async def test_that_reported_usage_is_told_beside_the_figure_and_changes_none(
    opened: Engine, clock: HeldClock, shares: Sequence[float]
) -> None:
    await begin(opened)
    before = await ask(opened, clock)
    for share in shares:
        await send(opened, clock, share)
    after = await ask(opened, clock)
    assert after.correction is not None
    assert after.correction.runs == len(shares)
    # What is reported is a whole number of tokens, so that a share is met to half a token.
    half = 0.5 / before.tokens + 1e-9
    assert after.correction.ratio == pytest.approx(sum(shares) / len(shares), abs=half)
    assert after.sections == before.sections
    assert (after.tokens, after.limits, after.margin_tokens) == (
        before.tokens,
        before.limits,
        before.margin_tokens,
    )
    account = told(opened, after)
    assert account["calibration"] == {
        "runs": len(shares),
        "ratio": round(after.correction.ratio, 4),
        "least": round(after.correction.least, 4),
        "most": round(after.correction.most, 4),
        "corrected_tokens": after.correction.corrected(after.tokens),
    }
    account.pop("calibration")
    assert account == told(opened, before)


async def test_that_a_call_without_usage_or_with_an_error_tells_nothing(
    opened: Engine, clock: HeldClock
) -> None:
    await begin(opened)
    await send(opened, clock, None)
    await send(opened, clock, 3.0, error="overloaded")
    request = await ask(opened, clock)
    assert request.correction is None
    assert "calibration" not in told(opened, request)


async def test_that_only_the_newest_calls_are_read(opened: Engine, clock: HeldClock) -> None:
    await begin(opened)
    for share in (*(3.0,) * 4, *(1.0,) * RUNS_KEPT):
        await send(opened, clock, share)
    request = await ask(opened, clock)
    assert request.correction is not None
    assert (request.correction.runs, request.correction.ratio) == (RUNS_KEPT, 1.0)


async def test_that_another_model_is_not_corrected_by_it(opened: Engine, clock: HeldClock) -> None:
    await begin(opened)
    await send(opened, clock, 1.4)
    spec = RequestSpec(clock(), model="gpt-4o")
    assert (await opened.context.request(ADA, spec)).correction is None


async def test_that_a_request_of_before_a_call_does_not_know_of_it(opened: Engine, clock: HeldClock) -> None:
    await begin(opened)
    earlier = clock()
    await send(opened, clock, 1.4)
    spec = replace(RequestSpec(clock()), now=earlier)
    assert (await opened.context.request(ADA, spec)).correction is None


async def test_that_a_manifest_without_figures_is_stored_and_tells_nothing(
    opened: Engine, clock: HeldClock
) -> None:
    await begin(opened)
    for number, manifest in enumerate(("{}", "[]", '{"total": 7}', '{"total": {"tokens": "7"}}')):
        run = StoreRun(ADA, "turn", MODEL, "text", manifest, usage=TokenUsage(input_tokens=10))
        await opened.apply([Intent(Edit(Ref(RefKind.RUN, f"run_{number}"), run), NOOR)])
    clock.advance(minutes=1)
    assert (await ask(opened, clock)).correction is None
    assert len(await opened.agents.calibrations()) == 0
