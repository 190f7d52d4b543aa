"""Converts domain values such as blocks, operations and messages to plain JSON and back.

`to_plain` and `from_plain` are inverse for every value class of the domain. Enumerations are written by
name, times as ISO 8601 in UTC, tuples as lists. A union member carries its tag: operations under ``op``,
message parts under ``type``, schemas, contents and strategies under ``kind``. Reading is strict: an
unknown key, a missing one, a wrong type or an integer that no file of ours could hold raises MalformedError
with the place (``$.schema.fields[2].name``).
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Union, get_args, get_origin, get_type_hints

from inspector.domain import blocks, content, limits, messages
from inspector.domain.activity import Importance
from inspector.domain.edits.base import Operation
from inspector.domain.edits.registry import STORED_OPERATIONS
from inspector.domain.errors import MalformedError

Plain = Any
_Reader = Callable[[Plain, str], Any]
_Writer = Callable[[Any], Plain]

_KINDS: dict[str, dict[type, str]] = {
    "kind": {
        blocks.TextSchema: "text",
        blocks.MapSchema: "map",
        blocks.ListSchema: "list",
        blocks.LogSchema: "log",
        blocks.TreeSchema: "tree",
        blocks.CompositeSchema: "composite",
        content.TextContent: "text",
        content.MapContent: "map",
        content.ListContent: "list",
        content.LogContent: "log",
        content.TreeContent: "tree",
        content.CompositeContent: "composite",
        **{strategy: strategy.kind for strategy in limits.STRATEGIES},
    },
    "type": {
        messages.TextPart: "text",
        messages.ImagePart: "image",
        messages.ThinkingPart: "thinking",
        messages.RedactedThinkingPart: "redacted_thinking",
        messages.ToolCallPart: "tool_call",
        messages.ToolResultPart: "tool_result",
        messages.ProviderPart: "provider_part",
    },
    "op": {kind: name for name, kind in STORED_OPERATIONS.items()},
}
_TAGS: dict[type, tuple[str, str]] = {
    kind: (key, tag) for key, table in _KINDS.items() for kind, tag in table.items()
}
LARGEST_INTEGER = 0x7FFF_FFFF_FFFF_FFFF
"""The largest that a column of a file, or a document, holds."""
_PLAIN_ALREADY = frozenset({str, int, float, bool, type(None)})
_LABELLED = (blocks.Permission, Importance)


def to_plain(value: object) -> Plain:
    """The JSON form of a value of ours."""
    kind: type = type(value)
    return _writer(kind)(value)


@cache
def _writer(kind: type) -> _Writer:
    if is_dataclass(kind):
        return _value_writer(kind)
    if issubclass(kind, _LABELLED):
        return attrgetter("label")
    if issubclass(kind, Enum):
        return {each: each.value for each in kind}.__getitem__
    if kind is type(None) or issubclass(kind, str | int | float):
        return _as_it_is
    if issubclass(kind, datetime):
        return write_time
    if issubclass(kind, Mapping):
        return _write_mapping
    if issubclass(kind, tuple | list | frozenset):
        return _write_list
    raise TypeError(kind.__name__)


def _as_it_is(value: Any) -> Plain:
    return value


def _write_mapping(value: Any) -> Plain:
    return {str(key): to_plain(each) for key, each in value.items()}


def _write_list(value: Any) -> Plain:
    return [to_plain(each) for each in value]


def _value_writer(kind: type) -> _Writer:
    names = tuple(each.name for each in fields(kind))
    if_set = _if_set(kind)
    tag = _TAGS.get(kind)
    head = {} if tag is None else {tag[0]: tag[1]}

    def write(value: Any) -> Plain:
        plain = head.copy()
        for name in names:
            each = getattr(value, name)
            plain[name] = each if type(each) in _PLAIN_ALREADY else to_plain(each)
        for name, default in if_set:
            if getattr(value, name) == default:
                del plain[name]
        return plain

    return write


def _if_set(kind: Any) -> tuple[tuple[str, object], ...]:
    """The fields that stand in the JSON only where they differ from their defaults, with these."""
    return tuple((each.name, each.default) for each in fields(kind) if messages.IF_SET in each.metadata)


def from_plain(kind: Any, plain: Plain, where: str = "$") -> Any:
    """The value of type `kind` (a value class or a union of them) that `plain` describes.

    Raises:
        MalformedError: with `where` and `why`, when it does not fit.
    """
    try:
        return _reader(kind)(plain, where)
    except RecursionError:
        raise _refuse(where, "nested too deeply") from None


# All that one edit writes has the same moment.
@lru_cache(maxsize=64)
def write_time(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds: texts of one length, so that they sort as times do."""
    # `strftime` leaves the zeros of an early year out.
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


