"""Collects the sample's operations with their times and the ids of its handles."""

from __future__ import annotations

import re
from dataclasses import field, replace
from datetime import datetime, timedelta

from inspector.domain.actor import Actor, ActorKind, IdGenerator
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.rows import AppendMessage
from inspector.domain.errors import MalformedError
from inspector.domain.messages import Role
from inspector.domain.ref import Ref
from inspector.domain.summaries import PositionRange
from inspector.exchange.field_reader import FieldReader

_LEAD = timedelta(minutes=1)
_OFFSET = re.compile(r"([+-])(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_DURATION = re.compile(r"P(?=\d|T\d)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


@dataclass(frozen=True, slots=True)
class BatchSpan:
    """Where a batch stands in its agent's conversation."""

    positions: PositionRange
    start: datetime
    end: datetime


@dataclass(slots=True)
class Timeline:
    """Collects intents; those without a time come first, a minute before all others."""

    moments: Moments
    ids: IdGenerator
    partner: Actor = Actor(ActorKind.PARTNER, "partner", "partner")
    agents: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    handles: dict[str, str] = field(default_factory=dict)
    _batch_ids: dict[tuple[str, str], str] = field(default_factory=dict)
    _first: list[Intent] = field(default_factory=list)
    _timed: list[tuple[datetime, Intent]] = field(default_factory=list)

    def begin(self, target: Ref, operation: Operation, actor: Actor, reason: str = "") -> None:
        """Add an intent that comes before everything that has a time."""
        self._first.append(Intent(Edit(target, operation), actor, reason))

    def add(self, at: datetime, intent: Intent) -> None:
        """Add an intent at its time; among equal times the order of adding holds."""
        self._timed.append((at, intent))

    def agent_id(self, record: FieldReader, key: str = "agent_id") -> str:
        """The id of the agent that a field names. Raises MalformedError."""
        return self._resolve(self.agents, record, key)

    def handle(self, record: FieldReader, key: str) -> str:
        """The id of the block, summary or entry that a field names. Raises MalformedError."""
        return self._resolve(self.handles, record, key)

    def actor(self, record: FieldReader) -> Actor:
        """The actor that a row names; an agent by its new id. Raises MalformedError."""
        name = record.text("id")
        try:
            kind = ActorKind(record.text("kind"))
        except ValueError:
            raise MalformedError(
                "sample.malformed", where=record.where, why="unknown kind of actor"
            ) from None
        return Actor(kind, self.agents.get(name, name), record.text("name"))

    def agent_actor(self, agent_id: str) -> Actor:
        return Actor(ActorKind.AGENT, agent_id, self.names[agent_id])

    def time(self, record: FieldReader, key: str = "at") -> datetime:
        return self.moments.at(record.text(key), record.path(key))

    def batch(self, agent_id: str, name: str) -> str:
        """The id of an agent's batch; the first who asks has it made."""
        cached = self._batch_ids.get((agent_id, name))
        if cached is None:
            cached = self._batch_ids[agent_id, name] = self.ids("bat")
        return cached

    def spans(self) -> dict[str, BatchSpan]:
        """Where each batch stands, by id.

        The store gives out positions from 1 on, by agent, in the order of the plan; so they are known here.
        """
        position: dict[str, int] = {}
        spans: dict[str, BatchSpan] = {}
        for at, intent in sorted(self._timed, key=_when):
            operation = intent.edit.operation
            if not isinstance(operation, AppendMessage):
                continue
            here = position[operation.agent_id] = position.get(operation.agent_id, 0) + 1
            before = spans.get(operation.batch_id)
            first, start = (here, at) if before is None else (before.positions.first, before.start)
            spans[operation.batch_id] = BatchSpan(PositionRange(first, here), start, at)
        return spans

    def intents(self) -> tuple[Intent, ...]:
        """All intents in the order of their times, each with its time."""
        timed = sorted(self._timed, key=_when)
        start = (timed[0][0] if timed else self.moments.now) - _LEAD
        first = [replace(intent, at=start) for intent in self._first]
        return (*first, *(replace(intent, at=at) for at, intent in timed))

    def _resolve(self, table: dict[str, str], record: FieldReader, key: str) -> str:
        name = record.text(key)
        if name not in table:
            raise MalformedError("sample.malformed", where=record.path(key), why=f"unknown: {name!r}")
        return table[name]


def message_actor(timeline: Timeline, role: Role, agent_id: str, name: str | None) -> Actor:
    """Who a message comes from: the agent itself, another agent by its name, else the partner."""
    if role in (Role.ASSISTANT, Role.TOOL):
        return timeline.agent_actor(agent_id)
    sender = next((each for each, existing in timeline.names.items() if existing == name), None)
    return timeline.partner if sender is None else timeline.agent_actor(sender)


def _when(entry: tuple[datetime, Intent]) -> datetime:
    return entry[0]


def _span(parts: tuple[str | None, ...]) -> timedelta:
    days, hours, minutes, seconds = (int(part or 0) for part in parts)
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def duration_seconds(text: str, where: str) -> int:
    """The seconds of ``PT6H`` and the like. Raises MalformedError."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise MalformedError("sample.malformed", where=where, why=f"not a duration: {text!r}")
    return int(_span(found.groups()).total_seconds())


@dataclass(frozen=True, slots=True)
class Moments:
    """Turns offsets (``-3d4h``, ``-0s``, ``+2h``) into moments."""

    now: datetime

    def at(self, offset: str, where: str) -> datetime:
        moment = self.read(offset)
        if moment is None:
            raise MalformedError("sample.malformed", where=where, why=f"not a time offset: {offset!r}")
        return moment

    def read(self, offset: str) -> datetime | None:
        """The moment, None when the text is no offset."""
        found = _OFFSET.fullmatch(offset)
        if found is None:
            return None
        sign, *parts = found.groups()
        span = _span(tuple(parts))
        return self.now - span if sign == "-" else self.now + span

    def written(self, offset: str) -> str:
        """A field's value: a time to the second where the text is an offset, else the text itself."""
        moment = self.read(offset)
        return offset if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")
