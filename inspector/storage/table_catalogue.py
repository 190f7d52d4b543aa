"""The tables of a file: their columns, the form of each cell, and a stable order of rows.

What is derived (contents, renderings, the search index), the numbers that a file gives out by itself, and who holds
a lease at the moment are not part of it.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

from inspector.domain.dataclass import dataclass
from inspector.storage.sealing import SEALS


class CellForm(StrEnum):
    """What the cells of a column are: times and JSON are texts, packed ones too, flags are 0 or 1."""

    TEXT = "text"
    TIME = "time"
    NUMBER = "number"
    FLAG = "flag"
    JSON = "json"
    BYTES = "bytes"
    PACKED = "packed"


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column; an optional one may be NULL."""

    name: str
    form: CellForm
    optional: bool = False

    @property
    def read(self) -> str:
        """How a statement reads it."""
        return f"{self.searched} AS {self.name}" if self.form is CellForm.PACKED else self.name

    @property
    def searched(self) -> str:
        """The text in it, for a statement that searches."""
        return f"unpacked(CAST({self.name} AS BLOB))" if self.form is CellForm.PACKED else self.name

    @property
    def place(self) -> str:
        """The place of its value in a statement that adds a row."""
        return "packed(?)" if self.form is CellForm.PACKED else "?"


@dataclass(frozen=True)
class TableRows:
    """A table's columns that count, and the order that tells the same rows in the same way."""

    name: str
    columns: tuple[TableColumn, ...]
    order: str
    is_history: bool = False
    source: str = ""
    """What the rows are read from, where it is not the table of that name."""

    # Names and orders are constants of this module, so the statements are too.
    @cached_property
    def select(self) -> str:
        names = ", ".join(column.read for column in self.columns)
        return " ".join(("SELECT", names, "FROM", self.source or self.name, "ORDER BY", self.order))

    @cached_property
    def select_to_check(self) -> str:
        """The statement that reads all rows as they lie, with their seals and without their bytes and packed texts."""
        return " ".join(("SELECT", self._checked, "FROM", self.source or self.name))

    @cached_property
    def select_page(self) -> str:
        """The statement that reads some rows behind a rowid, as `select_to_check`, with the rowid before all else."""
        return " ".join(
            (
                "SELECT rowid AS place,",
                self._checked,
                "FROM",
                self.name,
                "WHERE rowid > ? ORDER BY rowid LIMIT ?",
            )
        )

    @cached_property
    def insert(self) -> str:
        """The statement that adds a row; its seal comes last, where the table has seals."""
        names = [column.name for column in self.columns]
        places = [column.place for column in self.columns]
        if self.name in SEALS:
            names.append("seal")
            places.append("?")
        return " ".join(
            ("INSERT INTO", self.name, "(", ", ".join(names), ") VALUES (", ", ".join(places), ")")
        )

    @cached_property
    def unsealed_times(self) -> tuple[str, ...]:
        """The columns of times that no seal vouches for."""
        sealed = SEALS[self.name].cells if self.name in SEALS else ()
        return tuple(
            each.name for each in self.columns if each.form is CellForm.TIME and each.name not in sealed
        )

    @property
    def _checked(self) -> str:
        names = [
            column.name for column in self.columns if column.form not in (CellForm.BYTES, CellForm.PACKED)
        ]
        return ", ".join((*names, "seal") if self.name in SEALS else names)


def _of(form: CellForm, names: str) -> tuple[TableColumn, ...]:
    return tuple(TableColumn(name.rstrip("?"), form, name.endswith("?")) for name in names.split())


def _text(names: str) -> tuple[TableColumn, ...]:
    return _of(CellForm.TEXT, names)


def _time(names: str) -> tuple[TableColumn, ...]:
    return _of(CellForm.TIME, names)


def _number(names: str) -> tuple[TableColumn, ...]:
    return _of(CellForm.NUMBER, names)


def _flag(names: str) -> tuple[TableColumn, ...]:
    return _of(CellForm.FLAG, names)


def _json(names: str) -> tuple[TableColumn, ...]:
    return _of(CellForm.JSON, names)


