"""Reads foreign YAML as the values that JSON has: its cost is counted event by event, and no tag makes an object.

Only the library's events are used, so nothing is built before it is weighed. An alias costs what it stands for, as if
it were written out there: a small file that unfolds to a huge one is refused.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from dataclasses import field

import yaml

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.exchange.json_guard import Json
from inspector.exchange.json_limits import JsonCost, JsonLimits

_CONTAINER_COST = 232
_MOST_DUPLICATES = 50
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_FRACTION = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]{1,3})?")
_BINARY = "tag:yaml.org,2002:binary"


@dataclass(slots=True)
class _Open:
    """A list or object that is being read, and what had been spent when it began."""

    value: dict[str, Json] | list[Json]
    anchor: str | None
    memory: int
    values: int
    key: str | None = None
    height: int = 1


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias stands for, and what it costs."""

    value: Json
    memory: int
    values: int
    height: int


@dataclass(slots=True)
class _Builder:
    limits: JsonLimits
    spent: JsonCost
    open: list[_Open] = field(default_factory=list)
    anchors: dict[str, _Anchored] = field(default_factory=dict)
    documents: list[Json] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.anchors.clear()

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        memory, values = self.spent.memory, self.spent.values
        self._spend(event, sys.getsizeof(event.value), 1)
        value = _value_of(event) if self._wants_value() else event.value
        if event.anchor is not None:
            cost = self.spent.memory - memory, self.spent.values - values
            self.anchors[event.anchor] = _Anchored(value, *cost, height=0)
        self._put(event, value)

    def _alias(self, event: yaml.AliasEvent) -> None:
        name = event.anchor or ""
        found = self.anchors.get(name)
        if found is None:
            raise _malformed(event, f"the alias {name[:40]!r} stands for nothing before it")
        self._check_depth(event, found.height)
        self._spend(event, found.memory, found.values)
        if self.open:
            self.open[-1].height = max(self.open[-1].height, found.height + 1)
        self._put(event, found.value)

    def _begin(self, event: yaml.CollectionStartEvent) -> None:
        if not self._wants_value():
            raise _malformed(event, "a key must be a text")
        self._check_depth(event, 1)
        value: dict[str, Json] | list[Json] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self.open.append(_Open(value, event.anchor, self.spent.memory, self.spent.values))
        self._spend(event, _CONTAINER_COST, 1)

    def _end(self, event: yaml.CollectionEndEvent) -> None:
        done = self.open.pop()
        if done.anchor is not None:
            cost = self.spent.memory - done.memory, self.spent.values - done.values
            self.anchors[done.anchor] = _Anchored(done.value, *cost, height=done.height)
        if self.open:
            self.open[-1].height = max(self.open[-1].height, done.height + 1)
        self._put(event, done.value)

    def _wants_value(self) -> bool:
        return not self.open or isinstance(self.open[-1].value, list) or self.open[-1].key is not None

    def _put(self, event: yaml.Event, value: Json) -> None:
        if not self.open:
            self.documents.append(value)
            return
        around = self.open[-1]
        if isinstance(around.value, list):
            around.value.append(value)
        elif around.key is None:
            if not isinstance(value, str):
                raise _malformed(event, "a key must be a text")
            if value in around.value and len(self.duplicates) < _MOST_DUPLICATES:
                self.duplicates.append(_place(event))
            around.key = value
        else:
            around.value[around.key] = value
            around.key = None

    def _check_depth(self, event: yaml.Event, more: int) -> None:
        deepest = self.limits.max_depth
        if len(self.open) + more > deepest:
            why = f"nested deeper than {deepest} levels"
            raise MalformedError("import.too_deep", where=_place(event), why=why, limit=deepest)

    def _spend(self, event: yaml.Event, memory: int, values: int) -> None:
        self.spent.memory += memory
        self.spent.values += values
        if self.spent.values > self.limits.max_values:
            limit = self.limits.max_values
            why = f"more than {limit} values"
            raise MalformedError("import.too_many_values", where=_place(event), why=why, limit=limit)
        if self.spent.memory > self.limits.max_memory:
            limit = self.limits.max_memory >> 20
            why = f"would take more than {limit} MB of memory"
            raise MalformedError("import.too_heavy", where=_place(event), why=why, limit=limit)


def parse_yaml(data: bytes, limits: JsonLimits, spent: JsonCost) -> tuple[Json, tuple[str, ...]]:
    """What UTF-8 bytes hold as YAML, several documents as a list, and the places of keys that appear twice.

    Binary values stay texts in base 64, times and other words stay texts.

    Raises:
        MalformedError: it is no YAML, or passes a limit; with ``where`` (``line:column``) and ``why``.
    """
    builder = _Builder(limits, spent)
    for event in _events(data):
        builder.take(event)
    one = builder.documents[0] if len(builder.documents) == 1 else builder.documents
    return one, tuple(builder.duplicates)


def _events(data: bytes) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(data, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        where = _place_of(error.problem_mark)
        raise MalformedError("import.malformed_yaml", where=where, why=error.problem or "") from None
    except yaml.reader.ReaderError as error:
        why = str(error).split("\n", maxsplit=1)[0]
        raise MalformedError("import.not_text", where="1:1", why=why) from None
    except yaml.YAMLError as error:
        raise MalformedError("import.malformed_yaml", where="1:1", why=str(error).split("\n")[0]) from None


def _value_of(event: yaml.ScalarEvent) -> Json:
    text: str = event.value
    if event.tag == _BINARY:
        return "".join(text.split())
    if event.tag is not None or not event.implicit[0]:
        return text
    if text in _NULLS:
        return None
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FRACTION.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return _WORDS.get(text, text)


def _place(event: yaml.Event) -> str:
    return _place_of(event.start_mark)


def _place_of(mark: yaml.Mark | None) -> str:
    return "1:1" if mark is None else f"{mark.line + 1}:{mark.column + 1}"


def _malformed(event: yaml.Event, why: str) -> MalformedError:
    return MalformedError("import.malformed_yaml", where=_place(event), why=why)
