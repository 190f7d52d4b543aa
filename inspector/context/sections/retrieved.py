"""The retrieved memories section: archival entries that the caller passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from inspector.context.blocks import Adapted
from inspector.context.identity import IdentityCache
from inspector.context.markup import attribute, close_proof
from inspector.context.parts import PromptPart
from inspector.domain.blocks import ArchivalEntry
from inspector.domain.errors import Parameters, Problem, Severity
from inspector.domain.requests import Source, SourceKind
from inspector.domain.rules import InRule

SECTION = "retrieved"
ELEMENT = "retrieved_memory"


def retrieved_parts(
    entries: Iterable[ArchivalEntry], element: str, cache: IdentityCache
) -> Iterator[Adapted]:
    """One part for each entry that is not blank, in the caller's order; the first of those with one id."""
    seen: set[str] = set()
    for entry in entries:
        if entry.content and not entry.content.isspace() and entry.id not in seen:
            seen.add(entry.id)
            yield cache.get(entry, ("retrieved", element), partial(_made, entry, element))


def retrieved_source(entry: ArchivalEntry) -> Source:
    """An entry as a source, labelled by its tags."""
    return Source(SourceKind.ARCHIVAL, entry.id, ", ".join(entry.tags) or None, entry.agent_id)


def _made(entry: ArchivalEntry, element: str) -> Adapted:
    escaped = close_proof(entry.content, [name for name in (ELEMENT, element) if name])
    opening = f'{ELEMENT} id="{attribute(entry.id)}"'
    if entry.tags:
        opening += f' tags="{attribute(", ".join(entry.tags))}"'
    text = f"<{opening}>\n{escaped.text}\n</{ELEMENT}>"
    adaptations: tuple[Problem, ...] = ()
    where = f"archival:{entry.id}"
    if escaped.places:
        facts: Parameters = {"label": entry.id, "count": len(escaped.places)}
        adaptations = (Problem("closing_tag_escaped", Severity.WARNING, where, facts),)
    part = PromptPart(where, SECTION, retrieved_source(entry), InRule.RETRIEVED, text)
    return Adapted(part, adaptations)
