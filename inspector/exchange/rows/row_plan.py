"""Turns checked rows into an import plan: as they are for a new file, as operations for an existing one.

As edits, everything gets a new id. History, sent Requests, consent and what was deleted stay behind: they belong to
the file that they were made in.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from inspector.documents.document import EditStamp
from inspector.documents.loro_replica import EPOCH
from inspector.documents.rebuilding import rebuilt, shown_schema
from inspector.domain.activity import Importance
from inspector.domain.actor import IMPORTER, IdGenerator
from inspector.domain.blocks import CONSTELLATION_OWNER, BlockType, Permission, TextSchema, UnreadableSchema
from inspector.domain.codec import read_time
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, InsertArchival
from inspector.domain.edits.row_import import AdoptRows, ConstellationRows, Row
from inspector.domain.edits.rows import (
    AppendMessage,
    CreateAgent,
    EnqueueMessage,
    LogEvent,
    PutLayout,
    PutTool,
    PutToolRule,
    SetWakeup,
    StoreSummary,
)
from inspector.domain.errors import DocumentError, MalformedError, Problem, RefusedError, Severity
from inspector.domain.exchange import ImportedAgent, ImportPlan
from inspector.domain.layouts import Layout
from inspector.domain.queueing import is_turn_row
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.planning import LabelBook, PlanBuilder
from inspector.exchange.rows.sound_content import sound_content
from inspector.shipped.layout_files import layout_names
from inspector.storage import archival, blocks, messages, summaries, tools
from inspector.storage.agents import agent_of
from inspector.storage.json_columns import parse
from inspector.storage.layouts import layout_of
from inspector.storage.row_validation import flaws, place_of
from inspector.storage.table_catalogue import TABLES, TableRows

_OF_THE_FILE = frozenset({"import.brings_consent", "import.brings_consent_for_all", "import.brings_partner"})
"""What is told of rows that do not come along."""


def plan_of(source_format: str, rows: ConstellationRows, notes: ImportLog, origin: str) -> ImportPlan:
    """The plan that adopts the rows, as one edit."""
    reason = f"imported from {origin}" if origin else "imported"
    return ImportPlan(
        source_format,
        (intent_of(rows, reason),),
        _agents(rows),
        notes.problems,
        notes.kept,
        rows.facts.get("name", ""),
    )


def intent_of(rows: ConstellationRows, reason: str) -> Intent:
    """The intent that adopts rows."""
    return Intent(Edit(Ref(RefKind.CONSTELLATION, ""), AdoptRows(rows)), IMPORTER, reason)


def _agents(rows: ConstellationRows) -> tuple[ImportedAgent, ...]:
    blocks = Counter(row["owner"] for row in rows.of("blocks") if row["is_active"])
    shared = Counter(row["agent_id"] for row in rows.of("attachments"))
    messages = _counted(rows.of("messages"), "is_deleted")
    sent = _counted(rows.of("messages"), "is_deleted", "is_archived", "compiled")
    return tuple(
        ImportedAgent(
            str(row["id"]),
            str(row["name"]),
            str(row["model"]),
            blocks[row["id"]],
            shared[row["id"]],
            messages[row["id"]],
            sent[row["id"]],
            _length(str(row["tools"])),
        )
        for row in rows.of("agents")
    )


def _counted(messages: Sequence[Row], *without: str) -> Counter[object]:
    return Counter(row["agent_id"] for row in messages if not any(row[name] for name in without))


def _length(text: str) -> int:
    try:
        found = parse(text)
    except MalformedError:
        return 0
    return len(found) if isinstance(found, list) else 0


@dataclass(frozen=True, slots=True)
class TakenNames:
    """Names that a file has already and that contents must not bear again: everyone's labels, and layouts."""

    labels: Collection[str] = ()
    layouts: Mapping[str, Layout] = field(default_factory=dict)


def adopts_rows(plan: ImportPlan) -> bool:
    """Whether a plan brings a constellation's rows, as only a new file takes them."""
    return any(isinstance(intent.edit.operation, AdoptRows) for intent in plan.intents)


def contents_only() -> Problem:
    """The problem that says what stays behind, and how it can be had."""
    return Problem("import.contents_only", Severity.WARNING, "")


def as_contents(plan: ImportPlan, taken: TakenNames, ids: IdGenerator) -> ImportPlan:
    """A plan that adopts rows as one of ordinary edits."""
    notes = ImportLog()
    intents: list[Intent] = []
    agents: list[ImportedAgent] = []
    for intent in plan.intents:
        operation = intent.edit.operation
        if isinstance(operation, AdoptRows):
            reading = _Reading(operation.rows, taken, ids, notes, intent.reason)
            intents += reading.intents()
            agents += [
                replace(each, id=new) for each in plan.agents if (new := reading.new_id("agt", each.id))
            ]
        else:
            intents.append(intent)
    problems = [each for each in plan.problems if each.code not in _OF_THE_FILE]
    return replace(
        plan,
        intents=tuple(intents),
        agents=tuple(agents),
        problems=(*problems, *notes.problems, contents_only()),
    )


