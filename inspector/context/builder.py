"""Builds a Request from a snapshot and a spec."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from inspector.context.assembly import Assembled, Assembler, contents
from inspector.context.blocks import block_views
from inspector.context.candidates import BlockGatherer, Candidate, Candidates, ChoiceOrder, layout_fix
from inspector.context.choosing import Chooser, ChosenCandidates
from inspector.context.counting.pool import CounterPool, ModelSource
from inspector.context.gathering import (
    SUMMARY,
    CandidateGathering,
    LayoutEntries,
    layout_entries,
)
from inspector.context.history.batches import counted_messages
from inspector.context.history.choice import HistoryChoice, SummaryUse
from inspector.context.history.history_writer import HistoryBuild, HistoryWriter, SentHistory
from inspector.context.identity import BuildCache
from inspector.context.image_problems import image_problems
from inspector.context.import_problems import import_problems
from inspector.context.layouts import frame_lines
from inspector.context.parts import PARAGRAPH, PartCounter, PromptPart
from inspector.context.plan import BuildPlan, Planner
from inspector.context.request_kind import kinds_of_parts, request_kind
from inspector.context.sections import summaries, tools
from inspector.domain.agents import Tool
from inspector.domain.calibration import correction
from inspector.domain.counts import Count, RequestBand
from inspector.domain.coverage import Ranges, covered_ranges, merged
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import BudgetError, Problem
from inspector.domain.layouts import Layout
from inspector.domain.messages import Batch
from inspector.domain.requests import LeftOut, Piece, Request, Section, Source, SourceKind, TextRun
from inspector.domain.rules import InRule, OutRule
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.summaries import Summary
from inspector.domain.wire.extras import adds_task_budget, asks_to_think, has_unknown_fields, output_schema

_UNPAIRED = frozenset({"turn_waits", "import.result_without_call"})
"""Problems of a turn that is kept out, because no provider would take it."""


class ContextBuilder:
    """Builds Requests. Same inputs, same Request; caches only make a second build quicker.

    A builder may be used from several threads; builds follow one another.

    Args:
        models: What is known of models.
        layouts: The layouts by name.
        counters: The counters by model.
    """

    def __init__(self, models: ModelSource, layouts: Mapping[str, Layout], counters: CounterPool) -> None:
        self._planner = Planner(models, layouts, counters)
        self._counting: dict[int, PartCounter] = {}
        self._cache = BuildCache()
        self._histories = HistoryWriter(self._cache)
        self._lock = threading.Lock()

    def settings(self, snapshot: Snapshot, spec: RequestSpec) -> Mapping[str, str]:
        """What a build would be done by that its Request does not tell; see `BuildPlan.settings`.

        Raises:
            NotFoundError, InputError, MalformedError: as `build`.
        """
        with self._lock:
            return self._planner.plan(snapshot, spec).settings

    def count_messages(
        self, snapshot: Snapshot, spec: RequestSpec, batches: Sequence[Batch]
    ) -> Mapping[str, Count]:
        """What each message of some batches would take if it were sent as it is, by id.

        Raises:
            NotFoundError, InputError, MalformedError: as `build`.
        """
        with self._lock:
            return counted_messages(batches, self._planner.plan(snapshot, spec).costs)

    def count_tools(self, model: str, offered: Sequence[Tool]) -> tuple[Count, ...]:
        """What the definition of each tool costs a model."""
        with self._lock:
            return tools.counted_tools(offered, self._planner.costs(model))

    def block_text(self, snapshot: Snapshot, spec: RequestSpec, block_id: str) -> str | None:
        """A block as it would stand in the Request, in its frame, whatever keeps it out; None where there is none.

        Raises:
            NotFoundError, InputError, MalformedError: as `build`.
        """
        with self._lock:
            plan = self._planner.plan(snapshot, spec)
            counting = PartCounter(plan.costs.counter)
            blocks = BlockGatherer(plan, layout_entries(plan).by_name, self._cache.parts, counting)
            return blocks.text_of(block_views(snapshot, self._cache.parts), block_id)

    def reaches(self, snapshot: Snapshot, spec: RequestSpec) -> bool:
        """Whether the batches that a view has are all that a build depends on; see `Reach`.

        Raises:
            NotFoundError, InputError, MalformedError: as `build`.
        """
        if snapshot.older is None:
            return True
        if spec.active_batch not in (None, *(batch.id for batch in snapshot.history)):
            return False
        with self._lock:
            plan = self._planner.plan(snapshot, spec)
            return self._histories.open(snapshot, plan).reaches(layout_entries(plan).kept)

    def build(self, snapshot: Snapshot, spec: RequestSpec) -> Request:
        """What a model call would send now, with its account.

        Raises:
            BudgetError: what must be sent does not fit; names the piece and the two numbers.
            NotFoundError: no such layout or active batch.
            InputError: no such time zone, or a section's name that is taken.
            MalformedError: a layout that cannot be used, or a moment without a zone.
        """
        with self._lock:
            plan = self._planner.plan(snapshot, spec)
            counting = self._counting.setdefault(id(plan.costs), PartCounter(plan.costs.counter))
            self._cache.note_build()
            return _Build(snapshot, plan, counting, self._cache, self._histories).build()


@dataclass
class _Build:
    snapshot: Snapshot
    plan: BuildPlan
    counting: PartCounter
    cache: BuildCache
    histories: HistoryWriter
    left_out: list[LeftOut] = field(default_factory=list)

    def build(self) -> Request:
        snapshot, plan = self.snapshot, self.plan
        entries = layout_entries(plan)
        offered = tools.offered_tools(snapshot, plan)
        definitions = tools.definition_pieces(offered.tools, plan) if plan.spec.native_tools else ()
        reply = _reply_pieces(plan, is_whole=not self._waits())
        history = self.histories.open(snapshot, plan)
        gathering = CandidateGathering(snapshot, plan, entries, offered.tools, self.counting, self.cache)
        gathered = gathering.gather()
        assembler = Assembler(plan, entries.ordered, entries.tail, self.counting)
        fixed = [*definitions, *reply]
        available = plan.window.available - sum(piece.tokens for piece in fixed)
        history = self._check_must(gathered.candidates, assembler, history, fixed)
        kept = min(entries.kept, history.index.tokens_from(0)) if entries.kept else 0
        chooser = Chooser(plan, assembler, self.counting, available - history.active_tokens, kept)
        chosen, system = chooser.choose(gathered.candidates, entries.capped)
        reported = _SummarySelection(self, chosen.in_order(gathered.candidates), assembler, entries)
        system, choice = reported.settle(system, history, available)
        run = history.run(choice)
        trimmed = history.left_out(choice, run, reported.covered)
        self.left_out += (*gathered.left_out, *chosen.left_out, *reported.left_out, *trimmed)
        sections = _sections(definitions, system, run, reply)
        return Request(
            agent_id=plan.agent.id,
            agent_name=plan.agent.name,
            model=plan.model,
            limits=plan.limits,
            tokenizer=plan.costs.counter.tokenizer,
            layout=plan.layout.name,
            strategy=plan.strategy.kind,
            now=plan.spec.now.isoformat(),
            zone=plan.spec.zone,
            sections=sections,
            system=system.system,
            tail=system.tail,
            tail_sections=tuple(section.name for section in system.tail_sections),
            messages=run.messages,
            tools=tuple(tool.name for tool in offered.tools) if plan.spec.native_tools else (),
            left_out=tuple(self.left_out),
            overheads=_overheads(definitions, system, run, reply),
            problems=(
                *self._problems(gathered, chosen, offered.problems),
                *import_problems(self.snapshot),
                *image_problems(run, plan, self.cache.wholes),
            ),
            adaptations=reported.adaptations,
            unreachable_tokens=_unreachable(plan, sections, system, run),
            margin_tokens=plan.window.margin,
            history_state=choice.state and replace(choice.state, checkpoint=reported.checkpoint),
            correction=correction(
                snapshot.calibrations, plan.model, plan.costs.counter.tokenizer.name, plan.spec.now
            ),
            band=self._band(sections, run),
        )

    def _waits(self) -> bool:
        """Whether a turn that was given isn't sent, because a call lacks its result or a result its call."""
        found = (*self.plan.problems, *import_problems(self.snapshot))
        return any(problem.code in _UNPAIRED for problem in found)

    def _band(self, sections: tuple[Section, ...], run: SentHistory) -> RequestBand | None:
        pieces = () if run.section is None else run.section.pieces
        parts = self.cache.wholes.get(run, ("kinds",), lambda: kinds_of_parts(pieces))
        return self.plan.costs.band(request_kind(sections, parts, self.plan.agent.parameters))

    def _check_must(
        self, candidates: list[Candidate], assembler: Assembler, history: HistoryBuild, fixed: list[Piece]
    ) -> HistoryBuild:
        """Refuse a Request whose least possible content is too large.

        Returns:
            The history, its active batch shortened where that is what it takes.
        """
        must = [each for each in candidates if each.turn is ChoiceOrder.MUST]
        system = assembler.assemble(contents(must), ())
        both = (*system.sections, *system.tail_sections)
        others = [*reversed(fixed), *(piece for section in both for piece in section.pieces)]
        left = self.plan.window.available
        history = history.with_active_within(left - sum(piece.tokens for piece in others))
        for piece in (*others, *history.active_pieces):
            if piece.tokens > left:
                label = piece.source.label or piece.id
                raise BudgetError(
                    "budget.does_not_fit", piece=piece.id, label=label, needed=piece.tokens, available=left
                )
            left -= piece.tokens
        return history

    def _problems(
        self, gathered: Candidates, chosen: ChosenCandidates, others: tuple[Problem, ...]
    ) -> tuple[Problem, ...]:
        return (
            *self.snapshot.problems,
            *self.plan.problems,
            *gathered.problems,
            *others,
            *chosen.problems,
        )


