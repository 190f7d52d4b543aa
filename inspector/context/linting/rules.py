"""Lint rules on blocks, tools and text that stands in several pieces."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import accumulate

from inspector.context.linting.context import LintContext
from inspector.context.linting.passages import Passage, Words, passages
from inspector.context.markup import comment
from inspector.domain.agents import ToolRule, ToolRuleKind
from inspector.domain.blocks import BlockType, ListSchema, Permission, UnreadableSchema
from inspector.domain.content import ListContent
from inspector.domain.counts import Method, joint_method
from inspector.domain.errors import InspectorError, Parameters, Severity
from inspector.domain.lint import Finding, FindingSpan, LintRule
from inspector.domain.messages import ToolCallPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import limit_length, render
from inspector.domain.requests import Fix, Piece, SourceKind
from inspector.domain.rules import InRule
from inspector.domain.secrets import find_secrets, masked, replace_values, stretch_without_secrets
from inspector.domain.snapshot import BlockState

_LITERALS = frozenset({InRule.PERSONA, InRule.INSTRUCTION, InRule.CUSTOM_SECTION})
_SHOWN = 80
_LEAST_WORDS = 3
_MORE = 1.5
"""What a limit that is nearly reached is raised by."""
_MEMORY_SECTIONS = frozenset({"core", "working", "log", "shared"})


def secrets(look: LintContext) -> Iterator[Finding]:
    """Pieces with text that looks like a secret. The finding never holds the text itself."""
    for piece in look.pieces:
        ref = piece.source.ref
        if ref is None:
            continue
        ends = accumulate(len(run.text) for run in piece.runs)
        for run, end in zip(piece.runs, ends, strict=True):
            begin = end - len(run.text)
            for secret in find_secrets(run.text, look.pause) if run.sent else ():
                text = run.text[secret.start : secret.end]
                count = look.count(text)
                parameters: Parameters = {
                    "label": piece.source.label,
                    "kind": secret.kind,
                    "shown": masked(text),
                }
                fix = Fix("remove_secret", ref, None, parameters)
                yield Finding(
                    LintRule.SECRET,
                    Severity.ERROR,
                    ref,
                    count.tokens,
                    count.method,
                    fix,
                    parameters=parameters,
                    places=(FindingSpan(piece.id, begin + secret.start, begin + secret.end),),
                )


def duplicates(look: LintContext) -> Iterator[Finding]:
    """For each two places with the same words in a row, what the later one could do without."""
    pieces = [piece for piece in look.pieces if _is_looked_at(piece)]
    texts = [Words.of(piece.text, *_content_span(look, piece), look.pause) for piece in pieces]
    by_pair: dict[tuple[int, int], list[Passage]] = {}
    for passage in passages(texts, look.settings.least_words, look.pause):
        by_pair.setdefault((passage.there, passage.here), []).append(passage)
    for (there, here), found in by_pair.items():
        yield _finding(look, pieces[there], pieces[here], texts[here], found)


def _is_looked_at(piece: Piece) -> bool:
    if piece.source.kind in (SourceKind.BLOCK, SourceKind.SUMMARY):
        return True
    return piece.source.kind is SourceKind.LITERAL and piece.rule in _LITERALS


def _content_span(look: LintContext, piece: Piece) -> tuple[int, int]:
    """Where a block's content stands in its piece: a layout may write the same words around every block.

    Its first and last lines tell, as a layout may number the lines between them.
    """
    whole = (0, len(piece.text))
    state = look.blocks.get(piece.source.id or "")
    if piece.source.kind is not SourceKind.BLOCK or state is None:
        return whole
    content = _rendered(state).strip()
    if not content:
        return (0, 0)
    first, last = content.partition("\n")[0].strip(), content.rpartition("\n")[2].strip()
    begin, end = piece.text.find(first), piece.text.rfind(last)
    return (begin, end + len(last)) if 0 <= begin <= end else whole


def _finding(look: LintContext, there: Piece, here: Piece, words: Words, found: Sequence[Passage]) -> Finding:
    places = [FindingSpan(here.id, words.starts[each.start], words.ends[each.end - 1]) for each in found]
    texts = [here.text[each.start : each.end] for each in places]
    counts = [look.count(text) for text in texts]
    longest = _shown_of(look, there, here, max(places, key=lambda each: each.end - each.start))
    parameters = {
        "label": here.source.label,
        "other": there.source.label,
        "words": sum(each.end - each.start for each in found),
        "text": longest if len(longest) <= _SHOWN else longest[: _SHOWN - 1] + "…",
    }
    where, other = _piece_ref(here), _piece_ref(there)
    return Finding(
        LintRule.DUPLICATE_TEXT,
        Severity.WARNING,
        where,
        sum(each.tokens for each in counts),
        joint_method(each.method for each in counts),
        Fix("remove_duplicate", where, None, parameters),
        (other,),
        parameters,
        tuple(places),
    )


def _shown_of(look: LintContext, there: Piece, here: Piece, place: FindingSpan) -> str:
    """The words that stand in two pieces, without what looks like a secret in either of them.

    Cut in two, or without the words before it, a secret might not look like one.
    """
    shown = stretch_without_secrets(here.text, place.start, place.end)
    return replace_values(shown, look.secret_values(there), masked)


def _piece_ref(piece: Piece) -> Ref:
    ref = piece.source.ref
    if ref is None:
        raise ValueError(piece.id)
    return ref


def same_descriptions(look: LintContext) -> Iterator[Finding]:
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
        ref = _block_ref(state)
        parameters: Parameters = {"label": state.block.label}
        fix = Fix("clear_description", ref, "", parameters)
        yield Finding(
            LintRule.DESCRIPTION_IS_CONTENT,
            Severity.INFO,
            ref,
            count.tokens,
            count.method,
            fix,
            parameters=parameters,
            places=(FindingSpan(piece.id, start, start + len(shown)),),
        )


def near_limits(look: LintContext) -> Iterator[Finding]:
    """Blocks that are nearly full, the memory cap and the window likewise. What is over one is a problem already."""
    for state, _ in look.sent_blocks():
        yield from _near_characters(look, state)
        yield from _near_items(look, state)
    request, limits = look.request, look.request.limits
    memory = sum(each.tokens for each in request.sections if each.name in _MEMORY_SECTIONS)
    if limits.memory_tokens is not None and _is_near(look, memory, limits.memory_tokens):
        value = math.ceil(limits.memory_tokens * _MORE)
        parameters: Parameters = {"value": value, "tokens": memory, "limit": limits.memory_tokens}
        yield _near(LintRule.NEAR_MEMORY_CAP, look.agent, "raise_memory_tokens", value, parameters)
    if _is_near(look, request.tokens, limits.usable):
        parameters = {"tokens": request.tokens, "limit": limits.usable}
        yield Finding(
            LintRule.NEAR_WINDOW, Severity.WARNING, look.agent, 0, request.method, None, parameters=parameters
        )


def stale_blocks(look: LintContext) -> Iterator[Finding]:
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
    parameters: Parameters = {
        "label": state.block.label,
        "days": (last - _written_at(state)).days,
        "batches": batches,
    }
    fix = Fix("set_type_archival", _block_ref(state), BlockType.ARCHIVAL.value, parameters)
    return Finding(
        LintRule.STALE_BLOCK,
        Severity.INFO,
        _block_ref(state),
        piece.tokens,
        piece.method,
        fix,
        parameters=parameters,
        places=(FindingSpan(piece.id, 0, piece.length),),
    )


def _near_characters(look: LintContext, state: BlockState) -> Iterator[Finding]:
    limit = state.block.char_limit
    length = _length(state)
    if limit > 0 and _is_near(look, length, limit):
        value = math.ceil(limit * _MORE)
        parameters: Parameters = {
            "label": state.block.label,
            "length": length,
            "limit": limit,
            "value": value,
        }
        yield _near(LintRule.NEAR_CHAR_LIMIT, _block_ref(state), "set_char_limit", value, parameters)


def _near_items(look: LintContext, state: BlockState) -> Iterator[Finding]:
    schema, content = state.block.schema, state.content
    if isinstance(schema, ListSchema) and isinstance(content, ListContent) and schema.max_items:
        count = len(content.items)
        if _is_near(look, count, schema.max_items):
            parameters: Parameters = {"label": state.block.label, "count": count, "limit": schema.max_items}
            yield Finding(
                LintRule.NEAR_MAX_ITEMS,
                Severity.INFO,
                _block_ref(state),
                0,
                Method.EXACT,
                None,
                parameters=parameters,
            )


def _is_near(look: LintContext, used: int, limit: int) -> bool:
    return limit > 0 and limit * look.settings.near <= used <= limit


def _near(rule: LintRule, where: Ref, action: str, value: int, reported: Parameters) -> Finding:
    fix = Fix(action, where, value, {"value": value})
    return Finding(rule, Severity.WARNING, where, 0, Method.EXACT, fix, parameters=reported)


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


def _block_ref(state: BlockState) -> Ref:
    return Ref(RefKind.BLOCK, state.block.id)


def unused_tools(look: LintContext) -> Iterator[Finding]:
    """Tools without a call where messages have enough of them; none that another tool's rule asks for first."""
    calls = Counter(
        part.name
        for batch in look.snapshot.history
        for message in batch.messages
        for part in message.content
        if isinstance(part, ToolCallPart)
    )
    if calls.total() < look.settings.least_calls:
        return
    needed = set().union(*map(_asked_for, look.snapshot.tool_rules))
    pieces: dict[str, list[Piece]] = {}
    for piece in look.pieces:
        if piece.source.kind is SourceKind.TOOL and piece.source.id is not None:
            pieces.setdefault(piece.source.id, []).append(piece)
    for name, own in pieces.items():
        if name not in needed and not calls[name]:
            yield _unused(name, own, calls.total())


def _unused(name: str, pieces: Sequence[Piece], calls: int) -> Finding:
    """A tool's definition goes, and with it what is said of its rules."""
    ref = Ref(RefKind.TOOL, name)
    parameters: Parameters = {"label": name, "calls": calls}
    return Finding(
        LintRule.UNUSED_TOOL,
        Severity.INFO,
        ref,
        sum(piece.tokens for piece in pieces),
        joint_method(piece.method for piece in pieces),
        Fix("drop_tool", ref, name, parameters),
        parameters=parameters,
        places=tuple(FindingSpan(piece.id, 0, piece.length) for piece in pieces),
    )


def _asked_for(rule: ToolRule) -> set[str]:
    """The tools that a rule wants called first."""
    if rule.kind is not ToolRuleKind.REQUIRES_PRECEDING:
        return set()
    try:
        detail = json.loads(rule.detail)
    except (ValueError, RecursionError):
        # An unreadable rule is told of elsewhere.
        return set()
    found: set[str] = set()
    for value in detail.values() if isinstance(detail, dict) else ():
        found |= (
            {value}
            if isinstance(value, str)
            else set(filter(_is_text, value))
            if isinstance(value, list)
            else set()
        )
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str)
