"""Groups the messages of an Agent File into batches, one for each turn.

A turn begins with what is put to the agent and ends before the next such message. Several of them in a row,
with no reply between, begin one turn together. A call and its result are never apart: a message that came
between them is moved behind the result. What the source sends and what it has archived are never in one
batch. Rows that belong to no turn (compiled prompts, results that repeat another or whose call is not there) each
stand alone, behind the turn they were written in: they are stored and never sent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import field, replace

from inspector.domain.dataclass import dataclass
from inspector.domain.messages import BatchType, Part, Role, ToolResultPart
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.letta.messages import MessageRow, MessageStatus


@dataclass(slots=True)
class LettaTurn:
    """The rows of one batch."""

    kind: BatchType
    archived: bool
    rows: list[MessageRow] = field(default_factory=list)
    replied: bool = False
    run: str = ""


class TurnCutter:
    """One agent's conversation, cut into turns."""

    def __init__(self, paired: Paired) -> None:
        self._paired = paired
        self._done: list[LettaTurn] = []
        self._turn: LettaTurn | None = None
        self._aside: list[MessageRow] = []
        self._waiting: list[MessageRow] = []
        self._waiting_until = -1

    def cut(self) -> list[LettaTurn]:
        for index, row in enumerate(self._paired.rows):
            if row.standing is MessageStatus.ASIDE:
                self._set_aside(row)
            elif row.standing is MessageStatus.INPUT and self._waiting_until > index:
                self._waiting.append(row)
            else:
                self._place(row, index)
                self._waiting_until = max(self._waiting_until, self._paired.settled_at.get(index, -1))
                if self._waiting_until <= index:
                    self._release()
        self._release()
        self._close()
        return self._done

    def _place(self, row: MessageRow, index: int) -> None:
        turn = self._turn
        stored = self._waiting_until >= index
        if turn is None or (row.standing is MessageStatus.INPUT and turn.replied):
            self._begin(row, continues=False)
        elif not stored and (
            row.in_context is turn.archived or (row.run and turn.run and row.run != turn.run)
        ):
            self._begin(row, continues=row.standing is not MessageStatus.INPUT)
        self._add(row)

    def _begin(self, row: MessageRow, *, continues: bool) -> None:
        self._close()
        kind = BatchType.CONTINUATION if continues else BatchType.SYSTEM_TRIGGER
        if row.standing is MessageStatus.INPUT:
            kind = row.trigger
        self._turn = LettaTurn(kind, archived=not row.in_context)

    def _add(self, row: MessageRow) -> None:
        turn = self._turn
        if turn is None:
            return
        turn.rows.append(row)
        turn.run = row.run or turn.run
        if row.standing is not MessageStatus.INPUT:
            turn.replied = True
        elif row.trigger is BatchType.USER_REQUEST:
            turn.kind = BatchType.USER_REQUEST

    def _set_aside(self, row: MessageRow) -> None:
        if self._turn is None:
            self._done.append(_alone(row))
        else:
            self._aside.append(row)

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, []
        for row in waiting:
            self._place(row, len(self._paired.rows))

    def _close(self) -> None:
        if self._turn is not None:
            self._done.append(self._turn)
            self._turn = None
        self._done.extend(_alone(row) for row in self._aside)
        self._aside = []


def _alone(row: MessageRow) -> LettaTurn:
    return LettaTurn(BatchType.SYSTEM_TRIGGER, archived=True, rows=[row])


@dataclass(slots=True)
class Paired:
    """Rows in order, and for a row with calls the index of the row that holds the last of their results."""

    rows: list[MessageRow] = field(default_factory=list)
    settled_at: dict[int, int] = field(default_factory=dict)


class Pairing:
    """One agent's rows on their way through."""

    def __init__(self, rows: list[MessageRow], notes: ImportLog) -> None:
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
            if row.standing is MessageStatus.REPLY:
                for call_id in row.results:
                    self._returns[call_id].append(index)

    def pair(self) -> Paired:
        """All rows, those that hold unpaired results split."""
        for index, row in enumerate(self._source):
            here = len(self._paired.rows)
            self._paired.rows.append(row)
            if row.results and row.standing is not MessageStatus.ASIDE:
                self._settle(index, row, here)
            elif row.standing is MessageStatus.ANSWER:
                row.standing = MessageStatus.ASIDE
            if row.standing is MessageStatus.REPLY:
                self._open_calls(row, here)
        self._tell_open()
        return self._paired

    def _settle(self, index: int, row: MessageRow, here: int) -> None:
        """Close the calls that the row answers; results that close none go into a row of their own, aside."""
        aside: list[ToolResultPart] = []
        kept: list[Part] = []
        closes, repeated = False, 0
        for part in row.parts:
            if not isinstance(part, ToolResultPart):
                kept.append(part)
            elif row.standing is MessageStatus.ANSWER and self._comes_again(part.call_id, index):
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
            row.standing = MessageStatus.ASIDE
            return
        row.standing = MessageStatus.REPLY
        if aside:
            row.parts = tuple(kept)
            self._paired.rows.append(replace(row, parts=tuple(aside), standing=MessageStatus.ASIDE))

    def _comes_again(self, call_id: str, index: int) -> bool:
        """Whether a later tool message answers the same call, before another call takes its id."""
        returns = self._returns[call_id]
        at = bisect_right(returns, index)
        if at == len(returns):
            return False
        calls = self._calls[call_id]
        following = bisect_right(calls, index)
        return following == len(calls) or calls[following] > returns[at]

    def _close(self, call_id: str, here: int, row: MessageRow) -> None:
        caller = self._open.pop(call_id)
        self._closed.add(call_id)
        self._paired.settled_at[caller] = here
        asked_in_context = self._paired.rows[caller].in_context
        if row.in_context != asked_in_context:
            self._notes.info("import.context_splits_call", row.where, call=call_id[:80])
            row.in_context = asked_in_context

    def _open_calls(self, row: MessageRow, here: int) -> None:
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