@lru_cache(maxsize=64)
def read_time(text: str) -> datetime:
    """The moment of an ISO 8601 text; a text without a zone is taken as UTC.

    Raises:
        ValueError: when it is no time.
    """
    try:
        moment = datetime.fromisoformat(text)
    except TypeError as error:
        # A damaged file gives nothing, or a number, where a text should be.
        raise ValueError(f"not a time: {text!r}") from error
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        # The first or the last day that there is, seen from another zone.
        raise ValueError(f"time out of range: {text!r}") from error


NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for a time that cannot be read."""


def moment_of(text: str) -> datetime:
    """A stored time of which nothing depends; one that cannot be read is the beginning of time."""
    try:
        return read_time(text)
    except ValueError:
        return NO_TIME


def _refuse(where: str, why: str) -> MalformedError:
    return MalformedError("malformed.value", where=where, why=why)


@cache
def _reader(kind: Any) -> _Reader:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _union_reader(get_args(kind))
    if origin is tuple:
        return _list_reader(_reader(get_args(kind)[0]), tuple)
    if origin is frozenset:
        return _list_reader(_reader(get_args(kind)[0]), frozenset)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping_reader(_reader(get_args(kind)[1]))
    if kind is Operation:
        return _tagged_reader("op", dict(STORED_OPERATIONS))
    if isinstance(kind, type):
        return _plain_reader(kind)
    return _reader(getattr(kind, "__supertype__"))  # noqa: B009  a NewType, which has no static type for it


_NEEDED = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}


def kind_of(value: Plain) -> str:
    """The name of a JSON value's type, for messages."""
    names: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "true or false"),
        ((int, float), "a number"),
        (str, "a text"),
        (list, "a list"),
        (dict, "an object"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), "nothing")


def _plain_reader(kind: type) -> _Reader:
    if kind in _LABELLED:
        return _enum_reader({each.label: each for each in kind}.__getitem__)
    if issubclass(kind, Enum):
        return _enum_reader(kind)
    if is_dataclass(kind):
        return _value_reader(kind)
    if kind is datetime:
        return _read_datetime
    return _scalar_reader(kind)


def _enum_reader(make: Callable[[str], Any]) -> _Reader:
    def read(plain: Plain, where: str) -> Any:
        if not isinstance(plain, str):
            raise _refuse(where, f"a name is needed, not {kind_of(plain)}")
        try:
            return make(plain)
        except (ValueError, KeyError):
            raise _refuse(where, f"unknown name {plain!r}") from None

    return read


def _read_datetime(plain: Plain, where: str) -> datetime:
    try:
        return read_time(plain)
    except (TypeError, ValueError):
        raise _refuse(where, f"not a time: {plain!r}") from None


def _scalar_reader(kind: type) -> _Reader:
    def read(plain: Plain, where: str) -> Any:
        if kind is float and isinstance(plain, int) and not isinstance(plain, bool):
            return plain
        if not isinstance(plain, kind) or (kind in (int, float) and isinstance(plain, bool)):
            raise _refuse(where, f"{_NEEDED[kind]} is needed, not {kind_of(plain)}")
        if isinstance(plain, int) and not -LARGEST_INTEGER - 1 <= plain <= LARGEST_INTEGER:
            raise _refuse(where, f"an integer from {-LARGEST_INTEGER - 1} to {LARGEST_INTEGER} is needed")
        return plain

    return read


