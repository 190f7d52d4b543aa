"""Layouts: the order, headings and wrappers of a Request's sections, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Wrapper(StrEnum):
    """How a block's text is enclosed."""

    ELEMENT = "element"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class SectionLayout:
    """One section's place and dress.

    `group` is a heading shared by neighbouring sections (``# Memory State``), printed once before the
    first of them that has content. `minimum`/`maximum` are tokens (None: no bound); a higher `priority` is
    filled first; `grow` takes what others leave. `text` or `blocks` (labels) make it a section of the user's own.
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
    text: str = ""
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """A named order of sections. `join` stands between top-level parts. `messages` and `tools` keep their places."""

    name: str
    description: str
    join: str
    wrapper: Wrapper
    sections: tuple[SectionLayout, ...]
