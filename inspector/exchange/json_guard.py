"""Reads foreign JSON for an import: nothing is decoded before its cost is checked.

Bytes are read under a budget, must be UTF-8, are weighed (`weighing`) and only then decoded, strictly: no NaN
or infinity, no number out of range, no lone surrogate, no nesting past a limit. Every refusal names the
place. Archives and pictures are told apart and refused; pickle and code are never read at all.
"""

from __future__ import annotations

import codecs
import re
import stat
from dataclasses import field
from pathlib import Path
from typing import Any

import msgspec

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, MalformedError, NotFoundError
from inspector.exchange.json_limits import JsonCost, JsonLimits, place, weigh

Json = Any
"""What decoded JSON is: dicts, lists, texts, numbers, booleans and None."""

DEFAULT_LIMITS = JsonLimits()
_BOM = codecs.BOM_UTF8
_SLICE = 1 << 20
_LINE = re.compile(rb"[^\n]+")
_BYTE = re.compile(r"\(byte (\d+)\)")
_ARCHIVES: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!", "rar"),
)
_OTHER_FILES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "PNG picture"),
    (b"\xff\xd8\xff", "JPEG picture"),
    (b"GIF8", "GIF picture"),
    (b"RIFF", "WebP picture or sound"),
    (b"%PDF-", "PDF"),
    (b"\x80\x04\x95", "pickle"),
    (b"\x7fELF", "program"),
)
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class ParsedJson:
    """Decoded JSON, the places (``line:column``) of keys that overwrote an earlier one of that name, and its cost.

    `written` names what it was written in, for people.
    """

    value: Json
    duplicate_keys: tuple[str, ...] = ()
    spent: JsonCost = field(default_factory=JsonCost)
    written: str = "JSON"


def read_bytes(path: Path, limits: JsonLimits = DEFAULT_LIMITS) -> bytes:
    """A regular file's bytes, refused when there are more than the budget.

    Raises:
        NotFoundError: no such file. MalformedError: it is no file, or too large. InputError: the system refuses to
            read it.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise MalformedError("import.not_a_file", where=str(path), why="not a regular file")
        if found.st_size > limits.max_bytes:
            raise _too_large(found.st_size, limits)
        # The size is asked again of the bytes themselves: a file can grow while it is read.
        with path.open("rb") as source:
            data = source.read(limits.max_bytes + 1)
    except FileNotFoundError:
        raise NotFoundError("import.no_such_file", path=str(path)) from None
    except (OSError, ValueError) as error:
        raise InputError("import.unreadable", path=str(path), why=type(error).__name__) from None
    if len(data) > limits.max_bytes:
        raise _too_large(len(data), limits)
    return data


def parse_json(data: bytes, limits: JsonLimits = DEFAULT_LIMITS, spent: JsonCost | None = None) -> ParsedJson:
    """Decode foreign bytes. `spent` carries the cost over several texts that are one import.

    Raises:
        MalformedError: with ``where`` (``line:column``) and ``why``.
    """
    data = checked_text(data, limits)
    spent = spent or JsonCost()
    duplicates = weigh(data, limits, spent)
    return ParsedJson(_decode(data), duplicates, spent)


def parse_lines(data: bytes, limits: JsonLimits = DEFAULT_LIMITS) -> ParsedJson:
    """Decode foreign bytes that hold one JSON value a line, as the list of them.

    Raises:
        MalformedError: with ``where`` (``line:column``) and ``why``.
    """
    data = checked_text(data, limits)
    spent = JsonCost()
    duplicates = weigh(data, limits, spent)
    values = []
    for line in _LINE.finditer(data):
        if line[0].isspace():
            continue
        try:
            values.append(_decode(line[0]))
        except MalformedError as error:
            at = line.start() + int(str(error.parameters.get("byte", 0)))
            raise MalformedError(error.code, **{**error.parameters, "where": place(data, at)}) from None
    return ParsedJson(values, duplicates, spent, "JSON Lines")


def checked_text(data: bytes, limits: JsonLimits) -> bytes:
    """The bytes without a mark of their order, if they are no more than the budget and UTF-8 text.

    Raises:
        MalformedError: with ``where`` (``line:column``) and ``why``.
    """
    if len(data) > limits.max_bytes:
        raise _too_large(len(data), limits)
    _refuse_other_files(data)
    if data.startswith(_UTF_16):
        raise MalformedError("import.utf_16", where="1:1", why="UTF-16 text, not UTF-8")
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    _check_utf8(data)
    return data


def _too_large(size: int, limits: JsonLimits) -> MalformedError:
    return MalformedError(
        "import.too_large",
        where="",
        why=f"{size} bytes, at most {limits.max_bytes} are read",
        size=size,
        limit=limits.max_bytes,
    )


def _refuse_other_files(data: bytes) -> None:
    if data.startswith(_SQLITE):
        raise MalformedError("import.constellation", where="1:1", why="this is a database, not an agent file")
    for code, kinds in (("import.archive", _ARCHIVES), ("import.other_file", _OTHER_FILES)):
        for magic, kind in kinds:
            if data.startswith(magic):
                raise MalformedError(
                    code, where="1:1", why=f"this is a {kind} file, not JSON text", kind=kind
                )


def _check_utf8(data: bytes) -> None:
    if data.isascii():
        return
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _SLICE):
        waiting = len(decoder.getstate()[0])
        chunk = data[start : start + _SLICE]
        try:
            decoder.decode(chunk, final=start + _SLICE >= len(data))
        except UnicodeDecodeError as error:
            position = start - waiting + error.start
            raise MalformedError(
                "import.not_utf8", where=place(data, position), why="not UTF-8 text", byte=position
            ) from None


def _decode(data: bytes) -> Json:
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise _malformed(data, str(error)) from None
    except MemoryError:
        raise MalformedError("import.too_heavy", where="", why="out of memory", limit=0) from None


def _malformed(data: bytes, message: str) -> MalformedError:
    if not data.strip():
        return MalformedError("import.empty", where="1:1", why="the file holds nothing")
    found = _BYTE.search(message)
    if found is None:
        position, why = len(data), "the text ends too early" if "truncated" in message else message
    else:
        position = min(int(found[1]), len(data) - 1)
        why = _BYTE.sub("", message).removeprefix("JSON is malformed: ").strip()
    return MalformedError("import.malformed_json", where=place(data, position), why=why, byte=position)
