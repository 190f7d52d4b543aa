import re
from dataclasses import replace
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import HealthCheck, assume, given, settings

from inspector.context.plan import active_batch
from inspector.domain.counts import Method
from inspector.domain.errors import BudgetError
from inspector.domain.requests import Request, Section
from inspector.domain.rules import PARTLY_IN, InRule, OutRule
from inspector.domain.snapshot import RequestSpec, Snapshot
from tests.context.builders import BUILDER, a_block, a_snapshot, a_spec, build, new_builder, working
from tests.context.snapshot_strategies import snapshots, specs
from tests.context.tiktoken_counts import recount
from tests.hostile_texts import HOSTILE_TEXTS

MANY = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
_FRAMES = {"literal:system/frame", "literal:tail/frame"}


def built(snapshot: Snapshot, spec: RequestSpec) -> Request:
    """The Request, where one is possible at all."""
    asked = {batch.id for batch in snapshot.history}
    assume(spec.active_batch is None or spec.active_batch in asked)
    try:
        return BUILDER.build(snapshot, spec)
    except BudgetError as error:
        told = error.parameters
    needed, available = told["needed"], told["available"]
    assert isinstance(needed, int)
    assert isinstance(available, int)
    assert needed > available
    assume(False)
    raise AssertionError


def check_account(request: Request) -> None:
    """All that holds for every Request."""
    end = 0
    for placed in request.placed():
        assert placed.start == end
        assert placed.end > placed.start
        assert request.text[placed.start : placed.end] == placed.piece.text
        assert all(0 <= mark.start < mark.end <= placed.piece.length for mark in placed.piece.marks)
        end = placed.end
    assert end == len(request.text)
    assert request.tokens == sum(run.tokens for run in request.runs())
    assert request.exact_tokens == sum(run.tokens for run in request.runs() if run.method is Method.EXACT)
    assert all(run.text and run.tokens >= 0 for run in request.runs())
    ids = [placed.piece.id for placed in request.placed()]
    assert len(ids) == len(set(ids))
    names = [section.name for section in request.sections]
    assert len(names) == len(set(names))
    assert all(placed.piece.rule in set(InRule) for placed in request.placed())
    assert all(row.rule in set(OutRule) for row in request.left_out)
    assert request.tokens <= request.limits.usable - request.margin_tokens
    assert request.tokens * (1 + request.tokenizer.under) <= request.limits.usable


def check_system(request: Request) -> None:
    """Runs of the system string begin where counts add up, and together they are the string."""
    aside = {"tools", "messages", "reply", *request.tail_sections}
    check_string(request, [s for s in request.sections if s.name not in aside], request.system)
    check_string(request, [s for s in request.sections if s.name in request.tail_sections], request.tail)


def check_string(request: Request, sections: list[Section], text: str | None) -> None:
    runs = [run for section in sections for piece in section.pieces for run in piece.runs if run.sent]
    assert "".join(run.text for run in runs) == (text or "")
    for before, after in pairwise(runs):
        assert before.text.endswith("\n")
        assert not after.text[0].isspace()
        assert after.text[0] != "/"
    if runs and all(run.method is Method.EXACT for run in runs):
        whole = recount(request.tokenizer.name, text or "")
        assert whole == sum(run.tokens for run in runs)


@MANY
@given(snapshots(), specs())
def test_that_every_character_and_token_is_accounted_for(snapshot: Snapshot, spec: RequestSpec) -> None:
    request = built(snapshot, spec)
    check_account(request)
    check_system(request)
    for run in request.runs():
        if run.sent and run.method is Method.EXACT:
            assert recount(request.tokenizer.name, run.text) == run.tokens


@MANY
@given(snapshots(), specs())
def test_that_a_warm_builder_gives_what_a_fresh_one_gives(snapshot: Snapshot, spec: RequestSpec) -> None:
    warm = built(snapshot, spec)
    fresh = new_builder().build(snapshot, spec)
    assert fresh.text == warm.text
    assert fresh == warm


@MANY
@given(snapshots(), specs())
def test_that_nothing_is_both_in_and_left_out(snapshot: Snapshot, spec: RequestSpec) -> None:
    request = built(snapshot, spec)
    inside = {
        (placed.piece.source.kind, placed.piece.source.id)
        for placed in request.placed()
        if placed.piece.rule not in (InRule.HINT, InRule.TOOL)
    }
    batches = {message.batch_id for batch in snapshot.history for message in batch.messages}
    sent = {message.id for message in request.messages}
    for row in request.left_out:
        if row.source.batch:
            assert row.source.id in batches
            of_batch = next(batch for batch in snapshot.history if batch.id == row.source.id)
            assert not sent & {message.id for message in of_batch.messages}
        elif row.rule not in PARTLY_IN and row.section != "hints":
            assert (row.source.kind, row.source.id) not in inside


