import json
import os
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.errors import InputError, MalformedError, NotFoundError
from inspector.exchange.json_guard import parse_json, read_bytes
from inspector.exchange.json_limits import JsonCost, JsonLimits, weigh
from tests.exchange.bomb_files import escaped, rivals, row_of


def refused(data: bytes, limits: JsonLimits | None = None) -> MalformedError:
    with pytest.raises(MalformedError) as caught:
        parse_json(data, limits or JsonLimits())
    assert caught.value.parameters["why"]
    return caught.value


@pytest.mark.parametrize(
    ("data", "code", "where"),
    [
        (b'{"a": [1,\n NaN]}', "import.malformed_json", "2:2"),
        (b'{"a":\n\n [Infinity]}', "import.malformed_json", "3:3"),
        (b'["\xc3\xa9", 1e400]', "import.number_out_of_range", "1:7"),
        (b'{"n": -1e999}', "import.number_out_of_range", "1:7"),
        (b'{"n": 9223372036854775808}', "import.number_out_of_range", "1:7"),
        (b"[" + b"7" * 5000 + b"]", "import.number_out_of_range", "1:2"),
        (b'["ab\\ud800"]', "import.lone_surrogate", "1:5"),
        (b'["\\udc00\\ud800"]', "import.lone_surrogate", "1:3"),
        (b'{"\\ud83d": 1}', "import.lone_surrogate", "1:3"),
        (b'["\\ud83d\\u0041"]', "import.lone_surrogate", "1:3"),
        (b'["\n\xed\xa0\x80"]', "import.not_utf8", "2:1"),
        (b'{"a": "\xff"}', "import.not_utf8", "1:8"),
        ('{"a": 1}'.encode("utf-16-le"), "import.malformed_json", "1:2"),
        (b"\xff\xfe" + '{"a": 1}'.encode("utf-16-le"), "import.utf_16", "1:1"),
        (b"\xfe\xff" + '{"a": 1}'.encode("utf-16-be"), "import.utf_16", "1:1"),
        (b'{"a": [1, 2,}', "import.malformed_json", "1:13"),
        (b'{"a": 1} x', "import.malformed_json", "1:10"),
        (b'{"a": 1', "import.malformed_json", "1:8"),
        (b'{"a": "no end', "import.malformed_json", "1:7"),
        (b'{"a": "\\q"}', "import.malformed_json", "1:10"),
        (b'{"a": "\\u12"}', "import.malformed_json", "1:8"),
        (b'["\x01"]', "import.malformed_json", "1:3"),
        (b"{a: 1}", "import.malformed_json", "1:2"),
        (b"[- ]", "import.malformed_json", "1:2"),
        (b"", "import.empty", "1:1"),
        (b" \n\t", "import.empty", "1:1"),
    ],
)
def test_that_what_is_not_strict_json_is_refused_with_its_place(data: bytes, code: str, where: str) -> None:
    error = refused(data)
    assert (error.code, error.parameters["where"]) == (code, where)


def test_that_nesting_is_refused_past_the_limit_and_read_up_to_it() -> None:
    at_limit = b"[" * 256 + b"]" * 256
    assert parse_json(at_limit).value
    error = refused(b"[" * 100_000)
    assert (error.code, error.parameters["where"]) == ("import.too_deep", "1:257")
    assert refused(b'{"a":' * 100_000).code == "import.too_deep"


def test_that_whole_characters_numbers_and_marks_at_the_borders_are_read() -> None:
    data = (
        b'\xef\xbb\xbf["\\ud83d\\ude00", "\\\\ud800", 1e308, -9223372036854775808, 9223372036854775807, ""]'
    )
    assert parse_json(data).value == ["\U0001f600", "\\ud800", 1e308, -(2**63), 2**63 - 1, ""]


def test_that_keys_that_stand_twice_in_one_object_are_told_with_their_places() -> None:
    parsed = parse_json(b'{"a": 1, "b": {"a": 2, "c": "a"},\n "a" : 3, "d": [{"a": 1}, {"a": 2}]}')
    assert parsed.value["a"] == 3
    assert parsed.duplicate_keys == ("2:2",)


def test_that_values_that_would_take_too_much_memory_are_refused_before_they_are_made() -> None:
    small = JsonLimits(max_memory=100_000)
    assert refused(b"[" + b"{}," * 1000 + b"{}]", small).code == "import.too_heavy"
    assert refused(b'["' + b"x" * 100_000 + b'"]', small).code == "import.too_heavy"
    # One wide character makes every character of its text wide.
    assert refused(json.dumps("x" * 30_000 + "\U0001f600", ensure_ascii=False).encode(), small).code == (
        "import.too_heavy"
    )
    assert parse_json(json.dumps("x" * 30_000).encode(), small).value == "x" * 30_000