class _Reading:
    """Makes edits of rows. A row that cannot be read, or belongs to one that is not here, is left out and noted."""

    def __init__(
        self, rows: ConstellationRows, taken: TakenNames, ids: IdGenerator, notes: ImportLog, reason: str
    ) -> None:
        self._rows = rows
        self._taken = taken
        self._ids = ids
        self._notes = notes
        self._plan = PlanBuilder(reason)
        self._new: dict[tuple[str, str], str] = {}
        self._layouts: dict[str, str] = {}
        self._positions: defaultdict[str, list[int]] = defaultdict(list)
        self._contents = {row["block_id"]: row["content"] for row in rows.of("block_contents")}
        everyones = (str(row["label"]) for row in rows.of("blocks") if row["owner"] == CONSTELLATION_OWNER)
        self._labels = LabelBook(_unowned(everyones), _unowned(taken.labels))
        named = (str(row["name"]) for row in rows.of("layouts"))
        # Agents that are there may be built by a shipped layout's name: no stranger's may stand in its place.
        self._names = LabelBook(_unowned(named), _unowned((*taken.layouts, *layout_names())))

    def intents(self) -> tuple[Intent, ...]:
        """The edits, in an order in which they can be applied.

        Raises:
            MalformedError: a content that no document can hold.
        """
        readers: Mapping[str, Callable[[Any], None]] = {
            "layouts": self._layout,
            "tools": self._tool,
            "agents": self._agent,
            "tool_rules": self._rule,
            "blocks": self._block,
            "attachments": self._attachment,
            "archival_entries": self._entry,
            "messages": self._message,
            "summaries": self._summary,
            "activity": self._event,
            "queue": self._queued,
            "wakeups": self._wakeup,
        }
        tables = {table.name: table for table in TABLES}
        for name, read in readers.items():
            for row in self._rows.of(name):
                if _is_away(name, row):
                    continue
                where = place_of(tables[name], row)[:200]
                try:
                    _require_readable(tables[name], row)
                    read(row)
                except (MalformedError, ValueError) as error:
                    why = error.parameters.get("why", "") if isinstance(error, MalformedError) else str(error)
                    self._notes.warn("import.left_out", where, why=str(why)[:200])
                except (RefusedError, DocumentError) as error:
                    raise MalformedError("import.malformed", where=where, why=str(error)) from error
        return self._plan.intents()

    def new_id(self, prefix: str, old: object) -> str | None:
        """The new id of what has come, None for anything else."""
        return self._new.get((prefix, str(old)))

    def _of(self, prefix: str, old: object) -> str:
        new = self.new_id(prefix, old)
        if new is None:
            raise MalformedError("import.malformed", where=str(old), why=f"{str(old)[:80]} is not here")
        return new

    def _made(self, prefix: str, old: object) -> str:
        return self._new.setdefault((prefix, str(old)), self._ids(prefix))

    def _layout(self, row: Any) -> None:
        layout = layout_of(row)
        if self._taken.layouts.get(layout.name) == layout:
            return
        new = self._names.take("", layout.name)
        if new != layout.name:
            self._layouts[layout.name] = new
            self._notes.warn(
                "import.name_numbered", f"layout:{layout.name}"[:200], name=layout.name[:80], new=new[:80]
            )
        self._plan.add(RefKind.LAYOUT, new, PutLayout(replace(layout, name=new)))

    def _tool(self, row: Any) -> None:
        tool = tools.tool_of(row)
        self._plan.add(RefKind.TOOL, tool.name, PutTool(tool), read_time(row["created_at"]))

    def _agent(self, row: Any) -> None:
        agent = agent_of(row)
        config = agent.config
        operation = CreateAgent(
            *(agent.name, agent.persona, agent.instructions, agent.provider, agent.model, agent.parameters),
            replace(config, layout=self._layouts.get(config.layout, config.layout)),
            *(agent.tools, agent.status, agent.metadata),
        )
        self._plan.add(RefKind.AGENT, self._made("agt", agent.id), operation, agent.created_at)

    def _rule(self, row: Any) -> None:
        rule = tools.rule_of(row)
        operation = PutToolRule(self._of("agt", rule.agent_id), rule.tool, rule.kind, rule.detail)
        self._plan.add(RefKind.TOOL_RULE, self._made("rul", rule.id), operation)

    def _block(self, row: Any) -> None:
        owner, label = row["owner"], row["label"]
        if owner == CONSTELLATION_OWNER:
            label = self._labels.take("", label)
            if label != row["label"]:
                parameters = {"label": row["label"][:80], "new": label[:80]}
                self._notes.warn("import.label_numbered", f"block:{row['id']}"[:200], **parameters)
        else:
            owner = self._of("agt", owner)
        content = self._content(row)
        schema = blocks.schema_of(row["schema"])
        if isinstance(schema, UnreadableSchema):
            schema = TextSchema() if content is None else shown_schema(content)
        operation = CreateBlock(
            *(owner, label, schema, BlockType(row["block_type"]), row["description"], row["char_limit"]),
            *(Permission.parse(row["permission"]), bool(row["pinned"]), content, row["metadata"]),
        )
        target = self._made("blk", row["id"])
        self._plan.add(RefKind.BLOCK, target, operation, read_time(row["created_at"]))

    def _content(self, row: Any) -> Content | None:
        text = self._contents.get(row["id"])
        where, label = f"block:{row['id']}"[:200], row["label"][:80]
        content, left_out = (None, ()) if text is None else sound_content(str(text))
        for place in left_out:
            self._notes.warn("import.element_left_out", where, label=label, place=place[:80])
        if content is None:
            self._notes.warn("import.content_unreadable", where, label=label)
        else:
            rebuilt(None, content, EditStamp("", EPOCH, lambda: ""))
        return content

    def _attachment(self, row: Any) -> None:
        operation = AttachBlock(self._of("agt", row["agent_id"]), Permission.parse(row["permission"]))
        target = self._of("blk", row["block_id"])
        self._plan.add(RefKind.ATTACHMENT, target, operation, read_time(row["attached_at"]))

    def _entry(self, row: Any) -> None:
        entry = archival.entry_of(row)
        operation = InsertArchival(self._of("agt", entry.agent_id), entry.content, entry.tags, entry.metadata)
        self._plan.add(RefKind.ARCHIVAL, self._made("arc", entry.id), operation, entry.created_at)

    def _message(self, row: Any) -> None:
        (message,) = messages.decode((row,))
        operation = AppendMessage(
            self._of("agt", message.agent_id),
            self._made("bat", message.batch_id),
            *(message.role, message.content, message.batch_type, message.source, message.name),
            *(message.metadata, message.is_archived, message.compiled),
        )
        self._plan.add(RefKind.MESSAGE, self._made("msg", message.id), operation, message.created_at)
        self._positions[message.agent_id].append(message.position)

    def _summary(self, row: Any) -> None:
        summary = summaries.summary_of(row)
        operation = StoreSummary(
            *(self._of("agt", summary.agent_id), summary.content, summary.topics, summary.start),
            *(summary.end, summary.message_count, summary.depth),
            self.new_id("sum", summary.previous_summary_id),
            self._covered(summary.agent_id, summary.covers),
            tuple(new for each in summary.children if (new := self.new_id("sum", each)) is not None),
            summary.details,
        )
        self._plan.add(RefKind.SUMMARY, self._made("sum", summary.id), operation, summary.created_at)

    def _covered(self, agent_id: str, covers: PositionRange | None) -> PositionRange | None:
        """The messages that a summary covers, by the places that they get here: counted from one."""
        if covers is None:
            return None
        places = self._positions[agent_id]
        first, last = bisect_left(places, covers.first) + 1, bisect_right(places, covers.last)
        return PositionRange(first, last) if first <= last else None

    def _event(self, row: Any) -> None:
        agent_id = None if row["agent_id"] is None else self._of("agt", row["agent_id"])
        importance = Importance(min(max(row["importance"], 0), max(Importance)))
        operation = LogEvent(
            agent_id, row["kind"], row["details"], importance, self.new_id("bat", row["batch_id"])
        )
        self._plan.add(RefKind.EVENT, self._made("evt", row["id"]), operation, read_time(row["timestamp"]))

    def _queued(self, row: Any) -> None:
        if is_turn_row(row["id"]):
            # It says who had the agent's turn in another file.
            return
        next_attempt = row["next_attempt_at"]
        operation = EnqueueMessage(
            self.new_id("agt", row["from_agent_id"]),
            self._of("agt", row["target_agent_id"]),
            *(row["content"], row["priority"], row["metadata"], row["origin"], QueueState(row["state"])),
            *(row["attempts"], row["last_error"], None if next_attempt is None else read_time(next_attempt)),
        )
        self._plan.add(RefKind.QUEUE, self._made("que", row["id"]), operation, read_time(row["created_at"]))

    def _wakeup(self, row: Any) -> None:
        agent_id, wake_at = self._of("agt", row["agent_id"]), read_time(row["wake_at"])
        operation = SetWakeup(agent_id, row["content"], wake_at, row["every_seconds"])
        self._plan.add(RefKind.WAKEUP, self._made("wak", row["id"]), operation)


def _is_away(table: str, row: Row) -> bool:
    if table == "tools":
        return bool(row["is_archived"])
    return bool(row.get("is_deleted")) or row.get("is_active") == 0


def _require_readable(table: TableRows, row: Row) -> None:
    """Refuse a row that its store would refuse. A block without its schema has that of its content."""
    for column, why in flaws(table, row):
        if column != "schema":
            raise MalformedError("import.malformed", where=column, why=why)
    for name in ("metadata", "parameters", "detail"):
        if name in row:
            parse(str(row[name]))


def _unowned(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    return (("", name) for name in names)
