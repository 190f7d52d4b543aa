"""Tools that are offered and never called."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from inspector.context.linting.looked_at import LookedAt
from inspector.domain.agents import ToolRule, ToolRuleKind
from inspector.domain.counts import joint_method
from inspector.domain.errors import Parameters
from inspector.domain.health import Severity
from inspector.domain.lint import Finding, LintRule, Place
from inspector.domain.messages import ToolCallPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, Piece, SourceKind


def unused_tools(look: LookedAt) -> Iterator[Finding]:
    """Tools without a call in a history that has enough of them; none that another tool's rule asks for first."""
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
    told: Parameters = {"label": name, "calls": calls}
    return Finding(
        LintRule.UNUSED_TOOL,
        Severity.INFO,
        ref,
        sum(piece.tokens for piece in pieces),
        joint_method(piece.method for piece in pieces),
        Fix("drop_tool", ref, name, told),
        parameters=told,
        places=tuple(Place(piece.id, 0, piece.length) for piece in pieces),
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