@dataclass
class _SummarySelection:
    """The summaries that stand for what the history leaves out, which in turn take room from the history."""

    build: _Build
    candidates: list[Candidate]
    assembler: Assembler
    entries: LayoutEntries
    left_out: list[LeftOut] = field(default_factory=list)
    adaptations: tuple[Problem, ...] = ()
    covered: Ranges = ()
    checkpoint: str | None = None

    def settle(
        self, system: Assembled, history: HistoryBuild, available: int
    ) -> tuple[Assembled, HistoryChoice]:
        """Choose history and summaries until both agree. The history only ever shrinks on the way."""
        plan = self.build.plan
        stored = self.build.snapshot.summaries
        entry = self.entries.by_name.get(SUMMARY)
        banned: set[str] = set()
        current: tuple[Summary, ...] = ()
        room = available - system.tokens
        while True:
            choice = history.choose(room)
            picked = self._pick(stored, history.run(choice), choice)
            wanted = tuple(each for each in picked.chosen if each.id not in banned)
            if entry is None or wanted == current:
                break
            made = [summaries.summary_adapted(each, plan, self._around) for each in wanted]
            parts = contents(self.candidates)
            parts[entry.name] = [each.part for each in made]
            tried = self.assembler.assemble(parts, self.entries.capped)
            if tried.tokens + history.active_tokens > available:
                banned.add(wanted[0].id)
                continue
            system, current = tried, wanted
            room = min(room, available - tried.tokens)
        self._tell(picked, current, system, has_section=entry is not None)
        return system, choice

    @cached_property
    def _around(self) -> summaries.SummaryFrame:
        """What stands around the summaries; a fence is one that no text ends."""
        entry = self.entries.by_name.get(SUMMARY)
        if entry is None or entry.element or entry.fence:
            return summaries.SummaryFrame("" if entry is None else entry.element)
        entries = (*self.entries.ordered, *self.entries.tail)
        return summaries.SummaryFrame(frame=frame_lines(self.build.plan.layout.join, entries))

    def _pick(
        self, stored: tuple[Summary, ...], run: SentHistory, choice: HistoryChoice
    ) -> summaries.SummaryChoice:
        if choice.summaries is SummaryUse.LATEST:
            return summaries.choose_latest(stored, run.kept, is_whole=run.is_whole)
        return summaries.choose_covering(stored, run.kept)

    def _tell(
        self,
        picked: summaries.SummaryChoice,
        current: tuple[Summary, ...],
        system: Assembled,
        *,
        has_section: bool,
    ) -> None:
        plan = self.build.plan
        inside = {each.id for each in current}
        ranges = covered_ranges(self.build.snapshot.summaries)
        self.covered = merged(each for summary in current for each in ranges[summary.id])
        self.checkpoint = current[-1].id if current else None
        self.adaptations = tuple(
            problem
            for made in (
                *(each.made for each in self.candidates if not _is_leading(each.part, system)),
                *(summaries.summary_adapted(each, plan, self._around) for each in current),
            )
            for problem in made.adaptations
        )
        missing = OutRule.WINDOW_FULL if has_section else OutRule.NOT_IN_LAYOUT
        rows = [*picked.others, *((each, missing) for each in picked.chosen if each.id not in inside)]
        for summary, rule in rows:
            part = summaries.summary_adapted(summary, plan, self._around).part
            piece = part.piece(self.build.counting, PARAGRAPH)
            fix = layout_fix(plan) if rule is OutRule.NOT_IN_LAYOUT else None
            row = (piece.source, piece.section, rule.value, piece.tokens, piece.method)
            parameters = {**piece.parameters, "label": piece.source.label, "needed": piece.tokens}
            self.left_out.append(LeftOut(*row, fix, parameters))


