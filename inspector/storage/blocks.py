"""Reads and writes rows of blocks, with the contents derived from their documents."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TypeVar

from inspector.domain.blocks import Block, BlockType, Permission, Schema, UnreadableSchema
from inspector.domain.codec import NO_TIME, read_time, write_time
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.limit_violations import excess
from inspector.domain.ref import Ref, RefKind
from inspector.domain.sharing import SharableBlock
from inspector.domain.snapshot import BlockState, LastWrite
from inspector.storage.changes import actor_of
from inspector.storage.connection import Connection, Row, Statement, Undecodable
from inspector.storage.content_cache import content_of, length_of, text_of
from inspector.storage.json_columns import dump, load
from inspector.storage.sealing import SEALS, Cell, differing, seal_of, set_cells
from inspector.storage.transaction import Transaction

T = TypeVar("T")
PENDING_UPDATES = "block.pending_updates"
"""The problem of a block some of whose updates wait for what they build on; the rest of it can be read."""

MISSING_UPDATES = "block.missing_updates"
"""The problem of a block whose document lacks changes that its shown content has: to write it would lose them."""

_READABLE = frozenset({PENDING_UPDATES})
_BLOCK_COLUMNS = """
    b.id, b.owner, b.label, b.description, b.block_type, b.schema, b.char_limit, b.permission, b.pinned,
    b.is_active, b.created_at, b.updated_at, b.metadata
"""
_CONTENT_COLUMNS = """
    c.version, c.revision, c.actor_kind, c.actor_id, c.actor_name, c.written_at, c.reason, c.tool_call_id,
    c.problem, c.content,
    (SELECT coalesce(max(k.upto_seq), 0) FROM checkpoints AS k WHERE k.block_id = b.id) AS folded,
    (SELECT count(*) FROM updates AS u WHERE u.block_id = b.id AND u.seq <= c.revision AND u.seq >
        (SELECT coalesce(max(k.upto_seq), 0) FROM checkpoints AS k WHERE k.block_id = b.id)) AS unfolded
