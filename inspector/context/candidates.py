"""The candidates of a Request's system string, and those ruled out, each with a reason."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field, replace
from enum import IntEnum
from functools import partial
from typing import Any

from inspector.context.blocks import (
    Adapted,
    BlockExcerpt,
    BlockFrame,
    BlockView,
    CutKind,
    block_part,
    choose_openings,
)
from inspector.context.identity import IdentityCache
from inspector.context.markup import GENERIC_ELEMENT
from inspector.context.parts import PARAGRAPH, PartCounter, PromptPart
from inspector.context.plan import BuildPlan
from inspector.context.sections.activity import EventLine
from inspector.context.sections.retrieved import ELEMENT
from inspector.domain.blocks import CONSTELLATION_OWNER, BlockType
from inspector.domain.counts import Count, Method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters, Problem
from inspector.domain.layout_rules import BLOCK_SECTIONS
from inspector.domain.layouts import SectionLayout, Wrapper
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut
from inspector.domain.rules import InRule, OutRule

_COUNTED_ENTRIES = 500
"""So many of a log's older entries are counted; what more of them cost is their share of that, an estimate."""

SCRATCHPAD = "scratchpad"
STANDARD_LAYOUT = "standard"


class ChoiceOrder(IntEnum):
    """When a candidate is chosen: what must go in is, then what a person pinned, then the others."""

    MUST = 0
    PINNED = 1
    OTHERS = 2


@dataclass(eq=False)
class Candidate:
    """One thing that might go in.

    Attributes:
        entry: The layout's entry that it stands under.
        made: Its part and what was changed in it.
        turn: When it is chosen.
        capped: Whether it counts against `memory_tokens`.
        value: Among those of one turn and one priority, higher ones are chosen first.
        line: The event, where it is one.
        view: The block, where it is one.
        shorter: The part cut to a size, for what may be shortened.
        cut: How much is shown, where the part is a shorter one.
        made_of: What others have made of it, as long as it lives.
        part: Its part.
    """

    entry: SectionLayout
    made: Adapted
    turn: ChoiceOrder = ChoiceOrder.OTHERS
    capped: bool = False
    value: tuple[float, str] = (0.0, "")
    line: EventLine | None = None
    view: BlockView | None = None
    shorter: Callable[[BlockExcerpt], Adapted] | None = None
    cut: BlockExcerpt | None = None
    made_of: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    part: PromptPart = field(init=False)

    def __post_init__(self) -> None:
        """Have the part at hand: it is asked for thousands of times in a build."""
        self.part = self.made.part


@dataclass
class Candidates:
    """All candidates, in the order in which they would stand, and what is out already.

    `editable` are the blocks that an agent can be told how to edit: all but archival and dropped ones.
    """

    candidates: list[Candidate] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    editable: list[BlockView] = field(default_factory=list)


Bar = tuple[OutRule, Fix | None]