def _is_leading(part: PromptPart, system: Assembled) -> bool:
    """Whether a string of the Request begins with this part, as it is stored."""
    return part.leading is not None and system.begins_with(part.leading.text)


def _reply_pieces(plan: BuildPlan, *, is_whole: bool) -> tuple[Piece, ...]:
    """The start of the reply, and what the provider tells the model about the form it shall have."""
    cost = plan.costs.reply(is_whole=is_whole and not has_unknown_fields(plan.agent.parameters))
    found = [_reply_piece("reply", "reply", cost, InRule.REPLY)]
    schema = output_schema(plan.agent.parameters)
    if schema is not None:
        cost = plan.costs.output_schema(schema)
        found.append(_reply_piece("reply/schema", "schema of the reply", cost, InRule.OUTPUT_SCHEMA))
    if asks_to_think(plan.agent.parameters) and plan.costs.thinking().tokens:
        found.append(_reply_piece("reply/thinking", "thinking", plan.costs.thinking(), InRule.THINKING))
    if adds_task_budget(plan.agent.parameters) and plan.costs.task_budget().tokens:
        cost = plan.costs.task_budget()
        found.append(_reply_piece("reply/task_budget", "task budget", cost, InRule.TASK_BUDGET))
    return tuple(found)


def _reply_piece(place: str, label: str, cost: Count, rule: InRule) -> Piece:
    run = TextRun(f"=== {label} ===\n", sent=False, tokens=cost.tokens, method=cost.method)
    return Piece(f"literal:{place}", "reply", Source(SourceKind.LITERAL, place, label), rule.value, (run,))


