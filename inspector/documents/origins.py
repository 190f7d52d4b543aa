"""Finds the operation that wrote each character, field, item, entry and node of a content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from loro import ContainerID, LoroDoc, LoroText, Side, VersionVector

from inspector.documents.stored import ContentPart
from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """One operation: the replica that made it (decimal text), and its number there."""

    peer: str
    counter: int


@dataclass(frozen=True, slots=True)
class OriginSpan:
    """Code points from `start` to `end` that came one after the other, the first of them with `origin`."""

    start: int
    end: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Origins:
    """Of the texts by section (an empty name without sections), and of the parts by their places.

    A text's runs cover all of it. A part's origin is the operation that wrote it last; a move writes nothing.
    """

    texts: Mapping[str, tuple[OriginSpan, ...]]
    parts: Mapping[tuple[str, ...], Origin]


def origins_of(doc: LoroDoc, texts: Mapping[str, LoroText], parts: Iterable[ContentPart]) -> Origins:
    """Where everything comes from. To be called in a guard, on a document without an open change."""
    return Origins(
        {name: tuple(runs_of(text)) for name, text in texts.items()},
        _last_writes(doc, tuple(parts)),
    )


def runs_of(text: LoroText) -> Iterator[OriginSpan]:
    """Which operations a text's code points came with. To be called in a guard."""
    start = end = 0
    first: tuple[int, int] | None = None
    for at in range(text.len_unicode):
        cursor = text.get_cursor(at, Side.Middle)
        id_ = None if cursor is None else cursor.id
        if id_ is None:
            raise IndexError(at)
        here = (id_.peer, id_.counter)
        if first is not None and here != (first[0], first[1] + at - start):
            yield OriginSpan(start, end, Origin(str(first[0]), first[1]))
            start, first = at, None
        first = first or here
        end = at + 1
    if first is not None:
        yield OriginSpan(start, end, Origin(str(first[0]), first[1]))


# A container: its name, or the operation that made it.
_Container = str | tuple[int, int]
# What orders operations as merging does: the Lamport time, then the peer; then the number of the operation.
_Write = tuple[int, int, int]


def _last_writes(doc: LoroDoc, parts: tuple[ContentPart, ...]) -> dict[tuple[str, ...], Origin]:
    if not parts:
        return {}
    history = json.loads(doc.export_json_updates(VersionVector(), doc.oplog_vv))  # type: ignore[no-untyped-call]
    writes = _Writes(history)
    found: dict[tuple[str, ...], _Write] = {}
    for part in parts:
        write = writes.last(_container_of(part.container), part.key)
        if write is not None:
            found[part.place] = max(write, found.get(part.place, write))
    return {place: Origin(str(peer), counter) for place, (_, peer, counter) in found.items()}


class _Writes:
    """The last operation on each container and on each key of one."""

    def __init__(self, history: Mapping[str, Any]) -> None:
        self._peers = [int(peer) for peer in history["peers"]]
        self._last: dict[tuple[_Container, str | None], _Write] = {}
        self._made: dict[tuple[int, int], _Write] = {}
        for change in history["changes"]:
            self._read(change)

    def last(self, container: _Container, key: str | None) -> _Write | None:
        """The last operation on a key, or on a container as a whole, which its making is one of."""
        found = self._last.get((container, key))
        made = self._made.get(container) if key is None and isinstance(container, tuple) else None
        return max((each for each in (found, made) if each is not None), default=None)

    def _read(self, change: Mapping[str, Any]) -> None:
        first, peer = self._id(change["id"])
        for operation in change["ops"]:
            counter = operation["counter"]
            write = (change["lamport"] + counter - first, peer, counter)
            container, content = self._container(operation["container"]), operation["content"]
            for offset in range(_makes(content)):
                self._made[peer, counter + offset] = (write[0] + offset, peer, counter + offset)
            for key in {None, content.get("key")}:
                place = (container, key)
                self._last[place] = max(write, self._last.get(place, write))

    def _id(self, text: str) -> tuple[int, int]:
        counter, _, peer = text.partition("@")
        return int(counter), self._peers[int(peer)]

    def _container(self, text: str) -> _Container:
        name, _, _ = text.removeprefix("cid:").rpartition(":")
        if name.startswith("root-"):
            return name.removeprefix("root-")
        counter, peer = self._id(name)
        return peer, counter


def _makes(content: Mapping[str, Any]) -> int:
    """How many containers an operation may make; their numbers are those of the operation, from its first on."""
    if content.get("type") == "create":
        return 1
    inserted = content.get("value")
    return len(inserted) if "pos" in content and isinstance(inserted, list) else 0


def _container_of(container: ContainerID) -> _Container:
    if isinstance(container, ContainerID.Root):
        return container.name
    if isinstance(container, ContainerID.Normal):
        return container.peer, container.counter
    raise TypeError(type(container).__name__)
