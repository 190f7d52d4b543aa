"""Making damaged blobs, with their checksum made right again: what an attacker can hand over."""

from __future__ import annotations

import random
from itertools import count

from loro import LoroDoc

from inspector.documents.document import Document, EditStamp
from inspector.domain.blocks import (
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    TASK_LIST,
    CompositeSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import AppendToField, Increment, SetField
from inspector.domain.edits.items import AddNode, AppendEntry, InSection, InsertItem, MoveItem, UpdateItem
from inspector.domain.edits.text import SetText
from tests.documents.builders import MOMENT

SEED = 0x4F52_4F4C
WORD = 0xFFFF_FFFF
PRIMES = (0x9E37_79B1, 0x85EB_CA77, 0xC2B2_AE3D, 0x27D4_EB2F, 0x1656_67B1)
HEADER = 20
"""Magic, reserved bytes and the checksum."""
SCHEMA: Schema = CompositeSchema(
    (
        SectionDef("text", TextSchema()),
        SectionDef("map", PARTNER_PROFILE),
        SectionDef("list", TASK_LIST),
        SectionDef("log", OBSERVATION_LOG),
        SectionDef("tree", TreeSchema()),
    )
)
OPERATIONS: list[Operation] = [
    InSection("text", SetText("héllo 🙂 world")),
    InSection("text", SetText("hello 漢字 world!")),
    InSection("map", SetField("name", "Noor")),
    InSection("map", AppendToField("preferences", "short")),
    InSection("map", Increment("energy_level", 2)),
    InSection("list", InsertItem({"title": "a"}, id="a")),
    InSection("list", InsertItem({"title": "b"}, id="b")),
    InSection("list", MoveItem("b", "a")),
    InSection("list", UpdateItem("a", {"done": True})),
    InSection("log", AppendEntry({"observation": "rain"}, id="e")),
    InSection("tree", AddNode("a", id="a")),
    InSection("tree", AddNode("b", "a", id="b")),
]


def rotated(value: int, by: int) -> int:
    return ((value << by) | (value >> (32 - by))) & WORD


def xxh32(data: bytes, seed: int) -> int:
    """The checksum of Loro's encoding, by the published algorithm."""
    one, two, three, four, five = PRIMES
    at = 0
    if len(data) >= 16:
        lanes = [(seed + one + two) & WORD, (seed + two) & WORD, seed, (seed - one) & WORD]
        while at + 16 <= len(data):
            for lane in range(4):
                word = int.from_bytes(data[at : at + 4], "little")
                lanes[lane] = rotated((lanes[lane] + word * two) & WORD, 13) * one & WORD
                at += 4
        mixed = sum(rotated(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True))
    else:
        mixed = seed + five
    mixed = (mixed + len(data)) & WORD
    while at + 4 <= len(data):
        mixed = (
            rotated((mixed + int.from_bytes(data[at : at + 4], "little") * three) & WORD, 17) * four & WORD
        )
        at += 4
    for byte in data[at:]:
        mixed = rotated((mixed + byte * five) & WORD, 11) * one & WORD
    mixed = (mixed ^ mixed >> 15) * two & WORD
    mixed = (mixed ^ mixed >> 13) * three & WORD
    return mixed ^ mixed >> 16


def sealed(blob: bytes) -> bytes:
    """A blob with the right checksum for what it holds."""
    return blob[:16] + xxh32(blob[HEADER:], SEED).to_bytes(4, "little") + blob[HEADER:]


def lived(peer: int, operations: list[Operation]) -> Document:
    """A document whose bytes are the same in every run."""
    doc = LoroDoc()  # type: ignore[no-untyped-call]
    doc.peer_id = peer
    ids = count(1)
    same = EditStamp("Ada", MOMENT, lambda: f"n{next(ids)}")
    document = Document(SCHEMA, doc)
    for operation in operations:
        document.apply(operation, same)
    return document


def sources() -> list[bytes]:
    """Snapshots and updates of two documents: what mutants are made of."""
    made = lived(2, OPERATIONS), lived(3, OPERATIONS[1:])
    return [each.export_snapshot() for each in made] + [each.export_updates() for each in made]


def mutated(blob: bytes, chance: random.Random, first: int = HEADER) -> bytes:
    """A blob with a few bytes from `first` on changed, left out or put in."""
    changed = bytearray(blob)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(first, len(changed))
        kind = chance.randrange(3)
        if kind == 0:
            changed[at] = chance.randrange(256)
        elif kind == 1:
            del changed[at : at + chance.randrange(1, 9)]
        else:
            changed[at:at] = chance.randbytes(chance.randrange(1, 9))
    return bytes(changed)


def raw_mutant(seed: int, blobs: list[bytes]) -> bytes:
    """A damaged blob."""
    chance = random.Random(seed)
    return mutated(chance.choice(blobs), chance, first=0)


def sealed_mutant(seed: int, blobs: list[bytes]) -> bytes:
    """A damaged blob that says it is whole."""
    chance = random.Random(seed)
    return sealed(mutated(chance.choice(blobs), chance))