def _sections(
    definitions: tuple[Piece, ...], system: Assembled, run: SentHistory, reply: tuple[Piece, ...]
) -> tuple[Section, ...]:
    found: list[Section] = []
    if definitions:
        found.append(Section(tools.SECTION, "Tools", definitions))
    found += system.sections
    if run.section is not None:
        found.append(run.section)
    found += system.tail_sections
    found.append(Section("reply", "Reply", reply))
    return tuple(found)


def _overheads(
    definitions: tuple[Piece, ...], system: Assembled, run: SentHistory, reply: tuple[Piece, ...]
) -> dict[str, int]:
    """What structure costs beside the strings: a part of the sections' tokens, not in addition to them."""
    return {
        "tools": sum(piece.tokens for piece in definitions if piece.source.kind is SourceKind.LITERAL),
        "system": system.frame_tokens,
        "messages": run.frame_tokens + system.tail_frame_tokens,
        "reply": sum(piece.tokens for piece in reply),
    }


def _unreachable(plan: BuildPlan, sections: tuple[Section, ...], system: Assembled, run: SentHistory) -> int:
    limits = plan.limits
    if limits.memory_tokens is None or limits.history_tokens is None:
        return 0
    total = sum(section.tokens for section in sections)
    others = total - system.capped_tokens - run.tokens
    return max(0, plan.window.available - limits.memory_tokens - limits.history_tokens - others)
