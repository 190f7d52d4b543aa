"""Runs all lint rules and sorts their findings, without secrets, each with the tokens it saves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from inspector.context.counting.counter import Counter
from inspector.context.linting.compiled import differs_from_compiled
from inspector.context.linting.context import LintContext
from inspector.context.linting.messages import large_messages
from inspector.context.linting.rules import (
    duplicates,
    near_limits,
    same_descriptions,
    secrets,
    stale_blocks,
    unused_tools,
)
from inspector.domain.errors import Parameters, Severity
from inspector.domain.lint import Finding, FindingSpan, LintSettings
from inspector.domain.pauses import Pause, no_pause
from inspector.domain.requests import Request
from inspector.domain.secrets import without_secrets
from inspector.domain.snapshot import Snapshot

_SEVERITIES = list(Severity)
_Span = tuple[int, int]


def lint(
    snapshot: Snapshot,
    request: Request,
    counter: Counter,
    settings: LintSettings | None = None,
    pause: Pause = no_pause,
) -> tuple[Finding, ...]:
    """All findings, the worst first, then those that save most.

    Args:
        snapshot: One agent's view.
        request: The Request that it gives.
        counter: The counter of the Request's model.
        settings: From where on something is worth a word.
        pause: Called after each few milliseconds of work on long texts.
    """
    look = LintContext(snapshot, request, counter, settings or LintSettings(), pause)
    found = [_showable(finding) for rule in RULES for finding in rule(look)]
    found.sort(key=lambda each: (-_SEVERITIES.index(each.severity), -each.tokens, each.rule, each.where))
    return once_each(found, look)


def _showable(finding: Finding) -> Finding:
    """The finding without secrets in what is told of it: a label, or a passage, may be one itself."""
    fix = finding.fix
    shown = None if fix is None else replace(fix, parameters=_masked(fix.parameters))
    return replace(finding, parameters=_masked(finding.parameters), fix=shown)


def _masked(reported: Parameters) -> Parameters:
    return {name: without_secrets(each) if isinstance(each, str) else each for name, each in reported.items()}


RULES: tuple[Callable[[LintContext], Iterator[Finding]], ...] = (
    secrets,
    duplicates,
    same_descriptions,
    near_limits,
    unused_tools,
    stale_blocks,
    large_messages,
    differs_from_compiled,
)


def once_each(found: Sequence[Finding], look: LintContext) -> tuple[Finding, ...]:
    """The findings in their order, each with what it saves beside those before it."""
    savings = _Savings(look)
    return tuple(replace(finding, more=savings.take(finding)) for finding in found)


class _Savings:
    """What of the pieces is there still when some findings are mended."""

    def __init__(self, look: LintContext) -> None:
        self._look = look
        self._pieces = {piece.id: piece for piece in look.pieces}
        self._left = {piece.id: piece.tokens for piece in look.pieces}
        self._gone: dict[str, list[_Span]] = defaultdict(list)

    def take(self, finding: Finding) -> int:
        """Mend one more finding; gives the tokens that this saves."""
        saved = 0
        for place in finding.places:
            tokens = min(self._tokens(place), self._left[place.piece_id], finding.tokens - saved)
            self._left[place.piece_id] -= tokens
            self._gone[place.piece_id].append((place.start, place.end))
            saved += tokens
        return saved

    def _tokens(self, place: FindingSpan) -> int:
        piece = self._pieces[place.piece_id]
        if (place.start, place.end) == (0, piece.length):
            return self._left[piece.id]
        fresh = _without(place, self._gone[piece.id])
        return sum(self._look.count(piece.text[start:end]).tokens for start, end in fresh)


def _without(place: FindingSpan, gone: Sequence[_Span]) -> Iterator[_Span]:
    """The parts of a place that are not gone yet."""
    at = place.start
    for start, end in sorted(gone):
        if at < start < place.end:
            yield at, start
        at = max(at, end)
    if at < place.end:
        yield at, place.end
