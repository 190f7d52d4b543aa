"""Calls and their results: which belong together, and which have lost their other half.

A result that repeats another (a person's approval carries the results that the next tool message carries
too), or whose call is not there, is set aside: it is stored, and never sent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field, replace

from inspector.domain.messages import Part, Role, ToolResultPart
from inspector.exchange.letta.messages import Row, Standing
from inspector.exchange.source import Notes


@dataclass(slots=True)
class Paired:
    """Rows in order, and for a row with calls the index of the row that holds the last of their results."""

    rows: list[Row] = field(default_factory=list)
    settled_at: dict[int, int] = field(default_factory=dict)


class Pairing:
    """One agent's rows on their way through."""

    def __init__(self, rows: list[Row], notes: Notes) -> None:
        self._source = rows
        self._notes = notes
        self._paired = Paired()
        self._open: dict[str, int] = {}
        self._closed: set[str] = set()
        self._calls: dict[str, list[int]] = defaultdict(list)
        self._returns: dict[str, list[int]] = defaultdict(list)
        for index, row in enumerate(rows):
            for call_id in row.calls:
                self._calls[call_id].append(index)
            if row.standing is Standing.REPLY:
                for call_id in row.results:
                    self._returns[call_id].append(index)

    def pair(self) -> Paired:
        """All rows, those that hold unpaired results split."""
        for index, row in enumerate(self._source):
            here = len(self._paired.rows)
            self._paired.rows.append(row)
            if row.results and row.standing is not Standing.ASIDE:
                self._settle(index, row, here)
            elif row.standing is Standing.ANSWER:
                row.standing = Standing.ASIDE
            if row.standing is Standing.REPLY:
                self._open_calls(row, here)
        self._tell_open()
        return self._paired

    def _settle(self, index: int, row: Row, here: int) -> None:
        """Close the calls that the row answers; results that close none go into a row of their own, aside."""
        aside: list[ToolResultPart] = []
        kept: list[Part] = []
        closes, repeated = False, 0
        for part in row.parts:
            if not isinstance(part, ToolResultPart):
                kept.append(part)
            elif row.standing is Standing.ANSWER and self._comes_again(part.call_id, index):
                aside.append(part)
                repeated += 1
            elif part.call_id in self._open:
                kept.append(part)
                closes = True
                self._close(part.call_id, here, row)
            else:
                aside.append(part)
                again = part.call_id in self._closed
                code = "import.result_twice" if again else "import.result_without_call"
                self._notes.warn(code, row.where, call=part.call_id[:80])
        if repeated:
            self._notes.info("import.result_repeated", row.where, count=repeated)
        if aside and not closes:
            row.standing = Standing.ASIDE
            return
        row.standing = Standing.REPLY
        if aside:
            row.parts = tuple(kept)
            self._paired.rows.append(replace(row, parts=tuple(aside), standing=Standing.ASIDE))

    def _comes_again(self, call_id: str, index: int) -> bool:
        """Whether a later tool message answers the same call, before another call takes its id."""
        returns = self._returns[call_id]
        at = bisect_right(returns, index)
        if at == len(returns):
            return False
        calls = self._calls[call_id]
        following = bisect_right(calls, index)
        return following == len(calls) or calls[following] > returns[at]

    def _close(self, call_id: str, here: int, row: Row) -> None:
        caller = self._open.pop(call_id)
        self._closed.add(call_id)
        self._paired.settled_at[caller] = here
        asked_in_context = self._paired.rows[caller].in_context
        if row.in_context != asked_in_context:
            self._notes.info("import.context_splits_call", row.where, call=call_id[:80])
            row.in_context = asked_in_context

    def _open_calls(self, row: Row, here: int) -> None:
        for call_id in row.calls:
            if call_id in self._open:
                self._notes.warn("import.call_twice", row.where, call=call_id[:80])
            self._open[call_id] = here

    def _tell_open(self) -> None:
        inputs = [index for index, row in enumerate(self._paired.rows) if row.role is Role.USER]
        newest = inputs[-1] if inputs else 0
        for call_id, index in self._open.items():
            row = self._paired.rows[index]
            if index > newest:
                self._notes.info("import.call_waits", row.where, call=call_id[:80])
            else:
                self._notes.warn("import.call_without_result", row.where, call=call_id[:80])
