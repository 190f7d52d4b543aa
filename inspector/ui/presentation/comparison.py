"""Two compared Requests as rows: sections with their pieces, what became of each, and tokens that add up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from inspector.domain.agents import Agent
from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref, RefKind
from inspector.domain.request_comparison import (
    ComparedRequests,
    PiecePair,
    PieceState,
    RequestSide,
    RequestSideKind,
)
from inspector.domain.requests import Diff
from inspector.ui.models.tree import MadeRows, TreeRow
from inspector.ui.presentation.budget import piece_name
from inspector.ui.presentation.names import name_of_layout
from inspector.ui.wording import moment, number, signed, tr, tr_code

MARKS: Mapping[PieceState, str] = {
    PieceState.KEPT: "=",
    PieceState.CHANGED: "~",
    PieceState.RESPELLED: "≈",
    PieceState.RECOUNTED: "#",
    PieceState.ADDED: "+",
    PieceState.REMOVED: "−",
    PieceState.MOVED: "↕",
}
LARGEST_GROUP = 400
"""Pieces that stand under one row at the most."""
_UNEXPLAINED = frozenset({PieceState.KEPT, PieceState.RECOUNTED})
"""Where the rule of a piece is no news."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A pair of pieces, or without `pair` a section or group of them, whose figures are the sums of its pieces'."""

    key: str
    name: str
    section: str
    before: int | None
    after: int | None
    state: PieceState | None = None
    is_moved: bool = False
    pair: PiecePair | None = None
    words: str = ""
    """What a filter looks in."""

    @property
    def delta(self) -> int:
        return (self.after or 0) - (self.before or 0)

    @property
    def is_different(self) -> bool:
        return self.state is not None and self.state is not PieceState.KEPT

    @property
    def ref(self) -> Ref | None:
        if self.pair is None:
            return Ref(RefKind.SECTION, self.section)
        # What is there still is what can be opened; of another agent's Request it is the other's.
        piece = self.pair.after or self.pair.before
        return None if piece is None else piece.source.ref


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """A comparison with its rows, all of them."""

    compared: ComparedRequests
    rows: tuple[TreeRow, ...]


@dataclass(frozen=True)
class ListedPieces:
    """The rows that are listed, as a tree holds them.

    `keys` are those of all rows from top to bottom, open or not; `differing` are the places among them of rows that
    differ, in order, and `count` is how many pieces there are. `states` are the words for what became of them.
    """

    rows: tuple[TreeRow, ...]
    made: MadeRows
    keys: tuple[Hashable, ...]
    differing: tuple[int, ...]
    count: int
    states: frozenset[str] = frozenset()


def shown_comparison(compared: ComparedRequests) -> ShownComparison:
    """The rows of a comparison, which take a moment to make for long Requests."""
    titles = _titles(compared)
    rows = [_section(name, titles[name], pairs) for name, pairs in _by_section(compared).items()]
    return ShownComparison(compared, tuple(rows))


def kept_rows(
    rows: Iterable[TreeRow], *, only_differences: bool = True, words: str = ""
) -> tuple[TreeRow, ...]:
    """The rows that are shown: those that differ, or all, of which the name has all of the words."""
    wanted = words.casefold().split()
    found = []
    for row in rows:
        children = tuple(
            each
            for each in row.children
            if (each.value.is_different or not only_differences)
            and all(word in each.value.words for word in wanted)
        )
        if children:
            found.append(TreeRow(row.key, row.value, children))
    return tuple(found)


def listed_pieces(rows: Iterable[TreeRow], *, only_differences: bool = True, words: str = "") -> ListedPieces:
    """What is listed of all rows; very many under one section stand in groups. Any thread may call it."""
    kept = kept_rows(rows, only_differences=only_differences, words=words)
    grouped = tuple(_grouped(row) for row in kept)
    in_order = list(_in_order(grouped))
    differing = tuple(place for place, row in enumerate(in_order) if row.value.is_different)
    keys = tuple(row.key for row in in_order)
    count = sum(len(row.children) for row in kept)
    states = {(row.value.state, row.value.is_moved) for row in in_order}
    words_of_states = frozenset(state_words(state, moved=moved) for state, moved in states)
    return ListedPieces(grouped, MadeRows(grouped), keys, differing, count, words_of_states)


