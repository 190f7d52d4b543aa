"""Memory blocks: types, permissions, schemas and labels, and archival entries."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import assert_never

from inspector.domain.dataclass import dataclass

CONSTELLATION_OWNER = "_constellation_"
DEFAULT_CHAR_LIMIT = 5000


class BlockType(StrEnum):
    """Where a block stands in the prompt: always, while there is room, newest entries, never."""

    CORE = "core"
    WORKING = "working"
    LOG = "log"
    ARCHIVAL = "archival"


class Permission(IntEnum):
    """What agents may do; ordered, so that the lower of two is `min`."""

    READ_ONLY = 0
    PARTNER = 1
    HUMAN = 2
    APPEND = 3
    READ_WRITE = 4
    ADMIN = 5

    @property
    def label(self) -> str:
        """The name used in files, JSON and on screen (``read_only`` …)."""
        return self.name.lower()

    @classmethod
    def parse(cls, label: str) -> Permission:
        return cls[label.upper()]


class FieldType(StrEnum):
    """The type of value that a field holds."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"
    TIMESTAMP = "timestamp"
    COUNTER = "counter"


FieldScalar = str | int | float | bool | None
FieldValue = FieldScalar | tuple[FieldScalar, ...]


@dataclass(frozen=True, slots=True)
class FieldDef:
    """One field of a map, list item, log entry or tree node. All of it is enforced."""

    name: str
    field_type: FieldType = FieldType.TEXT
    description: str = ""
    required: bool = False
    default: FieldValue = None
    read_only: bool = False
    choices: tuple[FieldScalar, ...] = ()
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class Viewport:
    """The lines of a text that the model gets: from `start_line` (first is 1), `display_lines` of them."""

    start_line: int = 1
    display_lines: int = 40


@dataclass(frozen=True, slots=True)
class TextSchema:
    """Plain text, optionally seen through a viewport."""

    viewport: Viewport | None = None


@dataclass(frozen=True, slots=True)
class MapSchema:
    """Named fields in a fixed order."""

    fields: tuple[FieldDef, ...] = ()


@dataclass(frozen=True, slots=True)
class ListSchema:
    """Items in order: text, or objects when `item_schema` is set."""

    item_schema: tuple[FieldDef, ...] | None = None
    max_items: int | None = None


@dataclass(frozen=True, slots=True)
class EntrySchema:
    """What a log entry carries besides its fields."""

    timestamp: bool = True
    agent_id: bool = True
    fields: tuple[FieldDef, ...] = ()


@dataclass(frozen=True, slots=True)
class LogSchema:
    """Entries in time order; the newest `display_limit` are rendered."""

    display_limit: int = 20
    entry_schema: EntrySchema = EntrySchema()


@dataclass(frozen=True, slots=True)
class TreeSchema:
    """An outline of text nodes, or of objects when `node_schema` is set."""

    node_schema: tuple[FieldDef, ...] | None = None


@dataclass(frozen=True, slots=True)
class SectionDef:
    """One named section of a composite block. Its schema is any but composite."""

    name: str
    schema: PlainSchema
    description: str = ""
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class CompositeSchema:
    """Named sections, each with a schema of its own."""

    sections: tuple[SectionDef, ...] = ()


PlainSchema = TextSchema | MapSchema | ListSchema | LogSchema | TreeSchema
Schema = PlainSchema | CompositeSchema


@dataclass(frozen=True, slots=True)
class UnreadableSchema:
    """Stored schema JSON that no schema fits. Kept as it is; shown as a problem; never taken for text."""

    raw: str
    why: str


@dataclass(frozen=True, slots=True)
class Block:
    """A block's row: everything but its content. `char_limit` 0 means none; times are UTC."""

    id: str
    owner: str
    label: str
    description: str
    block_type: BlockType
    schema: Schema | UnreadableSchema
    char_limit: int
    permission: Permission
    pinned: bool
    is_active: bool
    created_at: datetime
    updated_at: datetime
    metadata: str = "{}"
    """JSON text: what an importer kept."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A block shown to another agent. What it may do is the lower of the two levels."""

    block_id: str
    agent_id: str
    permission: Permission
    attached_at: datetime


def fields_of(schema: Schema | UnreadableSchema) -> tuple[FieldDef, ...] | None:
    """The fields of a map, or of a schema's items, entries or nodes; None where they are texts or sections."""
    match schema:
        case MapSchema():
            return schema.fields
        case ListSchema():
            return schema.item_schema
        case LogSchema():
            return schema.entry_schema.fields
        case TreeSchema():
            return schema.node_schema
        case TextSchema() | CompositeSchema() | UnreadableSchema():
            return None
        case _:
            assert_never(schema)


PARTNER_PROFILE = MapSchema(
    (
        FieldDef("name", required=True),
        FieldDef("preferences", FieldType.LIST),
        FieldDef("energy_level", FieldType.COUNTER, default=5),
        FieldDef("current_focus"),
        FieldDef("last_interaction", FieldType.TIMESTAMP),
    )
)
TASK_LIST = ListSchema(
    (
        FieldDef("title", required=True),
        FieldDef("done", FieldType.BOOLEAN, default=False),
        FieldDef("priority", FieldType.NUMBER, default=3),
        FieldDef("due", FieldType.TIMESTAMP),
    )
)
OBSERVATION_LOG = LogSchema(
    20, EntrySchema(fields=(FieldDef("observation", required=True), FieldDef("context")))
)
SCRATCHPAD = TextSchema()

READY_MADE_SCHEMAS: dict[str, Schema] = {
    "partner_profile": PARTNER_PROFILE,
    "task_list": TASK_LIST,
    "observation_log": OBSERVATION_LOG,
    "scratchpad": SCRATCHPAD,
}


@dataclass(frozen=True, slots=True)
class ReadySchema:
    """A schema to begin a block with, and the place in the prompt that suits it. Its texts are shown to people."""

    id: str
    title: str
    description: str
    block_type: BlockType
    schema: Schema


@dataclass(frozen=True, slots=True)
class ArchivalEntry:
    """One entry of an agent."""

    id: str
    agent_id: str
    content: str
    tags: tuple[str, ...]
    metadata: str
    created_at: datetime
    updated_at: datetime
    is_deleted: bool = False


# Controls, surrogates, the separators of lines and paragraphs, and what shows nothing or turns the text around it.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# They show nothing by themselves, and many scripts and pictures cannot be written without them.
_JOINERS = "\u200c\u200d"
_SHOWN = 80


def is_printable(character: str) -> bool:
    """Whether a label may hold that character."""
    return character in _JOINERS or unicodedata.category(character) not in _UNPRINTABLE


def appearance(label: str) -> str:
    """The label as it is seen: two that differ only in how they are encoded, or in what shows nothing, are one."""
    if label.isascii():
        return label.strip()
    plain = "".join(each for each in label if each not in _JOINERS)
    return unicodedata.normalize("NFC", plain).strip()


def legible(label: str) -> str:
    r"""A label from outside for a message: on one line, without what is no part of a label, and not too long."""
    shown = "".join(each if is_printable(each) else f"\\u{ord(each):04x}" for each in label)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
