"""The texts of sent Requests: packed, every changed byte told, and those that lie there as they were sent are read."""

from __future__ import annotations

import base64
import hashlib
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

from inspector.memory.checking import check
from inspector.storage import redaction, runs, search_scan
from inspector.storage.packing import LARGEST_VALUE, pack, unpack
from inspector.storage.salvage_copy import image_of
from inspector.storage.salvage_rows import read_rows
from inspector.storage.salvage_writing import write_salvaged
from inspector.storage.table_catalogue import REQUEST_TEXTS
from tests.storage.builders import new_file, opened

_TEXT = "=== system ===\nThe code word is Zanzibar. 🙂\n" * 200
_HASH = hashlib.sha256(_TEXT.encode()).hexdigest()
_RUN = (
    "INSERT INTO runs (id, agent_id, kind, model, request_hash, manifest_digest, started_at, reply, changes_seq,"
    " metadata) VALUES ('r1', 'a', 'turn', 'm', ?1, ?1, '2026-01-01T00:00:00.000000Z', '', 1, '{}')"
)


def add_as_sent(path: Path) -> None:
    """Give a file a sent Request as it lies in one that was written before texts were packed, and a damaged one."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO request_texts VALUES (?, ?)", (_HASH, _TEXT))
        connection.execute("INSERT INTO request_texts VALUES ('damaged', CAST(x'ff41' AS TEXT))")


def test_that_a_text_comes_back_and_takes_less_room() -> None:
    for text in ("", "x", _TEXT, "\x00\n\u2028", pack("packed twice")):
        assert unpack(pack(text).encode()) == text
    assert len(pack(_TEXT)) < len(_TEXT) // 7


def test_that_no_bit_can_change_unnoticed() -> None:
    text = "A text that is packed. " * 4
    for more in range(3):
        # With no, one and two characters of padding.
        whole = pack(text + "!" * more).encode()
        for bit in range(len(whole) * 8):
            flipped = bytearray(whole)
            flipped[bit // 8] ^= 1 << bit % 8
            # Without its mark it is read as it lies, and its hash tells that it isn't what was sent.
            assert unpack(bytes(flipped)) in (None, bytes(flipped).decode(errors="replace")), bit
            if flipped.startswith(b"packed:"):
                assert unpack(bytes(flipped)) is None, bit
        for broken in (whole[:-1], whole + b"x", whole + b"\n", whole[:8], whole[:7], b"\xff"):
            assert unpack(broken) is None


def test_that_a_value_that_grows_without_measure_is_none() -> None:
    maker = zlib.compressobj(9)
    stream = b"".join(maker.compress(bytes(1 << 20)) for _ in range(LARGEST_VALUE >> 20))
    whole = stream + maker.copy().flush()
    grown = stream + maker.compress(b"x") + maker.flush()
    sealed = [
        b"packed:" + base64.b64encode(hashlib.sha256(each).digest()[:8] + each) for each in (whole, grown)
    ]
    assert len(sealed[1]) < 100_000
    assert len(unpack(sealed[0]) or "") == LARGEST_VALUE
    assert unpack(sealed[1]) is None


async def test_that_what_is_packed_is_found_and_counted(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        async with database.write() as tx:
            assert await runs.keep_text(tx, _TEXT) == await runs.keep_text(tx, _TEXT) == _HASH
        async with database.read() as connection:
            assert await runs.text(connection, _HASH) == _TEXT
            assert await redaction.count_quotes(connection, REQUEST_TEXTS, ["Zanzibar"], "b") == 1
            assert await redaction.count_quotes(connection, REQUEST_TEXTS, ["Timbuktu"], "b") == 0
    assert b"Zanzibar" not in path.read_bytes()


async def test_that_a_text_that_lies_as_it_was_sent_is_read(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    add_as_sent(path)
    async with opened(path) as database:
        assert database.read_only is None
        async with database.read() as connection:
            assert await runs.text(connection, _HASH) == _TEXT
            # What was damaged before still is.
            assert await runs.text(connection, "damaged") is None
    assert [(each.code, each.parameters["hash"]) for each in await check(path)] == [
        ("check.request_damaged", "damaged")
    ]


async def test_that_search_goes_past_a_damaged_text(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO request_texts VALUES (?, ?)", (_HASH, pack(_TEXT)))
        connection.execute("INSERT INTO request_texts VALUES ('damaged', ?)", (pack(_TEXT)[:-1],))
        connection.execute(_RUN, (_HASH,))
        connection.execute(_RUN.replace("'r1'", "'r2'"), ("damaged",))
    async with opened(path) as database, database.read() as connection:
        found = await search_scan.sent(connection, "Zanzibar")
    assert (found.count, found.total) == (1, 2)


async def test_that_texts_of_both_forms_are_salvaged(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    add_as_sent(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO request_texts VALUES (?, ?)", ("packed", pack(_TEXT)))
    rows = read_rows(image_of(path))
    target = tmp_db_dir / "salvaged.constellation"
    write_salvaged(target, rows.tables, "2026-01-01T00:00:00.000000Z")
    async with opened(target) as database, database.read() as connection:
        assert await runs.text(connection, _HASH) == _TEXT
        assert await runs.text(connection, "packed") == _TEXT
