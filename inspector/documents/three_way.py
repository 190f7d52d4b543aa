"""Compares a draft made for an older version with the present content, and merges both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from inspector.documents.document import Document
from inspector.documents.origins import OriginSpan
from inspector.documents.stamp import EditStamp
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.conflicts import MergedSpan, MergeSide
from inspector.domain.edits.base import Operation, Version
from inspector.domain.errors import Refusal, RefusedError


@dataclass(frozen=True, slots=True)
class ConcurrentDraft:
    """An operation that was made for version `base`, while the stored version is `theirs` by now."""

    operation: Operation
    base: Version
    theirs: Version


@dataclass(frozen=True, slots=True)
class ThreeWayContents:
    """The contents, and where each code point of the merged texts comes from; no merged one when it is refused."""

    base: Content
    theirs: Content
    mine: Content
    merged: Content | None
    refusal: Refusal | None = None
    spans: Mapping[str, tuple[MergedSpan, ...]] = field(default_factory=dict)


def three_way(document: Document, draft: ConcurrentDraft, stamp: EditStamp) -> ThreeWayContents:
    """All sides of a draft. The document is left alone.

    Raises:
        RefusedError: the draft does not fit its own base version.
        DocumentError: ``document.unknown_version``.
    """
    theirs, mine = document.at(draft.theirs), document.at(draft.base)
    base, present = mine.content(), theirs.content()
    given: list[str] = []

    def new_id() -> str:
        given.append(stamp.new_id())
        return given[-1]

    mine.apply(draft.operation, replace(stamp, new_id=new_id))
    # What is new has the same id on both sides, or it would look like two things.
    again = iter(given)
    same_ids = replace(stamp, new_id=lambda: next(again, None) or stamp.new_id())
    try:
        theirs.apply(draft.operation, same_ids, draft.base)
    except RefusedError as error:
        return ThreeWayContents(base, present, mine.content(), None, error.refusal)
    spans = {name: tuple(_joined(_sides(document, draft, runs))) for name, runs in theirs.text_runs().items()}
    return ThreeWayContents(base, present, mine.content(), theirs.content(), None, spans)


def _sides(document: Document, draft: ConcurrentDraft, runs: tuple[OriginSpan, ...]) -> Iterator[MergedSpan]:
    for run in runs:
        peer, first = run.origin.peer, run.origin.counter
        start = run.start
        for side, end in (
            (MergeSide.BASE, _end(document.next_counter(draft.base, peer), first, run)),
            (MergeSide.THEIRS, _end(document.next_counter(draft.theirs, peer), first, run)),
            (MergeSide.MINE, run.end),
        ):
            if end > start:
                yield MergedSpan(start, end, side)
                start = end


def _end(counter: int, first: int, run: OriginSpan) -> int:
    """Where in a run the operations from `counter` on begin."""
    return min(run.end, max(run.start, run.start + counter - first))


def _joined(spans: Iterator[MergedSpan]) -> Iterator[MergedSpan]:
    last: MergedSpan | None = None
    for span in spans:
        if last is not None and last.side is span.side:
            last = replace(last, end=span.end)
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last
