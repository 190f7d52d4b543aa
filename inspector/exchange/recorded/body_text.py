"""Decodes a recorded body that a recorder wrote as a text: JSON, base 64, gzip, or a stream of server-sent events."""

from __future__ import annotations

import binascii
import re
import zlib
from base64 import b64decode

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.exchange.json_guard import Json, parse_json
from inspector.exchange.json_limits import JsonCost, JsonLimits

_OBJECT = re.compile(r"\s*+\{")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{16,}={0,2}\s*")
_STREAM = re.compile(r"\s*+(?:event|data|id):")
_DATA = re.compile(r"^data:[ \t]*(\{.*)$", re.MULTILINE)
_GZIP = b"\x1f\x8b"
_ANY_HEADER = 47
"""What zlib takes for a gzip or zlib header, whichever is there."""


@dataclass(frozen=True, slots=True)
class BodyTexts:
    """Decodes the texts of one file; all of them together keep its limits."""

    limits: JsonLimits
    spent: JsonCost

    def decoded(self, value: Json, where: str) -> Json:
        """The object that a text holds, the list of objects of a stream's events, or the value as it is.

        Raises:
            MalformedError: such a text passes a limit of the guard.
        """
        if not isinstance(value, str):
            return value
        text = self._plain(value, where)
        if _OBJECT.match(text):
            found = self._parsed(text, where)
            return value if found is None else found
        if _STREAM.match(text):
            return [event for line in _DATA.findall(text) if (event := self._parsed(line, where)) is not None]
        return value

    def _plain(self, text: str, where: str) -> str:
        """The text itself, or what it is in base 64, unpacked if it was packed."""
        if not _BASE64.fullmatch(text):
            return text
        try:
            data = b64decode(text)
            if data.startswith(_GZIP):
                data = self._unpacked(data, where)
            return data.decode()
        except (binascii.Error, UnicodeDecodeError, zlib.error):
            return text

    def _unpacked(self, data: bytes, where: str) -> bytes:
        # Held with the packed bytes and with what is decoded of it, so it may take what the budget still has.
        most = max(0, self.limits.max_memory - self.spent.memory)
        unpacking = zlib.decompressobj(_ANY_HEADER)
        plain = unpacking.decompress(data, most + 1)
        if len(plain) > most:
            limit = self.limits.max_memory >> 20
            why = f"would take more than {limit} MB of memory once unpacked"
            raise MalformedError("import.too_heavy", where=where, why=why, limit=limit)
        return plain

    def _parsed(self, text: str, where: str) -> Json:
        try:
            return parse_json(text.encode(), self.limits, self.spent).value
        except MalformedError as error:
            if error.code == "import.malformed_json":
                return None
            place = f"{where} {error.parameters['where']}"
            raise MalformedError(error.code, **{**error.parameters, "where": place}) from None
