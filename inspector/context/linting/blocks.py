"""Rules on blocks: a description that says nothing more, a limit that is near, what nobody has touched for long."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime, timedelta

from inspector.context.linting.duplicates import Words
from inspector.context.linting.looked_at import LookedAt
from inspector.context.markup import comment
from inspector.domain.blocks import BlockType, ListSchema, Permission, UnreadableSchema
from inspector.domain.content import ListContent
from inspector.domain.counts import Method
from inspector.domain.errors import InspectorError, Parameters
from inspector.domain.health import Severity
from inspector.domain.lint import Finding, LintRule, Place
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import limit_length, render
from inspector.domain.requests import Fix, Piece
from inspector.domain.snapshot import BlockState

_LEAST_WORDS = 3
_MORE = 1.5
"""What a limit that is nearly reached is raised by."""

_MEMORY_SECTIONS = frozenset({"core", "working", "log", "shared"})


def same_descriptions(look: LookedAt) -> Iterator[Finding]:
    """Blocks that say in their description what they say anyway."""
    for state, piece in look.sent_blocks():
        said = Words.of(state.block.description).words
        if len(said) < _LEAST_WORDS or said != Words.of(_rendered(state)).words:
            continue
        shown = comment(state.block.description) + "\n"
        start = piece.text.find(shown)
        if start < 0:
            continue
        count = look.count(shown)
        ref = _ref(state)
        told: Parameters = {"label": state.block.label}
        fix = Fix("clear_description", ref, "", told)
        yield Finding(
            LintRule.DESCRIPTION_IS_CONTENT,
            Severity.INFO,
            ref,
            count.tokens,
            count.method,
            fix,
            parameters=told,
            places=(Place(piece.id, start, start + len(shown)),),
        )


def near_limits(look: LookedAt) -> Iterator[Finding]:
    """Blocks that are nearly full, the memory cap and the window likewise. What is over one is a problem already."""
    for state, _ in look.sent_blocks():
        yield from _near_characters(look, state)
        yield from _near_items(look, state)
    request, limits = look.request, look.request.limits
    memory = sum(each.tokens for each in request.sections if each.name in _MEMORY_SECTIONS)
    if limits.memory_tokens is not None and _is_near(look, memory, limits.memory_tokens):
        value = math.ceil(limits.memory_tokens * _MORE)
        told: Parameters = {"value": value, "tokens": memory, "limit": limits.memory_tokens}
        yield _near(LintRule.NEAR_MEMORY_CAP, look.agent, "raise_memory_tokens", value, told)
    if _is_near(look, request.tokens, limits.usable):
        told = {"tokens": request.tokens, "limit": limits.usable}
        yield Finding(
            LintRule.NEAR_WINDOW, Severity.WARNING, look.agent, 0, request.method, None, parameters=told
        )


def stale_blocks(look: LookedAt) -> Iterator[Finding]:
    """Working and core blocks that nobody has written for long while the agent was at work.

    What a person holds there on purpose is none: pinned blocks, and those that agents may only read.
    """
    batches = [batch.messages[-1].created_at for batch in look.snapshot.history if batch.messages]
    if not batches:
        return
    batches.sort()
    days = timedelta(days=look.settings.stale_days)
    for state, piece in look.sent_blocks():
        block, written = state.block, _written_at(state)
        is_kept = block.pinned or block.permission is Permission.READ_ONLY or state.draft
        if is_kept or block.block_type not in (BlockType.WORKING, BlockType.CORE):
            continue
        since = len(batches) - bisect_right(batches, written)
        if batches[-1] - written >= days and since >= look.settings.stale_batches:
            yield _stale(state, piece, since, batches[-1])


def _stale(state: BlockState, piece: Piece, batches: int, last: datetime) -> Finding:
    told: Parameters = {
        "label": state.block.label,
        "days": (last - _written_at(state)).days,
        "batches": batches,
    }
    fix = Fix("set_type_archival", _ref(state), BlockType.ARCHIVAL.value, told)
    return Finding(
        LintRule.STALE_BLOCK,
        Severity.INFO,
        _ref(state),
        piece.tokens,
        piece.method,
        fix,
        parameters=told,
        places=(Place(piece.id, 0, piece.length),),
    )


def _near_characters(look: LookedAt, state: BlockState) -> Iterator[Finding]:
    limit = state.block.char_limit
    length = _length(state)
    if limit > 0 and _is_near(look, length, limit):
        value = math.ceil(limit * _MORE)
        told: Parameters = {"label": state.block.label, "length": length, "limit": limit, "value": value}
        yield _near(LintRule.NEAR_CHAR_LIMIT, _ref(state), "set_char_limit", value, told)


def _near_items(look: LookedAt, state: BlockState) -> Iterator[Finding]:
    schema, content = state.block.schema, state.content
    if isinstance(schema, ListSchema) and isinstance(content, ListContent) and schema.max_items:
        count = len(content.items)
        if _is_near(look, count, schema.max_items):
            told: Parameters = {"label": state.block.label, "count": count, "limit": schema.max_items}
            yield Finding(
                LintRule.NEAR_MAX_ITEMS, Severity.INFO, _ref(state), 0, Method.EXACT, None, parameters=told
            )


def _is_near(look: LookedAt, used: int, limit: int) -> bool:
    return limit > 0 and limit * look.settings.near <= used <= limit


def _near(rule: LintRule, where: Ref, action: str, value: int, told: Parameters) -> Finding:
    fix = Fix(action, where, value, {"value": value})
    return Finding(rule, Severity.WARNING, where, 0, Method.EXACT, fix, parameters=told)


def _rendered(state: BlockState) -> str:
    schema = state.block.schema
    if isinstance(schema, UnreadableSchema) or state.content is None:
        return ""
    try:
        return render(schema, state.content).text
    except InspectorError:
        # It is a problem of the Request already.
        return ""


def _length(state: BlockState) -> int:
    schema = state.block.schema
    if isinstance(schema, UnreadableSchema) or state.content is None:
        return 0
    try:
        return limit_length(schema, state.content)
    except InspectorError:
        return 0


def _written_at(state: BlockState) -> datetime:
    return state.block.updated_at if state.written is None else state.written.at


def _ref(state: BlockState) -> Ref:
    return Ref(RefKind.BLOCK, state.block.id)
