"""Images of a message: base 64 data or an address."""

from __future__ import annotations

import base64
import re

from inspector.domain.dataclass import dataclass
from inspector.domain.messages import ImagePart, TextPart

_DATA_ADDRESS = re.compile(r"data:([A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+)?(?:;[A-Za-z0-9=.+-]+)*;base64,", re.ASCII)
_ADDRESS = re.compile(r"(?:https?|gs)://\S+\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class ImageData:
    """An image with either data (base 64) or an address."""

    media_type: str
    data: str = ""
    address: str = ""

    @property
    def data_address(self) -> str:
        """The image as one address, its data within it if that is what there is."""
        return self.address or f"data:{self.media_type};base64,{self.data}"


def picture(part: ImagePart) -> ImageData | None:
    """The image, or None where it is neither data in base 64 nor an address that can be fetched."""
    text = part.data.strip()
    if _ADDRESS.match(text):
        return ImageData(part.media_type, address=text)
    media_type = part.media_type
    inline = _DATA_ADDRESS.match(text)
    if inline is not None:
        media_type = inline[1] or media_type
        text = text[inline.end() :]
    try:
        base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return ImageData(media_type, data=text) if text else None


def image_as_it_came(part: ImagePart) -> ImageData:
    """The image, with its text as an address where it is no image that is known: a recorded one is sent so."""
    return picture(part) or ImageData(part.media_type, address=part.data)


def stand_in(part: ImagePart) -> TextPart:
    """The words for an image that cannot be sent."""
    return TextPart(f"[Image {part.media_type} {part.width}x{part.height} left out]")
