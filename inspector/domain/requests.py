"""The Request: sections made of pieces, whose spans are derived and never stored.

A Request is sections of pieces of runs. Its text form T (see the command line's contract) is the
concatenation of all runs in order, so spans are derived and never stored: they can neither overlap nor
leave a gap. All offsets are 0-based, half-open, in Unicode code points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple, overload

from inspector.domain.calibration import Correction
from inspector.domain.counts import Method, RequestBand, Tokenizer, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters, Problem
from inspector.domain.limits import HistoryState, Limits
from inspector.domain.messages import Message, Part
from inspector.domain.ref import Ref, RefKind


class SourceKind(StrEnum):
    """Where a piece comes from."""

    BLOCK = "block"
    SUMMARY = "summary"
    MESSAGE = "message"
    EVENT = "event"
    TOOL = "tool"
    ARCHIVAL = "archival"
    LITERAL = "literal"


@dataclass(frozen=True, slots=True)
class Source:
    """One source. `owner` is the id of the agent it belongs to (``_constellation_`` for all agents').

    For a whole batch of messages the kind is message and the id the batch's, with `batch` True.
    """

    kind: SourceKind
    id: str | None = None
    label: str | None = None
    owner: str | None = None
    batch: bool = False

    @property
    def ref(self) -> Ref | None:
        if self.id is None:
            return None
        return Ref(RefKind.BATCH if self.batch else RefKind(self.kind.value), self.id)

    def is_of(self, ref: Ref) -> bool:
        """Whether this is the thing, or the thing of the part, that a selection points at."""
        # The ids first: they differ nearly always, and thousands of sources are asked at a key press.
        return self.id == ref.id and self.ref == ref.whole


@dataclass(frozen=True, slots=True)
class TextRun:
    """A stretch of T. A *sent* run is part of a string that the model reads; a *frame* run stands for structure."""

    text: str
    sent: bool
    tokens: int
    method: Method


@dataclass(frozen=True, slots=True)
class Mark:
    """A span inside a piece (offsets from the piece's start): a field, item, entry, node, section or part."""

    kind: str
    name: str
    start: int
    end: int


class MarksOnDemand(Sequence[Mark]):
    """Marks that are worked out when somebody first looks at them.

    A long list has thousands, every key moves them all, and of most Requests that are built nobody sees any.
    """

    __slots__ = ("_make", "_marks")

    def __init__(self, make: Callable[[], Iterable[Mark]]) -> None:
        self._make: Callable[[], Iterable[Mark]] | None = make
        self._marks: tuple[Mark, ...] = ()

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Mark]:
        return iter(self._all)

    @overload
    def __getitem__(self, at: int) -> Mark: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Mark, ...]: ...

    def __getitem__(self, at: int | slice) -> Mark | tuple[Mark, ...]:
        return self._all[at]

    def __eq__(self, other: object) -> bool:
        """Equal to any marks that are the same, also to a tuple of them."""
        if not isinstance(other, (tuple, MarksOnDemand)):
            return NotImplemented
        return self._all == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all)

    def __repr__(self) -> str:
        return repr(self._all)

    @property
    def _all(self) -> tuple[Mark, ...]:
        make = self._make
        if make is not None:
            # Two threads may both do so, to the same result.
            self._marks = tuple(make())
            self._make = None
        return self._marks


@dataclass(frozen=True)
class Piece:
    """The smallest part of a Request with one source and tokens of its own. Its text is never empty.

    `id` is stable from build to build (``block:ID``, ``message:ID``, ``literal:core/heading`` …).
    `rule` is an id of `domain.rules`. `parameters` are the rule's numbers and names, for the detail card.
    """

    id: str
    section: str
    source: Source
    rule: str
    runs: tuple[TextRun, ...]
    marks: Sequence[Mark] = ()
    parameters: Parameters = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        return self.runs[0].text if len(self.runs) == 1 else "".join(run.text for run in self.runs)

    @cached_property
    def length(self) -> int:
        return sum(len(run.text) for run in self.runs)

    @cached_property
    def tokens(self) -> int:
        return sum(run.tokens for run in self.runs)

    @cached_property
    def method(self) -> Method:
        return joint_method(run.method for run in self.runs)


@dataclass(frozen=True)
class Section:
    """A named part of a Request. `title` is what a person reads (the heading's words)."""

    name: str
    title: str
    pieces: tuple[Piece, ...]

    @cached_property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @cached_property
    def length(self) -> int:
        return sum(piece.length for piece in self.pieces)

    @cached_property
    def method(self) -> Method:
        return joint_method(piece.method for piece in self.pieces)

    @cached_property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


class FixStep(NamedTuple):
    """One setting of several: the action that sets it, and to what. Thousands are made in one build."""

    action: str
    value: int


@dataclass(frozen=True, slots=True)
class Fix:
    """The smallest change that would bring a candidate in.

    `action` is an id (``pin``, ``raise_memory_tokens``, ``raise_history_tokens``, ``set_type`` …) that both a
    button and the word catalogue (``fix.ACTION``) know; `value` is what to set. Where it takes several settings,
    `steps` name each of them, all of the same target, and `value` is None.
    """

    action: str
    target: Ref | None
    value: str | int | bool | None
    parameters: Parameters = field(default_factory=dict)
    steps: tuple[FixStep, ...] = ()


