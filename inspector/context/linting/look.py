"""The rules by name, and all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
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
from inspector.domain.secrets import find_secrets, masked, without_secrets
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
    found = [_showable(finding) for rule in RULES for finding in rule(look)]
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


def _showable(finding: Finding) -> Finding:
    """The finding without secrets in what is told of it: a label, or a passage, may be one itself."""
    fix = finding.fix
    shown = None if fix is None else replace(fix, parameters=_masked(fix.parameters))
    return replace(finding, parameters=_masked(finding.parameters), fix=shown)


def _masked(told: Parameters) -> Parameters:
    return {name: without_secrets(each) if isinstance(each, str) else each for name, each in told.items()}


RULES: tuple[Callable[[LookedAt], Iterator[Finding]], ...] = (
    secrets,
    duplicates,
    same_descriptions,
    near_limits,
    unused_tools,
    stale_blocks,
)
