"""Files made to exhaust a reader. `scale` 1 is the full size; tests read them small, the bench whole."""

import io
import zipfile
from collections.abc import Callable, Iterator

import msgspec

Chunks = Iterator[bytes]
Bomb = Callable[[float], Chunks]

MEGABYTE = 1 << 20
_AGENT = b'{"agents": [{"name": "a", "messages": ['
_END = b"]}]}"


def _repeat(part: bytes, total: float) -> Chunks:
    """About `total` bytes of one part, in chunks."""
    chunk = part * max(1, MEGABYTE // len(part))
    whole, rest = divmod(int(total), len(chunk))
    for _ in range(whole):
        yield chunk
    yield part * (rest // len(part))


def _filled(before: bytes, part: bytes, after: bytes, megabytes: float) -> Bomb:
    def write(scale: float) -> Chunks:
        yield before
        yield from _repeat(part, scale * megabytes * MEGABYTE)
        yield after

    return write


def _nested(opening: bytes, closing: bytes, levels: int) -> Bomb:
    def write(scale: float) -> Chunks:
        depth = max(300, int(scale * levels))
        yield opening * depth
        yield b"1" + closing * depth

    return write


def _numbered(before: bytes, part: bytes, after: bytes, count: int) -> Bomb:
    """`part` holds ``%d`` once."""

    def write(scale: float) -> Chunks:
        yield before
        total = int(scale * count)
        for start in range(0, total, 10_000):
            yield b"".join(part % number for number in range(start, min(total, start + 10_000)))
        yield after

    return write


def _encoded(levels: int) -> Bomb:
    """A text in a text in a text, each level escaped again."""

    def write(scale: float) -> Chunks:
        text = b"{}"
        for _ in range(max(3, int(scale * levels))):
            text = b'"' + text.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
        yield text

    return write


def rivals(count: int) -> list[bytes]:
    """Keys of which the decoder keeps only one: each takes the place of the one before, so that all are made anew."""
    first = b"%031d" % 0
    found = [first]
    for number in range(1, 100_000):
        kept, other = _key(first), b"%031d" % number
        _key(other)
        if _key(first) is not kept:
            found.append(other)
        if len(found) == count:
            return found
    raise ValueError("the decoder keeps all keys")


def _key(name: bytes) -> str:
    (key,) = msgspec.json.decode(b'{"' + name + b'":0}')
    assert isinstance(key, str)
    return key


def escaped(name: bytes) -> bytes:
    """The same key, written otherwise."""
    return b"".join(b"\\u%04x" % each for each in name)


def row_of(*keys: bytes) -> bytes:
    """An object with these keys and nothing in it."""
    return b"{" + b",".join(b'"' + key + b'":null' for key in keys) + b"}"


def _zip(scale: float) -> Chunks:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("agent.af", b"0" * int(scale * 100 * MEGABYTE))
    yield packed.getvalue()


def _wide(megabytes: float) -> Bomb:
    """ASCII that one character at the end makes four times as large in memory."""
    return _filled(b'{"agents": [{"name": "', b"a", '\U0001f600"}]}'.encode(), megabytes)


_MESSAGE = b'{"role":"user","content":"a"},'
_CALL = b'{"role":"assistant","tool_calls":[{"id":"c%d","function":{"name":"f","arguments":"{}"}}]},'

BOMBS: dict[str, Bomb] = {
    "100 k lists deep": _nested(b"[", b"]", 100_000),
    "100 k objects deep": _nested(b'{"a":', b"}", 100_000),
    "10 M lists deep": _nested(b"[", b"", 10_000_000),
    "5 000 digits": _filled(b'{"agents": [', b"7", b"]}", 5000 / MEGABYTE),
    "90 MB of digits": _filled(b"[", b"7", b"]", 90),
    "NaN": lambda scale: iter([b'{"agents": [NaN]}']),
    "1e400": lambda scale: iter([b'{"agents": [1e400]}']),
    "lone surrogate": lambda scale: iter([b'{"agents": [{"name": "\\ud800"}]}']),
    "lone surrogate after 90 MB": _filled(b'["', b"a", b'\\udfff"]', 90),
    "bytes that are no UTF-8 after 90 MB": _filled(b'["', b"a", b'\xff"]', 90),
    "1 GB string": _filled(b'["', b"a", b'"]', 1024),
    "95 MB string": _filled(b'{"agents": [{"name": "', b"a", b'"}]}', 95),
    "95 MB of wide characters": _filled(b'["', "漢".encode(), b'"]', 95),
    "90 MB with one wide character": _wide(90),
    "95 MB of escaped line ends": _filled(b'["', b"\\n", b'"]', 95),
    "95 MB of escaped characters": _filled(b'["', b"\\u6f22", b'"]', 95),
    "95 MB of escaped quotes without end": _filled(b'["', b'\\"', b"", 95),
    "95 MB of quotes": _filled(b"", b'"', b"", 95),
    "95 MB of spaces": _filled(b"{", b" ", b"}", 95),
    "95 MB of commas": _filled(b"[", b",", b"]", 95),
    "30 M empty objects": _filled(b"[", b"{},", b"1]", 95),
    "30 M empty lists": _filled(b"[", b"[],", b"1]", 95),
    "47 M numbers": _filled(b"[", b"0,", b"0]", 95),
    "19 M nulls": _filled(b"[", b"null,", b"0]", 95),
    "10 M tiny messages": _filled(_AGENT, _MESSAGE, b"{}" + _END, 10_000_000 * len(_MESSAGE) / MEGABYTE),
    "90 000 tiny messages": _filled(_AGENT, _MESSAGE, b"{}" + _END, 90_000 * len(_MESSAGE) / MEGABYTE),
    "90 000 open calls": _numbered(_AGENT, _CALL, b"{}" + _END, 90_000),
    "one key a million times": _filled(b"{", b'"a":1,', b'"a":2}', 1_000_000 * 6 / MEGABYTE),
    "keys that take each other's place": _filled(b"[", row_of(*rivals(6)) + b",", b"{}]", 95),
    "keys that take each other's place, half of them escaped": _filled(
        b"[",
        row_of(*(escaped(key) if at % 2 else key for at, key in enumerate(rivals(6)))) + b",",
        b"{}]",
        95,
    ),
    "a million keys": _numbered(b'{"agents": [{"name": "a",', b'"k%d":1,', b'"z":1}]}', 1_000_000),
    "100 000 blocks of one label": _numbered(
        b'{"agents": [{"name": "a"}], "blocks": [', b'{"id":"b%d","label":"x","value":""},', b"{}]}", 100_000
    ),
    "a recorded body of 30 M empty objects as a text": _filled(
        rb'{"body":"{\"model\":\"x\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}', b",{}", b']}"}', 90
    ),
    "20 texts in one another": _encoded(20),
    "zip": _zip,
}