def _in_order(rows: Iterable[TreeRow]) -> Iterator[TreeRow]:
    for row in rows:
        yield row
        yield from _in_order(row.children)


def _grouped(row: TreeRow) -> TreeRow:
    """A section's row; more pieces than a view lays out in a moment are put under the rows of groups."""
    if len(row.children) <= LARGEST_GROUP:
        return row
    groups = []
    for start in range(0, len(row.children), LARGEST_GROUP):
        children = row.children[start : start + LARGEST_GROUP]
        key = f"group:{children[0].key}"
        name = tr("Pieces {first} to {last}", first=number(start + 1), last=number(start + len(children)))
        figures = _sum(children)
        groups.append(TreeRow(key, ComparedRow(key, name, row.value.section, *figures), children))
    return TreeRow(row.key, row.value, tuple(groups))


def _sum(rows: Iterable[TreeRow]) -> tuple[int, int]:
    values = [row.value for row in rows]
    return sum(each.before or 0 for each in values), sum(each.after or 0 for each in values)


def state_words(state: PieceState | None, *, moved: bool = False) -> str:
    """What became of a piece, with its mark: ``~ changed``, ``~ changed, moved``."""
    if state is None:
        return ""
    words = {
        PieceState.KEPT: tr("kept"),
        PieceState.CHANGED: tr("changed"),
        PieceState.RESPELLED: tr("respelled"),
        PieceState.RECOUNTED: tr("recounted"),
        PieceState.ADDED: tr("added"),
        PieceState.REMOVED: tr("removed"),
        PieceState.MOVED: tr("moved"),
    }
    word = f"{MARKS[state]} {words[state]}"
    return tr("{state}, moved", state=word) if moved and state is not PieceState.MOVED else word


def state_tip(row: ComparedRow) -> str:
    """What that means, and why the piece is in or left out."""
    if row.state is None or row.pair is None:
        return ""
    meanings = {
        PieceState.KEPT: tr("Both Requests have it alike."),
        PieceState.CHANGED: tr("Its text differs."),
        PieceState.RESPELLED: tr(
            "The same content, spelled differently: spaces, JSON order or cuts into parts."
        ),
        PieceState.RECOUNTED: tr("The same text, counted differently."),
        PieceState.ADDED: tr("Only the right Request has it."),
        PieceState.REMOVED: tr("Only the left Request has it."),
        PieceState.MOVED: tr("The same text in another place."),
    }
    return "\n".join(each for each in (meanings[row.state], why_of(row.pair)) if each)


def why_of(pair: PiecePair) -> str:
    """Why a piece is in, or why it was left out; nothing where the Request doesn't say."""
    change = pair.change
    if change is None or change.rule is None or pair.state in _UNEXPLAINED:
        return ""
    family = "left_out" if pair.state is PieceState.REMOVED else "rule"
    return tr_code(f"{family}.{change.rule}", change.parameters)


def side_title(side: RequestSide, names: Mapping[str, str], now: datetime) -> str:
    """A side in a few words; `names` are the agents' by id."""
    kind = side.kind
    at = "" if side.at is None else moment(side.at, now)
    titles = {
        RequestSideKind.SENT: tr("Sent {at}", at=at) if at else tr("Last sent"),
        RequestSideKind.NOW: tr("Now"),
        RequestSideKind.DRAFTS: tr("With drafts"),
        RequestSideKind.COMPILED: tr("Compiled by the source"),
        RequestSideKind.PAST: tr("As of {at}", at=at) if at else tr("A past moment"),
        RequestSideKind.AGENT: tr("Agent {name}", name=names.get(side.name, side.name)),
        RequestSideKind.MODEL: tr("Model {name}", name=side.name),
        RequestSideKind.IMPORTED: tr("File {name}", name=side.name.replace("\\", "/").rpartition("/")[2]),
    }
    return titles[kind]