TOOL_RULES = "tool_rules"
"""The section of the rules and examples of tools."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that did not go in: the rule, the tokens it would have taken, and what would help.

    It may stand for several that nobody has read, as many as `count`; then its source has no id.
    """

    source: Source
    section: str
    rule: str
    tokens: int
    method: Method
    fix: Fix | None
    parameters: Parameters = field(default_factory=dict)
    count: int = 1

    @property
    def ref(self) -> Ref | None:
        """What it is by itself: the rules and examples of a tool may be out while the tool is in."""
        if self.source.kind is SourceKind.TOOL and self.section == TOOL_RULES and self.source.id is not None:
            return Ref(RefKind.TOOL_RULE, self.source.id)
        return self.source.ref


@dataclass(frozen=True, slots=True)
class PlacedPiece:
    """A piece with its absolute span in T."""

    piece: Piece
    start: int
    end: int


@dataclass(frozen=True)
class Request:
    """What a model call would send now, with its account.

    `messages` and `tools` are the ids of what is sent, in order; adapters read the values from the
    snapshot. `system` is the one system string, None when empty.
    """

    agent_id: str
    agent_name: str
    model: str
    limits: Limits
    tokenizer: Tokenizer
    layout: str
    strategy: str
    now: str
    zone: str
    sections: tuple[Section, ...]
    system: str | None
    messages: tuple[SentMessage, ...]
    tools: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    overheads: Mapping[str, int]
    problems: tuple[Problem, ...]
    adaptations: tuple[Problem, ...]
    unreachable_tokens: int = 0
    """What part of the usable window no section can use, by the caps that are set."""
    margin_tokens: int = 0
    """What of the usable window is kept free because counts are estimates: even at their upper side it fits."""
    tail: str | None = None
    """The text of one more message in the user's role, behind all others: what a layout puts behind the history."""
    tail_sections: tuple[str, ...] = ()
    """The sections that it is made of; they stand between the messages and the reply."""
    history_state: HistoryState | None = None
    """How far the history was shortened, for the next Request; None where the strategy keeps no such account."""
    correction: Correction | None = None
    """What the model's earlier calls say of these counts. It is told beside them; no figure here has it in it."""

    band: RequestBand | None = None
    """How far bills of such Requests were from their figures; None for an exact figure, and one of the past."""

    @property
    def available_tokens(self) -> int:
        """What the counted tokens may come to: the usable window less what is kept free for estimates."""
        return self.limits.usable - self.margin_tokens

    @cached_property
    def text(self) -> str:
        return "".join(section.text for section in self.sections)

    @cached_property
    def tokens(self) -> int:
        return sum(section.tokens for section in self.sections)

    @cached_property
    def pieces_by_id(self) -> Mapping[str, Piece]:
        return {piece.id: piece for section in self.sections for piece in section.pieces}

    @cached_property
    def system_sections(self) -> tuple[Section, ...]:
        aside = {"tools", "messages", "reply", *self.tail_sections}
        return tuple(section for section in self.sections if section.name not in aside)

    @cached_property
    def exact_tokens(self) -> int:
        return sum(run.tokens for run in self.runs() if run.method is Method.EXACT)

    @cached_property
    def method(self) -> Method:
        return joint_method(section.method for section in self.sections)

    def runs(self) -> Iterator[TextRun]:
        for section in self.sections:
            for piece in section.pieces:
                yield from piece.runs

    def placed(self) -> Iterator[PlacedPiece]:
        start = 0
        for section in self.sections:
            for piece in section.pieces:
                yield PlacedPiece(piece, start, start + piece.length)
                start += piece.length

    def piece_at(self, offset: int) -> PlacedPiece | None:
        """The piece that holds the code point at `offset`, or None outside T."""
        return next((each for each in self.placed() if each.start <= offset < each.end), None)


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message of the Request: its id and, where it was changed for it, the parts that are sent instead of its own.

    Such parts are the stub of an elided result, a shortened text, or a mark where messages before it are left out.
    """

    id: str
    content: tuple[Part, ...] | None = None


def sent_content(sent: SentMessage, message: Message) -> tuple[Part, ...]:
    """The parts that are sent of a message."""
    return message.content if sent.content is None else sent.content


@dataclass(frozen=True, slots=True)
class PieceChange:
    """One row of a comparison. Added: `before` 0 tokens; removed: `after` 0.

    `section` is the later one. `moved` says that it stands elsewhere, whatever else has changed of it. `rule` is
    why it is in, or for what was removed why it is left out, None where nothing says so; `parameters` are its own.
    """

    piece_id: str
    section: str
    source: Source
    kind: str
    before: int
    after: int
    moved: bool = False
    rule: str | None = None
    parameters: Parameters = field(default_factory=dict)

    @property
    def delta(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Diff:
    """Two Requests compared by piece; the rows' differences sum to the total's.

    `settings` are what the two were built by where that differs, by name: before and after as texts.
    """

    changes: tuple[PieceChange, ...]
    before: int
    after: int
    settings: tuple[tuple[str, str, str], ...] = ()

    @property
    def delta(self) -> int:
        return self.after - self.before
