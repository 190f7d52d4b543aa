"""The rules by which each provider caches prefixes of a Request."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.caching import CacheRules
from inspector.domain.models import ModelFacts

_ANTHROPIC = CacheRules(
    "anthropic",
    breakpoints=4,
    look_back=20,
    minimum=None,
    is_automatic=False,
    writes_billed=True,
    seconds=300,
)
_OPENAI = CacheRules(
    "openai", breakpoints=0, look_back=0, minimum=1024, is_automatic=True, writes_billed=False, step=128
)
# Three marks of one's own beside the one that the provider sets.
_OPENAI_MARKED = CacheRules(
    "openai",
    breakpoints=3,
    look_back=80,
    minimum=1024,
    is_automatic=True,
    writes_billed=True,
    seconds=1800,
    step=128,
)
_MARKS = "prompt_cache_breakpoint"


def rules_for(facts: ModelFacts | None) -> CacheRules | None:
    """The rules of a model's provider, None where they are not known."""
    if facts is None:
        return None
    if facts.provider == "anthropic":
        return replace(_ANTHROPIC, minimum=facts.cache_minimum)
    if facts.provider == "openai":
        return _OPENAI_MARKED if _MARKS in facts.flags else _OPENAI
    return None