def changed_counts(compared: ComparedRequests) -> str:
    """How many pieces became what: ``3 changed · 2 added``."""
    counts: dict[PieceState, int] = defaultdict(int)
    for pair in compared.pairs:
        counts[pair.state] += 1
    shown = (state for state in MARKS if counts[state] and state is not PieceState.KEPT)
    return " · ".join(f"{number(counts[state])} {state_words(state)[2:]}" for state in shown)


def settings_text(diff: Diff, agents: Sequence[Agent]) -> str:
    """What the two were built by where that differs: model, layout by its shown name, limits."""

    def shown(name: str, value: str) -> str:
        if name not in ("layout", "model") and value.isdecimal() and value.isascii():
            return number(int(value))
        return (name_of_layout(value, agents) if name == "layout" else value) or "–"

    found = (each for each in diff.settings if each[0] not in ("now", "agent"))
    return " · ".join(
        tr(
            "{name}: {before} → {after}",
            name=name.replace("_", " "),
            before=shown(name, before),
            after=shown(name, after),
        )
        for name, before, after in found
    )


def delta_text(value: int) -> str:
    """A difference, ±0 for none."""
    return signed(value) or "±0"


def _section(name: str, title: str, pairs: Sequence[tuple[int, PiecePair]]) -> TreeRow:
    children = tuple(TreeRow(f"{place}", _row(place, name, title, pair)) for place, pair in pairs)
    return TreeRow(f"section:{name}", ComparedRow(f"section:{name}", title, name, *_sum(children)), children)


def _row(place: int, section: str, title: str, pair: PiecePair) -> ComparedRow:
    piece = pair.after or pair.before
    name = "" if piece is None else piece_name(piece)
    return ComparedRow(
        key=str(place),
        name=name,
        section=section,
        before=None if pair.before is None else pair.before.tokens,
        after=None if pair.after is None else pair.after.tokens,
        state=pair.state,
        is_moved=pair.change is not None and pair.change.moved,
        pair=pair,
        words=f"{name} {title} {state_words(pair.state)}".casefold(),
    )


def _titles(compared: ComparedRequests) -> dict[str, str]:
    both = (*compared.before.sections, *compared.after.sections)
    return {section.name: section.title or section.name for section in both}


def _by_section(compared: ComparedRequests) -> dict[str, list[tuple[int, PiecePair]]]:
    """The pairs of each section in the order of sending; what was removed stands where it stood."""
    found: dict[str, list[tuple[int, PiecePair]]] = {name: [] for name in _section_names(compared)}
    behind = _removed_behind(compared)
    for section in found:
        for place in behind.get((section, None), ()):
            found[section].append((place, compared.pairs[place]))
    for place, pair in enumerate(compared.pairs):
        if pair.after is not None:
            section = pair.after.section
            found[section].append((place, pair))
            found[section] += ((each, compared.pairs[each]) for each in behind.get((section, place), ()))
    return {name: pairs for name, pairs in found.items() if pairs}


def _removed_behind(compared: ComparedRequests) -> dict[tuple[str, int | None], list[int]]:
    """Places of removed pieces by section and the pair that they stood behind there, None at its beginning."""
    places = {id(pair.before): place for place, pair in enumerate(compared.pairs) if pair.before is not None}
    found: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    for section in compared.before.sections:
        last: int | None = None
        for piece in section.pieces:
            place = places[id(piece)]
            after = compared.pairs[place].after
            if after is None:
                found[section.name, last].append(place)
            elif after.section == section.name:
                last = place
    return found


def _section_names(compared: ComparedRequests) -> Iterator[str]:
    """The sections of both in the order of sending, each once; those that are gone stand where they stood."""
    later = [section.name for section in compared.after.sections]
    gone: dict[str, list[str]] = defaultdict(list)
    last = ""
    for section in compared.before.sections:
        if section.name in later:
            last = section.name
        else:
            gone[last].append(section.name)
    yield from gone[""]
    for name in later:
        yield name
        yield from gone[name]
