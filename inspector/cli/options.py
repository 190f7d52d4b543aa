"""Options and types of values that several commands share."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from inspector.domain.codec import read_time

_SIZE = re.compile(r"(\d{3,5})x(\d{3,5})")

FILE = click.Path(path_type=Path)
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document and nothing else.")
AGENT = click.option("--agent", metavar="ID|NAME", help="Whose view; not needed when there is one agent.")
BLOCK = click.option("--block", required=True, metavar="ID|LABEL")
OWNER = click.option("--owner", metavar="ID|NAME", help="Whose block, when several have the label.")
REASON = click.option("--reason", default="", help="Kept in the block's history.")
UNLOCK = click.option("--unlock", is_flag=True, help="Write a part that is read-only for its agent.")
AS_AGENT = click.option("--as-agent", is_flag=True, help="Act as the agent, bound by its permissions.")


class Name(click.ParamType[str]):
    """A name: never the empty text, which could be taken for none given."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, or wrong usage."""
        if not value:
            self.fail("it is empty", param, ctx)
        return str(value)


class Moment(click.ParamType[datetime]):
    """A time in ISO 8601; without a zone it is UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, or wrong usage."""
        if isinstance(value, datetime):
            return value
        try:
            return read_time(value)
        except ValueError:
            self.fail(f"{value!r} is no ISO 8601 time such as 2026-11-20T09:30:00Z", param, ctx)


class Size(click.ParamType[tuple[int, int]]):
    """Width and height in pixels."""

    name = "WxH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """The pair, or wrong usage."""
        if isinstance(value, tuple):
            return value
        match = _SIZE.fullmatch(value)
        if match is None:
            self.fail(f"{value!r} is no size such as 1440x900", param, ctx)
        return int(match[1]), int(match[2])