class BlockGatherer:
    """Sorts an agent's blocks into candidates and what cannot go in.

    Args:
        plan: The plan of the build.
        entries: The layout's entries by name.
        cache: What earlier builds made of blocks.
        counting: Weighs what is out.
    """

    def __init__(
        self,
        plan: BuildPlan,
        entries: dict[str, SectionLayout],
        cache: IdentityCache,
        counting: PartCounter,
    ) -> None:
        self._plan = plan
        self._counting = counting
        self._entries = entries
        self._cache = cache
        self._by_label = {label: entry for entry in entries.values() for label in entry.blocks}
        self._taken = frozenset(entry.element for entry in entries.values() if entry.element) | {ELEMENT}
        self._is_wrapped = plan.layout.wrapper is Wrapper.ELEMENT
        self._openings: dict[int, str] = {}

    def gather(self, views: list[BlockView], into: Candidates) -> None:
        """Add all blocks: as candidates, or with the rule that keeps them out."""
        bars = [self._bar(view) for view in views]
        could_be_in = [view for view, bar in zip(views, bars, strict=True) if bar is None]
        self._openings = choose_openings(could_be_in, self._taken)
        for view, bar in zip(views, bars, strict=True):
            if view.problem is not None:
                into.problems.append(view.problem)
            if bar is not None:
                into.left_out.append(self._out(view, *bar))
                if bar[0] is OutRule.EMPTY:
                    into.editable.append(view)
                continue
            into.editable.append(view)
            entry = self._entry(view)
            if entry is None:
                into.left_out.append(self._out(view, OutRule.NOT_IN_LAYOUT, layout_fix(self._plan)))
                continue
            into.candidates.append(self._candidate(view, entry))
            if view.hidden_entries:
                into.left_out.append(self._hidden(view))

    def text_of(self, views: list[BlockView], block_id: str) -> str | None:
        """A block in its frame, whatever keeps it out; None for one that isn't there or can't be read."""
        view = next((each for each in views if each.block.id == block_id), None)
        if view is None or view.is_unreadable:
            return None
        could_be_in = [each for each in views if each is view or self._bar(each) is None]
        self._openings = choose_openings(could_be_in, self._taken)
        entry = self._entry(view)
        frame = self._dress(view, entry.element if entry else "")
        section = entry.name if entry else view.block.block_type.value
        return block_part(self._cache, view, frame, section, InRule.FITS).part.text

    def _bar(self, view: BlockView) -> Bar | None:
        block = view.block
        if block.id in self._plan.spec.dropped:
            return OutRule.DROPPED, Fix("undrop", Ref(RefKind.BLOCK, block.id), False)
        if view.is_unreadable:
            return OutRule.UNREADABLE, None
        if block.block_type is BlockType.ARCHIVAL:
            return OutRule.ARCHIVAL_TYPE, Fix(
                "set_type", Ref(RefKind.BLOCK, block.id), BlockType.WORKING.value
            )
        return (OutRule.EMPTY, None) if view.is_blank and not self._plan.layout.empty_blocks else None

    def _entry(self, view: BlockView) -> SectionLayout | None:
        label = view.block.label
        named = self._by_label.get(label)
        if named is not None and (view.shared is None or named.name in BLOCK_SECTIONS):
            return named
        if view.shared is not None:
            return self._entries.get("shared")
        if label == SCRATCHPAD and SCRATCHPAD in self._entries:
            return self._entries[SCRATCHPAD]
        return self._entries.get(view.block.block_type.value)

    def _candidate(self, view: BlockView, entry: SectionLayout) -> Candidate:
        is_pinned = view.block.id in self._plan.spec.pinned
        plan = self._plan
        # The candidate holds its entry, so that the entry's identity stays its own.
        key = (
            "candidate",
            id(entry),
            self._openings[id(view)],
            is_pinned,
            self._is_wrapped,
            plan.with_descriptions,
            (plan.layout.block, plan.layout.line),
        )
        return self._cache.get(view.stored, key, lambda: self._make(view, entry))

    def _make(self, view: BlockView, entry: SectionLayout) -> Candidate:
        rule = self._rule(view, entry)
        dress = self._dress(view, entry.element)
        part = partial(block_part, self._cache, view, dress, entry.name, rule)
        return Candidate(
            entry,
            part(),
            self._turn(view),
            capped=entry.name in BLOCK_SECTIONS or bool(entry.blocks),
            value=(view.written_at.timestamp(), view.block.id),
            view=view,
            shorter=part if view.is_divisible else None,
        )

    def _dress(self, view: BlockView, element: str = "") -> BlockFrame:
        opening = self._openings.get(id(view), GENERIC_ELEMENT)
        plan = self._plan
        template, line = plan.layout.block, plan.layout.line
        return BlockFrame(opening, self._is_wrapped, plan.with_descriptions, element, template, line)

    def _rule(self, view: BlockView, entry: SectionLayout) -> InRule:
        if entry.blocks and entry.name not in BLOCK_SECTIONS:
            return InRule.CUSTOM_SECTION
        if entry.name == SCRATCHPAD:
            return InRule.SCRATCHPAD
        if view.shared is not None:
            for_all = view.shared.attachment is None and view.block.owner == CONSTELLATION_OWNER
            return InRule.CONSTELLATION if for_all else InRule.ATTACHED
        if view.block.block_type is BlockType.CORE:
            return InRule.CORE
        if view.block.block_type is BlockType.LOG:
            return InRule.LOG_RECENT
        return InRule.PINNED if self._is_pinned(view) else InRule.FITS

    def _turn(self, view: BlockView) -> ChoiceOrder:
        is_core = view.block.block_type is BlockType.CORE
        if is_core and view.shared is None:
            return ChoiceOrder.MUST
        return ChoiceOrder.PINNED if is_core or self._is_pinned(view) else ChoiceOrder.OTHERS

    def _is_pinned(self, view: BlockView) -> bool:
        return view.block.pinned or view.block.id in self._plan.spec.pinned

    def _out(self, view: BlockView, rule: OutRule, fix: Fix | None) -> LeftOut:
        section = "shared" if view.shared is not None else view.block.block_type.value
        tokens = self._would_take(view, section)
        parameters: Parameters = {"label": view.block.label, "needed": tokens.tokens}
        return LeftOut(view.source, section, rule.value, tokens.tokens, tokens.method, fix, parameters)

    def _would_take(self, view: BlockView, section: str) -> Count:
        if view.is_blank:
            return Count(0, Method.EXACT)
        return self._count(block_part(self._cache, view, self._dress(view), section, InRule.FITS))

    def _count(self, made: Adapted) -> Count:
        piece = made.part.piece(self._counting, PARAGRAPH)
        return Count(piece.tokens, piece.method)

    def _hidden(self, view: BlockView) -> LeftOut:
        shown = self._would_take(view, "log")
        count = view.hidden_entries
        everything = view.entry_count + count
        counted = min(count, _COUNTED_ENTRIES)
        cut = BlockExcerpt(CutKind.ENTRIES, view.entry_count + counted)
        tokens = self._count(block_part(self._cache, view, self._dress(view), "log", InRule.FITS, cut))
        more = max(0, tokens.tokens - shown.tokens)
        fix = Fix("set_display_limit", Ref(RefKind.BLOCK, view.block.id), everything, {"value": everything})
        parameters: Parameters = {"label": view.block.label, "count": count, "shown": view.entry_count}
        what = "older entry" if count == 1 else "older entries"
        return LeftOut(
            replace(view.source, label=f"{view.block.label}: {count:,} {what}"),
            "log",
            OutRule.ENTRY_LIMIT.value,
            more * count // counted,
            tokens.method if counted == count else Method.ESTIMATE,
            fix,
            parameters,
        )


def layout_fix(plan: BuildPlan) -> Fix | None:
    """The change to the layout that has every section; None under that one."""
    if plan.layout.name == STANDARD_LAYOUT:
        return None
    return Fix("set_layout", Ref(RefKind.AGENT, plan.agent.id), STANDARD_LAYOUT, {"value": STANDARD_LAYOUT})
