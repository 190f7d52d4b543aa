"""The rules that layouts and history strategies must keep: section names, headings, limits, settings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from inspector.domain.codec import to_plain
from inspector.domain.errors import MalformedError, Parameters
from inspector.domain.layouts import Layout, SectionLayout
from inspector.domain.limits import STRATEGIES, Strategy
from inspector.domain.rendering.block_template import LINE, VALUE

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


def layout_fault(layout: Layout) -> tuple[str, str] | None:
    """The place (a section's name or a setting) that is refused first, with what must be there; None for none."""
    return next(_faults(layout), None)


def _faults(layout: Layout) -> Iterator[tuple[str, str]]:
    if not _is_name(layout.name):
        yield "name", f"it must be one visible line of at most {LONGEST_NAME} characters"
    for place, text in (("description", layout.description), ("join", layout.join)):
        yield from ((place, why) for why in _text_faults(text, LONGEST_DRESS))
    count = len(layout.sections) + len(layout.off) if layout.sections else 0
    if not 0 < count <= MOST_SECTIONS:
        yield "sections", f"it has {count:,}, allowed are 1 to {MOST_SECTIONS}"
    existing = sorted(each.kind for each in STRATEGIES)
    if layout.strategy and layout.strategy not in existing:
        yield (
            "strategy",
            f"strategy {layout.strategy!r} doesn't exist, choose one of {', '.join(existing)}, or none",
        )
    yield from (("join", why) for why in _join_faults(layout.join))
    yield from _template_faults(layout)
    yield from _name_faults(layout)
    for entry in (*layout.sections, *layout.off):
        yield from ((entry.name, why) for why in (*_bound_faults(entry), *_dress_faults(entry)))
        yield from ((entry.name, why) for why in _content_faults(entry))


def _join_faults(join: str) -> Iterator[str]:
    core = join.strip("\n")
    if not join.startswith("\n") or (core and not join.endswith("\n")):
        yield "it must start and end with a newline"
    if core and not starts_legally(core):
        yield "its first line can't start with white space or a slash"


def _template_faults(layout: Layout) -> Iterator[tuple[str, str]]:
    for place, text in (("block", layout.block), ("line", layout.line), ("gap", layout.gap)):
        yield from ((place, why) for why in _text_faults(text, LONGEST_DRESS))
    rows = layout.block.split("\n")
    if layout.block and VALUE in (rows[0], rows[-1]):
        yield "block", f"{VALUE} can't be its first or last line"
    if layout.block and (rows.count(VALUE) != 1 or not starts_legally(layout.block) or not rows[-1].strip()):
        yield "block", f"it needs one line {VALUE}, and must start and end with a visible character"
    if layout.line and (layout.line.count(LINE) != 1 or not layout.block or "\n" in layout.line):
        yield "line", f"it must be one line with {LINE} in it, and goes with a template for blocks"
    if not layout.gap or layout.gap.strip("\n"):
        yield "gap", "it must be newlines only, one or more"


def _name_faults(layout: Layout) -> Iterator[tuple[str, str]]:
    names = [entry.name for entry in layout.sections]
    seen: set[str] = set()
    for entry in (*layout.sections, *layout.off):
        if not _is_name(entry.name):
            yield (
                f"section {len(seen) + 1}",
                f"its name must be one visible line of at most {LONGEST_NAME} characters",
            )
        if entry.name in seen:
            yield entry.name, "its name is used twice"
        if entry.name in FIXED:
            yield entry.name, "this section has a fixed place, remove it"
        seen.add(entry.name)
        if PERSONA in names and entry.name == PERSONA and not _neighbours(names, PERSONA, INSTRUCTIONS):
            yield entry.name, _parted(names)
    labels: dict[str, str] = {}
    for entry in layout.sections:
        for label in entry.blocks:
            if label in labels:
                yield (
                    entry.name,
                    f"the block label {label!r} is already in {labels[label]!r}, keep one of them",
                )
            labels[label] = entry.name


def _bound_faults(entry: SectionLayout) -> Iterator[str]:
    for name, value in (("minimum", entry.minimum), ("maximum", entry.maximum)):
        if value is not None and value < 0:
            yield f"its {name} must be 0 or more"
    if entry.maximum is not None and 0 <= entry.maximum < entry.minimum:
        yield "its minimum can't be larger than its maximum"
    if max(entry.minimum, entry.maximum or 0) > MOST_TOKENS or abs(entry.priority) > MOST_TOKENS:
        yield f"its minimum, maximum and priority must be at most {MOST_TOKENS:,}"
    if not 0 < entry.share < math.inf:
        yield "its share must be larger than 0"


def _dress_faults(entry: SectionLayout) -> Iterator[str]:
    for text in (entry.heading, entry.group, entry.group_end):
        yield from _text_faults(text, LONGEST_DRESS)
        if text and (not starts_legally(text) or text.endswith("\n")):
            yield "a heading must start with a visible character other than a slash, and end without a newline"
    if entry.element and (len(entry.element) > LONGEST_NAME or not is_element_name(entry.element)):
        yield f"{entry.element[:LONGEST_NAME]!r} can't be an element, use letters, digits, _ and -"


def _content_faults(entry: SectionLayout) -> Iterator[str]:
    yield from _text_faults(entry.text, LONGEST_TEXT)
    if entry.text and entry.blocks:
        yield "a section of your own has a text or block labels, not both"
    if entry.name in RESERVED:
        if entry.text or (entry.blocks and entry.name not in BLOCK_SECTIONS):
            yield "its content is fixed, choose another name for a text or block labels of your own"
    elif not entry.text.strip() and not entry.blocks:
        yield f"a section of your own needs a text or block labels (built in are {', '.join(BUILT_IN)})"
    if not all(label.strip() for label in entry.blocks):
        yield "a block label can't be empty"


def _text_faults(text: str, most: int) -> Iterator[str]:
    if len(text) > most:
        yield f"a text has {len(text):,} characters, limit {most:,}"
    if _HALF_CHARACTER.search(text):
        yield "a text contains half a character, write it as valid UTF-8"


def _shown(name: str) -> str:
    """A name for a message: one line of it, not too long."""
    return " ".join(name[:LONGEST_NAME].split())


def _is_name(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and bool(name.strip())


def _parted(names: list[str]) -> str:
    """What is to be done where others stand between persona and instructions."""
    first, last = sorted((names.index(PERSONA), names.index(INSTRUCTIONS)))
    between = names[first + 1 : last]
    others = f"the {len(between)} sections between" if len(between) > 1 else between[0] or "the new section"
    return f"{PERSONA} must stand next to {INSTRUCTIONS}, move {others} below them"


def _neighbours(names: list[str], one: str, other: str) -> bool:
    return other not in names or abs(names.index(one) - names.index(other)) == 1


GENERIC_ELEMENT = "block"
"""What encloses a block whose label is no element name of its own."""

START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
"""The characters that a name of XML 1.0 may begin with, but for the colon, as the inside of a class."""

_ASCII_NAME = re.compile("[A-Z_a-z][A-Z_a-z.0-9-]*")


@cache
def _any_name() -> re.Pattern[str]:
    """A name of XML 1.0 without a colon, which would stand for a namespace."""
    return re.compile(f"[{START}][{START}.0-9\u00b7\u0300-\u036f\u203f-\u2040-]*")


@lru_cache(maxsize=16_384)
def is_element_name(label: str) -> bool:
    """Whether a label can be an element of its own: legal, without a colon, and not reserved."""
    # Most labels are plain, and the pattern for all others takes milliseconds to compile.
    name = _ASCII_NAME if label.isascii() else _any_name()
    return (
        name.fullmatch(label) is not None
        and not label.lower().startswith("xml")
        and label.lower() != GENERIC_ELEMENT
    )


def starts_legally(text: str) -> bool:
    """Whether a stretch of the system string may begin with this text."""
    return bool(text) and not text[0].isspace() and text[0] != "/"


_SHARES = frozenset({"high", "low"})


def strategy_fault(strategy: Strategy) -> Parameters | None:
    """The first setting that cannot be meant, with what it has to be: numbers from 0 on, shares up to 1."""
    settings = strategy_settings(strategy)
    for name, value in settings.items():
        if isinstance(value, str) or value is None:
            continue
        most = 1 if name in _SHARES else math.inf
        if not (math.isfinite(value) and 0 <= value <= most):
            return _fault(strategy, name, value, "0 to 1" if name in _SHARES else "0 or more")
    high, low = settings.get("high"), settings.get("low")
    if isinstance(high, int | float) and isinstance(low, int | float) and low > high:
        return _fault(strategy, "low", low, f"0 to {high}, the high mark")
    return None


def strategy_settings(strategy: Strategy) -> Mapping[str, str | int | float | None]:
    """The settings of a strategy by name."""
    plain = to_plain(strategy)
    return {name: value for name, value in plain.items() if name != "kind"}


def _fault(strategy: Strategy, name: str, value: float, wanted: str) -> Parameters:
    return {"strategy": strategy.kind, "name": name, "value": str(value), "wanted": wanted}
