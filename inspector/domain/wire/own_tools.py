"""Tools that a provider has as its own: its models know them by their type, and no definition is sent."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.domain.models import ModelFacts
from inspector.domain.wire.objects import object_of

OWN_TYPES = "own_types"
"""The key of a tool's metadata with the types of providers' own tools, by the providers' names."""


def own_types(metadata: str) -> Mapping[str, str]:
    """The types of providers' own tools that a tool is, by the providers' names; `metadata` is JSON text."""
    found = object_of(metadata).get(OWN_TYPES)
    if not isinstance(found, dict):
        return {}
    return {name: each for name, each in found.items() if isinstance(each, str) and each}


def own_type(types: Mapping[str, str], facts: ModelFacts | None, provider: str) -> str:
    """The type that a tool is sent as to a provider; empty where the model isn't known to know the tool.

    Only the provider's own models know it, and only those that call tools.
    """
    if facts is None or facts.provider != provider or "function_calling" not in facts.flags:
        return ""
    return types.get(provider, "")
