"""Options and value types that several commands share."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource

from inspector.domain.codec import from_plain, read_time
from inspector.domain.errors import MalformedError
from inspector.domain.layout_rules import strategy_fault
from inspector.domain.limits import STRATEGIES, Strategy
from inspector.domain.ref import Ref
from inspector.domain.wire.values import WireForm
from inspector.runtime.wording import word

_SIZE = re.compile(r"(\d{3,5})x(\d{3,5})")

# Whether it can be read is asked when it is opened: that is no wrong usage.
FILE = click.Path(path_type=Path, readable=False)
JSON = click.option("--json", "as_json", is_flag=True, help="Write one JSON document and nothing else.")
AGENT = click.option(
    "--agent", metavar="ID|NAME", help="Choose an agent. Not needed if the file has only one."
)
BLOCK = click.option("--block", required=True, metavar="ID|LABEL", help="Choose a block.")
OWNER = click.option("--owner", metavar="ID|NAME", help="Choose the owner if several blocks have this label.")
REASON = click.option("--reason", default="", help="Record a reason in the history.")
UNLOCK = click.option("--unlock", is_flag=True, help="Allow editing what is read-only for the agent.")
CACHE_MARKS = click.option(
    "--cache-marks", "cached", is_flag=True, help="Mark where the cached prefixes end."
)
WIRE_FORMS = [form.value for form in WireForm]
AS_AGENT = click.option("--as-agent", is_flag=True, help="Act as the agent, with its permissions.")


def example(words: str) -> str:
    """The end of a command's help: one call, on a line that click doesn't wrap."""
    return f"\b\nExample:\n  context-inspector {words}"


class NameParam(click.ParamType[str]):
    """A name: never the empty text, which could be taken for none given."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value:
            self.fail("can't be empty", param, ctx)
        return str(value)


class TimeParam(click.ParamType[datetime]):
    """A time in ISO 8601; without a zone it is UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            return read_time(value)
        except ValueError:
            self.fail(f"{value!r} isn't an ISO 8601 time such as 2026-11-20T09:30:00Z", param, ctx)


NOW, LAST, COMPILED = "now", "last", "compiled"
"""The Request as it would be now, the newest one that was sent, and one with an import's compiled system prompt."""


class RequestMomentParam(click.ParamType[datetime | str]):
    """A moment: a time, the id of a run, ``last`` for the newest one, or ``now``; where asked, ``compiled`` too."""

    def __init__(self, *more: str) -> None:
        self._names = (LAST, NOW, *more)
        self.name = "|".join(("time", "run", LAST, *more))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime | str:
        if isinstance(value, datetime):
            return value
        name = str(value)
        if name in self._names or name.startswith("run_"):
            return name
        return TimeParam().convert(value, param, ctx)


class TargetParam(click.ParamType[Ref]):
    """One thing: its kind and its id."""

    name = "kind:id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Ref:
        if isinstance(value, Ref):
            return value
        ref = Ref.read(str(value))
        if ref is None:
            self.fail(f"{value!r} isn't KIND:ID, such as message:msg_1", param, ctx)
        return ref


class SizeParam(click.ParamType[tuple[int, int]]):
    """Width and height in pixels."""

    name = "WxH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        match = _SIZE.fullmatch(value)
        if match is None:
            self.fail(f"{value!r} isn't a size such as 1440x900", param, ctx)
        return int(match[1]), int(match[2])


class StrategyParam(click.ParamType[Strategy]):
    """How a history is shortened: a strategy's name, or JSON with its settings."""

    name = "strategy"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Strategy:
        if not isinstance(value, str):
            return cast(Strategy, value)
        try:
            plain = json.loads(value) if value.lstrip().startswith("{") else {"kind": value}
            strategy = cast(Strategy, from_plain(Strategy, plain))
        except (ValueError, RecursionError, MalformedError):
            kinds = ", ".join(each.kind for each in STRATEGIES)
            example = '\'{"kind": "window", "verbatim_count": 5}\''
            self.fail(
                f"{value!r} isn't a strategy. Use one of {kinds}, or JSON such as {example}", param, ctx
            )
        fault = strategy_fault(strategy)
        if fault is not None:
            self.fail(word("input.strategy_setting", fault), param, ctx)
        return strategy


_CHOICES = (
    click.option("--strategy", type=StrategyParam(), help="Use another history strategy: its name, or JSON."),
    click.option("--layout", type=NameParam(), help="Use another layout."),
    click.option("--model", type=NameParam(), help="Use another model."),
    click.option(
        "--zone",
        type=NameParam(),
        default="UTC",
        show_default=True,
        help="Set the time zone of times in the Request.",
    ),
    click.option("--now", type=TimeParam(), help="Build as of this time instead of now."),
)
_AT = click.option(
    "--at",
    type=RequestMomentParam(),
    help="Rebuild the Request of a past time or run (its id, or last), and compare it with what was sent.",
)


def choosing(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how a Request of the present is to be built."""
    for option in (*_CHOICES, AGENT):
        command = option(command)
    return command


def asking(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say which Request is meant, of the present or of the past."""

    @functools.wraps(command)
    def asked(*values: Any, **named: Any) -> None:
        _require_one_moment(named["at"])
        command(*values, **named)

    for option in (*_CHOICES, _AT, AGENT):
        asked = option(asked)
    return asked


def given_of(*names: str) -> list[str]:
    """Those of the options that stand on the command line, as they are written there."""
    source = click.get_current_context().get_parameter_source
    return [f"--{name}" for name in names if source(name) is ParameterSource.COMMANDLINE]


def _require_one_moment(at: datetime | str | None) -> None:
    """Pass if the options that say which Request is meant go together.

    Raises:
        click.UsageError: what was sent has its own settings, and a time of the past is the moment of the build.
    """
    if at is None or at == NOW:
        return
    given = given_of(*(OF_THE_PRESENT if isinstance(at, datetime) else OF_A_BUILD))
    if given:
        raise click.UsageError(f"--at {at} can't be combined with {', '.join(given)}")


OF_THE_PRESENT = ("now",)
"""Options that only a Request of the present has."""
OF_A_BUILD = (*OF_THE_PRESENT, "zone", "model", "layout", "strategy")
"""Options that what was sent has not: it is as it was."""