@MANY
@given(snapshots(), specs())
def test_that_memory_keeps_its_cap_and_core_alone_may_pass_it(snapshot: Snapshot, spec: RequestSpec) -> None:
    request = built(snapshot, spec)
    cap = request.limits.memory_tokens
    assume(cap is not None)
    assert cap is not None
    tokens = {section.name: section.tokens for section in request.sections}
    frames = sum(p.piece.tokens for p in request.placed() if p.piece.id in _FRAMES)
    spent = sum(tokens.get(name, 0) for name in ("core", "working", "log", "shared"))
    if spent - frames > cap:
        assert not {"working", "log", "shared"} & tokens.keys()
        assert "core_over_memory" in {problem.code for problem in request.problems}


@MANY
@given(snapshots(), specs())
def test_that_every_block_is_either_in_or_left_out_with_a_reason(
    snapshot: Snapshot, spec: RequestSpec
) -> None:
    request = built(snapshot, spec)
    told = {piece.source.id for section in request.sections for piece in section.pieces}
    told |= {row.source.id for row in request.left_out}
    states = [*snapshot.own, *(each.state for each in snapshot.shared)]
    assert {state.block.id for state in states if state.block.is_active} <= told
    assert {state.block.id for state in states if not state.block.is_active}.isdisjoint(told)


_WRAPPED = re.compile(r"<(?P<tag>[^\s>/]+)[^>]*>\n(?P<inside>.*)\n</(?P=tag)>\n*", re.DOTALL)


@MANY
@given(snapshots(), specs())
def test_that_no_content_closes_its_wrapper(snapshot: Snapshot, spec: RequestSpec) -> None:
    request = built(snapshot, spec)
    for placed in request.placed():
        if placed.piece.id.startswith("block:") and placed.piece.text.startswith("<"):
            found = _WRAPPED.fullmatch(placed.piece.text)
            assert found is not None
            closing = re.compile(rf"<\s*/\s*{re.escape(found['tag'])}(?![\w.:-])", re.IGNORECASE)
            assert closing.search(found["inside"]) is None


@MANY
@given(snapshots(), specs())
def test_that_history_is_whole_batches_and_begins_as_it_should(snapshot: Snapshot, spec: RequestSpec) -> None:
    request = built(snapshot, spec)
    active = active_batch(snapshot, spec)
    sent = [message.id for message in request.messages]
    by_id = {message.id: message for batch in snapshot.history for message in batch.messages}
    positions = [by_id[each].position for each in sent]
    assert positions == sorted(positions)
    live = [
        batch
        for batch in snapshot.history
        if any(not (m.is_archived or m.is_deleted or m.compiled) for m in batch.messages)
    ]
    for batch in snapshot.history:
        may = [m.id for m in batch.messages if not (m.is_archived or m.is_deleted or m.compiled)]
        inside = [each for each in may if each in sent]
        assert inside in ([], may)
        if inside and batch is not active:
            assert batch.is_complete
    if sent and active is None:
        complete = [b for b in live if any(m.id in sent for m in b.messages) or b.is_complete]
        first_is_oldest = by_id[sent[0]].batch_id == complete[0].id
        assert first_is_oldest or by_id[sent[0]].role == "user"


def test_that_ten_thousand_labels_are_accounted_for() -> None:
    blocks = [
        working(f"label {number % 5000} </x> é", f"text {number}", id=f"b{number}")
        for number in range(10_000)
    ]
    request = build(a_snapshot(*blocks), memory=900_000, window=1_000_000, reserved=0)
    check_account(request)
    check_system(request)
    assert sum(placed.piece.id.startswith("block:") for placed in request.placed()) == 10_000


@pytest.mark.parametrize("layout", ["standard", "xml", "minimal", "cache_friendly"])
def test_that_hostile_texts_everywhere_keep_the_account(layout: str) -> None:
    blocks = [
        a_block(f"{name} {text[:20]}", text, id=f"b{at}", description=text[:200])
        for at, (name, text) in enumerate(HOSTILE_TEXTS.items())
    ]
    snapshot = a_snapshot(*blocks)
    for text in HOSTILE_TEXTS.values():
        agent = replace(snapshot.agent, persona=text, instructions=(text,))
        request = build(replace(snapshot, agent=agent), layout=layout, window=1_000_000)
        check_account(request)
        check_system(request)


def test_that_tiktoken_itself_is_never_asked_for_a_download(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> tiktoken.Encoding:
        raise AssertionError(name)

    monkeypatch.setattr(tiktoken, "get_encoding", refuse)
    assert new_builder().build(a_snapshot(a_block("a")), a_spec()).exact_tokens > 0
