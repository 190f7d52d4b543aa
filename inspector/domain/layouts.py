"""Layouts: the order, headings and wrappers of a Request's sections, as data."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.messages import IF_SET


class Wrapper(StrEnum):
    """How a block's text is enclosed."""

    ELEMENT = "element"
    NONE = "none"


class Share(StrEnum):
    """What bounds the memory or the history."""

    LIMIT = "limit"
    """The model's or the agent's limit."""
    REST = "rest"
    """All that the window leaves, unless a limit was set by hand."""


@dataclass(frozen=True, slots=True)
class SectionLayout:
    """One section's place and dress.

    `group` is a heading shared by neighbouring sections (``# Memory State``), printed once before the first of them
    that has content, and `group_end` once behind the last. `minimum`/`maximum` are tokens (None: no bound); a higher
    `priority` is filled first, those of one priority by their `share`; `grow` takes what others leave. With
    `together`, what need not be in anyway goes in whole, all of it, or stays out. `text` or `blocks` (labels) make it
    a section of the user's own. A built-in section of blocks may name labels too: those blocks stand in it first, in
    that order, whoever owns them.
    """

    name: str
    heading: str = ""
    group: str = ""
    element: str = ""
    fence: bool = False
    minimum: int = 0
    maximum: int | None = None
    priority: int = 0
    share: float = 1.0
    grow: bool = True
    together: bool = False
    text: str = ""
    blocks: tuple[str, ...] = ()
    group_end: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """A named order of sections. `join` stands between top-level parts.

    What follows the section ``messages`` stands behind the history, in a message of its own. `memory` and
    `history` say what bounds them. `strategy` is the kind of strategy that goes with the layout, for agents that
    have not chosen one; empty for none.
    `block` is a template that stands in place of the wrapper, `line` one for each line of a block's text (see
    `write_block`); `gap` stands between the parts of a section, and with `empty_blocks` empty blocks are shown too.
    `off` are sections that are kept with their text, and sent once they are among the `sections` again.
    """

    name: str
    description: str = ""
    join: str = "\n\n"
    wrapper: Wrapper = Wrapper.ELEMENT
    sections: tuple[SectionLayout, ...] = ()
    memory: Share = Share.LIMIT
    history: Share = Share.LIMIT
    strategy: str = ""
    block: str = ""
    line: str = ""
    gap: str = "\n\n"
    empty_blocks: bool = False
    off: tuple[SectionLayout, ...] = field(default=(), metadata={IF_SET: True})
