"""The source's times: offsets from the moment of creation, and durations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from inspector.domain.errors import MalformedError

_OFFSET = re.compile(r"([+-])(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_DURATION = re.compile(r"P(?=\d|T\d)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


def _span(parts: tuple[str | None, ...]) -> timedelta:
    days, hours, minutes, seconds = (int(part or 0) for part in parts)
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def duration_seconds(text: str, where: str) -> int:
    """The seconds of ``PT6H`` and the like. Raises MalformedError."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise MalformedError("sample.malformed", where=where, why=f"not a duration: {text!r}")
    return int(_span(found.groups()).total_seconds())


@dataclass(frozen=True, slots=True)
class Moments:
    """Turns offsets (``-3d4h``, ``-0s``, ``+2h``) into moments."""

    now: datetime

    def at(self, offset: str, where: str) -> datetime:
        """The moment. Raises MalformedError."""
        moment = self.read(offset)
        if moment is None:
            raise MalformedError("sample.malformed", where=where, why=f"not a time offset: {offset!r}")
        return moment

    def read(self, offset: str) -> datetime | None:
        """The moment, None when the text is no offset."""
        found = _OFFSET.fullmatch(offset)
        if found is None:
            return None
        sign, *parts = found.groups()
        span = _span(tuple(parts))
        return self.now - span if sign == "-" else self.now + span

    def written(self, offset: str) -> str:
        """A field's value: a time to the second where the text is an offset, else the text itself."""
        moment = self.read(offset)
        return offset if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")
