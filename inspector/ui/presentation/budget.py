"""The budget as rows: sections, pieces, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from inspector.domain.agents import Agent
from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.left_out import alike, farthest, nearest
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut, Piece, Request, Section, SourceKind
from inspector.domain.rules import InRule, OutRule
from inspector.domain.usage import reported_usage
from inspector.ui.models.tree import TreeRow
from inspector.ui.presentation.names import name_of, name_of_source
from inspector.ui.wording import number, signed, tr, tr_code, tr_count

# A long reply is read once and not with each key.
_usage = lru_cache(8)(reported_usage)
STRUCTURE = frozenset(
    rule.value
    for rule in (
        InRule.HEADING,
        InRule.JOIN,
        InRule.LEAD,
        InRule.DATE_LINE,
        InRule.FENCE,
        InRule.FRAME,
        InRule.REPLY,
    )
)
"""Rules of pieces that only hold others together; those of one section share a row."""
STRUCTURE_KEY = "structure"
"""The key of that row, and with the section's name behind a colon that of one section's."""

_OF_ALL = frozenset({"raise_activity_entries_limit", "raise_activity_lookback_hours"})
"""Fixes of a group that are made for all of its members at once."""
_GROUPED: dict[SourceKind, tuple[str, str]] = {
    SourceKind.MESSAGE: ("{count} message", "{count} messages"),
    SourceKind.EVENT: ("{count} event", "{count} events"),
}
_RESTS = {
    OutRule.SHORTENED.value: ("{label}: {count} more line", "{label}: {count} more lines"),
    OutRule.ENTRY_ROOM.value: ("{label}: {count} older entry", "{label}: {count} older entries"),
}
"""Rules by which only the rest of a block stays out."""


def likely_bill(request: Request) -> str:
    """Where the bill likely lies, and what earlier calls say of it; nothing for a figure that is exact."""
    return "\n".join(filter(None, (_band_text(request), _correction_text(request))))


def _band_text(request: Request) -> str:
    if request.band is None:
        return ""
    low, high = request.band.around(request.tokens)
    if high is None:
        return tr("Likely bill: {low} tokens or more, part of it is only at the provider", low=number(low))
    return tr("Likely bill: {low} to {high} tokens", low=number(low), high=number(high))


def _correction_text(request: Request) -> str:
    found = request.correction
    if found is None or found.corrected(request.tokens) == request.tokens:
        return ""
    return tr_count(
        "By what {count} call to {model} was charged: about {tokens} tokens",
        "By what the last {count} calls to {model} were charged: about {tokens} tokens",
        found.runs,
        model=found.model,
        tokens=number(found.corrected(request.tokens)),
    )


def charged_text(agent: Agent | None, request: Request) -> str:
    """What the recorded call that an agent is from was charged; nothing where its file doesn't say."""
    if agent is None or agent.model not in ("", request.model):
        return ""
    usage = _usage(agent.metadata)
    if usage is None:
        return ""
    groups = (
        f"{tr_code(f'told.usage_{name}')} {number(each)}" for name, each in usage.groups.items() if each
    )
    difference = usage.total - request.tokens
    parameters: Parameters = {
        "charged": usage.total,
        "groups": ", ".join(groups),
        "difference": signed(difference) if difference else "+0",
    }
    return tr_code("told.report_charged", parameters)


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """A section, a piece, or headings and frames, of a window of `window` tokens.

    `change` is against the saved state.
    """

    key: str
    name: str
    section: str
    tokens: int
    method: Method
    window: int
    change: int
    ref: Ref | None
    is_section: bool
    rule: str = ""
    facts: Parameters = field(default_factory=dict)
    """What the rule says of the piece."""
    since: int = 0
    """Tokens more than in what was sent last."""
    cache: str = ""
    """What the prompt cache does with it: ``read``, ``part``, ``written``, ``new`` or nothing."""


@dataclass(frozen=True, slots=True)
class BudgetGrounds:
    """What the figures of a Request are told against: saved, sent, and what the prompt cache does with each piece."""

    saved: Request | None = None
    sent: Request | None = None
    cache: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OutRow:
    """One candidate, or several alike (`members`), that did not go in. `fix_tokens` is what the fix adds at most."""

    key: str
    name: str
    tokens: int
    why: str
    ref: Ref | None
    fix: Fix | None
    count: int = 1
    fix_tokens: int = 0
    members: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class _MadePiece:
    piece: Piece
    grounds: tuple[int, int, str, int]
    row: TreeRow


