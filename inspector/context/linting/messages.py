"""The lint rule on large messages of earlier turns: they cost tokens in every Request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.context.linting.context import LintContext
from inspector.domain.counts import joint_method
from inspector.domain.errors import Parameters, Severity
from inspector.domain.lint import Finding, FindingSpan, LintRule
from inspector.domain.message_outline import with_partners
from inspector.domain.messages import Batch
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, Piece, SourceKind


def large_messages(look: LintContext) -> Iterator[Finding]:
    """Messages that take a large part of the Request, each with the other half of its calls and results.

    The newest turn is none of them: the model is at work on it.
    """
    pieces = {str(each.source.id): each for each in look.pieces if each.source.kind is SourceKind.MESSAGE}
    sent = [batch for batch in look.snapshot.history if any(each.id in pieces for each in batch.messages)]
    least = max(look.settings.large_tokens, look.settings.large_share * look.request.tokens)
    for batch in sent[:-1]:
        named: set[str] = set()
        for message in batch.messages:
            if message.id in pieces and message.id not in named:
                group = _together(batch, message.id, pieces)
                named |= {str(each.source.id) for each in group}
                if sum(each.tokens for each in group) >= least:
                    yield _large(max(group, key=lambda each: each.tokens), group, look.request.tokens)


def _together(batch: Batch, message_id: str, pieces: dict[str, Piece]) -> list[Piece]:
    return [pieces[each.id] for each in with_partners(batch.messages, (message_id,)) if each.id in pieces]


def _large(largest: Piece, group: Sequence[Piece], of: int) -> Finding:
    where = Ref(RefKind.MESSAGE, str(largest.source.id))
    tokens = sum(each.tokens for each in group)
    parameters: Parameters = {
        "label": largest.source.label,
        "tokens": tokens,
        "share": round(100 * tokens / of),
        "messages": len(group),
    }
    return Finding(
        LintRule.LARGE_MESSAGE,
        Severity.INFO,
        where,
        tokens,
        joint_method(each.method for each in group),
        Fix("archive_message", where, True, parameters),
        tuple(Ref(RefKind.MESSAGE, str(each.source.id)) for each in group if each is not largest),
        parameters,
        tuple(FindingSpan(each.id, 0, each.length) for each in group),
    )
