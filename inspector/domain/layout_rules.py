"""Which layouts can be used: the names of sections, and what a layout must keep to."""

from __future__ import annotations

import math
import re
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
HINTS = "hints"
BUILT_IN = (
    PERSONA,
    INSTRUCTIONS,
    *BLOCK_SECTIONS,
    HINTS,
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

MOST_SECTIONS = 200
LONGEST_NAME = 200
LONGEST_DRESS = 2_000
"""Characters of a join, a heading or a description. What is to be read in full is a section's text."""
LONGEST_TEXT = 1_000_000
MOST_TOKENS = 1_000_000_000
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def check_layout(layout: Layout) -> None:
    """Refuse a layout whose pieces would start where counts do not add up, whose names clash, or that is beyond use.

    Raises:
        MalformedError: ``malformed.layout`` with the place and what must be there instead.
    """
    for where, why in _faults(layout):
        raise MalformedError("malformed.layout", where=f"{_shown(layout.name)}: {where}", why=why)


def _faults(layout: Layout) -> Iterator[tuple[str, str]]:
    if not _is_name(layout.name):
        yield "name", f"it must be one visible line of at most {LONGEST_NAME} characters"
    for place, text in (("description", layout.description), ("join", layout.join)):
        yield from ((place, why) for why in _text_faults(text, LONGEST_DRESS))
    if not 0 < len(layout.sections) <= MOST_SECTIONS:
        yield "sections", f"there are {len(layout.sections)}; it must have 1 to {MOST_SECTIONS}"
    known = sorted(each.kind for each in STRATEGIES)
    if layout.strategy and layout.strategy not in known:
        yield (
            "strategy",
            f"there is no strategy {layout.strategy!r}; choose one of {', '.join(known)}, or none",
        )
    yield from (("join", why) for why in _join_faults(layout.join))
    yield from _name_faults(layout)
    for entry in layout.sections:
        yield from ((entry.name, why) for why in (*_bound_faults(entry), *_dress_faults(entry)))
        yield from ((entry.name, why) for why in _content_faults(entry))


def _join_faults(join: str) -> Iterator[str]:
    core = join.strip("\n")
    if not join.startswith("\n") or (core and not join.endswith("\n")):
        yield "it must begin and end with a newline"
    if core and not starts_legally(core):
        yield "its first line must begin with neither white space nor a solidus"


def _name_faults(layout: Layout) -> Iterator[tuple[str, str]]:
    names = [entry.name for entry in layout.sections]
    seen: set[str] = set()
    for entry in layout.sections:
        if not _is_name(entry.name):
            yield (
                f"section {len(seen) + 1}",
                f"its name must be one visible line of at most {LONGEST_NAME} characters",
            )
        if entry.name in seen:
            yield entry.name, "the name is taken; each section stands once"
        if entry.name in FIXED:
            yield entry.name, "this section has its fixed place; take it out"
        seen.add(entry.name)
        if entry.name == PERSONA and not _neighbours(names, PERSONA, INSTRUCTIONS):
            yield entry.name, "it must stand beside the instructions, whose section it belongs to"
    labels: dict[str, str] = {}
    for entry in layout.sections:
        for label in entry.blocks:
            if label in labels:
                yield (
                    entry.name,
                    f"the block label {label!r} is in {labels[label]!r} already; keep one of them",
                )
            labels[label] = entry.name


def _bound_faults(entry: SectionLayout) -> Iterator[str]:
    if entry.minimum < 0 or (entry.maximum is not None and entry.maximum < entry.minimum):
        yield "its minimum must be 0 or more, and not larger than its maximum"
    if max(entry.minimum, entry.maximum or 0) > MOST_TOKENS or abs(entry.priority) > MOST_TOKENS:
        yield f"its minimum, maximum and priority must be at most {MOST_TOKENS}"
    if not 0 < entry.share < math.inf:
        yield "its share must be a number larger than 0"


def _dress_faults(entry: SectionLayout) -> Iterator[str]:
    for text in (entry.heading, entry.group):
        yield from _text_faults(text, LONGEST_DRESS)
        if text and (not starts_legally(text) or text.endswith("\n")):
            yield "a heading must begin with a visible character that is no solidus, and end without a newline"
    if entry.element and (len(entry.element) > LONGEST_NAME or not is_element_name(entry.element)):
        yield f"{entry.element[:LONGEST_NAME]!r} cannot be an element; choose a name of letters, digits, _ and -"


def _content_faults(entry: SectionLayout) -> Iterator[str]:
    yield from _text_faults(entry.text, LONGEST_TEXT)
    if entry.text and entry.blocks:
        yield "a section of your own has a text or block labels, not both"
    if entry.name in RESERVED:
        if entry.text or entry.blocks:
            yield "its content is given; for a text or block labels choose a name of your own"
    elif not entry.text.strip() and not entry.blocks:
        yield f"a section of your own needs a text or block labels; those that are known are {', '.join(BUILT_IN)}"
    if not all(label.strip() for label in entry.blocks):
        yield "a block label must not be empty"


def _text_faults(text: str, most: int) -> Iterator[str]:
    if len(text) > most:
        yield f"a text of {len(text)} characters is too long; at most {most} are allowed"
    if _HALF_CHARACTER.search(text):
        yield "a text holds half a character; write it as valid UTF-8"


def _shown(name: str) -> str:
    """A name for a message: one line of it, not too long."""
    return " ".join(name[:LONGEST_NAME].split())


def _is_name(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and bool(name.strip())


def _neighbours(names: list[str], one: str, other: str) -> bool:
    return other not in names or abs(names.index(one) - names.index(other)) == 1
