"""A history of which only the newest batches were read gives the Request that all of it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest

from inspector.domain.limits import (
    Hysteresis,
    ImportanceBased,
    RecursiveSummarization,
    Strategy,
    TimeDecay,
    Truncate,
    WindowStrategy,
)
from inspector.domain.messages import Batch, Role, is_sendable
from inspector.domain.requests import LeftOut, Request
from inspector.domain.snapshot import OlderMessages, Snapshot
from tests.context.builders import new_builder
from tests.context.history_laws import built
from tests.context.random_cases import a_case

MANY = 24
CUTS = 6


def cut(snapshot: Snapshot, at: int) -> Snapshot:
    """The view without the batches before one, which are only counted."""
    before = [message for batch in snapshot.history[:at] for message in batch.messages]
    live = [message for message in before if is_sendable(message) or message.problem]
    older = OlderMessages(
        live=len(live),
        archived=sum(each.is_archived and not each.compiled for each in before),
        compiled=sum(each.compiled for each in before),
        has_results=any(message.role is Role.TOOL for message in live),
        first=min((message.position for message in live), default=0),
        end=snapshot.history[at].messages[0].position,
        latest=max((message.created_at for message in live), default=None),
    )
    return replace(snapshot, history=snapshot.history[at:], older=older)


def may_begin(batch: Batch) -> bool:
    sent = [message for message in batch.messages if is_sendable(message)]
    return bool(sent) and sent[0].role is Role.USER and batch.is_complete


def cuts(snapshot: Snapshot) -> Iterator[Snapshot]:
    """Some of what a reader of the newest batches could have read."""
    places = [at for at in range(1, len(snapshot.history)) if may_begin(snapshot.history[at])]
    chance = Random(len(places))
    for at in chance.sample(places, min(CUTS, len(places))):
        yield cut(snapshot, at)


def sent(request: Request | None) -> object:
    """All of it but what is left out of it."""
    return None if request is None else replace(request, left_out=())


def rows(request: Request, history: Sequence[Batch]) -> list[LeftOut]:
    """What is said of batches that were read and their messages."""
    ids = {batch.id for batch in history} | {each.id for batch in history for each in batch.messages}
    return [row for row in request.left_out if row.source.id in ids]


def check(seed: int, reached: dict[type[Strategy], int]) -> None:
    whole, spec = a_case(seed)
    builder = new_builder()
    expected = built(builder, whole, spec)
    if expected is not None and Random(seed).random() < 0.5:
        whole = replace(whole, history_state=expected.history_state)
        expected = built(builder, whole, spec)
    for recent in cuts(whole):
        if not builder.reaches(recent, spec):
            continue
        found = built(builder, recent, spec)
        assert sent(found) == sent(expected)
        if found is not None and expected is not None:
            assert [row.source.id for row in rows(found, recent.history)] == [
                row.source.id for row in rows(expected, recent.history)
            ]
        kind = type(spec.strategy or whole.agent.config.strategy)
        reached[kind] = reached.get(kind, 0) + 1


@pytest.mark.parametrize("part", range(4))
def test_that_the_newest_batches_give_the_request_that_all_give(part: int) -> None:
    reached: dict[type[Strategy], int] = {}
    for seed in range(part * MANY, (part + 1) * MANY):
        check(seed, reached)
    assert {Truncate, WindowStrategy, TimeDecay, Hysteresis} <= set(reached)
    assert not {RecursiveSummarization, ImportanceBased} & set(reached)
