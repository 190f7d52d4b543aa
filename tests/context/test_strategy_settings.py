"""Settings of strategies: a fix of one brings in what it says, and senseless ones are told."""

from collections import Counter
from dataclasses import replace

import pytest

from inspector.domain.agents import ContextConfig
from inspector.domain.errors import InputError
from inspector.domain.limits import (
    Hysteresis,
    LimitOverrides,
    Strategy,
    TimeDecay,
    Truncate,
)
from inspector.domain.requests import LeftOut
from inspector.domain.snapshot import RequestSpec, Snapshot
from tests.context.builders import (
    BUILDER,
    a_snapshot,
    a_turn,
    an_agent,
    build,
    sent_batches,
)
from tests.context.history_laws import built, is_whole, strategy_of
from tests.context.random_cases import a_case


def apply_fix(row: LeftOut, **changes: object) -> dict[str, object]:
    """The spec's changes with the fix applied, each of its steps where it has several."""
    assert row.fix is not None
    if not row.fix.steps:
        return apply_step(row.fix.action, row.fix.value, **changes)
    for step in row.fix.steps:
        changes = apply_step(step.action, step.value, **changes)
    return changes


def apply_step(action: str, value: object, **changes: object) -> dict[str, object]:
    """The spec's changes with one setting more."""
    strategy = changes["strategy"]
    names = {"raise_keep_recent": "keep_recent", "raise_verbatim_count": "verbatim_count"}
    names["raise_compress_after_hours"] = "compress_after_hours"
    if action in names:
        return {**changes, "strategy": replace(strategy, **{names[action]: value})}  # type: ignore[type-var]
    if action == "raise_max_messages_cap":
        return {**changes, "max_messages_cap": value}
    limits = changes["limits"]
    assert isinstance(limits, LimitOverrides)
    raised = replace(limits, **{action.removeprefix("raise_"): value})  # type: ignore[arg-type]
    return {**changes, "limits": raised}


def brings_in(row: LeftOut, snapshot: Snapshot, spec: RequestSpec) -> bool:
    """Whether a batch is in when what is offered for it is done."""
    changes = apply_fix(row, strategy=strategy_of(snapshot, spec), limits=spec.limits)
    mended = built(BUILDER, snapshot, replace(spec, **changes))  # type: ignore[arg-type]
    assert mended is not None
    return row.source.id in sent_batches(mended, snapshot.history)


def test_that_a_fix_brings_in_what_it_says() -> None:
    tried: Counter[str] = Counter()
    in_vain: Counter[str] = Counter()
    for seed in range(160):
        snapshot, spec = a_case(seed)
        snapshot = replace(snapshot, summaries=())
        request = built(BUILDER, snapshot, spec)
        if request is None:
            continue
        batches = {batch.id: batch for batch in snapshot.history}
        told = [
            row
            for row in request.left_out
            if row.source.batch
            and row.fix is not None
            and (row.fix.value is not None or row.fix.steps)
            and is_whole(batches[row.source.id or ""])
        ]
        for row in told[:1] + told[-1:]:
            assert row.fix is not None
            tried[row.fix.action] += 1
            in_vain[row.fix.action] += not brings_in(row, snapshot, spec)
    assert len(tried) >= 6, tried
    assert tried["raise_history"] >= 10, tried
    assert not in_vain.total(), in_vain


@pytest.mark.parametrize("strategy", [Hysteresis(7.0, -3.0), Hysteresis(0.2, 0.9), Hysteresis(0.0, 0.0)])
def test_that_senseless_marks_still_keep_within_the_budget(strategy: Hysteresis) -> None:
    history = tuple(a_turn(number, "word " * 20) for number in range(1, 41))
    agent = an_agent(config=ContextConfig(strategy=strategy))
    request = build(a_snapshot(agent=agent, history=history), history=500)
    tokens = sum(section.tokens for section in request.sections if section.name == "messages")
    assert tokens <= 500


@pytest.mark.parametrize(
    ("strategy", "name"),
    [
        (Hysteresis(7.0, -3.0), "high"),
        (Hysteresis(0.2, 0.9), "low"),
        (Truncate(-1), "keep_recent"),
        (TimeDecay(float("nan"), 1), "compress_after_hours"),
    ],
)
def test_that_a_senseless_setting_is_refused_where_it_is_asked_for_and_told_where_it_is_stored(
    strategy: Strategy, name: str
) -> None:
    with pytest.raises(InputError) as refused:
        build(a_snapshot(), strategy=strategy)
    assert (refused.value.code, refused.value.parameters["name"]) == ("input.strategy_setting", name)
    request = build(a_snapshot(agent=an_agent(config=ContextConfig(strategy=strategy))))
    (told,) = [each for each in request.problems if each.code == "strategy_setting"]
    assert told.parameters["name"] == name
