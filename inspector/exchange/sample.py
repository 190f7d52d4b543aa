"""Reads the sample constellation: one edit a line, in the order in which they happened.

A line is an intent in its JSON form. A text that is ``@-3d4h`` or ``@+2h`` stands for the moment so far from now, and
``@blk:persona`` for an id with that prefix: the same name is the same id. An event's details, which are JSON in a text,
hold such names too.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

from inspector.domain.actor import IdGenerator
from inspector.domain.codec import from_plain
from inspector.domain.edits.base import Intent
from inspector.exchange.json_guard import Json, parse_json, read_bytes
from inspector.shipped.locate import resource_path

_OFFSET = re.compile(r"@([+-])(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_NAME = re.compile(r"@([a-z]{3,4}):\S+")
_NAME_IN_DETAILS = re.compile(r'(?<=")@([a-z]{3,4}):[^\s"\\]+(?=")')


def plan(now: datetime, ids: IdGenerator, source: Path | None = None) -> tuple[Intent, ...]:
    """The sample as intents, its newest event at `now`. Sent Requests are without text: only the engine can build it.

    Raises:
        NotFoundError: the source is not shipped.
        MalformedError: the source is at fault, with the place.
    """
    path = resource_path("sample", "edits.jsonl") if source is None else source
    names = _Names(now.replace(microsecond=0), ids)
    return tuple(
        cast("Intent", from_plain(Intent, names.resolved(parse_json(line).value), f"{path.name}:{number}"))
        for number, line in enumerate(read_bytes(path).splitlines(), 1)
    )


class _Names:
    def __init__(self, now: datetime, ids: IdGenerator) -> None:
        self._now = now
        self._ids = ids
        self._made: dict[str, str] = {}

    def resolved(self, value: Json) -> Json:
        if isinstance(value, dict):
            return {
                key: self._details(each)
                if key == "details" and isinstance(each, str)
                else self.resolved(each)
                for key, each in value.items()
            }
        if isinstance(value, list):
            return [self.resolved(each) for each in value]
        if not isinstance(value, str):
            return value
        if offset := _OFFSET.fullmatch(value):
            return self._moment(*offset.groups())
        if name := _NAME.fullmatch(value):
            return self._id(value, name[1])
        return value

    def _details(self, text: str) -> str:
        return _NAME_IN_DETAILS.sub(lambda found: self._id(found[0], found[1]), text)

    def _id(self, name: str, prefix: str) -> str:
        if name not in self._made:
            self._made[name] = self._ids(prefix)
        return self._made[name]

    def _moment(self, sign: str, *parts: str | None) -> str:
        days, hours, minutes, seconds = (int(part or 0) for part in parts)
        span = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        moment = self._now - span if sign == "-" else self._now + span
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
