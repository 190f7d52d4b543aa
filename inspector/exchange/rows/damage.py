"""What of a file's blocks is damaged: whoever takes them out is told, for what is passed on may be all that is left."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from inspector.domain.edits.adopting import Cell, ConstellationRows
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.exchange.rows.admission import documents
from inspector.storage import blocks, updates
from inspector.storage.connection import Connection
from inspector.storage.damaged_rows import damaged_among, seals
from inspector.storage.sealing import SEALS

_NO_DAMAGE = frozenset({"block.over_limit", "block.over_items"})
_BYTES = (
    ("updates", "blob", "seq", "check.delta_damaged"),
    ("checkpoints", "snapshot", "upto_seq", "check.checkpoint_damaged"),
)


async def damage(connection: Connection, rows: ConstellationRows) -> tuple[Problem, ...]:
    """The problems of the blocks among rows that were taken out of an open file."""
    wanted = {row["id"] for row in rows.of("blocks")}
    counts = await updates.counts(connection)
    states = [state for state in await blocks.read_all(connection, deleted=True) if state.block.id in wanted]
    found = [problem for state in states for problem in _of_state(state, counts.get(state.block.id, 0))]
    labels: dict[Cell, str] = {state.block.id: state.block.label for state in states}
    return (*found, *_of_bytes(rows, labels))


async def damage_to_cells(
    connection: Connection, whole: ConstellationRows, part: ConstellationRows
) -> tuple[Problem, ...]:
    """Which of the rows of a part are not what was written; `whole` has them as they lie in the open file.

    An import seals what it is given, so nothing else will ever tell.
    """
    stored = await seals(connection, whole.tables)
    wanted = {
        name: {tuple(row[column] for column in SEALS[name].key) for row in part.of(name)} for name in stored
    }
    return await asyncio.to_thread(lambda: tuple(damaged_among(stored, whole.tables, wanted)))


def _of_state(state: BlockState, deltas: int) -> Iterator[Problem]:
    if state.problem is not None and state.problem.code not in _NO_DAMAGE:
        yield state.problem
    if state.content is not None and deltas != state.revision:
        yield _problem(
            state.block.id, state.block.label, "check.revision", revision=state.revision, deltas=deltas
        )


def _of_bytes(rows: ConstellationRows, labels: Mapping[Cell, str]) -> Iterator[Problem]:
    for table, column, number, code in _BYTES:
        for row in rows.of(table):
            data, seq = row[column], row[number]
            if isinstance(data, bytes) and updates.hash_of(data) != row["content_hash"]:
                block = str(row["block_id"])
                yield _problem(block, labels.get(block, ""), code, seq=seq if isinstance(seq, int) else 0)
    for block_id, document in documents(rows).items():
        if not document.is_whole:
            yield _problem(str(block_id), labels.get(block_id, ""), "check.delta_missing")


def _problem(block_id: str, label: str, code: str, **parameters: int) -> Problem:
    where = str(Ref(RefKind.BLOCK, block_id))
    return Problem(code, Severity.ERROR, where, {"label": str(label), **parameters})
