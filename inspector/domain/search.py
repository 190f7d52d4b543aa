"""What a search asks for in blocks, messages and summaries, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.messages import Role
from inspector.domain.ref import Ref, RefKind

INDEXED_KINDS = frozenset({RefKind.BLOCK, RefKind.ARCHIVAL, RefKind.MESSAGE, RefKind.SUMMARY})
SEARCHED_KINDS = INDEXED_KINDS | {RefKind.TOOL, RefKind.EVENT}
GROUPS = (
    RefKind.BLOCK,
    RefKind.SUMMARY,
    RefKind.ARCHIVAL,
    RefKind.TOOL,
    RefKind.MESSAGE,
    RefKind.EVENT,
)
"""The kinds in the order in which grouped hits come: those of which a file has few stand first."""
LARGEST_PAGE = 500
"""How many hits may be asked for at once."""


class FoundState(StrEnum):
    """How a thing stands. Archived are messages that are kept and not sent."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    DELETED = "deleted"


class SearchScope(StrEnum):
    """Whether only the index is searched, or all that a file holds beside it."""

    INDEX = "index"
    """Blocks, messages, summaries and archival entries."""
    ALL = "all"
    """Tools and events too, and where they are asked for, the past versions of blocks."""


class Facet(StrEnum):
    """A side of hits by which they are counted. The values: kinds, ids of owners, roles, months as ``2026-10``."""

    KIND = "kind"
    OWNER = "owner"
    ROLE = "role"
    MONTH = "month"


FacetCounts = Mapping[Facet, Mapping[str, int]]
VERSION = "version"
"""The kind of hits that are past versions of blocks: of things themselves there is no such kind."""


@dataclass(frozen=True, slots=True)
class TokenRange:
    """How many tokens a thing's text has, from `least` to `most`, both included; None does not limit."""

    least: int | None = None
    most: int | None = None

    def __contains__(self, tokens: int) -> bool:
        return (self.least is None or tokens >= self.least) and (self.most is None or tokens <= self.most)

    @property
    def is_open(self) -> bool:
        return self.least is None and self.most is None


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for: every word of `text` (``"several words"`` as they stand), in any of the things asked for.

    Any text is legal. A text without words finds all that the filters let through, the newest first.
    `agent_id` is whose view is searched: its own things and the blocks that it sees; None: everything.
    An empty set of `owners`, `kinds` or `roles` does not filter. `since` is included, `until` is not. `labels` and
    `tools` are parts of the names of blocks and tools. Roles, labels and tools limit things of their own kind, and
    where no kinds are asked for they say which: `wanted_kinds`. `versions` asks for past versions of blocks.
    With `grouped`, hits come by kind in the order of `GROUPS`, in each kind the best first.
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
    labels: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    tokens: TokenRange = TokenRange()
    versions: bool = False
    scope: SearchScope = SearchScope.INDEX
    grouped: bool = False
    faceted: bool = False

    @property
    def wanted_kinds(self) -> frozenset[RefKind]:
        """The kinds that are asked for by themselves or by what only they have; empty: all."""
        if self.kinds or self.versions:
            return self.kinds
        implied = (
            (RefKind.BLOCK, self.labels),
            (RefKind.MESSAGE, self.roles),
            (RefKind.TOOL, self.tools),
        )
        return frozenset(kind for kind, values in implied if values)

    def wants(self, kind: RefKind) -> bool:
        """Whether things of a kind are searched."""
        if self.versions and not self.kinds:
            return False
        return not self.wanted_kinds or kind in self.wanted_kinds


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

    `title` is a block's label and description, an entry's tags, a summary's topics, or the name of a tool or event.
    `version` is the number of a block's past version.
    """

    ref: Ref
    owner: str | None
    role: str | None
    state: FoundState
    at: datetime
    score: float
    title: Snippet
    snippet: Snippet
    version: int | None = None

    @property
    def kind(self) -> str:
        """What it is as a text: the kind of its Ref, or `VERSION`."""
        return self.ref.kind.value if self.version is None else VERSION


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One page of what was found, the best first, and how many there are in all.

    `capped` says that there are more than could be weighed: `total` then counts those added last. `cut` says
    that only the beginning of a very long search text was looked for. `facets` count all that was weighed; each
    counts what would be found without its own filter. `named` is the thing whose id the whole text is.
    """

    hits: tuple[Hit, ...]
    total: int
    capped: bool = False
    cut: bool = False
    facets: FacetCounts = field(default_factory=dict)
    named: Ref | None = None


@dataclass(frozen=True, slots=True)
class SentOnce:
    """One sent Request that held a text: the run, whose it was, the model, and when it was sent."""

    run_id: str
    agent_id: str
    model: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SentText:
    """In which sent Requests a text stood. `looked_for` is what of it was looked for; `total` counts all Requests."""

    looked_for: str
    first: SentOnce | None
    last: SentOnce | None
    count: int
    total: int