"""
_SELECT = (
    "SELECT" + _BLOCK_COLUMNS + "," + _CONTENT_COLUMNS + "FROM blocks AS b LEFT JOIN block_contents AS c "
    "ON c.block_id = b.id "
)
_ONE = _SELECT + "WHERE b.id = ?"
# Rows are numbered as they are made; times may be those of a clock that was set back.
_OF_OWNER = _SELECT + "WHERE b.owner = ? AND b.is_active >= ? ORDER BY b.rowid"
_ALL = _SELECT + "WHERE b.is_active >= ? ORDER BY b.owner, b.rowid"
_ATTACHED = (
    _SELECT + "JOIN attachments AS a ON a.block_id = b.id "
    "WHERE a.agent_id = ? AND b.is_active = 1 ORDER BY a.attached_at, b.id"
)
AFTER_ROWID = (
    "SELECT b.rowid AS rowid,"
    + _BLOCK_COLUMNS
    + ","
    + _CONTENT_COLUMNS
    + "FROM blocks AS b LEFT JOIN block_contents AS c ON c.block_id = b.id "
    "WHERE b.rowid > ? ORDER BY b.rowid LIMIT ?"
)
"""Blocks behind a rowid, for going through all of them."""
_SHARABLE = "SELECT id, owner, label, permission FROM blocks WHERE is_active = 1 ORDER BY owner, rowid"
_LABELS = "SELECT id, label FROM blocks WHERE owner = ? AND is_active = 1"
_LABELLED = "SELECT id FROM blocks WHERE owner = ? AND label = ? AND is_active = 1"
_IDS = "SELECT id FROM blocks ORDER BY is_active DESC, id"
_RENDERED = "SELECT rendered FROM block_contents WHERE block_id = ?"
_INSERT = """
    INSERT INTO blocks (owner, label, description, block_type, schema, char_limit, permission, pinned,
                        is_active, created_at, metadata, updated_at, seal, id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_TOUCH = "UPDATE blocks SET updated_at = ? WHERE id = ?"
_PUT_CONTENT = """
    INSERT INTO block_contents (block_id, version, revision, actor_kind, actor_id, actor_name, written_at,
                                reason, tool_call_id, problem, content, rendered, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)
    ON CONFLICT (block_id) DO UPDATE SET version = excluded.version, revision = excluded.revision,
        actor_kind = excluded.actor_kind, actor_id = excluded.actor_id, actor_name = excluded.actor_name,
        written_at = excluded.written_at, reason = excluded.reason, tool_call_id = excluded.tool_call_id,
        problem = NULL, content = excluded.content, rendered = excluded.rendered, seal = excluded.seal
"""
_CONTENT_SIZE = "SELECT length(CAST(content AS BLOB)) AS size FROM block_contents WHERE block_id = ?"
_SET_PROBLEM = "UPDATE block_contents SET problem = ? WHERE block_id = ?"


@dataclass(frozen=True, slots=True)
class StoredContent:
    """What a block's document holds after a write, in the forms that are read."""

    version: Version
    revision: int
    content: Content
    rendered: str


@lru_cache(maxsize=256)
def schema_of(text: str) -> Schema | UnreadableSchema:
    """The schema that a JSON text describes; what no schema fits is kept as it is."""
    try:
        schema: Schema = load(Schema, text)
    except MalformedError as error:
        place, why = error.parameters.get("where", "$"), error.parameters.get("why", error.code)
        return UnreadableSchema(text, f"{place}: {why}")
    return schema


async def get(connection: Connection, block_id: str) -> BlockState | None:
    """One block with its content, deleted ones included; None when there is none of that id."""
    row = await connection.fetch_one(*reading(block_id))
    return None if row is None else state_of(row)


def reading(block_id: str) -> Statement:
    """The statement that `get` runs."""
    return _ONE, (block_id,)


async def of_owner(connection: Connection, owner: str, *, deleted: bool = False) -> tuple[BlockState, ...]:
    """An owner's blocks with their contents in the order they were made; with `deleted` those too."""
    rows = await connection.fetch_all(_OF_OWNER, (owner, 0 if deleted else 1))
    return tuple(state_of(row) for row in rows)


async def attached_to(connection: Connection, agent_id: str) -> tuple[BlockState, ...]:
    """The blocks that are attached to an agent, in the order they were."""
    return tuple(state_of(row) for row in await connection.fetch_all(_ATTACHED, (agent_id,)))


async def read_all(connection: Connection, *, deleted: bool = False) -> tuple[BlockState, ...]:
    """All owners' blocks with their contents, each owner's in the order they were made; with `deleted` those too."""
    rows = await connection.fetch_all(_ALL, (0 if deleted else 1,))
    return tuple(state_of(row) for row in rows)


async def sharable(connection: Connection) -> Sequence[Row]:
    """The rows of all active blocks without their contents, for `sharable_block`."""
    return await connection.fetch_all(_SHARABLE)


def sharable_block(row: Row) -> SharableBlock:
    """The block of a row of `sharable`; a level that cannot be read allows nothing but reading."""
    try:
        permission = Permission.parse(row["permission"])
    except KeyError:
        permission = Permission.READ_ONLY
    return SharableBlock(row["id"], row["owner"], str(row["label"]), permission)


async def labels_of(connection: Connection, owner: str) -> tuple[tuple[str, str], ...]:
    """The ids and labels of the owner's active blocks."""
    rows = await connection.fetch_all(_LABELS, (owner,))
    return tuple((row["id"], str(row["label"])) for row in rows)


async def id_of_label(connection: Connection, owner: str, label: str) -> str | None:
    """The owner's active block of that label."""
    row = await connection.fetch_one(_LABELLED, (owner, label))
    return None if row is None else str(row["id"])


async def ids(connection: Connection) -> tuple[str, ...]:
    """All blocks, deleted ones last."""
    return tuple(str(row["id"]) for row in await connection.fetch_all(_IDS))


async def rendered(connection: Connection, block_id: str) -> str | None:
    """A block's rendered text, None when there is no such block."""
    row = await connection.fetch_one(_RENDERED, (block_id,))
    return None if row is None else str(row["rendered"])


async def content_size(connection: Connection, block_id: str) -> int:
    """The bytes of a block's content as it is stored, 0 when there is none."""
    row = await connection.fetch_one(_CONTENT_SIZE, (block_id,))
    return 0 if row is None else int(row["size"])


async def insert(transaction: Connection, block: Block) -> None:
    """Add a block; its content comes with `put_content`."""
    cells = cells_of(block)
    values = (*cells.values(), write_time(block.updated_at), SEALS["blocks"].of(cells), block.id)
    await transaction.fetch_all(_INSERT, values)


async def update(transaction: Connection, before: Block, after: Block, anew: Collection[str] = ()) -> None:
    """Write what differs of a block's row, and the cells of `anew`; other cells stay as they lie."""
    old, new = cells_of(before), cells_of(after)
    cells = differing(old, new) | {name: new[name] for name in anew}
    await set_cells(transaction, "blocks", (after.id,), cells)
    await transaction.fetch_all(_TOUCH, (write_time(after.updated_at), after.id))


def put_content(
    transaction: Transaction,
    block_id: str,
    stored: StoredContent,
    written: LastWrite,
    *,
    updated_at: datetime,
) -> None:
    """Set a block's content and its time of update."""
    actor = written.actor
    by = (
        actor.kind.value,
        actor.id,
        actor.name,
        write_time(written.at),
        written.reason,
        written.tool_call_id,
    )
    forms = (text_of(stored.content), stored.rendered)
    transaction.later(_PUT_CONTENT, (block_id, stored.version, stored.revision, *by, *forms, seal_of(*by)))
    transaction.later(_TOUCH, (write_time(updated_at), block_id))


async def set_problem(transaction: Connection, block_id: str, code: str | None) -> None:
    """Note that a block's document cannot be read, or that it can again."""
    await transaction.fetch_all(_SET_PROBLEM, (code, block_id))


def state_of(row: Row) -> BlockState:
    """The block of a row, with its content."""
    block, problem = _block(row)
    if row["version"] is None:
        return BlockState(block, None, Version(""), 0, None, problem or _problem(row, "block.no_content"))
    content, unreadable = _content(row)
    if unreadable is None and row["problem"] is not None:
        unreadable = _problem(row, row["problem"])
    if unreadable is None and row["folded"] + row["unfolded"] < row["revision"]:
        unreadable = _problem(row, MISSING_UPDATES)
    actor = actor_of(row)
    try:
        written = LastWrite(actor, read_time(row["written_at"]), row["reason"], row["tool_call_id"])
    except ValueError:
        written = None
    found = problem or unreadable
    if found is None and content is not None:
        found = excess(block, content, len(row["content"]), length_of)
    return BlockState(block, content, Version(row["version"]), row["revision"], written, found)


def _block(row: Row) -> tuple[Block, Problem | None]:
    """The block of a row. A column that cannot be read gets the most careful value, it alone, and makes a problem."""
    unread: list[str] = []

    def read(column: str, kind: Callable[[str], T], otherwise: T) -> T:
        try:
            return kind(row[column])
        except (ValueError, KeyError) as error:
            unread.append(f"{column}: {error}")
            return otherwise

    block = Block(
        id=row["id"],
        owner=row["owner"],
        label=row["label"],
        description=row["description"],
        block_type=read("block_type", BlockType, BlockType.ARCHIVAL),
        schema=schema_of(row["schema"]),
        char_limit=row["char_limit"],
        permission=read("permission", Permission.parse, Permission.READ_ONLY),
        pinned=bool(row["pinned"]),
        is_active=bool(row["is_active"]),
        created_at=read("created_at", read_time, NO_TIME),
        updated_at=read("updated_at", read_time, NO_TIME),
        metadata=row["metadata"],
    )
    texts = ("label", "description", "schema", "metadata")
    unread += [f"{name}: not UTF-8" for name in texts if isinstance(row[name], Undecodable)]
    if unread:
        return block, _problem(row, "row.unreadable", "; ".join(unread))
    if isinstance(block.schema, UnreadableSchema):
        return block, _problem(row, "block.unreadable_schema", block.schema.why)
    return block, None


def _content(row: Row) -> tuple[Content | None, Problem | None]:
    if isinstance(row["content"], Undecodable):
        return None, _problem(row, "block.unreadable_content", "not UTF-8")
    try:
        content = content_of(row["content"])
    except MalformedError as error:
        return None, _problem(row, "block.unreadable_content", str(error.parameters.get("why", error.code)))
    return content, None


def _problem(row: Row, code: str, why: str = "") -> Problem:
    where = str(Ref(RefKind.BLOCK, row["id"]))
    parameters = {"label": str(row["label"])} if not why else {"label": str(row["label"]), "why": why}
    return Problem(code, Severity.WARNING if code in _READABLE else Severity.ERROR, where, parameters)


def cells_of(block: Block) -> dict[str, Cell]:
    """The cells of a block that are sealed, in their order."""
    schema = block.schema
    return {
        "owner": block.owner,
        "label": block.label,
        "description": block.description,
        "block_type": block.block_type.value,
        "schema": schema.raw if isinstance(schema, UnreadableSchema) else dump(schema),
        "char_limit": block.char_limit,
        "permission": block.permission.label,
        "pinned": int(block.pinned),
        "is_active": int(block.is_active),
        "created_at": write_time(block.created_at),
        "metadata": block.metadata,
    }
