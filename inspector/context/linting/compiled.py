"""The lint rule on an imported agent whose Request differs from the compiled prompt that came with it."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.context.comparison import diff
from inspector.context.compiled_prompt import as_compiled, compiled_prompt
from inspector.context.linting.context import LintContext
from inspector.domain.errors import Parameters, Severity
from inspector.domain.lint import Finding, LintRule


def differs_from_compiled(look: LintContext) -> Iterator[Finding]:
    """One finding with the number of pieces and the tokens that differ."""
    prompt = compiled_prompt(look.snapshot)
    if prompt is None or prompt == look.request.system:
        return
    found = diff(as_compiled(look.request, prompt, look.counter), look.request)
    parameters: Parameters = {"count": len(found.changes), "delta": f"{found.delta:+,}"}
    yield Finding(
        LintRule.COMPILED_DIFFERS,
        Severity.INFO,
        look.agent,
        0,
        look.request.method,
        None,
        parameters=parameters,
    )
