"""Messages into batches: one for each turn.

A turn begins with what is put to the agent and ends before the next such message. Several of them in a row,
with no reply between, begin one turn together. A call and its result are never apart: a message that came
between them is moved behind the result. What the source sends and what it has archived are never in one
batch. Rows that belong to no turn (compiled prompts, repeated results) each stand alone, behind the turn they
were written in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inspector.domain.messages import BatchType
from inspector.exchange.letta.messages import Row, Standing
from inspector.exchange.letta.pairing import Paired


@dataclass(slots=True)
class Turn:
    """The rows of one batch."""

    kind: BatchType
    archived: bool
    rows: list[Row] = field(default_factory=list)
    replied: bool = False
    run: str = ""


class Turns:
    """One agent's conversation, cut into turns."""

    def __init__(self, paired: Paired) -> None:
        self._paired = paired
        self._done: list[Turn] = []
        self._turn: Turn | None = None
        self._aside: list[Row] = []
        self._waiting: list[Row] = []
        self._held_until = -1

    def cut(self) -> list[Turn]:
        """The turns, in order."""
        for index, row in enumerate(self._paired.rows):
            if row.standing is Standing.ASIDE:
                self._set_aside(row)
            elif row.standing is Standing.INPUT and self._held_until > index:
                self._waiting.append(row)
            else:
                self._place(row, index)
                self._held_until = max(self._held_until, self._paired.settled_at.get(index, -1))
                if self._held_until <= index:
                    self._release()
        self._release()
        self._close()
        return self._done

    def _place(self, row: Row, index: int) -> None:
        turn = self._turn
        held = self._held_until >= index
        if turn is None or (row.standing is Standing.INPUT and turn.replied):
            self._begin(row, continues=False)
        elif not held and (row.in_context is turn.archived or (row.run and turn.run and row.run != turn.run)):
            self._begin(row, continues=row.standing is not Standing.INPUT)
        self._add(row)

    def _begin(self, row: Row, *, continues: bool) -> None:
        self._close()
        kind = BatchType.CONTINUATION if continues else BatchType.SYSTEM_TRIGGER
        if row.standing is Standing.INPUT:
            kind = row.trigger
        self._turn = Turn(kind, archived=not row.in_context)

    def _add(self, row: Row) -> None:
        turn = self._turn
        if turn is None:
            return
        turn.rows.append(row)
        turn.run = row.run or turn.run
        if row.standing is not Standing.INPUT:
            turn.replied = True
        elif row.trigger is BatchType.USER_REQUEST:
            turn.kind = BatchType.USER_REQUEST

    def _set_aside(self, row: Row) -> None:
        if self._turn is None:
            self._done.append(_alone(row))
        else:
            self._aside.append(row)

    def _release(self) -> None:
        """Place the messages that had to wait for a result."""
        waiting, self._waiting = self._waiting, []
        for row in waiting:
            self._place(row, len(self._paired.rows))

    def _close(self) -> None:
        if self._turn is not None:
            self._done.append(self._turn)
            self._turn = None
        self._done.extend(_alone(row) for row in self._aside)
        self._aside = []


def _alone(row: Row) -> Turn:
    return Turn(BatchType.SYSTEM_TRIGGER, archived=True, rows=[row])
