"""Reads the pages of a damaged file without SQLite, for a salvage.

SQLite reaches a row from the top of a table's tree, so one damaged page above hides thousands of whole ones.
Here each page is looked at for itself; the trees only tell which table a page belongs to. Nothing in a file can
make this read outside of it, run for ever, or run anything. The format is SQLite's own, which is fixed
(https://sqlite.org/fileformat2.html).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import field

from inspector.domain.dataclass import dataclass

Value = str | int | float | bytes | None

HEADER = b"SQLite format 3\0"
DEFAULT_PAGE_SIZE = 4096
SMALLEST_PAGE, LARGEST_PAGE = 512, 65_536
LARGEST_RECORD = 64 * 1024 * 1024
SCHEMA_TABLE = "sqlite_schema"
_HEADER_SIZE = 100
_INTERIOR, _LEAVES, _TABLE_LEAF = (2, 5), (10, 13), 13
"""The kinds of pages: of indexes and of tables. Records are read of tables alone; indexes are made anew."""
_INTEGER_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_SCHEMA_COLUMNS = 5
_DEEPEST = 40


class BadPageError(Exception):
    """What is here is no page, cell or record."""


@dataclass(frozen=True, slots=True)
class SalvagedRecord:
    """One record: its rowid, its values, and the pages that it lies on."""

    page: int
    rowid: int
    values: tuple[Value, ...]
    pages: frozenset[int]


@dataclass(slots=True)
class SalvagedTree:
    """What was reached from the top of one table. `broken` are pages that should be there and are not."""

    name: str
    pages: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Header:
    kind: int
    cells: int
    first: int
    right: int


class PageImage:
    """The bytes of a database file as pages, counted from 1."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = _page_size(data)
        whole = data[:16] == HEADER and len(data) >= _HEADER_SIZE and data[20] < self.size - 480
        self._usable = self.size - (data[20] if whole else 0)
        self.has_header = whole
        self.count = -(-len(data) // self.size)
        self.ends_within = bool(len(data) % self.size)

    @property
    def named(self) -> int:
        """How many pages the file says that it has; 0 where that cannot be known."""
        if not self.has_header:
            return 0
        changed, named = struct.unpack_from(">II", self._data, 24)
        (told_at,) = struct.unpack_from(">I", self._data, 92)
        # Written by a program that did not keep it up to date, it says nothing.
        return int(named) if changed == told_at else 0

    @property
    def user_version(self) -> int:
        """The number that the file's own program has given to its form; 0 where that cannot be known."""
        return int(struct.unpack_from(">i", self._data, 60)[0]) if self.has_header else 0

    def page(self, number: int) -> bytes:
        """The bytes of a page; the last one may be short.

        Raises:
            BadPageError: there is no such page.
        """
        if not 0 < number <= self.count:
            raise BadPageError(number)
        return self._data[(number - 1) * self.size : number * self.size]

    def kind(self, number: int) -> int:
        """The first byte of a page: which kind it claims to be."""
        page = self.page(number)
        at = _HEADER_SIZE if number == 1 else 0
        return page[at] if len(page) > at else 0

    def is_leaf(self, number: int) -> bool:
        """Whether a page claims to hold records of a table."""
        return self.kind(number) == _TABLE_LEAF

    def cells(self, number: int) -> Iterator[SalvagedRecord | None]:
        """The records of a page of a table; None for each that cannot be read."""
        if not self.is_leaf(number):
            return
        try:
            header = self._header(number)
        except BadPageError:
            return
        page = self.page(number)
        for index in range(header.cells):
            try:
                yield self._cell(number, page, header, index)
            except (BadPageError, IndexError, struct.error):
                yield None

    def tree(self, name: str, root: int) -> SalvagedTree:
        """All pages below a root."""
        found = SalvagedTree(name)
        waiting, seen = [(root, 0)], set()
        while waiting:
            number, depth = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            try:
                header = self._header(number)
            except BadPageError:
                found.broken.append(number)
                continue
            found.pages.append(number)
            if header.kind in _INTERIOR and depth < _DEEPEST:
                waiting.extend((child, depth + 1) for child in self._children(number, header))
        return found

    def free_pages(self) -> frozenset[int]:
        """The pages that hold nothing that is still meant to be there, as far as the list of them is whole."""
        if not self.has_header:
            return frozenset()
        free: set[int] = set()
        (trunk,) = struct.unpack_from(">I", self._data, 32)
        while 0 < trunk <= self.count and trunk not in free:
            free.add(trunk)
            page = self.page(trunk)
            if len(page) < 8:
                break
            following, count = struct.unpack_from(">II", page)
            most = min(count, (len(page) - 8) // 4)
            free.update(struct.unpack_from(f">{most:d}I", page, 8))
            trunk = following
        return frozenset(free)

    def _header(self, number: int) -> _Header:
        page = self.page(number)
        at = _HEADER_SIZE if number == 1 else 0
        if len(page) < at + 12:
            raise BadPageError(number)
        kind, _, cells, _, _ = struct.unpack_from(">BHHHB", page, at)
        if kind not in (*_INTERIOR, *_LEAVES):
            raise BadPageError(number)
        interior = kind in _INTERIOR
        first = at + (12 if interior else 8)
        if first + 2 * cells > len(page):
            raise BadPageError(number)
        right = struct.unpack_from(">I", page, at + 8)[0] if interior else 0
        return _Header(kind, cells, first, right)

    def _children(self, number: int, header: _Header) -> Iterator[int]:
        page = self.page(number)
        for index in range(header.cells):
            (at,) = struct.unpack_from(">H", page, header.first + 2 * index)
            if at + 4 <= len(page):
                yield struct.unpack_from(">I", page, at)[0]
        yield header.right

    def _cell(self, number: int, page: bytes, header: _Header, index: int) -> SalvagedRecord:
        (at,) = struct.unpack_from(">H", page, header.first + 2 * index)
        if at < header.first:
            raise BadPageError(number)
        size, at = _varint(page, at)
        rowid, at = _varint(page, at)
        if size > LARGEST_RECORD:
            raise BadPageError(number)
        payload, pages = self._payload(number, page, at, size)
        return SalvagedRecord(number, rowid - (1 << 64) if rowid >> 63 else rowid, _record(payload), pages)

    def _payload(self, number: int, page: bytes, at: int, size: int) -> tuple[bytes, frozenset[int]]:
        """A record's bytes, from its page and those that it runs over to."""
        usable = self._usable
        most = usable - 35
        if size <= most:
            return _slice(page, at, size), frozenset((number,))
        least = (usable - 12) * 32 // 255 - 23
        local = least + (size - least) % (usable - 4)
        local = local if local <= most else least
        parts = [_slice(page, at, local)]
        (following,) = struct.unpack(">I", _slice(page, at + local, 4))
        left, pages = size - local, {number}
        while left > 0:
            if following in pages:
                raise BadPageError(following)
            pages.add(following)
            over = self.page(following)
            if not any(over):
                # What was erased; a record of ours never goes on for a page with nothing but zeros.
                raise BadPageError(following)
            part = _slice(over, 4, min(left, usable - 4))
            parts.append(part)
            left -= len(part)
            (following,) = struct.unpack_from(">I", over)
        return b"".join(parts), frozenset(pages)


def table_roots(image: PageImage) -> dict[str, int]:
    """The page where each table's tree begins, as far as the file's own list of tables can be read."""
    found: dict[str, int] = {}
    reached = image.tree(SCHEMA_TABLE, 1).pages
    for number in dict.fromkeys((*reached, *range(2, image.count + 1))):
        for cell in image.cells(number):
            name, root = _root_in(cell)
            if root and name not in found:
                found[name] = root
    return found


def _root_in(cell: SalvagedRecord | None) -> tuple[str, int]:
    if cell is None or len(cell.values) != _SCHEMA_COLUMNS:
        return "", 0
    kind, name, table, root, sql = cell.values
    if kind != "table" or not isinstance(name, str) or name != table or not isinstance(sql, str):
        return "", 0
    if not isinstance(root, int) or root <= 0 or not sql.upper().startswith("CREATE TABLE"):
        return "", 0
    return name, root


def _page_size(data: bytes) -> int:
    if data[:16] == HEADER and len(data) >= _HEADER_SIZE:
        (size,) = struct.unpack_from(">H", data, 16)
        size = LARGEST_PAGE if size == 1 else size
        if SMALLEST_PAGE <= size <= LARGEST_PAGE and not size & (size - 1):
            return int(size)
    return DEFAULT_PAGE_SIZE


def _slice(page: bytes, at: int, size: int) -> bytes:
    if at + size > len(page):
        raise BadPageError(at)
    return page[at : at + size]


def _varint(page: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(8):
        byte = page[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    return value << 8 | page[at + 8], at + 9


def _record(payload: bytes) -> tuple[Value, ...]:
    if not payload:
        raise BadPageError(0)
    end, at = _varint(payload, 0)
    if end > len(payload):
        raise BadPageError(0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    return tuple(values)


def _value(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind in _INTEGER_SIZES:
        size = _INTEGER_SIZES[kind]
        return int.from_bytes(_slice(payload, at, size), "big", signed=True), at + size
    if kind == 7:
        return struct.unpack(">d", _slice(payload, at, 8))[0], at + 8
    if kind in (8, 9):
        return kind - 8, at
    if kind < 12:
        raise BadPageError(0)
    size = (kind - 12) // 2
    raw = _slice(payload, at, size)
    return (raw.decode(errors="replace") if kind % 2 else raw), at + size
