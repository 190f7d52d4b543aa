"""Compares a draft made for an older version with the present content, and merges both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from inspector.documents.document import Document
from inspector.documents.stamp import EditStamp
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.conflicts import MergedSpan, MergeSide
from inspector.domain.differences.contents import texts_of
from inspector.domain.edits.base import Operation, Version
from inspector.domain.edits.text import Splice
from inspector.domain.errors import Refusal, RefusedError
from inspector.domain.splices import spliced

_MARKS = {MergeSide.BASE: "b", MergeSide.THEIRS: "t", MergeSide.MINE: "m"}
_SIDES = {mark: side for side, mark in _MARKS.items()}


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
    steps = theirs.text_edits((draft.base, draft.theirs, theirs.version))
    spans = {
        section: tuple(_sides(text, *(step.get(section, ()) for step in steps)))
        for section, text in texts_of(base).items()
    }
    return ThreeWayContents(base, present, mine.content(), theirs.content(), None, spans)


def _sides(base: str, theirs: Sequence[Splice], mine: Sequence[Splice]) -> Iterator[MergedSpan]:
    """Where each code point of a merged text comes from: a row of marks is edited as the text was."""
    marks = _MARKS[MergeSide.BASE] * len(base)
    for side, splices in ((MergeSide.THEIRS, theirs), (MergeSide.MINE, mine)):
        marks = spliced(marks, (replace(each, insert=_MARKS[side] * len(each.insert)) for each in splices))
    for found in re.finditer(r"(.)\1*", marks):
        yield MergedSpan(found.start(), found.end(), _SIDES[found[1]])
