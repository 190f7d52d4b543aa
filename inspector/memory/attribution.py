"""Finds who wrote each part of a content, from the document's operations and the stored rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from inspector.documents.document import Document
from inspector.documents.origins import Origin, OriginSpan
from inspector.domain.blocks import Schema
from inspector.domain.edits.base import Version
from inspector.domain.errors import DocumentError
from inspector.domain.history import Attribution, BlockVersion, WrittenSpan
from inspector.storage.updates import DeltaSpan

_Writers = list[tuple[int, int, BlockVersion]]
"""Of one replica: first operation, the one after the last, and the version that they are of; ascending."""


class OriginWriters:
    """The versions by the operations that they brought.

    An operation that no row claims (a merge can bring those of several replicas) is of the first version that
    holds it.
    """

    def __init__(
        self, document: Document, versions: Sequence[BlockVersion], spans: Sequence[DeltaSpan]
    ) -> None:
        self._document = document
        self._versions = [each for each in versions if not each.pending]
        by_seq = {each.seq: each for each in versions}
        self._rows: dict[str, _Writers] = {}
        for span in sorted(spans, key=lambda span: span.counter_from):
            if span.seq in by_seq:
                row = (span.counter_from, span.counter_to, by_seq[span.seq])
                self._rows.setdefault(span.peer, []).append(row)

    def attributed(self, version: Version, schema: Schema) -> Attribution:
        """Whose each piece of the content at a version is, as read by the schema of then.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        origins = self._document.at(version, schema).origins()
        texts = {name: tuple(_joined(self._spans(runs))) for name, runs in origins.texts.items()}
        parts = {place: self._writer(origin)[0] for place, origin in origins.parts.items()}
        return Attribution(version, texts, parts)

    def _spans(self, runs: Sequence[OriginSpan]) -> Iterator[WrittenSpan]:
        for run in runs:
            start, counter = run.start, run.origin.counter
            while start < run.end:
                writer, until = self._writer(Origin(run.origin.peer, counter))
                end = min(run.end, start + until - counter)
                yield WrittenSpan(start, end, writer)
                counter += end - start
                start = end

    def _writer(self, origin: Origin) -> tuple[BlockVersion | None, int]:
        """Who made an operation, and up to which one of the same replica that certainly holds."""
        rows = self._rows.get(origin.peer, [])
        index = bisect_right(rows, origin.counter, key=lambda row: row[0]) - 1
        if index >= 0 and origin.counter < rows[index][1]:
            return rows[index][2], rows[index][1]
        return self._first_holder(origin), origin.counter + 1

    def _first_holder(self, origin: Origin) -> BlockVersion | None:
        try:
            index = self._document.first_with([each.version for each in self._versions], origin)
        except DocumentError:
            return None
        return None if index is None else self._versions[index]


def _joined(spans: Iterator[WrittenSpan]) -> Iterator[WrittenSpan]:
    last: WrittenSpan | None = None
    for span in spans:
        if last is not None and last.writer is span.writer:
            last = WrittenSpan(last.start, span.end, last.writer)
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last
