"""Assembles the chosen candidates into the system string and the message behind the history."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise

from inspector.context.candidates import Candidate
from inspector.context.layouts import FramedSection, dress, heading_title, section_name, section_title
from inspector.context.parts import PartCounter, PromptPart
from inspector.context.plan import BuildPlan
from inspector.context.sections.activity import EventLine, with_days
from inspector.domain.dataclass import dataclass
from inspector.domain.layouts import SectionLayout
from inspector.domain.requests import Piece, Section, Source, SourceKind, TextRun
from inspector.domain.rules import InRule
from inspector.domain.wire.extras import system_messages


@dataclass(frozen=True)
class Assembled:
    """The pieces by section, in order.

    Attributes:
        sections: The system string's sections, the frame in the first of them.
        tail_sections: Those of the message behind the history, likewise.
        tokens: All of it, with the frames.
        capped_tokens: What counts against `memory_tokens`.
        frame_tokens: The system string's frame alone.
        tail_frame_tokens: That of the message behind the history.
        border_tokens: What the last piece of each takes more if another part follows it.
    """

    sections: tuple[Section, ...]
    tail_sections: tuple[Section, ...]
    tokens: int
    capped_tokens: int
    frame_tokens: int
    tail_frame_tokens: int
    border_tokens: int

    def begins_with(self, text: str) -> bool:
        """Whether one of the two strings begins with a text."""
        return any(each is not None and each.startswith(text) for each in (self.system, self.tail))

    @cached_property
    def system(self) -> str | None:
        return _sent(self.sections)

    @cached_property
    def tail(self) -> str | None:
        """The message behind the history, None when there is nothing."""
        return _sent(self.tail_sections)


def _sent(sections: Sequence[Section]) -> str | None:
    runs = (run for section in sections for piece in section.pieces for run in piece.runs)
    return "".join(run.text for run in runs if run.sent) or None


@dataclass(frozen=True)
class _String:
    """One of the two strings, ready: its sections with the frame, and sums."""

    sections: tuple[Section, ...] = ()
    tokens: int = 0
    capped: int = 0
    frame: int = 0
    border: int = 0


class Assembler:
    """Assembles the pieces of one build.

    Args:
        plan: The plan.
        entries: The layout's entries before the history.
        tail: Those behind it.
        counting: Counts parts.
    """

    def __init__(
        self,
        plan: BuildPlan,
        entries: Sequence[SectionLayout],
        tail: Sequence[SectionLayout],
        counting: PartCounter,
    ) -> None:
        self._plan = plan
        self._entries = entries
        self._tail = tail
        self._tail_names = frozenset(entry.name for entry in tail)
        self._counting = counting
        messages = system_messages(plan.agent.parameters, len(plan.agent.instructions))
        cost = plan.costs.system_frame(with_tools=plan.offers_tools, messages=messages)
        self._frame = TextRun("=== system ===\n", sent=False, tokens=cost.tokens, method=cost.method)
        cost = plan.costs.message()
        self._tail_frame = TextRun("=== user ===\n", sent=False, tokens=cost.tokens, method=cost.method)

    @property
    def frame_tokens(self) -> int:
        return self._frame.tokens

    def is_tail(self, entry: SectionLayout) -> bool:
        return entry.name in self._tail_names

    def assemble(self, parts: dict[str, list[PromptPart]], capped: Collection[str]) -> Assembled:
        """Both strings.

        Args:
            parts: The content of each of the layout's entries, by its name.
            capped: The entries that count against `memory_tokens`.
        """
        system = self._string(self._entries, parts, capped, self._frame)
        tail = self._string(self._tail, parts, capped, self._tail_frame)
        return Assembled(
            system.sections,
            tail.sections,
            system.tokens + tail.tokens,
            system.capped + tail.capped,
            system.frame,
            tail.frame,
            system.border + tail.border,
        )

    def _string(
        self,
        entries: Sequence[SectionLayout],
        parts: dict[str, list[PromptPart]],
        capped: Collection[str],
        frame: TextRun,
    ) -> _String:
        dressed = dress(self._plan.layout, [(entry, parts.get(entry.name, ())) for entry in entries])
        if not dressed:
            return _String()
        flat = [part for each in dressed for part in each.parts]
        flat[0] = flat[0].leading or flat[0]
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
        lead = self._frame_piece(sections[0].name, frame)
        sections[0] = Section(sections[0].name, sections[0].title, (lead, *sections[0].pieces))
        border = max(0, flat[-1].cost(self._counting) - pieces[-1].tokens)
        return _String(tuple(sections), tokens + lead.tokens, capped_tokens, lead.tokens, border)

    def _pieces(self, parts: Sequence[PromptPart]) -> list[Piece]:
        counting = self._counting
        pieces = [part.piece(counting, following.before) for part, following in pairwise(parts)]
        pieces.append(parts[-1].piece(counting, "", last=True))
        return pieces

    def _add(self, sections: list[Section], dressed: FramedSection, pieces: Sequence[Piece]) -> None:
        name = section_name(dressed.entry)
        if sections and sections[-1].name == name:
            both = (*sections[-1].pieces, *pieces)
            sections[-1] = Section(name, heading_title(name, both), both)
        else:
            sections.append(Section(name, section_title(dressed.entry), tuple(pieces)))

    def _frame_piece(self, section: str, frame: TextRun) -> Piece:
        place = "system/frame" if frame is self._frame else "tail/frame"
        source = Source(SourceKind.LITERAL, place, "frame")
        return Piece(f"literal:{place}", section, source, InRule.FRAME.value, (frame,))


def contents(candidates: Sequence[Candidate]) -> dict[str, list[PromptPart]]:
    """The parts of candidates by the entry that they stand under, in order; events with lead and day lines."""
    found: dict[str, list[PromptPart]] = {}
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
