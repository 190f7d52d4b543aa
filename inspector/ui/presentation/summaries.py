"""The rows of an agent's summaries as a tree, their warnings in words, and the coverage of its messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from enum import StrEnum

from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import EditSummary
from inspector.domain.messages import Message, Role
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange, Summary, SummaryDetails
from inspector.domain.summarising import message_text
from inspector.domain.summary_findings import (
    NOTES,
    SummaryFacts,
    SummaryFinding,
    SummaryWarning,
)
from inspector.ui.editors.page_part import PagePart
from inspector.ui.models.tree import TreeRow
from inspector.ui.safe_text import one_line
from inspector.ui.wording import ago, counted, moment, number, share, tokens, tr, tr_code, with_unit

_FIRST_WORDS = 200
MESSAGES_SHOWN = 100
"""Messages of one summary that are listed before more are asked for."""
Path = tuple[str, ...]


class SummaryRowKind(StrEnum):
    """What a row of the tree is."""

    SUMMARY = "summary"
    MESSAGE = "message"
    MISSING = "missing"
    REPEATED = "repeated"
    MORE = "more"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One row as it is drawn. `marked` says that its note is a warning and not only a remark."""

    kind: SummaryRowKind
    title: str
    ref: Ref | None = None
    depth: str = ""
    messages: str = ""
    tokens: str = ""
    ratio: str = ""
    age: str = ""
    note: str = ""
    marked: bool = False
    tip: str = ""
    summary_id: str = ""

    @property
    def spoken(self) -> str:
        parts = (self.title, self.note, with_unit(self.tokens), self.age)
        return ", ".join(each for each in parts if each)


@dataclass(frozen=True)
class SummaryList:
    """What is shown of an agent's summaries.

    Attributes:
        agent_id: Whose they are; empty before any was read.
        facts: What was read.
        findings: The warnings of each summary, by id.
        top: Those that no other is made of, in order.
        counts: The tokens of each as a model reads it, by id, as far as they are counted.
        unreadable: How many can't be read.
    """

    agent_id: str = ""
    facts: SummaryFacts | None = None
    findings: Mapping[str, tuple[SummaryFinding, ...]] = field(default_factory=dict)
    top: tuple[Summary, ...] = ()
    counts: Mapping[str, Count] = field(default_factory=dict)
    unreadable: int = 0
    by_id: Mapping[str, Summary] = field(default_factory=dict)
    edited: frozenset[str] = frozenset()
    """The ids of those that have an unsaved edit: they are listed when they are deleted, too."""

    @property
    def roots(self) -> tuple[Summary, ...]:
        """The summaries of the tree's first level, the deleted ones last."""
        top = {each.id for each in self.top}
        used = {child for each in self.present for child in each.children} if self.edited else set()
        edited = (self.by_id[id_] for id_ in sorted(self.edited - top - used) if id_ in self.by_id)
        return (*self.top, *(each for each in edited if each.is_deleted))

    @property
    def present(self) -> tuple[Summary, ...]:
        summaries = self.facts.summaries if self.facts is not None else ()
        return tuple(each for each in summaries if not each.is_deleted)

    def source_tokens(self, summary: Summary) -> int | None:
        """The tokens of what a summary was made of; None where nobody knows."""
        if summary.children:
            counts = [self.counts.get(each) for each in summary.children]
            return sum(each.tokens for each in counts if each) if all(counts) else None
        origin = self.facts.origins.get(summary.id) if self.facts is not None else None
        return origin.source_tokens if origin is not None else None


@dataclass(frozen=True, slots=True)
class OpenedSummaries:
    """What of the tree is open: paths of ids, and the messages that were read, by summary id."""

    paths: frozenset[Path] = frozenset()
    messages: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)


