"""The rules by name, and all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate

from inspector.context.counting.counter import Counter
from inspector.context.linting.blocks import near_limits, same_descriptions, stale_blocks
from inspector.context.linting.duplicates import duplicates
from inspector.context.linting.looked_at import LookedAt
from inspector.context.linting.saving import once_each
from inspector.context.linting.tools import unused_tools
from inspector.domain.errors import Parameters
from inspector.domain.health import Severity
from inspector.domain.lint import Finding, LintRule, LintSettings, Place
from inspector.domain.requests import Fix, Request
from inspector.domain.secrets import find_secrets, masked
from inspector.domain.snapshot import Snapshot

_SEVERITIES = list(Severity)


def lint(
    snapshot: Snapshot, request: Request, counter: Counter, settings: LintSettings | None = None
) -> tuple[Finding, ...]:
    """All findings, the worst first, then those that save most.

    Args:
        snapshot: One agent's view.
        request: The Request that it gives.
        counter: The counter of the Request's model.
        settings: From where on something is worth a word.
    """
    look = LookedAt(snapshot, request, counter, settings or LintSettings())
    found = [finding for rule in RULES for finding in rule(look)]
    found.sort(key=lambda each: (-_SEVERITIES.index(each.severity), -each.tokens, each.rule, each.where))
    return once_each(found, look)


def secrets(look: LookedAt) -> Iterator[Finding]:
    """Pieces with text that looks like a secret. The finding never holds the text itself."""
    for piece in look.pieces:
        ref = piece.source.ref
        if ref is None:
            continue
        ends = accumulate(len(run.text) for run in piece.runs)
        for run, end in zip(piece.runs, ends, strict=True):
            begin = end - len(run.text)
            for secret in find_secrets(run.text) if run.sent else ():
                text = run.text[secret.start : secret.end]
                count = look.count(text)
                told: Parameters = {"label": piece.source.label, "kind": secret.kind, "shown": masked(text)}
                fix = Fix("remove_secret", ref, None, told)
                yield Finding(
                    LintRule.SECRET,
                    Severity.ERROR,
                    ref,
                    count.tokens,
                    count.method,
                    fix,
                    parameters=told,
                    places=(Place(piece.id, begin + secret.start, begin + secret.end),),
                )


RULES: tuple[Callable[[LookedAt], Iterator[Finding]], ...] = (
    secrets,
    duplicates,
    same_descriptions,
    near_limits,
    unused_tools,
    stale_blocks,
)
