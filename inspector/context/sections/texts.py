"""Sections of literal text: persona, instructions, a layout's own sections and the caller's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from inspector.context.blocks import Adapted
from inspector.context.markup import close_proof, starts_legally
from inspector.context.parts import literal
from inspector.context.plan import BuildPlan
from inspector.domain.errors import Parameters, Problem, Severity
from inspector.domain.layout_rules import ADDITIONAL, INSTRUCTIONS
from inspector.domain.layouts import SectionLayout
from inspector.domain.rules import InRule

_TAGS = {
    InRule.PERSONA: "persona",
    InRule.INSTRUCTION: "instruction",
    InRule.ADDITIONAL: "instruction",
}
"""What encloses a text that needs it; any other a ``<section>``."""


@lru_cache(maxsize=4096)
def text_part(
    place: str, text: str, rule: InRule, *, section: str, element: str = "", owner: str | None = None
) -> Adapted | None:
    """A text as a part, None if it is blank.

    One that begins with white space or a solidus is enclosed in an element, since a run could not begin there.

    Args:
        place: Its unique place (``instructions/0``).
        text: The text.
        rule: Why it is in.
        section: The Request's section.
        element: The section's own element, which the text cannot close.
        owner: The id of the agent that it belongs to.
    """
    if not text or text.isspace():
        return None
    where = f"literal:{place}"
    tag = _TAGS.get(rule, "section")
    adaptations: list[Problem] = []
    is_enclosed = not starts_legally(text)
    elements = [name for name in (tag if is_enclosed else "", element) if name]
    body = text if is_enclosed else text.rstrip("\n")
    if elements:
        escaped = close_proof(body, elements)
        body = escaped.text
        if escaped.places:
            facts: Parameters = {"label": place, "count": len(escaped.places)}
            adaptations.append(Problem("closing_tag_escaped", Severity.WARNING, where, facts))
    if is_enclosed:
        adaptations.append(Problem("enclosed_for_counting", Severity.INFO, where, {"label": place}))
        body = f"<{tag}>\n{body}\n</{tag}>"
    part = literal(section, place, body, rule)
    part.source = replace(part.source, owner=owner, label=_label(place))
    if body != text and not element:
        # Its pieces are of another text, so they are its own.
        part.leading = replace(part, text=text, _pieces={}, _counts={})
    return Adapted(part, tuple(adaptations))


def _label(place: str) -> str:
    """What a person reads: ``instruction 1`` for the first of them, a section's own name for its text."""
    name, _, last = place.rpartition("/")
    if last.isdecimal():
        word = "additional instruction" if name == ADDITIONAL else "instruction"
        return f"{word} {int(last) + 1}"
    return name if last == "text" else place


def persona(plan: BuildPlan, entry: SectionLayout) -> Iterator[Adapted]:
    """Yield the text of who the agent is."""
    agent = plan.agent
    made = text_part(
        "persona",
        agent.persona,
        InRule.PERSONA,
        section=INSTRUCTIONS,
        element=entry.element,
        owner=agent.id,
    )
    if made is not None:
        yield made


def instructions(plan: BuildPlan, entry: SectionLayout) -> Iterator[Adapted]:
    """The agent's instructions, one part each."""
    for number, text in enumerate(plan.agent.instructions):
        made = text_part(
            f"instructions/{number}",
            text,
            InRule.INSTRUCTION,
            section=INSTRUCTIONS,
            element=entry.element,
            owner=plan.agent.id,
        )
        if made is not None:
            yield made


def additional(plan: BuildPlan, entry: SectionLayout) -> Iterator[Adapted]:
    """The instructions of this build's caller."""
    for number, text in enumerate(plan.spec.extra_instructions):
        place = f"additional/{number}"
        made = text_part(place, text, InRule.ADDITIONAL, section=ADDITIONAL, element=entry.element)
        if made is not None:
            yield made


def own_text(entry: SectionLayout, rule: InRule) -> Iterator[Adapted]:
    """The text of a section of the layout's or of the caller's own."""
    place = f"{entry.name}/text"
    made = text_part(place, entry.text, rule, section=entry.name, element=entry.element)
    if made is not None:
        yield made
