"""The system string from the parts that were chosen: pieces, sections, sums."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inspector.context.candidates import Candidate
from inspector.context.layouts import Dressed, dress, section_name, section_title
from inspector.context.parts import Part, PartCounter
from inspector.context.plan import Plan
from inspector.context.sections.activity import EventLine, with_days
from inspector.domain.layouts import SectionLayout
from inspector.domain.requests import Piece, Run, Section, Source, SourceKind
from inspector.domain.rules import InRule


@dataclass(frozen=True)
class Assembled:
    """The system string's pieces by section, in order.

    Attributes:
        sections: The sections, the frame in the first of them.
        tokens: All of it, with the frame.
        capped_tokens: What counts against `memory_tokens`.
        frame_tokens: The frame alone.
        border_tokens: What the last piece takes more if another part follows it.
    """

    sections: tuple[Section, ...]
    tokens: int
    capped_tokens: int
    frame_tokens: int
    border_tokens: int

    @property
    def system(self) -> str | None:
        """The string itself, None when there is nothing."""
        runs = (run for section in self.sections for piece in section.pieces for run in piece.runs)
        return "".join(run.text for run in runs if run.sent) or None

    def tokens_of(self, names: Collection[str]) -> int:
        """The tokens of some sections."""
        return sum(section.tokens for section in self.sections if section.name in names)


class Assembler:
    """Assembles under one plan."""

    def __init__(self, plan: Plan, entries: Sequence[SectionLayout], counting: PartCounter) -> None:
        self._plan = plan
        self._entries = entries
        self._counting = counting
        cost = plan.costs.message()
        frame = Run("=== system ===\n", sent=False, tokens=cost.tokens, method=cost.method)
        self._frame = frame

    def assemble(self, parts: dict[str, list[Part]], capped: Collection[str]) -> Assembled:
        """The system string.

        Args:
            parts: The content of each of the layout's entries, by its name.
            capped: The entries that count against `memory_tokens`.
        """
        contents = [(entry, parts.get(entry.name, ())) for entry in self._entries]
        dressed = dress(self._plan.layout, contents)
        if not dressed:
            return Assembled((), 0, 0, 0, 0)
        flat = [part for each in dressed for part in each.parts]
        pieces = self._pieces(flat)
        sections: list[Section] = []
        start = tokens = capped_tokens = 0
        for each in dressed:
            own = pieces[start : start + len(each.parts)]
            start += len(each.parts)
            spent = sum(piece.tokens for piece in own)
            tokens += spent
            if each.entry.name in capped:
                capped_tokens += spent
            self._add(sections, each, own)
        frame = self._frame_piece(sections[0].name)
        sections[0] = Section(sections[0].name, sections[0].title, (frame, *sections[0].pieces))
        border = max(0, flat[-1].cost(self._counting) - pieces[-1].tokens)
        return Assembled(tuple(sections), tokens + frame.tokens, capped_tokens, frame.tokens, border)

    def _pieces(self, parts: Sequence[Part]) -> list[Piece]:
        counting = self._counting
        pieces = [part.piece(counting, following.before) for part, following in pairwise(parts)]
        pieces.append(parts[-1].piece(counting, "", last=True))
        return pieces

    def _add(self, sections: list[Section], dressed: Dressed, pieces: Sequence[Piece]) -> None:
        name = section_name(dressed.entry)
        if sections and sections[-1].name == name:
            sections[-1] = Section(name, name.capitalize(), (*sections[-1].pieces, *pieces))
        else:
            sections.append(Section(name, section_title(dressed.entry), tuple(pieces)))

    def _frame_piece(self, section: str) -> Piece:
        source = Source(SourceKind.LITERAL, "system/frame", "frame")
        return Piece("literal:system/frame", section, source, InRule.FRAME.value, (self._frame,))


def contents(candidates: Sequence[Candidate]) -> dict[str, list[Part]]:
    """The parts of candidates by the entry that they stand under, in order; events with lead and day lines."""
    found: dict[str, list[Part]] = {}
    lines: list[EventLine] = []
    name = ""
    for candidate in candidates:
        if candidate.line is not None:
            name = candidate.entry.name
            lines.append(candidate.line)
        else:
            found.setdefault(candidate.entry.name, []).append(candidate.part)
    if lines:
        found[name] = list(with_days(lines))
    return found