def _bytes(names: str) -> tuple[TableColumn, ...]:
    return _of(CellForm.BYTES, names)


_ACTOR = _text("actor_kind actor_id actor_name")

META = TableRows("meta", _text("name value"), "name")
AGENTS = TableRows(
    "agents",
    (
        *_text("id name persona"),
        *_json("instructions"),
        *_text("provider model"),
        *_json("parameters config tools"),
        *_text("status"),
        *_json("metadata"),
        *_time("created_at updated_at"),
    ),
    "rowid",
)
TOOLS = TableRows(
    "tools",
    (
        *_text("name description"),
        *_json("parameters examples metadata"),
        *_flag("is_archived"),
        *_time("created_at updated_at"),
    ),
    "name",
)
TOOL_RULES = TableRows(
    "tool_rules",
    (*_text("id agent_id tool kind"), *_json("detail"), *_flag("is_deleted")),
    "agent_id, id",
)
LAYOUTS = TableRows(
    "layouts", (*_text("name"), *_json("definition"), *_flag("is_deleted"), *_time("updated_at")), "name"
)
USER_SCHEMAS = TableRows(
    "user_schemas", (*_text("name"), *_json("schema"), *_flag("is_deleted"), *_time("updated_at")), "name"
)
BLOCKS = TableRows(
    "blocks",
    (
        *_text("id owner label description block_type"),
        *_json("schema"),
        *_number("char_limit"),
        *_text("permission"),
        *_flag("pinned is_active"),
        *_time("created_at updated_at"),
        *_json("metadata"),
    ),
    "rowid",
)
BLOCK_CONTENTS = TableRows(
    "block_contents",
    (
        *_text("block_id"),
        *_ACTOR,
        *_time("written_at"),
        *_text("reason tool_call_id?"),
        *_json("content"),
    ),
    "block_id",
)
ATTACHMENTS = TableRows(
    "attachments",
    (*_text("block_id agent_id permission"), *_time("attached_at")),
    "attached_at, block_id, agent_id",
)
ARCHIVAL = TableRows(
    "archival_entries",
    (
        *_text("id agent_id content"),
        *_json("tags metadata"),
        *_time("created_at updated_at"),
        *_flag("is_deleted"),
    ),
    "agent_id, rowid",
)
MESSAGES = TableRows(
    "messages",
    (
        *_text("id agent_id"),
        *_number("position"),
        *_text("batch_id"),
        *_number("sequence_in_batch"),
        *_text("role batch_type"),
        *_time("created_at"),
        *_text("source name?"),
        *_flag("is_archived is_deleted compiled"),
        *_json("content metadata"),
    ),
    "agent_id, position",
)
SUMMARIES = TableRows(
    "summaries",
    (
        *_text("id agent_id content"),
        *_json("topics"),
        *_time("start_at end_at"),
        *_number("message_count depth"),
        *_text("previous_summary_id?"),
        *_number("covers_first? covers_last?"),
        *_json("children details"),
        *_time("created_at"),
        *_flag("is_deleted"),
    ),
    "agent_id, rowid",
)
ACTIVITY = TableRows(
    "activity",
    (
        *_text("id agent_id? kind"),
        *_json("details"),
        *_number("importance"),
        *_time("timestamp"),
        *_text("batch_id?"),
    ),
    "seq",
)
CONSENT_REQUESTS = TableRows(
    "consent_requests",
    (
        *_text("id agent_id"),
        *_json("edit"),
        *_text("level reason state"),
        *_time("created_at answered_at?"),
        *_text("answered_by? tool_call_id?"),
    ),
    "created_at, id",
)
CONSENT_GRANTS = TableRows(
    "consent_grants",
    (
        *_text("id request_id? agent_id block_id?"),
        *_number("uses?"),
        *_text("granted_by"),
        *_time("granted_at expires_at? revoked_at?"),
    ),
    "agent_id, rowid",
)
# What became of a request stands in the journal alone, so these rows of it are taken out even without history.
CONSENT_CHANGES = TableRows(
    "consent_changes",
    (
        *_text("kind ref_id ref_part? owner?"),
        *_ACTOR,
        *_text("reason"),
        *_time("at"),
        *_text("batch_id? tool_call_id?"),
        *_json("before? after?"),
    ),
    "seq",
    source="changes WHERE ref_kind = 'consent'",
)
QUEUE = TableRows(
    "queue",
    (
        *_text("id from_agent_id? target_agent_id content"),
        *_number("priority"),
        *_json("metadata"),
        *_text("origin state"),
        *_number("attempts"),
        *_time("created_at next_attempt_at? processed_at? lease_until?"),
        *_text("last_error?"),
    ),
    "target_agent_id, rowid",
    # Rows that say who has an agent's turn are no messages, and nothing for another file.
    source="queue WHERE id <> 'turn:' || target_agent_id",
)
WAKEUPS = TableRows(
    "wakeups",
    (*_text("id agent_id content"), *_time("wake_at"), *_number("every_seconds?"), *_flag("is_deleted")),
    "wake_at, id",
)
REQUEST_TEXTS = TableRows("request_texts", (*_text("hash"), *_of(CellForm.PACKED, "text")), "hash")
RUNS = TableRows(
    "runs",
    (
        *_text("id agent_id kind model request_hash manifest_digest"),
        *_time("started_at"),
        *_number("duration_ms? first_token_ms?"),
        *_number("input_tokens? output_tokens? cache_read_tokens? cache_write_tokens?"),
        *_text("reply error?"),
        *_number("changes_seq"),
        *_json("metadata"),
    ),
    "agent_id, rowid",
)
CONTEXT_STATES = TableRows(
    "context_states", (*_text("agent_id"), *_time("at"), *_text("run_id?"), *_json("state")), "agent_id, at"
)
CALIBRATIONS = TableRows(
    "calibrations",
    (*_text("model tokenizer"), *_number("estimated reported"), *_text("run_id?"), *_time("at")),
    "id",
)
PROCESSES = TableRows(
    "processes",
    (*_number("id"), *_text("peer"), *_ACTOR, *_text("program"), *_time("started_at")),
    "id",
    is_history=True,
)
CHANGES = TableRows(
    "changes",
    (
        *_number("seq"),
        *_text("kind ref_kind ref_id ref_part? owner?"),
        *_ACTOR,
        *_text("reason"),
        *_time("at"),
        *_text("batch_id? tool_call_id? changeset?"),
        *_number("undo_of? process"),
        *_json("before? after?"),
    ),
    "seq",
    is_history=True,
)
UPDATES = TableRows(
    "updates",
    (
        *_text("block_id"),
        *_number("seq change_seq"),
        *_text("peer"),
        *_number("counter_from counter_to"),
        *_text("version_before version_after"),
        *_json("operation"),
        *_text("changeset?"),
        *_number("undo_of?"),
        *_text("content_hash"),
        *_ACTOR,
        *_text("reason tool_call_id?"),
        *_number("process"),
        *_time("at"),
        *_number("size"),
        *_flag("pending"),
        *_bytes("blob?"),
    ),
    "block_id, seq",
    is_history=True,
)
CHECKPOINTS = TableRows(
    "checkpoints",
    (
        *_text("block_id"),
        *_number("upto_seq"),
        *_text("version content_hash"),
        *_time("at"),
        *_number("size"),
        *_bytes("snapshot"),
    ),
    "block_id, upto_seq",
    is_history=True,
)

TABLES: tuple[TableRows, ...] = (
    *(META, PROCESSES, AGENTS, TOOLS, TOOL_RULES, LAYOUTS, USER_SCHEMAS),
    *(BLOCKS, BLOCK_CONTENTS, ATTACHMENTS, ARCHIVAL, MESSAGES, SUMMARIES, ACTIVITY),
    *(CONSENT_REQUESTS, CONSENT_CHANGES, CONSENT_GRANTS, QUEUE, WAKEUPS),
    *(REQUEST_TEXTS, RUNS, CONTEXT_STATES, CALIBRATIONS),
    *(CHANGES, UPDATES, CHECKPOINTS),
)
"""In an order in which their rows can be added."""