def test_that_too_many_values_are_refused() -> None:
    limits = JsonLimits(max_values=1000)
    assert refused(b"[" + b"0," * 1000 + b"0]", limits).code == "import.too_many_values"
    assert refused(b"[" + b"null," * 1000 + b"0]", limits).code == "import.too_many_values"
    assert len(parse_json(b"[" + b"0," * 900 + b"0]", limits).value) == 901


def test_that_too_many_bytes_are_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.af"
    with path.open("wb") as target:
        target.truncate(1 << 40)
    with pytest.raises(MalformedError) as caught:
        parse_json(read_bytes(path))
    assert caught.value.code == "import.too_large"
    assert refused(b"[1,2,3]", JsonLimits(max_bytes=6)).code == "import.too_large"


def test_that_a_file_that_grew_since_it_was_measured_is_refused(tmp_path: Path) -> None:
    # The kernel says 0 bytes of these files and gives more.
    endless = Path("/proc/self/maps")
    if not endless.exists():
        pytest.skip("no file here that says 0 bytes and gives more")
    with pytest.raises(MalformedError) as caught:
        read_bytes(endless, JsonLimits(max_bytes=10))
    assert caught.value.code == "import.too_large"


@pytest.mark.parametrize("magic", [b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08", b"7z\xbc\xaf\x27\x1c"])
def test_that_archives_are_told_apart_and_refused(magic: bytes) -> None:
    assert refused(magic + b"\x00" * 100).code == "import.archive"


@pytest.mark.parametrize(
    ("magic", "kind"), [(b"\x89PNG\r\n", "PNG picture"), (b"%PDF-1.7", "PDF"), (b"\x80\x04\x95", "pickle")]
)
def test_that_other_files_are_named_and_refused(magic: bytes, kind: str) -> None:
    error = refused(magic + b"\x00" * 100)
    assert (error.code, error.parameters["kind"]) == ("import.other_file", kind)


def test_that_a_database_is_refused_as_one() -> None:
    assert refused(b"SQLite format 3\x00" + b"\x00" * 84).code == "import.constellation"


def test_that_what_is_no_file_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/zero")):
        with pytest.raises(MalformedError) as caught:
            parse_json(read_bytes(path))
        assert caught.value.code == "import.not_a_file"


def test_that_a_missing_or_forbidden_file_is_an_error_of_input(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_bytes(tmp_path / "missing.af")
    with pytest.raises(InputError):
        read_bytes(Path("bad\x00name"))


def test_that_a_column_counts_characters_and_not_bytes() -> None:
    assert refused('["漢字漢字", nul]'.encode()).parameters["where"] == "1:13"


_ESCAPES = (
    "\\\\", "\\u", "d83d", "dc00", "0041", "\\ud83d", "\\udc00", "a", '\\"', "\\n", "u", "D83D", "\\uDBFF\\uDFFF",
)  # fmt: skip


@given(st.lists(st.sampled_from(_ESCAPES), min_size=1, max_size=8))
def test_that_a_string_is_taken_exactly_when_it_is_json_and_has_no_lone_surrogate(parts: list[str]) -> None:
    text = f'["{"".join(parts)}"]'
    try:
        (read,) = json.loads(text)
    except ValueError:
        refused(text.encode())
        return
    if any("\ud800" <= each <= "\udfff" for each in read):
        assert refused(text.encode()).code == "import.lone_surrogate"
    else:
        assert parse_json(text.encode()).value == [read]


LONG = "a key that is longer than those that are made once"
PAIR = rivals(2)


def rows(*keys: bytes, count: int = 5000) -> bytes:
    """Many rows of the same keys."""
    return b"[" + b",".join([row_of(*keys)] * count) + b"]"


WEIGHED = {
    "rows of the same keys": (
        msgspec.json.encode([{f"column_{n}": f"{row} {n}" for n in range(20)} for row in range(2000)]),
        2.5,
    ),
    "keys that differ": (msgspec.json.encode({f"key number {number}": "" for number in range(20_000)}), 2.5),
    "long keys": (msgspec.json.encode([{f"{LONG} {n}": "" for n in range(20)} for _ in range(2000)]), 2.5),
    "keys that take each other's place": (rows(*rivals(6)), 1.5),
    "two keys that take each other's place": (rows(*PAIR), 2),
    "a key and an escaped one that takes its place": (rows(PAIR[0], escaped(PAIR[1])), 4),
    "many keys that take each other's place": (rows(*rivals(40), count=500), 2),
    "more keys than are kept": (rows(*(b"%031d" % number for number in range(700)), count=40), 2),
}


@pytest.mark.parametrize("name", WEIGHED)
def test_that_what_is_weighed_is_what_it_takes_or_somewhat_more(name: str) -> None:
    data, at_most = WEIGHED[name]
    tracemalloc.start()
    decoded = msgspec.json.decode(data)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert decoded
    spent = JsonCost()
    weigh(data, JsonLimits(), spent)
    assert taken <= spent.memory <= at_most * taken
