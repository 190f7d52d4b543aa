"""Reads the operations of a document's unbranched history as changes of texts.

Loro tells what differs between any two versions, but takes time with the square of the longest text that was written
or removed between them, and goes through most of the history for a few letters. Where nobody wrote at the same time
as somebody else, the operations say it themselves: they count their places in the text as it was just before.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from loro import ID, Frontiers, VersionVector

from inspector.documents.errors import guarded
from inspector.documents.loro_replica import LoroReplica
from inspector.documents.text_edits import spliced
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.edits.text import Splice

MOST_OPERATIONS = 500
"""Operations that are followed one by one; each goes through all that the others have left."""

FEW = 5_000
"""Of a history of more changes, no more letters and other single steps are looked through for their operations."""

_ENDLESS = 2**62

Texts = Mapping[str, str]
Splices = Mapping[str, Sequence[Splice]]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of a text: characters from `start` to `end` of the one before, or (`text` not None) new ones."""

    start: int
    end: int
    text: str | None = None

    @property
    def length(self) -> int:
        return self.end - self.start if self.text is None else len(self.text)

    def cut(self, at: int) -> tuple[TextPiece, TextPiece]:
        if self.text is not None:
            return TextPiece(0, 0, self.text[:at]), TextPiece(0, 0, self.text[at:])
        return TextPiece(self.start, self.start + at), TextPiece(self.start + at, self.end)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch of a history: its versions and their vectors."""

    before: Version
    after: Version
    common_length: VersionVector
    wanted: VersionVector


class _NotLinear(Exception):
    """The operations alone do not tell: somebody wrote at the same time, or there are too many."""


def pieces_since(
    replica: LoroReplica, names: Collection[str], base: Version, common_length: VersionVector
) -> Mapping[str, Sequence[TextPiece]] | None:
    """What the present texts of those names are made of since `base`, whose vector is `known`.

    None if the operations do not tell. Each row ends with what is left of the text of then, its last piece without an
    end. Where somebody else's program has put in what takes up places without being text, such as marks, the places
    are not those of the texts.
    """
    stretch = _Stretch(base, replica.version, common_length, replica.vector)
    try:
        return _followed(_operations(replica, stretch, MOST_OPERATIONS), names)
    except _NotLinear:
        return None


def straight_steps(
    replica: LoroReplica, names: Collection[str], versions: Sequence[Version]
) -> tuple[Texts, tuple[Splices, ...]] | None:
    """The texts of those names at the first version, and what each step to the next did; None if that cannot be told.

    The versions lead from one to another up to the present one.
    """
    try:
        steps = tuple(_steps(replica, names, versions))
    except _NotLinear:
        return None
    there = texts = replica.fork(replica.frontiers(versions[0])).texts(names)
    for step in steps:
        there = {name: spliced(text, step.get(name, ())) for name, text in there.items()}
    # What others' programs can write into a text, such as marks, takes up places too.
    return (texts, steps) if there == replica.texts(names) else None


def _steps(replica: LoroReplica, names: Collection[str], versions: Sequence[Version]) -> Iterator[Splices]:
    left = MOST_OPERATIONS
    for before, after in pairwise(versions):
        operations = list(_operations(replica, _stretch(replica, before, after), left))
        left -= len(operations)
        yield {name: tuple(splices_of(row)) for name, row in _followed(operations, names).items()}


def _followed(operations: Iterable[Mapping[str, Any]], names: Collection[str]) -> dict[str, list[TextPiece]]:
    pieces = {name: [TextPiece(0, _ENDLESS)] for name in names}
    for operation in operations:
        row = pieces.get(_text_of(operation))
        if row is not None:
            _follow(row, operation["content"])
    return pieces


def _stretch(replica: LoroReplica, before: Version, after: Version) -> _Stretch:
    with guarded("document.failed"):
        common_length = replica.doc.frontiers_to_vv(replica.frontiers(before))
        wanted = replica.doc.frontiers_to_vv(replica.frontiers(after))
    if common_length is None or wanted is None:
        raise _NotLinear
    return _Stretch(before, after, common_length, wanted)


def _operations(replica: LoroReplica, stretch: _Stretch, most: int) -> Iterator[Mapping[str, Any]]:
    """The operations of a stretch in order, if each change was made on the one before."""
    before, after, common_length, wanted = (
        stretch.before,
        stretch.after,
        stretch.common_length,
        stretch.wanted,
    )
    if before == after:
        return
    with guarded("document.failed"):
        if not wanted.includes_vv(common_length):
            raise _NotLinear
        if replica.doc.len_changes > FEW and common_length.distance_between(wanted) > FEW:
            raise _NotLinear
        history = json.loads(replica.doc.export_json_updates(common_length, wanted))
    peers = [int(peer) for peer in history["peers"]]
    at = before
    for change in history["changes"]:
        most -= len(change["ops"])
        if most < 0 or _version([_id(each, peers) for each in change["deps"]]) != at:
            raise _NotLinear
        yield from change["ops"]
        last = change["ops"][-1]
        peer = _id(change["id"], peers).peer
        at = _version([ID(peer, last["counter"] + _length(last["content"]) - 1)])
    if at != after:
        raise _NotLinear


def _version(ids: list[ID]) -> Version:
    return Version(Frontiers.from_ids(ids).encode().hex())


def _id(text: str, peers: Sequence[int]) -> ID:
    counter, _, peer = text.partition("@")
    return ID(peers[int(peer)], int(counter))


def _length(content: Mapping[str, Any]) -> int:
    if content["type"] == "delete" and "len" in content:
        return abs(int(content["len"]))
    given = content.get("text", content.get("value"))
    # A value that is set in a map is one operation, however long it is.
    is_run = content["type"] == "insert" and "pos" in content and isinstance(given, str | list)
    return len(given) if is_run else 1


def _text_of(operation: Mapping[str, Any]) -> str:
    """The name of the text that an operation is on; anything else for one that is on no text."""
    return str(operation["container"]).removeprefix("cid:root-").removesuffix(":Text")


def _follow(row: list[TextPiece], content: Mapping[str, Any]) -> None:
    kind = content["type"]
    if kind == "insert":
        row.insert(_begin(row, content["pos"]), TextPiece(0, 0, content["text"]))
    elif kind == "delete":
        at, length = content["pos"], content["len"]
        # Letters that went one by one towards the front are told by the last place of all, and with a minus.
        start, end = (at, at + length) if length > 0 else (at + length + 1, at + 1)
        first = _begin(row, start)
        del row[first : _begin(row, end)]
    else:
        raise _NotLinear


def _begin(row: list[TextPiece], at: int) -> int:
    """Let a piece begin at a place, and give its index."""
    if at < 0:
        raise _NotLinear
    done = 0
    for index, piece in enumerate(row):
        if done == at:
            return index
        if at < done + piece.length:
            row[index : index + 1] = piece.cut(at - done)
            return index + 1
        done += piece.length
    raise _NotLinear


def splices_of(row: Iterable[TextPiece]) -> Iterator[Splice]:
    """What makes pieces of a text: the edit of it, as splices."""
    at = 0
    inserted = ""
    for piece in row:
        if piece.text is not None:
            inserted += piece.text
            continue
        if piece.start > at or inserted:
            yield Splice(at, piece.start - at, inserted)
        at, inserted = piece.end, ""