class SummaryRows:
    """Makes the tree's rows: what is closed has one row under it at most, so that nothing is made for nobody."""

    def __init__(self, listed: SummaryList, opened: OpenedSummaries, now: datetime) -> None:
        self._listed = listed
        self._opened = opened
        self._now = now

    def rows(self) -> tuple[TreeRow, ...]:
        """All rows from the top."""
        return tuple(self._row(each, (each.id,)) for each in self._listed.roots)

    def _row(self, summary: Summary, path: Path) -> TreeRow:
        has_source = bool(summary.children) or summary.covers is not None
        if not has_source:
            below: tuple[TreeRow, ...] = ()
        elif path in self._opened.paths:
            below = (*self._children(summary, path), *self._messages(summary, path))
        else:
            wait = SummaryRow(SummaryRowKind.WAIT, tr("Loading …"))
            below = (TreeRow((*path, "wait"), wait, enabled=False),)
        return TreeRow(path, self._value(summary), below)

    def _children(self, summary: Summary, path: Path) -> Iterator[TreeRow]:
        for at, child_id in enumerate(dict.fromkeys(summary.children)):
            below = (*path, child_id)
            child = self._listed.by_id.get(child_id)
            if child is None:
                row = SummaryRow(
                    SummaryRowKind.MISSING,
                    tr("Missing summary {id}", id=child_id),
                    note=tr("missing link"),
                    marked=True,
                    tip=tr("The summary names it as a source, but it isn't in the file."),
                )
                yield TreeRow((*path, "missing", str(at)), row)
            elif child_id in path:
                row = SummaryRow(
                    SummaryRowKind.REPEATED,
                    title_of(child),
                    Ref(RefKind.SUMMARY, child_id),
                    note=tr("circle: stands above already"),
                    marked=True,
                    summary_id=child_id,
                )
                yield TreeRow((*path, "repeated", child_id), row)
            else:
                yield self._row(child, below)

    def _messages(self, summary: Summary, path: Path) -> Iterator[TreeRow]:
        if summary.covers is None:
            return
        read = self._opened.messages.get(summary.id)
        if read is None:
            wait = SummaryRow(SummaryRowKind.WAIT, tr("Loading …"))
            yield TreeRow((*path, "wait"), wait, enabled=False)
            return
        limit = self._opened.limits.get(summary.id, MESSAGES_SHOWN)
        for message in read[:limit]:
            yield TreeRow((*path, "message", str(message.position)), self._message(message))
        if len(read) > limit:
            more = SummaryRow(SummaryRowKind.MORE, tr("Show more messages"), summary_id=summary.id)
            yield TreeRow((*path, "more"), more)
        if not read:
            none = SummaryRow(SummaryRowKind.WAIT, tr("Its messages aren't in the file any more."))
            yield TreeRow((*path, "none"), none, enabled=False)

    def _message(self, message: Message) -> SummaryRow:
        words = one_line(message_text(message)[:_FIRST_WORDS]) or tr("(empty)")
        written = self._edited(message)
        return SummaryRow(
            SummaryRowKind.MESSAGE,
            words,
            Ref(RefKind.MESSAGE, message.id),
            age=ago(message.created_at, self._now),
            note=tr("edited {when}", when=ago(written, self._now)) if written else "",
            tip=f"{number(message.position)} · {moment(message.created_at, self._now)}\n{words}",
        )

    def _edited(self, message: Message) -> datetime | None:
        facts = self._listed.facts
        edit = facts.edited.get(message.position) if facts is not None else None
        return edit.at if edit is not None else None

    def _value(self, summary: Summary) -> SummaryRow:
        listed, title = self._listed, title_of(summary)
        findings = listed.findings.get(summary.id, ())
        count, source = listed.counts.get(summary.id), listed.source_tokens(summary)
        sentences = [sentence(each) for each in findings]
        if summary.is_deleted:
            sentences.insert(0, tr("Deleted."))
        sizes = ""
        if count is not None and source:
            sizes = tr("{source} → {tokens}", source=number(source), tokens=tokens(count))
        when = tr("written {when}", when=moment(summary.created_at, self._now))
        notes = [short_warning(each.warning) for each in findings]
        if summary.is_deleted:
            notes.insert(0, tr("deleted"))
        return SummaryRow(
            SummaryRowKind.SUMMARY,
            title,
            Ref(RefKind.SUMMARY, summary.id),
            number(summary.depth),
            number(summary.message_count),
            counted(count) if count is not None else "",
            share(count.tokens, source) if count is not None and source else "",
            ago(summary.created_at, self._now),
            " · ".join(notes),
            any(each.warning not in NOTES for each in findings) or summary.is_deleted,
            "\n".join(each for each in (title, when, sizes, *sentences) if each),
            summary.id,
        )


def title_of(summary: Summary) -> str:
    """The first words of a summary, or its topics."""
    words = one_line(summary.content[:_FIRST_WORDS]).strip()
    for speaker in Role:
        # Who said a picked sentence is no part of what the summary is about.
        words = words.removeprefix(f"{speaker.value}: ")
    return words or ", ".join(summary.topics) or tr("(empty)")


def sentence(finding: SummaryFinding) -> str:
    """A warning as a sentence."""
    return tr_code(finding.code, finding.parameters)


_SHORT: Mapping[SummaryWarning, Callable[[], str]] = {
    SummaryWarning.CYCLE: lambda: tr("circle"),
    SummaryWarning.MISSING_CHILD: lambda: tr("missing link"),
    SummaryWarning.DELETED_CHILD: lambda: tr("source deleted"),
    SummaryWarning.MISSING_PREVIOUS: lambda: tr("missing link"),
    SummaryWarning.STALE: lambda: tr("stale"),
    SummaryWarning.OVERLAP: lambda: tr("overlap"),
    SummaryWarning.GAP: lambda: tr("gap after it"),
    SummaryWarning.LEFT_OUT: lambda: tr("part left out"),
    SummaryWarning.SOURCE_GONE: lambda: tr("source gone"),
    SummaryWarning.TRUNCATED: lambda: tr("cut off"),
    SummaryWarning.EXTRACTIVE: lambda: tr("extractive"),
}


def short_warning(warning: SummaryWarning) -> str:
    """A warning in one or two words, for a row."""
    return _SHORT[warning]()