def _list_reader(read_each: _Reader, collect: Callable[[Any], Any]) -> _Reader:
    def read(plain: Plain, where: str) -> Any:
        if not isinstance(plain, list):
            raise _refuse(where, f"a list is needed, not {kind_of(plain)}")
        return collect(read_each(each, f"{where}[{index}]") for index, each in enumerate(plain))

    return read


def _mapping_reader(read_each: _Reader) -> _Reader:
    def read(plain: Plain, where: str) -> Any:
        if not isinstance(plain, dict):
            raise _refuse(where, f"an object is needed, not {kind_of(plain)}")
        return {key: read_each(each, f"{where}.{key}") for key, each in plain.items()}

    return read


def _value_reader(kind: type) -> _Reader:
    hints = get_type_hints(kind)
    existing: dict[str, tuple[Any, bool]] = {
        each.name: (hints[each.name], _is_optional(each)) for each in fields(kind)
    }
    tag = _TAGS.get(kind)

    def read(plain: Plain, where: str) -> Any:
        if not isinstance(plain, dict):
            raise _refuse(where, f"an object is needed, not {kind_of(plain)}")
        given: dict[str, Any] = {}
        for name, value in plain.items():
            if tag is not None and name == tag[0] and name not in existing:
                if value != tag[1]:
                    raise _refuse(f"{where}.{name}", f"{tag[1]!r} needed, not {value!r}")
                continue
            if name not in existing:
                raise _refuse(where, f"unknown key {name!r}")
            given[name] = _reader(existing[name][0])(value, f"{where}.{name}")
        missing = [name for name, (_, optional) in existing.items() if name not in given and not optional]
        if missing:
            raise _refuse(where, f"missing key {missing[0]!r}")
        return kind(**given)

    return read


def _is_optional(each: Field[Any]) -> bool:
    return each.default is not MISSING or each.default_factory is not MISSING


def _tagged_reader(key: str, table: dict[str, type]) -> _Reader:
    def read(plain: Plain, where: str) -> Any:
        if not isinstance(plain, dict):
            raise _refuse(where, f"an object is needed, not {kind_of(plain)}")
        tag = plain.get(key)
        if not isinstance(tag, str) or tag not in table:
            raise _refuse(f"{where}.{key}", f"unknown {key} {tag!r}")
        return _reader(table[tag])(plain, where)

    return read


def _union_reader(members: tuple[Any, ...]) -> _Reader:
    flat = _flatten(members)
    tagged = [each for each in flat if isinstance(each, type) and each in _TAGS]
    if tagged:
        key = _TAGS[tagged[0]][0]
        read_object: _Reader | None = _tagged_reader(key, {_TAGS[each][1]: each for each in tagged})
    else:
        objects = [each for each in flat if is_dataclass(each) or _is_origin(each, Mapping)]
        read_object = _reader(objects[0]) if objects else None
    lists = [each for each in flat if get_origin(each) is tuple]
    scalars = [each for each in flat if each in (str, int, float, bool)]
    others = [
        each for each in flat if isinstance(each, type) and (issubclass(each, Enum) or each is datetime)
    ]

    def read(plain: Plain, where: str) -> Any:
        if plain is None and type(None) in flat:
            return None
        if isinstance(plain, dict) and read_object is not None:
            return read_object(plain, where)
        if isinstance(plain, list) and lists:
            return _reader(lists[0])(plain, where)
        if others:
            return _reader(others[0])(plain, where)
        if any(type(plain) is each for each in scalars):
            return plain
        if float in scalars and type(plain) is int:
            return plain
        raise _refuse(where, f"{kind_of(plain)} doesn't fit here")

    return read


def _is_origin(kind: Any, base: type) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, base)


def _flatten(members: tuple[Any, ...]) -> list[Any]:
    flat: list[Any] = []
    for member in members:
        if get_origin(member) in (Union, types.UnionType):
            flat.extend(_flatten(get_args(member)))
        elif hasattr(member, "__supertype__"):
            flat.append(member.__supertype__)
        else:
            flat.append(member)
    return flat
