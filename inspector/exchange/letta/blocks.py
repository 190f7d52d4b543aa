"""Blocks, their owners, and the agents that they are shared with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from inspector.domain.blocks import BlockType, Permission
from inspector.domain.content import TextContent
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock
from inspector.domain.labels import legible
from inspector.domain.moments import IdGenerator
from inspector.domain.ref import RefKind
from inspector.exchange.labels import LabelBook, printable
from inspector.exchange.letta.sheets import FileSheet
from inspector.exchange.planning import PlanBuilder, json_text
from inspector.exchange.source import Record


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """How many blocks each agent (by id) owns, and how many are shared with it."""

    own: Counter[str] = field(default_factory=Counter)
    shared: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Seat:
    """One block's place: its owner and the agents that it is attached to."""

    record: Record
    owner: str
    receivers: tuple[str, ...]
    block_type: BlockType


def plan_blocks(
    sheet: FileSheet,
    agent_ids: tuple[str, ...],
    plan: PlanBuilder,
    ids: IdGenerator,
    exported_at: datetime | None,
) -> BlockCounts:
    """Create every block and attach the shared ones.

    A block has one owner, the first agent that uses it. One that no agent uses becomes an archival block of
    the first agent: the source would not send it either.
    """
    counts = BlockCounts()
    seats = _seats(sheet, agent_ids)
    labels = _labels(seats)
    for seat, label in zip(seats, labels, strict=True):
        block_id = ids("blk")
        made_at = seat.record.time("created_at") or exported_at
        operation = _create(seat, label)
        plan.add(RefKind.BLOCK, block_id, operation, made_at)
        counts.own[seat.owner] += 1
        for agent_id in seat.receivers:
            plan.add(RefKind.ATTACHMENT, block_id, AttachBlock(agent_id, operation.permission), exported_at)
            counts.shared[agent_id] += 1
    return counts


def _seats(sheet: FileSheet, agent_ids: tuple[str, ...]) -> list[_Seat]:
    users: dict[str, list[str]] = {}
    for agent, agent_id in zip(sheet.agents, agent_ids, strict=True):
        for key in agent.blocks:
            users.setdefault(key, []).append(agent_id)
    seats = [_Seat(sheet.blocks[key], who[0], tuple(who[1:]), BlockType.CORE) for key, who in users.items()]
    for key, record in sheet.blocks.items():
        if key not in users:
            record.notes.warn("import.unused_block", record.where, label=legible(str(record.peek("label"))))
            seats.append(_Seat(record, agent_ids[0], (), BlockType.ARCHIVAL))
    return seats


def _labels(seats: list[_Seat]) -> list[str]:
    """Labels that are printable and differ within one owner. A label that is free stays as it is."""
    wanted = [_printable(seat.record) for seat in seats]
    book = LabelBook((seat.owner, label) for seat, label in zip(seats, wanted, strict=True))
    labels = []
    for seat, label in zip(seats, wanted, strict=True):
        new = book.take(seat.owner, label)
        if new != label:
            seat.record.notes.warn("import.label_numbered", seat.record.where, label=label, new=new)
        labels.append(new)
    return labels


def _printable(record: Record) -> str:
    label = record.text("label")
    shown = printable(label)
    if shown != label:
        record.notes.warn("import.label_changed", record.path("label"), label=legible(label), new=shown[:80])
    return shown


def _create(seat: _Seat, label: str) -> CreateBlock:
    record = seat.record
    value = record.text("value")
    limit = record.natural("limit") or 0
    if limit and len(value) > limit:
        record.notes.warn("import.over_limit", record.where, label=label, length=len(value), limit=limit)
    return CreateBlock(
        seat.owner,
        label,
        block_type=seat.block_type,
        description=record.text("description"),
        char_limit=limit,
        permission=Permission.READ_ONLY if record.flag("read_only") else Permission.READ_WRITE,
        content=TextContent(value),
        metadata=json_text({"letta": record.rest()}),
    )
