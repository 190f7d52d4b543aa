"""What holds for every Request, whatever it is built of and under every layout."""

import re
from dataclasses import replace
from itertools import cycle, pairwise

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.domain.counts import Method
from inspector.domain.layout_rules import check_layout
from inspector.domain.layouts import Layout
from inspector.domain.requests import Request, Section, SourceKind
from inspector.domain.rules import PARTLY_IN, InRule, OutRule
from inspector.domain.snapshot import Snapshot
from tests.context.builders import (
    BUILDER,
    LAYOUTS,
    MODELS,
    POOL,
    a_block,
    a_snapshot,
    a_spec,
    build,
    new_builder,
    working,
)
from tests.context.history_laws import built
from tests.context.random_cases import OWN_LAYOUT, a_request_case
from tests.context.tiktoken_counts import recount
from tests.hostile_texts import HOSTILE_TEXTS

_FRAMES = {"literal:system/frame", "literal:tail/frame"}
_WRAPPED = re.compile(r"<(?P<tag>[^\s>/]+)[^>]*>\n(?P<inside>.*)\n</(?P=tag)>\n*", re.DOTALL)
_ELASTIC = ("working", "log", "shared", "hints", "activity", "retrieved", "tool_rules")
_OF_BLOCKS = ("working", "log", "shared")
_NOT_FOR_ROOM = (
    *(OutRule.ENTRY_LIMIT, OutRule.EMPTY, OutRule.DROPPED),
    *(OutRule.UNREADABLE, OutRule.NOT_IN_LAYOUT, OutRule.ARCHIVAL_TYPE),
)


@settings(max_examples=120)
@given(st.integers(0, 2**32))
def test_that_every_request_keeps_every_law(seed: int) -> None:
    snapshot, spec = a_request_case(seed)
    request = built(BUILDER, snapshot, spec)
    if request is None:
        return
    check_account(request)
    check_system(request)
    check_texts(request)
    check_ledger(request, snapshot)
    check_blocks(request, snapshot)
    layout = snapshot.layouts[OWN_LAYOUT] if spec.layout == OWN_LAYOUT else LAYOUTS[request.layout]
    check_layout(layout)
    check_bounds(request, layout)
    if spec.layout != OWN_LAYOUT:
        check_memory(request)
    # Built again, and by a builder that has built nothing else, it is the same.
    assert new_builder().build(snapshot, spec) == request == BUILDER.build(snapshot, spec)


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


def check_texts(request: Request) -> None:
    """Each text has the tokens that its tokenizer gives it, and no content closes its wrapper."""
    for run in request.runs():
        if run.sent and run.method is Method.EXACT:
            assert recount(request.tokenizer.name, run.text) == run.tokens
    for placed in request.placed():
        found = _WRAPPED.fullmatch(placed.piece.text) if placed.piece.id.startswith("block:") else None
        if found is not None:
            closing = re.compile(rf"<\s*/\s*{re.escape(found['tag'])}(?![\w.:-])", re.IGNORECASE)
            assert closing.search(found["inside"]) is None


def check_ledger(request: Request, snapshot: Snapshot) -> None:
    """Nothing is both in and left out."""
    inside = {
        (placed.piece.source.kind, placed.piece.source.id)
        for placed in request.placed()
        if placed.piece.rule not in (InRule.HINT, InRule.TOOL)
    }
    batches = {batch.id: batch for batch in snapshot.history}
    sent = {message.id for message in request.messages}
    for row in request.left_out:
        if row.source.batch:
            assert not sent & {message.id for message in batches[row.source.id or ""].messages}
        elif row.rule not in PARTLY_IN and row.section != "hints":
            assert (row.source.kind, row.source.id) not in inside


def check_blocks(request: Request, snapshot: Snapshot) -> None:
    """Every block that is in use is in, or left out as a whole with a reason."""
    told = {piece.source.id for section in request.sections for piece in section.pieces}
    told |= {
        row.source.id for row in request.left_out if row.rule not in (OutRule.ENTRY_LIMIT, OutRule.ENTRY_ROOM)
    }
    states = [*snapshot.own, *(each.state for each in snapshot.shared)]
    assert {state.block.id for state in states if state.block.is_active} <= told
    assert {state.block.id for state in states if not state.block.is_active}.isdisjoint(told)


def check_memory(request: Request) -> None:
    """Memory keeps its cap, and core alone may pass it."""
    cap = request.limits.memory_tokens
    tokens = {section.name: section.tokens for section in request.sections}
    frames = sum(p.piece.tokens for p in request.placed() if p.piece.id in _FRAMES)
    spent = sum(tokens.get(name, 0) for name in ("core", *_OF_BLOCKS))
    if cap is not None and spent - frames > cap:
        assert not set(_OF_BLOCKS) & tokens.keys()
        assert "core_over_memory" in {problem.code for problem in request.problems}


def check_bounds(request: Request, layout: Layout) -> None:
    """A section keeps to the layout's most, and what the layout keeps together is never parted."""
    message = POOL.costs(MODELS.resolve(request.model)).message().tokens
    entries = {entry.name: entry for entry in layout.sections}
    out = {row.section for row in request.left_out if row.rule not in _NOT_FOR_ROOM}
    for section in request.sections:
        entry = entries.get(section.name)
        if entry is None:
            continue
        if entry.maximum is not None and section.name in _ELASTIC:
            # The frame belongs to nobody, and what stands around a text may join with it by a token or two.
            assert section.tokens <= entry.maximum + message + 8
        if entry.together and section.name in _OF_BLOCKS and section.name in out:
            assert not any(piece.source.kind is SourceKind.BLOCK for piece in section.pieces)


def test_that_three_thousand_labels_are_accounted_for() -> None:
    blocks = [
        working(f"label {number % 1500} </x> é", f"text {number}", id=f"b{number}") for number in range(3_000)
    ]
    request = build(a_snapshot(*blocks), memory=900_000, window=1_000_000, reserved=0)
    check_account(request)
    check_system(request)
    assert sum(placed.piece.id.startswith("block:") for placed in request.placed()) == 3_000


def test_that_hostile_texts_everywhere_keep_the_account() -> None:
    blocks = [
        a_block(f"{name} {text[:20]}", text, id=f"b{at}", description=text[:200])
        for at, (name, text) in enumerate(HOSTILE_TEXTS.items())
    ]
    snapshot = a_snapshot(*blocks)
    layouts = cycle(("standard", "xml", "minimal", "cache_friendly"))
    for text, layout in zip(list(HOSTILE_TEXTS.values())[::3], layouts, strict=False):
        agent = replace(snapshot.agent, persona=text, instructions=(text,))
        request = build(replace(snapshot, agent=agent), layout=layout, window=1_000_000)
        check_account(request)
        check_system(request)


def test_that_tiktoken_itself_is_never_asked_for_a_download(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> tiktoken.Encoding:
        raise AssertionError(name)

    monkeypatch.setattr(tiktoken, "get_encoding", refuse)
    assert new_builder().build(a_snapshot(a_block("a")), a_spec()).exact_tokens > 0
