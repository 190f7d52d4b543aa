"""Sizes of images, from their headers."""

import base64
import random
import struct
import zlib

import pytest

from inspector.exchange.image_size import image_part, media_type_of, size_of


def png(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", len(head))
        + b"IHDR"
        + head
        + struct.pack(">I", zlib.crc32(b"IHDR" + head))
    )


def jpeg(width: int, height: int) -> bytes:
    preview = b"\xff\xe1" + struct.pack(">H", 2 + 70_000 % 65_000) + bytes(70_000 % 65_000)
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + preview + b"\xff\xff" + frame


def webp(width: int, height: int, kind: bytes) -> bytes:
    if kind == b"VP8X":
        body = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    elif kind == b"VP8L":
        body = b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14)
    else:
        body = b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width | 0x4000, height)
    return b"RIFF" + struct.pack("<I", 12 + len(body)) + b"WEBP" + kind + struct.pack("<I", len(body)) + body


IMAGES = {
    "png": png(640, 480),
    "jpeg": jpeg(640, 480),
    "gif": b"GIF89a" + struct.pack("<HH", 640, 480),
    "webp lossy": webp(640, 480, b"VP8 "),
    "webp lossless": webp(640, 480, b"VP8L"),
    "webp extended": webp(640, 480, b"VP8X"),
}


@pytest.mark.parametrize("form", IMAGES)
def test_that_the_size_of_an_image_is_read_from_its_header(form: str) -> None:
    assert size_of(IMAGES[form]) == (640, 480)
    data = base64.b64encode(IMAGES[form]).decode()
    for written in (data, f"data:image/x;base64,{data}"):
        part = image_part("image/x", written)
        assert (part.width, part.height, part.data) == (640, 480, written)
        assert media_type_of(written) == f"image/{form.split()[0]}"


@pytest.mark.parametrize("form", IMAGES)
def test_that_a_cut_or_changed_image_has_a_size_or_none_and_no_more(form: str) -> None:
    content, chance = IMAGES[form], random.Random(7)
    for end in range(min(len(content), 64)):
        assert all(each >= 0 for each in size_of(content[:end]))
    for _ in range(500):
        changed = bytearray(content[:200])
        changed[chance.randrange(len(changed))] = chance.randrange(256)
        assert all(each >= 0 for each in size_of(bytes(changed)))


@pytest.mark.parametrize("data", ["", "https://example.org/a.png", "no base 64!", "data:image/png,plain"])
def test_that_an_image_that_is_elsewhere_has_no_size(data: str) -> None:
    part = image_part("image/png", data)
    assert (part.width, part.height, media_type_of(data)) == (0, 0, "")