class CoverageKind(StrEnum):
    """What a stretch of an agent's messages is to its summaries."""

    COVERED = "covered"
    GAP = "gap"
    OVERLAP = "overlap"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class CoverageStretch:
    """Messages from `first` to `last` (positions), the summaries of the least depth that cover them, and how many."""

    kind: CoverageKind
    first: int
    last: int
    messages: int
    summaries: tuple[str, ...] = ()


def stretches_of(facts: SummaryFacts) -> tuple[CoverageStretch, ...]:
    """All messages from the first to the last one in stretches, in order; overlaps lie over what is covered."""
    if not facts.positions:
        return ()
    coverage = facts.coverage
    found = [
        CoverageStretch(
            CoverageKind.COVERED,
            each.covers.first,
            each.covers.last,
            facts.messages_in((each.covers,)),
            (each.id,),
        )
        for each in facts.summaries
        if not each.is_deleted and each.covers is not None and each.covers.first <= each.covers.last
    ]
    for gap in coverage.gaps:
        messages = _messages(facts, gap.first, gap.last)
        found.append(CoverageStretch(CoverageKind.GAP, gap.first, gap.last, messages))
    for overlap in coverage.overlaps:
        first, last = overlap.positions.first, overlap.positions.last
        messages = _messages(facts, first, last)
        found.append(CoverageStretch(CoverageKind.OVERLAP, first, last, messages, overlap.summaries))
    begin, end = facts.positions[0], facts.positions[-1]
    if not coverage.ranges:
        found.append(CoverageStretch(CoverageKind.OPEN, begin, end, len(facts.positions)))
    else:
        if begin < coverage.ranges[0].first:
            last = coverage.ranges[0].first - 1
            found.append(CoverageStretch(CoverageKind.OPEN, begin, last, _messages(facts, begin, last)))
        if coverage.ranges[-1].last < end:
            first = coverage.ranges[-1].last + 1
            found.append(CoverageStretch(CoverageKind.OPEN, first, end, _messages(facts, first, end)))
    return tuple(sorted(found, key=lambda each: (each.first, each.kind is CoverageKind.OVERLAP, each.last)))


def _messages(facts: SummaryFacts, first: int, last: int) -> int:
    return facts.messages_in((PositionRange(first, last),))


STRETCH_WORDS: Mapping[CoverageKind, Callable[[], str]] = {
    CoverageKind.COVERED: lambda: tr("In a summary"),
    CoverageKind.GAP: lambda: tr("Gap: in no summary"),
    CoverageKind.OVERLAP: lambda: tr("Overlap: in several summaries"),
    CoverageKind.OPEN: lambda: tr("Not summarised"),
}

_ITEMS = ("decisions", "facts", "tasks", "entities")


def parts_of(summary: Summary) -> tuple[PagePart, ...]:
    """The text of a summary, its topics and what it keeps apart, each as a page with one item a line."""
    details = summary.details
    return (
        PagePart(tr("Text"), summary.content),
        PagePart(tr("Topics ({count})", count=len(summary.topics)), "\n".join(summary.topics)),
        *(
            PagePart(f"{title} ({len(items)})", "\n".join(items))
            for title, items in (
                (tr("Decisions"), details.decisions),
                (tr("Facts"), details.facts),
                (tr("Tasks"), details.tasks),
                (tr("Entities"), details.entities),
            )
        ),
    )


def texts_of(summary: Summary) -> tuple[str, ...]:
    """The texts of the pages of `parts_of`."""
    return tuple(each.text for each in parts_of(summary))


def edit_of(base: Summary, texts: Sequence[str]) -> EditSummary:
    """The edit that gives a summary the texts of its pages; what nobody changed is left as it is."""
    content, topics, *items = (
        None if new == old else new for new, old in zip(texts, texts_of(base), strict=True)
    )
    kept = {name: _lines(text) for name, text in zip(_ITEMS, items, strict=True) if text is not None}
    details: SummaryDetails | None = replace(base.details, **kept) if kept else None
    return EditSummary(content, None if topics is None else _lines(topics), details)


def with_edit(summary: Summary, edit: Edit | None) -> Summary:
    """A summary with an unsaved edit of it."""
    operation = edit.operation if edit is not None else None
    if not isinstance(operation, EditSummary):
        return summary
    return replace(
        summary,
        content=summary.content if operation.content is None else operation.content,
        topics=summary.topics if operation.topics is None else operation.topics,
        details=summary.details if operation.details is None else operation.details,
    )


def said_by_summary(summary: Summary) -> object:
    """What of a summary an edit replaces."""
    return (summary.content, summary.topics, summary.details)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def path_to(listed: SummaryList, summary_id: str) -> Path:
    """The ids from the top of the tree down to a summary; empty where it hangs nowhere."""
    parents: dict[str, str] = {}
    waiting = [each.id for each in listed.roots]
    seen = set(waiting)
    while waiting:
        id_ = waiting.pop()
        if id_ == summary_id:
            path: list[str] = [id_]
            while path[-1] in parents:
                path.append(parents[path[-1]])
            return tuple(reversed(path))
        for child in listed.by_id[id_].children if id_ in listed.by_id else ():
            if child not in seen:
                seen.add(child)
                parents[child] = id_
                waiting.append(child)
    return ()
