"""Which layouts can be used: the names of sections, and what a layout must keep to."""

from __future__ import annotations

import math
from collections.abc import Iterator

from inspector.domain.element_names import is_element_name, starts_legally
from inspector.domain.errors import MalformedError
from inspector.domain.layouts import Layout, SectionLayout
from inspector.domain.limits import STRATEGIES

PERSONA = "persona"
INSTRUCTIONS = "instructions"
EXTRA = "extra"
"""Where the sections of a caller stand."""
ADDITIONAL = "additional"
MESSAGES = "messages"
"""The mark behind which a layout puts what is to stand after the history."""
FIXED = ("tools", "reply")
BLOCK_SECTIONS = ("core", "working", "log", "shared")
BUILT_IN = (
    PERSONA,
    INSTRUCTIONS,
    *BLOCK_SECTIONS,
    "hints",
    "summary",
    "activity",
    "tool_rules",
    "scratchpad",
    "retrieved",
    EXTRA,
    ADDITIONAL,
)
RESERVED = frozenset((*BUILT_IN, MESSAGES, *FIXED))
"""Names that a section of the user's own cannot have."""


def check_layout(layout: Layout) -> None:
    """Refuse a layout whose pieces would start where counts do not add up, or whose names clash.

    Raises:
        MalformedError: ``malformed.layout`` with the place and the reason.
    """
    for where, why in _faults(layout):
        raise MalformedError("malformed.layout", where=f"{layout.name}: {where}", why=why)


def _faults(layout: Layout) -> Iterator[tuple[str, str]]:
    if not layout.sections:
        yield "sections", "there are none"
    if layout.strategy and layout.strategy not in {each.kind for each in STRATEGIES}:
        yield "strategy", f"there is no strategy {layout.strategy!r}"
    yield from _section_faults(layout)
    for entry in layout.sections:
        yield from ((entry.name, why) for why in _bound_faults(entry))


def _bound_faults(entry: SectionLayout) -> Iterator[str]:
    if entry.minimum < 0 or (entry.maximum is not None and entry.maximum < entry.minimum):
        yield "its minimum is negative, or larger than its maximum"
    if not 0 < entry.share < math.inf:
        yield "its share must be larger than nothing"
    if entry.text and entry.blocks:
        yield "a section of your own has a text or block labels, not both"


def _section_faults(layout: Layout) -> Iterator[tuple[str, str]]:
    core = layout.join.strip("\n")
    if not layout.join.startswith("\n") or (core and not layout.join.endswith("\n")):
        yield "join", "it must begin and end with a newline"
    if core and not starts_legally(core):
        yield "join", "its first line must begin with neither white space nor a solidus"
    seen: set[str] = set()
    names = [entry.name for entry in layout.sections]
    for entry in layout.sections:
        if not entry.name or entry.name in seen or entry.name in FIXED:
            yield entry.name, "the name is empty, taken, or that of a fixed section"
        seen.add(entry.name)
        if entry.name not in RESERVED and not entry.text and not entry.blocks:
            yield entry.name, "a section of your own needs a text or block labels"
        for text in (entry.heading, entry.group):
            if text and (not starts_legally(text) or text.endswith("\n")):
                yield entry.name, "a heading must begin and end with visible characters"
        if entry.name == PERSONA and not _neighbours(names, PERSONA, INSTRUCTIONS):
            yield entry.name, "it must stand beside the instructions, whose section it belongs to"
        if entry.element and not is_element_name(entry.element):
            yield entry.name, f"not an element's name: {entry.element!r}"


def _neighbours(names: list[str], one: str, other: str) -> bool:
    return other not in names or abs(names.index(one) - names.index(other)) == 1
