"""Applies a layout: joins, headings, tags and fences around the candidates of a section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from inspector.context.markup import UNDERLINE, frame_line
from inspector.context.parts import LINE, PARAGRAPH, PromptPart, literal
from inspector.domain.dataclass import dataclass
from inspector.domain.layout_rules import INSTRUCTIONS, PERSONA
from inspector.domain.layouts import Layout, SectionLayout
from inspector.domain.requests import Piece
from inspector.domain.rules import InRule


def section_name(entry: SectionLayout) -> str:
    """The Request's section that a layout's entry belongs to: the persona is one of the instructions."""
    return INSTRUCTIONS if entry.name == PERSONA else entry.name


def section_title(entry: SectionLayout) -> str:
    """What a person reads: the heading's words, else the name's."""
    words = entry.heading.lstrip("#").strip()
    return words or entry.name.replace("_", " ").capitalize()


def heading_title(name: str, pieces: Sequence[Piece]) -> str:
    """The words of the one heading among a section's pieces; the section's name where it has none, or several."""
    headings = [each for each in pieces if each.id.startswith("literal:") and each.id.endswith("/heading")]
    words = "".join(run.text for run in headings[0].runs).strip() if len(headings) == 1 else ""
    return words.lstrip("#").strip() or name.replace("_", " ").capitalize()


@lru_cache(maxsize=64)
def frame_lines(join: str, entries: tuple[SectionLayout, ...]) -> frozenset[str]:
    """The lines by which a reader tells the sections apart: joins and headings, as `markup.frame_line` gives them."""
    headings = [text for entry in entries for text in (entry.heading, entry.group)]
    shown = [line for text in (join, *headings) for line in text.splitlines() if line.strip()]
    # A heading may be written by a line under it too.
    under = (UNDERLINE,) if any(text.startswith("#") for text in headings) else ()
    return frozenset((*map(frame_line, shown), *under))


@dataclass(frozen=True, slots=True)
class FramedSection:
    """A section's content with what stands around it."""

    entry: SectionLayout
    parts: tuple[PromptPart, ...]


def dress(
    layout: Layout, contents: Sequence[tuple[SectionLayout, Sequence[PromptPart]]]
) -> list[FramedSection]:
    """All sections with content, in order, each with its join, headings, tags and fences."""
    dressed: list[FramedSection] = []
    group = ""
    filled = [(entry, parts) for entry, parts in contents if parts]
    for at, (entry, parts) in enumerate(filled):
        opens_group = bool(entry.group) and entry.group != group
        is_top = opens_group or not entry.group
        group = entry.group
        around = _Around(
            layout,
            entry,
            with_join=is_top and bool(dressed),
            with_group=opens_group,
            ends_group=at + 1 == len(filled) or filled[at + 1][0].group != group,
        )
        dressed.append(FramedSection(entry, around.enclose(parts)))
    return dressed


@dataclass(frozen=True, slots=True)
class _Around:
    layout: Layout
    entry: SectionLayout
    with_join: bool
    with_group: bool
    ends_group: bool

    def enclose(self, parts: Sequence[PromptPart]) -> tuple[PromptPart, ...]:
        """The parts with everything before and behind them."""
        return (*self._enclosed(self._spaced(parts)), *self._group_end())

    def _spaced(self, parts: Sequence[PromptPart]) -> Sequence[PromptPart]:
        """The parts with the layout's own gap before each, where it has one."""
        gap = self.layout.gap
        if gap == PARAGRAPH:
            return parts
        return [with_before(part, gap) if part.before == PARAGRAPH else part for part in parts]

    def _group_end(self) -> Iterator[PromptPart]:
        if self.ends_group and self.entry.group_end:
            name, key = section_name(self.entry), self.entry.name
            yield _fixed(name, f"{key}/end", self.entry.group_end, InRule.HEADING, PARAGRAPH)

    def _enclosed(self, parts: Sequence[PromptPart]) -> tuple[PromptPart, ...]:
        head = [*self._lead(), *self._open(parts)]
        if not parts:
            return (*head, *self._close(parts))
        if not head and self.with_join:
            return (with_before(parts[0], self._border()), *parts[1:])
        if not head:
            return tuple(parts)
        first = parts[0]
        if self.entry.element or self.entry.fence:
            first = with_before(first, LINE)
        elif head[-1].rule is InRule.JOIN:
            first = with_before(first, self._border())
        return (*head, first, *parts[1:], *self._close(parts))

    def _border(self) -> str:
        """The newlines behind the join's visible part, or the whole of a join without one."""
        join = self.layout.join
        return join[len(join.rstrip("\n")) :] or PARAGRAPH

    def _lead(self) -> Iterator[PromptPart]:
        name, after = section_name(self.entry), PARAGRAPH
        key = self.entry.name
        join = self.layout.join
        core = join.strip("\n")
        if self.with_join:
            after = self._border()
            if core:
                newlines = join[: len(join) - len(join.lstrip("\n"))]
                yield _fixed(name, f"{key}/join", core, InRule.JOIN, newlines)
        if self.with_group:
            yield _fixed(name, f"{key}/group", self.entry.group, InRule.HEADING, after)
            after = PARAGRAPH
        if self.entry.heading:
            yield _fixed(name, f"{key}/heading", self.entry.heading, InRule.HEADING, after)

    def _open(self, parts: Sequence[PromptPart]) -> Iterator[PromptPart]:
        name, key = section_name(self.entry), self.entry.name
        before = PARAGRAPH
        if self.with_join and not self.with_group and not self.entry.heading:
            before = self._border()
        if self.entry.element:
            yield _fixed(name, f"{key}/open", f"<{self.entry.element}>", InRule.HEADING, before)
            before = LINE
        if self.entry.fence:
            yield _fixed(name, f"{key}/fence", fence_around(parts), InRule.FENCE, before)

    def _close(self, parts: Sequence[PromptPart]) -> Iterator[PromptPart]:
        name, key = section_name(self.entry), self.entry.name
        if self.entry.fence:
            yield _fixed(name, f"{key}/fence_end", fence_around(parts), InRule.FENCE, LINE)
        if self.entry.element:
            yield _fixed(name, f"{key}/close", f"</{self.entry.element}>", InRule.HEADING, LINE)


def dress_parts(layout: Layout, entry: SectionLayout, *, with_group: bool) -> tuple[PromptPart, ...]:
    """What a section costs beside its content where others stand before it."""
    with_join = with_group or not entry.group
    around = _Around(layout, entry, with_join=with_join, with_group=with_group, ends_group=with_group)
    return around.enclose(())


def fence_around(parts: Sequence[PromptPart]) -> str:
    """A fence longer than any run of back-ticks inside."""
    longest = 2
    for part in parts:
        run = 0
        for character in part.text if "```" in part.text else "":
            run = run + 1 if character == "`" else 0
            longest = max(longest, run)
    return "`" * (longest + 1)


def with_before(part: PromptPart, before: str) -> PromptPart:
    """The part with other newlines before it; they are the former piece's, so its own pieces stay as they are."""
    return part if part.before == before else replace(part, before=before)


@lru_cache(maxsize=1024)
def _fixed(section: str, place: str, text: str, rule: InRule, before: str) -> PromptPart:
    """A literal part, the same object for the same text, so that its count is kept."""
    return literal(section, place, text, rule, before=before)
