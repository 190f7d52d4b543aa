"""Lays a compiled system prompt of another program beside a Request, piece by piece, so that both can be compared."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from inspector.context.counting.counter import Counter
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import TextPart
from inspector.domain.requests import Piece, Request, Section, Source, SourceKind, TextRun
from inspector.domain.rules import OutRule
from inspector.domain.snapshot import Snapshot

SECTION = "compiled"
_LABEL = 40


def compiled_prompt(snapshot: Snapshot) -> str | None:
    """The newest compiled prompt among an agent's messages, of one that is in use if there is any; None without one."""
    found = [each for batch in snapshot.history for each in batch.messages if each.compiled]
    used = [each for each in found if not each.is_archived] or found
    return "".join(part.text for part in used[-1].content if isinstance(part, TextPart)) if used else None


def as_compiled(request: Request, prompt: str, counter: Counter) -> Request:
    """The Request with a compiled prompt in place of its system string.

    What both have is the same piece in both. A piece of which only the first and the last line are there has changed,
    and what stands between the pieces that were found is a piece of its own.
    """
    system = request.system_sections
    pieces = [piece for section in system for piece in section.pieces]
    frames = [piece for piece in pieces if not _sent(piece)]
    places = _places([piece for piece in pieces if _sent(piece)], prompt)
    found = [*frames, *_pieces(places, prompt, counter)]
    sections = [
        Section(name, name.capitalize(), tuple(group))
        for name, group in groupby(found, key=lambda piece: piece.section)
    ]
    before = [section for section in request.sections if section.name == "tools"]
    after = [section for section in request.sections if section not in (*before, *system)]
    return replace(request, system=prompt, sections=(*before, *sections, *after), left_out=(), problems=())


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    """A stretch of the prompt, and which of the pieces it is."""

    start: int
    end: int
    at: int


def _places(pieces: Sequence[Piece], prompt: str) -> list[tuple[_Place, Piece]]:
    """Where the pieces stand in the prompt, in its order: the longest are looked for first, no two overlap."""
    found: list[_Place] = []
    by_length = sorted(range(len(pieces)), key=lambda at: -len(_sent(pieces[at])))
    missing: list[int] = []
    for at in by_length:
        core = _sent(pieces[at]).strip("\n")
        start = next((start for start in _starts(prompt, core) if _is_free(found, start, len(core))), -1)
        if start < 0:
            missing.append(at)
        else:
            insort(found, _Place(start, start + len(core), at))
    for at in missing:
        place = _changed_place(_sent(pieces[at]).strip("\n"), prompt, found, at)
        if place is not None:
            insort(found, place)
    return [(place, pieces[place.at]) for place in found]


def _changed_place(core: str, prompt: str, found: Iterable[_Place], at: int) -> _Place | None:
    """Where a piece stands whose inner lines differ: from its first line to its last."""
    first, newline, _ = core.partition("\n")
    last = core.rpartition("\n")[2]
    for start in _starts(prompt, f"{first}\n") if newline else ():
        end = prompt.find(f"\n{last}", start) + len(last) + 1
        if end > len(last) and _is_free(found, start, end - start):
            return _Place(start, end, at)
    return None


def _starts(prompt: str, text: str) -> Iterator[int]:
    """Where a text begins that stands at the beginning of a line."""
    at = prompt.find(text)
    while at >= 0:
        if at == 0 or prompt[at - 1] == "\n":
            yield at
        at = prompt.find(text, at + 1)


def _is_free(found: Iterable[_Place], start: int, length: int) -> bool:
    return all(start + length <= place.start or start >= place.end for place in found)


def _pieces(places: Sequence[tuple[_Place, Piece]], prompt: str, counter: Counter) -> Iterator[Piece]:
    """The whole prompt in pieces, each with the newlines behind it."""
    start = 0
    ends = [place.start for place, _ in places[1:]] + [len(prompt)]
    if places and places[0][0].start:
        yield _own(prompt[: places[0][0].start], 0, counter)
    for (place, piece), end in zip(places, ends, strict=True):
        behind = place.end + len(prompt[place.end : end]) - len(prompt[place.end : end].lstrip("\n"))
        yield _with_text(piece, prompt[place.start : behind], counter)
        if behind < end:
            yield _own(prompt[behind:end], behind, counter)
        start = end
    if start < len(prompt):
        yield _own(prompt, 0, counter)


def _with_text(piece: Piece, text: str, counter: Counter) -> Piece:
    if _sent(piece) == text:
        return piece
    frames = tuple(run for run in piece.runs if not run.sent)
    return replace(piece, runs=(_run(text, counter), *frames), marks=())


def _own(text: str, place: int, counter: Counter) -> Piece:
    label = next((line for line in text.split("\n") if line.strip()), "")[:_LABEL]
    source = Source(SourceKind.LITERAL, f"{SECTION}/{place}", label)
    return Piece(f"{SECTION}:{place}", SECTION, source, OutRule.COMPILED.value, (_run(text, counter),))


def _run(text: str, counter: Counter) -> TextRun:
    count = counter.count(text)
    return TextRun(text, sent=True, tokens=count.tokens, method=count.method)


def _sent(piece: Piece) -> str:
    return "".join(run.text for run in piece.runs if run.sent)
