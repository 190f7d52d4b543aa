"""Gathers the candidates of one build, section by section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from inspector.context.blocks import Adapted, block_views
from inspector.context.candidates import BlockGatherer, Candidate, Candidates, ChoiceOrder, layout_fix
from inspector.context.identity import BuildCache
from inspector.context.markup import one_line
from inspector.context.parts import PARAGRAPH, PartCounter, PromptPart
from inspector.context.plan import BuildPlan
from inspector.context.sections import activity, hints, retrieved, texts, tools
from inspector.domain.agents import Tool
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, Parameters
from inspector.domain.layout_rules import (
    ADDITIONAL,
    BLOCK_SECTIONS,
    EXTRA,
    INSTRUCTIONS,
    MESSAGES,
    PERSONA,
    RESERVED,
    is_element_name,
)
from inspector.domain.layouts import SectionLayout
from inspector.domain.requests import TOOL_RULES, LeftOut, Piece
from inspector.domain.rules import InRule, OutRule
from inspector.domain.snapshot import Snapshot

SUMMARY = "summary"


@dataclass(frozen=True)
class LayoutEntries:
    """The layout's entries of one build: the caller's sections in their place, nothing lost.

    `tail` are those behind the history, `kept` are the tokens that the layout reserves for that.
    """

    ordered: tuple[SectionLayout, ...]
    tail: tuple[SectionLayout, ...]
    kept: int
    by_name: dict[str, SectionLayout]
    added: frozenset[str]
    capped: frozenset[str]


def layout_entries(plan: BuildPlan) -> LayoutEntries:
    """The entries, with the caller's sections and additional instructions even where the layout has no place.

    Raises:
        InputError: ``section_name``: a section of the caller's without a name or with one that is taken.
    """
    taken = {entry.name for entry in plan.layout.sections} | RESERVED
    elements = {entry.element for entry in plan.layout.sections}
    wrapped = next((entry.element for entry in plan.layout.sections if entry.name == EXTRA), "")
    added: list[SectionLayout] = []
    for section in plan.spec.extra_sections:
        if not one_line(section.name) or section.name in taken:
            raise InputError("input.section_name", name=section.name)
        taken.add(section.name)
        heading, element = f"# {one_line(section.name)}", wrapped
        if wrapped and is_element_name(section.name) and section.name not in elements:
            heading, element = "", section.name
        added.append(SectionLayout(section.name, heading, element=element, text=section.text))
    ordered: list[SectionLayout] = []
    tail: list[SectionLayout] = []
    place, kept = ordered, 0
    for entry in plan.layout.sections:
        if entry.name == EXTRA:
            place += added
        elif entry.name == MESSAGES:
            place, kept = tail, entry.minimum
        else:
            place.append(entry)
    if EXTRA not in {entry.name for entry in plan.layout.sections}:
        ordered += added
    if plan.spec.extra_instructions and ADDITIONAL not in {entry.name for entry in (*ordered, *tail)}:
        ordered.append(SectionLayout(ADDITIONAL, "# Additional Instructions"))
    everything = (*ordered, *tail)
    capped = {entry.name for entry in everything if entry.name in BLOCK_SECTIONS or entry.blocks}
    return LayoutEntries(
        tuple(ordered),
        tuple(tail),
        kept,
        {entry.name: entry for entry in everything},
        frozenset(entry.name for entry in added),
        frozenset(capped),
    )


@dataclass
class CandidateGathering:
    """Gathers the candidates of one build."""

    snapshot: Snapshot
    plan: BuildPlan
    entries: LayoutEntries
    offered: tuple[Tool, ...]
    counting: PartCounter
    cache: BuildCache
    found: Candidates = field(default_factory=Candidates)

    def gather(self) -> Candidates:
        """All candidates in the order in which they would stand."""
        parts = self.cache.parts
        blocks = BlockGatherer(self.plan, self.entries.by_name, parts, self.counting)
        blocks.gather(block_views(self.snapshot, parts), self.found)
        by_entry: dict[str, list[Candidate]] = {}
        for candidate in self.found.candidates:
            by_entry.setdefault(candidate.entry.name, []).append(candidate)
        self.found.candidates = []
        for entry in (*self.entries.ordered, *self.entries.tail):
            self.found.candidates += _in_order(entry, by_entry.get(entry.name, ()))
            self.found.candidates += self._of_entry(entry)
        self._without_place()
        return self.found

    def _of_entry(self, entry: SectionLayout) -> Iterable[Candidate]:
        plan = self.plan
        match entry.name:
            case "persona":
                return _fixed(entry, texts.persona(plan, entry))
            case "instructions":
                return _fixed(entry, texts.instructions(plan, entry))
            case "additional":
                return _fixed(entry, texts.additional(plan, entry))
            case "hints" if plan.with_hints:
                return _optional(entry, map(Adapted, hints.hint_parts(self.found.editable, entry.element)))
            case "tool_rules":
                rules = self._tool_rules(entry.element)
                return _optional(entry, map(Adapted, rules))
            case "retrieved":
                return _optional(
                    entry, retrieved.retrieved_parts(plan.spec.retrieved, entry.element, self.cache.parts)
                )
            case "activity":
                return self._events(entry)
            case _ if entry.text:
                rule = InRule.EXTRA_SECTION if entry.name in self.entries.added else InRule.CUSTOM_SECTION
                return _fixed(entry, texts.own_text(entry, rule))
        return ()

    def _events(self, entry: SectionLayout) -> Iterator[Candidate]:
        plan, names = self.plan, self._names()

        def make() -> tuple[tuple[activity.EventLine, ...], tuple[LeftOut, ...]]:
            choice = activity.choose_events(self.snapshot.events, plan)
            lines = activity.event_lines(choice, plan, names, entry.element)
            rows = (activity.left_out_event(*other, plan, names) for other in choice.others)
            return lines, tuple(rows)

        # All that the choice depends on beside the events; the costs live as long as their pool.
        spec = plan.spec
        key = (
            "events",
            spec.now,
            spec.zone,
            plan.activity,
            plan.agent.id,
            id(plan.costs),
            entry.element,
            tuple(names.items()),
        )
        lines, rows = self.cache.wholes.get(self.snapshot.events, key, make)
        self.found.left_out += rows
        self.found.problems += (line.problem for line in lines if line.problem is not None)
        for line in lines:
            written = float(line.event.seq)
            yield Candidate(entry, Adapted(line.part), value=(written, line.event.id), line=line)

    def _tool_rules(self, element: str) -> Iterator[PromptPart]:
        rules, described = self.snapshot.tool_rules, not self.plan.spec.native_tools
        return tools.rule_parts(self.offered, rules, element, described=described)

    def _names(self) -> dict[str, str]:
        return {self.plan.agent.id: self.plan.agent.name, **self.snapshot.agent_names}

    def _without_place(self) -> None:
        """What the layout has no section for."""
        plan, lost = self.plan, SectionLayout(EXTRA)
        made: dict[str, Iterable[Adapted]] = {
            PERSONA: texts.persona(plan, lost),
            INSTRUCTIONS: texts.instructions(plan, lost),
            TOOL_RULES: map(Adapted, self._tool_rules("")),
            retrieved.SECTION: retrieved.retrieved_parts(plan.spec.retrieved, "", self.cache.parts),
        }
        for name, adapted in made.items():
            if name not in self.entries.by_name:
                pieces = (each.part.piece(self.counting, PARAGRAPH) for each in adapted)
                self.found.left_out += map(self._no_place, pieces)
        if activity.SECTION not in self.entries.by_name:
            names, rule = self._names(), OutRule.NOT_IN_LAYOUT
            for event in activity.choose_events(self.snapshot.events, plan).chosen:
                fix = layout_fix(plan)
                self.found.left_out.append(activity.left_out_event(event, rule, fix, plan, names))

    def _no_place(self, piece: Piece) -> LeftOut:
        rule, source = OutRule.NOT_IN_LAYOUT.value, piece.source
        if piece.section == TOOL_RULES and self.plan.spec.native_tools:
            # The tool itself is in: its definition has its place in every Request.
            source = replace(source, label=f"Rules and examples of {source.label}")
        parameters: Parameters = {"label": source.label, "needed": piece.tokens}
        return LeftOut(
            source, piece.section, rule, piece.tokens, piece.method, layout_fix(self.plan), parameters
        )


def _in_order(entry: SectionLayout, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """A section's blocks as the layout names them, the others behind in the order in which they came."""
    if not entry.blocks:
        return candidates
    places = {label: at for at, label in enumerate(entry.blocks)}
    return sorted(candidates, key=lambda each: places.get(str(each.part.source.label), len(places)))


def _fixed(entry: SectionLayout, made: Iterable[Adapted]) -> Iterator[Candidate]:
    return (Candidate(entry, each, ChoiceOrder.MUST) for each in made)


def _optional(entry: SectionLayout, made: Iterable[Adapted]) -> Iterator[Candidate]:
    return (Candidate(entry, each, value=(-float(at), "")) for at, each in enumerate(made))