@dataclass(frozen=True, slots=True)
class _Made:
    grounds: tuple[object, ...]
    row: TreeRow
    children: Mapping[str, _MadePiece]


class BudgetRows:
    """Makes the rows of one Request after another; what did not change gives the same row objects."""

    def __init__(self) -> None:
        self._made: dict[str, _Made] = {}
        self._out: tuple[tuple[LeftOut, ...], tuple[OutRow, ...]] = ((), ())

    def rows(self, request: Request, grounds: BudgetGrounds | None = None) -> tuple[TreeRow, ...]:
        """Sections with their pieces below them; without grounds nothing has changed."""
        given = grounds or BudgetGrounds()
        saved, sent = _sections(given.saved), _sections(given.sent)
        made = {}
        for section in request.sections:
            before = _Before(
                None if saved is None else _pieces_of(saved.get(section.name)),
                None if sent is None else _pieces_of(sent.get(section.name)),
                request.limits.max_tokens,
            )
            made[section.name] = self._take_over(section, before, given.cache)
        self._made = made
        return tuple(each.row for each in made.values())

    def left_out(self, request: Request) -> tuple[OutRow, ...]:
        if request.left_out != self._out[0]:
            self._out = (request.left_out, out_rows(request))
        return self._out[1]

    def _take_over(self, section: Section, before: _Before, cache: Mapping[str, str]) -> _Made:
        cached = self._made.get(section.name)
        marks = tuple(cache.get(piece.id, "") for piece in section.pieces) if cache else ()
        grounds = (section.pieces, before.saved, before.sent, section.title, before.window, marks)
        # Comparing tuples of the same objects costs next to nothing, making their rows anew does not.
        if cached is not None and grounds == cached.grounds:
            return cached
        saved, sent = _by_id(before.saved), _by_id(before.sent)
        children: dict[str, _MadePiece] = {}
        for piece in section.pieces:
            if piece.rule not in STRUCTURE:
                # The differences, as it is no other row where there is something to compare with by now.
                change = 0 if saved is None else piece.tokens - saved.get(piece.id, 0)
                since = 0 if sent is None else piece.tokens - sent.get(piece.id, 0)
                of_piece = (change, since, cache.get(piece.id, ""), before.window)
                old = cached.children.get(piece.id) if cached is not None else None
                if old is None or old.piece is not piece or old.grounds != of_piece:
                    old = _MadePiece(piece, of_piece, TreeRow(piece.id, _piece_row(piece, of_piece)))
                children[piece.id] = old
        mark = cache.get(f"section:{section.name}", "")
        row = _section_row(section, before, mark, [each.row for each in children.values()])
        return _Made(grounds, row, children)


def piece_name(piece: Piece) -> str:
    """What a person calls a piece."""
    if piece.rule in STRUCTURE:
        return tr_code(f"piece.{piece.rule}")
    return name_of(piece)


def out_rows(request: Request) -> tuple[OutRow, ...]:
    """What is left out: batches, messages and events that one rule left out stand together, all else by itself."""
    # Of events there are always hundreds, and nobody looks for them here.
    groups = sorted(alike(request.left_out), key=lambda group: group[0].source.kind is SourceKind.EVENT)
    return tuple(_out_row(group[0]) if len(group) == 1 else _group_row(group) for group in groups)


def member_rows(row: OutRow, most: int) -> tuple[OutRow, ...]:
    """The members of a group: the one that comes in next, then the largest; their fixes include them."""
    near = nearest(row.members)
    others = sorted((each for each in row.members if each is not near), key=lambda each: -each.tokens)
    return tuple(_out_row(each) for each in (near, *others)[:most])


def spoken_tokens(row: BudgetRow) -> str:
    """A figure with its method, for a screen reader."""
    return tr(
        "{tokens}, {method}",
        tokens=tr_count("{count} token", "{count} tokens", row.tokens),
        method=tr(row.method.value),
    )


def comes_from(piece: Piece, ref: Ref) -> bool:
    """Whether a piece's source is that thing."""
    return piece.source.is_of(ref)


@dataclass(frozen=True, slots=True)
class _Before:
    """The pieces of a section as they are saved and as they were sent, None for no such Request, and the window."""

    saved: tuple[Piece, ...] | None
    sent: tuple[Piece, ...] | None
    window: int


