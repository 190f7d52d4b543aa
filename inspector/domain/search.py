"""What a search asks for in blocks, messages and summaries, and what it finds."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.messages import Role
from inspector.domain.ref import Ref, RefKind

SEARCHED_KINDS = frozenset({RefKind.BLOCK, RefKind.ARCHIVAL, RefKind.MESSAGE, RefKind.SUMMARY})
LARGEST_PAGE = 500
"""How many hits may be asked for at once."""


class FoundState(StrEnum):
    """How a thing stands. Archived are messages that are kept and not sent."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for: every word of `text` (``"several words"`` as they stand), in any of the things asked for.

    Any text is legal. A text without words finds all that the filters let through, the newest first.
    `agent_id` is whose view is searched: its own things and the blocks that it sees; None: everything.
    An empty set of `owners`, `kinds` or `roles` does not filter. `since` is included, `until` is not.
    """

    text: str = ""
    agent_id: str | None = None
    owners: frozenset[str] = frozenset()
    kinds: frozenset[RefKind] = frozenset()
    roles: frozenset[Role] = frozenset()
    states: frozenset[FoundState] = frozenset({FoundState.ACTIVE, FoundState.ARCHIVED})
    since: datetime | None = None
    until: datetime | None = None
    limit: int = 20
    offset: int = 0


@dataclass(frozen=True, slots=True)
class MatchSpan:
    """Characters (code points) from `start` up to, not including, `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of a thing's text, from its character `start` on. The spans are counted in `text`."""

    text: str
    spans: tuple[MatchSpan, ...]
    start: int = 0
    cut_before: bool = False
    cut_after: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found. Of two scores the bigger is the better; without words all are 0.

    `title` is a block's label and description, an entry's tags or a summary's topics.
    """

    ref: Ref
    owner: str | None
    role: str | None
    state: FoundState
    at: datetime
    score: float
    title: Snippet
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One page of what was found, the best first, and how many there are in all.

    `capped` says that there are more than could be weighed: `total` then counts those added last. `cut` says
    that only the beginning of a very long search text was looked for.
    """

    hits: tuple[Hit, ...]
    total: int
    capped: bool = False
    cut: bool = False
