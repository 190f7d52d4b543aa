"""Reads the sample constellation as an import plan."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path

from inspector.domain.actor import IMPORTER, SYSTEM, Actor, ActorKind, IdGenerator
from inspector.domain.blocks import Schema
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DeleteBlock
from inspector.domain.edits.rows import AppendMessage, CreateAgent, SetMeta, StoreRun
from inspector.domain.errors import MalformedError
from inspector.domain.exchange import ImportedAgent, ImportPlan
from inspector.domain.records import TokenUsage
from inspector.domain.ref import Ref, RefKind
from inspector.exchange.field_reader import FieldReader, ImportLog
from inspector.exchange.json_guard import Json, parse_json, read_bytes, read_json
from inspector.exchange.planning import json_text
from inspector.exchange.sample.conversation_rows import (
    plan_consent,
    plan_event,
    plan_message,
    plan_queued,
    plan_summaries,
    plan_wakeup,
)
from inspector.exchange.sample.memory_rows import (
    plan_agents,
    plan_archival,
    plan_attachment,
    plan_block,
    plan_tools,
)
from inspector.exchange.sample.timeline import Moments, Timeline
from inspector.shipped.locate import resource_path

SOURCE_FORMAT = "sample"


@dataclass(frozen=True, slots=True)
class SampleRun:
    """A sent Request that the sample keeps; its text can only be built from the store, at its moment.

    It is to be built and stored when the first `index` intents of the plan have been applied. One that is not
    `reproducible` would come out differently if it were built from the finished sample; `note` says why.
    """

    id: str
    index: int
    agent_id: str
    at: datetime
    kind: str
    model: str
    reproducible: bool
    note: str
    usage: TokenUsage
    duration_ms: int | None
    first_token_ms: int | None
    reply: str

    def intent(self, request_text: str, manifest: str) -> Intent:
        """The intent that stores it. `manifest` is JSON text."""
        operation = StoreRun(
            self.agent_id,
            self.kind,
            self.model,
            request_text,
            manifest,
            self.duration_ms,
            self.first_token_ms,
            self.usage,
            self.reply,
            metadata=json_text({"note": self.note}) if self.note else "{}",
        )
        return Intent(Edit(Ref(RefKind.RUN, self.id), operation), SYSTEM, at=self.at)


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """Intents in the order of their times, and the runs that stand between them, likewise."""

    plan: ImportPlan
    runs: tuple[SampleRun, ...]


def plan(now: datetime, ids: IdGenerator, folder: Path | None = None) -> SamplePlan:
    """The sample as edits, its newest event at `now`.

    Raises:
        NotFoundError: the source is not shipped.
        MalformedError: the source is at fault, with the place.
    """
    files = SampleFiles(resource_path("sample") if folder is None else folder)
    try:
        made = _read(files, Timeline(Moments(now), ids))
    except (KeyError, ValueError, TypeError) as error:
        raise MalformedError("sample.malformed", where="", why=f"{type(error).__name__}: {error}") from error
    files.check()
    return made


def _read(files: SampleFiles, timeline: Timeline) -> SamplePlan:
    constellation = files.one("constellation.json")
    _begin(constellation, timeline)
    agents = files.many("agents.json")
    plan_agents(agents, timeline)
    plan_tools(files.many("tools.json"), timeline)
    for record in files.many("blocks.json"):
        plan_block(record, timeline)
    for record in files.many("attachments.json"):
        plan_attachment(record, timeline)
    for record in files.many("archival.json"):
        plan_archival(record, timeline)
    for record in files.lines("messages.jsonl"):
        plan_message(record, timeline)
    plan_summaries(files.many("summaries.json"), timeline)
    for record in files.many("activity.json"):
        plan_event(record, timeline)
    for record in files.many("queue.json"):
        plan_queued(record, timeline)
    for record in files.many("wakeups.json"):
        plan_wakeup(record, timeline)
    schemas = _schemas(timeline.intents())
    for record in files.many("consent.json"):
        plan_consent(record, timeline, schemas)
    intents = timeline.intents()
    runs = sorted((_run(each, timeline, intents) for each in files.many("runs.json")), key=_when)
    name = constellation.text("name")
    return SamplePlan(ImportPlan(SOURCE_FORMAT, intents, _agents(intents), name=name), tuple(runs))


def _begin(record: FieldReader, timeline: Timeline) -> None:
    partner = record.record("partner")
    if partner is None:
        raise MalformedError("sample.malformed", where=record.where, why="a partner is needed")
    timeline.partner = Actor(ActorKind.PARTNER, partner.text("id"), partner.text("name"))
    facts = {
        "name": record.text("name"),
        "partner_id": timeline.partner.id,
        "partner_name": timeline.partner.name,
    }
    for name, value in facts.items():
        timeline.begin(Ref(RefKind.CONSTELLATION, ""), SetMeta(name, value), IMPORTER)


def _schemas(intents: tuple[Intent, ...]) -> dict[str, Schema]:
    return {
        intent.edit.target.id: intent.edit.operation.schema
        for intent in intents
        if isinstance(intent.edit.operation, CreateBlock)
    }


def _run(record: FieldReader, timeline: Timeline, intents: tuple[Intent, ...]) -> SampleRun:
    at = timeline.time(record)
    agent_id = timeline.agent_id(record)
    usage = record.record("usage")
    return SampleRun(
        timeline.ids("run"),
        sum(1 for intent in intents if intent.at is not None and intent.at <= at),
        agent_id,
        at,
        record.text("kind"),
        record.text("model") or _model(agent_id, intents),
        record.flag("reproducible"),
        record.text("note"),
        TokenUsage() if usage is None else _usage(usage),
        record.natural("duration_ms"),
        record.natural("first_token_ms"),
        record.text("reply_text"),
    )


def _usage(record: FieldReader) -> TokenUsage:
    return TokenUsage(
        record.natural("input"),
        record.natural("output"),
        record.natural("cache_read"),
        record.natural("cache_write"),
    )


def _model(agent_id: str, intents: tuple[Intent, ...]) -> str:
    for intent in intents:
        operation = intent.edit.operation
        if isinstance(operation, CreateAgent) and intent.edit.target.id == agent_id:
            return operation.model
    return ""


def _agents(intents: tuple[Intent, ...]) -> tuple[ImportedAgent, ...]:
    """The preview, counted from the plan itself."""
    blocks: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    messages: Counter[str] = Counter()
    sent: Counter[str] = Counter()
    owners: dict[str, str] = {}
    for intent in intents:
        operation = intent.edit.operation
        if isinstance(operation, CreateBlock):
            owners[intent.edit.target.id] = operation.owner
            blocks[operation.owner] += 1
        elif isinstance(operation, DeleteBlock):
            blocks[owners[intent.edit.target.id]] -= 1
        elif isinstance(operation, AttachBlock):
            shared[operation.agent_id] += 1
        elif isinstance(operation, AppendMessage):
            messages[operation.agent_id] += 1
            sent[operation.agent_id] += not operation.is_archived
    return tuple(
        ImportedAgent(
            each,
            made.name,
            made.model,
            blocks[each],
            shared[each],
            messages[each],
            sent[each],
            len(made.tools),
        )
        for each, made in _created(intents)
    )


def _created(intents: tuple[Intent, ...]) -> list[tuple[str, CreateAgent]]:
    return [
        (intent.edit.target.id, intent.edit.operation)
        for intent in intents
        if isinstance(intent.edit.operation, CreateAgent)
    ]


def _when(run: SampleRun) -> datetime:
    return run.at


class SampleFiles:
    """Reads the files of one folder. A value of the wrong type is an error here, not a note."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._notes = ImportLog()

    def one(self, name: str) -> FieldReader:
        return FieldReader(read_json(self._folder / name).value, name, self._notes)

    def many(self, name: str) -> list[FieldReader]:
        """A file that is a list of objects."""
        found: Json = read_json(self._folder / name).value
        if not isinstance(found, list):
            raise MalformedError("sample.malformed", where=name, why="a list is needed")
        return [FieldReader(each, f"{name}[{index}]", self._notes) for index, each in enumerate(found)]

    def lines(self, name: str) -> list[FieldReader]:
        """A file with one object a line."""
        lines = read_bytes(self._folder / name).splitlines()
        numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        return [
            FieldReader(parse_json(line).value, f"{name}:{number}", self._notes) for number, line in numbered
        ]

    def check(self) -> None:
        """Raise MalformedError for the first value that had another type than asked for."""
        for problem in self._notes.problems:
            raise MalformedError("sample.malformed", where=problem.where, why=problem.code)
