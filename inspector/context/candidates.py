"""What might go into the system string, and what cannot, each with its reasons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from inspector.context.blocks import Adapted, BlockReader, BlockView, Dress, choose_dress
from inspector.context.layouts import BLOCK_SECTIONS
from inspector.context.parts import Part
from inspector.context.plan import Plan
from inspector.domain.blocks import CONSTELLATION_OWNER, BlockType
from inspector.domain.counts import Count, Method
from inspector.domain.errors import Parameters
from inspector.domain.health import Problem
from inspector.domain.layouts import SectionLayout, Wrapper
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut
from inspector.domain.rules import InRule, OutRule

SCRATCHPAD = "scratchpad"
STANDARD_LAYOUT = "standard"


class Turn(IntEnum):
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
        extra: Parts that come in with it if they are not in yet (a lead line, a day's line), by id.
        view: The block, where it is one.
        shorter: The part with only the newest n entries, for a log that may be shortened.
        entries: How many entries are shown, where the part is a shorter one.
    """

    entry: SectionLayout
    made: Adapted
    turn: Turn = Turn.OTHERS
    capped: bool = False
    value: tuple[float, str] = (0.0, "")
    extra: tuple[Part, ...] = ()
    view: BlockView | None = None
    shorter: Callable[[int], Adapted] | None = None
    entries: int | None = None

    @property
    def part(self) -> Part:
        """Its part."""
        return self.made.part


@dataclass
class Gathered:
    """All candidates, in the order in which they would stand, and what is out already."""

    candidates: list[Candidate] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class BlockGatherer:
    """Sorts an agent's blocks into candidates and what cannot go in."""

    def __init__(
        self, plan: Plan, entries: dict[str, SectionLayout], reader: BlockReader, views: list[BlockView]
    ) -> None:
        self._plan = plan
        self._entries = entries
        self._reader = reader
        self._views = views
        self._by_label = {label: entry for entry in entries.values() for label in entry.blocks}
        could_be_in = (view for view in views if self._bar(view) is None)
        self._dress = choose_dress(could_be_in, plan.layout.wrapper, with_descriptions=plan.with_descriptions)

    def gather(self, into: Gathered) -> None:
        """Add all blocks: as candidates, or with the rule that keeps them out."""
        into.problems.extend(view.problem for view in self._views if view.problem is not None)
        for view in self._views:
            barred = self._bar(view)
            entry = self._entry(view)
            if barred is not None:
                into.left_out.append(self._out(view, *barred))
            elif entry is None:
                into.left_out.append(self._out(view, OutRule.NOT_IN_LAYOUT, self._layout_fix()))
            else:
                into.candidates.append(self._candidate(view, entry))
                if view.hidden_entries:
                    into.left_out.append(self._hidden(view))

    def readable(self) -> list[BlockView]:
        """The blocks that an agent can be told how to edit: all but archival and dropped ones."""
        skipped = (OutRule.ARCHIVAL_TYPE, OutRule.UNREADABLE, OutRule.DROPPED)
        barred = ((view, self._bar(view)) for view in self._views)
        return [view for view, bar in barred if bar is None or bar[0] not in skipped]

    def _bar(self, view: BlockView) -> tuple[OutRule, Fix | None] | None:
        target = Ref(RefKind.BLOCK, view.block.id)
        if view.block.id in self._plan.spec.dropped:
            return OutRule.DROPPED, Fix("undrop", target, False)
        if view.problem is not None:
            return OutRule.UNREADABLE, None
        if view.block.block_type is BlockType.ARCHIVAL:
            return OutRule.ARCHIVAL_TYPE, Fix("set_type", target, BlockType.WORKING.value)
        if view.is_blank:
            return OutRule.EMPTY, None
        return None

    def _entry(self, view: BlockView) -> SectionLayout | None:
        if view.shared is not None:
            return self._entries.get("shared")
        label = view.block.label
        if label in self._by_label:
            return self._by_label[label]
        if label == SCRATCHPAD and SCRATCHPAD in self._entries:
            return self._entries[SCRATCHPAD]
        return self._entries.get(view.block.block_type.value)

    def _layout_fix(self) -> Fix | None:
        agent = Ref(RefKind.AGENT, self._plan.agent.id)
        return None if self._plan.layout.name == STANDARD_LAYOUT else Fix("set_layout", agent, STANDARD_LAYOUT)

    def _candidate(self, view: BlockView, entry: SectionLayout) -> Candidate:
        rule = self._rule(view, entry)
        dress = replace(self._dress[id(view)], element=entry.element)
        made = self._reader.part(view, dress, entry.name, rule)
        shorter = None
        if view.entry_count > 1:
            shorter = lambda entries: self._reader.part(view, dress, entry.name, rule, entries)  # noqa: E731
        return Candidate(
            entry,
            made,
            self._turn(view),
            capped=entry.name in BLOCK_SECTIONS or bool(entry.blocks),
            value=(view.written_at.timestamp(), view.block.id),
            view=view,
            shorter=shorter,
        )

    def _rule(self, view: BlockView, entry: SectionLayout) -> InRule:
        if entry.blocks:
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

    def _turn(self, view: BlockView) -> Turn:
        is_core = view.block.block_type is BlockType.CORE
        if is_core and view.shared is None:
            return Turn.MUST
        return Turn.PINNED if is_core or self._is_pinned(view) else Turn.OTHERS

    def _is_pinned(self, view: BlockView) -> bool:
        return view.block.pinned or view.block.id in self._plan.spec.pinned

    def _out(self, view: BlockView, rule: OutRule, fix: Fix | None) -> LeftOut:
        section = "shared" if view.shared is not None else view.block.block_type.value
        told: Parameters = {"label": view.block.label}
        tokens = self._would_take(view, section)
        return LeftOut(view.source, section, rule.value, tokens.tokens, tokens.method, fix, told)

    def _would_take(self, view: BlockView, section: str) -> Count:
        if view.is_blank:
            return Count(0, Method.EXACT)
        is_wrapped = self._plan.layout.wrapper is Wrapper.ELEMENT
        dress = self._dress.get(id(view)) or Dress("block", is_wrapped, self._plan.with_descriptions)
        text = self._reader.part(view, dress, section, InRule.FITS).part.text
        return self._plan.costs.counter.count(text)

    def _hidden(self, view: BlockView) -> LeftOut:
        shown = self._would_take(view, "log")
        count = view.hidden_entries
        whole = self._reader.part(
            view, self._dress[id(view)], "log", InRule.FITS, view.entry_count + count
        ).part.text
        tokens = self._plan.costs.counter.count(whole)
        everything = view.entry_count + count
        fix = Fix("set_display_limit", Ref(RefKind.BLOCK, view.block.id), everything, {"value": everything})
        told: Parameters = {"label": view.block.label, "count": count, "shown": view.entry_count}
        return LeftOut(
            replace(view.source, label=f"{view.block.label}: {count} older entries"),
            "log",
            OutRule.ENTRY_LIMIT.value,
            max(0, tokens.tokens - shown.tokens),
            tokens.method,
            fix,
            told,
        )