def _sections(request: Request | None) -> dict[str, Section] | None:
    return None if request is None else {section.name: section for section in request.sections}


def _pieces_of(section: Section | None) -> tuple[Piece, ...]:
    return () if section is None else section.pieces


def _by_id(pieces: tuple[Piece, ...] | None) -> dict[str, int] | None:
    return None if pieces is None else {piece.id: piece.tokens for piece in pieces}


def _section_row(section: Section, before: _Before, cache: str, pieces: list[TreeRow]) -> TreeRow:
    value = BudgetRow(
        key=f"section:{section.name}",
        name=section.title or section.name,
        section=section.name,
        tokens=section.tokens,
        method=section.method,
        window=before.window,
        change=0 if before.saved is None else section.tokens - _sum(before.saved),
        ref=Ref(RefKind.SECTION, section.name),
        is_section=True,
        since=0 if before.sent is None else section.tokens - _sum(before.sent),
        cache=cache,
    )
    rest = [_structure_row(section, before, value)] if pieces else []
    return TreeRow(value.key, value, (*pieces, *(each for each in rest if each.value.tokens)))


def _structure_row(section: Section, before: _Before, of: BudgetRow) -> TreeRow:
    """What a section's headings and frames take: with it the rows below a section add up to it."""
    tokens = _structure(section.pieces)
    value = BudgetRow(
        key=f"{STRUCTURE_KEY}:{section.name}",
        name=tr("headings and frames"),
        section=section.name,
        tokens=tokens,
        method=of.method,
        window=before.window,
        change=0 if before.saved is None else tokens - _structure(before.saved),
        ref=None,
        is_section=False,
        since=0 if before.sent is None else tokens - _structure(before.sent),
    )
    return TreeRow(value.key, value)


def _structure(pieces: Sequence[Piece]) -> int:
    return sum(piece.tokens for piece in pieces if piece.rule in STRUCTURE)


def _piece_row(piece: Piece, grounds: tuple[int, int, str, int]) -> BudgetRow:
    change, since, cache, window = grounds
    return BudgetRow(
        key=piece.id,
        name=piece_name(piece),
        section=piece.section,
        tokens=piece.tokens,
        method=piece.method,
        window=window,
        change=change,
        ref=piece.source.ref,
        is_section=False,
        rule=piece.rule,
        facts=piece.parameters,
        since=since,
        cache=cache,
    )


def _sum(pieces: Sequence[Piece]) -> int:
    return sum(piece.tokens for piece in pieces)


def _out_name(each: LeftOut) -> str:
    """A source, and how much of it stayed out where only the rest did."""
    label, count = each.parameters.get("label"), each.parameters.get("count")
    if each.rule in _RESTS and isinstance(label, str) and isinstance(count, int):
        return tr_count(*_RESTS[each.rule], count, label=label)
    return name_of_source(each.source)


def _out_row(each: LeftOut) -> OutRow:
    name = _out_name(each)
    why = tr_code(f"left_out.{each.rule}", each.parameters)
    key = f"{each.source.kind}:{each.source.id}:{each.rule}"
    return OutRow(key, name, each.tokens, why, each.ref, each.fix, each.count, each.tokens)


def _group_row(group: Sequence[LeftOut]) -> OutRow:
    near, first = nearest(group), group[0]
    fix, fix_tokens = near.fix, near.tokens
    if fix is not None and fix.action in _OF_ALL:
        # One event more a click would take many: the button lets in all that the same setting keeps out.
        wanted = [each for each in group if each.fix is not None and each.fix.action == fix.action]
        fix, fix_tokens = farthest(wanted).fix, sum(each.tokens for each in wanted)
    why = tr_code(f"left_out.{first.rule}", near.parameters)
    # There may be thousands of them, and most say the very same.
    others = (each for each in group if each.parameters != near.parameters)
    of_all = all(tr_code(f"left_out.{each.rule}", each.parameters) == why for each in others)
    words = ("{count} turn", "{count} turns") if first.source.batch else _GROUPED[first.source.kind]
    return OutRow(
        key=f"{'batch' if first.source.batch else first.source.kind}s:{first.rule}",
        name=tr_count(*words, len(group)),
        tokens=sum(each.tokens for each in group),
        why=why if of_all else tr("Next one: {why}", why=why),
        ref=near.source.ref,
        fix=fix,
        count=sum(each.count for each in group),
        fix_tokens=fix_tokens,
        members=tuple(group),
    )
