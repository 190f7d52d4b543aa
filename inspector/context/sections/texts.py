"""Literal texts: persona, instructions, a layout's own sections, what the caller adds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from inspector.context.blocks import Adapted
from inspector.context.layouts import ADDITIONAL, INSTRUCTIONS, PERSONA
from inspector.context.markup import close_proof, starts_legally
from inspector.context.parts import literal
from inspector.context.plan import Plan
from inspector.domain.errors import Parameters
from inspector.domain.health import Problem, Severity
from inspector.domain.layouts import SectionLayout
from inspector.domain.rules import InRule


@lru_cache(maxsize=4096)
def text_part(section: str, place: str, text: str, rule: InRule, tag: str, element: str = "") -> Adapted | None:
    """A text as a part, None if it is blank.

    One that begins with white space or a solidus is enclosed in an element, since a run could not begin there.

    Args:
        section: The Request's section.
        place: Its unique place (``instructions/0``).
        text: The text.
        rule: Why it is in.
        tag: The element that encloses it where that is needed.
        element: The section's own element, which the text cannot close.
    """
    if not text or text.isspace():
        return None
    where = f"literal:{place}"
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
    return Adapted(literal(section, place, body, rule), tuple(adaptations))


def persona(plan: Plan, entry: SectionLayout) -> Iterator[Adapted]:
    """Who the agent is."""
    made = text_part(INSTRUCTIONS, "persona", plan.agent.persona, InRule.PERSONA, PERSONA, entry.element)
    if made is not None:
        yield _owned(made, plan)


def instructions(plan: Plan, entry: SectionLayout) -> Iterator[Adapted]:
    """The agent's instructions, one part each."""
    for number, text in enumerate(plan.agent.instructions):
        place = f"instructions/{number}"
        made = text_part(INSTRUCTIONS, place, text, InRule.INSTRUCTION, "instruction", entry.element)
        if made is not None:
            yield _owned(made, plan)


def additional(plan: Plan, entry: SectionLayout) -> Iterator[Adapted]:
    """The instructions of this build's caller."""
    for number, text in enumerate(plan.spec.extra_instructions):
        place = f"additional/{number}"
        made = text_part(ADDITIONAL, place, text, InRule.ADDITIONAL, "instruction", entry.element)
        if made is not None:
            yield made


def own_text(entry: SectionLayout, rule: InRule) -> Iterator[Adapted]:
    """The text of a section of the layout's or of the caller's own."""
    made = text_part(entry.name, f"{entry.name}/text", entry.text, rule, "section", entry.element)
    if made is not None:
        yield made


@lru_cache(maxsize=4096)
def _with_owner(made: Adapted, owner: str) -> Adapted:
    part = made.part
    return replace(made, part=replace(part, source=replace(part.source, owner=owner), _pieces={}))


def _owned(made: Adapted, plan: Plan) -> Adapted:
    return _with_owner(made, plan.agent.id)
